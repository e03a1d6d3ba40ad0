"""Horizontal bars in rows with readable names: what the weights and the contributions share."""

from collections.abc import Callable
from math import isfinite

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.qt.views.charts.colours import ChartColours
from app.qt.views.charts.legend import draw_mark
from app.qt.views.charts.plot import Pixels, Plot, pg, tinted
from app.qt.views.charts.row_names import Row, RowNames
from app.qt.views.charts.wording import percent

_COLUMN_GAP = 12
_LOW_MARK = 9


class RowPlot(Plot):
    """Rows of bars, one bar for each cluster, side by side or stacked.

    Signals
    -------
    row_changed : int
        Row under the mouse or chosen by arrow keys; -1 for none.
    """

    row_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None, *, is_stacked: bool) -> None:
        self._names = RowNames()
        super().__init__(parent, axes={"left": self._names, "top": pg.AxisItem("top")})
        self._is_stacked = is_stacked
        self._rows: tuple[Row, ...] = ()
        self._tips: tuple[tuple[str, ...], ...] = ()
        self._limits = (0.0, 1.0)
        self._is_percent = False
        self._ticks: list[float] = []
        self._row = -1
        self.box.invertY(True)
        self.add_layer(self._paint_rows, z=10)
        self.hovered.connect(self._on_hovered)
        self.left.connect(self._on_left)
        self.key_pressed.connect(self._on_key)

    # ------------------------------------------------------------ values

    def show_rows(
        self,
        rows: tuple[Row, ...],
        limits: tuple[float, float],
        tips: tuple[tuple[str, ...], ...] = (),
        *,
        is_percent: bool = False,
    ) -> None:
        """Show rows.

        Parameters
        ----------
        rows : tuple of Row
            From top to bottom.
        limits : tuple of float
            Lowest and highest value of all bars; the lower is at most 0.
        tips : tuple of tuple of str
            Words for the mouse: for every row one for each cluster, or a single one.
        is_percent : bool
            Whether values are shares, to be written as percentages.
        """
        self._rows, self._limits, self._tips = rows, limits, tips
        self._is_percent = is_percent
        if self._row >= len(rows):
            self._set_row(-1)
        self._arrange()

    @property
    def row(self) -> int:
        """The row under the mouse or chosen by arrow keys; -1 for none."""
        return self._row

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours."""
        super().set_colours(colours)
        self._arrange()

    # ------------------------------------------------------------ arrangement

    @property
    def _n_bars(self) -> int:
        if self._is_stacked:
            return 1
        return max((len(row.values) for row in self._rows), default=1)

    def _bar_height(self) -> int:
        """Height of one bar: that of its number, and less where there are many clusters."""
        full = self.small_metrics.height() - 1
        if self._is_stacked:
            return full + 2
        return full if self._n_bars <= 4 else max(6, full // 2)

    def _has_room(self) -> bool:
        """Whether bars are tall enough for numbers."""
        return self._bar_height() >= self.small_metrics.height() - 2

    def _row_height(self) -> int:
        lines = self._names.n_lines * self.fontMetrics().height()
        return max(lines, self._n_bars * self._bar_height()) + 10

    def _gutter(self) -> int:
        """Room between names and bars for the clusters' numbers."""
        if self._is_stacked or self._n_bars < 2:
            return 4
        return self.small_metrics.horizontalAdvance(str(self._n_bars)) + 8

    def _arrange(self) -> None:
        if not self._rows:
            self.setMinimumHeight(self.fontMetrics().height() * 6)
            return
        has_numbers = not self._is_stacked and self._n_bars > 1 and self._has_room()
        self._names.arrange(
            self._rows, self, self._gutter(), self._bar_height() if has_numbers else 0
        )
        row_height = self._row_height()
        axis = self.small_metrics.height() + 12
        self.axis("top").setHeight(axis)
        self.setMinimumHeight(row_height * len(self._rows) + axis + 6)
        height = max(1.0, self.height() - axis)
        n_shown = max(float(len(self._rows)), height / (row_height * 1.5))
        self.set_y_range(-0.5, n_shown - 0.5)
        self._set_x_range()
        self.viewport().update()

    def _set_x_range(self) -> None:
        """Leave room for the numbers at the ends of the bars."""
        low, high = self._limits
        spread = max(high - low, 1e-9)
        width = max(40.0, self.width() - self._names.width() - 12)
        right = min(self._column_width(), int(width * 0.6))
        left = 4 if low >= 0 else 8
        scale = spread / max(20.0, width - right - left)
        left_end = low - (left if low < 0 else 0) * scale
        self.set_x_range(left_end, high + right * scale)
        # No ticks below the numbers at the right: nothing reaches there.
        axis = self.axis("top")
        spacing, values = axis.tickValues(left_end, high + right * scale, width)[0]
        self._ticks = [value for value in values if value <= high + spacing * 0.01]
        texts = axis.tickStrings(self._ticks, 1.0, spacing)
        if self._is_percent:
            texts = [percent(value, 0 if spacing >= 0.0099 else 1) for value in self._ticks]
        axis.setTicks([list(zip(self._ticks, texts, strict=True)), []])

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Arrange the rows for the new size."""
        super().resizeEvent(event)
        if event is not None and hasattr(self, "_limits"):
            self._arrange()

    # ------------------------------------------------------------ picture

    def _paint_rows(self, painter: QPainter, pixels: Pixels) -> None:
        painter.setFont(self.small_font)
        self._paint_grid(painter, pixels)
        step = pixels.y(1) - pixels.y(0)
        for index, row in enumerate(self._rows):
            middle = pixels.y(index)
            if index == self._row:
                band = QRectF(pixels.area.left(), middle - step / 2, pixels.area.width(), step)
                painter.fillRect(band, tinted(self.colours.accent, 0.12))
            if self._is_stacked:
                self._paint_stack(painter, pixels, row, middle)
            else:
                self._paint_group(painter, pixels, row, middle)
        painter.setPen(QPen(QColor(self.colours.muted), 1))
        painter.drawLine(pixels.vertical(0))

    def _paint_grid(self, painter: QPainter, pixels: Pixels) -> None:
        painter.setPen(QPen(QColor(self.colours.grid), 1))
        for value in self._ticks:
            painter.drawLine(pixels.vertical(value))

    def _paint_group(self, painter: QPainter, pixels: Pixels, row: Row, middle: float) -> None:
        height = self._bar_height()
        has_texts = self._has_room()
        top = middle - height * len(row.values) / 2
        zero = pixels.x(0)
        for cluster, value in enumerate(row.values):
            place = QRectF(zero, top + cluster * height, 0, height - 1)
            end = zero
            if isfinite(value):
                end = pixels.x(value)
                bar = QRectF(place.left(), place.top(), end - zero, place.height()).normalized()
                painter.fillRect(bar, QColor(self.colours.cluster(cluster)))
            if has_texts and cluster < len(row.texts):
                painter.setPen(QColor(self.colours.text if value else self.colours.muted))
                self._paint_text(painter, max(end, zero) + 4, place, row.texts[cluster])

    def _paint_stack(self, painter: QPainter, pixels: Pixels, row: Row, middle: float) -> None:
        height = self._bar_height()
        top = middle - height / 2
        ends = {False: 0.0, True: 0.0}
        for cluster, value in enumerate(row.values):
            if not isfinite(value) or value == 0:
                continue
            start = ends[value < 0]
            ends[value < 0] = start + value
            left, right = pixels.x(start), pixels.x(start + value)
            bar = QRectF(left, top, right - left, height).normalized()
            painter.fillRect(bar, QColor(self.colours.cluster(cluster)))
            if bar.width() > 3:  # a seam, so that neighbours part without colour
                painter.fillRect(QRectF(bar.right() - 1, top, 1, height), self._seam())
        if row.reference is not None and isfinite(row.reference):
            x = pixels.x(row.reference)
            painter.fillRect(QRectF(x - 1.5, top - 3, 3, height + 6), self._seam())
            painter.fillRect(QRectF(x - 1, top - 3, 2, height + 6), QColor(self.colours.text))
        self._paint_column(painter, pixels, row, QRectF(0, top, 0, height))

    def _paint_column(self, painter: QPainter, pixels: Pixels, row: Row, place: QRectF) -> None:
        """Numbers of stacked bars stand in columns at the right, where they can be compared."""
        metrics = self.small_metrics
        right = pixels.area.right() - 2
        for text, width, colour in (
            (row.note, self._widest(lambda each: each.note), self.colours.muted),
            (row.texts[0] if row.texts else "", self._value_width(), self.colours.text),
        ):
            painter.setPen(QColor(colour))
            self._paint_text(painter, right - metrics.horizontalAdvance(text), place, text)
            right -= width + _COLUMN_GAP if width else 0
        if row.is_low:
            centre = QPointF(right + _COLUMN_GAP - _LOW_MARK, place.center().y())
            draw_mark(painter, "triangle", centre, _LOW_MARK, self.colours.caution)

    def _value_width(self) -> int:
        # Room for a sign is kept, so that bars do not move when a value turns negative.
        usual = self.small_metrics.horizontalAdvance("\N{MINUS SIGN}0.000")
        return max(usual, self._widest(lambda each: each.texts[0] if each.texts else ""))

    def _widest(self, text_of: Callable[[Row], str]) -> int:
        metrics = self.small_metrics
        return max((metrics.horizontalAdvance(text_of(row)) for row in self._rows), default=0)

    def _column_width(self) -> int:
        """Room that is kept free at the right of the bars."""
        if not self._is_stacked:
            return 8 + max(
                (
                    self.small_metrics.horizontalAdvance(text)
                    for row in self._rows
                    for text in row.texts
                ),
                default=0,
            )
        note = self._widest(lambda each: each.note)
        mark = 2 * _LOW_MARK if any(row.reference is not None for row in self._rows) else 0
        return self._value_width() + (note + _COLUMN_GAP if note else 0) + 2 * _COLUMN_GAP + mark

    def _seam(self) -> QColor:
        return QColor(self.colours.background)

    def _paint_text(self, painter: QPainter, x: float, place: QRectF, text: str) -> int:
        width = self.small_metrics.horizontalAdvance(text)
        rect = QRectF(x, place.center().y() - 20, width + 2, 40)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return width

    # ------------------------------------------------------------ mouse and keys

    def _set_row(self, row: int) -> None:
        if row != self._row:
            self._row = row
            self.row_changed.emit(row)
            self.viewport().update()

    def place_at(self, place: QPoint) -> tuple[int, int]:
        """Return the row and the cluster at a place; -1 where there is none."""
        if not self._rows:
            return -1, -1
        _, y = self.value_at(place)
        row = round(y)
        if not 0 <= row < len(self._rows):
            return -1, -1
        if self._is_stacked:
            return row, -1
        pixels = (y - row) * self.area().height() / max(1e-9, self._n_shown())
        top = -self._n_bars * self._bar_height() / 2
        cluster = int((pixels - top) // self._bar_height())
        return row, cluster if 0 <= cluster < self._n_bars else -1

    def _n_shown(self) -> float:
        low, high = self.box.viewRange()[1]
        return float(high - low)

    def _on_hovered(self, place: QPoint) -> None:
        row, cluster = self.place_at(place)
        self._set_row(row)
        tips = self._tips[row] if 0 <= row < len(self._tips) else ()
        if not tips:
            QToolTip.hideText()
            return
        QToolTip.showText(self.mapToGlobal(place), tips[max(0, min(cluster, len(tips) - 1))], self)

    def _on_left(self) -> None:
        self._set_row(-1)

    def _on_key(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._rows:
            return
        event.accept()
        start = self._row if self._row >= 0 else (-1 if step > 0 else len(self._rows))
        self._set_row(max(0, min(len(self._rows) - 1, start + step)))
