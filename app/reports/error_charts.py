"""Charts of errors: trade-off curves, and figures with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.reports.figures import FIGURES, HIGHER_IS_BETTER, Figure, Figures
from app.reports.svg import Drawing, Point, Scale, round_ticks, shortened
from lmkl_core.metrics import det_points, measure, roc_points

# ------------------------------------------------------------------ trade-off curves

CURVE_SIZE = 380
LEFT, RIGHT, TOP, BOTTOM = 58, 366, 14, 322
DET_TICKS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
FINEST = 0.0005
"""Points of a curve that are closer together than this are drawn as one."""

Kind = Literal["ROC", "DET"]
_LABELS = {"ROC": ("Bona fide accepted", "chance"), "DET": ("BPCER", "equal errors")}


def tradeoff(
    kind: Kind,
    curves: Sequence[tuple[Figures, str]],
    description: str,
    threshold: float | None = None,
) -> str:
    """Draw ROC or DET curves, the first on top, its threshold as a ring; empty without points."""
    paths = [(_points(kind, found), style) for found, style in curves]
    if not paths or not len(paths[0][0][0]):
        return ""
    upward, diagonal = _LABELS[kind]
    ticks = DET_TICKS if kind == "DET" else (0, 0.2, 0.4, 0.6, 0.8, 1)
    drawing = Drawing(CURVE_SIZE, CURVE_SIZE, f"{kind} curve", description)
    ends = _stretched(kind, ticks[0]), _stretched(kind, ticks[-1])
    across, up = Scale(*ends, LEFT, RIGHT), Scale(*ends, BOTTOM, TOP)

    def place(apcer: float, other: float) -> Point:
        return across(_stretched(kind, float(apcer))), up(_stretched(kind, float(other)))

    labels = [(_stretched(kind, tick), f"{100 * tick:g}") for tick in ticks]
    drawing.x_axis(across, labels, TOP, BOTTOM, "APCER (%)")
    drawing.y_axis(up, labels, LEFT, RIGHT, f"{upward} (%)")
    drawing.line((LEFT, BOTTOM), (RIGHT, TOP), "reference")
    drawing.text((RIGHT - 6, TOP + 98), diagonal, "tick", anchor="end")
    for points, style in reversed(paths):
        drawing.curve([place(*point) for point in zip(*points, strict=True)], style)
    if threshold is not None:
        found = curves[0][0]
        errors = measure(threshold, found.genuine_scores, found.attack_scores)
        if errors.apcer.value is not None and errors.bpcer.value is not None:
            other = errors.bpcer.value if kind == "DET" else 1 - errors.bpcer.value
            drawing.circle(place(errors.apcer.value, other), 6, "ring")
    return drawing.markup()


def _stretched(kind: Kind, share: float) -> float:
    if kind == "ROC":
        return share
    # 0 and 1 are infinitely far away, so they are drawn on the border.
    return NormalDist().inv_cdf(min(max(share, DET_TICKS[0]), DET_TICKS[-1]))


def _points(kind: Kind, found: Figures) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points_of = roc_points if kind == "ROC" else det_points
    across, up = points_of(found.genuine_scores, found.attack_scores)
    if len(across):
        steps = np.diff(np.round(np.array([across, up]) / FINEST))
        kept = np.append(steps.any(axis=0), True)
        across, up = across[kept], up[kept]
    return across, up


CURVE_STYLES = ("curve one", "curve two", "curve three", "curve four")


@dataclass(frozen=True)
class Curves:
    """Trade-off curves of a few methods; the legend pairs a sample of each line with its name."""

    roc: str = ""
    det: str = ""
    legend: tuple[tuple[str, str], ...] = ()


def curves_of(chosen: Sequence[tuple[str, Figures]]) -> Curves:
    """Draw curves of up to four named sets of scores."""
    styled = list(zip(chosen, CURVE_STYLES, strict=False))
    names = ", ".join(name for (name, _), _ in styled)
    drawn = [(found, style) for (_, found), style in styled]
    legend = tuple((_sample(style), name) for (name, _), style in styled)
    return Curves(tradeoff("ROC", drawn, names), tradeoff("DET", drawn, names), legend)


def _sample(style: str) -> str:
    drawing = Drawing(44, 10, "Line", "As in the charts.")
    drawing.curve([(2, 5), (42, 5)], style)
    return drawing.markup()


# ------------------------------------------------------------------ intervals

WIDTH, LABELS, PITCH, HEAD, GAP = 900.0, 250.0, 24.0, 34.0, 34.0
LONGEST_LABEL = 36


def interval_bar(value: float | None, interval: tuple[float, float]) -> str:
    """Draw a share as a dot on the bar of its interval; empty without data."""
    if value is None:
        return ""
    drawing = Drawing(120, 14, "Interval from 0 to 100 %", "The dot is the rate.")
    along = Scale(0, 1, 6, 114)
    drawing.line((6, 7), (114, 7), "track")
    low, high = along(interval[0]), along(interval[1])
    drawing.rectangle((low, 4), max(high - low, 1), 6, "span")
    drawing.circle((along(value), 7), 4, "dot")
    return drawing.markup()


@dataclass(frozen=True)
class Mark:
    """One figure of a row: measured with its interval, its mean over folds, and published."""

    figure: Figure | None = None
    mean: float | None = None
    printed: float | None = None

    @property
    def values(self) -> list[float]:
        found = [self.mean, self.printed]
        if self.figure is not None and self.figure.value is not None:
            found += [self.figure.value, *(self.figure.interval or ())]
        return [value for value in found if value is not None]


@dataclass(frozen=True)
class IntervalRow:
    """One row of a chart of intervals: a mark for each figure."""

    label: str
    marks: Sequence[Mark]
    style: str = "label"
    is_band: bool = False


def intervals(
    rows: Sequence[IntervalRow],
    names: Sequence[str],
    description: str,
    *,
    are_differences: bool = False,
) -> str:
    """Draw rows of intervals, a panel for each figure; empty without values.

    Bar: interval; dot: pooled figure; line: mean over folds; diamond: published figure.
    """
    drawn = [row for row in rows if any(mark.values for mark in row.marks)]
    if not drawn:
        return ""
    bottom = HEAD + PITCH * len(drawn)
    drawing = Drawing(WIDTH, bottom + 26, ", ".join(FIGURES[name] for name in names), description)
    width = (WIDTH - LABELS - GAP * len(names)) / len(names)
    for index, row in enumerate(drawn):
        middle = HEAD + PITCH * (index + 0.5)
        if row.is_band:
            drawing.rectangle((0, middle - PITCH / 2), WIDTH, PITCH, "band")
        label = shortened(row.label, LONGEST_LABEL)
        drawing.text((LABELS - 14, middle + 4), label, row.style, anchor="end")
    for column, name in enumerate(names):
        left = LABELS + column * (width + GAP)
        marks = [row.marks[column] for row in drawn]
        values = [value for mark in marks for value in mark.values]
        if values:
            along = Scale(*_limits(name, values, are_differences), left, left + width)
            _panel(drawing, name, marks, along, bottom)
    return drawing.markup()


def _limits(name: str, values: Sequence[float], are_differences: bool) -> tuple[float, float]:
    if are_differences:
        reach = max(1.05 * max(map(abs, values)), 0.01)
        return -reach, reach
    low, high = (min(values), 1.0) if name in HIGHER_IS_BETTER else (0.0, max(values))
    room = max(0.03 * (high - low), 0.005)
    return max(low - room, 0.0), min(high + room, 1.0)


def _panel(drawing: Drawing, name: str, marks: Sequence[Mark], along: Scale, bottom: float) -> None:
    left, right = along.start, along.end
    drawing.text(((left + right) / 2, 14), f"{FIGURES[name]} (%)", "strong", anchor="middle")
    ticks = round_ticks(along.low, along.high, 8 if right - left > 400 else 4)
    drawing.x_axis(along, [(tick, f"{100 * tick:.4g}") for tick in ticks], HEAD - 6, bottom)
    if along.low < 0 < along.high:
        drawing.line((along(0), HEAD - 6), (along(0), bottom), "axis")
    for index, mark in enumerate(marks):
        middle = HEAD + PITCH * (index + 0.5)
        if mark.figure is not None and mark.figure.value is not None:
            if mark.figure.interval is not None:
                start, end = map(along, mark.figure.interval)
                drawing.rectangle((start, middle - 4), max(end - start, 1), 8, "span")
            if mark.mean is not None:
                x = along(mark.mean)
                drawing.line((x, middle - 8), (x, middle + 8), "mean")
            drawing.circle((along(mark.figure.value), middle), 4, "dot")
        if mark.printed is not None:
            drawing.diamond((along(mark.printed), middle), 6, "published")
