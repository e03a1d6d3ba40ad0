"""Newton's method on the logarithms, compared with finite differences."""

import numpy as np
import pytest

from lmkl_core.solver.newton import SMALLEST_LOG_WEIGHT, Geometry, descend, newton_direction
from tests.core.problems import norm, product_norm, small_data

# Whole sets, and convex slices of non-convex sets.
CASES = {
    "vector": ("joint-vector", 4 / 3, 4 / 3, None),
    "vector, large p": ("joint-vector", 10, 10, None),
    "matrix": ("joint-matrix", 4 / 3, 4, None),
    "matrix, swapped": ("joint-matrix", 4, 4 / 3, None),
    "disjoint vector": ("disjoint-vector", 2, 2, None),
    "disjoint matrix": ("disjoint-matrix", 1.2, 6, None),
    "slice": ("joint-matrix", 8 / 7, 8, [0.7]),
    "slice, swapped": ("joint-matrix", 8, 8 / 7, [-0.7]),
    "slices of groups": ("disjoint-matrix", 8 / 7, 8, [0.3, 0.6]),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request):
    """Return data and geometry."""
    family, p, q, slices = request.param
    data = small_data(3, n=12, n_clusters=2, n_views=3, delta=1.0)
    constraint = data.constraint(family, p, q)
    return data, Geometry(constraint, None if slices is None else np.array(slices))


def slice_norm(weights, geometry):
    """``(|m|_p / t + t |m|_q) / 2`` with ``t^2 = e^s``, or ``sqrt(|m|_p |m|_q)``."""
    p, q = geometry.constraint.p, geometry.constraint.q
    if geometry.is_whole:
        return np.sqrt(product_norm(weights, p, q))
    t = np.exp(geometry.log_slices / 2)
    return (norm(weights, p) / t + t * norm(weights, q)) / 2


def composite(data, geometry):
    """Return ``x -> phi(e^x / norm(e^x))`` on flat ``x``, from plain sums of powers."""
    constraint = geometry.constraint

    def value(x):
        weights = np.exp(x.reshape(constraint.n_groups, -1))
        return data.objective(weights / slice_norm(weights, geometry)[:, None])

    return value


def gradient_of(function, x, step=1e-5):
    return np.array(
        [(function(x + e) - function(x - e)) / (2 * step) for e in step * np.eye(x.size)]
    )


def second_derivative_of(function, x, step=2e-3):
    """Central differences of fourth order: good to about 1e-9 relative here."""
    eye = step * np.eye(x.size)

    def slope(point, e):
        return (
            8 * (function(point + e) - function(point - e))
            - (function(point + 2 * e) - function(point - 2 * e))
        ) / (12 * step)

    def row(e):
        parts = [(8, e), (-8, -e), (-1, 2 * e), (1, -2 * e)]
        return [sum(c * slope(x + d, f) for c, d in parts) / (12 * step) for f in eye]

    return np.array([row(e) for e in eye])


def minimiser(data, geometry, steps=40):
    """Descend until no step lowers the objective."""
    problem, constraint = data.problem(), geometry.constraint
    x = geometry.normalise(np.zeros((constraint.n_groups, constraint.group_size)))
    evaluation = problem.evaluate(np.exp(x))
    for _ in range(steps):
        step = descend(problem, geometry, x, evaluation)
        if step is None:
            return x
        x, evaluation = step
    raise AssertionError("Newton's method did not converge")


def off_gauge(x, geometry):
    """Subtract the mean of every group, which scaling makes irrelevant."""
    groups = x.reshape(geometry.constraint.n_groups, -1)
    return (groups - groups.mean(axis=1, keepdims=True)).ravel()


def test_that_normalised_weights_have_norm_one(case):
    _, geometry = case
    rng = np.random.default_rng(0)
    shape = geometry.constraint.n_groups, geometry.constraint.group_size
    for spread in (0.1, 3, 50):
        weights = np.exp(geometry.normalise(spread * rng.normal(size=shape)))
        np.testing.assert_allclose(slice_norm(weights, geometry), 1, rtol=1e-12)


def test_that_the_predicted_decrease_is_the_slope_along_the_step(case):
    data, geometry = case
    rng = np.random.default_rng(2)
    constraint = geometry.constraint
    for _ in range(3):
        x = geometry.normalise(rng.normal(size=(constraint.n_groups, constraint.group_size)))
        step, predicted = newton_direction(geometry, x, data.problem().evaluate(np.exp(x)))
        slope = gradient_of(composite(data, geometry), x.ravel()) @ step.ravel()
        assert predicted > 0
        assert -slope == pytest.approx(predicted, rel=1e-6)


def test_that_the_gradient_vanishes_at_convergence(case):
    data, geometry = case
    x = minimiser(data, geometry)
    value = composite(data, geometry)
    gradient = gradient_of(value, x.ravel())
    np.testing.assert_allclose(gradient, 0, atol=1e-8 * value(x.ravel()))


def test_that_the_step_near_a_minimum_equals_newtons_step_by_finite_differences(case):
    data, geometry = case
    value = composite(data, geometry)
    best = minimiser(data, geometry)
    second = second_derivative_of(value, best.ravel())
    assert np.linalg.eigvalsh(second).min() > -1e-9 * np.abs(second).max()
    directions = np.random.default_rng(4).normal(size=(4, best.size))
    for direction in [*np.eye(best.size), *directions]:
        away = 1e-4 * off_gauge(direction, geometry)
        x = geometry.normalise(best + away.reshape(best.shape))
        step, _ = newton_direction(geometry, x, data.problem().evaluate(np.exp(x)))
        gradient = gradient_of(value, x.ravel())
        expected = -np.linalg.lstsq(second, gradient, rcond=1e-7)[0]
        error = off_gauge(step.ravel(), geometry) - off_gauge(expected, geometry)
        # The second derivative changes in proportion to the distance.
        assert np.linalg.norm(error) <= 3e-3 * np.linalg.norm(away)


@pytest.mark.parametrize(("p", "q"), [(4 / 3, 4 / 3), (4 / 3, 4), (2, 2), (10, 10)])
def test_that_a_vanished_weight_grows_again(p, q):
    data = small_data(3, n=12, n_clusters=2, n_views=3, delta=1.0)
    geometry = Geometry(data.constraint("joint-matrix", p, q))
    best = minimiser(data, geometry)
    problem = data.problem()
    for lost in range(best.size):
        x = best.copy()
        x[0, lost] = SMALLEST_LOG_WEIGHT
        x = geometry.normalise(x)
        evaluation = problem.evaluate(np.exp(x))
        for _ in range(30):
            step = descend(problem, geometry, x, evaluation)
            if step is None:
                break
            x, evaluation = step
        assert evaluation.objective == pytest.approx(data.objective(np.exp(best)), rel=1e-10)
