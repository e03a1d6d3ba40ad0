"""Horizontal bars in rows with readable names: what the weights and the contributions share."""

from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QToolTip, QWidget

from app.qt.views.charts.colours import ChartColours
from app.qt.views.charts.plot import Pixels, Plot, pg, tinted

_COLUMN_GAP = 12
_LABEL_SHARE = 0.46


@dataclass(frozen=True)
class Row:
    """One row of bars.

    Attributes
    ----------
    parts : tuple of str
        Its name in up to three parts, for columns.
    full : str
        Its whole name.
    values : tuple of float
        One for each cluster.
    texts : tuple of str
        What stands at the bars: one for each value, or a single one where they are stacked.
    reference : float or None
        Where a tick marks what is usual.
    note : str
        Further words after the last text, in a quieter colour.
    """

    parts: tuple[str, ...]
    full: str
    values: tuple[float, ...]
    texts: tuple[str, ...] = ()
    reference: float | None = None
    note: str = ""


class _Names(pg.AxisItem):
    """The names of the rows: in aligned columns where there is room, else on two lines."""

    def __init__(self) -> None:
        super().__init__("left")
        self._rows: tuple[Row, ...] = ()
        self._colours: ChartColours | None = None
        self._columns: tuple[int, ...] = ()
        self._font = QFont()

    def arrange(
        self, rows: tuple[Row, ...], font: QFont, width: int, colours: ChartColours, gutter: int
    ) -> None:
        """Lay the names out for a width of the whole chart; `gutter` is kept free at the right."""
        self._rows, self._font, self._colours = rows, font, colours
        self._gutter = gutter
        metrics = QFontMetrics(font)
        n_columns = max((len(row.parts) for row in rows), default=0)
        widths = [
            max(metrics.horizontalAdvance(row.parts[i]) for row in rows if i < len(row.parts))
            for i in range(n_columns)
        ]
        room = int(width * _LABEL_SHARE) - gutter
        in_line = sum(widths) + _COLUMN_GAP * n_columns
        if n_columns <= 1 or in_line <= room:
            self._columns = tuple(widths) if n_columns > 1 else ()
            needed = in_line
        else:
            self._columns = ()
            second = max(metrics.horizontalAdvance(self._second(row)) for row in rows)
            needed = max(widths[0], second) + _COLUMN_GAP
        self.setWidth(min(room, needed) + gutter)
        self.update()

    @property
    def n_lines(self) -> int:
        """Lines that a name takes."""
        has_parts = any(len(row.parts) > 1 for row in self._rows)
        return 2 if has_parts and not self._columns else 1

    @staticmethod
    def _second(row: Row) -> str:
        return " ".join(row.parts[1:])

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Paint the names at the heights of their rows."""
        view = self.linkedView()
        if view is None or self._colours is None or not self._rows:
            return
        top, bottom = view.viewRange()[1]
        step = self.height() / (bottom - top)
        width = self.width() - self._gutter - _COLUMN_GAP / 2
        painter.setFont(self._font)
        for index, row in enumerate(self._rows):
            middle = (index - top) * step
            if self._columns:
                self._paint_columns(painter, row, middle, width)
            else:
                self._paint_lines(painter, row, middle, width)

    def _paint_columns(self, painter: QPainter, row: Row, middle: float, width: float) -> None:
        metrics = QFontMetrics(self._font)
        x = 0.0
        for i, part in enumerate(row.parts):
            place = QRectF(x, middle - metrics.height() / 2, width - x, metrics.height())
            self._paint_text(painter, part, place, is_strong=i == 0)
            x += self._columns[i] + _COLUMN_GAP

    def _paint_lines(self, painter: QPainter, row: Row, middle: float, width: float) -> None:
        height = QFontMetrics(self._font).height()
        second = self._second(row)
        top = middle - (height if second else height / 2)
        self._paint_text(painter, row.parts[0], QRectF(0, top, width, height), is_strong=True)
        if second:
            place = QRectF(0, top + height, width, height)
            self._paint_text(painter, second, place, is_strong=False)

    def _paint_text(self, painter: QPainter, text: str, place: QRectF, *, is_strong: bool) -> None:
        assert self._colours is not None
        painter.setPen(QColor(self._colours.text if is_strong else self._colours.muted))
        shown = QFontMetrics(self._font).elidedText(
            text, Qt.TextElideMode.ElideMiddle, int(place.width()) + 1
        )
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


class RowPlot(Plot):
    """Rows of bars, one bar for each cluster, side by side or stacked.

    Signals
    -------
    row_changed : int
        Row under the mouse or chosen by arrow keys; -1 for none.
    """

    row_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None, *, is_stacked: bool) -> None:
        self._names = _Names()
        super().__init__(parent, axes={"left": self._names})
        self._is_stacked = is_stacked
        self._rows: tuple[Row, ...] = ()
        self._tips: tuple[tuple[str, ...], ...] = ()
        self._limits = (0.0, 1.0)
        self._row = -1
        self.hideAxis("bottom")
        self.showAxis("top")
        self.getViewBox().invertY(True)
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
        """
        self._rows, self._limits, self._tips = rows, limits, tips
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
        self._names.arrange(self._rows, self.font(), self.width(), self.colours, self._gutter())
        row_height = self._row_height()
        axis = self.small_metrics.height() + 12
        self.getAxis("top").setHeight(axis)
        self.setMinimumHeight(row_height * len(self._rows) + axis + 6)
        height = max(1.0, self.height() - axis)
        n_shown = max(float(len(self._rows)), height / (row_height * 1.5))
        self.setYRange(-0.5, n_shown - 0.5, padding=0)
        self._set_x_range()
        self.viewport().update()

    def _set_x_range(self) -> None:
        """Leave room for the numbers at the ends of the bars."""
        low, high = self._limits
        spread = max(high - low, 1e-9)
        width = max(40.0, self.width() - self._names.width() - 12)
        metrics = self.small_metrics
        right = 8 + max(
            (
                metrics.horizontalAdvance(f"{text} {row.note}")
                for row in self._rows
                for text in row.texts
            ),
            default=0,
        )
        right = min(right, int(width * 0.6))
        left = 4 if low >= 0 else 8
        scale = spread / max(20.0, width - right - left)
        self.setXRange(low - (left if low < 0 else 0) * scale, high + right * scale, padding=0)

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
        low, high = self.getViewBox().viewRange()[0]
        for _, values in self.getAxis("top").tickValues(low, high, pixels.area.width())[:1]:
            for value in values:
                painter.drawLine(pixels.vertical(value))

    def _paint_group(self, painter: QPainter, pixels: Pixels, row: Row, middle: float) -> None:
        height = self._bar_height()
        has_texts = height >= self.small_metrics.height() - 2
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
        furthest = pixels.x(max(0.0, ends[False]))
        if row.reference is not None and isfinite(row.reference):
            x = pixels.x(row.reference)
            painter.fillRect(QRectF(x - 1.5, top - 3, 3, height + 6), self._seam())
            painter.fillRect(QRectF(x - 1, top - 3, 2, height + 6), QColor(self.colours.text))
            furthest = max(furthest, x)
        if row.texts:
            place = QRectF(0, top, 0, height)
            painter.setPen(QColor(self.colours.text))
            used = self._paint_text(painter, furthest + 5, place, row.texts[0])
            if row.note:
                painter.setPen(QColor(self.colours.muted))
                self._paint_text(painter, furthest + 5 + used, place, f" {row.note}")

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
        low, high = self.getViewBox().viewRange()[1]
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
