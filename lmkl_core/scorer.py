r"""Scores of new samples, as a sum of one term for every cluster and view.

``f(y) = sum_cg mu_cg p_c(y) sum_i k_g(y, x_i) coef_g[i, c]`` with ``coef[i, c] = p_c(x_i)
lambda_i`` for the exact model. On inducing points every view has its own coefficients.
"""

import math

import numpy as np

from lmkl_core.clusters import Clusters
from lmkl_core.errors import InvalidInputError
from lmkl_core.kernels import PRECOMPUTED, ViewKernel

BLOCK_BYTES = 32 << 20
"""Kernel rows are computed in blocks of at most this size."""


class SupportKernels:
    """Kernel values between new rows and fixed support rows, view by view."""

    def __init__(self, kernels: tuple[ViewKernel, ...], support: tuple[np.ndarray, ...]):
        self.kernels = kernels
        self.n_support = len(support[0])
        self.all_rbf = all(kernel.name == "rbf" for kernel in kernels)
        # RBF rows are centred, against cancellation, and divided by the width, so that the
        # exponent is x.y - |x|^2/2 - |y|^2/2.
        columns = [X.shape[1] for X in support]
        self._starts = np.concatenate([[0], np.cumsum(columns)[:-1]])
        self._parts = [slice(a, a + n) for a, n in zip(self._starts, columns, strict=True)]
        centres = [_centre(k, X) for k, X in zip(kernels, support, strict=True)]
        scales = [1 / k.width if k.name == "rbf" else 1.0 for k in kernels]
        self._centre = np.concatenate(centres)
        self._scale = np.repeat(scales, columns).astype(support[0].dtype)
        self._columns = [
            np.ascontiguousarray(((X - self._centre[part]) * self._scale[part]).T)
            for X, part in zip(support, self._parts, strict=True)
        ]
        halves = [0.5 * np.einsum("ij,ij->j", rows, rows) for rows in self._columns]
        self._halves = np.array(halves)[:, None, :]
        self._mean_diagonals = [
            float(np.mean(np.diag(X))) if kernel.name == PRECOMPUTED else 0.0
            for kernel, X in zip(kernels, support, strict=True)
        ]

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray | float]:
        """Return ``k_g(y, x_i)`` of shape ``(G, m, n)`` and the mean over views of ``k(y, y)``.

        For precomputed kernels ``k(y, y)`` is replaced by its mean over the training rows.
        """
        if self.all_rbf:
            return self._rbf(arrays), 1.0
        block = np.stack([self._view(g, array) for g, array in enumerate(arrays)])
        diagonals = [
            np.full(len(array), mean) if kernel.name == PRECOMPUTED else kernel.diagonal(array)
            for kernel, array, mean in zip(self.kernels, arrays, self._mean_diagonals, strict=True)
        ]
        return block, np.mean(diagonals, axis=0)

    def _rbf(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        y = np.concatenate(arrays, axis=1)
        y -= self._centre
        y *= self._scale
        block = np.empty((len(arrays), len(y), self.n_support), dtype=y.dtype)
        for part, columns, out in zip(self._parts, self._columns, block, strict=True):
            np.matmul(y[:, part], columns, out=out)
        y *= y
        halves = np.add.reduceat(y, self._starts, axis=1).T
        halves *= 0.5
        # One sum over the squared norms finds NaN and infinity in any view.
        if not math.isfinite(np.add.reduce(halves, axis=None)):
            _refuse(halves)
        block -= halves[:, :, None]
        block -= self._halves
        np.minimum(block, 0.0, out=block)  # rounding must not lift a kernel above 1
        return np.exp(block, out=block)

    def _view(self, g: int, array: np.ndarray) -> np.ndarray:
        kernel = self.kernels[g]
        if kernel.name == PRECOMPUTED:
            return array
        if kernel.name != "rbf":
            return kernel(array, self._columns[g].T)
        part = self._parts[g]
        y = (array - self._centre[part]) * self._scale[part]
        exponent = y @ self._columns[g]
        exponent -= 0.5 * np.einsum("ij,ij->i", y, y)[:, None]
        exponent -= self._halves[g]
        return np.exp(np.minimum(exponent, 0.0))


def _centre(kernel: ViewKernel, X: np.ndarray) -> np.ndarray:
    return X.mean(axis=0) if kernel.name == "rbf" else np.zeros(X.shape[1], dtype=X.dtype)


def _refuse(halves: np.ndarray) -> None:
    """Raise if a norm is not finite; the sum of finite norms may overflow, which is harmless."""
    found = np.argwhere(~np.isfinite(halves))
    if not len(found):
        return
    view, row = found[0]
    raise InvalidInputError(
        f"Values in view {view + 1} (first in row {row}) are too large to be scored: drop or "
        "rescale the row."
    )


class Scorer:
    """Contribution of every cluster and view to the score of new samples.

    ``coefficients`` have shape ``(n, C)`` if all views share them, else ``(G, n, C)``.
    """

    def __init__(self, support_kernels, clusters: Clusters, temperature, weights, coefficients):
        self.support_kernels = support_kernels
        self.clusters = clusters
        self.temperature = float(temperature)
        self.weights = weights
        self.coefficients = coefficients
        # One product of the kernel rows gives both the terms and the distances to the centres.
        centres = np.broadcast_to(clusters.coefficients, coefficients.shape)
        self._both = np.concatenate([coefficients, centres], axis=-1)

    def explain(self, arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms, ``(m, C, G)``, and the memberships, ``(m, C)``."""
        if len(arrays[0]) == 1:
            return self._block(arrays)
        blocks = [
            self._block(tuple(array[rows] for array in arrays))
            for rows in self._blocks(len(arrays[0]))
        ]
        terms, memberships = zip(*blocks, strict=True)
        return np.concatenate(terms), np.concatenate(memberships)

    def memberships(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return ``p_c(y)``, ``(m, C)``."""
        parts = []
        for rows in self._blocks(len(arrays[0])):
            block, diagonal = self.support_kernels(tuple(array[rows] for array in arrays))
            mean = block.mean(axis=0, dtype=np.float64)
            parts.append(self.clusters.memberships(mean, diagonal, self.temperature))
        return np.concatenate(parts)

    def _blocks(self, m: int):
        width = self.support_kernels.n_support * self.weights.shape[1] * 8
        size = max(1, BLOCK_BYTES // width)
        return [slice(start, start + size) for start in range(0, m, size)]

    def _block(self, arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        block, diagonal = self.support_kernels(arrays)
        n_views, m, n = block.shape
        if self._both.ndim == 2:
            sums = (block.reshape(n_views * m, n) @ self._both).reshape(n_views, m, -1)
        else:
            sums = block @ self._both
        n_clusters = len(self.weights)
        products = np.add.reduce(sums[:, :, n_clusters:], axis=0) / n_views
        memberships = self.clusters.memberships_from(products, diagonal, self.temperature)
        terms = sums[:, :, :n_clusters].transpose(1, 2, 0) * self.weights
        terms *= memberships[:, :, None]
        return terms, memberships
