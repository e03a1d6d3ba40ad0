"""The bounds against what they bound: exact complexities, numerical maxima, their own ratios."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from lmkl_core import theory
from lmkl_core.errors import InvalidInputError

GRID = [32 / 31, 16 / 15, 8 / 7, 4 / 3, 2, 4, 8, 10]
PAIRS = [(1, 1), (32 / 31, 10), (10, 32 / 31), (4 / 3, 2), (2, 2), (8, 4)]

orders = st.floats(1, 20)
counts = st.integers(1, 40)
constraints = st.sampled_from(theory.CONSTRAINTS)


def norm(weights, order):
    return np.sum(weights**order, axis=-1) ** (1 / order)


def feasible(weights, constraint, p, q):
    """Scale weights of shape (..., C, G) onto the boundary of their constraint set."""
    blocks = (
        weights
        if constraint.startswith("disjoint")
        else weights.reshape(*weights.shape[:-2], 1, -1)
    )
    if constraint.endswith("vector"):
        scale = norm(blocks, p)
    else:
        scale = np.sqrt(norm(blocks, p) * norm(blocks, q))
    return weights / scale[..., None]


def signs(n):
    """All 2^n sign vectors: the Rademacher expectation is then a plain mean, without noise."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def small_problem(rng, n=8, n_clusters=3, n_views=4, rank_one=False):
    """Memberships (n, C), base kernels (G, n, n) with unit diagonal, v of shape (2^n, C, G)."""
    memberships = rng.dirichlet(np.full(n_clusters, 0.5), size=n)
    if rank_one:
        y = rng.choice([-1.0, 1.0], size=(n_views, n))
        kernels = y[:, :, None] * y[:, None, :]
    else:
        points = rng.normal(size=(n_views, n, 2))
        squared = np.sum((points[:, :, None] - points[:, None]) ** 2, axis=-1)
        kernels = np.exp(-squared * rng.uniform(0.01, 2, size=(n_views, 1, 1)))
    weighted = signs(n)[:, None, :] * memberships.T
    v = np.einsum("sci,gij,scj->scg", weighted, kernels, weighted)
    return memberships, kernels, np.maximum(v, 0)


def sampled_weights(rng, constraint, p, q, n_clusters, n_views, size=300):
    """Feasible weights: dense, nearly sparse and exactly sparse ones, and the uniform ones."""
    dense = rng.gamma(rng.choice([0.1, 1, 10], size=(size, 1, 1)), size=(size, n_clusters, n_views))
    single = np.eye(n_clusters * n_views).reshape(-1, n_clusters, n_views) + 1e-30
    uniform = np.ones((1, n_clusters, n_views))
    return feasible(np.concatenate([dense + 1e-30, single, uniform]), constraint, p, q)


def bound(memberships, n_views, p, q, constraint="joint-matrix", form="paper", Lambda=1.0, r=1.0):
    return theory.rademacher_bound(
        Lambda=Lambda,
        r=r,
        memberships=memberships,
        n_views=n_views,
        p=p,
        q=q,
        constraint=constraint,
        form=form,
    )


# --- weight sums


@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_that_numerical_maximisation_of_the_weight_sum_reaches_its_bound_and_no_more(
    constraint, p, q
):
    rng = np.random.default_rng(0)
    C, G = 3, 4

    def negative_sum(log_weights):
        return -feasible(np.exp(log_weights.reshape(C, G)), constraint, p, q).sum()

    value = theory.weight_sum_bound(constraint, C, G, p, q).value
    best = max(-minimize(negative_sum, rng.normal(size=C * G)).fun for _ in range(4))
    assert best <= value * (1 + 1e-9)
    assert best >= value * (1 - 1e-5)


@settings(deadline=None)
@given(constraint=constraints, C=counts, G=counts, p=orders, q=orders)
def test_that_uniform_weights_attain_the_weight_sum_bound(constraint, C, G, p, q):
    uniform = feasible(np.ones((C, G)), constraint, p, q)
    assert theory.weight_sum_bound(constraint, C, G, p, q).value == pytest.approx(uniform.sum())


@settings(deadline=None)
@given(weights=st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=12), p=orders, q=orders)
def test_that_the_matrix_constraint_lies_in_the_ball_of_the_harmonic_mean_order(weights, p, q):
    mu = np.array(weights) / max(weights)
    harmonic = 2 / (1 / p + 1 / q)
    assert norm(mu, harmonic) <= math.sqrt(norm(mu, p) * norm(mu, q)) * (1 + 1e-9)


# --- Rademacher complexity


@pytest.mark.parametrize("rank_one", [False, True], ids=["rbf", "rank-one"])
@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_that_no_fixed_weights_have_a_complexity_above_proposition_2(constraint, p, q, rank_one):
    rng = np.random.default_rng(1)
    memberships, kernels, v = small_problem(rng, rank_one=rank_one)
    n, C = memberships.shape
    G = len(kernels)
    weights = sampled_weights(rng, constraint, p, q, C, G)
    exact = np.mean(np.sqrt(np.tensordot(v, weights, axes=([1, 2], [1, 2]))), axis=0) / n
    diagonals = np.einsum("wcg,ic,gii->wi", weights, memberships**2, kernels)
    by_trace = [
        theory.fixed_weights_rademacher_bound(Lambda=1.0, effective_kernel_diagonal=d).value
        for d in diagonals
    ]
    assert np.all(exact <= np.array(by_trace) * (1 + 1e-9))
    assert max(by_trace) <= bound(memberships, G, p, q, constraint).value * (1 + 1e-9)


def test_that_the_fixed_weights_bound_is_attained_by_a_diagonal_kernel():
    diagonal = np.array([0.5, 1.0, 2.0, 0.25])
    values = signs(4)
    exact = 3.0 * np.mean(np.sqrt(np.sum(values**2 * diagonal, axis=1))) / 4
    result = theory.fixed_weights_rademacher_bound(Lambda=3.0, effective_kernel_diagonal=diagonal)
    assert result.value == pytest.approx(exact)
    assert not result.covers_learned_weights


def test_that_proposition_2_is_attained_by_one_view_and_one_cluster_with_a_diagonal_kernel():
    assert bound(np.ones((9, 1)), 1, 2, 2, Lambda=2.0, r=3.0).value == pytest.approx(2 * 3 / 3)


@pytest.mark.parametrize("rank_one", [False, True], ids=["rbf", "rank-one"])
@pytest.mark.parametrize("n_clusters", [1, 3])
@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_that_weights_that_follow_the_signs_stay_below_the_learned_weights_bound(
    constraint, p, q, n_clusters, rank_one
):
    rng = np.random.default_rng(2)
    memberships, kernels, v = small_problem(rng, n_clusters=n_clusters, rank_one=rank_one)
    n, G = len(memberships), len(kernels)
    weights = sampled_weights(rng, constraint, p, q, n_clusters, G)
    best = np.tensordot(v, weights, axes=([1, 2], [1, 2])).max(axis=1)
    if constraint == "joint-vector" and p > 1:
        best = np.maximum(best, norm(v.reshape(len(v), -1), p / (p - 1)))
    if constraint == "disjoint-vector" and p > 1:
        best = np.maximum(best, norm(v, p / (p - 1)).sum(axis=1))
    exact = np.mean(np.sqrt(best)) / n
    result = bound(memberships, G, p, q, constraint, form="learned-weights")
    assert exact <= result.value * (1 + 1e-9)
    assert result.covers_learned_weights
    printed = bound(memberships, G, p, q, constraint)
    if printed.covers_learned_weights:
        assert exact <= printed.value * (1 + 1e-9)


def test_that_two_samples_and_two_views_refute_proposition_2_for_learned_weights():
    y = np.array([[1.0, 1.0], [1.0, -1.0]])
    exact = np.mean(np.max(np.abs(signs(2) @ y.T), axis=1)) / 2  # p = q = 1: the best view wins
    printed = bound(np.ones((2, 1)), 2, 1, 1)
    corrected = bound(np.ones((2, 1)), 2, 1, 1, form="learned-weights")
    assert exact == 1.0
    assert printed.value == pytest.approx(math.sqrt(0.5))
    assert not printed.covers_learned_weights
    assert corrected.value == pytest.approx(exact)


@pytest.mark.parametrize(("p", "q"), [(2, 2), (8, 4)])
def test_that_with_balanced_clusters_the_learned_weights_bound_can_beat_the_printed_one(p, q):
    memberships = np.tile(np.eye(5), (20, 1))
    printed = bound(memberships, 7, p, q)
    assert bound(memberships, 7, p, q, form="learned-weights").value < printed.value
    assert printed.covers_learned_weights


@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
def test_that_for_many_views_and_p_of_one_the_learned_weights_bound_grows_like_root_log(constraint):
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


@settings(deadline=None)
@given(seed=st.integers(0, 100), constraint=constraints, copies=st.integers(2, 9))
def test_that_repeating_the_sample_k_times_divides_the_bound_by_root_k(seed, constraint, copies):
    P = np.random.default_rng(seed).dirichlet(np.ones(3), size=7)
    for form in theory.RADEMACHER_FORMS:
        once = bound(P, 4, 2, 3, constraint, form).value
        many = bound(np.tile(P, (copies, 1)), 4, 2, 3, constraint, form).value
        assert many == pytest.approx(once / math.sqrt(copies))


def test_that_the_result_names_every_symbol_and_cannot_be_changed():
    memberships = np.array([[1.0, 0.0], [0.5, 0.5]])
    result = bound(memberships, 3, 2, 4, Lambda=5.0, r=0.5)
    assert (result.Lambda, result.r, result.n, result.n_clusters, result.n_views) == (
        5,
        0.5,
        2,
        2,
        3,
    )
    assert (result.p, result.q, result.constraint, result.form) == (2, 4, "joint-matrix", "paper")
    assert result.membership_mass == 1.5
    assert result.value == pytest.approx(5 * 0.5 / 2 * 6 ** (0.5 - 1 / 8 - 1 / 16) * 1.5**0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.value = 0.0


# --- Lambda and delta


@pytest.mark.parametrize("delta", [1e-3, 0.1, 1.0, 50.0])
def test_that_radius_and_dual_norm_of_real_fits_stay_below_the_bounds_from_delta(delta):
    rng = np.random.default_rng(3)
    for _ in range(20):
        factor = rng.normal(size=(12, rng.integers(1, 20))) * 10 ** rng.uniform(-2, 2)
        kernel = factor @ factor.T
        dual_coef = np.linalg.solve(kernel + delta * np.eye(12), np.ones(12))
        fitted = theory.lambda_radius(dual_coef, dual_coef @ kernel @ dual_coef)
        total = dual_coef.sum()  # the difference below cancels, hence a tolerance relative to it
        assert fitted.quadratic == pytest.approx(
            total - delta * fitted.dual_norm**2, abs=1e-6 * total
        )
        smallest = max(0.0, np.linalg.eigvalsh(kernel)[0] * (1 - 1e-9))
        for limit in (
            theory.dual_norm_bound(12, delta),
            theory.dual_norm_bound(12, delta, smallest),
        ):
            assert fitted.dual_norm <= limit.value * (1 + 1e-6)
            assert fitted.value <= limit.radius * (1 + 1e-6)


def test_that_both_bounds_from_delta_are_attained():
    n, delta = 9, 0.3
    limit = theory.dual_norm_bound(n, delta)
    assert np.linalg.norm(np.ones(n) / delta) == pytest.approx(limit.value)  # K = 0
    assert limit.theta / math.sqrt(n) == pytest.approx(limit.value)
    kernel = np.full((n, n), delta / n)  # eigenvalue delta along the vector of ones
    dual_coef = np.linalg.solve(kernel + delta * np.eye(n), np.ones(n))
    radius = theory.lambda_radius(dual_coef, dual_coef @ kernel @ dual_coef).value
    assert radius == pytest.approx(limit.radius)
    for eigenvalue in (0.1, 5.0):  # below and above delta
        kernel = np.eye(n) * eigenvalue
        dual_coef = np.linalg.solve(kernel + delta * np.eye(n), np.ones(n))
        known = theory.dual_norm_bound(n, delta, eigenvalue)
        assert np.linalg.norm(dual_coef) == pytest.approx(known.value)
        radius = theory.lambda_radius(dual_coef, dual_coef @ kernel @ dual_coef).value
        assert radius <= known.radius * (1 + 1e-12)
        if eigenvalue > delta:
            assert radius == pytest.approx(known.radius)


def test_that_rounding_noise_below_zero_is_a_radius_of_zero_and_more_is_an_error():
    assert theory.lambda_radius([1.0, 1.0], -1e-15).value == 0.0
    with pytest.raises(InvalidInputError, match="cannot be negative"):
        theory.lambda_radius([1.0, 1.0], -0.1)


# --- generalisation


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
    assert (printed.complexity_factor, printed.lipschitz) == (1.0, None)
    assert (corrected.complexity_factor, corrected.lipschitz) == (8.0, 4.0)
    assert printed.rademacher is rademacher


def test_that_a_bound_is_vacuous_exactly_when_it_reaches_the_loss_bound():
    few = bound(np.ones((10, 1)), 1, 2, 2, Lambda=0.5)
    many = bound(np.ones((10**6, 1)), 1, 2, 2, Lambda=0.5)
    assert theory.generalisation_bound(np.ones(10), few, Delta=0.05, loss_bound=2.0).is_vacuous
    useful = theory.generalisation_bound(
        np.ones(10**6), many, Delta=0.05, loss_bound=2.0, form="mohri"
    )
    assert not useful.is_vacuous
    assert dataclasses.replace(useful, value=2.0).is_vacuous


@settings(deadline=None)
@given(st.floats(1e-6, 0.5), st.floats(1.01, 1.9))
def test_that_more_confidence_costs_a_larger_bound(Delta, factor):
    rademacher = bound(np.ones((20, 1)), 4, 2, 2)
    loose, tight = (
        theory.generalisation_bound(np.full(20, 0.9), rademacher, Delta=d, loss_bound=1.0).value
        for d in (Delta, Delta * factor)
    )
    assert tight < loose


@pytest.mark.parametrize("constraint", theory.CONSTRAINTS)
def test_that_no_function_of_the_class_exceeds_the_loss_bound(constraint):
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
    assert largest == pytest.approx(limit.score_bound)
    assert limit.value == pytest.approx((-largest - 1) ** 2)
    assert limit.lipschitz == pytest.approx(2 * math.sqrt(limit.value))


def test_that_the_corrected_bound_with_learned_weights_holds_on_repeated_samples():
    """Kernel ridge on a known distribution: the true error never exceeds the bound."""
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
            kernel @ dual_coef, rademacher, Delta=0.05, loss_bound=limit.value, form="mohri"
        )
        scores = np.exp(-((test[:, None] - train) ** 2)) @ dual_coef
        assert np.mean((scores - 1) ** 2) <= result.value
        assert not result.is_vacuous


# --- Proposition 4


@pytest.mark.parametrize(("C", "G"), [(1, 1), (1, 12), (3, 7), (3, 12), (20, 2)])
def test_that_the_printed_ratios_are_the_ratios_of_the_bounds_on_the_whole_grid(C, G):
    memberships = np.full((6, C), 1 / C)
    for p, q in itertools.product(GRID, GRID):
        ratios = theory.complexity_ratios(C, G, p, q)
        own = bound(memberships, G, p, q).value
        for ratio in (ratios.joint_vector, ratios.disjoint_vector, ratios.disjoint_matrix):
            derived = own / bound(memberships, G, p, q, ratio.against).value
            assert ratio.value == pytest.approx(derived, rel=1e-12)
            assert ratio.value == pytest.approx(C**ratio.exponent_C * G**ratio.exponent_G)


@settings(deadline=None)
@given(C=counts, G=counts, p=orders, q=orders)
def test_that_the_joint_matrix_bound_is_lowest_when_q_is_at_most_p(C, G, p, q):
    p, q = max(p, q), min(p, q)
    ratios = theory.complexity_ratios(C, G, p, q)
    assert ratios.joint_vector.holds
    assert ratios.disjoint_vector.holds
    assert ratios.disjoint_matrix.holds


def test_that_the_claim_of_proposition_4_fails_and_is_reported_as_failing_for_q_above_p():
    ratios = theory.complexity_ratios(3, 12, p=1, q=10)
    assert ratios.joint_vector.value > 1
    assert not ratios.joint_vector.holds
    assert not theory.complexity_ratios(1, 12, p=1, q=10).disjoint_vector.holds
    assert theory.complexity_ratios(30, 2, p=1, q=10).disjoint_vector.holds
    assert ratios.disjoint_matrix.holds


# --- bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": 0.9}, "p is 0.9: pass a norm order of at least 1"),
        ({"q": math.nan}, "q is nan: pass a norm order"),
        ({"q": None}, "needs q"),
        ({"constraint": "joint"}, "use one of joint-matrix, joint-vector"),
        ({"form": "other"}, "use one of paper, learned-weights"),
        ({"Lambda": -1}, "Lambda is -1: pass a number of at least 0"),
        ({"Lambda": math.inf}, "Lambda is inf: pass a finite number"),
        ({"r": "1"}, "r is '1': pass a finite number"),
        ({"n_views": 0}, "n_views is 0: pass a whole number"),
        ({"n_views": 2.0}, "n_views is 2.0: pass a whole number"),
        ({"memberships": [0.5, 0.5]}, r"memberships has shape \(2,\)"),
        ({"memberships": np.ones((0, 2))}, "non-empty 2-D array"),
        ({"memberships": [[0.5, math.nan]]}, "memberships has NaN"),
        ({"memberships": [[1.5, -0.5]]}, "memberships are not probabilities"),
        ({"memberships": [[0.5, 0.4]]}, "memberships are not probabilities"),
        ({"memberships": [["a", "b"]]}, "memberships is not numeric"),
    ],
)
def test_that_bad_input_to_the_complexity_bound_is_named_in_one_sentence(change, message):
    good = {"Lambda": 1.0, "r": 1.0, "memberships": [[0.5, 0.5]], "n_views": 2, "p": 2, "q": 2}
    with pytest.raises(InvalidInputError, match=message) as caught:
        theory.rademacher_bound(**(good | change))
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Delta": 0.0}, "Delta is 0.0: pass a number above 0"),
        ({"Delta": 1.0}, "needs 0 < Delta < 1"),
        ({"loss_bound": 0.2}, "a training sample already has loss 0.25"),
        ({"scores": [0.5, 1.0, 1.0]}, "3 scores and the Rademacher bound is for 2"),
        ({"lipschitz": 2.0}, "the printed form has no Lipschitz constant"),
        ({"form": "mohri", "lipschitz": 0.5}, "has slope 1 at a training score"),
        ({"form": "mohry"}, "use one of paper, mohri"),
    ],
)
def test_that_bad_input_to_the_generalisation_bound_is_named_in_one_sentence(change, message):
    rademacher = bound(np.ones((2, 1)), 1, 2, 2)
    good = {"scores": [0.5, 1.0], "rademacher": rademacher, "Delta": 0.1, "loss_bound": 1.0}
    with pytest.raises(InvalidInputError, match=message):
        theory.generalisation_bound(**(good | change))


@pytest.mark.parametrize(
    "call",
    [
        lambda: theory.dual_norm_bound(10, 0.0),
        lambda: theory.dual_norm_bound(10, 1.0, -1.0),
        lambda: theory.fixed_weights_rademacher_bound(Lambda=1, effective_kernel_diagonal=[-1.0]),
        lambda: theory.complexity_ratios(3, 4, 2, 0.5),
        lambda: theory.complexity_ratios(True, 4, 2, 2),
    ],
)
def test_that_every_other_function_rejects_bad_input_too(call):
    with pytest.raises(InvalidInputError):
        call()
