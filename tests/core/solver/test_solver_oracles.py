"""The certified solver compared with independent solvers.

Convex pairs: cvxpy on the matrix-fractional form. Any pair: cvxpy on the convex slices
``|m|_p <= t, |m|_q <= 1/t``, scanned over ``t``. Non-convex pairs in two and three weights: a
dense grid over the boundary. One kernel and one cluster: scikit-learn's KernelRidge.
"""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.kernel_ridge import KernelRidge

from lmkl_core.solver.constraints import constraint_is_convex
from lmkl_core.solver.solve import solve
from tests.core.problems import (
    Data,
    feasible_weights,
    mixed_widths,
    onto_boundary,
    rbf_gram,
    small_data,
)

pytestmark = pytest.mark.filterwarnings("ignore:pnorm with p=:UserWarning")


class MatrixFraction:
    """``min 1^T (delta I + sum mu K)^-1 1`` with ``|m|_p <= t_i``, ``|m|_q <= 1/t_i`` per group."""

    def __init__(self, data, p, q, n_groups):
        n, kernels = len(data.memberships), data.explicit_kernels()
        self.weights = cp.Variable(len(kernels), nonneg=True)
        matrix = data.delta * np.eye(n) + sum(
            self.weights[i] * kernel for i, kernel in enumerate(kernels)
        )
        self.t = cp.Parameter(n_groups, pos=True, value=np.ones(n_groups))
        self.inverse_t = cp.Parameter(n_groups, pos=True, value=np.ones(n_groups))
        groups = np.arange(len(kernels)).reshape(n_groups, -1)
        limits = []
        for i, group in enumerate(groups):
            limits.append(cp.pnorm(self.weights[group], p) <= self.t[i])
            if q != p:
                limits.append(cp.pnorm(self.weights[group], q) <= self.inverse_t[i])
        self.problem = cp.Problem(cp.Minimize(cp.matrix_frac(np.ones(n), matrix)), limits)
        self.data, self.p, self.q, self.n_groups = data, p, q, n_groups

    def minimum(self, log_t=0.0):
        """Optimal value for given slices, as cvxpy reports it."""
        self.t.value = np.exp(np.full(self.n_groups, log_t))
        self.inverse_t.value = np.exp(-np.full(self.n_groups, log_t))
        loose = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-7)
        return self.problem.solve(solver=cp.CLARABEL, **loose)

    def attained(self):
        """Objective at the last solution, moved onto the boundary to be feasible."""
        groups = np.maximum(self.weights.value, 0).reshape(self.n_groups, -1)
        return self.data.objective(onto_boundary(groups, self.p, self.q))


def assert_agreement(solution, optimum, attained):
    assert solution.gap <= 1e-6
    assert solution.objective == pytest.approx(optimum, rel=1e-5)
    assert solution.objective <= attained * (1 + 1e-6)
    assert solution.lower_bound <= attained * (1 + 1e-10)


@pytest.mark.parametrize(
    ("family", "n_clusters", "n_views"),
    [
        ("joint-vector", 2, 3),
        ("joint-matrix", 3, 2),
        ("disjoint-vector", 2, 3),
        ("disjoint-matrix", 3, 2),
    ],
)
def test_that_equal_exponents_reach_the_optimum_of_cvxpy(family, n_clusters, n_views):
    for p, delta in [(32 / 31, 1.0), (4 / 3, 1e-3), (4 / 3, 100.0), (2, 1.0), (4, 1.0), (10, 1.0)]:
        data = small_data(n_clusters, 20, n_clusters, n_views, delta)
        constraint = data.constraint(family, p)
        oracle = MatrixFraction(data, p, p, constraint.n_groups)
        optimum = oracle.minimum()
        assert_agreement(solve(data.problem(), constraint), optimum, oracle.attained())


@pytest.mark.parametrize(
    ("p", "q", "n_views", "delta"),
    [
        (4 / 3, 2, 3, 1.0),  # convex
        (4, 2, 3, 0.1),  # convex, the larger exponent first
        (32 / 31, 10, 6, 0.06),  # not convex
        (8 / 7, 8, 6, 0.06),  # not convex
        (8, 8 / 7, 6, 20.0),  # not convex
    ],
)
def test_that_different_exponents_reach_the_best_of_all_convex_slices(p, q, n_views, delta):
    if n_views == 3:
        data = small_data(6, 20, 1, n_views, delta)
    else:
        wide = mixed_widths(1, n=14, n_clusters=1)
        data = Data(wide.grams[::2], wide.memberships, delta)
    oracle = MatrixFraction(data, p, q, 1)
    # t^2 = |m|_p / |m|_q runs from one weight alone to all equal.
    end = 0.5 * (1 / p - 1 / q) * np.log(n_views)
    grid = np.linspace(0, end, 9)
    values = [oracle.minimum(log_t) for log_t in grid]
    around = int(np.argmin(values))
    bracket = sorted([grid[max(around - 1, 0)], grid[min(around + 1, 8)]])
    refined = minimize_scalar(
        oracle.minimum, bounds=bracket, method="bounded", options={"xatol": 1e-4}
    )
    optimum = min(refined.fun, values[around])
    oracle.minimum(refined.x if refined.fun <= values[around] else grid[around])
    solution = solve(data.problem(), data.constraint("joint-matrix", p, q))
    assert constraint_is_convex(p, q, n_views) is (n_views == 3)
    assert_agreement(solution, optimum, oracle.attained())


def local_minima(values):
    """Count local minima on a grid of one or two dimensions."""
    padded = np.pad(values, 1, constant_values=np.inf)
    shifts = [s for s in np.ndindex(*(3,) * values.ndim) if s != (1,) * values.ndim]
    neighbours = [
        padded[tuple(slice(i, i + n) for i, n in zip(shift, values.shape, strict=True))]
        for shift in shifts
    ]
    return int(np.sum(np.all([values < other for other in neighbours], axis=0)))


def boundary_grid(dimension, points, reach, p, q):
    """Points of norm one over all log-ratios of weights within ``reach``."""
    axes = np.meshgrid(*[np.linspace(-reach, reach, points)] * (dimension - 1), indexing="ij")
    x = np.stack([np.zeros_like(axes[0]), *axes], axis=-1)
    return onto_boundary(np.exp(x - x.max(axis=-1, keepdims=True)), p, q)


def objectives(data, points):
    """Objective at many points at once."""
    n = len(data.memberships)
    matrices = data.delta * np.eye(n) + np.tensordot(points, data.explicit_kernels(), axes=1)
    return np.linalg.solve(matrices, np.ones((n, 1)))[..., 0].sum(axis=-1)


def competing_blocks(strengths, delta):
    """One sample and one kernel of rank one per weight."""
    size = len(strengths)
    grams = np.array([s * np.outer(e, e) for s, e in zip(strengths, np.eye(size), strict=True)])
    return Data(grams, np.ones((size, 1)), delta)


def one_sample_clusters(strengths, delta):
    """One kernel and one cluster per sample: weights compete across clusters."""
    gram = np.sqrt(np.outer(strengths, strengths))
    return Data(gram[None], np.eye(len(strengths)), delta)


@pytest.mark.parametrize("make", [competing_blocks, one_sample_clusters])
def test_that_no_point_of_the_boundary_beats_the_solver(make):
    for p, q, strengths, delta, least_minima in [
        (32 / 31, 10, [2.5, 1.0], 50.0, 2),
        (32 / 31, 10, [2.55, 1.0], 50.0, 2),
        (10, 32 / 31, [2.6, 1.0], 50.0, 2),
        (16 / 15, 10, [2.7, 1.0], 50.0, 2),
        (8 / 7, 8, [2.5, 1.0], 5.0, 1),
        (32 / 31, 10, [2.6, 1.0, 1.0], 50.0, 2),
        (32 / 31, 10, [3.2, 1.2, 1.0], 50.0, 2),
        (8 / 7, 8, [3.4, 1.0, 1.0], 50.0, 2),
        (8, 8 / 7, [3.45, 1.05, 1.0], 50.0, 2),
    ]:
        data = make(strengths, delta)
        size = len(strengths)
        assert constraint_is_convex(p, q, size) is False
        points = boundary_grid(size, 20_001 if size == 2 else 401, 16 if size == 2 else 10, p, q)
        values = objectives(data, points)
        assert local_minima(values) >= least_minima
        lowest = values.min()
        solution = solve(data.problem(), data.constraint("joint-matrix", p, q))
        assert solution.gap <= 1e-6
        assert solution.objective <= lowest * (1 + 1e-6)
        assert solution.lower_bound <= lowest
        assert solution.objective == pytest.approx(lowest, rel=1e-4)  # the grid is this fine


@pytest.mark.parametrize("family", ["joint-matrix", "disjoint-matrix"])
def test_that_no_random_feasible_weights_beat_the_proven_bound(family):
    for p, q in [(32 / 31, 10), (8 / 7, 8), (1, 2), (1, 1), (4, 4)]:
        data = small_data(7, n=8, n_clusters=2, n_views=2, delta=0.2)
        constraint = data.constraint(family, p, q)
        solution = solve(data.problem(), constraint)
        rng = np.random.default_rng(0)
        groups = [
            feasible_weights(rng, 20_000, constraint.group_size, p, q)
            for _ in range(constraint.n_groups)
        ]
        points = np.concatenate([rng.permutation(group) for group in groups], axis=1)
        lowest = objectives(data, points).min()
        # With p = q = 1 the optimum is among the points, up to rounding.
        assert solution.lower_bound <= lowest * (1 + 1e-12)
        assert solution.objective <= lowest * (1 + 1e-6)
        assert lowest <= solution.objective * 1.05  # the points come close


def test_that_one_kernel_and_one_cluster_are_kernel_ridge_on_ones():
    for family in ["joint-matrix", "disjoint-vector"]:
        for delta in [0.01, 1.0, 300.0]:
            X = np.random.default_rng(8).normal(size=(30, 3))
            gram = rbf_gram(X, 1.0)
            data = Data(gram[None], np.ones((30, 1)), delta)
            solution = solve(data.problem(), data.constraint(family, 4 / 3, 8))
            ridge = KernelRidge(alpha=delta, kernel="precomputed").fit(gram, np.ones(30))
            np.testing.assert_allclose(solution.weights, 1, rtol=1e-12)
            np.testing.assert_allclose(solution.dual_coef, ridge.dual_coef_, rtol=1e-8)
            assert solution.objective == pytest.approx(ridge.dual_coef_.sum(), rel=1e-10)
            assert solution.gap <= 1e-9
