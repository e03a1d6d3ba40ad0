"""Realistic values for charts: a model, its calibration, and the frames of a session."""

import math
import random

import numpy as np

from app.models.summary import ModelSummary
from app.types import Frame, Verdict
from lmkl_core.calibration.threshold import Calibration
from lmkl_core.features.presets import load_preset
from tests.scored_frames import scored_frame

VIEWS = load_preset("texture").view_names
IMAGE = np.zeros((2, 2, 3), np.uint8)


def calibration(*, n=240, with_stress=True, threshold=0.62):
    rng = random.Random(1)
    scores = np.array([rng.gauss(0.78, 0.06) for _ in range(n)])
    stress = np.array([rng.gauss(0.74, 0.08) if with_stress else math.nan for _ in range(n)])
    share = float(np.mean(scores < threshold))
    return Calibration(
        threshold,
        target_bpcer=0.02,
        bpcer=share,
        interval=(max(0.0, share - 0.008), share + 0.02),
        confidence=0.95,
        n_scores=n,
        n_effective=n / 4,
        n_blocks=n // 6,
        n_takes=9,
        block_length=6,
        promised=False,
        stress_bpcer=float(np.mean(stress < threshold)) if with_stress else math.nan,
        stress_interval=(0.03, 0.1),
        scores=scores,
        stress_scores=stress,
        origin="left-out takes",
    )


def weights(n_clusters, n_views, seed=3):
    rng = random.Random(seed)
    rows = []
    for _ in range(n_clusters):
        row = [rng.random() ** 3 if rng.random() > 0.25 else 0.0 for _ in range(n_views)]
        norm = math.sqrt(math.fsum(value * value for value in row)) or 1.0
        rows.append(tuple(value / norm for value in row))
    return tuple(rows)


def model_summary(*, n_clusters=3, views=VIEWS, gap_history=None, objective_history=None, **more):
    rng = random.Random(5)
    gaps = tuple(10 ** (-0.35 - 0.55 * i - 0.2 * rng.random()) for i in range(14))
    gaps = gaps if gap_history is None else gap_history
    objective = tuple(0.412 + 0.3 * math.exp(-0.6 * i) for i in range(14))
    values = {
        "view_names": views,
        "weights": weights(n_clusters, len(views)),
        "cluster_sizes": tuple(40 + 17 * i for i in range(n_clusters)),
        "typical_faces": (None,) * n_clusters,
        "gap": gaps[-1] if gaps else 3.1e-8,
        "is_certified": True,
        "stop_reason": "gap below tolerance",
        "n_solves": 31,
        "gap_history": gaps,
        "objective_history": objective if objective_history is None else objective_history,
        "calibration": calibration(),
        "bounds": (),
        "parameters": (),
        "takes": ("window", "lamp"),
        "n_samples": 131,
        "preset": "texture",
    }
    return ModelSummary(**(values | more))


def terms_for(score, n_clusters=3, n_views=12, seed=7):
    """Return terms that sum to a score."""
    raw = weights(n_clusters, n_views, seed)
    total = math.fsum(value for row in raw for value in row)
    return tuple(tuple(value * score / total for value in row) for row in raw)


def scored(number=0, *, score=0.71, verdict=Verdict.GENUINE, time=None, threshold=0.62, terms=None):
    if terms is None:
        terms = () if score is None or not math.isfinite(score) else terms_for(score)
    return scored_frame(
        frame=Frame(IMAGE, number, number / 10 if time is None else time),
        verdict=verdict,
        score=score,
        threshold=threshold,
        terms=terms,
        memberships=(0.72, 0.2, 0.08) if terms else (),
    )


def session(n=200):
    """Yield twenty seconds of frames with all verdicts."""
    rng = random.Random(2)
    for i in range(n):
        t = i / 10
        if 6 <= t < 8:
            yield scored(i, score=None, verdict=Verdict.NO_FACE, threshold=None)
        elif 8 <= t < 12:
            yield scored(i, score=0.45 + rng.gauss(0, 0.02), verdict=Verdict.ATTACK)
        elif 12 <= t < 12.6:
            yield scored(i, score=None, verdict=Verdict.POOR_QUALITY, threshold=None)
        elif 15 <= t < 16:
            yield scored(i, score=0.6 + rng.gauss(0, 0.02), verdict=Verdict.UNFAMILIAR)
        else:
            yield scored(i, score=0.76 + 0.03 * math.sin(t) + rng.gauss(0, 0.012))
