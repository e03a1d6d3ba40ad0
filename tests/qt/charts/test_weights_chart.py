"""The table of kernel weights."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox

from app.qt.charts.bars import BarTable
from app.qt.charts.weights import WeightsChart
from tests.qt.charts.chart_values import VIEWS, model_summary
from tests.qt.driving import texts_of, wheel_over

FOUR = ("face/vgg16.last", "eyes/vgg16.last", "face/resnet50.layer9", "face/resnet50.layer13")
WEIGHTS = ((0.1, 0.4, 0.0, 0.3), (0.6, 0.2, 0.2, 0.0))


@pytest.fixture
def chart(shown):
    chart = WeightsChart()
    chart.show_model(model_summary(n_clusters=2, views=FOUR, weights=WEIGHTS))
    return shown(chart, 640, 480)


def views(chart):
    return [row["view"] for row in csv.DictReader(io.StringIO(chart.to_csv()))]


def sort_by(chart, text):
    chart.findChild(QComboBox).setCurrentText(text)


def row_texts(chart, row):
    table = chart.findChild(BarTable)
    cells = [table.item(row, column) for column in range(table.columnCount())]
    return [cell.text() for cell in (table.verticalHeaderItem(row), *cells)]


def test_that_views_are_sorted_by_a_list_or_a_click_on_a_title_but_not_by_the_wheel(chart, qtbot):
    for order, expected in (
        ("As enrolled", [0, 1, 2, 3]),
        ("Largest total first", [0, 1, 3, 2]),
        ("Cluster 1, largest first", [1, 3, 0, 2]),
        ("Cluster 2, largest first", [0, 1, 2, 3]),
        ("By name", [1, 2, 3, 0]),
    ):
        sort_by(chart, order)
        assert views(chart) == [FOUR[i] for i in expected], order
    table, choice = chart.findChild(BarTable), chart.findChild(QComboBox)
    table.horizontalHeader().sectionClicked.emit(2)
    assert choice.currentText() == "Cluster 1, largest first"
    qtbot.mouseClick(table.corner, Qt.MouseButton.LeftButton)
    assert choice.currentText() == "By name"
    assert not wheel_over(choice)
    assert not wheel_over(table.viewport())


def test_that_the_table_shows_weights_or_shares_that_sum_to_one(chart):
    table = chart.findChild(BarTable)
    titles = [table.horizontalHeaderItem(column).text() for column in range(table.columnCount())]
    assert titles == ["Network", "Layer", "Cluster\n1", "Cluster\n2", "Total"]
    assert "Region" in texts_of(table)
    assert row_texts(chart, 2) == ["face", "ResNet-50", "layer9", "0", "0.200", "0.200"]
    tip = table.item(0, 3).toolTip()
    assert tip == "face/vgg16.last\nCluster 2\nWeight 0.6000\n60.0 % of the cluster"
    chart.findChild(QCheckBox).setChecked(True)
    assert row_texts(chart, 0) == ["face", "VGG-16", "last", "12.5 %", "60.0 %"]
    rows = list(csv.DictReader(io.StringIO(chart.to_csv())))
    for cluster in ("1", "2"):
        assert sum(float(row[f"share cluster {cluster}"]) for row in rows) == pytest.approx(1)


def test_that_the_order_survives_a_new_fit_that_still_has_its_cluster(chart):
    sort_by(chart, "Cluster 2, largest first")
    chart.show_model(model_summary(n_clusters=2, views=FOUR, weights=WEIGHTS[::-1]))
    assert views(chart)[0] == FOUR[1]
    chart.show_model(model_summary(n_clusters=1, views=FOUR, weights=WEIGHTS[:1]))
    assert views(chart) == list(FOUR)


def test_that_many_clusters_scroll_sideways_beside_the_regions(qtbot, shown):
    chart = WeightsChart()
    chart.show_model(model_summary(n_clusters=8, views=VIEWS))
    table = shown(chart, 480, 480)._table
    needed = table.fontMetrics().horizontalAdvance("0.000")
    assert all(table.columnWidth(column) > needed for column in range(table.columnCount()))
    bar = table.horizontalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    assert table.verticalHeader().isVisible()
    assert table.verticalHeaderItem(0).text() == "face"
    assert table.viewport().height() >= table.verticalHeader().length()
    sizes = chart.size(), chart._picture.size()
    assert chart.picture().width() > 2 * table.horizontalHeader().length()  # at twice the scale
    assert (chart.size(), chart._picture.size()) == sizes
    for width in (1200, 400):  # the scroll bar, if any, covers no row
        chart.resize(width, 700)
        qtbot.waitUntil(lambda: table.viewport().height() >= table.verticalHeader().length())
