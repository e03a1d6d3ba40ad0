"""A model and a context, made by hand."""

from dataclasses import replace
from datetime import UTC, datetime

from app.models.summary import ModelSummary, ThresholdSummary
from app.reports import Context


def model(**changes):
    threshold = ThresholdSummary(
        value=0.5,
        target_bpcer=0.05,
        bpcer=0.04,
        interval=(0.01, 0.1),
        n_scores=240,
        n_effective=61.0,
        promised=True,
        origin="a BPCER of 5.0 %, from 240 left-out scores in 40 time blocks of about 6 rows, "
        "9 takes",
        statement="BPCER 4.0 % on left-out scores, 95 % interval 1.0 to 10.0 %: the target of "
        "5.0 % is met in expectation.",
    )
    made = ModelSummary(
        view_names=("face",),
        weights=((1.0,),),
        cluster_sizes=(240,),
        typical_faces=(None,),
        gap=float("nan"),
        is_certified=True,
        stop_reason="",
        n_solves=1,
        gap_history=(),
        objective_history=(),
        threshold=threshold,
        bounds=(),
        parameters=(("delta", "0.1"), ("p", "1.33")),
        takes=("office", "window light", "lamp"),
        n_samples=240,
        preset="texture",
        path="/home/someone/models/face.safetensors",
        digest="a1" * 32,
    )
    return replace(made, **changes)


def context(**changes):
    values = {
        "source": "Integrated Camera",
        "model": model(),
        "version": "0.1.0",
        "created": datetime(2026, 3, 14, 15, 9, tzinfo=UTC),
    }
    return Context(**(values | changes))
