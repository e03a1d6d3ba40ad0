r"""What every compared method shares: input, threshold from left-out scores, the same interface.

The threshold refuses the wanted share of left-out scores: a share of their median, as
`lmkl_core.LocalisedMKL` uses, would mean something else on each method's scale. The same time
blocks are left out (`lmkl_core.calibration.left_out`); where ours has a closed form for their
scores, a compared method is fitted again, at most `REFITS` times. Blocks are dealt out to that many
folds in turn, condition by condition, so that no fold holds all blocks of a condition that has
several. The stress figure (never-enrolled conditions) would double the refits and is not measured.

Scores are higher for bona fide, with 0 for what resembles nothing enrolled: distances ``d`` become
``1 / (1 + d)``, which keeps their order.
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
from lmkl_core.calibration.threshold import Calibration, calibrate, threshold_for
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
"""Fits without a part of the rows that set the threshold."""

FEWEST_ROWS = 4
"""A refit on half of fewer rows than this would have no spread to learn from."""

MOST_ROWS = 2000
"""Methods learn from at most this many rows: distances between all pairs of them, on the tens of
thousands of columns that networks give, are needed six times."""

BLOCK_ROWS = 512
"""Rows scored at a time: methods make several copies of them in double precision."""


Machine: TypeAlias = Callable[[tuple[np.ndarray, ...]], np.ndarray]
"""Scores rows of views, higher is more genuine."""

Refit: TypeAlias = Callable[[np.ndarray], Machine]
"""Makes the machine that some rows alone would have given."""

COMMON_CHECKS = {
    "target_bpcer": check_rate,
    "block_length": optional(partial(check_integer, low=1)),
}
"""Of the parameters that all compared methods have."""


@dataclass(kw_only=True, eq=False, repr=False)
class Baseline(ViewsEstimator):
    """A compared one-class method behind the interface of `lmkl_core.LocalisedMKL`.

    Subclasses store their parameters, with `parameter_checks`, and give `_learn`.

    Parameters
    ----------
    target_bpcer, block_length, random_state
        As in `lmkl_core.LocalisedMKL`; a ``random_state`` only where the method uses chance.

    Attributes
    ----------
    offset_, calibration_, view_names_
        As in `lmkl_core.LocalisedMKL`.
    notes_ : tuple of str
        What a reader of its figures must know.
    """

    target_bpcer: float = 0.05
    block_length: int | None = None

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS
    most_rows: ClassVar = MOST_ROWS

    def fit(self, X, y=None, *, groups=None, conditions=None, cancel=None):
        """Learn from genuine samples; arguments as in `lmkl_core.LocalisedMKL.fit`."""
        with self._unchanged_on_failure(), self._refusing_what_overflows():
            views = in_order_of_names(self._training_views(X), X)
            if views.n_samples < FEWEST_ROWS:
                raise InvalidInputError(
                    f"n_samples={views.n_samples} is too few to learn from: enrol more samples."
                )
            takes = check_groups(groups, views.n_samples)
            conditions_of_rows = check_conditions(conditions, takes)[takes]
            self._checked_parameters()
            kept = evenly_spaced(views.n_samples, self.most_rows)
            notes = []
            if len(kept) < views.n_samples:
                notes.append(
                    f"Learnt from {len(kept)} evenly spaced rows of {views.n_samples}, the most "
                    "that this method is given."
                )
            work, takes = views.rows(kept), check_groups(takes[kept], len(kept))
            shared = check_conditions(conditions_of_rows[kept], takes)
            kernels = self._fit_kernels(work, None if groups is None else takes)
            raise_if_cancelled(cancel)
            self._machine, refit = self._learn(work, kernels, notes, cancel)
            length = self.block_length or choose_block_length(
                mean_gram(kernels, work.arrays), takes
            )
            blocks = time_blocks(takes, length)
            scores = left_out_scores(work, folds_of(blocks, shared[takes]), refit, cancel)
            refuse_unless_finite(scores)
            warn_of_duplicates(views)
            self._left_out = (scores, blocks, takes, length)
            self._columns, self._dtype = views.n_columns, views.dtype
            self.view_names_ = views.names
            self.notes_ = tuple(dict.fromkeys(notes))
            self._set_threshold(self.target_bpcer)
        return self

    def score_samples(self, X) -> np.ndarray:
        """Scores, higher is more genuine."""
        check_is_fitted(self, "offset_")
        if self._single and is_single_view(X):
            X = self._validated(X, reset=False)
        views = match_views(X, self.view_names_, self._columns, self._dtype)
        with self._refusing_what_overflows(TOO_LARGE):
            return finite(scores_of(self._machine, views))

    def calibrate(self, *, target_bpcer=None):
        """Set the threshold anew for another rate, from the same left-out scores."""
        check_is_fitted(self, "offset_")
        target = self.target_bpcer if target_bpcer is None else target_bpcer
        self._set_threshold(check_rate("target_bpcer", target))
        return self

    def _set_threshold(self, target: float) -> None:
        scores, blocks, takes, length = self._left_out
        self.calibration_: Calibration = calibrate(
            scores,
            threshold_for(scores, target),
            f"a BPCER of {target:.1%}",
            block_numbers(blocks, len(takes)),
            takes,
            target_bpcer=target,
            block_length=length,
        )
        self.offset_ = self.calibration_.threshold

    def _fit_kernels(self, views: Views, takes: np.ndarray | None) -> tuple[ViewKernel, ...]:
        """Kernels that the block length is chosen by; a view without information is refused."""
        return fit_kernels(views, "rbf", takes)

    def _learn(
        self, views: Views, kernels: tuple[ViewKernel, ...], notes: list[str], cancel: Any
    ) -> tuple[Machine, Refit]:
        """Fit to rows; return the machine and a function that fits to some rows only."""
        raise NotImplementedError


def in_order_of_names(views: Views, X) -> Views:
    """Views by name, where they have names: their order must not matter."""
    if not has_names(X):
        return views
    order = sorted(range(len(views.names)), key=views.names.__getitem__)
    return Views(tuple(views.names[i] for i in order), tuple(views.arrays[i] for i in order))


def evenly_spaced(n_rows: int, most: int) -> np.ndarray:
    """At most ``most`` row numbers, evenly spaced: neighbours are near-copies."""
    return np.linspace(0, n_rows - 1, min(n_rows, most)).astype(int)


def folds_of(
    blocks: list[np.ndarray], conditions: np.ndarray, most: int = REFITS
) -> list[np.ndarray]:
    """Rows of every fold: blocks dealt out in turn, condition by condition."""
    order = sorted(range(len(blocks)), key=lambda b: (conditions[blocks[b][0]], blocks[b][0]))
    count = min(most, len(blocks))
    return [np.concatenate([blocks[b] for b in order[fold::count]]) for fold in range(count)]


def left_out_scores(
    views: Views, folds: list[np.ndarray], refit: Refit, cancel: Callable[[], bool] | None
) -> np.ndarray:
    """Scores of every row under a machine that was fitted without its fold."""
    scores = np.full(views.n_samples, np.nan)
    for rows in folds:
        raise_if_cancelled(cancel)
        rest = np.setdiff1d(np.arange(views.n_samples), rows)
        scores[rows] = scores_of(refit(rest), views.rows(rows))
    return scores


def scores_of(machine: Machine, views: Views) -> np.ndarray:
    """Scores of rows, block by block."""
    starts = range(0, views.n_samples, BLOCK_ROWS)
    blocks = (tuple(array[at : at + BLOCK_ROWS] for array in views.arrays) for at in starts)
    return np.concatenate([machine(block) for block in blocks])


def closeness(distances: np.ndarray) -> np.ndarray:
    """``1 / (1 + d)``: 1 at distance 0, towards 0 far away, the order of distances kept."""
    return 1.0 / (1.0 + finite(distances))


def finite(values: np.ndarray) -> np.ndarray:
    """Return finite numbers as they are; raise FloatingPointError for others."""
    if not np.all(np.isfinite(values)):
        raise FloatingPointError("a value is too large for its type")
    return values


def unconverged(fit: Callable[[], Any]) -> bool:
    """Call; return whether it warned that it did not converge, and pass on other warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    others = [one for one in caught if not issubclass(one.category, ConvergenceWarning)]
    for one in others:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return len(others) < len(caught)
