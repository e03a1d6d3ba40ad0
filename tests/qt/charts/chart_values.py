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


def calibration(*, n=240, with_stress=True, threshold=0.62, **more):
    rng = random.Random(1)
    scores = np.array([rng.gauss(0.78, 0.06) for _ in range(n)])
    stress = np.array([rng.gauss(0.74, 0.08) if with_stress else math.nan for _ in range(n)])
    rate = float(np.mean(scores < threshold))
    values = {
        "target_bpcer": 0.02,
        "bpcer": rate,
        "interval": (max(0.0, rate - 0.008), rate + 0.02),
        "confidence": 0.95,
        "n_scores": n,
        "n_effective": n / 4,
        "n_blocks": n // 6,
        "n_takes": 9,
        "block_length": 6,
        "promised": False,
        "stress_bpcer": float(np.mean(stress < threshold)) if with_stress else math.nan,
        "stress_interval": (0.03, 0.1),
        "scores": scores,
        "stress_scores": stress,
        "origin": "left-out takes",
    }
    return Calibration(threshold, **(values | more))


def terms(total, n_clusters=3, n_views=12):
    """Return positive terms of clusters and views that sum to a total."""
    values = np.random.default_rng(7).random((n_clusters, n_views)) ** 2
    return tuple(map(tuple, (values * total / values.sum()).tolist()))


def model_summary(*, n_clusters=3, views=VIEWS, **more):
    gaps = more.setdefault("gap_history", tuple(0.4 * 0.25**i for i in range(14)))
    values = {
        "view_names": views,
        "weights": terms(n_clusters, n_clusters, len(views)),
        "cluster_sizes": tuple(40 + 17 * i for i in range(n_clusters)),
        "typical_faces": (None,) * n_clusters,
        "gap": gaps[-1],
        "is_certified": True,
        "stop_reason": "gap below tolerance",
        "n_solves": 31,
        "objective_history": tuple(0.412 + 0.3 * math.exp(-0.6 * i) for i in range(14)),
        "calibration": calibration(),
        "bounds": (),
        "parameters": (),
        "takes": ("window", "lamp"),
        "n_samples": 131,
        "preset": "texture",
    }
    return ModelSummary(**(values | more))


def scored(number=0, *, score=0.71, verdict=Verdict.GENUINE, time=None, threshold=0.62, **more):
    is_scored = score is not None and math.isfinite(score)
    return scored_frame(
        frame=Frame(IMAGE, number, number / 10 if time is None else time),
        verdict=verdict,
        score=score,
        threshold=threshold,
        **({"terms": terms(score)} if is_scored else {}) | more,
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
