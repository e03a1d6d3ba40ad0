"""Kernel problems for the solver's tests, with plain arithmetic to check results.

Nothing here calls the library's own numerics: the kernels ``K_cg`` are formed one by one, the
objective is a dense solve, norms are sums of powers.
"""

from dataclasses import dataclass

import numpy as np

from lmkl_core.solver.constraints import make_constraint
from lmkl_core.solver.problem import GramProblem

PAPER_GRID = [32 / 31, 16 / 15, 8 / 7, 4 / 3, 2, 4, 8, 10]


@dataclass(frozen=True)
class Data:
    """Base kernels ``(G, n, n)``, memberships ``(n, C)`` and ``delta``."""

    grams: np.ndarray
    memberships: np.ndarray
    delta: float

    @property
    def shape(self):
        """Shape of the weights, ``(C, G)``."""
        return self.memberships.shape[1], len(self.grams)

    def problem(self):
        return GramProblem(self.grams, self.memberships, self.delta)

    def constraint(self, family, p, q=None):
        return make_constraint(family, p, p if q is None else q, *self.shape)

    def explicit_kernels(self):
        """All ``K_cg``, each an ``(n, n)`` matrix, in the order of flattened weights."""
        return np.array(
            [
                np.outer(column, column) * gram.astype(float)
                for column in self.memberships.T
                for gram in self.grams
            ]
        )

    def objective(self, weights):
        """``1^T (delta I + sum mu_cg K_cg)^-1 1`` by a dense solve."""
        n = len(self.memberships)
        matrix = self.delta * np.eye(n) + np.tensordot(
            np.ravel(weights), self.explicit_kernels(), axes=1
        )
        return float(np.ones(n) @ np.linalg.solve(matrix, np.ones(n)))


def norm(weights, order):
    """``l_p`` norm along the last axis, scaled by the largest weight against overflow."""
    top = np.maximum(np.max(weights, axis=-1), np.finfo(float).tiny)
    return top * np.sum((weights / top[..., None]) ** order, axis=-1) ** (1 / order)


def product_norm(weights, p, q):
    """``|m|_p |m|_q`` along the last axis."""
    return norm(weights, p) * norm(weights, q)


def onto_boundary(weights, p, q):
    """Scale along the last axis to ``|m|_p |m|_q = 1``."""
    return weights / np.sqrt(product_norm(weights, p, q))[..., None]


def feasible_weights(rng, count, size, p, q):
    """Points of norm one: dense, of many magnitudes, sparse, one-hot and equal weights."""
    kinds = rng.integers(4, size=(count, 1))
    dense = rng.exponential(size=(count, size))
    spread = np.exp(rng.uniform(0.1, 12, size=(count, 1)) * rng.normal(size=(count, size)))
    sparse = dense * (rng.random((count, size)) < rng.uniform(0.05, 0.9, size=(count, 1)))
    levels = np.where(rng.random((count, size)) < 0.5, 1.0, 10 ** rng.uniform(-6, 0, (count, 1)))
    points = np.choose(kinds, [dense, spread, sparse, levels])
    points[np.arange(count), rng.integers(size, size=count)] += 1e-3
    return onto_boundary(np.concatenate([points, np.eye(size), np.ones((1, size))]), p, q)


def square_distances(X):
    return np.sum((X[:, None] - X[None]) ** 2, axis=-1)


def rbf_gram(X, width):
    return np.exp(-square_distances(X) / (2 * width**2))


def soft_memberships(rng, n, n_clusters, sharpness=2.0):
    scores = np.exp(sharpness * rng.normal(size=(n, n_clusters)))
    return scores / scores.sum(axis=1, keepdims=True)


def small_data(seed=0, n=20, n_clusters=2, n_views=3, delta=2.0):
    """RBF kernels of different widths and columns, soft memberships."""
    rng = np.random.default_rng(seed)
    grams = [rbf_gram(rng.normal(size=(n, 2)), 0.3 * 1.7**g) for g in range(n_views)]
    return Data(np.array(grams), soft_memberships(rng, n, n_clusters), delta)


def mixed_widths(seed=0, n=60, n_views=12, n_clusters=3, delta_over_n=1e-3, sharpness=5.0):
    """One point cloud at widths from 0.01 to 50: weights compete, linear bounds are loose."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    grams = np.array([rbf_gram(X, 10 ** (g / 3 - 2)) for g in range(n_views)])
    return Data(grams, soft_memberships(rng, n, n_clusters, sharpness), delta_over_n * n)


def barely_negative(n=20, delta_over_n=1e-3):
    """A strong kernel, and one with a negative eigenvalue that validation just accepts.

    float32 kernels have such eigenvalues from rounding. Weight on the second kernel only hurts.
    """
    first = np.zeros((n, n))
    first[0, 0] = 1.0
    return Data(np.array([1e4 * first, first - 0.9e-7]), np.ones((n, 1)), delta_over_n * n)
