"""Bounds on weight sums and Rademacher complexities, compared with exact values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmkl_core import theory
from tests.core.problems import norm
from tests.core.theory_problems import (
    PAIRS,
    bound,
    counts,
    feasible,
    orders,
    sampled_weights,
    signs,
    small_problem,
)

constraints = st.sampled_from(theory.CONSTRAINTS)


@settings(deadline=None)
@given(constraint=constraints, C=counts, G=counts, p=orders, q=orders)
def test_that_uniform_weights_have_the_largest_weight_sum(constraint, C, G, p, q):
    uniform = feasible(np.ones((C, G)), constraint, p, q)
    limit = theory.weight_sum_bound(constraint, C, G, p, q)
    assert limit == pytest.approx(uniform.sum())
    weights = sampled_weights(np.random.default_rng(C), constraint, p, q, C, G, size=20)
    assert weights.sum(axis=(1, 2)).max() <= limit * (1 + 1e-9)


@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
def test_that_the_complexity_of_fixed_weights_is_below_proposition_2(constraint):
    for rank_one in [False, True]:
        for p, q in PAIRS:
            rng = np.random.default_rng(1)
            memberships, kernels, v = small_problem(rng, rank_one=rank_one)
            n, C = memberships.shape
            G = len(kernels)
            weights = sampled_weights(rng, constraint, p, q, C, G)
            exact = np.mean(np.sqrt(np.tensordot(v, weights, axes=([1, 2], [1, 2]))), axis=0) / n
            limit = bound(memberships, G, p, q, constraint).value * (1 + 1e-9)
            assert max(exact) <= limit, (p, q)


@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
def test_that_the_complexity_of_learned_weights_is_below_its_bound(constraint):
    for n_clusters in [1, 3]:
        for rank_one in [False, True]:
            for p, q in PAIRS:
                rng = np.random.default_rng(2)
                memberships, kernels, v = small_problem(
                    rng, n_clusters=n_clusters, rank_one=rank_one
                )
                n, G = len(memberships), len(kernels)
                weights = sampled_weights(rng, constraint, p, q, n_clusters, G)
                best = np.tensordot(v, weights, axes=([1, 2], [1, 2])).max(axis=1)
                if constraint == "joint-vector" and p > 1:
                    best = np.maximum(best, norm(v.reshape(len(v), -1), p / (p - 1)))
                if constraint == "disjoint-vector" and p > 1:
                    best = np.maximum(best, norm(v, p / (p - 1)).sum(axis=1))
                exact = np.mean(np.sqrt(best)) / n
                result = bound(memberships, G, p, q, constraint, form="learned-weights")
                assert exact <= result.value * (1 + 1e-9), (p, q)
                assert result.covers_learned_weights
                printed = bound(memberships, G, p, q, constraint)
                if printed.covers_learned_weights:
                    assert exact <= printed.value * (1 + 1e-9), (p, q)


def test_that_a_counterexample_refutes_proposition_2_for_learned_weights():
    y = np.array([[1.0, 1.0], [1.0, -1.0]])
    exact = np.mean(np.max(np.abs(signs(2) @ y.T), axis=1)) / 2  # p = q = 1: the best view wins
    printed = bound(np.ones((2, 1)), 2, 1, 1)
    corrected = bound(np.ones((2, 1)), 2, 1, 1, form="learned-weights")
    assert exact == 1.0
    assert printed.value == pytest.approx(math.sqrt(0.5))
    assert not printed.covers_learned_weights
    assert corrected.value == pytest.approx(exact)


def test_that_the_learned_weights_bound_can_be_below_the_printed_one():
    for p, q in [(2, 2), (8, 4)]:
        memberships = np.tile(np.eye(5), (20, 1))
        printed = bound(memberships, 7, p, q)
        assert bound(memberships, 7, p, q, form="learned-weights").value < printed.value
        assert printed.covers_learned_weights


def test_that_at_p_of_one_the_learned_weights_bound_grows_like_root_log_of_the_views():
    for constraint in theory.CONSTRAINTS:
        values = [
            bound(np.ones((50, 1)), G, 1, 1, constraint, form="learned-weights").value * 50**0.5
            for G in (10, 10**3, 10**6)
        ]
        assert values == sorted(values)
        for value, G in zip(values, (10, 10**3, 10**6), strict=True):
            assert 1 < value <= math.sqrt(2 * math.log(G) + 2)


@settings(deadline=None)
@given(
    seed=st.integers(0, 100),
    constraint=constraints,
    form=st.sampled_from(theory.RADEMACHER_FORMS),
    p=orders,
    q=orders,
    step=st.floats(0, 5),
    G=counts,
    factor=st.floats(1, 10),
)
def test_that_the_bound_grows_with_radius_kernel_bound_views_and_norm_orders(
    seed, constraint, form, p, q, step, G, factor
):
    P = np.random.default_rng(seed).dirichlet(np.ones(3), size=7)
    value = bound(P, G, p, q, constraint, form).value
    slack = 1 + 1e-9
    assert bound(P, G, p, q, constraint, form, Lambda=factor).value == pytest.approx(factor * value)
    assert bound(P, G, p, q, constraint, form, r=factor).value == pytest.approx(factor * value)
    assert value <= bound(P, G + 1, p, q, constraint, form).value * slack
    assert value <= bound(P, G, p + step, q, constraint, form).value * slack
    assert value <= bound(P, G, p, q + step, constraint, form).value * slack


def test_that_the_printed_bound_equals_its_formula():
    result = bound(np.array([[1.0, 0.0], [0.5, 0.5]]), 3, 2, 4, Lambda=5.0, r=0.5)
    assert result.value == pytest.approx(5 * 0.5 / 2 * 6 ** (0.5 - 1 / 8 - 1 / 16) * 1.5**0.5)
