"""Kernel weights of a model: how much each cluster relies on each view."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QCheckBox, QWidget

from app.models.summary import ModelSummary
from app.names import counted, natural_order
from app.qt import theme
from app.qt.charts.bars import Bars, BarTable, Cell
from app.qt.charts.chart import Chart, LegendEntry, csv_text
from app.qt.charts.format import ViewName, name_columns, number, percent, view_name, weight_text
from app.qt.widgets.inputs import CalmComboBox

_MOST_CLUSTERS = 4
"""With more, the text below the chart only counts them."""
_AS_ENROLLED, _BY_TOTAL, _BY_NAME = "as enrolled", "total", "name"


class WeightsChart(Chart):
    """A table of each view's weight in each cluster, with bars.

    A click on a column's header sorts by it.
    """

    file_stem = "kernel-weights"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Kernel weights", parent)
        self._views: tuple[ViewName, ...] = ()
        self._sizes: tuple[int, ...] = ()
        self._weights = self._cluster_shares = np.zeros((0, 0))
        """One row per view, one column per cluster."""
        self._n_name_columns = 0
        """Without the first name, which is the row header."""
        self._sort = CalmComboBox(self)
        self._sort.setAccessibleName("Order of the views")
        self._sort.currentIndexChanged.connect(self._on_option)
        self._shares = QCheckBox("Share within cluster", self)
        self._shares.setToolTip("Each cluster's weights as percentages that sum to 100 %.")
        self._shares.toggled.connect(self._on_option)
        self._table = BarTable("Kernel weights", self)
        header = self._table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._on_column)
        self._table.corner.clicked.connect(self._on_corner)
        controls = (self._sort, self._shares)
        self._lay_out(self._legend, self._table, self._statement, controls=controls)
        self._fill_sort()

    def show_model(self, model: ModelSummary | None) -> None:
        weights = np.zeros((0, 0)) if model is None else np.array(model.weights, float).T
        self._weights = np.where(np.isfinite(weights), weights, 0.0)
        totals = self._weights.sum(axis=0)
        self._cluster_shares = self._weights / np.where(totals, totals, 1.0)
        self._views = () if model is None else tuple(map(view_name, model.view_names))
        self._sizes = () if model is None else model.cluster_sizes
        self._fill_sort()
        self.mark_stale()

    def to_csv(self) -> str:
        """Return each view's weight and share in each cluster, in the displayed order."""
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
            values = np.hstack([self._weights[index], self._cluster_shares[index]])
            rows.append((*names, *values.tolist()))
        return csv_text(header, rows)

    def _values(self) -> np.ndarray:
        return self._cluster_shares if self._shares.isChecked() else self._weights

    def _sorted(self) -> list[int]:
        key, values = self._sort.currentData(), self._values()
        indices = list(range(len(self._views)))
        if key == _BY_TOTAL:
            indices.sort(key=lambda i: -values[i].sum())
        elif key == _BY_NAME:
            indices.sort(key=lambda i: natural_order(self._views[i].full))
        elif isinstance(key, int):
            indices.sort(key=lambda i: -values[i, key])
        return indices

    def _description(self) -> str:
        if not self._views:
            return "No model yet: kernel weights appear here after the first fit."
        n_clusters = len(self._sizes)
        if n_clusters > _MOST_CLUSTERS:
            return f"{n_clusters} clusters by {len(self._views)} views."
        sentences = []
        for cluster, shares in enumerate(self._cluster_shares.T, start=1):
            most = f"{self._views[shares.argmax()].words}: {percent(shares.max(), 0)}"
            sentences.append(f"Cluster {cluster} relies most on {most}.")
        return " ".join(sentences)

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
        are_shares, values = self._shares.isChecked(), self._values()
        titles, names = name_columns(self._views)
        n_names = len(titles)
        titles += [f"Cluster\n{cluster + 1}" for cluster in range(values.shape[1])]
        titles += [] if are_shares else ["Total"]
        rows = []
        for index in self._sorted():
            cells = [Cell(name, tip=self._views[index].full) for name in names[index]]
            for cluster, value in enumerate(values[index]):
                text = weight_text(value, are_shares)
                cells.append(Cell(text, Bars((value,), (cluster,)), self._tip(index, cluster)))
            if not are_shares:
                cells.append(Cell(weight_text(values[index].sum(), False)))
            rows.append(cells)
        limits = (values.min(initial=0.0), values.max(initial=0.0) or 1.0)
        self._table.show_rows(titles, rows, limits, n_names)
        self._n_name_columns = n_names - 1
        for widget in (self._table, self.head):
            widget.setVisible(bool(self._views))

    def _tip(self, view: int, cluster: int) -> str:
        weight, share = self._weights[view, cluster], self._cluster_shares[view, cluster]
        return (
            f"{self._views[view].full}\nCluster {cluster + 1}\nWeight {number(weight, 4)}\n"
            f"{percent(share)} of the cluster"
        )

    def _legend_entries(self) -> list[LegendEntry]:
        colours = theme.colours()
        return [
            ("■", colours.series_colour(i), f"Cluster {i + 1} ({counted(size, 'frame')})")
            for i, size in enumerate(self._sizes)
        ]

    @Slot(int)
    def _on_column(self, column: int) -> None:
        cluster = column - self._n_name_columns
        wanted: object = _BY_NAME if cluster < 0 else cluster
        if cluster >= len(self._sizes):
            wanted = _BY_TOTAL
        self._sort.setCurrentIndex(self._sort.findData(wanted))

    @Slot()
    def _on_corner(self) -> None:
        self._sort.setCurrentIndex(self._sort.findData(_BY_NAME))

    @Slot()
    def _on_option(self) -> None:
        self.mark_stale()
        if self.isVisible():
            self.refresh()
