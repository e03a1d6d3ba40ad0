"""A fit on full Gram matrices: solve, left-out scores, growth by rows."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, lapack, solve_triangular

from lmkl_core.calibration.blocks import with_new_takes
from lmkl_core.calibration.threshold import Calibration
from lmkl_core.clusters import Clusters
from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from lmkl_core.fitting.fit import (
    Settings,
    certificate_gap,
    exact_calibration,
    localise,
    solve_settings,
)
from lmkl_core.kernels import PRECOMPUTED, ViewKernel, gram_stack, mean_gram
from lmkl_core.scorer import Scorer, SupportKernels
from lmkl_core.solver.problem import GramProblem
from lmkl_core.solver.solution import Solution
from lmkl_core.validation import Views


@dataclass(frozen=True)
class ExactFit:
    """State of an exact fit: what scoring, calibration, growth and saving need."""

    views: Views
    takes: np.ndarray
    conditions: np.ndarray
    settings: Settings
    kernels: tuple[ViewKernel, ...]
    clusters: Clusters
    memberships: np.ndarray
    delta: float
    solution: Solution
    dual_coef: np.ndarray
    cholesky: np.ndarray | None = None
    known_gap: float | None = None

    @property
    def support(self) -> Views:
        """Rows that scoring rests on: all of them."""
        return self.views

    @property
    def calibration_takes(self) -> np.ndarray:
        """Take of every left-out score: all rows have one."""
        return self.takes

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views."""
        return self.views.names

    @cached_property
    def n_features(self) -> tuple[int, ...]:
        """Columns of every view; for a precomputed kernel, the training rows."""
        return self.views.n_columns

    @property
    def dtype(self) -> np.dtype:
        """Of the views."""
        return self.views.dtype

    @cached_property
    def gap(self) -> float:
        """Certified relative gap at the present rows; computed anew after growth."""
        if self.known_gap is not None:
            return self.known_gap
        return certificate_gap(self.problem, self.solution.weights, self.settings)

    @property
    def problem(self) -> GramProblem:
        """The problem of the present rows, its Gram matrices made again."""
        grams = gram_stack(self.kernels, self.views.names, self.views.arrays)
        return GramProblem(grams, self.memberships, self.delta)

    def factor(self) -> np.ndarray:
        """Cholesky factor of ``delta I + K_mu``; made again where it was not kept."""
        if self.cholesky is not None:
            return self.cholesky
        return self.problem.factor(self.solution.weights)

    def scorer(self) -> Scorer:
        """Return the scorer of new samples, made once."""
        return self._scorer

    @cached_property
    def _scorer(self) -> Scorer:
        support = SupportKernels(self.kernels, self.views.arrays)
        coefficients = self.memberships * self.dual_coef[:, None]
        return Scorer(
            support,
            self.clusters,
            self.settings.temperature,
            self.solution.weights,
            coefficients,
        )

    def calibrate(self, target_bpcer: float | None, block_length: int | None) -> Calibration:
        """Threshold from left-out scores of the present rows."""
        return exact_calibration(
            self.factor(),
            self.dual_coef,
            self.delta,
            lambda: mean_gram(self.kernels, self.views.arrays),
            self.takes,
            self.conditions,
            target_bpcer=target_bpcer,
            block_length=block_length,
        )

    def extend(self, views: Views, takes: np.ndarray) -> "ExactFit":
        """Append rows by a block of the Cholesky factor; weights and delta stay."""
        if any(kernel.name == PRECOMPUTED for kernel in self.kernels):
            raise InvalidInputError(
                "A model on precomputed kernels cannot be extended: fit it again on the larger "
                "kernel."
            )
        weights, scorer = self.solution.weights, self.scorer()
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
            views=self.views.followed_by(views),
            takes=np.concatenate([self.takes, takes]),
            conditions=with_new_takes(self.conditions, takes),
            clusters=Clusters(coefficients, self.clusters.square_norms),
            memberships=np.concatenate([self.memberships, memberships]),
            dual_coef=dual,
            cholesky=lower,
            known_gap=None,
        )

    def refine(self) -> "ExactFit":
        """Optimise the weights again on the present rows, starting from the present ones."""
        problem = self.problem
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
        views,
        takes,
        conditions,
        settings,
        local.kernels,
        local.clusters,
        local.memberships,
        delta,
        **_solved(problem, solution),
    )


def _solved(problem: GramProblem, solution: Solution) -> dict[str, Any]:
    """Fields of an `ExactFit` that come from a solution."""
    return {
        "solution": replace(solution, evaluation=None),
        "dual_coef": solution.dual_coef,
        "cholesky": problem.cholesky(solution.evaluation),
        "known_gap": solution.gap,
    }


def _weighted(kernels, rows, columns, weights) -> np.ndarray:
    """``K_mu`` between two sets of rows with the given memberships."""
    total = np.zeros(kernels.shape[1:])
    for g, kernel in enumerate(kernels):
        total += kernel * ((rows * weights[:, g]) @ columns.T)
    return total


def _append(lower: np.ndarray, cross: np.ndarray, inner: np.ndarray, delta: float) -> np.ndarray:
    """Cholesky factor grown by rows: ``O(n^2)`` a row ("Sherman's march")."""
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
