"""Histograms of left-out scores: one row for each kind, all against the same threshold."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from app.models.summary import ThresholdSummary
from app.qt.charts.chart import Chart, Key, csv_text
from app.qt.charts.format import decimals, percent, places_for
from app.qt.charts.plot import Pixels, Plot, tinted
from app.qt.widgets.layout import scroll_area
from app.types import Interval

_MOST_BINS = 60

Series = tuple[str, tuple[float, ...], float | None, Interval]
"""A name, scores of genuine frames, the share that is refused, and its interval."""


class ScoreHistogram(Chart):
    """Scores as bars in rows, with the threshold through all of them.

    Bars below the threshold, which are refused, are solid; the others are light.
    """

    file_stem = "score-histogram"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Histogram of scores", parent)
        self._series: tuple[Series, ...] = ()
        self._threshold = 0.0
        self._edges: list[float] = []
        self._counts: list[list[int]] = []
        self._plot = Plot(self, axes={"bottom": pg.AxisItem("bottom")})
        self._plot.set_y_range(0, 1)
        self._plot.setAccessibleName("Histogram of scores, the bars")
        self._plot.add_layer(self._paint_rows, z=0)
        self._plot.hovered.connect(self._on_hovered)
        self._scroll = scroll_area(self._plot, self, takes_focus=False)
        self._lay_out(self._statement, self._legend, self._scroll)

    def show_threshold(self, threshold: ThresholdSummary | None) -> None:
        """Show the left-out scores that set a threshold, and those of the stress test."""
        self._series = ()
        if threshold is not None:
            left_out, stress = threshold.left_out, threshold.stress
            self._threshold = threshold.value
            rows: list[Series] = [
                ("left-out frames", left_out, threshold.bpcer, threshold.interval),
                (
                    "left-out conditions (stress)",
                    stress,
                    threshold.stress_bpcer,
                    threshold.stress_interval,
                ),
            ]
            self._series = tuple(rows if stress else rows[:1])
        self.mark_stale()

    def to_csv(self) -> str:
        rows = []
        for name, scores, _, _ in self._series:
            for score in scores:
                accepted = None
                if isfinite(score):
                    accepted = "yes" if score >= self._threshold else "no"
                rows.append((name, score, self._threshold, accepted))
        return csv_text(("series", "score", "threshold", "accepted"), rows)

    def _label(self, series: Series) -> str:
        name, scores, rate, (low, high) = series
        known = [score for score in scores if isfinite(score)]
        words = f"{name}: n = {len(known)}"
        if known:
            n_below = sum(score < self._threshold for score in known)
            share = percent(n_below / len(known) if rate is None else rate)
            interval = f"95 % interval {percent(low)} to {percent(high)}"
            words += f", {n_below} below the threshold ({share}; {interval})"
        if n_unknown := len(scores) - len(known):
            words += f", {n_unknown} without a score"
        return words

    def _words(self) -> str:
        if not self._series:
            return "No scores yet."
        return f"{self._threshold_words()}. {'. '.join(map(self._label, self._series))}."

    def _statement_text(self) -> str:
        text = f"{self._threshold_words()}: accepted at or above it"
        return text if self._series else self._words()

    def _threshold_words(self) -> str:
        return f"Threshold {decimals(self._threshold, self._places())}"

    def _keys(self) -> tuple[Key, ...]:
        accent = self._colours.accent
        light = tinted(accent, 0.45).name(QColor.NameFormat.HexArgb)
        keys = (Key("genuine, accepted", light), Key("genuine, refused", accent))
        return keys if self._series else ()

    def _places(self) -> int:
        return places_for(self._edges[-1] - self._edges[0]) if self._edges else 3

    def _draw(self) -> None:
        every = [score for _, scores, _, _ in self._series for score in scores]
        n_wanted = max(12, min(48, int(self._plot.area().width() / 14)))
        self._edges = edges_for(every, self._threshold, n_wanted)
        self._counts = [counts_in(scores, self._edges) for _, scores, _, _ in self._series]
        if self._edges:
            pad = 0.02 * (self._edges[-1] - self._edges[0])
            self._plot.set_x_range(self._edges[0] - pad, self._edges[-1] + pad)
        line = self._plot.fontMetrics().height()
        axis = self._plot.small_metrics.height() + 12
        self._plot.setMinimumHeight(max(1, len(self._series)) * line * 5 + axis)
        self._plot.viewport().update()
        self._scroll.setVisible(bool(self._series))
        self.head.setVisible(bool(self._series))

    def _paint_rows(self, painter: QPainter, pixels: Pixels) -> None:
        if not self._series or not self._edges:
            return
        step = pixels.area.height() / len(self._series)
        for index, series in enumerate(self._series):
            top = pixels.area.top() + index * step
            row = QRectF(pixels.area.left(), top, pixels.area.width(), step)
            self._paint_series(painter, pixels, row, self._label(series), self._counts[index])

    def _paint_series(
        self, painter: QPainter, pixels: Pixels, row: QRectF, label: str, counts: list[int]
    ) -> None:
        painter.setFont(self._plot.small_font)
        painter.setPen(QColor(self._colours.text))
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        place = row.adjusted(2, 4, -2, 0)
        used = painter.boundingRect(place, int(flags), label)
        painter.drawText(place, int(flags), label)
        base = row.bottom() - 1
        room = max(4.0, base - used.bottom() - 6)
        most = max(counts, default=0)
        for index, count in enumerate(counts):
            if not count:
                continue
            left, right = pixels.x(self._edges[index]), pixels.x(self._edges[index + 1])
            height = max(2.0, room * count / most)
            bar = QRectF(left + 0.5, base - height, max(1.0, right - left - 1), height)
            is_refused = (self._edges[index] + self._edges[index + 1]) / 2 < self._threshold
            painter.fillRect(bar, tinted(self._colours.accent, 1.0 if is_refused else 0.45))
        x = pixels.vertical(self._threshold).x1()
        painter.setPen(QPen(QColor(self._colours.text), 1.4, Qt.PenStyle.DashLine))
        # Not over the words above the bars.
        painter.drawLine(QPointF(x, used.bottom() + 2), QPointF(x, base))
        painter.setPen(QPen(QColor(self._colours.grid), 1))
        painter.drawLine(QPointF(row.left(), base + 0.5), QPointF(row.right(), base + 0.5))

    @Slot(QPoint)
    def _on_hovered(self, place: QPoint) -> None:
        QToolTip.showText(self._plot.mapToGlobal(place), self._tip(place), self._plot)

    def _tip(self, place: QPoint) -> str:
        """Return range and count of the bar at a place; empty where there is none."""
        area = self._plot.area()
        if not self._edges or not area.contains(place):
            return ""
        row = int((place.y() - area.top()) / (area.height() / len(self._series)))
        width = self._edges[1] - self._edges[0]
        index = int((self._plot.value_at(place)[0] - self._edges[0]) // width)
        if not 0 <= index < len(self._edges) - 1 or not 0 <= row < len(self._series):
            return ""
        places = places_for(width * 10)
        return (
            f"{self._series[row][0]}\n{decimals(self._edges[index], places)} to "
            f"{decimals(self._edges[index + 1], places)}: {self._counts[row][index]} of "
            f"{sum(self._counts[row])}"
        )


def edges_for(scores: Iterable[float], threshold: float, n_wanted: int = 30) -> list[float]:
    """Return the edges of equal bins over all finite scores; none without any.

    One edge is the threshold, so that every bar lies wholly on one side of it.
    """
    known = [score for score in scores if isfinite(score)]
    if not known:
        return []
    low, high = min([*known, threshold]), max([*known, threshold])
    width = _round_width((high - low) / max(1, min(n_wanted, _MOST_BINS)))
    if width <= 0:
        width = max(abs(threshold) * 0.05, 1e-3)
    first = floor((low - threshold) / width)
    last = max(first + 1, ceil((high - threshold) / width))
    if threshold + last * width <= high:  # the largest score must lie inside the last bin
        last += 1
    return [threshold + index * width for index in range(first, last + 1)]


def counts_in(scores: Iterable[float], edges: Sequence[float]) -> list[int]:
    """Count the scores in every bin; a score on an edge belongs to the bin above it."""
    if len(edges) < 2:
        return []
    known = np.clip([score for score in scores if isfinite(score)], edges[0], edges[-1])
    return [int(count) for count in np.histogram(known, edges)[0]]


def _round_width(width: float) -> float:
    """Round a width up to 1, 2 or 5 times a power of ten."""
    if width <= 0 or not isfinite(width):
        return 0.0
    power = 10.0 ** floor(log10(width))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))
