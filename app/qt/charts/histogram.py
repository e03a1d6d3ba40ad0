"""Histograms of left-out scores: one plot for each kind, all against the same threshold."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import ceil, floor, isfinite

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.models.summary import Calibration
from app.qt import theme
from app.qt.charts.chart import Chart, Key, csv_text
from app.qt.charts.format import decimals, percent, places_for
from app.qt.charts.plot import Plot, dashed, tinted
from app.qt.widgets.texts import wrapped
from app.types import Interval

_N_BINS = 30
_LIGHT = 0.45

Series = tuple[str, list[float], float, Interval]
"""A name, scores of genuine frames, the share that is refused, and its interval."""


class ScoreHistogram(Chart):
    """Left-out scores, and those of the stress test, as bars with the threshold through them.

    Bars below the threshold, which are refused, are solid; the others are light.
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
            plot = Plot(self, f"{name}, the bars", axes=("bottom",), tip=partial(self._tip, row))
            bars = pg.BarGraphItem(x0=[], x1=[], y0=0, height=[], pen=pg.mkPen(None))
            line = pg.InfiniteLine(angle=90)
            plot.add(bars, line)
            self._plots.append(plot)
            self._bars.append(bars)
            self._lines.append(line)
        rows = [part for pair in zip(self._labels, self._plots, strict=True) for part in pair]
        self._lay_out(self._statement, self._legend, *rows)

    def show_calibration(self, shown: Calibration | None) -> None:
        """Show the left-out scores that set a threshold, and those of the stress test."""
        self._series = []
        if shown is not None:
            self._threshold = shown.threshold
            frames, conditions = shown.scores.tolist(), shown.stress_scores.tolist()
            self._series = [("left-out frames", frames, shown.bpcer, shown.interval)]
            if isfinite(shown.stress_bpcer):
                name = "left-out conditions (stress)"
                self._series.append((name, conditions, shown.stress_bpcer, shown.stress_interval))
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
        places = places_for(self._edges[-1] - self._edges[0]) if self._edges else 3
        return f"Threshold {decimals(self._threshold, places)}"

    def _keys(self) -> tuple[Key, ...]:
        if not self._series:
            return ()
        colour = QColor(theme.colours().accent)
        light = f"rgba({colour.red()}, {colour.green()}, {colour.blue()}, {_LIGHT})"
        return ("■", light, "genuine, accepted"), ("■", colour.name(), "genuine, refused")

    def _draw(self) -> None:
        colours = theme.colours()
        every = [score for _, scores, _, _ in self._series for score in scores]
        self._edges = edges = edges_for(every, self._threshold)
        self._counts = [counts_in(scores, edges) for _, scores, _, _ in self._series]
        self.head.setVisible(bool(self._series))
        for row, (label, plot) in enumerate(zip(self._labels, self._plots, strict=True)):
            is_shown = row < len(self._series) and bool(edges)
            label.setVisible(is_shown)
            plot.setVisible(is_shown)
            if not is_shown:
                continue
            label.setText(self._label(self._series[row]))
            accepted = [left >= self._threshold for left in edges[:-1]]
            self._bars[row].setOpts(
                x0=edges[:-1],
                x1=edges[1:],
                height=self._counts[row],
                pen=pg.mkPen(colours.panel),
                brushes=[tinted(colours.accent, _LIGHT if is_ok else 1.0) for is_ok in accepted],
            )
            self._lines[row].setValue(self._threshold)
            self._lines[row].setPen(dashed(colours.text))
            pad = 0.02 * (edges[-1] - edges[0])
            plot.set_x_range(edges[0] - pad, edges[-1] + pad)
            plot.set_y_range(0, 1.05 * max(1, *self._counts[row]))

    def _tip(self, row: int, score: float, _count: float) -> str:
        """Return range and count of the bar at a score; empty where there is none."""
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
    """Return the edges of equal bins over all finite scores; none without any.

    One edge is the threshold, so that every bar lies wholly on one side of it.
    """
    known = [score for score in scores if isfinite(score)]
    if not known:
        return []
    low, high = min([*known, threshold]), max([*known, threshold])
    width = (high - low) / _N_BINS
    if width < 1e-9:
        width = 1e-3
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
