"""Multiple-kernel SVDD and one-class SVM: scores and thresholds compared with formulas."""

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from lmkl_core import ConvergenceWarning, LocalisedMKL
from lmkl_core.baselines import MultipleKernelOCSVM, MultipleKernelSVDD
from tests.core.recordings import (
    kernel_matrix,
    kernel_stack,
    recording,
    refusal,
    rows,
    takes_of,
    width_rule,
)

BOTH = [MultipleKernelSVDD, MultipleKernelOCSVM]


def test_that_scores_of_rbf_kernels_are_the_weighted_kernel_expansion():
    for machine in BOTH:
        views, new = recording(), recording(1, n=9)
        model = machine(nu=0.2).fit(views)
        for name, kernel in zip(model.view_names_, model.kernels_, strict=True):
            assert kernel.width == pytest.approx(width_rule(views[name]))
        stack = kernel_stack(model, new, views)
        expected = np.tensordot(model.kernel_weights_[0], stack, axes=1) @ model.dual_coef_
        scores = model.score_samples(new)
        assert np.allclose(scores, expected, atol=1e-10)
        # A large offset costs no accuracy.
        views, new = ({name: X + 1e7 for name, X in part.items()} for part in (views, new))
        assert np.allclose(machine(nu=0.2).fit(views).score_samples(new), scores, atol=1e-5)


def test_that_svdd_of_linear_kernels_ranks_by_distance_from_the_centre():
    views, new = recording(), recording(1, n=9)
    model = MultipleKernelSVDD(nu=0.2, kernel="linear").fit(views)
    assert model.gap_ <= 1e-6

    # The feature space of weighted linear kernels is that of scaled columns.
    def features(part):
        columns = []
        for name, weight in zip(model.view_names_, model.kernel_weights_[0], strict=True):
            scale = np.sqrt(np.mean(np.sum(views[name] ** 2, axis=1)))
            columns.append(np.sqrt(weight) * part[name] / scale)
        return np.hstack(columns)

    training = features(views)
    centre = model.dual_coef_ @ training
    far = np.mean(np.sum(training**2, axis=1)) + centre @ centre
    squares = np.sum((features(new) - centre) ** 2, axis=1)
    assert np.allclose(model.score_samples(new), (far - squares) / 2, atol=1e-10)


def test_that_one_view_gives_scikit_learns_one_class_svm():
    X, new = recording()["eyes"], recording(1)["eyes"]
    model = MultipleKernelOCSVM(nu=0.3).fit(X)
    peer = OneClassSVM(nu=0.3, gamma=1 / (2 * width_rule(X) ** 2), tol=1e-8).fit(X)
    expected = peer.score_samples(new) / (0.3 * len(X))
    assert np.allclose(model.score_samples(new), expected, atol=1e-5)


@pytest.mark.parametrize("machine", BOTH)
def test_that_left_out_scores_come_from_refits_without_the_blocks(machine):
    views = recording(n=24)
    model = machine(nu=0.2, block_length=6).fit(views, groups=takes_of(24, 2))
    stack = kernel_stack(model, views, views)
    kernel = np.tensordot(model.kernel_weights_[0], stack, axes=1)
    expected = np.empty(24)
    for block in np.arange(24).reshape(4, 6):  # two takes of two blocks: each is a fold
        rest = np.setdiff1d(np.arange(24), block)
        peer = OneClassSVM(kernel="precomputed", nu=0.2, tol=1e-8)
        peer.fit(kernel[np.ix_(rest, rest)])
        expected[block] = peer.score_samples(kernel[np.ix_(block, rest)]) / (0.2 * len(rest))
    assert np.allclose(model.calibration_.scores, expected, atol=1e-5)
    assert model.offset_ == np.sort(model.calibration_.scores)[0]
    assert (model.calibration_.n_blocks, model.calibration_.n_takes) == (4, 2)


def test_that_blocks_are_those_of_localised_mkl():
    for machine in BOTH:
        views, groups = recording(n=60), takes_of(60, 3)
        ours = LocalisedMKL(n_clusters=1, delta=0.1).fit(views, groups=groups).calibration_
        theirs = machine().fit(views, groups=groups).calibration_
        assert theirs.block_length == ours.block_length
        assert theirs.n_blocks == ours.n_blocks


@pytest.mark.parametrize("machine", BOTH)
def test_that_too_many_rows_are_thinned_evenly_with_a_note(machine, monkeypatch):
    monkeypatch.setattr(machine, "most_rows", 20)
    views = recording(n=60)
    model = machine().fit(views, groups=takes_of(60, 3))
    kept = np.linspace(0, 59, 20).astype(int)
    same = machine().fit(rows(views, kept), groups=takes_of(60, 3)[kept])
    assert "20 evenly spaced rows of 60" in model.notes_[0]
    assert same.notes_ == ()
    assert np.array_equal(model.score_samples(views), same.score_samples(views))


def test_that_an_unmet_tolerance_is_noted_and_precomputed_kernels_are_refused():
    gram = kernel_matrix(recording()["eyes"], recording()["eyes"], 1.0)
    for machine in BOTH:
        with pytest.warns(ConvergenceWarning, match="iteration cap"):
            model = machine(max_iter=1).fit(recording())
        assert f"{model.gap_:.1e}" in model.notes_[0]
        assert machine().fit(recording()).notes_ == ()
        assert "precomputed" in refusal(machine(kernel="precomputed").fit, gram)
