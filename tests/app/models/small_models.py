"""Small enrolments, models fitted on them, and model files with other contents."""

import functools
from dataclasses import replace

import numpy as np

from app.models.fitting import Samples, fitted
from app.settings import Settings
from app.types import Sample
from lmkl_core.model_file import save_model
from tests.app.vision.test_conditions import HOME

FEATURES = {
    "format": "1",
    "preset": {
        "name": "tiny",
        "crops": [{"name": "face", "size": 128}],
        "branches": [{"network": "efficientnet-lite0", "layers": ["block2"]}],
    },
    "weights": {"efficientnet-lite0": "ab" * 32},
}
SETTINGS = Settings(n_clusters=2, delta=0.1, target_bpcer=0.1)


def samples_of(*names, seed=0, n=8, shift=0.0, warmth=0.3, spread=0.3, known=True, **more):
    """Return rows of takes around one point; ``known`` says whether they have conditions.

    ``more`` are fields of every `Sample`.
    """
    rng, samples = np.random.default_rng(seed), Samples()
    centres = {"eyes": np.arange(4.0), "skin": np.arange(3.0)}
    for name in names:
        for _ in range(n):
            views = {
                view: (x + shift + spread * rng.normal(size=(1, len(x)))).astype(np.float32)
                for view, x in centres.items()
            }
            condition = replace(HOME, warmth=warmth, yaw=float(rng.normal())) if known else None
            samples.append(Sample(len(samples), name, views, condition, None, **more))
    return samples


WINDOW = ("window 1", "window 2", "window 3")


@functools.cache
def window_model():
    """Return a model of three takes in one light, which tests share and must not change."""
    return fitted(samples_of(*WINDOW), SETTINGS, FEATURES)


def file_with(path, **changes):
    """Save that model with other entries beside the estimator; None drops an entry."""
    model = window_model()
    extra = {name: value for name, value in (model.extra | changes).items() if value is not None}
    save_model(model.estimator, path, extra=extra, created=model.created)
    return path
