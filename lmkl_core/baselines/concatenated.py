r"""Compared methods on the concatenated columns of all views.

Columns are standardised on the training rows. Every view is then divided by the square root of its
number of columns, so that a view of 2048 columns counts no more than one of 59.

- The one-class SVM and the nearest neighbour only need distances and use all columns.
- The Mahalanobis distance needs a covariance of far more columns than rows. The Ledoit-Wolf
  estimate is invertible even then, and has a closed form.
- The mixture and the auto-encoder have parameters for every column. They use the leading principal
  components, at most `MOST_COMPONENTS` and at most one for four rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler

from lmkl_core.baselines.base import COMMON_CHECKS, Baseline, closeness, finite, unconverged
from lmkl_core.baselines.kernel_machines import MOST_GRAM_ROWS, KernelMachine
from lmkl_core.baselines.simplemkl import solve_one_class
from lmkl_core.kernels import ViewKernel, gram, half_mean_distance
from lmkl_core.validation import Check, check_integer, check_real, check_seed, check_share

MOST_COMPONENTS = 50
"""Maximum number of principal components."""

ROWS_PER_COMPONENT = 4
"""Minimum number of rows per principal component."""

ROWS_PER_GAUSSIAN = 5
"""Minimum number of rows per Gaussian of a mixture."""

LEAST_SPREAD = 1e-12
"""Replaces a spread of zero, for refits on copies of one row."""

LEAST_SHRINKAGE = 1e-3
"""Keeps distances finite in directions without variance."""

NEGLIGIBLE = 1e-10
"""Eigenvalues below this fraction of the largest count as rounding."""


class ColumnsModel:
    """A model of the standardised columns of all views, with its score function."""

    def __init__(self, arrays: tuple[np.ndarray, ...], fit: Callable[..., Any], score: Any):
        columns = [array.shape[1] for array in arrays]
        shares = np.repeat([1 / np.sqrt(count) for count in columns], columns)
        self.shares = shares.astype(arrays[0].dtype)
        self.scaler = StandardScaler().fit(np.hstack(arrays))
        self.model, self.score = fit(self.rows(arrays)), score

    def rows(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return rows of standardised columns."""
        return finite(self.scaler.transform(np.hstack(arrays)) * self.shares)

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        return self.score(self.model, self.rows(arrays))


class Concatenated(Baseline):
    """Base class of methods on the concatenated views."""

    def _learn(self, views, kernels, notes, cancel):
        def fit(rows: np.ndarray) -> ColumnsModel:
            fit_rows = partial(self._fit_rows, notes=notes)
            return ColumnsModel(views.rows(rows).arrays, fit_rows, self._score)

        fitted = fit(np.arange(views.n_samples))
        if "max_iter" in self.parameter_checks:
            self.n_iter_ = fitted.model[1].n_iter_
        return fitted, fit

    def _fit_rows(self, X: np.ndarray, notes: list[str]) -> Any:
        """Fit a model to rows."""
        raise NotImplementedError

    @staticmethod
    def _score(model: Any, X: np.ndarray) -> np.ndarray:
        """Score rows with a model."""
        raise NotImplementedError


@dataclass(kw_only=True, eq=False, repr=False)
class ConcatenatedOCSVM(Concatenated):
    """One-class SVM with an RBF kernel of the paper's width.

    Parameters
    ----------
    nu : float
        Upper bound on the share of outliers among the training rows, above 0 and at most 1.
    """

    nu: float = 0.1

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS | {"nu": check_share}

    def _fit_rows(self, X, notes):
        X = X.astype(np.float64)
        kernel = ViewKernel("rbf", max(half_mean_distance(X), LEAST_SPREAD))
        alpha = solve_one_class(gram(kernel, X), self.nu)
        return KernelMachine((kernel,), (1.0,), (X[alpha > 0],), alpha[alpha > 0], None)

    @staticmethod
    def _score(machine, X):
        return machine((X,))


@dataclass(kw_only=True, eq=False, repr=False)
class NearestNeighbour(Concatenated):
    """Mean distance to the nearest training rows.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours; at most the number of rows.
    """

    n_neighbors: int = 1

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS | {
        "n_neighbors": partial(check_integer, low=1)
    }

    def _fit_rows(self, X, notes):
        count = min(self.n_neighbors, len(X))
        return NearestNeighbors(n_neighbors=count, algorithm="brute").fit(X)

    @staticmethod
    def _score(index, X):
        return closeness(index.kneighbors(X)[0].mean(axis=1, dtype=np.float64))


@dataclass(frozen=True)
class ShrunkGaussian:
    """Mean and Ledoit-Wolf covariance along principal axes, for any number of columns.

    The covariance is ``(1 - a) S + a m I``, with ``S`` that of ``n`` rows and ``m`` the mean of its
    ``p`` eigenvalues (Ledoit and Wolf, 2004). scikit-learn needs the ``p x p`` matrix, which is too
    large for tens of thousands of columns. With eigenvectors ``v_j`` (``axes``) and eigenvalues
    ``l_j > 0`` of ``S``, at most ``n - 1`` of them, the squared distance of ``x`` from the mean is
    ``sum_j (v_j . x)^2 / ((1 - a) l_j + a m) + r(x) / (a m)`` with ``r`` the squared length of the
    part outside the span of the training rows; ``floor`` is ``a m``.
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
        values, vectors = np.linalg.eigh((X.T @ X if p <= n else X @ X.T) / n)
        kept = values > NEGLIGIBLE * max(values[-1], 0.0)
        values, axes = values[kept], vectors[:, kept]
        if p > n:
            axes = X.T @ (axes / np.sqrt(n * values))
        shrinkage = ledoit_wolf_shrinkage(np.einsum("ij,ij->i", X, X), values, p)
        level = max(float(values.sum()) / p, np.finfo(float).tiny ** 0.5)
        floor = shrinkage * level
        return cls(mean, axes, (1 - shrinkage) * values + floor, floor, shrinkage)

    def square_distances(self, X: np.ndarray) -> np.ndarray:
        """Return the squared Mahalanobis distances of rows from the mean."""
        X = X - self.mean
        inside = (X @ self.axes) ** 2
        outside = np.maximum(np.einsum("ij,ij->i", X, X) - inside.sum(axis=1), 0.0)
        return inside @ (1 / self.variances) + outside / self.floor


def ledoit_wolf_shrinkage(squares: np.ndarray, eigenvalues: np.ndarray, n_columns: int) -> float:
    """``a = min(b, d) / d``, ``b = (mean_i |x_i|^4 - |S|^2) / n``, ``d = |S|^2 - tr(S)^2 / p``.

    Computed from the squared lengths of the rows and the eigenvalues of the covariance.
    """
    n = len(squares)
    size = float(eigenvalues @ eigenvalues)
    spread = size - float(eigenvalues.sum()) ** 2 / n_columns
    noise = (float(np.mean(squares**2)) - size) / n
    if spread <= 0:  # the covariance is already isotropic
        return 1.0
    return float(np.clip(noise / spread, LEAST_SHRINKAGE, 1.0))


class MahalanobisDistance(Concatenated):
    """Mahalanobis distance from the mean, with the Ledoit-Wolf covariance.

    References
    ----------
    Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices",
    Journal of Multivariate Analysis 88, 2004.
    """

    # Computing the eigenvectors of this many rows takes a second, six times per fit.
    most_rows = MOST_GRAM_ROWS

    def _fit_rows(self, X, notes):
        return ShrunkGaussian.of(X.astype(np.float64))

    @staticmethod
    def _score(gaussian, X):
        X = X.astype(np.float64)
        return closeness(np.sqrt(gaussian.square_distances(X) / X.shape[1]))


@dataclass(frozen=True)
class Components:
    """Leading principal components, scaled together to a mean variance of one, or whitened."""

    pca: PCA
    spread: Any

    @classmethod
    def of(cls, X: np.ndarray, *, whiten: bool) -> "Components":
        """Fit them to rows."""
        count = min(MOST_COMPONENTS, X.shape[1], max(1, len(X) // ROWS_PER_COMPONENT))
        pca = PCA(count, random_state=0).fit(X)
        spread = np.sqrt(pca.explained_variance_.astype(np.float64))
        if not whiten:
            spread = np.sqrt(np.mean(spread**2))
        return cls(pca, np.maximum(spread, LEAST_SPREAD))

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return finite(self.pca.transform(X).astype(np.float64) / self.spread)


@dataclass(kw_only=True, eq=False, repr=False)
class MixtureDensity(Concatenated):
    """Density of a mixture of Gaussians, axis-aligned in the space of leading components.

    The distance of a row is a bound on the maximal log-density minus its own, per column.

    Parameters
    ----------
    n_components : int
        Number of Gaussians; reduced to one per `ROWS_PER_GAUSSIAN` rows.
    max_iter : int
        Maximum number of steps of expectation-maximisation.
    """

    n_components: int = 3
    max_iter: int = 300
    random_state: Any = None

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS | {
        "n_components": partial(check_integer, low=1),
        "max_iter": partial(check_integer, low=1),
        "random_state": check_seed,
    }

    def _fit_rows(self, X, notes):
        components = Components.of(X, whiten=False)
        count = min(self.n_components, max(1, len(X) // ROWS_PER_GAUSSIAN))
        if count < self.n_components:
            notes.append(
                f"The mixture has {count} Gaussians, not {self.n_components}: too few rows."
            )
        mixture = GaussianMixture(
            count,
            covariance_type="diag",
            reg_covar=1e-3,  # the mean variance is one: keeps Gaussians from collapsing onto a row
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        if unconverged(lambda: mixture.fit(components(X))):
            notes.append(f"The mixture did not converge in {self.max_iter} steps.")
        return components, mixture

    @staticmethod
    def _score(model, X):
        components, mixture = model
        # The density is largest if all Gaussians peak at the same point.
        roots = np.log(mixture.precisions_cholesky_)
        n_columns = roots.shape[1]
        peaks = roots.sum(axis=1) - 0.5 * n_columns * np.log(2 * np.pi)
        below = logsumexp(peaks, b=mixture.weights_) - mixture.score_samples(components(X))
        return closeness(np.maximum(below, 0.0) / n_columns)


@dataclass(kw_only=True, eq=False, repr=False)
class AutoEncoder(Concatenated):
    """Mean squared error of a network with a bottleneck that reconstructs its input.

    The input is the whitened leading components. There are three hidden layers with hyperbolic
    tangents, the middle one narrow and the others as wide as the input, fitted by L-BFGS.

    Parameters
    ----------
    bottleneck : float
        Width of the middle layer as a fraction of the input, above 0 and at most 1.
    alpha : float
        Weight decay.
    max_iter : int
        Maximum number of steps of L-BFGS.
    """

    bottleneck: float = 0.25
    alpha: float = 1e-2
    max_iter: int = 300
    random_state: Any = None

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS | {
        "bottleneck": check_share,
        "alpha": partial(check_real, low=0),
        "max_iter": partial(check_integer, low=1),
        "random_state": check_seed,
    }

    def _fit_rows(self, X, notes):
        components = Components.of(X, whiten=True)
        Z = components(X)
        width = Z.shape[1]
        network = MLPRegressor(
            hidden_layer_sizes=(width, max(1, round(self.bottleneck * width)), width),
            activation="tanh",
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        if unconverged(lambda: network.fit(Z, Z if width > 1 else Z.ravel())):
            notes.append(f"The auto-encoder did not converge in {self.max_iter} steps.")
        return components, network

    @staticmethod
    def _score(model, X):
        components, network = model
        Z = components(X)
        errors = Z - network.predict(Z).reshape(Z.shape)
        return closeness(np.mean(errors**2, axis=1))
