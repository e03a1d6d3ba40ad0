"""Constraint families and solvers, through the estimator, against simpler models."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge

from tests.core.problems import product_norm
from tests.core.recordings import kernel_stack, make, recording, width_rule

VIEWS = recording()
NEW = recording(1, n=9)


def test_that_the_joint_vector_norm_is_the_joint_matrix_norm_with_equal_exponents():
    for p in [32 / 31, 4 / 3, 4.0]:
        vector = make(constraint="joint-vector", p=p, q=7.0).fit(VIEWS)
        matrix = make(constraint="joint-matrix", p=p, q=p).fit(VIEWS)
        assert np.allclose(vector.kernel_weights_, matrix.kernel_weights_, rtol=1e-9)
        assert np.allclose(vector.score_samples(NEW), matrix.score_samples(NEW), rtol=1e-9)


@pytest.mark.parametrize(("p", "q"), [(4 / 3, 4 / 3), (8 / 7, 2.0), (4.0, 10.0)])
def test_that_one_cluster_is_the_non_localised_method(p, q):
    views = {name: VIEWS[name] for name in ("eyes", "skin")}
    model = make(n_clusters=1, p=p, q=q, tol=1e-9).fit(views)
    assert np.array_equal(model.memberships_, np.ones((36, 1)))
    kernels = kernel_stack(model, views, views)

    def objective(share):
        weights = np.array([share, 1 - share])
        weights = weights / np.sqrt(product_norm(weights, p, q))
        matrix = np.tensordot(weights, kernels, axes=1) + 3.6 * np.eye(36)
        return np.linalg.solve(matrix, np.ones(36)).sum()

    best = minimize_scalar(objective, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    share = model.kernel_weights_[0, 0] / model.kernel_weights_.sum()
    assert share == pytest.approx(best.x, abs=1e-4)
    assert model.solution_.objective == pytest.approx(best.fun, rel=1e-8)
    assert product_norm(model.kernel_weights_[0], p, q) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("family", ["joint-matrix", "disjoint-matrix", "disjoint-vector"])
def test_that_the_learned_weights_lie_on_the_boundary_of_their_family(family):
    weights = make(n_clusters=3, constraint=family, p=4 / 3, q=2.0).fit(VIEWS).kernel_weights_
    groups = weights.reshape(1, -1) if family.startswith("joint") else weights
    q = 4 / 3 if family.endswith("vector") else 2.0
    assert np.allclose(product_norm(groups, 4 / 3, q), 1, rtol=1e-9)
    assert np.all(weights >= 0)
    assert np.ptp(weights) > 0.01


def test_that_no_family_is_better_than_one_whose_set_contains_its_own():
    # |mu_c|_p <= 1 for every cluster allows more than |mu|_p <= 1 for all together.
    objective = {
        family: make(n_clusters=3, constraint=family).fit(VIEWS).solution_.objective
        for family in ("joint-vector", "disjoint-vector", "uniform", "single")
    }
    assert objective["disjoint-vector"] < objective["joint-vector"]
    assert objective["joint-vector"] < objective["uniform"]
    assert objective["joint-vector"] < objective["single"]


def test_that_uniform_weights_are_equal_and_of_norm_one():
    for p, q in [(4 / 3, 4 / 3), (2.0, 4.0)]:
        weights = make(n_clusters=3, constraint="uniform", p=p, q=q).fit(VIEWS).kernel_weights_
        assert np.ptp(weights) == 0
        assert product_norm(weights.ravel(), p, q) == pytest.approx(1, rel=1e-12)


def test_that_the_single_family_weighs_the_chosen_view_alone():
    for view, column in [(None, 0), (1, 1), ("skin", 2)]:
        weights = make(n_clusters=2, constraint="single", view=view).fit(VIEWS).kernel_weights_
        assert np.all(np.delete(weights, column, axis=1) == 0)
        assert np.ptp(weights[:, column]) == 0
        assert product_norm(weights[:, column], 4 / 3, 4 / 3) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_that_a_single_kernel_without_clusters_is_kernel_ridge_on_ones(kernel):
    for delta in [1e-3, 0.1, 10.0]:
        model = make(constraint="single", view="mouth", n_clusters=1, delta=delta, kernel=kernel)
        X, Y = VIEWS["mouth"], NEW["mouth"]
        gamma = {"gamma": 1 / (2 * width_rule(X) ** 2)} if kernel == "rbf" else {}
        ridge = KernelRidge(alpha=delta * 36, kernel=kernel, **gamma).fit(X, np.ones(36))
        model.fit(VIEWS)
        assert np.allclose(model.score_samples(NEW), ridge.predict(Y), rtol=1e-9, atol=1e-12)
        assert np.allclose(model.dual_coef_, ridge.dual_coef_, rtol=1e-9)
        one_view = make(n_clusters=1, delta=delta, kernel=kernel).fit(X)
        assert np.allclose(one_view.score_samples(Y), ridge.predict(Y), rtol=1e-9, atol=1e-12)


def test_that_fixed_weights_are_optimal_in_their_set_of_one():
    for constraint in ["uniform", "single"]:
        model = make(constraint=constraint).fit(VIEWS)
        assert model.gap_ <= 1e-9
        assert model.solution_.stop_reason == "fixed weights"
        assert model.extend(NEW).gap_ <= 1e-9


@pytest.mark.parametrize("n_clusters", [1, 3])
def test_that_algorithm_1_reaches_the_same_weights_where_it_converges(n_clusters):
    printed = make(n_clusters=n_clusters, solver="algorithm-1").fit(VIEWS)
    certified = make(n_clusters=n_clusters, tol=1e-11).fit(VIEWS)
    assert printed.solution_.stop_reason == "fixed point"
    assert np.allclose(printed.kernel_weights_, certified.kernel_weights_, rtol=1e-4)
    assert np.allclose(printed.score_samples(NEW), certified.score_samples(NEW), rtol=1e-6)
    assert printed.gap_ <= 1e-6


def test_that_algorithm_1_warns_where_it_does_not_converge_and_its_gap_says_so():
    model = make(solver="algorithm-1", p=10.0, q=10.0, max_iter=30)
    with pytest.warns(ConvergenceWarning, match="Algorithm 1 as printed did not converge"):
        model.fit(VIEWS)
    assert model.gap_ > 1e-4
    certified = make(p=10.0, q=10.0).fit(VIEWS)
    assert certified.gap_ <= 1e-6
    true_gap = 1 - certified.solution_.objective / model.solution_.objective
    assert 0 < true_gap <= model.gap_


def test_that_a_tolerance_out_of_reach_is_told():
    with pytest.warns(ConvergenceWarning, match=r"gap .* stayed above tol"):
        make(tol=1e-15).fit(VIEWS)
