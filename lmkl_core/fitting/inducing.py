r"""The optimisation problem on inducing points, for large numbers of rows.

Each base kernel is replaced by its Nystroem approximation on ``M`` chosen rows,
``K_g ~ Phi_g Phi_g^T`` with ``Phi_g = k_g(X, X_M) R_g`` and ``R_g R_g^T`` the (truncated)
inverse of ``k_g(X_M, X_M)``. With ``Z_cg = diag(p_c) Phi_g`` the weighted kernel is
``sum_cg mu_cg Z_cg Z_cg^T``. It is still linear in the weights, so ``phi`` is still convex and the
certificate still holds, for the approximated kernels. (The usual subset of regressors has one
coefficient vector for all kernels, which would make the kernel nonlinear in the weights.)

The solver only needs the moments ``Z^T Z`` and ``Z^T 1`` of the ``N`` rows, summed over chunks in
one pass. With ``D = diag(mu)`` spread over the columns of ``Z`` and
``B = delta I + D^{1/2} Z^T Z D^{1/2}``:

* ``b = B^{-1} D^{1/2} Z^T 1``, ``phi = (N - 1^T Z D^{1/2} b) / delta``;
* ``e = Z^T lambda = (Z^T 1 - Z^T Z D^{1/2} b) / delta`` and ``u_cg = |e_cg|^2``.

Time is ``O(N R^2)`` and memory ``O(R^2 + chunk R)`` with ``R = C sum_g rank_g``, capped at
`LARGEST_RANK`; nothing of size ``N^2`` or ``N M`` is ever stored.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, lapack, solve_triangular
from scipy.linalg.blas import dsyrk
from sklearn.utils import check_random_state

from lmkl_core.clusters import Clusters, check_enough_samples, fit_clusters
from lmkl_core.errors import InvalidInputError
from lmkl_core.fitting.fit import Settings
from lmkl_core.kernels import PRECOMPUTED, gram, mean_gram
from lmkl_core.scorer import SupportKernels
from lmkl_core.solver.problem import Evaluation
from lmkl_core.validation import Views

LARGEST_RANK = 1800
"""Cap on ``R``; the moments then take 26 MB, and so does a Cholesky factor."""

CHUNK_ROWS = 1024
"""Number of rows in memory at a time."""

SAMPLE_ROWS = 1500
"""Number of rows from which landmarks and clusters are chosen."""


@dataclass(frozen=True)
class InducingBasis:
    """Landmarks, feature maps ``R_g`` and clusters, which map rows to features."""

    landmarks: Views
    kernels: SupportKernels
    maps: tuple[np.ndarray, ...]
    clusters: Clusters
    temperature: float

    @property
    def n_clusters(self) -> int:
        return self.clusters.coefficients.shape[1]

    @property
    def ranks(self) -> np.ndarray:
        return np.array([m.shape[1] for m in self.maps])

    def features(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Return ``Z`` of shape ``(m, R)``, clusters outermost, and the memberships."""
        rows, diagonal = self.kernels(views.arrays)
        mean = rows.mean(axis=0, dtype=np.float64)
        memberships = self.clusters.memberships(mean, diagonal, self.temperature)
        phi = np.concatenate(
            [rows[g].astype(np.float64, copy=False) @ m for g, m in enumerate(self.maps)], axis=1
        )
        z = memberships[:, :, None] * phi[:, None, :]
        return z.reshape(len(phi), -1), memberships

    def chunks(self, views: Views) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the features of all rows, `CHUNK_ROWS` at a time."""
        for start in range(0, views.n_samples, CHUNK_ROWS):
            yield self.features(views.rows(slice(start, start + CHUNK_ROWS)))


def build_basis(views: Views, kernels, n_inducing: int, settings: Settings) -> InducingBasis:
    """Choose landmarks by random pivoting on a sample of rows, and clusters on that sample."""
    n, n_clusters = views.n_samples, settings.n_clusters
    if any(kernel.name == PRECOMPUTED for kernel in kernels):
        raise InvalidInputError(
            "kernel='precomputed' cannot use inducing points: set n_inducing=None."
        )
    check_enough_samples(n, n_clusters)
    rng = check_random_state(settings.random_state)
    sample = np.sort(rng.permutation(n)[: max(SAMPLE_ROWS, 2 * n_inducing)])
    part = views.rows(sample)
    mean = mean_gram(kernels, part.arrays)
    chosen = _spread(mean, min(n_inducing, len(sample)), rng)
    sample_clusters, _ = fit_clusters(mean, n_clusters, random_state=rng)
    inner = mean[np.ix_(chosen, chosen)]
    ridge = 1e-10 * np.trace(inner) / len(chosen) * np.eye(len(chosen))
    coefficients = np.linalg.solve(inner + ridge, mean[chosen] @ sample_clusters.coefficients)
    norms = np.einsum("ic,ij,jc->c", coefficients, inner, coefficients, optimize=True)
    landmarks = part.rows(chosen)
    rank = LARGEST_RANK // (n_clusters * len(kernels))
    if rank == 0:
        raise InvalidInputError(
            f"{n_clusters} clusters and {len(kernels)} views are too many for inducing points: use "
            "fewer clusters or n_inducing=None."
        )
    maps = tuple(
        _feature_map(gram(kernel, array), rank)
        for kernel, array in zip(kernels, landmarks.arrays, strict=True)
    )
    support, clusters = SupportKernels(kernels, landmarks.arrays), Clusters(coefficients, norms)
    return InducingBasis(landmarks, support, maps, clusters, settings.temperature)


def _spread(kernel: np.ndarray, count: int, rng) -> np.ndarray:
    """Choose landmarks that span the sample, by randomly pivoted Cholesky."""
    residual = np.diag(kernel).copy()
    scale = residual.mean()
    factor = np.zeros((len(kernel), count))
    chosen: list[int] = []
    for step in range(count):
        total = residual.sum()
        if not total > 1e-10 * scale * len(kernel):
            break
        pick = int(np.searchsorted(np.cumsum(residual), rng.random_sample() * total))
        pick = min(pick, len(kernel) - 1)
        column = kernel[:, pick] - factor[:, :step] @ factor[pick, :step]
        if column[pick] <= 1e-12 * scale:
            residual[pick] = 0.0
            continue
        factor[:, step] = column / np.sqrt(column[pick])
        residual = np.maximum(residual - factor[:, step] ** 2, 0.0)
        residual[pick] = 0.0
        chosen.append(pick)
    return np.array(chosen)


def _feature_map(inner: np.ndarray, rank: int) -> np.ndarray:
    """``R`` with ``R R^T`` the truncated inverse of the landmarks' kernel."""
    values, vectors = np.linalg.eigh(np.asarray(inner, dtype=float))
    keep = np.flatnonzero(values > 1e-9 * values[-1])[-rank:]
    return vectors[:, keep] / np.sqrt(values[keep])


class InducingProblem:
    """The problem on moments, with the interface of `lmkl_core.solver.problem.GramProblem`."""

    def __init__(self, basis: InducingBasis, delta: float):
        self.basis, self.delta = basis, float(delta)
        self.n_clusters, self.n_views = basis.n_clusters, len(basis.maps)
        self.n_samples, self.n_solves = 0, 0
        ranks = basis.ranks
        self.rank = int(ranks.sum()) * self.n_clusters
        self._kernel_of_column = np.tile(np.repeat(np.arange(self.n_views), ranks), self.n_clusters)
        self._kernel_of_column += np.repeat(np.arange(self.n_clusters) * self.n_views, ranks.sum())
        self.second_moments = np.zeros((self.rank, self.rank), order="F")
        self.first_moments = np.zeros(self.rank)

    def copy(self) -> "InducingProblem":
        """Return an independent copy."""
        twin = copy(self)
        twin.second_moments = self.second_moments.copy(order="F")
        twin.first_moments = self.first_moments.copy()
        return twin

    def stream(self, views: Views) -> np.ndarray:
        """Add rows to the moments, chunk by chunk; return their memberships."""
        parts = []
        for z, memberships in self.basis.chunks(views):
            self.second_moments = dsyrk(
                1.0, z.T, beta=1.0, c=self.second_moments, lower=1, overwrite_c=1
            )
            self.first_moments += z.sum(axis=0)
            self.n_samples += len(z)
            parts.append(memberships)
        # Only the lower half was summed; mirror it.
        for column in range(self.rank):
            self.second_moments[:column, column] = self.second_moments[column, :column]
        return np.concatenate(parts)

    def evaluate(self, weights: np.ndarray) -> Evaluation:
        weights = np.asarray(weights, dtype=float).reshape(self.n_clusters, self.n_views)
        root = np.sqrt(weights.ravel())[self._kernel_of_column]
        moments = self.second_moments
        matrix = moments * root[:, None]
        matrix *= root[None, :]
        matrix.flat[:: self.rank + 1] += self.delta
        self.n_solves += 1
        lower, info = lapack.dpotrf(matrix.T, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            raise InvalidInputError("The moments are not positive definite: raise delta.")
        target = root * self.first_moments
        b = cho_solve((lower, True), target, check_finite=False)
        objective = (self.n_samples - float(target @ b)) / self.delta
        e = (self.first_moments - moments @ (root * b)) / self.delta
        count = weights.size
        sensitivity = np.bincount(self._kernel_of_column, e * e, minlength=count)

        def hessian() -> np.ndarray:
            columns = np.zeros((self.rank, count))
            columns[np.arange(self.rank), self._kernel_of_column] = e
            products = moments @ columns
            half = solve_triangular(lower, root[:, None] * products, lower=True, check_finite=False)
            second = (columns.T @ products - half.T @ half) * (2 / self.delta)
            return (second + second.T) / 2

        # The objective is a difference, so cancellation adds to its error.
        condition = float(np.einsum("ij,ij->", lower, lower)) / self.delta
        condition *= self.n_samples / (self.delta * objective)
        state = (e, root * b, lower, root)
        sensitivity = sensitivity.reshape(weights.shape)
        cut_constant = objective + float(np.sum(weights * sensitivity))
        return Evaluation(weights, objective, sensitivity, cut_constant, hessian, condition, state)

    def dual_coef(self, evaluation: Evaluation) -> np.ndarray:
        """Return nothing: ``lambda`` needs the rows again (`stream_dual_coef`)."""
        return np.empty(0)

    def stream_dual_coef(self, evaluation: Evaluation, views: Views) -> np.ndarray:
        """``lambda = (1 - Z D^{1/2} b) / delta`` of the given rows, chunk by chunk."""
        direction = evaluation.state[1]
        return np.concatenate(
            [(1 - z @ direction) / self.delta for z, _ in self.basis.chunks(views)]
        )

    def coefficients(self, evaluation: Evaluation) -> np.ndarray:
        """Return the coefficients of the kernel rows at the landmarks, ``(G, M, C)``."""
        e = evaluation.state[0]
        n_landmarks = self.basis.landmarks.n_samples
        result = np.empty((self.n_views, n_landmarks, self.n_clusters))
        for c in range(self.n_clusters):
            for g, feature_map in enumerate(self.basis.maps):
                part = e[self._kernel_of_column == c * self.n_views + g]
                result[g, :, c] = feature_map @ part
        return result

    def left_out(self, evaluation: Evaluation, views: Views, blocks) -> np.ndarray:
        """Return left-out scores of blocks of rows, in the closed form of the exact problem.

        ``(A^{-1})_BB = (I - T^T T) / delta`` with ``T = L^{-1} D^{1/2} Z_B^T``.
        """
        _, direction, lower, root = evaluation.state
        scores = np.full(views.n_samples, np.nan)
        for rows in blocks:
            z, _ = self.basis.features(views.rows(rows))
            t = solve_triangular(lower, (z * root).T, lower=True, check_finite=False)
            inverse = (np.eye(len(rows)) - t.T @ t) / self.delta
            dual = (1 - z @ direction) / self.delta
            scores[rows] = 1 - np.linalg.solve(inverse, dual)
        return scores
