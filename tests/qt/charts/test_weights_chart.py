"""Kernel weights as bars and as a table."""

import csv
import io

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QToolTip

from app.qt.charts.bars import BarPlot
from app.qt.charts.weights import WeightsChart, WeightsTable
from app.qt.widgets.inputs import Choices
from tests.qt.charts.chart_values import VIEWS, model_summary

FOUR = ("face/vgg16.last", "eyes/vgg16.last", "face/resnet50.layer9", "face/resnet50.layer13")
WEIGHTS = ((0.1, 0.4, 0.0, 0.3), (0.6, 0.2, 0.2, 0.0))


@pytest.fixture
def chart(on_show):
    chart = WeightsChart()
    chart.show_model(model_summary(n_clusters=2, views=FOUR, weights=WEIGHTS))
    return on_show(chart)


def names(chart):
    return [row["view"] for row in csv.DictReader(io.StringIO(chart.to_csv()))]


def sort_by(chart, text):
    chart.findChild(QComboBox).setCurrentText(text)


def table_texts(chart):
    model = chart.findChild(WeightsTable).model()
    columns = range(model.columnCount())
    return [[model.index(row, column).data() for column in columns] for row in range(4)]


def test_that_views_are_sorted_as_chosen(chart):
    for order, expected in (
        ("As enrolled", [0, 1, 2, 3]),
        ("Largest total first", [0, 1, 3, 2]),
        ("Cluster 1, largest first", [1, 3, 0, 2]),
        ("Cluster 2, largest first", [0, 1, 2, 3]),
        ("By name", [1, 2, 3, 0]),
    ):
        sort_by(chart, order)
        assert names(chart) == [FOUR[i] for i in expected], order


def test_that_the_table_takes_the_place_of_the_bars_with_weights_or_shares_that_sum_to_one(chart):
    assert [key.text for key in chart._legend.keys] == [
        *("Cluster 1 (40 frames)", "Cluster 2 (57 frames)")
    ]
    table = chart.findChild(WeightsTable)
    assert not table.isVisible()
    chart.findChild(Choices).choose(1)
    assert table.isVisible()
    assert table_texts(chart)[2] == ["face", "ResNet-50", "layer9", "0", "0.200", "0.200"]
    table.horizontalHeader().sectionClicked.emit(3)
    assert chart.findChild(QComboBox).currentText() == "Cluster 1, largest first"
    assert table_texts(chart)[0][:2] == ["eyes", "VGG-16"]
    sort_by(chart, "As enrolled")
    chart.findChild(QCheckBox).setChecked(True)
    assert table_texts(chart)[0] == ["face", "VGG-16", "last", "12.5 %", "60.0 %"]
    rows = list(csv.DictReader(io.StringIO(chart.to_csv())))
    for cluster in ("1", "2"):
        assert sum(float(row[f"share cluster {cluster}"]) for row in rows) == pytest.approx(1)


def test_that_the_order_survives_a_refit_as_long_as_its_cluster_is_there(chart):
    sort_by(chart, "Cluster 2, largest first")
    chart.show_model(model_summary(n_clusters=2, views=FOUR, weights=WEIGHTS[::-1]))
    assert names(chart)[0] == FOUR[1]
    chart.show_model(model_summary(n_clusters=1, views=FOUR, weights=WEIGHTS[:1]))
    assert names(chart) == list(FOUR)


def test_that_pointing_at_a_bar_tells_view_cluster_weight_and_share(qtbot, chart):
    plot = chart.findChild(BarPlot)
    area = plot.area()
    rows = plot.box.viewRange()[1]
    step = area.height() / (rows[1] - rows[0])
    place = QPoint(int(area.left()) + 5, int(area.top() + step / 2) + 4)
    assert plot.place_at(place) == (0, 1)
    qtbot.mouseMove(plot.viewport(), place)
    plot.hovered.emit(place)
    assert QToolTip.text() == "face/vgg16.last\nCluster 2\nWeight 0.6000\n60.0 % of the cluster"
    QToolTip.hideText()


def test_that_arrow_keys_read_one_view_after_the_other(qtbot, chart):
    plot = chart.findChild(BarPlot)
    qtbot.keyClick(plot, Qt.Key.Key_Down)
    qtbot.keyClick(plot, Qt.Key.Key_Down)
    assert plot.row == 1
    assert chart._statement.text().startswith("eyes/vgg16.last: cluster 1 0.400 (50.0 %)")
    for _ in range(9):
        qtbot.keyClick(plot, Qt.Key.Key_Down)
    assert plot.row == 3


def test_that_many_weights_get_rows_of_readable_height(on_show):
    views = tuple(f"{name}{i}" for name in VIEWS for i in range(3))
    for n_clusters in (1, 8):
        chart = WeightsChart()
        chart.show_model(model_summary(n_clusters=n_clusters, views=views))
        plot = on_show(chart).findChild(BarPlot)
        assert plot.height() >= len(views) * plot.fontMetrics().height()
