"""Bounds on ``max u . m``: valid for all feasible points, and tight."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from lmkl_core.solver import certificate
from lmkl_core.solver.certificate import SupportCurves, support_bound
from lmkl_core.solver.constraints import mixed_power_root
from tests.core.problems import feasible_weights, norm, onto_boundary, product_norm

orders = st.one_of(st.just(1.0), st.floats(1, 30), st.sampled_from([32 / 31, 2, 10, 200]))
PAIRS = [(32 / 31, 10), (8 / 7, 8), (4 / 3, 2), (2, 4), (1, 2), (1, 10), (10, 1), (1.5, 200)]


def sensitivities(rng, size):
    """Sensitivities of all kinds that the solver meets."""
    u = rng.exponential(size=size)
    return {
        "even": np.ones(size),
        "random": u,
        "spread": u * 10 ** rng.uniform(-6, 6, size=size),
        "two levels": np.where(np.arange(size) < size // 3 + 1, 1.0, 0.3),
        "one large": np.where(np.arange(size) == 0, 1e3, u),
        "zeros": u * (np.arange(size) % 2),
        "single": np.where(np.arange(size) == size - 1, 2.0, 0.0),
        "subnormal range": np.where(np.arange(size) % 2, 1e-300, u),
        "huge ratio": np.where(np.arange(size) % 2, 1e200, 1e-100),
        "tiny": 1e-250 * u,
    }


def tight_bound(u, p, q):
    """Certify the returned maximiser, as the solver does, until the bound is tight."""
    bound, weights = support_bound(u[None], p, q)
    for _ in range(6):
        at_point = weights @ u
        bound, weights = support_bound(u[None], p, q, at_point, 5e-10 * at_point[0])
        if bound <= at_point[0] * (1 + 8e-10):
            break
    return bound, weights[0]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "{:.3g}-{:.3g}".format(*pair))
def test_that_no_feasible_point_exceeds_the_bound_which_is_attained_to_nine_digits(pair):
    for size in [1, 2, 3, 5, 7, 9, 36]:
        rng = np.random.default_rng(size)
        points = feasible_weights(rng, 5000, size, *pair)
        for kind, u in sensitivities(rng, size).items():
            for bound, maximiser in (support_bound(u[None], *pair), tight_bound(u, *pair)):
                assert np.max(points @ u) <= bound * (1 + 1e-12), kind
                assert np.sum(maximiser * u) <= bound * (1 + 1e-12), kind
                assert product_norm(maximiser.ravel(), *pair) == pytest.approx(1, rel=1e-9), kind
            assert bound <= np.sum(maximiser * u) * (1 + 1e-9), kind


@settings(max_examples=50)
@given(p=orders, q=orders, size=st.integers(1, 8), seed=st.integers(0, 10_000))
def test_that_the_bound_holds_and_is_attained_for_any_pair_of_exponents(p, q, size, seed):
    rng = np.random.default_rng(seed)
    u = rng.exponential(size=size) ** rng.uniform(0, 4)
    bound, maximiser = tight_bound(u, p, q)
    points = feasible_weights(rng, 1000, size, p, q)
    assert np.max(points @ u) <= bound * (1 + 1e-12)
    assert bound <= maximiser @ u * (1 + 1e-8)


def test_that_equal_exponents_give_the_dual_norm():
    for p in [1, 32 / 31, 4 / 3, 2, 4, 10, 200]:
        rng = np.random.default_rng(0)
        u = rng.exponential(size=(4, 6))
        u[2, 3:] = 0
        expected = [row.max() if p == 1 else norm(row, p / (p - 1)) for row in u]
        bound, maximiser = support_bound(u, p, p)
        assert bound == pytest.approx(np.sum(expected), rel=1e-12)
        np.testing.assert_allclose(np.sum(maximiser * u, axis=1), expected, rtol=1e-12)
        np.testing.assert_allclose(norm(maximiser, p), 1, rtol=1e-12)
    for p in (1 + 1e-15, 1 + 1e-12, 1 + 1e-6):
        assert np.all(norm(support_bound(u, p, p)[1], p) <= 1 + 1e-9), p


def test_that_the_bound_is_continuous_where_the_exponents_meet():
    for p in [1.0, 32 / 31, 2.0, 10.0]:
        u = np.random.default_rng(4).exponential(size=9)
        limit, _ = support_bound(u[None], p, p)
        # d log h / dq is at most log(size) / q^2 in size.
        for excess in (1e-3, 1e-6, 1e-9):
            bound, _ = tight_bound(u, p, p + excess)
            assert bound == pytest.approx(limit, rel=3 * excess + 1e-9)


def test_that_groups_add_up_and_scale():
    u = np.random.default_rng(5).exponential(size=(3, 4))
    at_point = np.array([tight_bound(row, 8 / 7, 8)[0] for row in u])
    bound, weights = support_bound(u, 8 / 7, 8, at_point, 1e-12)
    assert bound == pytest.approx(at_point.sum(), rel=1e-9)
    np.testing.assert_allclose(product_norm(weights, 8 / 7, 8), 1, rtol=1e-9)
    scaled, _ = support_bound(1e-7 * u, 8 / 7, 8, 1e-7 * at_point, 1e-19)
    assert scaled == pytest.approx(1e-7 * bound, rel=1e-9)


def test_that_zero_sensitivity_has_the_bound_zero():
    for p, q in [(2, 2), (1, 1), (8 / 7, 8)]:
        bound, weights = support_bound(np.zeros((2, 3)), p, q)
        assert bound == 0
        assert np.all(product_norm(weights, p, q) <= 1 + 1e-12)


@pytest.mark.parametrize("pair", [(1, 2), (1, 10), (32 / 31, 10), (4 / 3, 2)])
def test_that_a_tolerance_below_rounding_does_not_add_splits_forever(pair, monkeypatch):
    u = np.random.default_rng(7).exponential(size=5)
    best = tight_bound(u, *pair)[1] @ u
    splits = []

    def counted(*arguments):
        roots = mixed_power_root(*arguments)
        splits.append(roots.size // u.size)
        return roots

    monkeypatch.setattr(certificate, "mixed_power_root", counted)
    bound, _ = support_bound(u[None], *pair, np.array([best]), 1e-16 * best)
    assert best * (1 - 1e-12) <= bound <= best * (1 + 1e-9)
    assert sum(splits) <= 10_000


def test_that_a_large_gap_is_bounded_to_a_tenth_and_a_small_one_to_the_tolerance():
    u = np.random.default_rng(6).exponential(size=12)
    best = tight_bound(u, 32 / 31, 10)[0]
    for at_point, tolerance in [(0.5 * best, 0.0), (best * (1 - 1e-9), 1e-8 * best)]:
        bound, _ = support_bound(u[None], 32 / 31, 10, np.array([at_point]), tolerance)
        assert best * (1 - 1e-12) <= bound
        assert bound <= best + max(tolerance, 0.1 * (best - at_point)) + 1e-12 * best


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "{:.3g}-{:.3g}".format(*pair))
def test_that_a_bound_on_slices_holds_for_all_their_points(pair):
    for tighten in [False, True]:
        rng = np.random.default_rng(8)
        p, q = min(pair), max(pair)
        points = feasible_weights(rng, 5000, 8, p, q)
        s = np.log(norm(points, p) / norm(points, q))
        for kind, u in sensitivities(rng, 8).items():
            curves = SupportCurves(u, *pair)
            for low, high in [(0, curves.max_s), (0, 0.1), (0.3, 0.5), (1.0, 1.0 + 1e-3)]:
                inside = (s >= low) & (s <= high)
                bound = curves.on_slices(low, high, tighten)
                assert np.max(points[inside] @ u, initial=0) <= bound * (1 + 1e-12), kind


@pytest.mark.parametrize("pair", [(32 / 31, 10), (4 / 3, 2), (1, 10)])
def test_that_the_bound_on_one_slice_is_attained_there(pair):
    rng = np.random.default_rng(9)
    u = rng.exponential(size=6)
    curves = SupportCurves(u, *pair)

    def mixture(x, mix):
        """Log of ``|m|_p^mix |m|_q^(1-mix) / u.m``, whose minimum is best on its own slice."""
        m = np.exp(x - x.max())
        a, b = (m**r / np.sum(m**r) for r in pair)
        logs = mix * np.log(norm(m, pair[0])) + (1 - mix) * np.log(norm(m, pair[1]))
        return logs - np.log(u @ m), mix * a + (1 - mix) * b - m * u / (u @ m)

    for mix in np.linspace(0.02, 0.9, 12):
        x = minimize(mixture, np.log(u), args=(mix,), jac=True, method="BFGS", tol=1e-12).x
        m = onto_boundary(np.exp(x - x.max()), *pair)
        s = np.log(norm(m, pair[0]) / norm(m, pair[1]))
        assert curves.on_slices(s, s, tighten=True) == pytest.approx(u @ m, rel=1e-8)
