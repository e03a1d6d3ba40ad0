"""An example model and report context."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from app.models.summary import ModelSummary
from app.reports import Context
from lmkl_core.calibration.threshold import Calibration


def model(**changes):
    calibration = Calibration(
        threshold=0.5,
        target_bpcer=0.05,
        bpcer=0.04,
        interval=(0.01, 0.1),
        confidence=0.95,
        n_scores=240,
        n_effective=61.0,
        n_blocks=40,
        n_takes=9,
        block_length=6,
        promised=True,
        stress_bpcer=float("nan"),
        stress_interval=(0.0, 1.0),
        scores=np.empty(0),
        stress_scores=np.empty(0),
        origin="a BPCER of 5.0 %, from 240 left-out scores in 40 time blocks of about 6 rows, "
        "9 takes",
        statement="BPCER 4.0 % on left-out scores, 95 % interval 1.0 to 10.0 %: the target of "
        "5.0 % is met in expectation.",
    )
    made = ModelSummary(
        view_names=("face",),
        calibration=calibration,
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
