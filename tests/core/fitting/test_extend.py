"""Extending an exact model, compared with solving the larger system directly."""

import numpy as np
import pytest

from lmkl_core.calibration.left_out import time_blocks
from tests.core.problems import feasible_weights, product_norm
from tests.core.recordings import (
    joined,
    kernel_stack,
    left_out_by_refitting,
    make,
    memberships_of,
    recording,
    refusal,
    takes_of,
    weighted_kernel,
)

FIRST, SECOND = recording(n=30), recording(0, n=12, noise=(0.6, 1.0, 2.0))
TOGETHER = joined(FIRST, SECOND)
NEW = recording(1, n=7)


def large_system(model):
    """Weighted kernel of all rows, with what the model learned from the first ones."""
    P = memberships_of(model, FIRST, TOGETHER)
    stack = kernel_stack(model, TOGETHER, TOGETHER)
    return weighted_kernel(model.kernel_weights_, stack, P, P), P


@pytest.mark.parametrize("constraint", ["joint-matrix", "disjoint-vector", "uniform"])
def test_that_extending_equals_solving_the_larger_system(constraint):
    for n_clusters in [1, 3]:
        model = make(n_clusters=n_clusters, constraint=constraint, delta=0.01).fit(FIRST)
        before = (model.kernel_weights_.copy(), model.kernels_, model.delta_)
        model.extend(SECOND)
        assert np.array_equal(model.kernel_weights_, before[0])
        assert model.kernels_ == before[1]
        assert model.delta_ == before[2] == pytest.approx(0.01 * 30)
        kernel, P = large_system(model)
        expected = np.linalg.solve(kernel + model.delta_ * np.eye(42), np.ones(42))
        assert np.allclose(model.memberships_, P, rtol=1e-9, atol=1e-12)
        assert np.allclose(model.dual_coef_, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        cross = weighted_kernel(
            model.kernel_weights_,
            kernel_stack(model, NEW, TOGETHER),
            memberships_of(model, FIRST, NEW),
            P,
        )
        assert np.allclose(model.score_samples(NEW), cross @ expected, rtol=1e-9)


def test_that_one_call_with_all_rows_equals_one_call_per_row():
    at_once, row_by_row = (make(n_clusters=3).fit(FIRST) for _ in range(2))
    at_once.extend(SECOND)
    for i in range(12):
        row_by_row.extend({name: array[i : i + 1] for name, array in SECOND.items()})
    assert np.allclose(row_by_row.dual_coef_, at_once.dual_coef_, rtol=1e-9)
    assert np.allclose(row_by_row.memberships_, at_once.memberships_, rtol=1e-9)
    assert np.allclose(row_by_row.score_samples(NEW), at_once.score_samples(NEW), rtol=1e-9)
    assert row_by_row.gap_ == pytest.approx(at_once.gap_, rel=1e-6)
    support = at_once.support_views()
    assert all(np.array_equal(support[name], TOGETHER[name]) for name in TOGETHER)


def test_that_models_with_other_kernels_are_extended():
    kernel = ["linear", "rbf", "linear"]
    model = make(n_clusters=1, kernel=kernel).fit(FIRST).extend(SECOND)
    stack = kernel_stack(model, TOGETHER, TOGETHER)
    for g, name in ((0, "eyes"), (2, "skin")):
        stack[g] = TOGETHER[name] @ TOGETHER[name].T
    matrix = np.tensordot(model.kernel_weights_[0], stack, axes=1) + model.delta_ * np.eye(42)
    expected = np.linalg.solve(matrix, np.ones(42))
    assert np.allclose(model.dual_coef_, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_that_float32_models_stay_float32_and_rows_without_takes_are_a_new_take():
    single = {name: array.astype(np.float32) for name, array in FIRST.items()}
    small, large = (make().fit(X, groups=takes_of(30, 3)).extend(SECOND) for X in (single, FIRST))
    assert small._fitted.support.dtype == np.float32
    assert np.allclose(small.score_samples(NEW), large.score_samples(NEW), atol=1e-5)
    assert large.calibrate().calibration_.n_takes == 4


@pytest.mark.parametrize(("p", "q"), [(4 / 3, 4 / 3), (8 / 7, 2.0)])
def test_that_the_gap_after_extending_certifies_the_larger_problem(p, q):
    model = make(n_clusters=2, p=p, q=q, delta=0.01).fit(FIRST)
    assert model.gap_ <= 1e-6
    model.extend(SECOND)
    kernel, P = large_system(model)
    stack = kernel_stack(model, TOGETHER, TOGETHER)
    dual = np.linalg.solve(kernel + model.delta_ * np.eye(42), np.ones(42))
    sensitivity = np.array(
        [[(P[:, c] * dual) @ k @ (P[:, c] * dual) for k in stack] for c in (0, 1)]
    )
    present, here = dual.sum(), np.sum(model.kernel_weights_ * sensitivity)
    points = feasible_weights(np.random.default_rng(0), 3000, 6, p, q)
    assert model.gap_ >= (np.max(points @ sensitivity.ravel()) - here) / present
    if p == q:
        # The largest linear gain over an l_p ball is the dual norm.
        conjugate = p / (p - 1)
        gain = np.sum(sensitivity**conjugate) ** (1 / conjugate) - here
        assert model.gap_ == pytest.approx(gain / present, rel=1e-6)


def test_that_refining_reaches_the_optimum_of_the_larger_problem_again():
    model = make(n_clusters=2, delta=0.01).fit(FIRST).extend(SECOND)
    loose = model.gap_
    kernel, _ = large_system(model)
    before = np.linalg.solve(kernel + model.delta_ * np.eye(42), np.ones(42)).sum()
    refined = make(n_clusters=2, delta=0.01).fit(FIRST).extend(SECOND, refine=True)
    assert refined.gap_ <= 1e-6 < loose
    assert before * (1 - loose) <= refined.solution_.objective < before
    assert product_norm(refined.kernel_weights_.ravel(), 4 / 3, 4 / 3) == pytest.approx(1)
    kernel, _ = large_system(refined)
    expected = np.linalg.solve(kernel + refined.delta_ * np.eye(42), np.ones(42))
    assert np.allclose(refined.dual_coef_, expected, rtol=1e-9)
    assert refined.gap_history_[-1] == refined.gap_


def test_that_the_threshold_stays_until_calibration():
    takes = takes_of(12, 2)
    model = make(block_length=3).fit(FIRST, groups=takes_of(30, 3))
    before = model.calibration_
    model.extend(SECOND, groups=takes)
    assert model.calibration_ is before
    assert model.offset_ == before.threshold
    calibration = model.calibrate().calibration_
    all_takes = np.concatenate([takes_of(30, 3), takes + 3])
    kernel, _ = large_system(model)
    expected = left_out_by_refitting(kernel, model.delta_, time_blocks(all_takes, 3))
    assert np.allclose(calibration.scores, expected, rtol=0, atol=1e-9)
    assert calibration.n_takes == 5
    refined = make(block_length=3).fit(FIRST, groups=takes_of(30, 3)).calibrate(target_bpcer=0.2)
    refined.extend(SECOND, groups=takes, refine=True)
    assert refined.calibration_.n_scores == 42
    assert refined.calibration_.target_bpcer == 0.2


def test_that_refused_rows_leave_the_model_unchanged():
    model = make().fit(FIRST)
    before = model.score_samples(NEW)
    assert "groups" in refusal(model.extend, SECOND, groups=[1, 2])
    assert "skin" in refusal(model.extend, {name: SECOND[name] for name in ("eyes", "mouth")})
    assert np.array_equal(model.score_samples(NEW), before)
    assert model.dual_coef_.shape == (30,)
    X = FIRST["eyes"]
    assert "precomputed" in refusal(make(kernel="precomputed").fit(X @ X.T).extend, X[:3] @ X.T)
