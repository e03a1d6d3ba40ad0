r"""Scores of new samples, as a sum of one term for every cluster and view.

``f(y) = sum_cg mu_cg p_c(y) sum_i k_g(y, x_i) coef_g[i, c]`` with ``coef[i, c] = p_c(x_i)
lambda_i`` for the exact model, and coefficients of each view's own on the inducing points.
The terms are the explanation; their sum is the score.

The work for one sample is one matrix-vector product a view. Everything else is done on all
views at once, so that its share stays small (``benchmarks/scoring.py``).
"""

import numpy as np

from lmkl_core.clusters import Clusters
from lmkl_core.kernels import PRECOMPUTED, ViewKernel

BLOCK_BYTES = 32 << 20
"""Kernel rows are made in blocks of at most this size."""


class SupportKernels:
    """Kernel values between new rows and fixed support rows, view by view."""

    def __init__(self, kernels: tuple[ViewKernel, ...], support: tuple[np.ndarray, ...]):
        self.kernels = kernels
        self.n_support = len(support[0])
        self._all_rbf = all(kernel.name == "rbf" for kernel in kernels)
        # For RBF rows are centred (against cancellation) and divided by the width, so that
        # the exponent is x.y - |x|^2/2 - |y|^2/2.
        self._centres: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []
        halves = []
        for kernel, X in zip(kernels, support, strict=True):
            is_rbf = kernel.name == "rbf"
            centre = X.mean(axis=0) if is_rbf else np.zeros(X.shape[1], dtype=X.dtype)
            rows = (X - centre) / X.dtype.type(kernel.width) if is_rbf else X
            self._centres.append(centre)
            self._rows.append(np.ascontiguousarray(rows))
            halves.append(0.5 * np.einsum("ij,ij->i", rows, rows))
        self._halves = np.array(halves)[:, None, :]
        self.mean_diagonal = float(
            np.mean([_support_diagonal(k, X) for k, X in zip(kernels, support, strict=True)])
        )

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray | float]:
        """Return ``k_g(y, x_i)`` of shape ``(G, m, n)`` and the mean over views of ``k(y, y)``.

        For precomputed kernels ``k(y, y)`` is unknown; the mean over the training rows stands
        in for it, which is exact for kernels with a constant diagonal.
        """
        if self._all_rbf:
            return self._rbf(arrays), 1.0
        block = np.stack([self._one(g, array) for g, array in enumerate(arrays)])
        diagonals = [
            np.full(len(array), self.mean_diagonal)
            if kernel.name == PRECOMPUTED
            else kernel.diagonal(array)
            for kernel, array in zip(self.kernels, arrays, strict=True)
        ]
        return block, np.mean(diagonals, axis=0)

    def _rbf(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        m = len(arrays[0])
        block = np.empty((len(arrays), m, self.n_support), dtype=self._rows[0].dtype)
        halves = np.empty((len(arrays), m, 1), dtype=block.dtype)
        for g, array in enumerate(arrays):
            y = (array - self._centres[g]) / self._centres[g].dtype.type(self.kernels[g].width)
            np.matmul(y, self._rows[g].T, out=block[g])
            halves[g, :, 0] = np.einsum("ij,ij->i", y, y)
        halves *= 0.5
        block -= halves
        block -= self._halves
        np.minimum(block, 0.0, out=block)
        return np.exp(block, out=block)

    def _one(self, g: int, array: np.ndarray) -> np.ndarray:
        kernel = self.kernels[g]
        if kernel.name == PRECOMPUTED:
            return array
        if kernel.name == "rbf":
            width = kernel.width
            y = (array - self._centres[g]) / width
            exponent = y @ self._rows[g].T
            exponent -= 0.5 * np.einsum("ij,ij->i", y, y)[:, None]
            exponent -= self._halves[g]
            return np.exp(np.minimum(exponent, 0.0))
        return kernel(array, self._rows[g])


def _support_diagonal(kernel: ViewKernel, X: np.ndarray) -> float:
    if kernel.name == PRECOMPUTED:
        return float(np.mean(np.diag(X)))
    return float(np.mean(kernel.diagonal(X)))


class Scorer:
    """Contribution of every cluster and view to the score of new samples.

    Parameters
    ----------
    support_kernels : SupportKernels
    clusters : Clusters
        Centres in the span of the same support rows.
    temperature : float
    weights : ndarray (C, G)
        ``mu``.
    coefficients : ndarray (n, C) or (G, n, C)
        What the kernel rows are multiplied with, shared by the views or of each its own.
    """

    def __init__(self, support_kernels, clusters: Clusters, temperature, weights, coefficients):
        self.support_kernels = support_kernels
        self.clusters = clusters
        self.temperature = float(temperature)
        self.weights = weights
        self.coefficients = coefficients

    def contributions(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return the terms of the score, ``(m, C, G)``."""
        return np.concatenate(
            [
                self._block(tuple(array[rows] for array in arrays))
                for rows in self._blocks(len(arrays[0]))
            ]
        )

    def memberships(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return ``p_c(y)``, ``(m, C)``."""
        parts = []
        for rows in self._blocks(len(arrays[0])):
            block, diagonal = self.support_kernels(tuple(array[rows] for array in arrays))
            parts.append(self._memberships(block, diagonal))
        return np.concatenate(parts)

    def _blocks(self, m: int):
        width = self.support_kernels.n_support * self.weights.shape[1] * 8
        size = max(1, BLOCK_BYTES // width)
        return [slice(start, start + size) for start in range(0, m, size)]

    def _memberships(self, block, diagonal) -> np.ndarray:
        mean = block.mean(axis=0)
        return self.clusters.memberships(mean, diagonal, self.temperature)

    def _block(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        block, diagonal = self.support_kernels(arrays)
        memberships = self._memberships(block, diagonal)
        n_views, m, n = block.shape
        if self.coefficients.ndim == 2:
            sums = (block.reshape(n_views * m, n) @ self.coefficients).reshape(n_views, m, -1)
        else:
            sums = block @ self.coefficients
        terms = sums.transpose(1, 2, 0) * self.weights
        terms *= memberships[:, :, None]
        return terms
