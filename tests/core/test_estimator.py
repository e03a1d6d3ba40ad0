"""The estimator: input forms, attributes, decisions, reproducibility."""

import doctest
import hashlib
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from lmkl_core import register_kernel
from lmkl_core.kernels import KERNELS
from tests.core.recordings import kernel_stack, make, recording, weighted_kernel, width_rule

ROOT = Path(__file__).parents[2]
VIEWS = recording()
NEW = recording(1, n=12)


def test_that_one_array_a_mapping_or_a_list_of_one_view_are_the_same():
    X, Y = VIEWS["eyes"], NEW["eyes"]
    models = [make().fit(X), make().fit({"eyes": X}), make().fit([X]), make().fit([("eyes", X)])]
    for model in models:
        assert np.array_equal(model.dual_coef_, models[0].dual_coef_)
        assert np.array_equal(model.score_samples(Y), models[0].score_samples(Y))
        assert model.n_features_in_ == 4


@pytest.mark.parametrize("n_inducing", [None, 12])
def test_that_float32_stays_float32_and_scores_like_float64(n_inducing):
    half = {name: array.astype(np.float32) for name, array in VIEWS.items()}
    small = make(n_inducing=n_inducing).fit(half)
    large = make(n_inducing=n_inducing).fit({k: v.astype(float) for k, v in half.items()})
    assert {array.dtype for array in small.support_views().values()} == {np.dtype(np.float32)}
    scores = large.score_samples(NEW)
    assert np.allclose(small.score_samples(NEW), scores, rtol=0, atol=1e-5)
    assert small.offset_ == pytest.approx(large.offset_, abs=1e-5)
    assert small.gap_ <= 1e-6


@pytest.mark.parametrize("n_inducing", [None, 12])
@pytest.mark.parametrize("n_clusters", [1, 3])
def test_that_attributes_have_the_documented_shapes(n_inducing, n_clusters):
    model = make(n_clusters=n_clusters, n_inducing=n_inducing).fit(VIEWS)
    assert model.kernel_weights_.shape == (n_clusters, 3)
    assert model.dual_coef_.shape == (36,)
    assert model.memberships_.shape == (36, n_clusters)
    assert np.array_equal(model.labels_, np.argmax(model.memberships_, axis=1))
    assert model.n_clusters_ == n_clusters
    assert model.delta_ == pytest.approx(0.1 * 36)
    assert 0 <= model.gap_ <= 1e-6
    assert model.gap_history_[-1] == model.gap_
    assert len(model.gap_history_) == len(model.objective_history_) == model.n_iter_
    assert np.all(np.diff(model.gap_history_) <= 0)
    assert isinstance(model.offset_, float)
    for array in model.support_views().values():
        assert len(array) == (36 if n_inducing is None else 12)
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0


def test_that_dual_coefficients_and_widths_follow_the_paper():
    model = make(n_clusters=3).fit(VIEWS)
    for name, kernel in zip(model.view_names_, model.kernels_, strict=True):
        assert kernel.width == pytest.approx(width_rule(VIEWS[name]), rel=1e-12)
    kernels = kernel_stack(model, VIEWS, VIEWS)
    P = model.memberships_
    matrix = weighted_kernel(model.kernel_weights_, kernels, P, P) + 0.1 * 36 * np.eye(36)
    expected = np.linalg.solve(matrix, np.ones(36))
    assert np.allclose(model.dual_coef_, expected, rtol=1e-10)
    assert model.solution_.objective == pytest.approx(expected.sum(), rel=1e-10)


@pytest.mark.parametrize("n_inducing", [None, 12])
def test_that_scores_at_or_above_the_threshold_are_accepted(n_inducing):
    model = make(n_inducing=n_inducing).fit(VIEWS)
    scores = model.score_samples(NEW)
    assert np.array_equal(model.decision_function(NEW), scores - model.offset_)
    assert np.array_equal(model.predict(NEW), np.where(scores >= model.offset_, 1, -1))
    model.offset_ = scores[3]
    assert model.predict(NEW)[3] == 1
    model.offset_ = np.nextafter(scores[3], np.inf)
    assert model.predict(NEW)[3] == -1


@pytest.mark.parametrize("module", ["estimator", "baselines", "metrics", "theory"])
def test_that_the_examples_in_docstrings_are_correct(module):
    assert doctest.testmod(import_module(f"lmkl_core.{module}")).failed == 0


def test_that_views_may_have_different_kernels_even_registered_ones(monkeypatch):
    monkeypatch.setattr("lmkl_core.kernels.KERNELS", dict(KERNELS))
    register_kernel("cauchy", lambda X, Y, *, width: 1 / (1 + squares(X, Y) / width**2))
    kernels = {"eyes": "rbf", "mouth": "cauchy", "skin": "linear"}
    model = make(kernel=kernels, n_clusters=1).fit(VIEWS)
    assert make(kernel=list(kernels.values()), n_clusters=1).fit(VIEWS).offset_ == model.offset_
    stack = kernel_stack(model, NEW, VIEWS)
    stack[1] = 1 / (1 + squares(NEW["mouth"], VIEWS["mouth"]) / width_rule(VIEWS["mouth"]) ** 2)
    stack[2] = NEW["skin"] @ VIEWS["skin"].T
    expected = np.einsum("g,gij,j->i", model.kernel_weights_[0], stack, model.dual_coef_)
    assert np.allclose(model.score_samples(NEW), expected, rtol=1e-9)


def squares(X, Y):
    return np.sum((X[:, None] - Y[None]) ** 2, axis=-1)


def test_that_precomputed_kernels_give_the_same_model_as_their_views():
    model = make(n_clusters=3).fit(VIEWS)
    inner, cross = kernel_stack(model, VIEWS, VIEWS), kernel_stack(model, NEW, VIEWS)
    precomputed = make(n_clusters=3, kernel="precomputed").fit(list(inner))
    assert np.allclose(precomputed.kernel_weights_, model.kernel_weights_, rtol=1e-6)
    assert np.allclose(precomputed.score_samples(list(cross)), model.score_samples(NEW), rtol=1e-6)
    # A large kernel beside another: k(y, y) of new rows counts in their memberships.
    views = [VIEWS["eyes"], 100 * inner[0]]
    mixed = make(kernel=["rbf", "precomputed"]).fit(views)
    assert np.allclose(mixed.memberships(views), mixed.memberships_, atol=1e-9)


def digest(model, new):
    parts = [model.kernel_weights_, model.dual_coef_, model.memberships_, model.gap_history_]
    parts += [model.score_samples(new), np.array([model.offset_, model.gap_])]
    return hashlib.sha256(b"".join(np.ascontiguousarray(p).tobytes() for p in parts)).hexdigest()


KINDS = [{}, {"n_inducing": 12}, {"delta": 0.01, "p": 8.0}, {"constraint": "disjoint-matrix"}]


def digests():
    # The last bits of a product depend on the number of threads.
    with threadpool_limits(1, user_api="blas"):
        return [digest(make(**kind).fit(recording()), recording(1, n=12)) for kind in KINDS]


def test_that_the_same_seed_and_input_give_the_same_bits_in_another_process():
    script = "from tests.core.test_estimator import digests; print(*digests())"
    fresh = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert digests() == digests() == fresh.stdout.split()


def test_that_the_result_does_not_depend_on_the_initial_weights():
    start = np.random.default_rng(0).exponential(size=(2, 3))
    cold, warm = make(tol=1e-10).fit(VIEWS), make(tol=1e-10).fit(VIEWS, init=start)
    assert np.allclose(warm.kernel_weights_, cold.kernel_weights_, rtol=1e-4)
    assert np.isclose(warm.solution_.objective, cold.solution_.objective, rtol=1e-9)
    assert not np.array_equal(warm.objective_history_, cold.objective_history_)
