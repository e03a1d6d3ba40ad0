"""What exact and inducing fits share: settings, state, calling the solver."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lmkl_core.calibration.threshold import Calibration
from lmkl_core.clusters import Clusters
from lmkl_core.errors import InvalidInputError
from lmkl_core.kernels import ViewKernel
from lmkl_core.scorer import Scorer
from lmkl_core.solver.algorithm1 import solve_as_printed
from lmkl_core.solver.constraints import FAMILIES, FIXED_FAMILIES, NormConstraint, make_constraint
from lmkl_core.solver.problem import Problem, Solution
from lmkl_core.solver.solve import Run, solve
from lmkl_core.validation import Views

SOLVERS: dict[str, Callable[..., Solution]] = {
    "certified": solve,
    "algorithm-1": solve_as_printed,
}


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a fit."""

    n_clusters: int
    p: float
    q: float
    delta: float
    temperature: float
    constraint: str
    solver: str
    kernel: Any
    view: int
    tol: float
    max_iter: int
    target_bpcer: float | None
    block_length: int | None
    random_state: Any


@dataclass(frozen=True, kw_only=True)
class Fit(ABC):
    """State of a fit, on all rows (`exact`) or on inducing points (`streamed`).

    ``support`` are the rows that scores are computed from: all, or the inducing points.
    """

    support: Views
    clusters: Clusters
    delta: float
    takes: np.ndarray
    conditions: np.ndarray
    settings: Settings
    kernels: tuple[ViewKernel, ...]
    memberships: np.ndarray
    solution: Solution
    dual_coef: np.ndarray
    known_gap: float | None = None

    @abstractmethod
    def make_problem(self) -> Problem:
        """Return the problem of the present rows."""

    @property
    @abstractmethod
    def scorer(self) -> Scorer: ...

    @cached_property
    def gap(self) -> float:
        """Certified relative gap on the present rows; computed again after `extend`."""
        if self.known_gap is not None:
            return self.known_gap
        return certificate_gap(self.make_problem(), self.solution.weights, self.settings)

    @abstractmethod
    def calibrate(self, target_bpcer: float | None, block_length: int | None) -> Calibration:
        """Set the threshold from left-out scores of the rows kept for calibration."""

    @abstractmethod
    def extend(self, views: Views, takes: np.ndarray) -> "Fit":
        """Append rows; weights and delta stay the same."""

    @abstractmethod
    def refine(self) -> "Fit":
        """Optimise the weights again on the present rows, starting from the present weights."""


def solve_settings(
    problem: Problem, settings: Settings, *, init=None, cancel=None, warn: bool = True
) -> Solution:
    """Solve a problem with the constraint and solver of the settings."""
    shape = (problem.n_clusters, problem.n_views)
    constraint = weight_constraint(settings, *shape)
    if settings.constraint in FIXED_FAMILIES:
        return evaluate_fixed(problem, fixed_weights(settings, constraint, *shape), constraint)
    if init is not None:
        if np.shape(init) != shape:
            raise InvalidInputError(
                f"init has shape {np.shape(init)} but must have the shape {shape} of the weights."
            )
        if not np.all(np.isfinite(init)) or np.min(init) < 0:
            raise InvalidInputError("init must contain finite, non-negative weights.")
    options = {"init": init, "cancel": cancel, "max_iter": settings.max_iter, "warn": warn}
    if settings.solver == "certified":
        options["tol"] = settings.tol
    return SOLVERS[settings.solver](problem, constraint, **options)


def weight_constraint(settings: Settings, n_clusters: int, n_views: int) -> NormConstraint:
    """Return a family's constraint; fixed weights are normalised by the joint matrix norm."""
    family = settings.constraint if settings.constraint in FAMILIES else "joint-matrix"
    return make_constraint(family, settings.p, settings.q, n_clusters, n_views)


def fixed_weights(
    settings: Settings, constraint: NormConstraint, n_clusters: int, n_views: int
) -> np.ndarray:
    """Return fixed weights of norm one: all equal, or only one view."""
    if settings.constraint == "uniform":
        return constraint.uniform().reshape(n_clusters, n_views)
    weights = np.zeros((n_clusters, n_views))
    weights[:, settings.view] = weight_constraint(settings, n_clusters, 1).uniform().ravel()
    return weights


def certificate_gap(problem: Problem, weights: np.ndarray, settings: Settings) -> float:
    """Return the certified relative gap of given weights, from the linear bound only."""
    if settings.constraint in FIXED_FAMILIES:
        return problem.evaluate(weights).rounding
    constraint = weight_constraint(settings, problem.n_clusters, problem.n_views)
    run = Run(problem, constraint, settings.tol)
    run.visit(None, problem.evaluate(weights))
    return run.gap


def evaluate_fixed(problem: Problem, weights: np.ndarray, constraint: NormConstraint) -> Solution:
    """Return the solution at fixed weights, whose gap is only rounding."""
    run = Run(problem, constraint, 1.0)
    evaluation = problem.evaluate(weights)
    run.best, run.lower_bound = evaluation, evaluation.objective
    run.objectives, run.gaps = [evaluation.objective], [run.gap]
    return run.solution("fixed weights", "fixed weights")
