"""Histograms of scores: one row for each kind of score, all against the same threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from app.models.summary import ThresholdSummary
from app.qt.views.charts.base import Chart
from app.qt.views.charts.bins import counts_in, edges_for
from app.qt.views.charts.export import csv_text
from app.qt.views.charts.flow import FlowRow
from app.qt.views.charts.legend import Key, Legend
from app.qt.views.charts.plot import Pixels, Plot, pg, tinted
from app.qt.views.charts.wording import decimals, percent, places_for
from app.types import BONA_FIDE, Interval


@dataclass(frozen=True)
class _Series:
    """Scores of one kind, with their error rate and its interval where these are known."""

    name: str
    scores: tuple[float, ...]
    is_attack: bool
    rate: float | None = None
    interval: Interval | None = None


def _light(colour: str) -> str:
    """Return the colour of bars that are as they should be."""
    return tinted(colour, 0.45).name(QColor.NameFormat.HexArgb)


class ScoreHistogram(Chart):
    """Scores as bars in rows, with the threshold through all of them.

    Bars on the wrong side of the threshold (genuine below it, attacks at or above it) are solid;
    the others are light.
    """

    file_stem = "score-histogram"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Histogram of scores"))
        self._series: tuple[_Series, ...] = ()
        self._threshold: float | None = None
        self._edges: list[float] = []
        self._counts: list[list[int]] = []

        self._statement = self._make_label()
        self._legend = Legend(self)
        self._plot = Plot(self, axes={"bottom": pg.AxisItem("bottom")})
        self._plot.set_y_range(0, 1)
        self._plot.setAccessibleName(self.tr("Histogram of scores, the bars"))
        self._plot.add_layer(self._paint_rows, z=0)
        self._plot.hovered.connect(self._on_hovered)
        self._scroll = self._make_scroll(self._plot)
        self._head = FlowRow(self)
        self._head.add(self._make_export_button())
        for part in (self._head, self._statement, self._legend):
            self._column.addWidget(part)
        self._column.addWidget(self._scroll, 1)
        self._recolour()

    # ------------------------------------------------------------ values

    def show_series(
        self,
        series: Mapping[str, Sequence[float]],
        threshold: float | None,
        intervals: Mapping[str, Interval] | None = None,
    ) -> None:
        """Show named scores.

        Parameters
        ----------
        series : mapping of str to sequence of float
            Scores by name. `app.types.BONA_FIDE` names genuine ones; all others are attacks.
        threshold : float or None
            Accepted when the score is at least this.
        intervals : mapping of str to tuple of float, optional
            95 % intervals of the error rates by name: of the share below the threshold for bona
            fide, of the share at or above it for attacks.
        """
        known = intervals or {}
        self._threshold = threshold if threshold is not None and isfinite(threshold) else None
        self._series = tuple(
            _Series(name, tuple(scores), name != BONA_FIDE, interval=known.get(name))
            for name, scores in series.items()
        )
        self.mark_stale()

    def show_threshold(self, threshold: ThresholdSummary | None) -> None:
        """Show the left-out scores that set a threshold, and those of the stress test."""
        if threshold is None:
            self.show_series({}, None)
            return
        self._threshold = threshold.value
        rows = [
            _Series(
                self.tr("left-out frames"),
                threshold.left_out,
                is_attack=False,
                rate=threshold.bpcer,
                interval=threshold.interval,
            )
        ]
        if threshold.stress:
            rows.append(
                _Series(
                    self.tr("left-out conditions (stress)"),
                    threshold.stress,
                    is_attack=False,
                    rate=threshold.stress_bpcer,
                    interval=threshold.stress_interval,
                )
            )
        self._series = tuple(rows)
        self.mark_stale()

    def to_csv(self) -> str:
        """Return every score with its series, and whether it is accepted."""
        rows = []
        for series in self._series:
            for score in series.scores:
                accepted = None
                if self._threshold is not None and isfinite(score):
                    accepted = "yes" if score >= self._threshold else "no"
                rows.append((series.name, score, self._threshold, accepted))
        return csv_text(("series", "score", "threshold", "accepted"), rows)

    # ------------------------------------------------------------ words

    def _label(self, series: _Series) -> str:
        known = [score for score in series.scores if isfinite(score)]
        n = len(known)
        words = self.tr("{name}: n = {n}").format(name=series.name, n=n)
        if n and self._threshold is not None:
            n_below = sum(score < self._threshold for score in known)
            if series.is_attack:
                n_wrong = n - n_below
                text = self.tr("{count} at or above the threshold ({share}{interval})")
            else:
                n_wrong = n_below
                text = self.tr("{count} below the threshold ({share}{interval})")
            rate = n_wrong / n if series.rate is None else series.rate
            interval = ""
            if series.interval is not None:
                interval = self.tr("; 95 % interval {low} to {high}").format(
                    low=percent(series.interval[0]), high=percent(series.interval[1])
                )
            words += ", " + text.format(count=n_wrong, share=percent(rate), interval=interval)
        n_unknown = len(series.scores) - n
        if n_unknown:
            words += self.tr(", {n} without a score").format(n=n_unknown)
        return words

    def _words(self) -> str:
        if not self._series:
            return self.tr("No scores yet.")
        parts = [self._label(series) for series in self._series]
        if self._threshold is not None:
            value = decimals(self._threshold, self._places())
            parts.insert(0, self.tr("Threshold {value}").format(value=value))
        return ". ".join(parts) + "."

    def _write(self) -> None:
        super()._write()
        if not self._series:
            text = self._words()
        elif self._threshold is None:
            text = self.tr("No threshold yet.")
        else:
            text = self.tr("Threshold {value}: accepted at or above it").format(
                value=decimals(self._threshold, self._places())
            )
        self._statement.setText(text)

    def _places(self) -> int:
        return places_for(self._edges[-1] - self._edges[0]) if self._edges else 3

    # ------------------------------------------------------------ picture

    def _draw(self) -> None:
        every = [score for series in self._series for score in series.scores]
        n_wanted = max(12, min(48, int(self._plot.area().width() / 14)))
        self._edges = edges_for(every, self._threshold, n_wanted)
        self._counts = [counts_in(series.scores, self._edges) for series in self._series]
        if self._edges:
            span = self._edges[-1] - self._edges[0]
            pad = 0.02 * span
            self._plot.set_x_range(self._edges[0] - pad, self._edges[-1] + pad)
        line = self._plot.fontMetrics().height()
        axis = self._plot.small_metrics.height() + 12
        self._plot.setMinimumHeight(max(1, len(self._series)) * line * 5 + axis)
        self._plot.viewport().update()
        self._legend.show_keys(self._keys(), self._colours)
        self._scroll.setVisible(bool(self._series))
        self._head.setVisible(bool(self._series))

    def _keys(self) -> tuple[Key, ...]:
        if self._threshold is None or not self._series:
            return ()
        colours = self._colours
        keys = []
        if any(not series.is_attack for series in self._series):
            keys.append(Key(self.tr("genuine, accepted"), _light(colours.accent)))
            keys.append(Key(self.tr("genuine, refused"), colours.accent))
        if any(series.is_attack for series in self._series):
            keys.append(Key(self.tr("attack, refused"), _light(colours.bad)))
            keys.append(Key(self.tr("attack, accepted"), colours.bad))
        return tuple(keys)

    def _paint_rows(self, painter: QPainter, pixels: Pixels) -> None:
        if not self._series or not self._edges:
            return
        step = pixels.area.height() / len(self._series)
        for index, series in enumerate(self._series):
            top = pixels.area.top() + index * step
            row = QRectF(pixels.area.left(), top, pixels.area.width(), step)
            self._paint_series(painter, pixels, row, series, self._counts[index])

    def _paint_series(
        self, painter: QPainter, pixels: Pixels, row: QRectF, series: _Series, counts: list[int]
    ) -> None:
        painter.setFont(self._plot.small_font)
        painter.setPen(QColor(self._colours.text))
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        place = row.adjusted(2, 4, -2, 0)
        label = self._label(series)
        used = painter.boundingRect(place, int(flags), label)
        painter.drawText(place, int(flags), label)
        base = row.bottom() - 1
        room = max(4.0, base - used.bottom() - 6)
        most = max(counts, default=0)
        colour = self._colours.bad if series.is_attack else self._colours.accent
        for index, count in enumerate(counts):
            if not count:
                continue
            left, right = pixels.x(self._edges[index]), pixels.x(self._edges[index + 1])
            height = max(2.0, room * count / most)
            bar = QRectF(left + 0.5, base - height, max(1.0, right - left - 1), height)
            is_wrong = self._is_wrong(series, index)
            painter.fillRect(bar, QColor(colour if is_wrong else _light(colour)))
        if self._threshold is not None:  # not over the words above the bars
            line = pixels.vertical(self._threshold)
            painter.setPen(QPen(QColor(self._colours.text), 1.4, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(line.x1(), used.bottom() + 2), QPointF(line.x1(), base))
        painter.setPen(QPen(QColor(self._colours.grid), 1))
        painter.drawLine(QPointF(row.left(), base + 0.5), QPointF(row.right(), base + 0.5))

    def _is_wrong(self, series: _Series, index: int) -> bool:
        if self._threshold is None:
            return False
        middle = (self._edges[index] + self._edges[index + 1]) / 2
        return (middle >= self._threshold) is series.is_attack

    @Slot(QPoint)
    def _on_hovered(self, place: QPoint) -> None:
        area = self._plot.area()
        if not self._series or not area.contains(place) or len(self._edges) < 2:
            QToolTip.hideText()
            return
        row = int((place.y() - area.top()) / (area.height() / len(self._series)))
        x, _ = self._plot.value_at(place)
        width = self._edges[1] - self._edges[0]
        index = int((x - self._edges[0]) // width)
        if not 0 <= index < len(self._edges) - 1 or not 0 <= row < len(self._series):
            QToolTip.hideText()
            return
        places = places_for(width * 10)
        text = self.tr("{name}\n{low} to {high}: {count} of {n}").format(
            name=self._series[row].name,
            low=decimals(self._edges[index], places),
            high=decimals(self._edges[index + 1], places),
            count=self._counts[row][index],
            n=sum(self._counts[row]),
        )
        QToolTip.showText(self._plot.mapToGlobal(place), text, self._plot)

    def _recolour(self) -> None:
        super()._recolour()
        self._plot.set_colours(self._colours)

    def _picture_parts(self) -> list[QWidget]:
        return [self._statement, self._legend, self._plot]
