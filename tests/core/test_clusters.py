"""Kernel k-means and memberships."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from lmkl_core.clusters import centres_of, fit_clusters
from tests.core.problems import rbf_gram
from tests.core.recordings import refusal


def blobs(centres, per_blob=15, spread=0.1, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(centres)), per_blob)
    order = rng.permutation(len(labels))
    X = np.asarray(centres, dtype=float)[labels] + spread * rng.normal(size=(len(labels), 2))
    return X[order], labels[order]


def same_partition(one, two):
    return len(set(zip(one, two, strict=True))) == len(set(one)) == len(set(two))


def distances_to_centres(X, labels, n_clusters):
    """Euclidean distances of the rows to the cluster means, computed in the input space."""
    centres = np.array([X[labels == c].mean(axis=0) for c in range(n_clusters)])
    return np.sqrt(((X[:, None] - centres[None]) ** 2).sum(axis=-1))


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_that_separated_blobs_are_found(kernel):
    for seed in range(5):
        X, labels = blobs([(0, 0), (3, 0), (0, 3), (3, 3)], seed=seed)
        K = rbf_gram(X, 1.0) if kernel == "rbf" else X @ X.T
        _, found = fit_clusters(K, 4, random_state=seed)
        assert same_partition(found, labels)


def test_that_a_linear_kernel_gives_a_cost_as_low_as_plain_k_means():
    X = np.random.default_rng(0).normal(size=(60, 2))
    for n_clusters in (2, 3, 5):
        _, labels = fit_clusters(X @ X.T, n_clusters, random_state=0)
        cost = (distances_to_centres(X, labels, n_clusters).min(axis=1) ** 2).sum()
        plain = KMeans(n_clusters, n_init=10, random_state=0).fit(X).inertia_
        assert cost <= plain * 1.05


def test_that_no_sample_is_nearer_to_another_centre_than_to_its_own():
    X = np.random.default_rng(1).normal(size=(50, 2))
    _, labels = fit_clusters(X @ X.T, 4, random_state=0)
    distances = distances_to_centres(X, labels, 4)
    np.testing.assert_array_equal(np.argmin(distances, axis=1), labels)


@settings(max_examples=30)
@given(
    n=st.integers(1, 25),
    n_clusters=st.integers(1, 6),
    distinct=st.integers(1, 25),
    seed=st.integers(0, 100),
)
def test_that_no_cluster_is_empty_however_many_rows_are_copies(n, n_clusters, distinct, seed):
    n_clusters = min(n, n_clusters)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(distinct, 2))[rng.integers(distinct, size=n)]
    clusters, labels = fit_clusters(rbf_gram(X, 0.5), n_clusters, random_state=seed)
    assert sorted(set(labels)) == list(range(n_clusters))
    np.testing.assert_allclose(clusters.coefficients.sum(axis=0), 1)
    assert np.all(np.isfinite(clusters.square_norms))


def test_that_clusters_are_numbered_in_order_of_first_appearance():
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(30, 2))
        _, labels = fit_clusters(rbf_gram(X, 0.5), 4, random_state=seed)
        _, first = np.unique(labels, return_index=True)
        assert np.all(np.diff(first) > 0)


def test_that_too_few_samples_are_refused_with_both_numbers():
    assert "n_samples=2 is smaller than n_clusters=3" in refusal(fit_clusters, np.eye(2), 3)


def test_that_centres_are_means_in_kernel_space():
    X = np.random.default_rng(5).normal(size=(12, 3))
    labels = np.arange(12) % 3
    clusters = centres_of(X @ X.T, labels, 3)
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(clusters.coefficients.T @ X, means, atol=1e-12)
    np.testing.assert_allclose(clusters.square_norms, (means**2).sum(axis=1), atol=1e-12)


def test_that_memberships_are_a_softmax_of_distances_to_the_centres():
    X, _ = blobs([(0, 0), (2, 0), (0, 2)], spread=0.5)
    new = np.random.default_rng(6).normal(size=(9, 2))
    clusters, labels = fit_clusters(X @ X.T, 3, random_state=0)
    centres = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    distances = np.sqrt(((new[:, None] - centres[None]) ** 2).sum(axis=-1))
    for temperature in [0.05, 0.4, 2.0]:
        found = clusters.memberships(new @ X.T, np.sum(new**2, axis=1), temperature)
        np.testing.assert_allclose(found, softmax(-distances / temperature), atol=1e-7)
