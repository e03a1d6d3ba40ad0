"""Kernel weights of a model: how much every cluster relies on every view, as bars or a table."""

from math import fsum, isfinite

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.models.summary import ModelSummary
from app.names import counted, natural_order
from app.qt.charts.bars import BarPlot, Row
from app.qt.charts.chart import Chart, Key, csv_text
from app.qt.charts.format import ViewName, number, percent, row_parts, view_name, weight_text
from app.qt.charts.plot import tinted
from app.qt.theme.themes import LIGHT, Colours
from app.qt.widgets.inputs import Choices
from app.qt.widgets.layout import read_only, scroll_area
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
        self, views: list[ViewName], values: list[tuple[float, ...]], are_shares: bool
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


Values = list[tuple[float, ...]]
"""Of every view (outer) in every cluster (inner)."""

_MOST_CLUSTERS = 4
"""With more, the text below the chart is a count."""
_AS_ENROLLED, _BY_TOTAL, _BY_NAME = "as enrolled", "total", "name"


class WeightsChart(Chart):
    """Weights of clusters by views, as bars or as a table, in an order of choice."""

    file_stem = "kernel-weights"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Kernel weights", parent)
        self._views: tuple[ViewName, ...] = ()
        self._sizes: tuple[int, ...] = ()
        self._weights: Values = []
        self._cluster_shares: Values = []
        self._order: list[int] = []

        self._form = Choices("Show as", ("Bars", "Table"), self)
        self._sort = QComboBox(self)
        self._sort.setAccessibleName("Order of the views")
        self._sort.currentIndexChanged.connect(self._on_option)
        self._shares = QCheckBox("Share within cluster", self)
        self._shares.setToolTip("Each cluster's weights as percentages that sum to 100 %")
        self._shares.toggled.connect(self._on_option)
        self._plot = BarPlot(is_stacked=False)
        self._plot.setAccessibleName("Kernel weights as bars; arrow keys go through them")
        self._plot.row_changed.connect(self._write)
        self._table = WeightsTable(self)
        self._table.column_chosen.connect(self._on_column)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(scroll_area(self._plot, self, takes_focus=False))
        self._stack.addWidget(self._table)
        self._form.chosen.connect(self._stack.setCurrentIndex)
        controls = (self._form, self._sort, self._shares)
        self._lay_out(self._legend, self._stack, self._statement, controls=controls)
        self._fill_sort()

    def show_model(self, model: ModelSummary | None) -> None:
        names, clusters = ((), ()) if model is None else (model.view_names, model.weights)
        self._views = tuple(map(view_name, names))
        self._weights = [
            tuple(
                cluster[index] if index < len(cluster) and isfinite(cluster[index]) else 0.0
                for cluster in clusters
            )
            for index in range(len(names))
        ]
        totals = [fsum(column) for column in zip(*self._weights, strict=True)]
        self._cluster_shares = [
            tuple(value / total if total else 0.0 for value, total in zip(row, totals, strict=True))
            for row in self._weights
        ]
        n_before, self._sizes = len(self._sizes), () if model is None else model.cluster_sizes
        if n_before != len(self._sizes):
            self._fill_sort()
        self.mark_stale()

    def to_csv(self) -> str:
        """Return every view with its weight and share in every cluster, in the order shown."""
        numbers = range(1, len(self._sizes) + 1)
        header = [
            *("view", "region", "network", "layer"),
            *(f"weight cluster {number}" for number in numbers),
            *(f"share cluster {number}" for number in numbers),
        ]
        rows = []
        for index in self._sorted():
            view = self._views[index]
            names = (view.full, view.region, view.network, view.layer)
            rows.append((*names, *self._weights[index], *self._cluster_shares[index]))
        return csv_text(header, rows)

    def _values(self) -> Values:
        return self._cluster_shares if self._shares.isChecked() else self._weights

    def _sorted(self) -> list[int]:
        key, values = self._sort.currentData(), self._values()
        indices = list(range(len(self._views)))
        if key == _BY_TOTAL:
            indices.sort(key=lambda i: -fsum(values[i]))
        elif key == _BY_NAME:
            indices.sort(key=lambda i: natural_order(self._views[i].full))
        elif isinstance(key, int):
            indices.sort(key=lambda i: -values[i][key])
        return indices

    def _words(self) -> str:
        if not self._views:
            return "No model yet: kernel weights appear here after the first fit."
        sentences = []
        for cluster, column in enumerate(zip(*self._cluster_shares, strict=True)):
            view, share = max(zip(self._views, column, strict=True), key=lambda pair: pair[1])
            most = f"{view.words}: {percent(share, 0)}"
            sentences.append(f"Cluster {cluster + 1} relies most on {most}.")
        return " ".join(sentences)

    def _statement_text(self) -> str:
        """The values of the view pointed at; otherwise a summary, always short."""
        if 0 <= self._plot.row < len(self._order):
            index = self._order[self._plot.row]
            pairs = zip(self._weights[index], self._cluster_shares[index], strict=True)
            values = ", ".join(
                f"cluster {cluster} {weight_text(weight, False)} ({percent(share)})"
                for cluster, (weight, share) in enumerate(pairs, start=1)
            )
            return f"{self._views[index].full}: {values}"
        n_clusters, n_views = len(self._sizes), len(self._views)
        if n_clusters <= _MOST_CLUSTERS:
            return self._words()
        return f"{n_clusters} clusters by {n_views} views. Point at a view for its values."

    def _fill_sort(self) -> None:
        chosen = self._sort.currentData()
        with QSignalBlocker(self._sort):
            self._sort.clear()
            self._sort.addItem("As enrolled", _AS_ENROLLED)
            self._sort.addItem("Largest total first", _BY_TOTAL)
            for cluster in range(len(self._sizes)):
                self._sort.addItem(f"Cluster {cluster + 1}, largest first", cluster)
            self._sort.addItem("By name", _BY_NAME)
            self._sort.setCurrentIndex(max(0, self._sort.findData(chosen)))

    def _draw(self) -> None:
        self._order = self._sorted()
        are_shares, values = self._shares.isChecked(), self._values()
        parts = row_parts(self._views)
        rows = []
        for index in self._order:
            pairs = zip(self._weights[index], self._cluster_shares[index], strict=True)
            tips = tuple(
                f"{self._views[index].full}\nCluster {cluster}\nWeight {number(weight, 4)}\n"
                f"{percent(share)} of the cluster"
                for cluster, (weight, share) in enumerate(pairs, start=1)
            )
            texts = tuple(weight_text(value, are_shares) for value in values[index])
            rows.append(Row(parts[index], values[index], texts, tips))
        every = [0.0, *(value for row in values for value in row)]
        limits = (min(every), max(every) or 1.0)
        self._plot.show_rows(rows, limits, is_percent=are_shares)
        views = [self._views[index] for index in self._order]
        self._table.show_values(views, [values[index] for index in self._order], are_shares)
        for widget in (self._stack, self.head):
            widget.setVisible(bool(self._views))

    def _keys(self) -> tuple[Key, ...]:
        return tuple(
            Key(f"Cluster {i + 1} ({counted(size, 'frame')})", self._colours.series_colour(i))
            for i, size in enumerate(self._sizes)
        )

    def _recolour(self) -> None:
        super()._recolour()
        self._table.set_colours(self._colours)

    @Slot(int)
    def _on_column(self, column: int) -> None:
        cluster = column - len(_NAMES)
        wanted: object = _BY_NAME if cluster < 0 else cluster
        if cluster >= len(self._sizes):
            wanted = _BY_TOTAL
        self._sort.setCurrentIndex(self._sort.findData(wanted))

    @Slot()
    def _on_option(self) -> None:
        self.mark_stale()
        if self.isVisible():
            self.refresh()
