"""The table of an evaluation: measured rows merged with the paper's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from app.evaluation.protocols.types import Layout
from app.evaluation.published import (
    TABLES,
    PrintedFigure,
    PublishedRow,
    PublishedTable,
    plain_name,
)
from app.evaluation.result import Evaluation, FoldResult, MethodResult
from app.reports.figures import FIGURES, NON_RESPONSE, FoldFigures, Joiner, fold_figures

if TYPE_CHECKING:
    from lmkl_core.baselines import Method

WITHOUT_PAPER = ("APCER", "BPCER", "AUC")
"""First figures without a table of the paper: those of ISO/IEC 30107-3, and one that needs no
threshold."""

NOT_ASKED_FOR = "not asked for in this run"

MANY_SINGLES = 3
"""Rows of single views from which they get a table of their own."""


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


@dataclass(frozen=True, eq=False)
class Singles:
    """One method on each of many views, as one line."""

    rows: tuple[Row, ...]
    source = remark = ""
    is_own, is_measured = False, True

    def printed(self, name: str) -> None:
        """Nothing is published of single views."""

    @property
    def title(self) -> str:
        return f"{self.rows[0].title.partition(':')[0]}, {len(self.rows)} views"

    def ends(self, name: str) -> tuple[float, float] | None:
        """Return the lowest and highest mean over folds."""
        found = [row.by_presentation.spread(name) for row in self.rows]
        values = [each.mean for each in found if each is not None]
        return (min(values), max(values)) if values else None


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
    def singles(self) -> Singles | None:
        """Methods on single views, if they are many and there are others."""
        found = tuple(row for row in self.rows if row.view)
        return Singles(found) if MANY_SINGLES <= len(found) < len(self.rows) else None

    @cached_property
    def lines(self) -> tuple[Row | Singles, ...]:
        """The rows, many single views as one line."""
        if self.singles is None:
            return self.rows
        first = self.rows.index(self.singles.rows[0])
        after = (row for row in self.rows[first:] if not row.view)
        return (*self.rows[:first], self.singles, *after)

    @cached_property
    def compared(self) -> tuple[Row, ...]:
        """The measured rows, without single views that have their own table."""
        return tuple(line for line in self.lines if isinstance(line, Row) and line.is_measured)

    @cached_property
    def measured(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_measured)

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
        # Brings the solvers, which the report of a guided test does not need.
        from lmkl_core.baselines import METHODS

        methods = METHODS
    measurable = {(plain_name(each.published), each.citation) for each in methods.values()}
    joiner = Joiner()
    by_row: dict[int, list[Row]] = {}
    unprinted, own = [], []
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
        row = Row(result.title, printed, result, remark, joiner, is_own)
        if row.is_own:
            own.append(row)
        elif published is None or printed is None:
            unprinted.append(row)
        else:
            by_row.setdefault(published.rows.index(printed), []).append(row)
    above = []
    for index, printed in enumerate(published.rows if published is not None else ()):
        is_measurable = (plain_name(printed.title), printed.citation) in measurable
        why = NOT_ASKED_FOR if is_measurable else printed.why
        alone = [Row(printed.title, printed, None, why, is_own=not printed.citation)]
        if printed.citation:
            above += by_row.get(index, alone)
        else:
            own = own or alone
    return Table(evaluation, published, (*above, *unprinted, *own))
