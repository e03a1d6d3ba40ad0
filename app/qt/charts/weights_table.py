"""Weights as a table with real text: the exact values, also for people who cannot see bars."""

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.qt.charts.format import ViewName, number, weight_text
from app.qt.charts.plot import tinted
from app.qt.theme.themes import LIGHT, Colours
from app.qt.widgets.texts import plain_tip

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole
SHARE_ROLE = _ROLE.UserRole
"""How dark a cell is: 0 to 1, None for cells without a value."""


class WeightsModel(QAbstractTableModel):
    """Views in rows; region, network, layer, one column for each cluster, and the total."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: tuple[ViewName, ...] = ()
        self._values: tuple[tuple[float, ...], ...] = ()
        self._are_shares = False

    def show_values(
        self, views: tuple[ViewName, ...], values: tuple[tuple[float, ...], ...], are_shares: bool
    ) -> None:
        """Show the values of views (outer) and clusters (inner)."""
        self.beginResetModel()
        self._views, self._values, self._are_shares = views, values, are_shares
        self.endResetModel()

    @property
    def n_clusters(self) -> int:
        return len(self._values[0]) if self._values else 0

    def rowCount(self, parent: Index = QModelIndex(), /) -> int:  # noqa: B008 - as in Qt
        return 0 if parent.isValid() else len(self._views)

    def columnCount(self, parent: Index = QModelIndex(), /) -> int:  # noqa: B008 - as in Qt
        if parent.isValid():
            return 0
        return 3 + self.n_clusters + (0 if self._are_shares else 1)

    def data(self, index: Index, role: int = _ROLE.DisplayRole, /) -> object:
        if not index.isValid():
            return None
        view, column = self._views[index.row()], index.column()
        if column < 3:
            if role == _ROLE.DisplayRole:
                return (view.region, view.network, view.layer_words)[column]
            return plain_tip(view.full) if role == _ROLE.ToolTipRole else None
        values = self._values[index.row()]
        cluster = column - 3
        is_total = cluster >= len(values)
        value = sum(values) if is_total else values[cluster]
        if role == _ROLE.DisplayRole:
            return weight_text(value, self._are_shares)
        if role == _ROLE.ToolTipRole:
            return plain_tip(f"{view.full}: {number(value, 5)}")
        if role == _ROLE.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == SHARE_ROLE and not is_total:
            largest = max((max(each) for each in self._values), default=0.0)
            return max(0.0, value / largest) if largest > 0 else 0.0
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole, /
    ) -> object:
        if role == _ROLE.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section < 3 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if orientation is not Qt.Orientation.Horizontal or role != _ROLE.DisplayRole:
            return None
        if section < 3:
            return ("Region", "Network", "Layer")[section]
        if section < 3 + self.n_clusters:
            return f"Cluster {section - 2}"
        return "Total"


class _HeatDelegate(QStyledItemDelegate):
    """A cell with a bar behind its number: as long as the value is large, in its cluster's colour.

    Length and text carry the value; the colour only tells the columns apart.
    """

    colours: Colours = LIGHT

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        share = index.data(SHARE_ROLE)
        if isinstance(share, float) and share > 0:
            rect = option.rect.adjusted(1, 2, -1, -2)
            width = max(2, round(rect.width() * min(1.0, share)))
            rect.setWidth(width)
            colour = self.colours.series_colour(index.column() - 3)
            painter.fillRect(rect, tinted(colour, 0.32))
        super().paint(painter, option, index)


class WeightsTable(QTableView):
    """The table; a click on a column's head asks for that order."""

    column_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.weights = WeightsModel(self)
        self._delegate = _HeatDelegate(self)
        self.setModel(self.weights)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Kernel weights as a table")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAlternatingRowColors(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.column_chosen)
        self.weights.modelReset.connect(self._fit_columns)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    @Slot()
    def _fit_columns(self) -> None:
        """Share the width among the values; where it does not suffice, the table scrolls."""
        header = self.horizontalHeader()
        n_columns = self.weights.columnCount()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        needed = [
            max(self.sizeHintForColumn(column), header.sectionSizeHint(column))
            for column in range(n_columns)
        ]
        n_values = n_columns - 3
        spare = max(0, self.viewport().width() - sum(needed)) // max(1, n_values)
        for column, width in enumerate(needed):
            self.setColumnWidth(column, width + (spare if column >= 3 else 0))

    def set_colours(self, colours: Colours) -> None:
        self._delegate.colours = colours
        palette = self.palette()
        palette.setColor(palette.ColorRole.Base, QColor(colours.panel))
        palette.setColor(palette.ColorRole.Text, QColor(colours.text))
        self.setPalette(palette)
        self.viewport().update()
