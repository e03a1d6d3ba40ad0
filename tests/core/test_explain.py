"""Scores and explanations compared with the paper's formula, written out in loops."""

import numpy as np
import pytest

from lmkl_core.solver.constraints import FAMILIES
from tests.core.recordings import kernel_stack, make, memberships_of, rbf, recording

VIEWS = recording(n=24)
NEW = recording(1, n=7)


def transcribed(model, training, new):
    """``mu_cg p_c(y) sum_i lambda_i p_c(x_i) k_g(y, x_i)`` for every y, c and g."""
    at_training = memberships_of(model, training, training)
    at_new = memberships_of(model, training, new)
    mu, coefficients = model.kernel_weights_, model.dual_coef_
    terms = np.zeros((len(at_new), *mu.shape))
    for j in range(len(at_new)):
        for c in range(mu.shape[0]):
            for g, name in enumerate(model.view_names_):
                width, y = model.kernels_[g].width, new[name][j]
                for i in range(len(coefficients)):
                    similarity = rbf(y, training[name][i], width)
                    terms[j, c, g] += coefficients[i] * at_training[i, c] * similarity
                terms[j, c, g] *= mu[c, g] * at_new[j, c]
    return terms


@pytest.mark.parametrize("constraint", [*FAMILIES, "uniform", "single"])
def test_that_contributions_are_the_terms_of_the_paper_and_sum_to_the_score(constraint):
    for n_clusters in [1, 3]:
        model = make(n_clusters=n_clusters, constraint=constraint, q=2.0, temperature=0.2).fit(
            VIEWS
        )
        expected = transcribed(model, VIEWS, NEW)
        explained = model.explain(NEW)
        assert explained.shape == (7, n_clusters, 3)
        assert np.allclose(explained, expected, rtol=1e-9, atol=1e-14)
        scores = model.score_samples(NEW)
        assert np.allclose(explained.sum(axis=(1, 2)), scores, rtol=1e-12, atol=0)
        assert np.allclose(scores, expected.sum(axis=(1, 2)), rtol=1e-10)


def test_that_inducing_points_explain_by_the_same_formula_on_projected_kernels():
    model = make(n_clusters=2, n_inducing=8).fit(VIEWS)
    basis = model._fitted.problem.basis
    names = model.view_names_
    landmarks = dict(zip(names, basis.landmarks.arrays, strict=True))
    inner = kernel_stack(model, landmarks, landmarks)
    left, right = kernel_stack(model, NEW, landmarks), kernel_stack(model, VIEWS, landmarks)
    P, Q = model.memberships(NEW), model.memberships_
    expected = np.zeros((7, 2, 3))
    for g in range(3):
        projected = left[g] @ np.linalg.solve(inner[g], right[g].T)
        for c in range(2):
            weighted = projected @ (Q[:, c] * model.dual_coef_)
            expected[:, c, g] = model.kernel_weights_[c, g] * P[:, c] * weighted
    assert np.allclose(model.explain(NEW), expected, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("n_inducing", [None, 8])
@pytest.mark.parametrize("kernel", ["rbf", ["rbf", "linear", "rbf"]])
def test_that_scores_do_not_depend_on_the_block_size(monkeypatch, n_inducing, kernel):
    model = make(n_clusters=3, n_inducing=n_inducing, kernel=kernel).fit(VIEWS)
    explained, shares = model.explain(VIEWS), model.memberships(VIEWS)
    for row_count in (1, 5):
        support = model._fitted.scorer.support_kernels.n_support
        monkeypatch.setattr("lmkl_core.scorer.BLOCK_BYTES", row_count * support * 3 * 8)
        blocks = model._fitted.scorer._blocks(24)
        assert len(blocks) == -(-24 // row_count)
        assert np.allclose(model.explain(VIEWS), explained, rtol=1e-10, atol=1e-14)
        assert np.allclose(model.memberships(VIEWS), shares, rtol=1e-10, atol=1e-14)


def test_that_a_large_offset_of_the_data_costs_no_accuracy():
    model = make().fit(VIEWS)
    shifted = make().fit({name: array + 1e6 for name, array in VIEWS.items()})
    scores = shifted.score_samples({name: array + 1e6 for name, array in NEW.items()})
    assert np.allclose(scores, model.score_samples(NEW), rtol=1e-6)
