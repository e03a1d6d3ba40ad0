"""Radius, generalisation bound and ratios compared with what they bound; bad input."""

import dataclasses
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings

from lmkl_core import theory
from tests.core.problems import PAPER_GRID
from tests.core.recordings import refusal
from tests.core.theory_problems import bound, counts, feasible, orders, sampled_weights


def test_that_radius_and_dual_norm_of_fits_are_below_the_bounds_from_delta():
    for delta in [1e-3, 0.1, 1.0, 50.0]:
        rng = np.random.default_rng(3)
        for _ in range(20):
            factor = rng.normal(size=(12, rng.integers(1, 20))) * 10 ** rng.uniform(-2, 2)
            kernel = factor @ factor.T
            dual_coef = np.linalg.solve(kernel + delta * np.eye(12), np.ones(12))
            fitted = theory.lambda_radius(dual_coef, dual_coef @ kernel @ dual_coef)
            smallest = max(0.0, np.linalg.eigvalsh(kernel)[0] * (1 - 1e-9))
            for eigenvalue in (0.0, smallest):
                limit = theory.dual_norm_bound(12, delta, eigenvalue)
                assert np.linalg.norm(dual_coef) <= limit.value * (1 + 1e-6)
                assert fitted <= limit.radius * (1 + 1e-6)


def test_that_both_bounds_from_delta_are_attained():
    n, delta = 9, 0.3
    limit = theory.dual_norm_bound(n, delta)
    assert np.linalg.norm(np.ones(n) / delta) == pytest.approx(limit.value)  # K = 0
    kernel = np.full((n, n), delta / n)  # eigenvalue delta along the vector of ones
    dual_coef = np.linalg.solve(kernel + delta * np.eye(n), np.ones(n))
    radius = theory.lambda_radius(dual_coef, dual_coef @ kernel @ dual_coef)
    assert radius == pytest.approx(limit.radius)
    for eigenvalue in (0.1, 5.0):  # below and above delta
        kernel = np.eye(n) * eigenvalue
        dual_coef = np.linalg.solve(kernel + delta * np.eye(n), np.ones(n))
        known = theory.dual_norm_bound(n, delta, eigenvalue)
        assert np.linalg.norm(dual_coef) == pytest.approx(known.value)
        radius = theory.lambda_radius(dual_coef, dual_coef @ kernel @ dual_coef)
        assert radius <= known.radius * (1 + 1e-12)
        if eigenvalue > delta:
            assert radius == pytest.approx(known.radius)


def test_that_a_quadratic_form_below_zero_is_rounding_or_refused():
    assert theory.lambda_radius([1.0, 1.0], -1e-15) == 0.0
    assert "-0.1" in refusal(theory.lambda_radius, [1.0, 1.0], -0.1)


def test_that_the_printed_and_the_corrected_form_differ_by_factor_two_and_lipschitz_constant():
    rademacher = bound(np.ones((100, 1)), 4, 2, 2, Lambda=0.5)
    scores = np.linspace(0.5, 1.1, 100)
    arguments = {"Delta": 0.05, "loss_bound": 4.0}
    printed = theory.generalisation_bound(scores, rademacher, **arguments)
    corrected = theory.generalisation_bound(scores, rademacher, form="mohri", **arguments)
    confidence = 3 * 4.0 * math.sqrt(math.log(2 / 0.05) / 200)
    empirical = np.mean((scores - 1) ** 2)
    assert printed.value == pytest.approx(empirical + rademacher.value + confidence)
    assert corrected.value == pytest.approx(empirical + 2 * 4.0 * rademacher.value + confidence)
    assert corrected.complexity_term == pytest.approx(8 * printed.complexity_term)


def test_that_a_bound_is_vacuous_exactly_when_it_reaches_the_loss_bound():
    few = bound(np.ones((10, 1)), 1, 2, 2, Lambda=0.5)
    many = bound(np.ones((10**6, 1)), 1, 2, 2, Lambda=0.5)
    assert theory.generalisation_bound(np.ones(10), few, Delta=0.05, loss_bound=2.0).is_vacuous
    useful = theory.generalisation_bound(
        np.ones(10**6), many, Delta=0.05, loss_bound=2.0, form="mohri"
    )
    assert not useful.is_vacuous
    assert dataclasses.replace(useful, value=2.0).is_vacuous


def test_that_no_function_of_the_class_exceeds_the_loss_bound():
    for constraint in theory.CONSTRAINTS:
        rng = np.random.default_rng(4)
        p, q, C, G, Lambda, r = 4 / 3, 4, 3, 5, 1.7, 1.0
        limit = theory.squared_loss_bound(
            Lambda=Lambda, r=r, n_views=G, p=p, q=q, constraint=constraint
        )
        one_row = np.full((C, G), 1e-30)
        one_row[0] = 1.0
        weights = sampled_weights(rng, constraint, p, q, C, G)
        weights = np.concatenate([weights, feasible(one_row, constraint, p, q)[None]])
        memberships = np.concatenate([rng.dirichlet(np.ones(C), size=50), np.eye(C)])
        self_kernel = np.einsum("wcg,ic->wi", weights, memberships**2)
        largest = Lambda * math.sqrt(self_kernel.max())  # sup f(x), by Cauchy-Schwarz, attained
        assert limit == pytest.approx((-largest - 1) ** 2)


def test_that_the_corrected_bound_with_learned_weights_holds_on_repeated_samples():
    """Kernel ridge on a known distribution, where the true error can be measured."""
    rng = np.random.default_rng(5)
    n, delta = 400, 400.0
    radius = theory.dual_norm_bound(n, delta).radius
    limit = theory.squared_loss_bound(Lambda=radius, r=1.0, n_views=1, p=2, q=2)
    rademacher = bound(np.ones((n, 1)), 1, 2, 2, form="learned-weights", Lambda=radius)
    test = rng.normal(size=2000)
    for _ in range(5):
        train = rng.normal(size=n)
        kernel = np.exp(-((train[:, None] - train) ** 2))
        dual_coef = np.linalg.solve(kernel + delta * np.eye(n), np.ones(n))
        result = theory.generalisation_bound(
            kernel @ dual_coef, rademacher, Delta=0.05, loss_bound=limit, form="mohri"
        )
        scores = np.exp(-((test[:, None] - train) ** 2)) @ dual_coef
        assert np.mean((scores - 1) ** 2) <= result.value
        assert not result.is_vacuous


def test_that_the_printed_ratios_are_the_ratios_of_the_bounds_on_the_whole_grid():
    for C, G in [(1, 1), (1, 12), (3, 7), (3, 12), (20, 2)]:
        memberships = np.full((6, C), 1 / C)
        for p, q in itertools.product(PAPER_GRID, PAPER_GRID):
            ratios = theory.complexity_ratios(C, G, p, q)
            own = bound(memberships, G, p, q).value
            for family, ratio in ratios.items():
                derived = own / bound(memberships, G, p, q, family).value
                assert ratio == pytest.approx(derived, rel=1e-12)


@settings(deadline=None)
@given(C=counts, G=counts, p=orders, q=orders)
def test_that_the_joint_matrix_bound_is_lowest_when_q_is_at_most_p(C, G, p, q):
    p, q = max(p, q), min(p, q)
    assert max(theory.complexity_ratios(C, G, p, q).values()) <= 1


def test_that_the_claim_of_proposition_4_fails_for_q_above_p():
    ratios = theory.complexity_ratios(3, 12, p=1, q=10)
    assert ratios["joint-vector"] > 1
    assert theory.complexity_ratios(1, 12, p=1, q=10)["disjoint-vector"] > 1
    assert theory.complexity_ratios(30, 2, p=1, q=10)["disjoint-vector"] <= 1
    assert ratios["disjoint-matrix"] <= 1


def test_that_bad_input_is_refused_by_name():
    good = {"Lambda": 1.0, "r": 1.0, "memberships": [[0.5, 0.5]], "n_views": 2, "p": 2, "q": 2}
    bad_memberships = [[0.5, 0.5], np.ones((0, 2)), [[0.5, math.nan]], [[1.5, -0.5]], [[0.5, 0.4]]]
    for name, values in {
        "p": [0.9],
        "q": [math.nan, None],
        "constraint": ["joint"],
        "form": ["other"],
        "Lambda": [-1],
        "r": ["1"],
        "n_views": [0],
        "memberships": [*bad_memberships, [["a", "b"]]],
    }.items():
        for value in values:
            message = refusal(theory.rademacher_bound, **(good | {name: value}))
            assert re.search(rf"\b{name}\b", message), message
    rademacher = bound(np.ones((2, 1)), 1, 2, 2)
    good = {"scores": [0.5, 1.0], "rademacher": rademacher, "Delta": 0.1, "loss_bound": 1.0}
    for name, value in [
        ("Delta", 0.0),
        ("Delta", 1.0),
        ("loss_bound", 0.2),  # a training sample has loss 0.25
        ("scores", [0.5, 1.0, 1.0]),  # the Rademacher bound is for two samples
        ("form", "mohry"),
    ]:
        assert name in refusal(theory.generalisation_bound, **(good | {name: value}))
    for function, arguments in [
        (theory.dual_norm_bound, (10, 0.0)),
        (theory.dual_norm_bound, (10, 1.0, -1.0)),
        (theory.complexity_ratios, (3, 4, 2, 0.5)),
        (theory.complexity_ratios, (True, 4, 2, 2)),
    ]:
        refusal(function, *arguments)
