"""Kernel weights as bars and as a table."""

import csv
import io

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox

from app.qt.charts.bars import BarTable
from app.qt.charts.weights import WeightsChart
from tests.qt.charts.chart_values import VIEWS, model_summary
from tests.qt.driving import wheel_over

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
    table = chart.findChild(BarTable)
    columns = range(table.columnCount())
    return [[table.item(row, column).text() for column in columns] for row in range(4)]


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


def test_that_the_table_shows_weights_or_shares_that_sum_to_one(chart):
    table = chart.findChild(BarTable)
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


def test_that_a_cell_tells_view_cluster_weight_and_share(chart):
    tip = chart.findChild(BarTable).item(0, 4).toolTip()
    assert tip == "face/vgg16.last\nCluster 2\nWeight 0.6000\n60.0 % of the cluster"


def test_that_many_clusters_are_scrolled_sideways_and_stay_readable(qtbot, on_show):
    chart = WeightsChart()
    chart.show_model(model_summary(n_clusters=8, views=VIEWS))
    table = on_show(chart, width=480)._table
    needed = table.fontMetrics().horizontalAdvance("0.000")
    assert all(table.columnWidth(column) > needed for column in range(table.columnCount()))
    assert table.horizontalScrollBar().maximum() > 0
    assert table.viewport().height() >= table.verticalHeader().length()
    shown = chart.size(), chart._picture.size()
    assert chart.picture().width() > 2 * table.horizontalHeader().length()  # twice as fine
    assert (chart.size(), chart._picture.size()) == shown
    for width in (1200, 400):  # a scroll bar that comes or goes covers no row
        chart.resize(width, 700)
        qtbot.waitUntil(lambda: table.viewport().height() >= table.verticalHeader().length())


def test_that_the_wheel_leaves_the_order_alone(chart):
    assert not wheel_over(chart.findChild(QComboBox))
    assert not wheel_over(chart.findChild(BarTable).viewport())
