"""A table with bars in its cells: what the weights and the contributions share."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.qt import theme
from app.qt.charts.plot import tinted
from app.qt.widgets.layout import as_high_as_rows, read_only
from app.qt.widgets.rows import Index
from app.qt.widgets.texts import plain_tip

_BARS = Qt.ItemDataRole.UserRole
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_PADDING = 24


@dataclass(frozen=True)
class Bars:
    """Bars end to end, those of negative values to the left of zero.

    ``numbers`` are those of the clusters, which give the colours; ``usual`` is marked by a tick.
    """

    values: tuple[float, ...]
    numbers: Sequence[int]
    usual: float | None = None


@dataclass(frozen=True)
class Cell:
    """A text, and bars behind it."""

    text: str
    bars: Bars | None = None
    tip: str = ""


class _BarDelegate(QStyledItemDelegate):
    """Paint the bars of a cell behind its text, on a scale that all cells share.

    Length and text carry the value; the colour only tells the clusters apart.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.limits = (0.0, 1.0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        bars = index.data(_BARS)
        if isinstance(bars, Bars):
            self._paint_bars(painter, QRectF(option.rect).adjusted(2, 4, -2, -4), bars, index)
        super().paint(painter, option, index)

    def _paint_bars(self, painter: QPainter, place: QRectF, bars: Bars, index: Index) -> None:
        colours = theme.colours()
        low, high = self.limits
        scale = place.width() / max(high - low, 1e-9)
        opacity = 0.35 if index.data() else 1.0
        ends = {False: 0.0, True: 0.0}
        for number, value in zip(bars.numbers, bars.values, strict=True):
            if not isfinite(value) or value == 0:
                continue
            start = ends[value < 0]
            ends[value < 0] = start + value
            left = place.left() + (min(start, start + value) - low) * scale
            # A seam of a pixel, so that neighbours part without colour.
            width = max(1.0, abs(value) * scale - 1)
            bar = QRectF(left, place.top(), width, place.height())
            painter.fillRect(bar, tinted(colours.series_colour(number), opacity))
        if bars.usual is not None and isfinite(bars.usual):
            x = place.left() + (bars.usual - low) * scale
            tick = QRectF(x - 1, place.top() - 3, 2, place.height() + 6)
            painter.fillRect(tick.adjusted(-1, 0, 1, 0), QColor(colours.panel))
            painter.fillRect(tick, QColor(colours.text))


class BarTable(QTableWidget):
    """Names, numbers and bars in rows, as high as they need."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._delegate = _BarDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(name)
        self.setSelectionBehavior(self.SelectionBehavior.SelectRows)
        self.setWordWrap(False)
        read_only(self)
        as_high_as_rows(self)
        room = self.fontMetrics().horizontalAdvance("< 0.001")
        self.horizontalHeader().setMinimumSectionSize(room + _PADDING)

    def show_rows(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        limits: tuple[float, float],
        n_names: int,
    ) -> None:
        """Show rows from top to bottom.

        ``limits`` are the ends of every cell with bars; the first ``n_names`` columns are names.
        """
        self._delegate.limits = limits
        self.setRowCount(len(rows))
        self.setColumnCount(len(titles))
        header = self.horizontalHeader()
        for column, title in enumerate(titles):
            has_bars = bool(rows) and rows[0][column].bars is not None
            mode = header.ResizeMode.Stretch if has_bars else header.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
            head = QTableWidgetItem(title)
            head.setTextAlignment(_LEFT if column < n_names else _RIGHT)
            self.setHorizontalHeaderItem(column, head)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell.text)
                item.setTextAlignment(_LEFT if column < n_names else _RIGHT)
                item.setToolTip(plain_tip(cell.tip))
                item.setData(_BARS, cell.bars)
                self.setItem(row, column, item)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()  # a scroll bar below the rows may have come or gone
