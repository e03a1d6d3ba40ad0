"""The objective and its derivatives, compared with explicit kernels and differences."""

import numpy as np
import pytest
from scipy.linalg import cho_solve

from lmkl_core.solver.problem import GramProblem
from tests.core.problems import Data, feasible_weights, rbf_gram, small_data
from tests.core.recordings import refusal


@pytest.fixture(params=[(0, 1, 1), (1, 1, 3), (2, 3, 2)], ids=lambda s: f"C{s[1]}-G{s[2]}")
def data(request):
    seed, n_clusters, n_views = request.param
    return small_data(seed, n=15, n_clusters=n_clusters, n_views=n_views, delta=0.5)


def some_weights(data, seed=0):
    return np.random.default_rng(seed).exponential(size=data.shape)


def central_difference(function, point, step=1e-5):
    """Derivative of ``function`` by every coordinate of ``point``, along the first axis."""
    directions = step * np.eye(point.size).reshape(-1, *point.shape)
    return np.array([(function(point + d) - function(point - d)) / (2 * step) for d in directions])


def test_that_the_objective_and_dual_coefficients_solve_the_regularised_system(data):
    problem, weights = data.problem(), some_weights(data)
    evaluation = problem.evaluate(weights)
    dual = problem.dual_coef(evaluation)
    matrix = data.delta * np.eye(15) + np.tensordot(
        weights.ravel(), data.explicit_kernels(), axes=1
    )
    np.testing.assert_allclose(matrix @ dual, 1, atol=1e-12)
    assert evaluation.objective == pytest.approx(data.objective(weights), rel=1e-12)
    assert evaluation.objective == pytest.approx(dual.sum(), rel=1e-12)
    lower = problem.cholesky(evaluation)
    np.testing.assert_allclose(lower @ lower.T, matrix, atol=1e-12)
    np.testing.assert_allclose(cho_solve((lower, True), np.ones(15)), dual, atol=1e-12)


def test_that_sensitivity_is_minus_the_gradient(data):
    weights = some_weights(data)
    gradient = central_difference(data.objective, weights)
    sensitivity = data.problem().evaluate(weights).sensitivity
    np.testing.assert_allclose(-sensitivity.ravel(), gradient, rtol=1e-6, atol=1e-8)


def test_that_the_hessian_is_the_derivative_of_the_gradient_and_costs_no_solve(data):
    problem, weights = data.problem(), some_weights(data)
    before = data.grams.copy(), data.memberships.copy(), weights.copy()
    expected = central_difference(lambda w: -problem.evaluate(w).sensitivity.ravel(), weights)
    n_solves = problem.n_solves
    hessian = problem.evaluate(weights).hessian
    np.testing.assert_allclose(hessian, expected, rtol=1e-6, atol=1e-8)
    assert problem.n_solves == n_solves + 1
    for now, then in zip((data.grams, data.memberships, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_that_the_cut_at_any_point_is_below_the_objective_everywhere(data):
    problem = data.problem()
    points = feasible_weights(np.random.default_rng(1), 40, data.shape[0] * data.shape[1], 2, 2)
    objectives = np.array([data.objective(point) for point in points])
    for seed in range(5):
        evaluation = problem.evaluate(some_weights(data, seed))
        cuts = evaluation.cut_constant - points @ evaluation.sensitivity.ravel()
        assert np.all(cuts <= objectives * (1 + 1e-12))
        at_itself = evaluation.cut_constant - np.sum(evaluation.weights * evaluation.sensitivity)
        assert at_itself == pytest.approx(evaluation.objective, rel=1e-12)


def test_that_float32_kernels_are_evaluated_in_double_precision():
    # Large enough for several blocks of the conversion.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    single = np.array([rbf_gram(X, width) for width in (0.5, 2.0)], dtype=np.float32)
    memberships = rng.dirichlet([1, 1], size=600)
    weights = np.array([[0.3, 0.7], [1.1, 0.2]])
    kept = GramProblem(single, memberships, 3.0)
    double = GramProblem(single.astype(np.float64), memberships, 3.0)
    one, two = kept.evaluate(weights), double.evaluate(weights)
    assert kept.grams.dtype == np.float32
    assert one.objective == pytest.approx(two.objective, rel=1e-13)
    np.testing.assert_allclose(one.sensitivity, two.sensitivity, rtol=1e-11)
    np.testing.assert_allclose(one.hessian, two.hessian, rtol=1e-9)


def test_that_an_indefinite_kernel_is_refused():
    data = Data(-np.eye(3)[None], np.ones((3, 1)), delta=0.5)
    assert "delta" in refusal(data.problem().evaluate, np.ones((1, 1)))
