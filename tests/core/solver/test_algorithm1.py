"""Algorithm 1 compared with an independent transcription of the paper."""

import numpy as np
import pytest

from lmkl_core import ConvergenceWarning
from lmkl_core.solver.algorithm1 import solve_as_printed
from lmkl_core.solver.solve import solve
from tests.core.problems import Data, mixed_widths, small_data

# The printed update converges for these exponents if delta is large.
CALM = [(32 / 31, 32 / 31), (4 / 3, 4 / 3), (2, 2), (4 / 3, 2), (2, 4 / 3)]


def transcription(data, constraint, iterations):
    """Lines 1 to 13 of Algorithm 1, one ``K_cg`` at a time; yields ``(mu, lambda)``.

    The disjoint families apply it to the weights of each cluster.
    """
    n, p, q = len(data.memberships), constraint.p, constraint.q
    K = data.explicit_kernels()
    groups = np.arange(len(K)).reshape(constraint.n_groups, -1)
    mu = np.full(len(K), groups.shape[1] ** ((-p - q) / (2 * p * q)))

    def solved():
        total = data.delta * np.eye(n)
        for weight, kernel in zip(mu, K, strict=True):
            total = total + weight * kernel
        return np.linalg.inv(total) @ np.ones(n)

    lam = solved()
    for _ in range(iterations):
        u = np.array([lam @ kernel @ lam for kernel in K])
        for group in groups:
            norm_p, norm_q = (np.linalg.norm(mu[group], r) for r in (p, q))
            scale = mu[group] ** (p - 2) / norm_p**p + mu[group] ** (q - 2) / norm_q**q
            bar = u[group] * scale**-1
            mu[group] = bar / np.sqrt(np.linalg.norm(bar, p) * np.linalg.norm(bar, q))
        lam = solved()
        yield mu.reshape(data.shape), lam


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("family", ["joint-matrix", "disjoint-matrix"])
def test_that_every_iterate_equals_the_printed_algorithm(family):
    for p, q in [*CALM, (4, 4), (8 / 7, 8), (10, 4 / 3)]:
        for delta in [0.5, 50.0]:
            data = small_data(1, n=15, n_clusters=2, n_views=3, delta=delta)
            constraint = data.constraint(family, p, q)
            for count, (mu, lam) in enumerate(transcription(data, constraint, 6), start=1):
                solution = solve_as_printed(data.problem(), constraint, max_iter=count, tol=0)
                np.testing.assert_allclose(solution.weights, mu, rtol=1e-8)
                np.testing.assert_allclose(solution.dual_coef, lam, rtol=1e-8)
                assert solution.n_iter == count
                assert solution.n_solves == count + 1


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
