"""Realistic model and frames for the Model and Why pages."""

import math

from app.models.summary import Bound
from app.types import Decision, Familiarity, Frame, Verdict
from tests.qt.charts import chart_values
from tests.qt.charts.chart_values import IMAGE, terms
from tests.scored_frames import scored_frame

THRESHOLD = 0.6935
USUAL_TERMS = terms(0.8)
STATEMENT = "BPCER 4.4 % on left-out scores, 95 % interval 1.2 % to 11.3 %."


def calibration(**more):
    values = {
        "target_bpcer": 0.05,
        "bpcer": 8 / 180,
        "interval": (0.012, 0.113),
        "n_effective": 72.4,
        "promised": True,
        "statement": STATEMENT,
        "stress_interval": (0.008, 0.906),
    }
    return chart_values.calibration(n=180, threshold=THRESHOLD, **(values | more))


def model_summary(**more):
    values = {
        "cluster_sizes": (74, 61, 45),
        "gap": 3.1e-8,
        "calibration": calibration(),
        "bounds": (Bound("sum of weights", 5.123, "at most 6.928 under this constraint"),),
        "parameters": (("clusters C", "3"), ("delta", "9 (0.05 n)"), ("kernel", "rbf")),
        "typical_terms": USUAL_TERMS,
    }
    return chart_values.model_summary(**(values | more))


def scored(number=0, *, terms=USUAL_TERMS, verdict=Verdict.GENUINE, time=None, **more):
    """Return a frame whose score is the sum of its terms."""
    values = {
        "score": math.fsum(value for row in terms for value in row),
        "threshold": THRESHOLD,
        "terms": terms,
        "memberships": (0.62, 0.31, 0.07),
        "familiarity": Familiarity(2.0, "window 1", more.pop("differences", ()), 2.0, 0.0),
    }
    frame = Frame(IMAGE, number, number / 30 if time is None else time)
    return scored_frame(frame, verdict, **(values | more))


def unscored(number=0, *, time=None, reason="No face is in view."):
    frame = Frame(IMAGE, number, number / 30 if time is None else time)
    return scored_frame(frame, Verdict.NO_FACE, reason)


def decision(verdict=Verdict.GENUINE, score=0.79):
    return Decision(verdict, "The reason.", "The rule.", score, THRESHOLD, 15)
