"""Kernel problems for the benchmarks: the paper's size, and hard sets."""

import numpy as np

from lmkl_core.clusters import fit_clusters
from lmkl_core.kernels import fit_kernel, gram

N_SAMPLES, N_VIEWS, N_CLUSTERS = 300, 12, 3


def generated_views(n=N_SAMPLES, n_views=N_VIEWS, seed=0, columns=(10, 60)):
    """Unit-norm views of one latent cloud with three clumps, of unequal quality."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * rng.standard_normal((N_CLUSTERS, 8))
    latent = centres[rng.integers(0, N_CLUSTERS, n)] + rng.standard_normal((n, 8))
    views = []
    for _ in range(n_views):
        width = int(rng.integers(*columns))
        signal = latent @ rng.standard_normal((8, width)) * rng.uniform(0.3, 1.2)
        view = signal + rng.uniform(0.2, 3.0) * rng.standard_normal((n, width))
        views.append(view / np.linalg.norm(view, axis=1, keepdims=True))
    return views


def plain(n=N_SAMPLES, temperature=0.1, seed=0):
    """RBF Gram matrices with the paper's width, and memberships of kernel k-means."""
    views = generated_views(n, seed=seed)
    grams = np.stack([gram(fit_kernel("rbf", "view", view), view) for view in views])
    mean = grams.mean(axis=0)
    clusters, _ = fit_clusters(mean, N_CLUSTERS, random_state=seed)
    return grams, clusters.memberships(mean, np.diag(mean), temperature)


def duplicates(n=N_SAMPLES):
    """Every sample about three times, and three identical views."""
    grams, memberships = plain(n)
    rows = np.random.default_rng(1).integers(0, n // 3, n)
    grams = grams[:, rows][:, :, rows]
    grams[3] = grams[5] = grams[4]
    return grams, memberships[rows]


def near_singular(n=N_SAMPLES):
    """Nearly constant kernels, the identity and the all-ones matrix."""
    grams, memberships = plain(n)
    points = np.random.default_rng(2).standard_normal((n, 2))
    distances = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    for g in range(0, N_VIEWS, 2):
        grams[g] = np.exp(-1e-6 * (g + 1) * distances)
    grams[1], grams[3] = np.eye(n), np.ones((n, n))
    return grams, memberships


def vanishing_weights(n=N_SAMPLES):
    """Kernels whose scales span eleven decades, and one of zeros."""
    grams, memberships = plain(n)
    grams *= 10.0 ** (np.arange(N_VIEWS) - 8)[:, None, None]
    grams[2] = 0.0
    return grams, memberships


def clusters_of_one(n=N_SAMPLES):
    """Two clusters hold a single sample each, with hard memberships."""
    grams, _ = plain(n)
    memberships = np.zeros((n, N_CLUSTERS))
    memberships[2:, 0] = 1.0
    memberships[0, 1] = memberships[1, 2] = 1.0
    return grams, memberships


def unequal_widths(n=N_SAMPLES):
    """Independent views from nearly constant to nearly diagonal kernels, soft clusters."""
    _, memberships = plain(n)
    rng = np.random.default_rng(3)
    grams = np.empty((N_VIEWS, n, n))
    for g in range(N_VIEWS):
        points = rng.standard_normal((n, 3))
        distances = np.sum((points[:, None] - points[None]) ** 2, axis=2)
        grams[g] = np.exp(-(10.0 ** (g / 3 - 2)) * distances)
    return grams, memberships


PROBLEMS = {
    "plain": plain,
    "duplicates": duplicates,
    "near-singular": near_singular,
    "vanishing weights": vanishing_weights,
    "clusters of one": clusters_of_one,
    "unequal widths": unequal_widths,
}
