"""The certified solver on ordinary and on hostile problems."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmkl_core import ConvergenceWarning
from lmkl_core.solver.constraints import FAMILIES
from lmkl_core.solver.solve import solve
from tests.core.problems import (
    PAPER_GRID,
    Data,
    barely_negative,
    mixed_widths,
    product_norm,
    rbf_gram,
    small_data,
    soft_memberships,
)

EXTREME_PAIRS = [(1, 1), (1, 2), (2, 1), (32 / 31, 32 / 31), (4, 4), (200, 200), (2, 200)]

# Strictly convex sets, so that the optimal weights are unique.
convex_pairs = st.sampled_from([(4 / 3, 4 / 3), (2, 2), (4, 4), (10, 10), (4 / 3, 2), (2, 4)])
families = st.sampled_from(FAMILIES)
seeds = st.integers(0, 50)


def assert_valid(data, constraint, solution):
    """Check everything that holds for every solution."""
    allowance = solution.evaluation.rounding
    groups = constraint.split(solution.weights)
    assert solution.weights.shape == data.shape
    assert np.all(solution.weights >= 0)
    assert np.max(product_norm(groups, constraint.p, constraint.q)) <= 1 + 1e-11
    objective = data.objective(solution.weights)
    assert solution.objective == pytest.approx(objective, rel=1e-9 + allowance)
    assert solution.dual_coef.sum() == pytest.approx(objective, rel=1e-9 + allowance)
    assert solution.lower_bound <= solution.objective
    true_gap = (solution.objective - solution.lower_bound) / solution.objective
    assert solution.gap >= true_gap
    assert solution.gap <= max(true_gap, 0) + 2 * allowance
    assert np.all(np.diff(solution.objective_history) <= 0)
    assert np.all(np.diff(solution.gap_history) <= allowance)
    assert solution.objective_history[-1] == solution.objective
    assert solution.gap_history[-1] == solution.gap
    assert len(solution.objective_history) == len(solution.gap_history) == solution.n_iter


def solved(data, family, p, q=None, **options):
    """Solve, and check the solution and its certificate."""
    constraint = data.constraint(family, p, q)
    solution = solve(data.problem(), constraint, **options)
    assert_valid(data, constraint, solution)
    assert solution.gap <= options.get("tol", 1e-6)
    assert solution.stop_reason == "certified"
    assert solution.converged
    return solution


def hostile_sets():
    rng = np.random.default_rng(0)
    n = 24
    X = rng.normal(size=(n, 3))
    base = [rbf_gram(X[:, :2], 1.0), rbf_gram(X[:, 1:], 0.7), X @ X.T]
    soft = soft_memberships(rng, n, 3)
    copies = np.arange(n) // 3
    alone = np.zeros((n, 3))
    alone[0, 0] = alone[1, 1] = 1
    alone[2:, 2] = 1
    empty = np.concatenate([soft, np.zeros((n, 1))], axis=1)
    vectors = rng.normal(size=(5, n))
    return {
        "duplicate rows": ([K[np.ix_(copies, copies)] for K in base], soft[copies]),
        "identical views": ([base[0]] * 4, soft),
        "a kernel of zeros": ([*base, np.zeros((n, n))], soft),
        "only kernels of zeros": ([np.zeros((n, n))] * 2, np.ones((n, 1))),
        "clusters of one sample": (base, alone),
        "a cluster for every sample": ([base[0], base[2]], np.eye(n)[:, :12] + np.eye(n)[:, 12:]),
        "an empty cluster": (base, empty),
        "scales from 1e-8 to 1e3": ([base[g % 3] * 10.0 ** (g - 8) for g in range(12)], soft),
        "all ones and identity": ([np.ones((n, n)), np.eye(n), base[0]], soft),
        "ones alone": ([np.ones((n, n))], np.ones((n, 1))),
        "rank one": ([np.outer(v, v) for v in vectors], soft),
    }


HOSTILE = hostile_sets()
NON_CONVEX_PAIRS = [(32 / 31, 10), (8, 8 / 7), (1, 10)]


@pytest.mark.parametrize("name", HOSTILE)
def test_that_hostile_problems_are_certified(name):
    grams, memberships = HOSTILE[name]
    grams = np.array(grams)
    for family in FAMILIES:
        for delta in (1e-3, 10.0):
            data = Data(grams, memberships, delta * len(memberships))
            for p, q in [(1, 1), (32 / 31, 32 / 31), (8 / 7, 2), (2, 4 / 3), (10, 10)]:
                if family.endswith("matrix") or p == q:
                    solved(data, family, p, q)
    if name in ("duplicate rows", "clusters of one sample", "rank one"):
        for p, q in NON_CONVEX_PAIRS:
            solved(Data(grams, memberships, 0.024), "joint-matrix", p, q)


@pytest.mark.parametrize("family", FAMILIES)
def test_that_extreme_exponents_are_certified(family):
    for pair in EXTREME_PAIRS:
        for delta in (0.02, 20.0):
            solved(small_data(1, delta=delta), family, *pair)


@pytest.mark.parametrize("delta_over_n", [1e-3, 0.1, 10])
def test_that_the_papers_grid_is_certified_with_few_solves(delta_over_n):
    data = small_data(2, n=30, n_clusters=3, n_views=7, delta=30 * delta_over_n)
    pairs = itertools.combinations_with_replacement(PAPER_GRID, 2)
    solutions = [solved(data, "joint-matrix", p, q) for p, q in pairs]
    assert np.median([solution.n_solves for solution in solutions]) <= 10


def test_that_the_gap_is_not_too_small_for_a_barely_negative_kernel():
    for p, q in [(2, 2), (4 / 3, 2), (10, 10)]:
        data = barely_negative()
        solution = solve(data.problem(), data.constraint("joint-matrix", p, q), warn=False)
        better = data.objective([1.0, 0.0])
        assert solution.lower_bound <= better * (1 + 1e-9)
        assert solution.gap >= (solution.objective - better) / solution.objective - 1e-9


@settings(max_examples=10)
@given(families, convex_pairs, seeds, st.floats(-6, 6))
def test_that_scaling_kernels_and_delta_scales_only_the_objective(family, pair, seed, exponent):
    data, factor = small_data(seed, n=12), 10.0**exponent
    scaled = Data(factor * data.grams, data.memberships, factor * data.delta)
    one, two = solved(data, family, *pair, tol=1e-10), solved(scaled, family, *pair, tol=1e-10)
    assert two.objective * factor == pytest.approx(one.objective, rel=1e-9)
    np.testing.assert_allclose(two.weights, one.weights, atol=1e-4)


@settings(max_examples=10)
@given(families, convex_pairs, seeds)
def test_that_the_order_of_samples_views_and_clusters_does_not_matter(family, pair, seed):
    data = small_data(seed, n=12, n_clusters=3, n_views=3)
    rng = np.random.default_rng(seed)
    rows, views, clusters = rng.permutation(12), rng.permutation(3), rng.permutation(3)
    moved = Data(
        data.grams[views][:, rows][:, :, rows], data.memberships[rows][:, clusters], data.delta
    )
    one, two = solved(data, family, *pair, tol=1e-10), solved(moved, family, *pair, tol=1e-10)
    assert two.objective == pytest.approx(one.objective, rel=1e-9)
    np.testing.assert_allclose(two.weights, one.weights[clusters][:, views], atol=1e-4)
    np.testing.assert_allclose(two.dual_coef, one.dual_coef[rows], atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_that_a_refit_from_the_solution_needs_at_most_two_solves(family):
    for p, q in [(32 / 31, 32 / 31), (4 / 3, 4), (10, 10), (8 / 7, 2), (1, 1)]:
        data = small_data(6, n=40, n_clusters=3, n_views=5)
        first = solved(data, family, p, q)
        again = solved(data, family, p, q, init=first.weights)
        assert again.n_solves <= 2
        assert again.objective <= first.objective * (1 + 1e-6)


@pytest.mark.parametrize("start", ["zeros", "one view", "huge"])
def test_that_any_start_ends_at_the_same_certified_optimum(start):
    for p, q in [(1, 1), (4 / 3, 4), (8 / 7, 8), (10, 10)]:
        data = small_data(7)
        weights = {
            "zeros": np.zeros(data.shape),
            "one view": np.eye(*data.shape),
            "huge": 1e8 * np.random.default_rng(0).exponential(size=data.shape),
        }[start]
        one = solved(data, "joint-matrix", p, q)
        two = solved(data, "joint-matrix", p, q, init=weights)
        assert two.objective == pytest.approx(one.objective, rel=2e-6)


@pytest.mark.parametrize(("p", "q"), [(4 / 3, 4 / 3), (32 / 31, 10), (1, 1)])
@pytest.mark.parametrize("steps", [0, 3])
def test_that_cancelling_returns_the_best_point_with_a_valid_bound(p, q, steps):
    data = mixed_widths(1, n_clusters=1)
    constraint = data.constraint("joint-matrix", p, q)
    calls = itertools.count()
    solution = solve(data.problem(), constraint, cancel=lambda: next(calls) >= steps)
    full = solved(data, "joint-matrix", p, q)
    assert_valid(data, constraint, solution)
    assert solution.stop_reason == "cancelled"
    assert not solution.converged
    assert solution.n_solves < full.n_solves
    assert solution.lower_bound <= full.objective * (1 + 1e-12)


def test_that_a_limit_on_steps_warns_and_reports_a_valid_gap():
    data = mixed_widths(0)
    constraint = data.constraint("joint-matrix", 4 / 3)
    with pytest.warns(ConvergenceWarning, match="stalled"):
        capped = solve(data.problem(), constraint, max_iter=1)
    best = solved(data, "joint-matrix", 4 / 3)
    assert_valid(data, constraint, capped)
    assert capped.lower_bound <= best.objective <= capped.objective
    assert capped.gap >= (capped.objective - best.objective) / capped.objective
    assert capped.stop_reason == "stalled"
