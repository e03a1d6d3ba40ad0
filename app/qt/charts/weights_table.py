"""Weights as a table with real text: the exact values, also for people who cannot see bars."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.qt.charts.format import ViewName, number, weight_text
from app.qt.charts.plot import tinted
from app.qt.theme.themes import LIGHT, Colours
from app.qt.widgets.layout import read_only
from app.qt.widgets.rows import Index
from app.qt.widgets.texts import plain_tip

SHARE_ROLE = Qt.ItemDataRole.UserRole
"""How long the bar of a cell is: 0 to 1, None for cells without one."""

_NAMES = ("Region", "Network", "Layer")
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class _HeatDelegate(QStyledItemDelegate):
    """A cell with a bar behind its number: as long as the value is large, in its cluster's colour.

    Length and text carry the value; the colour only tells the columns apart.
    """

    colours: Colours = LIGHT

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        share = index.data(SHARE_ROLE)
        if isinstance(share, float) and share > 0:
            rect = option.rect.adjusted(1, 2, -1, -2)
            rect.setWidth(max(2, round(rect.width() * min(1.0, share))))
            colour = self.colours.series_colour(index.column() - len(_NAMES))
            painter.fillRect(rect, tinted(colour, 0.32))
        super().paint(painter, option, index)


class WeightsTable(QTableWidget):
    """Views in rows; region, network, layer, one column for each cluster, and the total.

    A click on a column's head asks for that order.
    """

    column_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = _HeatDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Kernel weights as a table")
        read_only(self)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setWordWrap(False)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.column_chosen)

    def show_values(
        self, views: tuple[ViewName, ...], values: tuple[tuple[float, ...], ...], are_shares: bool
    ) -> None:
        clusters = [f"Cluster {i + 1}" for i in range(len(values[0]) if values else 0)]
        titles = [*_NAMES, *clusters, *([] if are_shares else ["Total"])]
        self.setRowCount(len(views))
        self.setColumnCount(len(titles))
        for column, title in enumerate(titles):
            head = QTableWidgetItem(title)
            head.setTextAlignment(_LEFT if column < len(_NAMES) else _RIGHT)
            self.setHorizontalHeaderItem(column, head)
        largest = max((max(each) for each in values), default=0.0)
        for row, (view, weights) in enumerate(zip(views, values, strict=True)):
            for column, text in enumerate((view.region, view.network, view.layer_words)):
                self._put(row, column, text, view.full)
            cells = weights if are_shares else (*weights, sum(weights))
            for column, value in enumerate(cells, start=len(_NAMES)):
                tip = f"{view.full}: {number(value, 5)}"
                item = self._put(row, column, weight_text(value, are_shares), tip)
                item.setTextAlignment(_RIGHT)
                if column - len(_NAMES) < len(weights) and largest > 0:
                    item.setData(SHARE_ROLE, max(0.0, value / largest))
        self._fit_columns()

    def _put(self, row: int, column: int, text: str, tip: str) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setToolTip(plain_tip(tip))
        self.setItem(row, column, item)
        return item

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Share the width among the values; where it does not suffice, the table scrolls."""
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        needed = [
            max(self.sizeHintForColumn(column), header.sectionSizeHint(column))
            for column in range(self.columnCount())
        ]
        n_values = max(1, len(needed) - len(_NAMES))
        spare = max(0, self.viewport().width() - sum(needed)) // n_values
        for column, width in enumerate(needed):
            self.setColumnWidth(column, width + (spare if column >= len(_NAMES) else 0))

    def set_colours(self, colours: Colours) -> None:
        self._delegate.colours = colours
        palette = self.palette()
        palette.setColor(palette.ColorRole.Base, QColor(colours.panel))
        palette.setColor(palette.ColorRole.Text, QColor(colours.text))
        self.setPalette(palette)
        self.viewport().update()
