"""Several runs side by side: every method's figures in each, and how far they differ.

Differences are those to the first run. Where two runs are of the same database, subjects are drawn
for both together: what makes a person easy or hard in both cancels, so that the interval of a
difference is narrower than the two figures' own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from app.reports.tables.building import WITHOUT_PAPER, Row, Table
from app.reports.tables.data import sentences
from app.reports.tables.figures import MOST_SUBJECTS, Measured, Told
from app.reports.tables.notices import unlike_the_paper
from app.reports.tables.words import facts
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics import bootstrap_difference
from lmkl_core.metrics.bootstrap import Figure
from lmkl_core.metrics.resampling import FEW_SUBJECTS


@dataclass(frozen=True, eq=False)
class Run:
    """A table and how it is called beside others."""

    name: str
    table: Table

    @cached_property
    def rows(self) -> dict[str, Row]:
        """What was measured, by the methods' keys."""
        return {row.measured.method: row for row in self.table.compared if row.measured}


@dataclass(frozen=True)
class Difference:
    """How far a figure is from the first run's.

    Attributes
    ----------
    value : float or None
        As shares; positive where it is larger than in the first run.
    interval : tuple of float or None
        Of 95 %; None when there is none to tell.
    n_subjects : int
        Subjects that were drawn.
    is_paired : bool
        Whether they were drawn for both runs together.
    note : str
        What a reader must know, in one sentence; empty when there is nothing.
    """

    value: float | None
    interval: tuple[float, float] | None
    n_subjects: int
    is_paired: bool
    note: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether the interval does not hold zero, and enough subjects were drawn to say so."""
        if self.interval is None or self.n_subjects < FEW_SUBJECTS:
            return False
        return not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True)
class Line:
    """One figure of one method in one run.

    Attributes
    ----------
    run, method, title : str
        Names of the run and of the method, in files and for people.
    told : Told
        The figure, all folds together.
    mean, std : float or None
        Over folds; None with one fold.
    difference : Difference or None
        To the first run; None in the first run itself, and where that lacks the method.
    """

    run: str
    method: str
    title: str
    told: Told
    mean: float | None = None
    std: float | None = None
    difference: Difference | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several runs.

    Attributes
    ----------
    runs : tuple of Run
        At least two; the first is what others are held against.
    figures : tuple of str
        The figures compared: the runs' first ones.
    lines : tuple of Line
        By method, figure and run.
    """

    runs: tuple[Run, ...]
    figures: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def methods(self) -> dict[str, str]:
        """Titles of the methods by their keys."""
        return {line.method: line.title for line in self.lines}

    def line(self, run: str, method: str, figure: str) -> Line | None:
        """Return one of the lines, if there is one."""
        return self._places.get((run, method, figure))

    @cached_property
    def _places(self) -> dict[tuple[str, str, str], Line]:
        return {(line.run, line.method, line.told.name): line for line in self.lines}

    @property
    def is_simulated(self) -> bool:
        """Whether some of it is."""
        return any(run.table.evaluation.is_simulated for run in self.runs)

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know; what is not true of all runs begins with the run's name."""
        notes = dict.fromkeys(
            line.difference.note for line in self.lines if line.difference and line.difference.note
        )
        # Published figures are not on this page.
        said = {
            run.name: [s for s in sentences(run.table) if s not in unlike_the_paper(run.table)]
            for run in self.runs
        }
        shared = [each for each in said[self.runs[0].name] if all(each in s for s in said.values())]
        alone = [
            f"{name}: {each}" for name, told in said.items() for each in told if each not in shared
        ]
        return (*shared, *notes, *alone)

    @cached_property
    def facts(self) -> tuple[list[tuple[str, str]], list[tuple[str, list[str]]]]:
        """How it was measured: what all runs share, and what differs, by run."""
        each = [dict(facts(run.table)) for run in self.runs]
        shared, differing = [], []
        for name in dict.fromkeys(name for told in each for name in told):
            texts = [told.get(name, "") for told in each]
            if len(set(texts)) == 1:
                shared.append((name, texts[0]))
            else:
                differing.append((name, texts))
        return shared, differing


def compare(runs: Sequence[Run]) -> Comparison:
    """Put runs side by side.

    Parameters
    ----------
    runs : sequence of Run
        The first is what others are held against.

    Raises
    ------
    InvalidInputError
        With fewer than two runs, or names that are not different.
    """
    if len(runs) < 2 or len({run.name for run in runs}) < len(runs):
        raise InvalidInputError("A comparison needs two runs or more, each with its own name.")
    headlines = {run.table.headline for run in runs}
    figures = headlines.pop() if len(headlines) == 1 else WITHOUT_PAPER
    methods = dict.fromkeys(method for run in runs for method in run.rows)
    lines = [
        _line(runs[0], run, run.rows[method], figure)
        for method in methods
        for figure in figures
        for run in runs
        if method in run.rows
    ]
    return Comparison(tuple(runs), figures, tuple(lines))


def _line(first: Run, run: Run, row: Row, figure: str) -> Line:
    level, measured = row.by_presentation, row.measured
    assert level is not None  # of compared rows
    assert measured is not None
    found = level.spread(figure) if len(level.folds) > 1 else None
    other = first.rows.get(measured.method)
    difference = None
    if run is not first and other is not None and other.by_presentation is not None:
        is_paired = first.table.evaluation.database == run.table.evaluation.database
        difference = _difference(other.by_presentation.pooled, level.pooled, figure, is_paired)
    return Line(
        run.name,
        measured.method,
        row.title,
        level.pooled.figure(figure),
        None if found is None else found.mean,
        None if found is None else found.std,
        difference,
    )


def _difference(first: Measured, second: Measured, name: str, is_paired: bool) -> Difference:
    figure: Figure | None = next((each for each in get_args(Figure) if each == name), None)
    n = max(first.scores.n_subjects, second.scores.n_subjects)
    if figure is None or n > MOST_SUBJECTS:
        values = first.value(name), second.value(name)
        value = None if values[0] is None or values[1] is None else values[1] - values[0]
        return Difference(value, None, 0, is_paired)
    drawn = bootstrap_difference(
        first.scores,
        second.scores,
        figure,
        (first.threshold, second.threshold),
        is_paired=is_paired,
    )
    interval = drawn.interval if drawn.n_resamples else None
    n_subjects = drawn.n_subjects
    if not is_paired:
        n_subjects = min(len(np.unique(each.scores.subjects)) for each in (first, second))
    note = ""
    if interval is not None and n_subjects < FEW_SUBJECTS:
        note = f"{n_subjects} subjects are few: intervals of differences are too narrow."
    return Difference(drawn.value, interval, n_subjects, is_paired, note)
