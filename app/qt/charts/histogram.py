"""Histograms of left-out scores, compared with the threshold."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import ceil, floor, isfinite

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.models.summary import Calibration
from app.qt import theme
from app.qt.charts.chart import Chart, LegendEntry, csv_text
from app.qt.charts.format import decimals, percent, places_for
from app.qt.charts.plot import Plot, tinted
from app.qt.widgets.texts import wrapped
from app.types import Interval

_N_BINS = 30
_LIGHT = 0.45

Series = tuple[str, list[float], float, Interval]
"""A name, scores of genuine frames, the proportion refused, and its interval."""


class ScoreHistogram(Chart):
    """Histograms of left-out scores and of the stress test's, with the threshold.

    Bars below the threshold (refused) are solid, the others light.
    """

    file_stem = "score-histogram"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Histogram of scores", parent)
        self._series: list[Series] = []
        self._threshold = 0.0
        self._edges: list[float] = []
        self._counts: list[list[int]] = []
        self._labels = [wrapped(parent=self) for _ in range(2)]
        self._plots, self._bars, self._lines = [], [], []
        for row, name in enumerate(("Left-out frames", "Left-out conditions")):
            plot = Plot(self, f"{name}, bars", axes=("bottom",), tip=partial(self._tip, row))
            bars = pg.BarGraphItem(x0=[], x1=[], y0=0, height=[], pen=pg.mkPen(None))
            line = pg.InfiniteLine(angle=90)
            plot.add(bars, line)
            self._plots.append(plot)
            self._bars.append(bars)
            self._lines.append(line)
        rows = [part for pair in zip(self._labels, self._plots, strict=True) for part in pair]
        self._lay_out(self._statement, self._legend, *rows)

    def show_calibration(self, calibration: Calibration | None) -> None:
        self._series = []
        if calibration is not None:
            self._threshold = calibration.threshold
            rate, interval = calibration.bpcer, calibration.interval
            self._series = [("left-out frames", calibration.scores.tolist(), rate, interval)]
            rate, interval = calibration.stress_bpcer, calibration.stress_interval
            if isfinite(rate):
                scores = calibration.stress_scores.tolist()
                self._series.append(("left-out conditions (stress)", scores, rate, interval))
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
        finite = [score for score in scores if isfinite(score)]
        text = f"{name.capitalize()}: n = {len(finite)}"
        if finite:
            n_below = sum(score < self._threshold for score in finite)
            interval = f"95 % interval {percent(low)} to {percent(high)}"
            text += f", {n_below} below the threshold ({percent(rate)}; {interval})"
        if n_unscored := len(scores) - len(finite):
            text += f", {n_unscored} without a score"
        return text

    def _description(self) -> str:
        if not self._series:
            return "No scores yet."
        return f"{self._threshold_text()}. {'. '.join(map(self._label, self._series))}."

    def _statement_text(self) -> str:
        text = f"{self._threshold_text()}: accepted at or above it"
        return text if self._series else self._description()

    def _threshold_text(self) -> str:
        places = places_for(self._edges[-1] - self._edges[0]) if self._edges else 3
        return f"Threshold {decimals(self._threshold, places)}"

    def _legend_entries(self) -> tuple[LegendEntry, ...]:
        if not self._series:
            return ()
        colour = QColor(theme.colours().accent)
        light = f"rgba({colour.red()}, {colour.green()}, {colour.blue()}, {_LIGHT})"
        return ("■", light, "genuine, accepted"), ("■", colour.name(), "genuine, refused")

    def _draw(self) -> None:
        colours = theme.colours()
        all_scores = [score for _, scores, _, _ in self._series for score in scores]
        self._edges = edges = edges_for(all_scores, self._threshold)
        self._counts = [counts_in(scores, edges) for _, scores, _, _ in self._series]
        self.head.setVisible(bool(self._series))
        for row, (label, plot) in enumerate(zip(self._labels, self._plots, strict=True)):
            is_used = row < len(self._series) and bool(edges)
            label.setVisible(is_used)
            plot.setVisible(is_used)
            if not is_used:
                continue
            label.setText(self._label(self._series[row]))
            accepted = [left >= self._threshold for left in edges[:-1]]
            self._bars[row].setOpts(
                x0=edges[:-1],
                x1=edges[1:],
                height=self._counts[row],
                pen=plot.pen(colours.panel),
                brushes=[tinted(colours.accent, _LIGHT if is_ok else 1.0) for is_ok in accepted],
            )
            self._lines[row].setValue(self._threshold)
            self._lines[row].setPen(plot.dashed_pen(colours.text))
            pad = 0.02 * (edges[-1] - edges[0])
            plot.set_x_range(edges[0] - pad, edges[-1] + pad)
            plot.set_y_range(0, 1.05 * max(1, *self._counts[row]))

    def _tip(self, row: int, score: float, _count: float) -> str:
        """Return range and count of the bar at a score; empty without a bar."""
        index = int(np.searchsorted(self._edges, score, "right")) - 1
        if not 0 <= index < len(self._edges) - 1 or row >= len(self._series):
            return ""
        low, high = self._edges[index], self._edges[index + 1]
        places = places_for(10 * (high - low))
        return (
            f"{self._series[row][0]}\n{decimals(low, places)} to {decimals(high, places)}: "
            f"{self._counts[row][index]} of {sum(self._counts[row])}"
        )


def edges_for(scores: Iterable[float], threshold: float) -> list[float]:
    """Return the edges of equal bins that cover the threshold and all finite scores.

    The threshold is one of the edges, so that no bin spans it. Without scores there are no edges.
    """
    finite = [score for score in scores if isfinite(score)]
    if not finite:
        return []
    low, high = min([*finite, threshold]), max([*finite, threshold])
    width = (high - low) / _N_BINS
    if width < 1e-9:
        width = 1e-3
    first = floor((low - threshold) / width)
    last = max(first + 1, ceil((high - threshold) / width))
    if threshold + last * width <= high:  # the largest score must lie inside the last bin
        last += 1
    return [threshold + index * width for index in range(first, last + 1)]


def counts_in(scores: Iterable[float], edges: Sequence[float]) -> list[int]:
    """Count the scores in each bin; a score on an edge belongs to the bin above it."""
    if len(edges) < 2:
        return []
    finite = np.clip([score for score in scores if isfinite(score)], edges[0], edges[-1])
    return [int(count) for count in np.histogram(finite, edges)[0]]
