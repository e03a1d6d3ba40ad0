"""Kernel weights of a model: how much every cluster relies on every view."""

from math import fsum, isfinite

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QStackedWidget,
    QWidget,
)

from app.models.summary import ModelSummary
from app.qt.views.charts.base import Chart
from app.qt.views.charts.choices import Choices
from app.qt.views.charts.export import csv_text
from app.qt.views.charts.flow import FlowRow
from app.qt.views.charts.legend import Key, Legend
from app.qt.views.charts.row_names import Row
from app.qt.views.charts.rows import RowPlot
from app.qt.views.charts.weights_table import WeightsTable
from app.qt.views.charts.wording import (
    ViewName,
    natural_order,
    number,
    percent,
    row_parts,
    view_name,
    weight_text,
)

_N_TOLD = 4
_AS_ENROLLED, _BY_TOTAL, _BY_NAME = "as enrolled", "total", "name"


class WeightsChart(Chart):
    """Weights of clusters by views, as bars or as a table, in an order of choice."""

    file_stem = "kernel-weights"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Kernel weights"))
        self._model: ModelSummary | None = None
        self._views: tuple[ViewName, ...] = ()
        self._order: list[int] = []

        self._form = Choices(self.tr("Show as"), (self.tr("Bars"), self.tr("Table")), self)
        self._form.chosen.connect(self._on_form)
        self._sort = QComboBox(self)
        self._sort.setAccessibleName(self.tr("Order of the views"))
        self._sort.currentIndexChanged.connect(self._on_option)
        self._shares = QCheckBox(self.tr("Share within cluster"), self)
        self._shares.setToolTip(self.tr("Each cluster's weights as percentages that sum to 100 %"))
        self._shares.toggled.connect(self._on_option)
        self._head = FlowRow(self)
        for widget in (self._form, self._sort, self._shares, self._make_export_button()):
            self._head.add(widget)

        self._legend = Legend(self)
        self._plot = RowPlot(is_stacked=False)
        self._plot.setAccessibleName(self.tr("Kernel weights as bars; arrow keys go through them"))
        self._plot.row_changed.connect(self._on_row)
        self._scroll = self._make_scroll(self._plot)
        self._table = WeightsTable(self)
        self._table.column_chosen.connect(self._on_column)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._scroll)
        self._stack.addWidget(self._table)
        self._readout = self._make_label()
        for part in (self._head, self._legend):
            self._column.addWidget(part)
        self._column.addWidget(self._stack, 1)
        self._column.addWidget(self._readout)
        self._fill_sort()
        self._recolour()

    # ------------------------------------------------------------ values

    def show_model(self, model: ModelSummary | None) -> None:
        """Show the weights of a model, or that there is none."""
        old = 0 if self._model is None else self._model.n_clusters
        self._model = model
        self._views = () if model is None else tuple(view_name(each) for each in model.view_names)
        if old != (0 if model is None else model.n_clusters):
            self._fill_sort()
        self.mark_stale()

    def to_csv(self) -> str:
        """Return every view with its weight and share in every cluster, in the order shown."""
        model = self._model
        if model is None:
            return csv_text(("view", "region", "network", "layer"), ())
        self._order = self._sorted()
        numbers = range(1, model.n_clusters + 1)
        header = [
            *("view", "region", "network", "layer"),
            *(f"weight cluster {number}" for number in numbers),
            *(f"share cluster {number}" for number in numbers),
        ]
        raw, shares = self._raw(), self._within_clusters()
        rows = []
        for index in self._order:
            view = self._views[index]
            names = (view.full, view.region, view.network, view.layer)
            rows.append((*names, *raw[index], *shares[index]))
        return csv_text(header, rows)

    def _raw(self) -> list[tuple[float, ...]]:
        """Weights of every view (outer) in every cluster (inner); 0 where one is missing."""
        model = self._model
        if model is None:
            return []
        return [
            tuple(
                cluster[index] if index < len(cluster) and isfinite(cluster[index]) else 0.0
                for cluster in model.weights
            )
            for index in range(len(self._views))
        ]

    def _within_clusters(self) -> list[tuple[float, ...]]:
        raw = self._raw()
        if not raw:
            return []
        totals = [fsum(row[cluster] for row in raw) for cluster in range(len(raw[0]))]
        return [
            tuple(value / total if total else 0.0 for value, total in zip(row, totals, strict=True))
            for row in raw
        ]

    def _sorted(self) -> list[int]:
        indices = list(range(len(self._views)))
        key = self._sort.currentData()
        raw = self._within_clusters() if self._shares.isChecked() else self._raw()
        if key == _BY_TOTAL:
            indices.sort(key=lambda i: -fsum(raw[i]))
        elif key == _BY_NAME:
            indices.sort(key=lambda i: natural_order(self._views[i].full))
        elif isinstance(key, int):
            indices.sort(key=lambda i: -raw[i][key])
        return indices

    # ------------------------------------------------------------ words

    def _words(self) -> str:
        model = self._model
        if model is None:
            return self.tr("No model yet: kernel weights appear here after the first fit.")
        sentences = []
        shares = self._within_clusters()
        for cluster in range(model.n_clusters):
            best = max(range(len(shares)), key=lambda i: shares[i][cluster], default=None)
            if best is not None:
                sentences.append(
                    self.tr("Cluster {number} relies most on {view}: {share}.").format(
                        number=cluster + 1,
                        view=self._views[best].words,
                        share=percent(shares[best][cluster], 0),
                    )
                )
        return " ".join(sentences)

    def _summary(self) -> str:
        """What stands below the chart while no view is pointed at; always short."""
        model = self._model
        if model is None or model.n_clusters <= _N_TOLD:
            return self._words()
        return self.tr(
            "{clusters} clusters by {views} views. Point at a view for its values."
        ).format(clusters=model.n_clusters, views=len(self._views))

    def _write(self) -> None:
        super()._write()
        self._write_readout()

    def _write_readout(self) -> None:
        row = self._plot.row
        if self._model is None or not 0 <= row < len(self._order):
            self._readout.setText(self._summary())
            return
        index = self._order[row]
        raw, shares = self._raw()[index], self._within_clusters()[index]
        values = ", ".join(
            self.tr("cluster {number} {weight} ({share})").format(
                number=cluster + 1, weight=weight_text(weight, False), share=percent(share)
            )
            for cluster, (weight, share) in enumerate(zip(raw, shares, strict=True))
        )
        self._readout.setText(f"{self._views[index].full}: {values}")

    def _tips(self, index: int, raw: tuple[float, ...], shares: tuple[float, ...]) -> list[str]:
        return [
            self.tr("{view}\nCluster {number}\nWeight {weight}\n{share} of the cluster").format(
                view=self._views[index].full,
                number=cluster + 1,
                weight=number(weight, 4),
                share=percent(share),
            )
            for cluster, (weight, share) in enumerate(zip(raw, shares, strict=True))
        ]

    def _fill_sort(self) -> None:
        chosen = self._sort.currentData()
        self._sort.blockSignals(True)
        self._sort.clear()
        self._sort.addItem(self.tr("As enrolled"), _AS_ENROLLED)
        self._sort.addItem(self.tr("Largest total first"), _BY_TOTAL)
        for cluster in range(0 if self._model is None else self._model.n_clusters):
            text = self.tr("Cluster {number}, largest first").format(number=cluster + 1)
            self._sort.addItem(text, cluster)
        self._sort.addItem(self.tr("By name"), _BY_NAME)
        self._sort.setCurrentIndex(max(0, self._sort.findData(chosen)))
        self._sort.blockSignals(False)

    # ------------------------------------------------------------ picture

    def _draw(self) -> None:
        self._order = self._sorted()
        are_shares = self._shares.isChecked()
        raw, shares = self._raw(), self._within_clusters()
        values = shares if are_shares else raw
        rows, tips = [], []
        parts = row_parts(self._views)
        for index in self._order:
            texts = tuple(weight_text(value, are_shares) for value in values[index])
            view = self._views[index]
            rows.append(Row(parts[index], view.full, values[index], texts))
            tips.append(tuple(self._tips(index, raw[index], shares[index])))
        every = [value for row in values for value in row]
        limits = (min([0.0, *every]), max([0.0, *every]) or 1.0)
        self._plot.show_rows(tuple(rows), limits, tuple(tips), is_percent=are_shares)
        self._table.weights.show_values(
            tuple(self._views[index] for index in self._order),
            tuple(values[index] for index in self._order),
            are_shares,
        )
        self._legend.show_keys(self._keys(), self._colours)
        for widget in (self._stack, self._head):
            widget.setVisible(self._model is not None)

    def _keys(self) -> tuple[Key, ...]:
        model = self._model
        if model is None:
            return ()
        keys = []
        for cluster in range(model.n_clusters):
            text = self.tr("Cluster {number}").format(number=cluster + 1)
            if cluster < len(model.cluster_sizes):
                text = self.tr("{cluster} ({size} frames)").format(
                    cluster=text, size=model.cluster_sizes[cluster]
                )
            keys.append(Key(text, self._colours.cluster(cluster)))
        return tuple(keys)

    def _recolour(self) -> None:
        super()._recolour()
        self._plot.set_colours(self._colours)
        self._table.set_colours(self._colours)

    def _picture_parts(self) -> list[QWidget]:
        shown = self._plot if self._form.current == 0 else self._table
        return [self._legend, shown, self._readout]

    @Slot(int)
    def _on_form(self, number: int) -> None:
        self._stack.setCurrentIndex(number)

    @Slot(int)
    def _on_column(self, column: int) -> None:
        """Sort by the column whose head was clicked."""
        cluster = column - 3
        n_clusters = 0 if self._model is None else self._model.n_clusters
        wanted: object = _BY_NAME if cluster < 0 else cluster
        if cluster >= n_clusters:
            wanted = _BY_TOTAL
        self._sort.setCurrentIndex(self._sort.findData(wanted))

    @Slot()
    def _on_option(self) -> None:
        self.mark_stale()
        if self.isVisible():
            self.refresh()

    @Slot(int)
    def _on_row(self, row: int) -> None:
        self._write_readout()
