"""The figures of one method, fold by fold and over all folds, by presentation and by frame."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.evaluation.result import FoldResult
from app.evaluation.result import Level as LevelName
from app.reports.tables.figures import Measured, Spread, spread
from lmkl_core.metrics import ScoreTable


@dataclass(frozen=True, eq=False)
class Level:
    """One method at one level.

    Attributes
    ----------
    folds : mapping of str to Measured
        By the folds' names, in order.
    pooled : Measured
        All folds together, each shifted so that its threshold lies at zero; empty when a threshold
        that this needs is missing.
    """

    folds: Mapping[str, Measured]
    pooled: Measured

    def spread(self, name: str) -> Spread | None:
        """Return a figure's mean and standard deviation over folds."""
        return spread(found.value(name) for found in self.folds.values())


class Joiner:
    """Joins tables of scores; what methods share but for their scores is joined once.

    Tens of thousands of pictures in each of dozens of folds have names of some hundred megabytes:
    held once for every method, they would fill the memory.
    """

    def __init__(self) -> None:
        self._parts: tuple[ScoreTable, ...] = ()
        self._joined = ScoreTable.joined(())

    def __call__(self, tables: Sequence[ScoreTable]) -> ScoreTable:
        """Return the rows of all tables, in their order."""
        parts = tuple(tables)
        if len(parts) != len(self._parts) or not all(map(_share_names, parts, self._parts)):
            self._parts, self._joined = parts, ScoreTable.joined(parts)
            return self._joined
        return self._joined.with_scores(np.concatenate([part.scores for part in parts]))


def _share_names(one: ScoreTable, other: ScoreTable) -> bool:
    return (
        one.presentations is other.presentations
        and one.subjects is other.subjects
        and one.species is other.species
    )


def presentation_level(folds: Iterable[FoldResult], joined: Joiner | None = None) -> Level:
    """Return the figures of presentations, each by the mean of its frames."""
    return _level(folds, "presentation", joined or Joiner())


def frame_level(folds: Iterable[FoldResult], joined: Joiner | None = None) -> Level:
    """Return the figures of frames, which are not independent and have no intervals."""
    return _level(folds, "frame", joined or Joiner())


def _level(results: Iterable[FoldResult], level: LevelName, joined: Joiner) -> Level:
    are_independent = level == "presentation"
    folds = {}
    for result in results:
        scores, threshold = result.at(level)
        folds[result.fold] = Measured(scores, threshold.value, are_independent)
    if len(folds) == 1:
        return Level(folds, *folds.values())
    shifted = [
        found.scores.shifted(-found.threshold)
        for found in folds.values()
        if found.threshold is not None
    ]
    if len(shifted) < len(folds):
        return Level(folds, Measured(ScoreTable.joined([]), None, are_independent))
    return Level(folds, Measured(joined(shifted), 0.0, are_independent))
