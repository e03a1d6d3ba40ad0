r"""Base class of the compared methods: interface, input checks, threshold.

The threshold refuses the target share of left-out scores. A fraction of their median, as in
`lmkl_core.LocalisedMKL`, would have a different meaning on the scale of each method. The same time
blocks are left out (`lmkl_core.calibration.left_out`), with at most `REFITS` fits. Blocks are
assigned to that many folds in turn, condition by condition, so that no fold contains all blocks of
a condition that has several. There is no stress figure, which would double the number of fits.

Scores are higher for bona fide samples and 0 for samples that resemble nothing enrolled: a distance
``d`` becomes ``1 / (1 + d)``.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from lmkl_core.base import TOO_LARGE, ViewsEstimator, refuse_unless_finite
from lmkl_core.calibration.left_out import block_numbers, choose_block_length, time_blocks
from lmkl_core.calibration.threshold import Calibration, calibrate, percent, threshold_for
from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from lmkl_core.kernels import ViewKernel, fit_kernels, mean_gram
from lmkl_core.validation import (
    Check,
    Views,
    check_conditions,
    check_groups,
    check_integer,
    check_rate,
    has_names,
    is_single_view,
    match_views,
    optional,
    warn_of_duplicates,
)

REFITS = 5
"""Maximum number of fits without a part of the rows, for the threshold."""

FEWEST_ROWS = 4
"""Minimum number of rows, so that a fit on half of them still has some spread."""

MOST_ROWS = 2000
"""Maximum number of training rows: distances between all pairs, on tens of thousands of columns,
are computed six times."""

BLOCK_ROWS = 512
"""Rows scored at a time; methods make several copies of them in double precision."""


Machine: TypeAlias = Callable[[tuple[np.ndarray, ...]], np.ndarray]
"""Returns the scores of rows."""

Refit: TypeAlias = Callable[[np.ndarray], Machine]
"""Fits a machine to some rows."""

COMMON_CHECKS = {
    "target_bpcer": check_rate,
    "block_length": optional(partial(check_integer, low=1)),
}
"""Checks of the parameters that all compared methods share."""


@dataclass(kw_only=True, eq=False, repr=False)
class Baseline(ViewsEstimator):
    """Compared one-class method with the interface of `lmkl_core.LocalisedMKL`.

    Subclasses declare parameters with their checks and implement `_learn`.

    Parameters
    ----------
    target_bpcer, block_length, random_state
        As in `lmkl_core.LocalisedMKL`; only randomised methods have a ``random_state``.

    Attributes
    ----------
    offset_, calibration_, view_names_
        As in `lmkl_core.LocalisedMKL`.
    notes_ : tuple of str
        Remarks on the fit, for reports.
    """

    target_bpcer: float = 0.05
    block_length: int | None = None

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS
    most_rows: ClassVar[int] = MOST_ROWS

    def fit(self, X, y=None, *, groups=None, conditions=None, cancel=None):
        """Learn from genuine samples; arguments as in `lmkl_core.LocalisedMKL.fit`."""
        with self._unchanged_on_failure(), self._overflow_refused():
            views = self._training_views(X)
            if has_names(X):  # the order of named views must not matter
                views = Views(
                    *zip(*sorted(zip(views.names, views.arrays, strict=True)), strict=True)
                )
            if views.n_samples < FEWEST_ROWS:
                raise InvalidInputError(
                    f"n_samples={views.n_samples} is too few to learn from: enrol more samples."
                )
            takes = check_groups(groups, views.n_samples)
            conditions_of_rows = check_conditions(conditions, takes)[takes]
            self._checked_parameters()
            # Thin evenly: neighbouring rows are nearly identical.
            count = min(views.n_samples, self.most_rows)
            kept = np.linspace(0, views.n_samples - 1, count).astype(int)
            notes = []
            if count < views.n_samples:
                notes.append(
                    f"Learned from {count} evenly spaced rows of {views.n_samples}, the limit of "
                    "this method."
                )
            work, takes = views.rows(kept), check_groups(takes[kept], len(kept))
            condition_of_take = check_conditions(conditions_of_rows[kept], takes)
            kernels = self._fit_kernels(work, None if groups is None else takes)
            raise_if_cancelled(cancel)
            self._machine, refit = self._learn(work, kernels, notes, cancel)
            length = self.block_length or choose_block_length(
                mean_gram(kernels, work.arrays), takes
            )
            blocks = time_blocks(takes, length)
            folds = folds_of(blocks, condition_of_take[takes])
            scores = left_out_scores(work, folds, refit, cancel)
            refuse_unless_finite(scores)
            warn_of_duplicates(views)
            self._left_out = (scores, blocks, takes, length)
            self._template = views.rows([0])
            self.view_names_ = views.names
            self.notes_ = tuple(dict.fromkeys(notes))
            self._set_threshold(self.target_bpcer)
        return self

    def score_samples(self, X) -> np.ndarray:
        """Return the scores of ``X`` (as in `fit`), ``(m,)``; higher is more genuine."""
        check_is_fitted(self, "offset_")
        if self._single and is_single_view(X):
            X = self._validated(X, reset=False)
        views = match_views(X, self._template)
        with self._overflow_refused(TOO_LARGE):
            return finite(scores_of(self._machine, views))

    def calibrate(self, *, target_bpcer=None):
        """Set the threshold for another rate, from the same left-out scores."""
        check_is_fitted(self, "offset_")
        target = self.target_bpcer if target_bpcer is None else target_bpcer
        self._set_threshold(check_rate("target_bpcer", target))
        return self

    def _set_threshold(self, target: float) -> None:
        scores, blocks, takes, length = self._left_out
        self.calibration_: Calibration = calibrate(
            scores,
            threshold_for(scores, target),
            f"a BPCER of {percent(target)}",
            block_numbers(blocks, len(takes)),
            takes,
            target_bpcer=target,
            block_length=length,
        )
        self.offset_ = self.calibration_.threshold

    def _fit_kernels(self, views: Views, takes: np.ndarray | None) -> tuple[ViewKernel, ...]:
        """Fit the kernels that the block length is chosen with; refuse constant views."""
        return fit_kernels(views, "rbf", takes)

    def _learn(
        self, views: Views, kernels: tuple[ViewKernel, ...], notes: list[str], cancel: Any
    ) -> tuple[Machine, Refit]:
        """Fit to all rows; return the machine and a function that fits to given rows only."""
        raise NotImplementedError


def folds_of(blocks: list[np.ndarray], conditions: np.ndarray) -> list[np.ndarray]:
    """Return the rows of every fold; blocks are assigned in turn, condition by condition."""
    ordered = sorted(blocks, key=lambda rows: (conditions[rows[0]], rows[0]))
    count = min(REFITS, len(blocks))
    return [np.concatenate(ordered[fold::count]) for fold in range(count)]


def left_out_scores(
    views: Views, folds: list[np.ndarray], refit: Refit, cancel: Callable[[], bool] | None
) -> np.ndarray:
    """Return the score of every row under a machine fitted without its fold."""
    scores = np.full(views.n_samples, np.nan)
    for rows in folds:
        raise_if_cancelled(cancel)
        rest = np.setdiff1d(np.arange(views.n_samples), rows)
        scores[rows] = scores_of(refit(rest), views.rows(rows))
    return scores


def scores_of(machine: Machine, views: Views) -> np.ndarray:
    """Score rows block by block."""
    starts = range(0, views.n_samples, BLOCK_ROWS)
    blocks = (tuple(array[at : at + BLOCK_ROWS] for array in views.arrays) for at in starts)
    return np.concatenate([machine(block) for block in blocks])


def closeness(distances: np.ndarray) -> np.ndarray:
    """Return ``1 / (1 + d)`` for distances ``d``."""
    return 1.0 / (1.0 + finite(distances))


def finite(values: np.ndarray) -> np.ndarray:
    """Return the values; raise FloatingPointError unless all are finite."""
    if not np.all(np.isfinite(values)):
        raise FloatingPointError("a value is too large for its type")
    return values


def unconverged(fit: Callable[[], Any]) -> bool:
    """Call ``fit`` and return whether it failed to converge; pass on other warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    others = [item for item in caught if not issubclass(item.category, ConvergenceWarning)]
    for item in others:
        warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)
    return len(others) < len(caught)
