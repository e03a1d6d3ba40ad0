"""Several runs side by side: every method's figures, and differences to the first run.

For two runs of the same database, subjects are drawn for both together: what makes a person easy or
hard in both cancels, so the interval of a difference is narrower than the figures' own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from app.reports.evaluation import WITHOUT_PAPER, Row, Table
from app.reports.figures import MOST_SUBJECTS, Figure, Figures, Spread
from app.reports.notices import facts, sentences, unlike_the_paper
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics import bootstrap_difference
from lmkl_core.metrics.bootstrap import Figure as DrawnFigure
from lmkl_core.metrics.resampling import FEW_SUBJECTS


@dataclass(frozen=True, eq=False)
class Run:
    """A table and its name beside others."""

    name: str
    table: Table

    @cached_property
    def rows(self) -> dict[str, Row]:
        """Measured rows by method."""
        return {row.measured.method: row for row in self.table.compared if row.measured}


@dataclass(frozen=True)
class Difference:
    """A figure less the first run's, as shares; paired where subjects were drawn together."""

    value: float | None
    interval: tuple[float, float] | None
    n_subjects: int
    is_paired: bool

    @property
    def has_few_subjects(self) -> bool:
        """Whether too few subjects were drawn, which makes the interval too narrow."""
        return self.interval is not None and self.n_subjects < FEW_SUBJECTS

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero, from enough subjects."""
        if self.interval is None or self.has_few_subjects:
            return False
        return not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True)
class Line:
    """One figure of one method in one run: pooled, and over several folds.

    The difference is None in the first run, and where that lacks the method.
    """

    run: str
    method: str
    title: str
    figure: Figure
    spread: Spread | None = None
    difference: Difference | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two runs or more, the first as reference."""

    runs: tuple[Run, ...]
    figures: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def methods(self) -> dict[str, str]:
        """Titles by method."""
        return {line.method: line.title for line in self.lines}

    def line(self, run: str, method: str, figure: str) -> Line | None:
        return self._places.get((run, method, figure))

    @cached_property
    def _places(self) -> dict[tuple[str, str, str], Line]:
        return {(line.run, line.method, line.figure.name): line for line in self.lines}

    @property
    def is_simulated(self) -> bool:
        return any(run.table.evaluation.is_simulated for run in self.runs)

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """Caveats; those of some runs begin with the run's name."""
        notes = dict.fromkeys(
            f"{found.n_subjects} subjects are few: intervals of differences are too narrow."
            for line in self.lines
            if (found := line.difference) is not None and found.has_few_subjects
        )
        # Published figures are not on this page.
        said = {
            run.name: [s for s in sentences(run.table) if s not in unlike_the_paper(run.table)]
            for run in self.runs
        }
        shared = [each for each in said[self.runs[0].name] if all(each in s for s in said.values())]
        alone = [
            f"{name}: {each}" for name, own in said.items() for each in own if each not in shared
        ]
        return (*shared, *notes, *alone)

    @cached_property
    def facts(self) -> tuple[list[tuple[str, str]], list[tuple[str, list[str]]]]:
        """How it was measured: facts that all runs share, and others by run."""
        each = [dict(facts(run.table)) for run in self.runs]
        shared, differing = [], []
        for name in dict.fromkeys(name for own in each for name in own):
            texts = [own.get(name, "") for own in each]
            if len(set(texts)) == 1:
                shared.append((name, texts[0]))
            else:
                differing.append((name, texts))
        return shared, differing


def compare(runs: Sequence[Run]) -> Comparison:
    """Compare runs with the first of them."""
    if len(runs) < 2 or len({run.name for run in runs}) < len(runs):
        raise InvalidInputError("A comparison needs two runs or more, each with its own name.")
    headlines = {run.table.headline for run in runs}
    figures = headlines.pop() if len(headlines) == 1 else WITHOUT_PAPER
    methods = dict.fromkeys(method for run in runs for method in run.rows)
    lines = [
        _line(runs[0], run, method, figure)
        for method in methods
        for figure in figures
        for run in runs
        if method in run.rows
    ]
    return Comparison(tuple(runs), figures, tuple(lines))


def _line(first: Run, run: Run, method: str, name: str) -> Line:
    row, other = run.rows[method], first.rows.get(method)
    level = row.by_presentation
    difference = None
    if run is not first and other is not None:
        is_paired = first.table.layout.database == run.table.layout.database
        difference = _difference(other.by_presentation.pooled, level.pooled, name, is_paired)
    spread = level.spread(name) if len(level.folds) > 1 else None
    return Line(run.name, method, row.title, level.pooled.figure(name), spread, difference)


def _difference(first: Figures, second: Figures, name: str, is_paired: bool) -> Difference:
    figure: DrawnFigure | None = next(
        (each for each in get_args(DrawnFigure) if each == name), None
    )
    if figure is None or max(first.n_subjects, second.n_subjects) > MOST_SUBJECTS:
        before, after = first.value(name), second.value(name)
        value = None if before is None or after is None else after - before
        return Difference(value, None, 0, is_paired)
    thresholds = (first.threshold, second.threshold)
    drawn = bootstrap_difference(
        first.scores, second.scores, figure, thresholds, is_paired=is_paired
    )
    interval = drawn.interval if drawn.n_resamples else None
    n_subjects = drawn.n_subjects if is_paired else min(first.n_subjects, second.n_subjects)
    return Difference(drawn.value, interval, n_subjects, is_paired)
