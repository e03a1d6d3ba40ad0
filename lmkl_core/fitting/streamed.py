"""Fits on inducing points: one pass over the rows, then the same solver."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lmkl_core.calibration.left_out import (
    calibrate_left_out,
    choose_block_length,
    rows_of_takes,
    with_new_takes,
)
from lmkl_core.calibration.threshold import Calibration
from lmkl_core.errors import raise_if_cancelled
from lmkl_core.fitting.fit import Fit, Settings, solve_settings
from lmkl_core.fitting.inducing import InducingProblem, build_basis
from lmkl_core.kernels import ViewKernel, mean_gram
from lmkl_core.scorer import Scorer
from lmkl_core.solver.problem import Evaluation
from lmkl_core.validation import Views

CALIBRATION_ROWS = 3000
"""Approximate maximum number of rows with left-out scores."""

STRETCH = 100
"""Number of consecutive rows kept together, to see how similar neighbours are."""

LAG_ROWS = 1500
"""Maximum number of rows for choosing the block length, which needs their kernel matrix."""


@dataclass(frozen=True, kw_only=True)
class StreamedFit(Fit):
    """State of a fit on inducing points; the rows themselves are not kept."""

    problem: InducingProblem
    evaluation: Evaluation
    calibration_views: Views
    calibration_takes: np.ndarray

    def __post_init__(self):
        # The second derivative is a closure: it cannot be pickled and keeps the moments alive.
        lean = replace(self.evaluation, second_derivative=_not_kept)
        object.__setattr__(self, "evaluation", lean)

    def make_problem(self) -> InducingProblem:
        return self.problem

    @cached_property
    def scorer(self) -> Scorer:
        basis = self.problem.basis
        return Scorer(
            basis.kernels,
            basis.clusters,
            basis.temperature,
            self.solution.weights,
            self.problem.coefficients(self.evaluation),
        )

    def calibrate(self, target_bpcer: float | None, block_length: int | None) -> Calibration:
        views, takes = self.calibration_views, self.calibration_takes
        if block_length is None:
            part = calibration_rows(takes, LAG_ROWS)
            kernel = mean_gram(self.kernels, views.rows(part).arrays)
            block_length = choose_block_length(kernel, takes[part])
        # If only part of a take was kept, its other rows cannot be left out.
        complete = len(takes) == len(self.takes)
        return calibrate_left_out(
            lambda blocks: self.problem.left_out(self.evaluation, views, blocks),
            self.scorer.explain(views.arrays)[0].sum(axis=(1, 2)),
            takes,
            self.conditions,
            with_stress=complete,
            target_bpcer=target_bpcer,
            block_length=block_length,
        )

    def extend(self, views: Views, takes: np.ndarray) -> "StreamedFit":
        problem = self.problem.copy()
        memberships = problem.stream(views)
        evaluation = problem.evaluate(self.solution.weights)
        # The coefficients of earlier rows change too, but those rows are not kept.
        dual = problem.stream_dual_coef(evaluation, views)
        calibration_takes = np.concatenate([self.calibration_takes, takes])
        kept = calibration_rows(calibration_takes)
        return replace(
            self,
            problem=problem,
            takes=np.concatenate([self.takes, takes]),
            conditions=with_new_takes(self.conditions, takes),
            memberships=np.concatenate([self.memberships, memberships]),
            evaluation=evaluation,
            dual_coef=np.concatenate([np.full(len(self.takes), np.nan), dual]),
            calibration_views=self.calibration_views.followed_by(views).rows(kept),
            calibration_takes=calibration_takes[kept],
            known_gap=None,
        )

    def refine(self) -> "StreamedFit":
        solution = solve_settings(self.problem, self.settings, init=self.solution.weights)
        return replace(
            self,
            solution=solution.lean(),
            evaluation=solution.evaluation,
            dual_coef=np.full(len(self.takes), np.nan),
            known_gap=solution.gap,
        )


def fit(
    views: Views,
    kernels: tuple[ViewKernel, ...],
    takes: np.ndarray,
    conditions: np.ndarray,
    settings: Settings,
    n_inducing: int,
    *,
    init=None,
    cancel=None,
) -> StreamedFit:
    """Fit on inducing points, in one pass over the rows."""
    basis = build_basis(views, kernels, n_inducing, settings)
    problem = InducingProblem(basis, settings.delta * views.n_samples)
    memberships = problem.stream(views)
    raise_if_cancelled(cancel)
    solution = solve_settings(problem, settings, init=init, cancel=cancel)
    raise_if_cancelled(cancel)
    chosen = calibration_rows(takes)
    return StreamedFit(
        support=basis.landmarks,
        clusters=basis.clusters,
        delta=problem.delta,
        problem=problem,
        takes=takes,
        conditions=conditions,
        settings=settings,
        kernels=kernels,
        memberships=memberships,
        solution=solution.lean(),
        evaluation=solution.evaluation,
        dual_coef=problem.stream_dual_coef(solution.evaluation, views),
        calibration_views=views.rows(chosen),
        calibration_takes=takes[chosen],
        known_gap=solution.gap,
    )


def calibration_rows(takes: np.ndarray, most: int = CALIBRATION_ROWS) -> np.ndarray:
    """Return the rows to calibrate on: all, or evenly spread stretches of evenly spaced takes."""
    if len(takes) <= most:
        return np.arange(len(takes))
    parts = rows_of_takes(takes)
    parts = parts[:: max(1, len(parts) * STRETCH // most)]
    share = max(1, most // len(parts))
    return np.concatenate([_stretches(rows, share) for rows in parts])


def _stretches(rows: np.ndarray, count: int) -> np.ndarray:
    """About ``count`` rows of a take, in evenly spread stretches."""
    if len(rows) <= count:
        return rows
    pieces = max(1, count // STRETCH)
    length = count // pieces
    starts = ((np.arange(pieces) + 0.5) / pieces * (len(rows) - length)).astype(int)
    return np.unique(np.concatenate([rows[start : start + length] for start in starts]))


def _not_kept() -> np.ndarray:
    raise NotImplementedError("A fitted model does not keep the second derivative: evaluate again.")
