r"""Mahalanobis distances with the Ledoit-Wolf covariance, for any number of columns.

The estimate is ``(1 - a) S + a m I``, with ``S`` the covariance of ``n`` rows, ``m`` the mean of
its ``p`` eigenvalues and the shrinkage

``a = min(b, d) / d``,  ``b = (mean_i |x_i|^4 - |S|^2) / n``,  ``d = |S|^2 - tr(S)^2 / p``

(Ledoit and Wolf, 2004). scikit-learn computes the same from the ``p x p`` matrix, which is too much
for the tens of thousands of columns that networks give. With eigenvectors ``v_j`` and eigenvalues
``l_j > 0`` of ``S``, at most ``n - 1`` of them, the squared distance of ``x`` from the mean is

``sum_j (v_j . x)^2 / ((1 - a) l_j + a m) + r(x) / (a m)``,

``r`` being the squared length of what lies outside the span of the training rows: no column is
left out, and no matrix is larger than the rows times the columns.
"""

from dataclasses import dataclass

import numpy as np

from lmkl_core.baselines.base import closeness

LEAST_SHRINKAGE = 1e-3
"""Keeps distances finite in directions in which no row varies."""

NEGLIGIBLE = 1e-10
"""Eigenvalues smaller than this share of the largest are rounding."""


@dataclass(frozen=True)
class ShrunkGaussian:
    """Mean and shrunk covariance, in terms of principal axes.

    Attributes
    ----------
    mean : ndarray (p,)
    axes : ndarray (p, r)
        Eigenvectors.
    variances : ndarray (r,)
        Shrunk eigenvalues.
    floor : float
        Shrunk eigenvalue of all other directions.
    shrinkage : float
    """

    mean: np.ndarray
    axes: np.ndarray
    variances: np.ndarray
    floor: float
    shrinkage: float

    @classmethod
    def of(cls, X: np.ndarray) -> "ShrunkGaussian":
        """Estimate from rows."""
        n, p = X.shape
        mean = X.mean(axis=0)
        X = X - mean
        if p <= n:
            values, vectors = np.linalg.eigh(X.T @ X / n)
            kept = values > NEGLIGIBLE * max(values[-1], 0.0)
            axes = vectors[:, kept]
        else:
            values, vectors = np.linalg.eigh(X @ X.T / n)
            kept = values > NEGLIGIBLE * max(values[-1], 0.0)
            axes = X.T @ (vectors[:, kept] / np.sqrt(n * values[kept]))
        values = values[kept]
        shrinkage = ledoit_wolf_shrinkage(np.einsum("ij,ij->i", X, X), values, p)
        level = max(float(values.sum()) / p, np.finfo(float).tiny ** 0.5)
        floor = shrinkage * level
        return cls(mean, axes, (1 - shrinkage) * values + floor, floor, shrinkage)

    def square_distances(self, X: np.ndarray) -> np.ndarray:
        """Squared Mahalanobis distances of rows from the mean."""
        X = X - self.mean
        inside = (X @ self.axes) ** 2
        outside = np.maximum(np.einsum("ij,ij->i", X, X) - inside.sum(axis=1), 0.0)
        return inside @ (1 / self.variances) + outside / self.floor

    def scores(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        """Closeness, by the distance a column."""
        X = arrays[0].astype(np.float64)
        return closeness(np.sqrt(self.square_distances(X) / X.shape[1]))


def ledoit_wolf_shrinkage(squares: np.ndarray, eigenvalues: np.ndarray, n_columns: int) -> float:
    """Shrinkage from the rows' squared lengths and the covariance's eigenvalues."""
    n = len(squares)
    size = float(eigenvalues @ eigenvalues)
    spread = size - float(eigenvalues.sum()) ** 2 / n_columns
    noise = (float(np.mean(squares**2)) - size) / n
    if spread <= 0:  # all directions alike already
        return 1.0
    return float(np.clip(noise / spread, LEAST_SHRINKAGE, 1.0))
