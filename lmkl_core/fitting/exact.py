"""Fits on full Gram matrices: solving, left-out scores, appending rows."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, lapack, solve_triangular

from lmkl_core.calibration.left_out import choose_block_length, exact_calibration, with_new_takes
from lmkl_core.calibration.threshold import Calibration
from lmkl_core.clusters import Clusters, check_enough_samples, fit_clusters
from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from lmkl_core.fitting.fit import Fit, Settings, solve_settings
from lmkl_core.kernels import PRECOMPUTED, ViewKernel, gram_stack, mean_gram
from lmkl_core.scorer import Scorer, SupportKernels
from lmkl_core.solver.problem import GramProblem, Solution
from lmkl_core.validation import Views

LARGEST_GRAMS = 8 << 30
"""Largest total size of Gram matrices in bytes; larger fits are refused."""


@dataclass(frozen=True)
class Localised:
    """The part of a fit that does not depend on delta, p or q."""

    kernels: tuple[ViewKernel, ...]
    grams: np.ndarray
    mean_kernel: np.ndarray
    clusters: Clusters
    memberships: np.ndarray


def localise(views: Views, kernels: tuple[ViewKernel, ...], settings: Settings) -> Localised:
    """Compute Gram matrices, clusters and memberships of the training rows."""
    check_enough_samples(views.n_samples, settings.n_clusters)
    needed = len(views.names) * views.n_samples**2 * views.arrays[0].dtype.itemsize
    if needed > LARGEST_GRAMS:
        raise InvalidInputError(
            f"Exact kernels of {views.n_samples} rows and {len(views.names)} views need "
            f"{needed / 2**30:.0f} GiB: set n_inducing (200 is a good start)."
        )
    grams = gram_stack(kernels, views.names, views.arrays)
    mean_kernel = np.asarray(np.mean(grams, axis=0, dtype=np.float64))
    clusters, _ = fit_clusters(mean_kernel, settings.n_clusters, random_state=settings.random_state)
    memberships = clusters.memberships(mean_kernel, np.diag(mean_kernel), settings.temperature)
    return Localised(kernels, grams, mean_kernel, clusters, memberships)


@dataclass(frozen=True, kw_only=True)
class ExactFit(Fit):
    """State of an exact fit."""

    cholesky: np.ndarray | None = None

    @property
    def calibration_takes(self) -> np.ndarray:
        return self.takes

    def make_problem(self) -> GramProblem:
        grams = gram_stack(self.kernels, self.support.names, self.support.arrays)
        return GramProblem(grams, self.memberships, self.delta)

    @cached_property
    def scorer(self) -> Scorer:
        return Scorer(
            SupportKernels(self.kernels, self.support.arrays),
            self.clusters,
            self.settings.temperature,
            self.solution.weights,
            self.memberships * self.dual_coef[:, None],
        )

    def factor(self) -> np.ndarray:
        """Cholesky factor of ``delta I + K_mu``; computed again if it was not kept."""
        if self.cholesky is not None:
            return self.cholesky
        return self.make_problem().factor(self.solution.weights)

    def calibrate(self, target_bpcer: float | None, block_length: int | None) -> Calibration:
        if block_length is None:
            kernel = mean_gram(self.kernels, self.support.arrays)
            block_length = choose_block_length(kernel, self.takes)
        return exact_calibration(
            self.factor(),
            self.dual_coef,
            self.delta,
            self.takes,
            self.conditions,
            target_bpcer=target_bpcer,
            block_length=block_length,
        )

    def extend(self, views: Views, takes: np.ndarray) -> "ExactFit":
        """Append rows to the Cholesky factor; weights and delta stay the same."""
        if any(kernel.name == PRECOMPUTED for kernel in self.kernels):
            raise InvalidInputError(
                "A model on precomputed kernels cannot be extended: fit it again on the larger "
                "kernel."
            )
        weights, scorer = self.solution.weights, self.scorer
        memberships = scorer.memberships(views.arrays)
        old = scorer.support_kernels(views.arrays)[0]
        new = gram_stack(self.kernels, views.names, views.arrays)
        cross = _weighted(old, memberships, self.memberships, weights)
        inner = _weighted(new, memberships, memberships, weights)
        lower = _append(self.factor(), cross, inner, self.delta)
        dual = cho_solve((lower, True), np.ones(len(lower)), check_finite=False)
        coefficients = np.zeros((len(lower), memberships.shape[1]))
        coefficients[: len(self.memberships)] = self.clusters.coefficients
        return replace(
            self,
            support=self.support.followed_by(views),
            takes=np.concatenate([self.takes, takes]),
            conditions=with_new_takes(self.conditions, takes),
            clusters=Clusters(coefficients, self.clusters.square_norms),
            memberships=np.concatenate([self.memberships, memberships]),
            dual_coef=dual,
            cholesky=lower,
            known_gap=None,
        )

    def refine(self) -> "ExactFit":
        problem = self.make_problem()
        solution = solve_settings(problem, self.settings, init=self.solution.weights)
        return replace(self, **_solved(problem, solution))


def fit(
    views: Views,
    kernels: tuple[ViewKernel, ...],
    takes: np.ndarray,
    conditions: np.ndarray,
    settings: Settings,
    *,
    init=None,
    cancel=None,
) -> ExactFit:
    """Fit on full Gram matrices."""
    local = localise(views, kernels, settings)
    delta = settings.delta * views.n_samples
    problem = GramProblem(local.grams, local.memberships, delta)
    solution = solve_settings(problem, settings, init=init, cancel=cancel)
    raise_if_cancelled(cancel)
    return ExactFit(
        support=views,
        takes=takes,
        conditions=conditions,
        settings=settings,
        kernels=kernels,
        clusters=local.clusters,
        memberships=local.memberships,
        delta=delta,
        **_solved(problem, solution),
    )


def _solved(problem: GramProblem, solution: Solution) -> dict[str, Any]:
    """Fields of an `ExactFit` that come from a solution."""
    return {
        "solution": solution.lean(),
        "dual_coef": solution.dual_coef,
        "cholesky": problem.cholesky(solution.evaluation),
        "known_gap": solution.gap,
    }


def _weighted(kernels, rows, columns, weights) -> np.ndarray:
    """``K_mu`` between two sets of rows with these memberships."""
    total = np.zeros(kernels.shape[1:])
    for g, kernel in enumerate(kernels):
        total += kernel * ((rows * weights[:, g]) @ columns.T)
    return total


def _append(lower: np.ndarray, cross: np.ndarray, inner: np.ndarray, delta: float) -> np.ndarray:
    """Append rows to a Cholesky factor, in ``O(n^2)`` per row."""
    n, m = len(lower), len(inner)
    off = solve_triangular(lower, cross.T, lower=True, check_finite=False)
    corner = inner - off.T @ off
    corner.flat[:: m + 1] += delta
    block, info = lapack.dpotrf(corner, lower=1, clean=1)
    if info != 0 or not np.all(np.isfinite(block)):
        raise InvalidInputError("The new rows make the kernel singular: raise delta and fit again.")
    grown = np.zeros((n + m, n + m), order="F")
    grown[:n, :n] = lower
    grown[n:, :n] = off.T
    grown[n:, n:] = block
    return grown
