"""The estimator on inducing points: certificate, left-out scores, memory, extension."""

import tracemalloc

import numpy as np
import pytest

from benchmarks.growth import memory_bound
from lmkl_core import LocalisedMKL
from lmkl_core.calibration.left_out import rows_of_takes, time_blocks
from lmkl_core.fitting.streamed import calibration_rows
from lmkl_core.solver.problem import GramProblem
from lmkl_core.validation import as_views, warn_of_duplicates
from tests.core.problems import feasible_weights
from tests.core.recordings import (
    joined,
    left_out_by_refitting,
    make,
    recording,
    rows,
    takes_of,
    weighted_kernel,
)

VIEWS = recording(n=60)
TAKES = takes_of(60, 4)


def features(model, views):
    """``Phi_g Phi_g^T`` and the memberships of rows, from the maps of the model."""
    basis = model._fitted.problem.basis
    kernels, _ = basis.kernels(as_views(views).arrays)
    phi = [kernel @ m for kernel, m in zip(kernels, basis.maps, strict=True)]
    return np.array([f @ f.T for f in phi]), model.memberships(views)


def explicit_kernel(model, views):
    stack, P = features(model, views)
    return weighted_kernel(model.kernel_weights_, stack, P, P)


@pytest.mark.parametrize("n_clusters", [1, 3])
def test_that_left_out_scores_equal_refits_on_the_low_rank_kernel(n_clusters):
    for delta in [1e-2, 1.0]:
        model = make(n_clusters=n_clusters, delta=delta, n_inducing=12).fit(VIEWS, groups=TAKES)
        calibration, kernel = model.calibration_, explicit_kernel(model, VIEWS)
        blocks = time_blocks(TAKES, calibration.block_length)
        expected = left_out_by_refitting(kernel, model.delta_, blocks)
        assert np.allclose(calibration.scores, expected, rtol=0, atol=1e-8)
        stress = left_out_by_refitting(kernel, model.delta_, rows_of_takes(TAKES))
        assert np.allclose(calibration.stress_scores, stress, rtol=0, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_that_rows_may_be_memory_mapped(tmp_path, dtype):
    mapped = {}
    for name, array in VIEWS.items():
        mapped[name] = np.memmap(tmp_path / name, dtype=dtype, mode="w+", shape=array.shape)
        mapped[name][:] = array
        mapped[name].flush()
        mapped[name] = np.memmap(tmp_path / name, dtype=dtype, mode="r", shape=array.shape)
    plain = {name: np.array(array) for name, array in mapped.items()}
    for n_inducing in (None, 12):
        expected = make(n_inducing=n_inducing).fit(plain)
        model = make(n_inducing=n_inducing).fit(mapped)
        assert np.array_equal(model.dual_coef_, expected.dual_coef_)
        assert np.array_equal(model.score_samples(mapped), expected.score_samples(plain))


def test_that_memory_stays_within_the_documented_bound():
    rng = np.random.default_rng(0)
    groups = takes_of(5000, 20)
    # Separated by takes, so that k-means is fast.
    views = {
        name: rng.normal(10 * (groups[:, None] % 2), size=(5000, d))
        for name, d in (("a", 3), ("b", 2))
    }
    tracemalloc.start()
    model = make(n_clusters=2, n_inducing=20).fit(views, groups=groups)
    model.score_samples(views)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < memory_bound(n_rows=5000, n_views=2, n_inducing=20, n_clusters=2)
    assert peak < 5000**2 * 8 / 2
    assert model.dual_coef_.shape == (5000,)
    assert model.gap_ <= 1e-6


def test_that_detecting_duplicates_does_not_copy_the_rows():
    views = as_views(np.random.default_rng(0).normal(size=(2000, 500)))
    tracemalloc.start()
    warn_of_duplicates(views)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < views.arrays[0].nbytes / 10


def test_that_many_rows_are_streamed_automatically(monkeypatch):
    monkeypatch.setattr("lmkl_core.estimator.EXACT_ROWS", 59)
    monkeypatch.setattr("lmkl_core.estimator.AUTO_INDUCING", 7)
    model = LocalisedMKL(n_clusters=2, random_state=0).fit(VIEWS)
    assert model._fitted.problem.basis.landmarks.n_samples == 7
    monkeypatch.setattr("lmkl_core.estimator.EXACT_ROWS", 60)
    assert len(LocalisedMKL(n_clusters=2, random_state=0).fit(VIEWS).support_views()["eyes"]) == 60
    monkeypatch.setattr("lmkl_core.estimator.EXACT_ROWS", 10)
    gram = VIEWS["eyes"] @ VIEWS["eyes"].T
    assert make(kernel="precomputed").fit(gram).gap_ <= 1e-6  # never streamed


def test_that_calibration_uses_all_rows_or_stretches_spread_over_the_takes():
    for n_takes in [1, 3, 40, 400]:
        takes = takes_of(1000, n_takes)
        assert np.array_equal(calibration_rows(takes, 1000), np.arange(1000))
        chosen = calibration_rows(takes, 200)
        assert 0 < len(chosen) <= 200
        assert len(set(chosen)) == len(chosen)
        assert np.all(np.diff(chosen) > 0)
        jumps = np.count_nonzero((np.diff(chosen) > 1) & (np.diff(takes[chosen]) == 0))
        assert jumps <= 1
    # All parts of a long take are represented.
    chosen = calibration_rows(np.zeros(20_000, int), 3000)
    assert np.all(np.histogram(chosen, bins=10, range=(0, 20_000))[0] > 100)


def test_that_calibration_on_some_rows_leaves_them_out_of_all_rows(monkeypatch):
    rows = "lmkl_core.fitting.streamed.calibration_rows"
    monkeypatch.setattr(rows, lambda takes, *_: np.arange(20))
    model = make(n_inducing=12, block_length=5).fit(VIEWS, groups=TAKES)
    blocks = time_blocks(TAKES[:20], 5)
    kernel = explicit_kernel(model, VIEWS)
    expected = left_out_by_refitting(kernel, model.delta_, blocks)[:20]
    assert np.allclose(model.calibration_.scores, expected, rtol=0, atol=1e-8)
    assert np.isnan(model.calibration_.stress_bpcer)
    assert model.calibration_.stress_interval == (0.0, 1.0)


def grown(**options):
    first, second = rows(VIEWS, slice(40)), rows(VIEWS, slice(40, None))
    model = make(n_inducing=12, **options).fit(first, groups=TAKES[:40])
    return model, first, second


def test_that_extending_equals_streaming_all_rows_with_the_same_basis():
    model, _, second = grown()
    basis, weights = model._fitted.problem.basis, model.kernel_weights_.copy()
    delta = model.delta_
    model.extend(second)
    stack, P = features(model, VIEWS)
    assert np.allclose(model.memberships_, P, rtol=1e-10)
    assert np.array_equal(model.kernel_weights_, weights)
    assert model.delta_ == delta
    assert model._fitted.problem.basis is basis
    kernel = weighted_kernel(weights, stack, P, P)
    dual = np.linalg.solve(kernel + delta * np.eye(60), np.ones(60))
    assert np.allclose(model.score_samples(VIEWS), kernel @ dual, rtol=0, atol=1e-9)
    assert np.allclose(model.dual_coef_[40:], dual[40:], rtol=1e-8)


def test_that_the_gap_after_extending_is_a_certificate_and_refining_closes_it():
    model, _, _ = grown(p=4 / 3, q=2.0)
    unlike = {name: array[:20] + 3.0 for name, array in VIEWS.items()}
    model.extend(unlike)
    stack, P = features(model, joined(rows(VIEWS, slice(40)), unlike))
    problem = GramProblem(stack, P, model.delta_)
    present = problem.evaluate(model.kernel_weights_).objective
    best = min(
        problem.evaluate(weights).objective
        for weights in feasible_weights(np.random.default_rng(0), 300, 6, 4 / 3, 2.0)
    )
    gap = model.gap_
    assert gap >= 1 - best / present
    refined, _, _ = grown(p=4 / 3, q=2.0)
    refined.extend(unlike, refine=True)
    assert refined.gap_ <= 1e-6 < gap
    assert 1 - refined.solution_.objective / present <= gap


def test_that_calibrating_after_extending_includes_the_new_rows():
    model, _, second = grown(block_length=5)
    offset = model.offset_
    model.extend(second, groups=TAKES[40:])
    assert model.offset_ == offset
    model.calibrate()
    takes = np.concatenate([TAKES[:40], TAKES[40:] + TAKES[39] + 1])
    kernel = explicit_kernel(model, VIEWS)
    expected = left_out_by_refitting(kernel, model.delta_, time_blocks(takes, 5))
    assert np.allclose(model.calibration_.scores, expected, rtol=0, atol=1e-8)
    assert model.calibration_.n_scores == 60
