"""The table of an evaluation beside the paper's figures, and tables of several runs side by side.

For two runs on the same database, subjects are resampled for both together: effects of a person on
both cancel, so the interval of a difference is narrower than those of the figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, get_args

from app.evaluation.protocols.types import Layout
from app.evaluation.published import (
    TABLES,
    PrintedFigure,
    PublishedRow,
    PublishedTable,
    plain_name,
)
from app.evaluation.result import Evaluation, FoldResult, MethodResult
from app.reports.figures import (
    FIGURES,
    MOST_SUBJECTS,
    NON_RESPONSE,
    Figure,
    Figures,
    FoldFigures,
    Joiner,
    Spread,
    fold_figures,
)
from app.reports.words import basis_text, interval_text, share, spread_text, with_interval
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics import bootstrap_difference
from lmkl_core.metrics.bootstrap import Figure as ResampledFigure
from lmkl_core.metrics.resampling import FEW_SUBJECTS

if TYPE_CHECKING:
    from lmkl_core.baselines import Method

WITHOUT_PAPER = ("APCER", "BPCER", "AUC")
"""Headline figures without a table of the paper: those of ISO/IEC 30107-3, and one without a
threshold."""

NOT_REQUESTED = "not requested in this run"

MANY_SINGLES = 3
"""From this many rows, single views get a table of their own."""

RESAMPLED: tuple[ResampledFigure, ...] = get_args(ResampledFigure)
"""Figures whose differences have intervals, from resampling subjects."""


class Cell(NamedTuple):
    """A measured figure as text, the same in every format.

    With several folds, ``value`` is the mean over them, and ``interval`` comes with the figure of
    all folds together.
    """

    value: str
    interval: str
    basis: str
    species: str
    by_frame: str


@dataclass(frozen=True, eq=False)
class Row:
    """One method: measured, published, or both.

    ``remark`` says why nothing was measured, or how the measured method differs from the published
    one. The rows of a table share one ``joiner``.
    """

    title: str
    published: PublishedRow | None
    measured: MethodResult | None
    remark: str = ""
    joiner: Joiner = field(default_factory=Joiner, repr=False)
    is_own: bool = False

    @property
    def folds(self) -> tuple[FoldResult, ...]:
        return () if self.measured is None else self.measured.folds

    @property
    def is_measured(self) -> bool:
        return bool(self.folds)

    @cached_property
    def by_presentation(self) -> FoldFigures:
        return fold_figures(self.folds, "presentation", self.joiner)

    @cached_property
    def by_frame(self) -> FoldFigures:
        return fold_figures(self.folds, "frame", self.joiner)

    @property
    def view(self) -> str:
        """The view of a single-view method; empty for others."""
        return "" if self.measured is None else self.measured.method.partition(":")[2]

    @property
    def source(self) -> str:
        return "" if self.published is None else self.published.source

    def printed(self, name: str) -> PrintedFigure | None:
        return None if self.published is None else self.published.figures.get(name)

    def cell(self, name: str) -> Cell:
        level, found = self.by_presentation, self.by_presentation.pooled.figure(name)
        pooled = share(found.value) if len(level.folds) > 1 and found.value is not None else ""
        return Cell(
            _over_folds(level, name),
            with_interval(pooled, interval_text(found)),
            # Figures of both classes share one basis, which a note gives.
            basis_text(found) if found.n is not None else "",
            found.species if found.value else "",
            _over_folds(self.by_frame, name),
        )


def _over_folds(level: FoldFigures, name: str) -> str:
    if len(level.folds) > 1:
        return spread_text(level.spread(name))
    return share(level.pooled.value(name))


@dataclass(frozen=True, eq=False)
class Table:
    """An evaluation beside the paper's figures, in the paper's order, its own method last."""

    evaluation: Evaluation
    published: PublishedTable | None
    rows: tuple[Row, ...]

    @property
    def layout(self) -> Layout:
        return self.evaluation.layout

    @property
    def title(self) -> str:
        protocol = f", protocol {self.layout.protocol}" if self.layout.protocol else ""
        return f"{self.layout.title}{protocol}"

    @property
    def headline(self) -> tuple[str, ...]:
        return WITHOUT_PAPER if self.published is None else self.published.columns

    @cached_property
    def others(self) -> tuple[str, ...]:
        """Further figures, without non-response rates that are 0 everywhere."""
        levels = [level for row in self.measured for level in (row.by_presentation, row.by_frame)]
        return tuple(
            name
            for name in FIGURES
            if name not in self.headline
            and (name not in NON_RESPONSE or any(level.pooled.value(name) for level in levels))
        )

    @cached_property
    def singles(self) -> tuple[Row, ...]:
        """Rows of single views, which get their own table if many stand beside other methods."""
        found = tuple(row for row in self.rows if row.view)
        return found if MANY_SINGLES <= len(found) < len(self.rows) else ()

    @cached_property
    def lines(self) -> tuple[Row, ...]:
        """The rows without `singles`."""
        return tuple(row for row in self.rows if row not in self.singles)

    @cached_property
    def compared(self) -> tuple[Row, ...]:
        """The measured rows without `singles`."""
        return tuple(row for row in self.lines if row.is_measured)

    @cached_property
    def measured(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_measured)

    @property
    def bases(self) -> list[str]:
        """Counts behind figures of both classes."""
        found = (row.by_presentation.pooled.figure("HTER") for row in self.measured)
        return list(dict.fromkeys(filter(None, map(basis_text, found))))

    @cached_property
    def folds(self) -> tuple[str, ...]:
        names = (fold for row in self.measured for fold in row.by_presentation.folds)
        return tuple(dict.fromkeys(names))

    @cached_property
    def species(self) -> tuple[str, ...]:
        found = (row.by_presentation.pooled.errors.apcers for row in self.measured)
        return tuple(dict.fromkeys(name for apcers in found for name in apcers))


def build(evaluation: Evaluation, methods: "Mapping[str, Method] | None" = None) -> Table:
    """Merge an evaluation with the paper's table."""
    published = TABLES.get(evaluation.table)
    if methods is None:
        # Imports the solvers, which the report of a guided test does not need.
        from lmkl_core.baselines import METHODS

        methods = METHODS
    measurable = {(plain_name(each.published), each.citation) for each in methods.values()}
    order = () if published is None else published.rows
    joiner = Joiner()
    rows = []
    for result in evaluation.methods:
        method = methods.get(result.method.partition(":")[0])
        printed, differs, is_own = None, "", False
        if method is not None:
            # The paper's own method is the only one without a citation.
            is_own = bool(method.published) and not method.citation
            if published is not None:
                printed = published.row(method.published, method.citation)
            differs = "" if printed is None else method.differs
        remark = differs if result.folds else result.failure
        rows.append(Row(result.title, printed, result, remark, joiner, is_own))
    for printed in order:
        if not any(row.published is printed for row in rows):
            is_measurable = (plain_name(printed.title), printed.citation) in measurable
            why = NOT_REQUESTED if is_measurable else printed.why
            rows.append(Row(printed.title, printed, None, why, is_own=not printed.citation))

    def place(row: Row) -> tuple[bool, int]:
        return row.is_own, len(order) if row.published is None else order.index(row.published)

    return Table(evaluation, published, tuple(sorted(rows, key=place)))


# ------------------------------------------------------------------ several runs


@dataclass(frozen=True, eq=False)
class Run:
    """A table with its name in a comparison."""

    name: str
    table: Table

    @cached_property
    def rows(self) -> dict[str, Row]:
        """Measured rows by method."""
        return {row.measured.method: row for row in self.table.compared if row.measured}


@dataclass(frozen=True)
class Difference:
    """A figure minus that of the first run, as shares; paired if runs are resampled together."""

    value: float | None
    interval: tuple[float, float] | None
    n_subjects: int
    is_paired: bool

    @property
    def has_few_subjects(self) -> bool:
        """Whether so few subjects were resampled that the interval is too narrow."""
        return self.interval is not None and self.n_subjects < FEW_SUBJECTS

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero and comes from enough subjects."""
        if self.interval is None or self.has_few_subjects:
            return False
        return not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True)
class Line:
    """One figure of one method in one run: pooled, and over several folds.

    The difference is None in the first run, and for methods that the first run lacks.
    """

    run: str
    method: str
    title: str
    figure: Figure
    spread: Spread | None = None
    difference: Difference | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two or more runs; the first is the reference."""

    runs: tuple[Run, ...]
    figures: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def methods(self) -> dict[str, str]:
        """Titles by method."""
        return {line.method: line.title for line in self.lines}

    def line(self, run: str, method: str, figure: str) -> Line | None:
        wanted = (run, method, figure)
        found = (line for line in self.lines if (line.run, line.method, line.figure.name) == wanted)
        return next(found, None)

    def lines_of(self, method: str) -> dict[str, list[Line]]:
        """Return a method's lines by run."""
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            if line.method == method:
                found.setdefault(line.run, []).append(line)
        return found

    @property
    def is_simulated(self) -> bool:
        return any(run.table.evaluation.is_simulated for run in self.runs)


def compare(runs: Sequence[Run]) -> Comparison:
    """Compare runs with the first of them."""
    if len(runs) < 2 or len({run.name for run in runs}) < len(runs):
        raise InvalidInputError("A comparison needs two or more runs, each with its own name.")
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
    figure = next((each for each in RESAMPLED if each == name), None)
    if figure is None or max(first.n_subjects, second.n_subjects) > MOST_SUBJECTS:
        before, after = first.value(name), second.value(name)
        value = None if before is None or after is None else after - before
        return Difference(value, None, 0, is_paired)
    thresholds = (first.threshold, second.threshold)
    found = bootstrap_difference(
        first.scores, second.scores, figure, thresholds, is_paired=is_paired
    )
    interval = found.interval if found.n_resamples else None
    n_subjects = found.n_subjects if is_paired else min(first.n_subjects, second.n_subjects)
    return Difference(found.value, interval, n_subjects, is_paired)
