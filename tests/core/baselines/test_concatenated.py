"""Methods on all views side by side, each against scikit-learn or a formula written out."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.covariance import LedoitWolf
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.neural_network import MLPRegressor
from sklearn.svm import OneClassSVM

from lmkl_core import InvalidInputError
from lmkl_core.baselines import (
    AutoEncoder,
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    NearestNeighbour,
)
from lmkl_core.baselines.concatenated import LEAST_SHRINKAGE, ShrunkGaussian
from tests.core.recordings import recording, takes_of, width_rule


def side_by_side(views, training):
    """Standardised columns, each view divided by the root of its number of columns."""
    parts = []
    for name in sorted(views):
        mean, spread = training[name].mean(axis=0), training[name].std(axis=0)
        parts.append((views[name] - mean) / spread / np.sqrt(views[name].shape[1]))
    return np.hstack(parts)


@pytest.fixture(scope="module")
def data():
    """Training and new views, and the same side by side."""
    views, new = recording(), recording(1, n=11)
    return views, new, side_by_side(views, views), side_by_side(new, views)


def distances(model, new):
    return 1 / model.score_samples(new) - 1


def test_that_the_one_class_svm_is_scikit_learns_with_the_papers_width(data):
    views, new, X, Y = data
    model = ConcatenatedOCSVM(nu=0.2).fit(views)
    peer = OneClassSVM(nu=0.2, gamma=1 / (2 * width_rule(X) ** 2), tol=1e-8).fit(X)
    expected = peer.score_samples(Y) / (0.2 * len(X))
    assert np.allclose(model.score_samples(new), expected, atol=1e-6)


def test_that_neighbours_are_the_nearest_rows(data):
    for count in [1, 3]:
        views, new, X, Y = data
        model = NearestNeighbour(n_neighbors=count).fit(views)
        nearest = np.sort(cdist(Y, X), axis=1)[:, :count].mean(axis=1)
        assert np.allclose(distances(model, new), nearest)


def test_that_no_more_neighbours_are_asked_for_than_there_are_rows():
    views = {name: X[:6] for name, X in recording().items()}
    model = NearestNeighbour(n_neighbors=50).fit(views)
    X = side_by_side(views, views)
    assert np.allclose(distances(model, views), cdist(X, X).mean(axis=1))


def test_that_distances_are_those_of_scikit_learns_ledoit_wolf_estimate():
    for columns, largest, seed in [(5, 3, 5), (30, 3, 30), (80, 3, 80), (3, 0.2, 2)]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, columns)) * np.linspace(0.2, largest, columns) + 2.0
        Y = rng.normal(size=(7, columns)) * 2
        peer, ours = LedoitWolf().fit(X), ShrunkGaussian.of(X)
        assert ours.shrinkage == pytest.approx(peer.shrinkage_)
        assert (ours.shrinkage == 1) == (largest == 0.2)  # there is no structure to keep
        assert np.allclose(ours.square_distances(Y), peer.mahalanobis(Y))


def test_that_the_mahalanobis_distance_is_taken_on_all_columns(data):
    views, new, X, Y = data
    expected = np.sqrt(LedoitWolf().fit(X).mahalanobis(Y) / X.shape[1])
    assert np.allclose(distances(MahalanobisDistance().fit(views), new), expected)


def test_that_distances_stay_finite_where_rows_do_not_vary():
    rows = np.array([[1.0, 2.0, 0.0], [-1.0, 2.0, 0.0]])
    model = ShrunkGaussian.of(rows)
    assert model.shrinkage == LEAST_SHRINKAGE
    assert np.all(np.isfinite(model.square_distances(np.eye(3))))
    still = ShrunkGaussian.of(np.ones((3, 2)))
    assert np.all(np.isfinite(still.square_distances(np.ones((2, 2)))))


def test_that_rows_too_large_for_a_distance_are_refused(data):
    views, new, _, _ = data
    huge = {name: X * 1e200 for name, X in new.items()}
    with pytest.raises(InvalidInputError, match="too large to be scored"):
        MahalanobisDistance().fit(views).score_samples(huge)


def test_that_the_mixture_ranks_by_its_density(data):
    views, new, X, Y = data
    model = MixtureDensity(n_components=2, random_state=0).fit(views)
    pca = PCA(9, svd_solver="full").fit(X)
    scale = np.sqrt(np.mean(pca.explained_variance_))
    peer = GaussianMixture(2, covariance_type="diag", reg_covar=1e-3, random_state=0)
    density = peer.fit(pca.transform(X) / scale).score_samples(pca.transform(Y) / scale)
    # As if all Gaussians peaked at one point.
    heights = [np.prod(1 / np.sqrt(2 * np.pi * variances)) for variances in peer.covariances_]
    peak = np.log(peer.weights_ @ heights)
    assert np.allclose(distances(model, new), (peak - density) / 9, atol=1e-6)


def test_that_a_mixture_too_large_for_its_rows_is_made_smaller_and_told():
    views = {name: X[:12] for name, X in recording().items()}
    model = MixtureDensity(n_components=9, random_state=0).fit(views)
    assert any("Gaussians, not 9" in note for note in model.notes_)
    assert MixtureDensity(n_components=1, random_state=0).fit(views).notes_ == ()


def test_that_the_auto_encoder_squeezes_whitened_components_through_its_bottleneck(data):
    for bottleneck, units in [(0.1, 1), (0.25, 2), (1.0, 9)]:
        views, new, X, Y = data
        model = AutoEncoder(bottleneck=bottleneck, max_iter=20, random_state=0).fit(views)
        pca = PCA(9).fit(X)
        Z, W = (pca.transform(some) / np.sqrt(pca.explained_variance_) for some in (X, Y))
        layers = {"hidden_layer_sizes": (9, units, 9), "activation": "tanh", "alpha": 1e-2}
        with pytest.warns(ConvergenceWarning):
            peer = MLPRegressor(**layers, solver="lbfgs", max_iter=20, random_state=0).fit(Z, Z)
        expected = np.mean((W - peer.predict(W)) ** 2, axis=1)
        assert np.allclose(distances(model, new), expected, rtol=1e-3)


def test_that_a_network_that_was_stopped_early_is_told(data):
    model = AutoEncoder(max_iter=2, random_state=0).fit(data[0])
    assert any("in 2 steps" in note for note in model.notes_)


def test_that_parameters_out_of_range_are_refused():
    for model, match in [
        (ConcatenatedOCSVM(nu=2), "nu=2"),
        (NearestNeighbour(n_neighbors=0), "n_neighbors=0"),
        (MixtureDensity(n_components=1.5), "n_components=1.5"),
        (MixtureDensity(random_state="x"), "random_state='x'"),
        (MixtureDensity(max_iter=0), "max_iter=0"),
        (AutoEncoder(bottleneck=0), "bottleneck=0"),
        (AutoEncoder(alpha=-1), "alpha=-1"),
        (MahalanobisDistance(target_bpcer=1.0), "target_bpcer=1.0"),
        (MahalanobisDistance(block_length=0), "block_length=0"),
    ]:
        with pytest.raises(InvalidInputError, match=match):
            model.fit(recording(), groups=takes_of(36, 3))
