"""From an evaluation to its table: measured rows merged with the paper's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from app.evaluation.published import TABLES, Figure, PublishedRow, PublishedTable, plain_name
from app.evaluation.result import Evaluation, FoldResult, MethodResult
from app.reports.tables.figures import FIGURES, NON_RESPONSE
from app.reports.tables.levels import Joiner, Level, frame_level, presentation_level

WITHOUT_PAPER = ("APCER", "BPCER", "AUC")
"""Figures that come first where the paper has no table: the two that ISO/IEC 30107-3 asks for,
and one that needs no threshold."""

NOT_ASKED_FOR = "not asked for in this run"

MANY_SINGLES = 3
"""Rows of single views from which they have a table of their own: a dozen would hide the rest."""


@dataclass(frozen=True)
class Printed:
    """Where the paper prints a method.

    Attributes
    ----------
    title, citation : str
        Of its row; both empty where it has none.
    differs : str
        In what the method that is measured differs from the published one; empty where it does not.
    """

    title: str
    citation: str = ""
    differs: str = ""

    @property
    def is_own(self) -> bool:
        """Whether it is the paper's own method: of all that are printed, it cites nobody."""
        return bool(self.title) and not self.citation


@dataclass(frozen=True, eq=False)
class Row:
    """One method: what was measured, what was published, or both.

    Attributes
    ----------
    title : str
        Its name.
    published : PublishedRow or None
        Its row in the paper's table, where that has one.
    measured : MethodResult or None
        What was measured, where it was.
    remark : str
        Why nothing was measured, or in what that differs from what was published, as half a
        sentence; empty where there is nothing to say.
    joiner : Joiner
        Joins folds; the rows of a table share one.
    is_own : bool
        Whether it is the paper's own method.
    """

    title: str
    published: PublishedRow | None
    measured: MethodResult | None
    remark: str = ""
    joiner: Joiner = field(default_factory=Joiner, repr=False)
    is_own: bool = False

    @cached_property
    def by_presentation(self) -> Level | None:
        """The figures of presentations; None where nothing was measured."""
        return presentation_level(self._folds, self.joiner) if self._folds else None

    @cached_property
    def by_frame(self) -> Level | None:
        """The figures of frames; None where nothing was measured."""
        return frame_level(self._folds, self.joiner) if self._folds else None

    @property
    def view(self) -> str:
        """The view that it is about; empty for methods on several."""
        return "" if self.measured is None else self.measured.method.partition(":")[2]

    @property
    def source(self) -> str:
        """Where its published figures are from; empty where there are none."""
        return "" if self.published is None else self.published.source

    def printed(self, name: str) -> Figure | None:
        """Return a published figure, in per cent."""
        return None if self.published is None else self.published.figures.get(name)

    @property
    def _folds(self) -> tuple[FoldResult, ...]:
        return () if self.measured is None else self.measured.folds


@dataclass(frozen=True, eq=False)
class Singles:
    """One method on each of many views, as one line."""

    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """Its name, with the number of views."""
        return f"{self.rows[0].title.partition(':')[0]}, {len(self.rows)} views"

    def ends(self, name: str) -> tuple[float, float] | None:
        """Return the lowest and the highest value of a figure, means over folds; None without."""
        levels = [row.by_presentation for row in self.rows if row.by_presentation is not None]
        found = [level.spread(name) for level in levels]
        values = [each.mean for each in found if each is not None]
        return (min(values), max(values)) if values else None


@dataclass(frozen=True, eq=False)
class Table:
    """An evaluation beside the paper's figures.

    Attributes
    ----------
    evaluation : Evaluation
        What was measured.
    published : PublishedTable or None
        The paper's table, where there is one.
    rows : tuple of Row
        In the paper's order; methods that it does not have come before its own, which is last.
    """

    evaluation: Evaluation
    published: PublishedTable | None
    rows: tuple[Row, ...]

    @property
    def headline(self) -> tuple[str, ...]:
        """The figures that come first: the paper's."""
        return WITHOUT_PAPER if self.published is None else self.published.columns

    @property
    def others(self) -> tuple[str, ...]:
        """All other figures."""
        return tuple(name for name in FIGURES if name not in self.headline)

    @cached_property
    def others_to_tell(self) -> tuple[str, ...]:
        """All other figures but non-response rates that are 0 everywhere."""
        levels = [level for row in self.measured for level in (row.by_presentation, row.by_frame)]
        return tuple(
            name
            for name in self.others
            if name not in NON_RESPONSE
            or any(level.pooled.value(name) for level in levels if level is not None)
        )

    @cached_property
    def singles(self) -> Singles | None:
        """Methods on single views, where they are many and not all there is."""
        found = tuple(row for row in self.rows if row.view)
        is_apart = MANY_SINGLES <= len(found) < len(self.rows)
        return Singles(found) if is_apart else None

    @cached_property
    def lines(self) -> tuple[Row | Singles, ...]:
        """The rows as people read them: many single views are one line."""
        if self.singles is None:
            return self.rows
        first = self.rows.index(self.singles.rows[0])
        after = (row for row in self.rows[first:] if not row.view)
        return (*self.rows[:first], self.singles, *after)

    @cached_property
    def compared(self) -> tuple[Row, ...]:
        """The rows with measured figures, but for single views that have a table of their own."""
        lines = [line for line in self.lines if isinstance(line, Row)]
        return tuple(row for row in lines if row.by_presentation is not None)

    @cached_property
    def measured(self) -> tuple[Row, ...]:
        """The rows with measured figures."""
        return tuple(row for row in self.rows if row.by_presentation is not None)

    @cached_property
    def folds(self) -> tuple[str, ...]:
        """Names of the folds, in order."""
        names = [fold for row in self.measured for fold in _of(row).folds]
        return tuple(dict.fromkeys(names))

    @cached_property
    def species(self) -> tuple[str, ...]:
        """Every attack instrument species, as they appeared."""
        names = [name for row in self.measured for name in _of(row).pooled.errors.apcers]
        return tuple(dict.fromkeys(names))


def build(evaluation: Evaluation, names: Mapping[str, Printed] | None = None) -> Table:
    """Make the table of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        What was measured.
    names : mapping of str to Printed, optional
        Where the paper prints each method; by default `lmkl_core.baselines` tells.
    """
    published = TABLES.get(evaluation.table)
    names = _known_names() if names is None else names
    measurable = {(plain_name(each.title), each.citation) for each in names.values()}
    joiner = Joiner()
    by_row: dict[int, list[Row]] = {}
    unprinted, own = [], []
    for result in evaluation.methods:
        name = names.get(result.method.partition(":")[0], Printed(""))
        printed = None if published is None else published.row(name.title, name.citation)
        remark = "" if printed is None else name.differs
        told = remark if result.folds else result.failure
        row = Row(result.title, printed, result, told, joiner, name.is_own)
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


def _of(row: Row) -> Level:
    assert row.by_presentation is not None  # asked of measured rows alone
    return row.by_presentation


def _known_names() -> dict[str, Printed]:
    # Imported here: the methods bring the solvers with them.
    from lmkl_core.baselines import METHODS

    return {
        key: Printed(method.published, method.citation, method.differs)
        for key, method in METHODS.items()
    }
