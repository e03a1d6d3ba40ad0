"""Constraint families of the estimator, compared with simpler models."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lmkl_core.solver.problem import LEAST_ROUNDING
from tests.core.problems import product_norm
from tests.core.recordings import kernel_stack, make, recording

VIEWS = recording()
NEW = recording(1, n=9)


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
def test_that_learned_weights_lie_on_the_boundary_of_their_set(family):
    weights = make(n_clusters=3, constraint=family, p=4 / 3, q=2.0).fit(VIEWS).kernel_weights_
    groups = weights.reshape(1, -1) if family.startswith("joint") else weights
    q = 4 / 3 if family.endswith("vector") else 2.0
    assert np.allclose(product_norm(groups, 4 / 3, q), 1, rtol=1e-9)
    assert np.all(weights >= 0)
    assert np.ptp(weights) > 0.01


def test_that_uniform_weights_are_equal_and_of_norm_one():
    for p, q in [(4 / 3, 4 / 3), (2.0, 4.0)]:
        weights = make(n_clusters=3, constraint="uniform", p=p, q=q).fit(VIEWS).kernel_weights_
        assert np.ptp(weights) == 0
        assert product_norm(weights.ravel(), p, q) == pytest.approx(1, rel=1e-12)


def test_that_the_single_family_uses_only_the_chosen_view():
    for view, column in [(None, 0), (1, 1), ("skin", 2)]:
        weights = make(n_clusters=2, constraint="single", view=view).fit(VIEWS).kernel_weights_
        assert np.all(np.delete(weights, column, axis=1) == 0)
        assert np.ptp(weights[:, column]) == 0
        assert product_norm(weights[:, column], 4 / 3, 4 / 3) == pytest.approx(1, rel=1e-12)


def test_that_the_gap_of_fixed_weights_is_the_rounding_of_their_problem():
    for constraint in ["uniform", "single"]:
        model = make(constraint=constraint).fit(VIEWS)
        assert model.gap_ <= 1e-9
        assert model.solution_.stop_reason == "fixed weights"
        assert model.extend(NEW).gap_ <= 1e-9
    badly_conditioned = make(constraint="uniform", delta=1e-9).fit(VIEWS)
    assert badly_conditioned.gap_ > LEAST_ROUNDING
    assert badly_conditioned.extend(NEW).gap_ > LEAST_ROUNDING
