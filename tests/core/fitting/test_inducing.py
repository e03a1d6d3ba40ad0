"""The problem on inducing points, compared with the exact one on low-rank kernels."""

from types import SimpleNamespace

import numpy as np
import pytest

from lmkl_core.fitting.inducing import InducingProblem, build_basis
from lmkl_core.kernels import fit_kernels
from lmkl_core.solver.problem import GramProblem
from lmkl_core.validation import as_views
from tests.core.recordings import kernel_stack, make, recording

VIEWS = recording(n=40)
NEW = recording(1, n=9)
DELTA = 0.05 * 40


def basis_for(views=VIEWS, n_inducing=9, n_clusters=2, seed=0, kernel="rbf"):
    views = as_views(views)
    model = make(n_clusters=n_clusters, temperature=0.2, random_state=seed)
    kernels = fit_kernels(views, kernel)
    return build_basis(views, kernels, n_inducing, model.settings(views.names))


@pytest.fixture(params=[(5, 1), (9, 2), (30, 3)], ids=lambda s: f"M{s[0]}-C{s[1]}")
def streamed(request):
    problem = InducingProblem(
        basis_for(n_inducing=request.param[0], n_clusters=request.param[1]), DELTA
    )
    memberships = problem.stream(as_views(VIEWS))
    return problem, memberships


def low_rank(problem, views=VIEWS):
    """``Phi_g Phi_g^T`` of every view, from plain kernels and a pseudo-inverse."""
    basis = problem.basis
    names = basis.landmarks.names
    landmarks = dict(zip(names, basis.landmarks.arrays, strict=True))
    model = SimpleNamespace(view_names_=names, kernels_=basis.kernels.kernels)
    inner, cross = kernel_stack(model, landmarks, landmarks), kernel_stack(model, views, landmarks)
    return np.array(
        [
            c @ np.linalg.pinv(i, rcond=1e-9, hermitian=True) @ c.T
            for i, c in zip(inner, cross, strict=True)
        ]
    )


def some_weights(problem, seed=0):
    shape = (problem.n_clusters, problem.n_views)
    return np.random.default_rng(seed).exponential(size=shape) / np.prod(shape)


def test_that_the_problem_equals_the_exact_one_on_low_rank_kernels(streamed):
    problem, memberships = streamed
    explicit = GramProblem(low_rank(problem), memberships, DELTA)
    for seed in range(3):
        weights = some_weights(problem, seed)
        weights[0, 0] *= seed != 2  # also with a weight of zero
        here, there = problem.evaluate(weights), explicit.evaluate(weights)
        assert here.objective == pytest.approx(there.objective, rel=1e-9)
        assert np.allclose(here.sensitivity, there.sensitivity, rtol=1e-7)
        assert np.allclose(here.hessian, there.hessian, rtol=1e-6, atol=1e-9 * there.hessian.max())
        dual = problem.stream_dual_coef(here, as_views(VIEWS))
        assert np.allclose(dual, explicit.dual_coef(there), rtol=1e-8)
    assert problem.evaluate(0 * weights).objective == pytest.approx(40 / DELTA)


@pytest.mark.parametrize("chunk", [1, 7, 40])
def test_that_results_do_not_depend_on_the_chunk_size(monkeypatch, streamed, chunk):
    problem, memberships = streamed
    monkeypatch.setattr("lmkl_core.fitting.inducing.CHUNK_ROWS", chunk)
    other = InducingProblem(problem.basis, DELTA)
    assert np.allclose(other.stream(as_views(VIEWS)), memberships, rtol=1e-10)
    assert other.n_samples == problem.n_samples == 40
    lower = np.tril_indices(problem.rank)
    moments, expected = other.second_moments[lower], problem.second_moments[lower]
    assert np.allclose(moments, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    weights = some_weights(problem)
    here, there = other.evaluate(weights), problem.evaluate(weights)
    assert here.objective == pytest.approx(there.objective, rel=1e-9)
    dual = other.stream_dual_coef(here, as_views(VIEWS))
    assert np.allclose(dual, problem.stream_dual_coef(there, as_views(VIEWS)), rtol=1e-7)


def test_that_extending_a_copy_does_not_change_the_original(streamed):
    problem, _ = streamed
    before = problem.evaluate(some_weights(problem)).objective
    twin = problem.copy()
    twin.stream(as_views(NEW))
    assert problem.n_samples == 40
    assert twin.n_samples == 49
    assert problem.evaluate(some_weights(problem)).objective == before
    assert twin.evaluate(some_weights(problem)).objective != before


def test_that_landmarks_are_distinct_training_rows_up_to_the_requested_number():
    for count in (1, 6, 40, 200):
        landmarks = basis_for(n_inducing=count).landmarks
        rows = np.concatenate(landmarks.arrays, axis=1)
        training = np.concatenate(list(VIEWS.values()), axis=1)
        assert len(np.unique(rows, axis=0)) == len(rows) <= min(count, 40)
        assert all(np.any(np.all(row == training, axis=1)) for row in rows)
    assert len(rows) == 40
    copies = np.concatenate([np.zeros((50, 2)), np.eye(2)])
    assert basis_for([copies], 20, 1).landmarks.n_samples == 3


def test_that_landmarks_cover_small_groups_of_rows():
    rng = np.random.default_rng(0)
    crowd, outliers = rng.normal(size=(200, 3)) * 1e-3, rng.normal(size=(3, 3)) * 1e-3 + 5
    for seed in range(5):
        basis = basis_for([np.concatenate([crowd, outliers])], 3, 1, seed)
        assert np.any(basis.landmarks.arrays[0] > 2)


def test_that_the_rank_stays_within_its_cap(monkeypatch):
    monkeypatch.setattr("lmkl_core.fitting.inducing.LARGEST_RANK", 60)
    problem = InducingProblem(basis_for(n_inducing=40, n_clusters=2), DELTA)
    assert problem.rank <= 60
    assert problem.basis.ranks.max() == 10


def test_that_all_rows_as_inducing_points_give_the_exact_model():
    exact = make(n_clusters=1, n_inducing=None).fit(VIEWS)
    inducing = make(n_clusters=1, n_inducing=40).fit(VIEWS)
    assert inducing._fitted.problem.basis.landmarks.n_samples == 40
    assert np.allclose(inducing.score_samples(NEW), exact.score_samples(NEW), rtol=0, atol=1e-6)
    assert np.allclose(inducing.kernel_weights_, exact.kernel_weights_, atol=1e-4)
    assert np.allclose(inducing.dual_coef_, exact.dual_coef_, rtol=1e-4)
    assert inducing.offset_ == pytest.approx(exact.offset_, abs=1e-5)
    exact, inducing = (make(n_clusters=3, n_inducing=m).fit(VIEWS) for m in (None, 40))
    assert np.allclose(inducing.score_samples(NEW), exact.score_samples(NEW), rtol=0, atol=1e-3)
