"""Charts of a table: intervals of all methods under each other, and a few methods' curves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.reports.charts import Curve, det_chart, roc_chart
from app.reports.svg import Drawing, Scale, round_ticks
from app.reports.tables.building import Row, Table
from app.reports.tables.figures import FIGURES, HIGHER_IS_BETTER, Measured, Told
from lmkl_core.metrics import ScoreTable, det_points, roc_points
from lmkl_core.metrics.scores import Attacks

WIDTH, LABELS, PITCH, TOP = 900.0, 250.0, 24.0, 34.0
LONGEST_LABEL = 36
CURVE_STYLES = ("curve one", "curve two", "curve three", "curve four")
FINEST = 0.0005
"""Share below which points of a curve are not told apart."""


@dataclass(frozen=True)
class Mark:
    """What one row shows of one figure, as shares."""

    told: Told | None
    mean: float | None = None
    printed: float | None = None

    @property
    def values(self) -> list[float]:
        """All that has to find room on the axis."""
        found = [self.mean, self.printed]
        if self.told is not None and self.told.value is not None:
            found += [self.told.value, *(self.told.interval or ())]
        return [value for value in found if value is not None]


@dataclass(frozen=True)
class Strand:
    """One row of a chart of intervals.

    Attributes
    ----------
    label : str
        Its name.
    marks : sequence of Mark
        One a figure.
    style : str
        Of the label.
    is_band : bool
        Whether it lies on a band of another colour.
    """

    label: str
    marks: Sequence[Mark]
    style: str = "label"
    is_band: bool = False


def forest(table: Table) -> str:
    """Draw the first figures of methods with their intervals; empty when there are none.

    A bar is an interval, a dot the pooled figure, an upright line the mean over folds, a diamond
    the published figure.
    """
    strands = [
        Strand(
            _title(row),
            [_mark(row, name) for name in table.headline],
            "label" if row.by_presentation is not None else "tick",
            row.is_own and row.by_presentation is not None,
        )
        for row in table.lines
        if isinstance(row, Row)
    ]
    return intervals(strands, table.headline, "One row for each method.")


def intervals(
    strands: Sequence[Strand], names: Sequence[str], what: str, *, are_differences: bool = False
) -> str:
    """Draw rows of intervals, a panel for each figure; empty when there are none.

    Parameters
    ----------
    strands : sequence of Strand
        Rows without any value are left out.
    names : sequence of str
        The figures.
    what : str
        What a row is, for those who cannot see it.
    are_differences : bool
        Whether the values lie on both sides of zero.
    """
    shown = [strand for strand in strands if any(mark.values for mark in strand.marks)]
    if not shown:
        return ""
    bottom = TOP + PITCH * len(shown)
    drawing = Drawing(WIDTH, bottom + 26, ", ".join(FIGURES[name] for name in names), what)
    gap = 34.0
    width = (WIDTH - LABELS - gap * len(names)) / len(names)
    for index, strand in enumerate(shown):
        middle = TOP + PITCH * (index + 0.5)
        if strand.is_band:
            drawing.rectangle((0, middle - PITCH / 2), WIDTH, PITCH, "band")
        drawing.text(
            (LABELS - 14, middle + 4), _shortened(strand.label), strand.style, anchor="end"
        )
    for column, name in enumerate(names):
        left = LABELS + column * (width + gap)
        marked = [strand.marks[column] for strand in shown]
        limits = _limits(name, marked, are_differences)
        if limits is not None:
            _panel(drawing, name, marked, limits, (left, left + width, bottom))
    return drawing.markup()


def _limits(name: str, marks: Sequence[Mark], are_differences: bool) -> tuple[float, float] | None:
    values = [value for mark in marks for value in mark.values]
    if not values:
        return None
    if are_differences:
        reach = max(1.05 * max(map(abs, values)), 0.01)
        return -reach, reach
    low, high = (min(values), 1.0) if name in HIGHER_IS_BETTER else (0.0, max(values))
    room = max(0.03 * (high - low), 0.005)
    return max(low - room, 0.0), min(high + room, 1.0)


def _panel(
    drawing: Drawing,
    name: str,
    marks: Sequence[Mark],
    limits: tuple[float, float],
    place: tuple[float, float, float],
) -> None:
    (low, high), (left, right, bottom) = limits, place
    along = Scale(low, high, left, right)
    drawing.text(((left + right) / 2, 14), f"{FIGURES[name]} (%)", "strong", anchor="middle")
    for tick in round_ticks(low, high, 8 if right - left > 400 else 4):
        drawing.line((along(tick), TOP - 6), (along(tick), bottom), "grid")
        drawing.text((along(tick), bottom + 17), f"{100 * tick:.4g}", "tick", anchor="middle")
    drawing.line((left, bottom), (right, bottom), "axis")
    if low < 0 < high:
        drawing.line((along(0), TOP - 6), (along(0), bottom), "axis")
    for index, mark in enumerate(marks):
        middle = TOP + PITCH * (index + 0.5)
        if mark.told is not None and mark.told.value is not None:
            if mark.told.interval is not None:
                start, end = (along(value) for value in mark.told.interval)
                drawing.rectangle((start, middle - 4), max(end - start, 1), 8, "span")
            if mark.mean is not None:
                x = along(mark.mean)
                drawing.line((x, middle - 8), (x, middle + 8), "mean")
            drawing.circle((along(mark.told.value), middle), 4, "dot")
        if mark.printed is not None:
            drawing.diamond((along(mark.printed), middle), 6, "published")


def _mark(row: Row, name: str) -> Mark:
    printed = row.printed(name)
    share = None if printed is None else printed.mean / 100
    level = row.by_presentation
    if level is None:
        return Mark(None, None, share)
    found = level.spread(name) if len(level.folds) > 1 else None
    return Mark(level.pooled.figure(name), None if found is None else found.mean, share)


# ------------------------------------------------------------------ curves


@dataclass(frozen=True)
class Curves:
    """Trade-off curves of a few methods: both charts, and who is who."""

    roc: str
    det: str
    legend: tuple[tuple[str, str], ...]
    """Drawing of a line, and the method's name."""


def curves(table: Table) -> Curves | None:
    """Draw curves of the paper's own method, or else the last one, and of the three best others.

    The best are those with the highest AUC over all folds together. None when there is none.
    """
    chosen = [
        (row.title, row.by_presentation.pooled)
        for row in _chosen(table)
        if row.by_presentation is not None
    ]
    return curves_of(chosen)


def curves_of(chosen: Sequence[tuple[str, Measured]]) -> Curves | None:
    """Draw curves of up to four named sets of scores; None when there is none."""
    if not chosen:
        return None
    pairs = [
        (name, found.scores, style)
        for (name, found), style in zip(chosen, CURVE_STYLES, strict=False)
    ]
    roc: list[Curve] = [(_points(scores, roc_points), style) for _, scores, style in pairs]
    det: list[Curve] = [(_points(scores, det_points), style) for _, scores, style in pairs]
    names = ", ".join(name for name, _, _ in pairs)
    legend = tuple((_sample(style), name) for name, _, style in pairs)
    return Curves(roc_chart(roc, names), det_chart(det, names), legend)


def _chosen(table: Table) -> list[Row]:
    known: list[tuple[Row, float]] = []
    for row in table.compared:
        assert row.by_presentation is not None
        value = row.by_presentation.pooled.value("AUC")
        if value is not None:
            known.append((row, value))
    if not known:
        return []
    first = next((row for row, _ in known if row.is_own), known[-1][0])
    # Sorting keeps the table's order among equals.
    others = sorted((pair for pair in known if pair[0] is not first), key=lambda pair: -pair[1])
    return [first, *(row for row, _ in others[: len(CURVE_STYLES) - 1])]


Points = tuple[NDArray[np.float64], NDArray[np.float64]]


def _points(scores: ScoreTable, points_of: Callable[[ArrayLike, Attacks], Points]) -> Points:
    across, up = points_of(scores.bona_fide, scores.attacks)
    kept = [0]
    for index in range(1, len(across)):
        moved = max(abs(across[index] - across[kept[-1]]), abs(up[index] - up[kept[-1]]))
        if moved >= FINEST or index == len(across) - 1:
            kept.append(index)
    return across[kept], up[kept]


def _sample(style: str) -> str:
    drawing = Drawing(44, 10, "Line", "As in the charts.")
    drawing.curve([(2, 5), (42, 5)], style)
    return drawing.markup()


def _title(row: Row) -> str:
    # Several rows of the paper are named by their citation alone.
    return f"{row.title} {row.source}" if row.title == "The work in" else row.title


def _shortened(name: str) -> str:
    """Leave out the middle: names of single views differ at both ends."""
    if len(name) <= LONGEST_LABEL:
        return name
    n_last = 2 * LONGEST_LABEL // 3
    return f"{name[: LONGEST_LABEL - n_last - 1]}\u2026{name[-n_last:]}"
