"""Algorithm 1 compared with an independent transcription of the paper."""

import numpy as np
import pytest

from lmkl_core import ConvergenceWarning
from lmkl_core.solver.algorithm1 import solve_as_printed
from lmkl_core.solver.solve import solve
from tests.core.problems import Data, mixed_widths, small_data

# The printed update converges for these exponents if delta is large.
CALM = [(32 / 31, 32 / 31), (4 / 3, 4 / 3), (2, 2), (4 / 3, 2), (2, 4 / 3)]


def transcription(data, p, q, iterations):
    """Lines 1 to 13 of Algorithm 1, one ``K_cg`` at a time; yields ``(mu, lambda)``."""
    n, (n_clusters, n_views) = len(data.memberships), data.shape
    K = dict(zip(np.ndindex(n_clusters, n_views), data.explicit_kernels(), strict=True))
    uniform = (n_clusters * n_views) ** ((-p - q) / (2 * p * q))
    mu = np.full((n_clusters, n_views), uniform)

    def solved():
        total = data.delta * np.eye(n)
        for (c, g), kernel in K.items():
            total = total + mu[c, g] * kernel
        return np.linalg.inv(total) @ np.ones(n)

    lam = solved()
    for _ in range(iterations):
        u = np.array([[lam @ K[c, g] @ lam for g in range(n_views)] for c in range(n_clusters)])
        norm_p = np.linalg.norm(mu.ravel(), p)
        norm_q = np.linalg.norm(mu.ravel(), q)
        bar = u * (mu ** (p - 2) / norm_p**p + mu ** (q - 2) / norm_q**q) ** -1
        mu = bar / np.sqrt(np.linalg.norm(bar.ravel(), p) * np.linalg.norm(bar.ravel(), q))
        lam = solved()
        yield mu, lam


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_that_every_iterate_equals_the_printed_algorithm():
    for p, q in [*CALM, (4, 4), (8 / 7, 8), (10, 4 / 3)]:
        for delta in [0.5, 50.0]:
            data = small_data(1, n=15, n_clusters=2, n_views=3, delta=delta)
            constraint = data.constraint("joint-matrix", p, q)
            for count, (mu, lam) in enumerate(transcription(data, p, q, 6), start=1):
                solution = solve_as_printed(data.problem(), constraint, max_iter=count, tol=0)
                np.testing.assert_allclose(solution.weights, mu, rtol=1e-8)
                np.testing.assert_allclose(solution.dual_coef, lam, rtol=1e-8)
                assert solution.n_iter == count
                assert solution.n_solves == count + 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_that_disjoint_families_update_each_cluster_separately():
    data = small_data(2, n=15, n_clusters=3, n_views=2, delta=20.0)
    p, q = 4 / 3, 2
    # In one step clusters interact only through lambda.
    weights = solve_as_printed(
        data.problem(), data.constraint("disjoint-matrix", p, q), max_iter=1, tol=0
    ).weights
    start = np.full(data.shape, 2.0 ** (-(p + q) / (2 * p * q)))
    kernels = data.explicit_kernels()
    lam = np.linalg.solve(
        data.delta * np.eye(15) + np.tensordot(start.ravel(), kernels, axes=1), np.ones(15)
    )
    u = np.einsum("i,kij,j->k", lam, kernels, lam).reshape(data.shape)
    for row, mu in zip(u, weights, strict=True):
        # Starting from equal weights, mu is proportional to u.
        np.testing.assert_allclose(mu / mu[0], row / row[0], rtol=1e-10)
        assert np.linalg.norm(mu, p) * np.linalg.norm(mu, q) == pytest.approx(1, rel=1e-12)


def test_that_it_reaches_the_certified_optimum_where_it_converges():
    for p, q in CALM:
        # Slow for p near 1; at large delta lambda hardly changes, hence the small tolerance.
        data = small_data(3, n=20, delta=200.0)
        constraint = data.constraint("joint-matrix", p, q)
        printed = solve_as_printed(data.problem(), constraint, tol=1e-12, max_iter=3000)
        certified = solve(data.problem(), constraint, tol=1e-10)
        assert printed.stop_reason == "fixed point"
        assert printed.converged
        assert printed.solver == "algorithm-1"
        assert printed.objective == pytest.approx(certified.objective, rel=1e-8)
        np.testing.assert_allclose(printed.weights, certified.weights, atol=1e-4)
        assert printed.gap <= 1e-6
        again = solve_as_printed(data.problem(), constraint, init=printed.weights)
        assert again.n_iter <= 2
        cancelled = solve_as_printed(data.problem(), constraint, cancel=lambda: True)
        assert (cancelled.stop_reason, cancelled.n_iter) == ("cancelled", 1)


@pytest.mark.parametrize("p", [4, 8, 10])
def test_that_equal_exponents_above_three_end_with_a_warning(p):
    for delta in [0.5, 2000.0]:
        data = small_data(3, n=20, delta=delta)
        with pytest.warns(ConvergenceWarning, match="did not converge") as caught:
            solution = solve_as_printed(data.problem(), data.constraint("joint-matrix", p))
        assert f"gap {solution.gap:.1e}" in str(caught[0].message)
        assert solution.stop_reason in ("iteration cap", "not finite")
        assert not solution.converged


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_that_its_certificate_is_valid():
    for p, q in [(4 / 3, 4 / 3), (4, 4), (32 / 31, 10), (8 / 7, 8)]:
        data = mixed_widths(1, n=40, n_clusters=1)
        constraint = data.constraint("joint-matrix", p, q)
        printed = solve_as_printed(data.problem(), constraint, max_iter=40)
        certified = solve(data.problem(), constraint)
        assert printed.lower_bound <= certified.objective * (1 + 1e-12)
        assert printed.objective >= certified.lower_bound * (1 - 1e-12)
        true_gap = (printed.objective - certified.objective) / printed.objective
        assert printed.gap >= true_gap
        assert constraint.norm(printed.weights) <= 1 + 1e-12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_that_tracking_the_gap_does_not_change_the_iterates():
    data = small_data(5, n=15)
    constraint = data.constraint("joint-matrix", 8 / 7, 2)
    tracked = solve_as_printed(data.problem(), constraint, max_iter=20)
    timed = solve_as_printed(data.problem(), constraint, max_iter=20, track_gap=False)
    np.testing.assert_array_equal(tracked.weights, timed.weights)
    assert tracked.n_solves == timed.n_solves
    assert timed.n_iter == 1
    assert timed.objective == tracked.objective
    assert timed.gap >= tracked.gap - 1e-15


def test_that_non_finite_weights_end_it_at_the_last_finite_ones():
    # The weight of a zero kernel becomes 0, then 0 / 0 for exponents above two.
    grams = np.array([np.eye(4), np.zeros((4, 4))])
    data = Data(grams, np.ones((4, 1)), 1.0)
    with pytest.warns(ConvergenceWarning, match="not finite"):
        solution = solve_as_printed(data.problem(), data.constraint("joint-matrix", 4))
    assert solution.stop_reason == "not finite"
    np.testing.assert_allclose(solution.weights, [[1, 0]], atol=1e-12)
    assert np.isfinite(solution.objective)
