"""Charts of a table: intervals of all methods under each other, and a few methods' curves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.evaluation.tables.building import Row, Table
from app.evaluation.tables.figures import FIGURES, HIGHER_IS_BETTER, Told
from app.report.charts import Curve, det_chart, roc_chart
from app.report.svg import Drawing, Scale, round_ticks
from lmkl_core.metrics import det_points, roc_points
from lmkl_core.metrics.scores import Attacks

WIDTH, LABELS, PITCH, TOP = 900.0, 250.0, 24.0, 34.0
LONGEST_LABEL = 36
CURVE_STYLES = ("curve one", "curve two", "curve three", "curve four")
FINEST = 0.0005
"""Share below which points of a curve are not told apart."""


@dataclass(frozen=True)
class _Mark:
    """What one row shows of one figure, as shares."""

    told: Told | None
    mean: float | None
    printed: float | None

    @property
    def values(self) -> list[float]:
        found = [self.mean, self.printed]
        if self.told is not None and self.told.value is not None:
            found += [self.told.value, *(self.told.interval or ())]
        return [value for value in found if value is not None]


def forest(table: Table) -> str:
    """Draw the first figures of methods with their intervals; empty when there are none.

    A bar is an interval, a dot the pooled figure, an upright line the mean over folds, a diamond
    the published figure.
    """
    rows = [line for line in table.lines if isinstance(line, Row)]
    marks = [[_mark(row, name) for name in table.headline] for row in rows]
    shown = [
        (row, marked)
        for row, marked in zip(rows, marks, strict=True)
        if any(mark.values for mark in marked)
    ]
    if not shown:
        return ""
    bottom = TOP + PITCH * len(shown)
    names = ", ".join(FIGURES[name] for name in table.headline)
    drawing = Drawing(WIDTH, bottom + 26, names, "One row for each method.")
    gap = 34.0
    width = (WIDTH - LABELS - gap * len(table.headline)) / len(table.headline)
    for index, (row, _) in enumerate(shown):
        middle = TOP + PITCH * (index + 0.5)
        if row.by_presentation is not None and row.is_own:
            drawing.rectangle((0, middle - PITCH / 2), WIDTH, PITCH, "band")
        style = "label" if row.by_presentation is not None else "tick"
        drawing.text((LABELS - 14, middle + 4), _shortened(_title(row)), style, anchor="end")
    for column, name in enumerate(table.headline):
        left = LABELS + column * (width + gap)
        marked = [marks_of_row[column] for _, marks_of_row in shown]
        _panel(drawing, name, marked, left, left + width, bottom)
    return drawing.markup()


def _panel(
    drawing: Drawing, name: str, marks: Sequence[_Mark], left: float, right: float, bottom: float
) -> None:
    values = [value for mark in marks for value in mark.values]
    if not values:
        return
    low, high = (min(values), 1.0) if name in HIGHER_IS_BETTER else (0.0, max(values))
    room = max(0.03 * (high - low), 0.005)
    low, high = max(low - room, 0.0), min(high + room, 1.0)
    along = Scale(low, high, left, right)
    drawing.text(((left + right) / 2, 14), f"{FIGURES[name]} (%)", "strong", anchor="middle")
    for tick in round_ticks(low, high, 8 if right - left > 400 else 4):
        drawing.line((along(tick), TOP - 6), (along(tick), bottom), "grid")
        drawing.text((along(tick), bottom + 17), f"{100 * tick:.4g}", "tick", anchor="middle")
    drawing.line((left, bottom), (right, bottom), "axis")
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


def _mark(row: Row, name: str) -> _Mark:
    printed = row.printed(name)
    share = None if printed is None else printed.mean / 100
    level = row.by_presentation
    if level is None:
        return _Mark(None, None, share)
    found = level.spread(name) if len(level.folds) > 1 else None
    return _Mark(level.pooled.figure(name), None if found is None else found.mean, share)


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
    chosen = _chosen(table)
    if not chosen:
        return None
    pairs = list(zip(chosen, CURVE_STYLES, strict=False))
    roc: list[Curve] = [(_points(row, roc_points), style) for row, style in pairs]
    det: list[Curve] = [(_points(row, det_points), style) for row, style in pairs]
    names = ", ".join(row.title for row in chosen)
    legend = tuple((_sample(style), row.title) for row, style in pairs)
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


def _points(row: Row, points_of: Callable[[ArrayLike, Attacks], Points]) -> Points:
    assert row.by_presentation is not None
    scores = row.by_presentation.pooled.scores
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
