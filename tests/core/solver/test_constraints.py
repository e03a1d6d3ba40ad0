"""Feasible sets: norms compared with sums of powers, convexity with witnesses."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core.solver.constraints import (
    FAMILIES,
    NormConstraint,
    constraint_is_convex,
    make_constraint,
    mixed_power_root,
)
from tests.core.problems import PAPER_GRID, feasible_weights, norm, onto_boundary, product_norm

orders = st.floats(1, 50)
PAIRS = [*itertools.combinations(PAPER_GRID, 2), (1, 2), (1, 10), (1, 200), (1.5, 1.5001)]


def two_level_witness(p, q, size):
    """Return two feasible points whose midpoint is not, or ``None`` where none is found.

    From weights of two levels, move along the boundary in the direction that raises one level and
    lowers the other. Where the norm bends inwards both ends are feasible and the middle is not.
    """
    upper = np.arange(size) < np.arange(1, size)[:, None, None, None]
    level = np.exp(-np.geomspace(1e-3, 60, 60))[:, None, None]
    length = np.array([0.02, 0.1, 0.3])[:, None]
    middle = onto_boundary(np.where(upper, 1.0, level), p, q)
    a, b = (middle**r / np.sum(middle**r, axis=-1, keepdims=True) for r in (p, q))
    # The direction (1, 0), made tangent to the boundary.
    z = upper - np.sum((a + b) / 2 * upper, axis=-1, keepdims=True)
    one, two = (onto_boundary(middle * np.exp(sign * length * z), p, q) for sign in (-1, 1))
    value = product_norm((one + two) / 2, p, q)
    worst = np.unravel_index(np.argmax(value), value.shape)
    return (one[worst], two[worst]) if value[worst] > 1 + 1e-9 else None


def test_that_families_have_the_groups_of_the_paper():
    for family in FAMILIES:
        constraint = make_constraint(family, 4 / 3, 4, n_clusters=3, n_views=5)
        groups = (1, 15) if family.startswith("joint") else (3, 5)
        assert (constraint.n_groups, constraint.group_size) == groups
        assert (constraint.p, constraint.q) == (4 / 3, 4 / 3 if family.endswith("vector") else 4)


@pytest.mark.parametrize("family", FAMILIES)
@given(p=orders, q=orders, seed=st.integers(0, 1000))
def test_that_norm_and_normalise_agree_with_sums_of_powers(family, p, q, seed):
    rng = np.random.default_rng(seed)
    constraint = make_constraint(family, p, q, n_clusters=2, n_views=3)
    weights = np.exp(rng.normal(size=(2, 3)) * 2)
    groups = weights.reshape(constraint.n_groups, -1)
    expected = product_norm(groups, constraint.p, constraint.q)
    assert constraint.norm(weights) == pytest.approx(expected.max(), rel=1e-12)
    scaled = np.exp(constraint.normalise(np.log(groups)))
    np.testing.assert_allclose(product_norm(scaled, constraint.p, constraint.q), 1, rtol=1e-12)
    np.testing.assert_allclose(scaled / scaled[:, :1], groups / groups[:, :1], rtol=1e-12)


def test_that_the_matrix_norm_of_the_paper_is_the_product_of_two_vector_norms():
    rng = np.random.default_rng(0)
    weights = rng.exponential(size=(2, 3))
    for p, q in [(4 / 3, 4), (4, 4 / 3), (2, 2)]:
        outer = np.outer(weights, weights)
        by_definition = norm(np.array([norm(row, p) for row in outer]), q)
        assert make_constraint("joint-matrix", p, q, 2, 3).norm(weights) == pytest.approx(
            by_definition
        )
    for weights in ([0, 1, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]):
        expected = product_norm(np.array(weights, float), 1, 3)
        assert NormConstraint(1, 3, 1, 4).norm(weights) == pytest.approx(expected)


@given(p=orders, q=orders, size=st.integers(1, 12), seed=st.integers(0, 100))
def test_that_the_two_norms_never_differ_by_more_than_the_largest_ratio(p, q, size, seed):
    points = feasible_weights(np.random.default_rng(seed), 200, size, p, q)
    ratio = np.abs(np.log(norm(points, p) / norm(points, q)))
    largest = NormConstraint(p, q, 1, size).max_log_ratio
    assert np.all(ratio <= largest + 1e-12)
    assert ratio[-1] == pytest.approx(largest, abs=1e-12)  # equal weights attain it


@pytest.mark.parametrize("size", [2, 3, 6, 12])
def test_that_only_non_convex_sets_have_a_witness(size):
    for pair in PAIRS:
        verdict = constraint_is_convex(*pair, size)
        assert constraint_is_convex(*pair[::-1], size) is verdict, pair
        witness = two_level_witness(*pair, size)
        if verdict is False:
            one, two = witness
            assert product_norm(one, *pair) <= 1 + 1e-12, pair
            assert product_norm(two, *pair) <= 1 + 1e-12, pair
            assert product_norm((one + two) / 2, *pair) > 1 + 1e-9, pair
        elif verdict is True:
            assert witness is None, pair


def test_that_known_pairs_are_classified_and_few_are_unknown():
    for p, q, size, expected in [
        (32 / 31, 10, 21, False),
        (8 / 7, 8, 21, False),
        (32 / 31, 2, 36, False),
        (32 / 31, 2, 2, True),
        (2, 2, 36, True),
        (1, 1, 36, True),
        (1, 10, 1, True),
    ]:
        assert constraint_is_convex(p, q, size) is expected
        assert NormConstraint(p, q, 2, size).is_convex is expected
    verdicts = [constraint_is_convex(p, q, 36) for p, q in itertools.combinations(PAPER_GRID, 2)]
    assert verdicts.count(None) <= 3


@given(
    target=st.floats(-600, 50),
    logs=st.tuples(st.floats(-300, 50), st.floats(-300, 50)),
    exponents=st.tuples(st.floats(-9, 2.3), st.floats(-9, 2.3)),
)
def test_that_the_mixed_power_root_solves_its_equation(target, logs, exponents):
    first, second = 10.0 ** np.array(exponents)
    y = mixed_power_root(np.array([target]), logs[0], logs[1], first, second)[0]
    total = np.logaddexp(logs[0] + first * y, logs[1] + second * y)
    assert total == pytest.approx(target, rel=1e-9, abs=1e-9)
