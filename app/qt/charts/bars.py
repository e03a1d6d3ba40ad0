"""Horizontal bars in rows with readable names: what the weights and the contributions share."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QToolTip, QWidget

from app.qt.charts.format import percent
from app.qt.charts.plot import Pixels, Plot, draw_mark, tinted
from app.qt.theme.themes import Colours

_COLUMN_GAP = 12
_LABEL_SHARE = 0.46
_LOW_MARK = 9
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True)
class Row:
    """One row of bars: its name in up to three parts, and one value for each cluster."""

    parts: tuple[str, ...]
    values: tuple[float, ...]
    texts: tuple[str, ...] = ()
    """What stands at the bars: one for each value, or a single one where they are stacked."""
    tips: tuple[str, ...] = ()
    """Tool tips: one for each value, or a single one."""
    reference: float | None = None
    """The usual value, marked by a tick."""
    note: str = ""
    """Further words after the text of a stack, in a quieter colour."""
    is_low: bool = False
    """Whether a mark shows that the value is far below the usual one."""

    @property
    def second(self) -> str:
        return " ".join(self.parts[1:])


class _RowNames(pg.AxisItem):
    """The names of the rows: in aligned columns where there is room, else on two lines."""

    def __init__(self) -> None:
        super().__init__("left")
        self.plot: BarPlot | None = None
        self._columns: tuple[int, ...] = ()
        self._gutter = self._number_height = 0

    def arrange(self, rows: list[Row], gutter: int, number_height: int) -> None:
        """Lay the names out for the width of the plot.

        At their right `gutter` pixels are for the clusters' numbers, each `number_height` below
        the one before; 0 for none.
        """
        assert self.plot is not None
        self._gutter, self._number_height = gutter, number_height
        advance = QFontMetrics(self.plot.font()).horizontalAdvance
        n_columns = max((len(row.parts) for row in rows), default=0)
        widths = [
            max(advance(row.parts[i]) for row in rows if i < len(row.parts))
            for i in range(n_columns)
        ]
        room = int(self.plot.width() * _LABEL_SHARE) - gutter
        needed = sum(widths) + _COLUMN_GAP * n_columns
        self._columns = tuple(widths) if n_columns > 1 and needed <= room else ()
        if n_columns > 1 and not self._columns:
            needed = max(widths[0], *(advance(row.second) for row in rows)) + _COLUMN_GAP
        self.setWidth(min(room, needed) + gutter)
        self.update()

    def n_lines(self, rows: list[Row]) -> int:
        return 2 if not self._columns and any(len(row.parts) > 1 for row in rows) else 1

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self.plot is None or not self.plot.rows:
            return
        top, bottom = self.plot.box.viewRange()[1]
        step = self.height() / (bottom - top)
        for index, row in enumerate(self.plot.rows):
            middle = (index - top) * step
            painter.setFont(self.plot.font())
            self._paint_name(painter, row, middle)
            if self._number_height:
                # Clusters are told apart by their numbers too, not by colour alone.
                painter.setFont(self.plot.small_font)
                painter.setPen(QColor(self.plot.colours.muted))
                y = middle - self._number_height * len(row.values) / 2 - 10
                place = QRectF(
                    self.width() - self._gutter, y, self._gutter - 4, self._number_height + 19
                )
                for cluster in range(len(row.values)):
                    painter.drawText(place, _RIGHT, str(cluster + 1))
                    place.translate(0, self._number_height)

    def _paint_name(self, painter: QPainter, row: Row, middle: float) -> None:
        assert self.plot is not None
        metrics = QFontMetrics(self.plot.font())
        height = metrics.height()
        width = self.width() - self._gutter - _COLUMN_GAP / 2
        if self._columns:
            starts = [0.0]
            for column in self._columns:
                starts.append(starts[-1] + column + _COLUMN_GAP)
            places = [QRectF(x, middle - height / 2, width - x, height) for x in starts]
            texts: tuple[str, ...] = row.parts
        else:
            top = middle - (height if row.second else height / 2)
            places = [QRectF(0, top, width, height), QRectF(0, top + height, width, height)]
            texts = (*row.parts[:1], row.second)
        colours = (self.plot.colours.text, *[self.plot.colours.muted] * len(texts))
        for text, place, colour in zip(texts, places, colours, strict=False):
            painter.setPen(QColor(colour))
            middle_cut = Qt.TextElideMode.ElideMiddle
            painter.drawText(
                place, _LEFT, metrics.elidedText(text, middle_cut, int(place.width()) + 1)
            )


class BarPlot(Plot):
    """Rows of bars, one bar for each cluster, side by side or stacked."""

    row_changed = Signal(int)
    """Row under the mouse or chosen by arrow keys; -1 for none."""

    def __init__(self, parent: QWidget | None = None, *, is_stacked: bool) -> None:
        self._names = _RowNames()
        super().__init__(parent, axes={"left": self._names, "top": pg.AxisItem("top")})
        self._names.plot = self
        self._is_stacked = is_stacked
        self.rows: list[Row] = []
        self.row = -1
        self._limits = (0.0, 1.0)
        self._is_percent = False
        self._ticks: list[float] = []
        self.box.invertY(True)
        self.add_layer(self._paint_rows, z=10)
        self.hovered.connect(self._on_hovered)
        self.left.connect(self._on_left)
        self.key_pressed.connect(self._on_key)

    def show_rows(
        self, rows: list[Row], limits: tuple[float, float], *, is_percent: bool = False
    ) -> None:
        """Show rows from top to bottom.

        ``limits`` are the lowest and highest value of all bars, the lower at most 0;
        ``is_percent`` writes values, which are shares, as percentages.
        """
        self.rows, self._limits, self._is_percent = rows, limits, is_percent
        if self.row >= len(rows):
            self._set_row(-1)
        self._arrange()

    def set_colours(self, colours: Colours) -> None:
        super().set_colours(colours)
        self._arrange()

    @property
    def _n_bars(self) -> int:
        return 1 if self._is_stacked else max((len(row.values) for row in self.rows), default=1)

    @property
    def _bar_height(self) -> int:
        """Height of one bar: that of its number, and less where there are many clusters."""
        full = self.small_metrics.height() - 1
        if self._is_stacked:
            return full + 2
        return full if self._n_bars <= 4 else max(6, full // 2)

    @property
    def _has_texts(self) -> bool:
        return self._bar_height >= self.small_metrics.height() - 2

    def _arrange(self) -> None:
        if not self.rows:
            self.setMinimumHeight(self.fontMetrics().height() * 6)
            return
        height, n_bars, gutter, numbers = self._bar_height, self._n_bars, 4, 0
        if not self._is_stacked and n_bars > 1:
            gutter = self.small_metrics.horizontalAdvance(str(n_bars)) + 8
            numbers = height if self._has_texts else 0
        self._names.arrange(self.rows, gutter, numbers)
        lines = self._names.n_lines(self.rows) * self.fontMetrics().height()
        row_height = max(lines, n_bars * height) + 10
        axis = self.small_metrics.height() + 12
        self.axis("top").setHeight(axis)
        self.setMinimumHeight(row_height * len(self.rows) + axis + 6)
        room = max(1.0, self.height() - axis)
        self.set_y_range(-0.5, max(float(len(self.rows)), room / (row_height * 1.5)) - 0.5)
        self._set_x_range()
        self.viewport().update()

    def _set_x_range(self) -> None:
        """Leave room for the numbers at the ends of the bars."""
        low, high = self._limits
        width = max(40.0, self.width() - self._names.width() - 12)
        right = min(self._column_width(), int(width * 0.6))
        left = 8 if low < 0 else 0
        scale = max(high - low, 1e-9) / max(20.0, width - right - (left or 4))
        left_end, right_end = low - left * scale, high + right * scale
        self.set_x_range(left_end, right_end)
        # No ticks below the numbers at the right: nothing reaches there.
        axis = self.axis("top")
        spacing, values = axis.tickValues(left_end, right_end, width)[0]
        self._ticks = [value for value in values if value <= high + spacing * 0.01]
        texts = axis.tickStrings(self._ticks, 1.0, spacing)
        if self._is_percent:
            texts = [percent(value, 0 if spacing >= 0.0099 else 1) for value in self._ticks]
        axis.setTicks([list(zip(self._ticks, texts, strict=True)), []])

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None and hasattr(self, "_limits"):
            self._arrange()

    def _paint_rows(self, painter: QPainter, pixels: Pixels) -> None:
        painter.setFont(self.small_font)
        painter.setPen(QPen(QColor(self.colours.grid), 1))
        for value in self._ticks:
            painter.drawLine(pixels.vertical(value))
        step = pixels.y(1) - pixels.y(0)
        paint = self._paint_stack if self._is_stacked else self._paint_group
        for index, row in enumerate(self.rows):
            middle = pixels.y(index)
            if index == self.row:
                band = QRectF(pixels.area.left(), middle - step / 2, pixels.area.width(), step)
                painter.fillRect(band, tinted(self.colours.accent, 0.12))
            paint(painter, pixels, row, middle)
        painter.setPen(QPen(QColor(self.colours.muted), 1))
        painter.drawLine(pixels.vertical(0))

    def _paint_group(self, painter: QPainter, pixels: Pixels, row: Row, middle: float) -> None:
        height, has_texts = self._bar_height, self._has_texts
        top = middle - height * len(row.values) / 2
        zero = pixels.x(0)
        for cluster, value in enumerate(row.values):
            end = pixels.x(value) if isfinite(value) else zero
            bar = QRectF(zero, top + cluster * height, end - zero, height - 1)
            painter.fillRect(bar.normalized(), QColor(self.colours.series_colour(cluster)))
            if has_texts and cluster < len(row.texts):
                painter.setPen(QColor(self.colours.text if value else self.colours.muted))
                self._paint_text(painter, max(end, zero) + 4, bar.center().y(), row.texts[cluster])

    def _paint_stack(self, painter: QPainter, pixels: Pixels, row: Row, middle: float) -> None:
        height, seam = self._bar_height, QColor(self.colours.panel)
        top = middle - height / 2
        ends = {False: 0.0, True: 0.0}
        for cluster, value in enumerate(row.values):
            if not isfinite(value) or value == 0:
                continue
            start = ends[value < 0]
            ends[value < 0] = start + value
            left, right = pixels.x(start), pixels.x(start + value)
            bar = QRectF(left, top, right - left, height).normalized()
            painter.fillRect(bar, QColor(self.colours.series_colour(cluster)))
            if bar.width() > 3:  # a seam, so that neighbours part without colour
                painter.fillRect(QRectF(bar.right() - 1, top, 1, height), seam)
        if row.reference is not None and isfinite(row.reference):
            x = pixels.x(row.reference)
            painter.fillRect(QRectF(x - 1.5, top - 3, 3, height + 6), seam)
            painter.fillRect(QRectF(x - 1, top - 3, 2, height + 6), QColor(self.colours.text))
        self._paint_column(painter, pixels.area.right() - 2, middle, row)

    def _paint_column(self, painter: QPainter, right: float, middle: float, row: Row) -> None:
        """Numbers of stacked bars stand in columns at the right, where they can be compared."""
        for text, width, colour in (
            (row.note, self._widest(each.note for each in self.rows), self.colours.muted),
            (row.texts[0] if row.texts else "", self._value_width(), self.colours.text),
        ):
            painter.setPen(QColor(colour))
            x = right - self.small_metrics.horizontalAdvance(text)
            self._paint_text(painter, x, middle, text)
            right -= width + _COLUMN_GAP if width else 0
        if row.is_low:
            centre = QPointF(right + _COLUMN_GAP - _LOW_MARK, middle)
            draw_mark(painter, "triangle", centre, _LOW_MARK, self.colours.caution)

    def _value_width(self) -> int:
        # Room for a sign is kept, so that bars do not move when a value turns negative.
        texts = (text for row in self.rows for text in row.texts[:1])
        return self._widest(("\N{MINUS SIGN}0.000", *texts))

    def _widest(self, texts: Iterable[str]) -> int:
        return max(map(self.small_metrics.horizontalAdvance, texts), default=0)

    def _column_width(self) -> int:
        """Room that is kept free at the right of the bars."""
        if not self._is_stacked:
            return 8 + self._widest(text for row in self.rows for text in row.texts)
        note = self._widest(row.note for row in self.rows)
        mark = 2 * _LOW_MARK if any(row.reference is not None for row in self.rows) else 0
        return self._value_width() + (note + _COLUMN_GAP if note else 0) + 2 * _COLUMN_GAP + mark

    def _paint_text(self, painter: QPainter, x: float, middle: float, text: str) -> None:
        width = self.small_metrics.horizontalAdvance(text)
        painter.drawText(QRectF(x, middle - 20, width + 2, 40), _LEFT, text)

    def _set_row(self, row: int) -> None:
        if row != self.row:
            self.row = row
            self.row_changed.emit(row)
            self.viewport().update()

    def place_at(self, place: QPoint) -> tuple[int, int]:
        """Return the row and the cluster at a place; -1 where there is none."""
        _, y = self.value_at(place)
        row = round(y)
        if not 0 <= row < len(self.rows):
            return -1, -1
        if self._is_stacked:
            return row, -1
        low, high = self.box.viewRange()[1]
        pixels = (y - row) * self.area().height() / max(1e-9, high - low)
        cluster = int(pixels / self._bar_height + self._n_bars / 2)
        return row, cluster if 0 <= cluster < self._n_bars else -1

    def _on_hovered(self, place: QPoint) -> None:
        row, cluster = self.place_at(place)
        self._set_row(row)
        tips = self.rows[row].tips if row >= 0 else ()
        if not tips:
            QToolTip.hideText()
            return
        QToolTip.showText(self.mapToGlobal(place), tips[max(0, min(cluster, len(tips) - 1))], self)

    def _on_left(self) -> None:
        self._set_row(-1)

    def _on_key(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or not self.rows:
            return
        event.accept()
        start = self.row if self.row >= 0 else (-1 if step > 0 else len(self.rows))
        self._set_row(max(0, min(len(self.rows) - 1, start + step)))
