"""Methods on the concatenated views, compared with scikit-learn or with formulas."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.covariance import LedoitWolf
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.neural_network import MLPRegressor
from sklearn.svm import OneClassSVM

from lmkl_core.baselines import (
    AutoEncoder,
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    MultipleKernelSVDD,
    NearestNeighbour,
)
from lmkl_core.baselines.concatenated import LEAST_SHRINKAGE, ShrunkGaussian
from tests.core.recordings import recording, refusal, width_rule


def concatenated(views, training):
    """Standardised columns, each view divided by the root of its number of columns."""
    parts = []
    for name in sorted(views):
        mean, spread = training[name].mean(axis=0), training[name].std(axis=0)
        parts.append((views[name] - mean) / spread / np.sqrt(views[name].shape[1]))
    return np.hstack(parts)


@pytest.fixture(scope="module")
def data():
    """Training and new views, and the same concatenated."""
    views, new = recording(), recording(1, n=11)
    return views, new, concatenated(views, views), concatenated(new, views)


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
    few = {name: X[:6] for name, X in recording().items()}
    X = concatenated(few, few)
    model = NearestNeighbour(n_neighbors=50).fit(few)
    assert np.allclose(distances(model, few), cdist(X, X).mean(axis=1))


def test_that_mahalanobis_distances_equal_scikit_learns_ledoit_wolf_estimate(data):
    for columns, largest, seed in [(5, 3, 5), (30, 3, 30), (80, 3, 80), (3, 0.2, 2)]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, columns)) * np.linspace(0.2, largest, columns) + 2.0
        Y = rng.normal(size=(7, columns)) * 2
        peer, ours = LedoitWolf().fit(X), ShrunkGaussian.of(X)
        assert ours.shrinkage == pytest.approx(peer.shrinkage_)
        assert (ours.shrinkage == 1) == (largest == 0.2)  # isotropic up to noise
        assert np.allclose(ours.square_distances(Y), peer.mahalanobis(Y))
    views, new, X, Y = data
    model = MahalanobisDistance().fit(views)
    expected = np.sqrt(LedoitWolf().fit(X).mahalanobis(Y) / X.shape[1])
    assert np.allclose(distances(model, new), expected)
    huge = {name: X * 1e200 for name, X in new.items()}
    assert "too large" in refusal(model.score_samples, huge)


def test_that_distances_stay_finite_where_rows_do_not_vary():
    rows = np.array([[1.0, 2.0, 0.0], [-1.0, 2.0, 0.0]])
    model = ShrunkGaussian.of(rows)
    assert model.shrinkage == LEAST_SHRINKAGE
    assert np.all(np.isfinite(model.square_distances(np.eye(3))))
    constant = ShrunkGaussian.of(np.ones((3, 2)))
    assert np.all(np.isfinite(constant.square_distances(np.ones((2, 2)))))


def test_that_the_mixture_ranks_by_density(data):
    views, new, X, Y = data
    model = MixtureDensity(n_components=2, random_state=0).fit(views)
    pca = PCA(9, svd_solver="full").fit(X)
    scale = np.sqrt(np.mean(pca.explained_variance_))
    peer = GaussianMixture(2, covariance_type="diag", reg_covar=1e-3, random_state=0)
    density = peer.fit(pca.transform(X) / scale).score_samples(pca.transform(Y) / scale)
    # The largest possible density: all Gaussians peak at the same point.
    heights = [np.prod(1 / np.sqrt(2 * np.pi * variances)) for variances in peer.covariances_]
    peak = np.log(peer.weights_ @ heights)
    assert np.allclose(distances(model, new), (peak - density) / 9, atol=1e-6)


def test_that_reduced_or_unconverged_models_are_noted(data):
    few = {name: X[:12] for name, X in recording().items()}
    for model, note in [
        (MixtureDensity(n_components=9, random_state=0), "not 9"),
        (AutoEncoder(max_iter=2, random_state=0), "in 2 steps"),
    ]:
        assert any(note in text for text in model.fit(few).notes_)
    assert MixtureDensity(n_components=1, random_state=0).fit(few).notes_ == ()


def test_that_the_auto_encoder_reconstructs_whitened_components_through_a_bottleneck(data):
    for bottleneck, units in [(0.1, 1), (0.25, 2), (1.0, 9)]:
        views, new, X, Y = data
        model = AutoEncoder(bottleneck=bottleneck, max_iter=20, random_state=0).fit(views)
        pca = PCA(9).fit(X)
        Z, W = (pca.transform(part) / np.sqrt(pca.explained_variance_) for part in (X, Y))
        layers = {"hidden_layer_sizes": (9, units, 9), "activation": "tanh", "alpha": 1e-2}
        with pytest.warns(ConvergenceWarning):
            peer = MLPRegressor(**layers, solver="lbfgs", max_iter=20, random_state=0).fit(Z, Z)
        expected = np.mean((W - peer.predict(W)) ** 2, axis=1)
        assert np.allclose(distances(model, new), expected, rtol=1e-3)


def test_that_parameters_out_of_range_are_refused():
    for estimator, name, value in [
        (ConcatenatedOCSVM, "nu", 2),
        (NearestNeighbour, "n_neighbors", 0),
        (MixtureDensity, "n_components", 1.5),
        (MixtureDensity, "random_state", "x"),
        (MixtureDensity, "max_iter", 0),
        (AutoEncoder, "bottleneck", 0),
        (AutoEncoder, "alpha", -1),
        (MahalanobisDistance, "target_bpcer", 1.0),
        (MahalanobisDistance, "block_length", 0),
        *[(MultipleKernelSVDD, "nu", value) for value in (0, -0.1, 1.5, "a", True, np.nan)],
    ]:
        assert f"{name}={value!r}" in refusal(estimator(**{name: value}).fit, recording())
