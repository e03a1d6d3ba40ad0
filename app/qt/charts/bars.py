"""A table with bars in its cells, for the weights and the contributions."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.qt import theme
from app.qt.charts.plot import tinted
from app.qt.widgets.layout import as_high_as_rows, hbox, read_only
from app.qt.widgets.rows import Index
from app.qt.widgets.texts import plain_tip

_BARS = Qt.ItemDataRole.UserRole
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_PADDING = 24
_NAMES_STYLE = """
QHeaderView::section { padding: 0 8px; border: none; color: palette(text); font-weight: normal; }
"""


@dataclass(frozen=True)
class Bars:
    """Stacked bars; those of negative values extend to the left of zero.

    ``clusters`` are cluster indices, which determine the colours; ``usual`` is marked by a tick.
    """

    values: tuple[float, ...]
    clusters: Sequence[int]
    usual: float | None = None


@dataclass(frozen=True)
class Cell:
    """A text with optional bars behind it."""

    text: str
    bars: Bars | None = None
    tip: str = ""


class _BarDelegate(QStyledItemDelegate):
    """Paints the bars of a cell behind its text, on one scale for all cells.

    Length and text carry the value; colour only distinguishes the clusters.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.limits = (0.0, 1.0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        bars = index.data(_BARS)
        if isinstance(bars, Bars):
            area = QRectF(option.rect).adjusted(2, 4, -2, -4)
            self._paint_bars(painter, area, bars, is_behind_text=bool(index.data()))
        super().paint(painter, option, index)

    def _paint_bars(
        self, painter: QPainter, area: QRectF, bars: Bars, *, is_behind_text: bool
    ) -> None:
        colours = theme.colours()
        low, high = self.limits
        scale = area.width() / max(high - low, 1e-9)
        opacity = 0.35 if is_behind_text else 1.0
        ends = {False: 0.0, True: 0.0}
        for cluster, value in zip(bars.clusters, bars.values, strict=True):
            if not isfinite(value) or value == 0:
                continue
            start = ends[value < 0]
            ends[value < 0] = start + value
            left = area.left() + (min(start, start + value) - low) * scale
            # A gap of one pixel separates neighbours without relying on colour.
            width = max(1.0, abs(value) * scale - 1)
            bar = QRectF(left, area.top(), width, area.height())
            painter.fillRect(bar, tinted(colours.series_colour(cluster), opacity))
        if bars.usual is not None and isfinite(bars.usual):
            x = area.left() + (bars.usual - low) * scale
            tick = QRectF(x - 1, area.top() - 3, 2, area.height() + 6)
            painter.fillRect(tick.adjusted(-1, 0, 1, 0), QColor(colours.panel))
            painter.fillRect(tick, QColor(colours.text))


class BarTable(QTableWidget):
    """Rows of names, numbers and bars, as high as its rows.

    The first name is the row's header, which stays in view when the table scrolls sideways.
    """

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._delegate = _BarDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(name)
        self.setSelectionBehavior(self.SelectionBehavior.SelectRows)
        self.setSelectionMode(self.SelectionMode.SingleSelection)
        self.setWordWrap(False)
        read_only(self)
        as_high_as_rows(self)
        names = self.verticalHeader()
        names.setStyleSheet(_NAMES_STYLE)
        names.setHighlightSections(False)
        names.show()
        self.corner = self.findChildren(QAbstractButton)[0]
        self._corner_title = QLabel(self.corner)
        self._corner_title.setProperty("class", "muted")
        self._corner_title.setStyleSheet("font-weight: 600")
        hbox(self.corner, self._corner_title, margins=(8, 0, 8, 0))
        number_width = self.fontMetrics().horizontalAdvance("< 0.001")
        self.horizontalHeader().setMinimumSectionSize(number_width + _PADDING)

    def show_rows(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        limits: tuple[float, float],
        n_names: int,
    ) -> None:
        """Show rows from top to bottom.

        ``limits`` are the values at both ends of a cell with bars; the first ``n_names`` cells of
        a row, at least one, are names.
        """
        self._delegate.limits = limits
        self._corner_title.setText(titles[0] if titles else "")
        self.setRowCount(len(rows))
        self.setColumnCount(max(0, len(titles) - 1))
        header = self.horizontalHeader()
        for column, title in enumerate(titles[1:]):
            has_bars = bool(rows) and rows[0][column + 1].bars is not None
            mode = header.ResizeMode.Stretch if has_bars else header.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
            self.setHorizontalHeaderItem(column, _item(Cell(title), column < n_names - 1))
        for row, (name, *cells) in enumerate(rows):
            self.setVerticalHeaderItem(row, _item(name, is_name=True))
            for column, cell in enumerate(cells):
                self.setItem(row, column, _item(cell, column < n_names - 1))
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()  # a scroll bar below the rows may have come or gone


def _item(cell: Cell, is_name: bool) -> QTableWidgetItem:
    item = QTableWidgetItem(cell.text)
    item.setTextAlignment(_LEFT if is_name else _RIGHT)
    item.setToolTip(plain_tip(cell.tip))
    item.setData(_BARS, cell.bars)
    return item
