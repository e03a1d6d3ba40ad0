"""Scores as the measures take them: checked once, in one place."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError

Scores: TypeAlias = NDArray[np.float64]
Attacks: TypeAlias = Mapping[str, ArrayLike] | ArrayLike
"""Scores of attacks, either by species or all together."""


def as_scores(values: Any, what: str) -> Scores:
    """Return scores as a flat array of finite numbers, possibly empty; ``what`` names them."""
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"Scores of {what} must be numbers.") from error
    if scores.ndim != 1:
        raise InvalidInputError(
            f"Scores of {what} must be a flat list of numbers, not of shape {scores.shape}."
        )
    if not np.all(np.isfinite(scores)):
        raise InvalidInputError(
            f"Scores of {what} must be finite: leave out presentations without a score and "
            "count them as non-response."
        )
    refuse_huge(scores, what, float(np.nextafter(np.finfo(np.float64).max, 0)))
    return scores


def refuse_huge(scores: Scores, what: str, largest: float) -> None:
    """Refuse scores so large that a threshold above them, or their mean, would overflow."""
    if np.any(np.abs(scores) > largest):
        raise InvalidInputError(
            f"Scores of {what} must be at most {largest:.1e} in size: rescale them."
        )


def by_species(attacks: Attacks) -> dict[str, Scores]:
    """Return attacks by species; those given all together are one species, ``"attack"``."""
    if isinstance(attacks, Mapping):
        return {name: as_scores(values, name) for name, values in attacks.items()}
    return {"attack": as_scores(attacks, "attacks")}


def together(attacks: Attacks) -> Scores:
    """Return the scores of all attacks, whatever their species."""
    return np.concatenate([np.empty(0), *by_species(attacks).values()])


def n_accepted(scores: Scores, thresholds: ArrayLike) -> NDArray[np.int64]:
    """Count, for every threshold, the scores that reach it."""
    return len(scores) - n_refused(scores, thresholds)


def n_refused(scores: Scores, thresholds: ArrayLike) -> NDArray[np.int64]:
    """Count, for every threshold, the scores below it."""
    return np.asarray(np.searchsorted(np.sort(scores), thresholds, side="left"), dtype=np.int64)


def cuts(*scores: Scores) -> Scores:
    """Return a threshold for every way in which these scores can be divided, lowest first.

    The first accepts all; every other lies half way between two neighbouring scores, which leaves
    the widest margin on both sides; the last lies just above the highest score and refuses all.
    Without scores there is none.
    """
    levels = np.unique(np.concatenate([np.empty(0), *scores]))
    if not len(levels):
        return levels
    # Halved first: the difference of two huge scores may be too large for a number.
    between = levels[:-1] / 2 + levels[1:] / 2
    # Between two neighbouring floating-point numbers there is no third.
    between = np.where(between > levels[:-1], between, levels[1:])
    return np.concatenate([levels[:1], between, [np.nextafter(levels[-1], np.inf)]])
