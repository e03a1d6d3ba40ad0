"""From views to a solved problem: kernels, clusters, memberships, solver, left-out scores.

The estimator stores what these functions return; they know nothing of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lmkl_core.calibration import blocks as blocking
from lmkl_core.calibration.threshold import (
    Calibration,
    calibrate,
    inverse_from_cholesky,
    left_out_scores,
    operating_point,
)
from lmkl_core.clusters import Clusters, check_enough_samples, fit_clusters
from lmkl_core.errors import InvalidInputError
from lmkl_core.kernels import ViewKernel, fit_kernel, gram_stack
from lmkl_core.solver.algorithm1 import solve_as_printed
from lmkl_core.solver.constraints import FAMILIES, FIXED_FAMILIES, NormConstraint, make_constraint
from lmkl_core.solver.problem import Problem
from lmkl_core.solver.solution import Solution
from lmkl_core.solver.solve import Run, finish, solve
from lmkl_core.validation import Views

SOLVERS: dict[str, Callable[..., Solution]] = {
    "certified": solve,
    "algorithm-1": solve_as_printed,
}
"""Solvers by name."""


LARGEST_GRAMS = 8 << 30
"""Bytes of Gram matrices beyond which a fit is refused rather than left to thrash."""


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


@dataclass(frozen=True)
class Localised:
    """Everything that does not depend on delta, p or q."""

    kernels: tuple[ViewKernel, ...]
    grams: np.ndarray
    mean_kernel: np.ndarray
    clusters: Clusters
    memberships: np.ndarray


def fit_kernels(views: Views, kernel, takes: np.ndarray | None = None) -> tuple[ViewKernel, ...]:
    """Fit one kernel a view.

    ``kernel`` is a name, or names by view; ``takes`` are the takes of the rows, where known.
    """
    if isinstance(kernel, str):
        names = [kernel] * len(views.names)
    elif isinstance(kernel, Mapping):
        missing = [name for name in views.names if name not in kernel]
        if missing:
            raise InvalidInputError(f"kernel names no kernel for view {', '.join(missing)}.")
        names = [kernel[name] for name in views.names]
    else:
        names = list(kernel) if isinstance(kernel, Sequence) else [kernel]
        if len(names) != len(views.names):
            raise InvalidInputError(
                f"kernel names {len(names)} kernels for {len(views.names)} views: give one for all "
                "or one a view."
            )
    parts = zip(names, views.names, views.arrays, strict=True)
    return tuple(fit_kernel(name, view, array, takes) for name, view, array in parts)


def localise(views: Views, kernels: tuple[ViewKernel, ...], settings: Settings) -> Localised:
    """Gram matrices, kernel k-means and memberships of the training rows."""
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


def solve_settings(
    problem: Problem, settings: Settings, *, init=None, cancel=None, warn: bool = True
) -> Solution:
    """Solve a problem as the settings say."""
    shape = (problem.n_clusters, problem.n_views)
    constraint = weight_constraint(settings, *shape)
    if settings.constraint in FIXED_FAMILIES:
        return evaluate_fixed(problem, fixed_weights(settings, *shape), constraint)
    if init is not None:
        if np.shape(init) != shape:
            raise InvalidInputError(
                f"init has shape {np.shape(init)} but the weights have {shape}."
            )
        if not np.all(np.isfinite(init)) or np.min(init) < 0:
            raise InvalidInputError("init must hold finite weights that are not negative.")
    options = {"init": init, "cancel": cancel, "max_iter": settings.max_iter, "warn": warn}
    if settings.solver == "certified":
        options["tol"] = settings.tol
    return SOLVERS[settings.solver](problem, constraint, **options)


def weight_constraint(settings: Settings, n_clusters: int, n_views: int) -> NormConstraint:
    """Constraint of a family; the fixed families are normalised like the joint matrix norm."""
    family = settings.constraint if settings.constraint in FAMILIES else "joint-matrix"
    return make_constraint(family, settings.p, settings.q, n_clusters, n_views)


def fixed_weights(settings: Settings, n_clusters: int, n_views: int) -> np.ndarray:
    """Weights of the families that learn none: all equal, or one view only, norm one."""
    p, q = settings.p, settings.q
    if settings.constraint == "uniform":
        constraint = make_constraint("joint-matrix", p, q, n_clusters, n_views)
        return constraint.uniform().reshape(n_clusters, n_views)
    weights = np.zeros((n_clusters, n_views))
    constraint = make_constraint("joint-matrix", p, q, n_clusters, 1)
    weights[:, settings.view] = constraint.uniform().ravel()
    return weights


def certificate_gap(problem: Problem, weights: np.ndarray, settings: Settings) -> float:
    """Certified relative gap of given weights, by the linear bound alone."""
    if settings.constraint in FIXED_FAMILIES:
        return problem.evaluate(weights).rounding
    constraint = weight_constraint(settings, problem.n_clusters, problem.n_views)
    run = Run(problem, constraint, settings.tol)
    run.visit(None, problem.evaluate(weights))
    return run.gap


def evaluate_fixed(problem: Problem, weights: np.ndarray, constraint: NormConstraint) -> Solution:
    """Solution at given weights: the set is one point, so the gap is rounding alone."""
    before = problem.n_solves
    evaluation = problem.evaluate(weights)
    run = Run(problem, constraint, 1.0)
    run.best, run.lower_bound = evaluation, evaluation.objective
    run.objectives, run.gaps = [evaluation.objective], [run.gap]
    return finish(problem, constraint, run, "fixed weights", "fixed weights", before)


def exact_calibration(
    cholesky: np.ndarray,
    dual_coef: np.ndarray,
    delta: float,
    kernel: Callable[[], np.ndarray],
    takes: np.ndarray,
    conditions: np.ndarray,
    *,
    target_bpcer: float | None = None,
    block_length: int | None = None,
) -> Calibration:
    """Calibrate on left-out scores of an exact fit.

    ``kernel`` makes the mean kernel of the rows, asked for only where the block length is to
    be chosen.
    """
    length = blocking.choose_block_length(kernel(), takes) if block_length is None else block_length
    inverse = inverse_from_cholesky(cholesky)
    return calibrate_by_leaving_out(
        lambda blocks: left_out_scores(inverse, dual_coef, blocks),
        1 - delta * dual_coef,  # the scores of the training rows, since (K + delta I) lambda = 1
        takes,
        conditions,
        target_bpcer=target_bpcer,
        block_length=length,
    )


def calibrate_by_leaving_out(
    left_out: Callable[[list[np.ndarray]], np.ndarray],
    training_scores: np.ndarray,
    takes: np.ndarray,
    conditions: np.ndarray,
    *,
    target_bpcer: float | None,
    block_length: int,
    with_stress: bool = True,
) -> Calibration:
    """Calibrate on the scores of left-out blocks, and of left-out conditions for the stress figure.

    ``left_out`` gives the scores of every block of rows under the model without it.
    """
    blocks = blocking.time_blocks(takes, block_length)
    whole = blocking.rows_of_takes(conditions[takes])
    scores = left_out(blocks)
    return calibrate(
        scores,
        *operating_point(scores, training_scores, target_bpcer),
        blocking.block_numbers(blocks, len(takes)),
        takes,
        left_out(whole) if with_stress and len(whole) > 1 else None,
        target_bpcer=target_bpcer,
        block_length=block_length,
        n_conditions=len(whole),
    )
