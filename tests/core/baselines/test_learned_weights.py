"""SVDD and one-class SVM with fixed and learned weights, compared with cvxpy."""

import cvxpy as cp
import numpy as np
import pytest

from lmkl_core import Cancelled, ConvergenceWarning
from lmkl_core.baselines.simplemkl import (
    distance_form,
    gain_left,
    model_minimiser,
    solve,
    solve_one_class,
)
from tests.core.problems import rbf_gram


def cloud(seed, n=24, d=3):
    return np.random.default_rng(seed).normal(size=(n, d)) + 0.7


def linear_gram(X):
    return X @ X.T


def mixed_kernels(seed=0, n=24):
    """Kernels of different rank and diagonal, each of mean diagonal one."""
    grams = [
        rbf_gram(cloud(seed, n), 0.8),
        rbf_gram(cloud(seed + 1, n, 5), 2.0),
        linear_gram(cloud(seed + 2, n, 6)),
        (1 + linear_gram(cloud(seed + 3, n))) ** 2,
    ]
    return np.array([gram / np.mean(np.diag(gram)) for gram in grams])


def root_of(gram):
    """``R`` with ``R R' = gram``, for sums of squares in cvxpy."""
    values, vectors = np.linalg.eigh(gram)
    return vectors * np.sqrt(np.maximum(values, 0))


def capped_simplex(n, nu):
    alpha = cp.Variable(n, nonneg=True)
    return alpha, [cp.sum(alpha) == 1, alpha <= 1 / (nu * n)]


def term(gram, alpha, kind):
    """The textbook objective of one kernel."""
    squares = cp.sum_squares(root_of(gram).T @ alpha)
    return np.diag(gram) @ alpha - squares if kind == "svdd" else -squares


def best_by_cvxpy(grams, nu, kind):
    """``max_alpha min_g s_g(alpha)``, the dual of the search for weights."""
    alpha, limits = capped_simplex(len(grams[0]), nu)
    level = cp.Variable()
    limits += [level <= term(gram, alpha, kind) for gram in grams]
    cp.Problem(cp.Maximize(level), limits).solve(solver=cp.CLARABEL)
    weights = np.array([np.sum(limit.dual_value) for limit in limits[2:]])
    return np.sum(level.value), weights / weights.sum()


def stack_of(grams, kind):
    return np.array([distance_form(gram) if kind == "svdd" else gram for gram in grams])


@pytest.mark.parametrize("nu", [0.02, 0.15, 0.5, 1.0])
def test_that_svdd_finds_the_smallest_soft_ball(nu):
    X = cloud(3)
    n = len(X)
    centre, radius, slack = cp.Variable(3), cp.Variable(), cp.Variable(n, nonneg=True)
    outside = [cp.sum_squares(x - centre) <= radius + s for x, s in zip(X, slack, strict=True)]
    size = radius + cp.sum(slack) / (nu * n)
    cp.Problem(cp.Minimize(size), outside).solve(solver=cp.CLARABEL)
    gram = linear_gram(X)
    alpha = solve_one_class(distance_form(gram), nu)
    assert alpha @ np.diag(gram) - alpha @ gram @ alpha == pytest.approx(size.value, abs=1e-6)
    assert np.allclose(alpha @ X, centre.value, atol=1e-3)
    assert gain_left(alpha, distance_form(gram) @ alpha, nu) <= 1e-6


def test_that_the_possible_gain_is_the_steepest_feasible_slope():
    slopes = np.array([3.0, -1.0, 2.0, 0.5])
    alpha = np.full(4, 0.25)
    # With caps of one half, everything goes to the two lowest slopes.
    assert gain_left(alpha, slopes, nu=0.5) == pytest.approx(2 * (1.125 - 0.5 * (-1.0 + 0.5)))
    assert gain_left(alpha, slopes, nu=1.0) == pytest.approx(0.0)
    assert gain_left(alpha, slopes, nu=0.01) == pytest.approx(2 * (1.125 + 1.0))


@pytest.mark.parametrize("kind", ["svdd", "ocsvm"])
@pytest.mark.parametrize("nu", [0.02, 0.15, 0.5])
def test_that_learned_weights_reach_the_optimum_of_cvxpy(kind, nu):
    for seed in range(3):
        grams = mixed_kernels(seed)
        optimum, weights = best_by_cvxpy(grams, nu, kind)
        solution = solve(stack_of(grams, kind), nu=nu)
        assert solution.stop_reason == "certified"
        assert solution.gap <= 1e-6
        assert solution.lower_bound <= optimum + 1e-6
        assert solution.objective == pytest.approx(optimum, abs=2e-6)
        assert np.allclose(solution.weights[0], weights, atol=1e-2)


@pytest.mark.parametrize("kind", ["svdd", "ocsvm"])
def test_that_the_gap_after_one_step_is_valid(kind):
    grams = mixed_kernels(1)
    optimum, _ = best_by_cvxpy(grams, 0.2, kind)
    with pytest.warns(ConvergenceWarning, match="iteration cap"):
        solution = solve(stack_of(grams, kind), nu=0.2, max_iter=1)
    assert solution.gap > 1e-6
    assert solution.lower_bound - 1e-9 <= optimum <= solution.objective + 1e-9
    assert np.allclose(solution.weights, 0.25)


def test_that_an_objective_of_zero_is_certified():
    rng = np.random.default_rng(0)
    grams = []
    for columns in (2, 3):  # centred at the origin, so there is no margin
        X = rng.normal(size=(30, columns))
        X -= X.mean(axis=0)
        grams.append(linear_gram(X) / np.mean(np.sum(X**2, axis=1)))
    # Rounding in libsvm's single precision leaves a gap of about 1e-6.
    solution = solve(np.array(grams), nu=0.8, tol=1e-5)
    assert solution.stop_reason == "certified"
    assert abs(solution.objective) < 1e-6


def test_that_a_tolerance_below_rounding_ends_with_a_warning():
    with pytest.warns(ConvergenceWarning, match="stalled"):
        solution = solve(stack_of(mixed_kernels(2), "svdd"), nu=0.1, tol=1e-15)
    assert solution.n_iter == len(solution.gap_history) < 100
    assert 1e-15 < solution.gap < 1e-6
    assert np.all(np.diff(solution.gap_history) <= 1e-15)
    assert np.all(np.diff(solution.objective_history) <= 0)


def test_that_the_minimiser_of_the_model_equals_cvxpys():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        factor = rng.normal(size=(6, 2 + seed))
        second, gradient = factor @ factor.T, rng.normal(size=6)
        weights = rng.dirichlet(np.ones(6))
        point = cp.Variable(6, nonneg=True)
        bend = cp.sum_squares(factor.T @ (point - weights)) / 2
        problem = cp.Problem(cp.Minimize(gradient @ point + bend), [cp.sum(point) == 1])
        optimum = problem.solve(solver=cp.CLARABEL)
        found = model_minimiser(weights, gradient, second)
        move = found - weights
        assert found.sum() == pytest.approx(1.0)
        assert found.min() >= 0
        assert gradient @ found + move @ second @ move / 2 == pytest.approx(optimum, abs=1e-6)


def test_that_the_search_can_be_cancelled():
    answers = iter([False, True])
    with pytest.raises(Cancelled):
        solve(mixed_kernels(), nu=0.2, cancel=lambda: next(answers))
