"""Conditions shared by takes, which affect only the stress figure."""

import numpy as np
import pytest

from lmkl_core import clopper_pearson, select
from lmkl_core.calibration.left_out import with_new_takes
from tests.core.recordings import (
    kernel_stack,
    left_out_by_refitting,
    make,
    recording,
    refusal,
    rows,
    takes_of,
    weighted_kernel,
)

N = 36
TAKES = takes_of(N, 6)
VIEWS = recording(n=N)
PAIRS = np.array(["lamp", "lamp", "window", "window", "hall", "street"])[TAKES]
EITHER_FIT = pytest.mark.parametrize("n_inducing", [None, 12])


@EITHER_FIT
def test_that_conditions_do_not_change_the_threshold(n_inducing):
    for target in (None, 0.2):
        estimator = make(n_inducing=n_inducing, target_bpcer=target)
        alone = estimator.fit(VIEWS, groups=TAKES).calibration_
        shared = estimator.fit(VIEWS, groups=TAKES, conditions=PAIRS).calibration_
        assert np.array_equal(shared.scores, alone.scores)
        assert shared.threshold == alone.threshold
        assert shared.origin == alone.origin
        assert shared.statement == alone.statement
        assert not np.array_equal(shared.stress_scores, alone.stress_scores)


def test_that_the_stress_figure_leaves_out_all_takes_of_a_condition():
    model = make().fit(VIEWS, groups=TAKES, conditions=PAIRS)
    calibration = model.calibration_
    weights, memberships = model.kernel_weights_, model.memberships_
    stack = kernel_stack(model, VIEWS, VIEWS)
    kernel = weighted_kernel(weights, stack, memberships, memberships)
    conditions = [np.flatnonzero(PAIRS == name) for name in np.unique(PAIRS)]
    expected = left_out_by_refitting(kernel, model.delta_, conditions)
    np.testing.assert_allclose(calibration.stress_scores, expected, rtol=1e-7, atol=1e-9)
    low, high = clopper_pearson(calibration.stress_bpcer * 4, 4)
    assert calibration.stress_interval == (low, high)
    alone = make().fit(VIEWS, groups=TAKES, conditions=["lamp"] * N).calibration_
    assert np.isnan(alone.stress_bpcer)


def test_that_selection_uses_conditions_for_the_stress_figure():
    options = {"deltas": (0.01, 1.0), "exponents": (2.0,), "n_clusters": (1,)}
    shared = select(make(), VIEWS, groups=TAKES, conditions=PAIRS, **options)
    alone = select(make(), VIEWS, groups=TAKES, **options)
    for cell, other in zip(shared.cells, alone.cells, strict=True):
        model = make(**cell.parameters).fit(VIEWS, groups=TAKES, conditions=PAIRS)
        assert cell.calibration.stress_bpcer == pytest.approx(model.calibration_.stress_bpcer)
        assert cell.calibration.threshold == other.calibration.threshold
        assert cell.radius == other.radius


@EITHER_FIT
def test_that_appended_takes_have_their_own_conditions(n_inducing):
    model = make(n_inducing=n_inducing).fit(VIEWS, groups=TAKES, conditions=PAIRS)
    model.extend(rows(recording(1, n=N), slice(0, 6)), groups=[0, 0, 0, 1, 1, 1])
    calibration = model.calibrate().calibration_
    refused = np.mean(calibration.stress_scores < calibration.threshold)
    assert calibration.stress_bpcer == refused
    assert calibration.stress_interval == pytest.approx(clopper_pearson(refused * 6, 6))
    assert with_new_takes(np.array([0, 0, 3]), np.array([5, 5, 6])).tolist() == [0, 0, 3, 4, 5]


def test_that_invalid_conditions_are_refused():
    for conditions in [np.arange(N), PAIRS[:-1], [["lamp"]] * N, [object()] * N]:
        assert "conditions" in refusal(make().fit, VIEWS, groups=TAKES, conditions=conditions)
