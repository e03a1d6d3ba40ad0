"""Realistic model and frames for the Model and Why pages."""

import math
import random
from dataclasses import replace

import numpy as np

from app.models.summary import Bound
from app.types import Decision, Familiarity, Frame, Verdict
from tests.qt.charts import chart_values
from tests.qt.charts.chart_values import IMAGE, VIEWS
from tests.scored_frames import scored_frame

THRESHOLD = 0.6935
STATEMENT = (
    "BPCER 4.4 % on left-out scores, 95% interval 1.2 % to 11.3 % (about 72 independent "
    "scores): the target of 5.0 % is met in expectation."
)
ORIGIN = "a BPCER of 5.0%, from 180 left-out scores in 30 time blocks of about 6 rows, 9 takes"


def calibration(**more):
    rng = random.Random(1)
    scores = np.sort([rng.gauss(0.78, 0.06) for _ in range(180)])
    stress = np.array([rng.gauss(0.70, 0.08) for _ in range(180)])
    assert scores[7] < THRESHOLD <= scores[8]
    values = {
        "target_bpcer": 0.05,
        "bpcer": 8 / 180,
        "interval": (0.012, 0.113),
        "n_effective": 72.4,
        "promised": True,
        "origin": ORIGIN,
        "statement": STATEMENT,
        "stress_bpcer": float(np.mean(stress < THRESHOLD)),
        "stress_interval": (0.008, 0.906),
        "scores": scores,
        "stress_scores": stress,
    }
    return replace(chart_values.calibration(n=180, threshold=THRESHOLD), **{**values, **more})


def usual_terms(n_clusters=3, total=0.8):
    rng = random.Random(7)
    rows = [[rng.random() ** 2 for _ in VIEWS] for _ in range(n_clusters)]
    scale = total / math.fsum(value for row in rows for value in row)
    return tuple(tuple(scale * value for value in row) for row in rows)


def model_summary(**more):
    values = {
        "cluster_sizes": (74, 61, 45),
        "gap": 3.1e-8,
        "calibration": calibration(),
        "bounds": (
            Bound("sum of weights", 5.123, "at most 6.928 under this constraint"),
            Bound(
                "expected squared error",
                1.83,
                "of genuine samples, at most, with confidence 95% (Proposition 3). It says "
                "nothing with so few frames.",
            ),
        ),
        "parameters": (("clusters C", "3"), ("delta", "9 (0.05 n)"), ("kernel", "rbf")),
        "takes": ("window 1", "window 2", "window 3", "lamp 1", "lamp 2", "office 1"),
        "n_samples": 180,
        "typical_terms": usual_terms(),
    }
    return chart_values.model_summary(**{**values, **more})


def scored(
    number=0, *, terms=None, verdict=Verdict.GENUINE, time=None, image=IMAGE, differences=(), **more
):
    """Return a frame whose score is the sum of its terms."""
    terms = usual_terms() if terms is None else terms
    values = {
        "frame": Frame(image, number, number / 30 if time is None else time),
        "verdict": verdict,
        "score": math.fsum(value for row in terms for value in row),
        "threshold": THRESHOLD,
        "terms": terms,
        "memberships": (0.62, 0.31, 0.07),
        "familiarity": Familiarity(2.0, "window 1", differences, 2.0, 0.0),
    }
    return scored_frame(**{**values, **more})


def unscored(number=0, *, verdict=Verdict.NO_FACE, time=None, reason="No face is in view."):
    frame = Frame(IMAGE, number, number / 30 if time is None else time)
    return scored_frame(frame, verdict, reason)


def with_term(terms, cluster, view, value):
    """Return the terms with one of them replaced."""
    rows = [list(row) for row in terms]
    rows[cluster][view] = value
    return tuple(tuple(row) for row in rows)


def decision(verdict=Verdict.GENUINE, score=0.79, n_frames=15):
    return Decision(
        verdict, "The mean score reaches the threshold.", "The rule.", score, THRESHOLD, n_frames
    )
