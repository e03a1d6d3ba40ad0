"""Rows of views with the takes and circumstances they came from, and what a fit makes of them."""

from dataclasses import replace

import numpy as np
import pytest

from app.models.fitting import Samples
from app.types import Sample
from lmkl_core import LocalisedMKL
from tests.app.vision.test_conditions import HOME


def samples_of(warmths, rows_each=6):
    rng = np.random.default_rng(0)
    samples = Samples()
    for number, warmth in enumerate(warmths):
        condition = None if warmth is None else replace(HOME, warmth=warmth)
        for _ in range(rows_each):
            row = rng.normal(size=(1, 4)).astype(np.float32)
            samples.append(Sample(len(samples), f"take {number}", {"skin": row}, condition, None))
    return samples


def fit(samples):
    model = LocalisedMKL(n_clusters=1, delta=0.1, random_state=0)
    return model.fit(samples.views, groups=samples.takes, conditions=samples.circumstances())


def test_that_takes_that_share_circumstances_are_left_out_together_for_the_stress_figure():
    samples = samples_of([0.3, 0.3, 0.9])
    model = fit(samples)
    assert model.calibration_.n_takes == 3
    assert np.isfinite(model.calibration_.stress_bpcer)
    one, other, apart = samples.circumstances()[::6]
    assert one == other != apart


@pytest.mark.parametrize("warmths", [[None, None], [0.3, 0.3], [0.3, 0.9]])
def test_that_takes_are_cut_into_time_blocks_whatever_their_circumstances(warmths):
    samples = samples_of(warmths)
    model = fit(samples)
    assert model.calibration_.n_blocks > model.calibration_.n_takes == 2
