"""The chart of contributions to a score."""

import pytest
from PySide6.QtWidgets import QComboBox

from app.qt.charts.bars import BarTable
from app.qt.charts.contributions import ContributionsChart
from app.types import Verdict
from tests.qt.charts.chart_values import scored

NAMES = ("face/vgg16.last", "eyes/vgg16.last", "face/resnet50.last")
TERMS = ((0.3, 0.1, 0.05), (0.2, -0.04, 0.1))


@pytest.fixture
def chart(shown):
    return show(shown(ContributionsChart()), NAMES, TERMS)


def show(chart, names, terms):
    score = sum(map(sum, terms))
    chart.show_scored(scored(7, score=score, terms=terms), names)
    chart.refresh()
    return chart


def rows(chart):
    """Return the numbers beside the bars by the names of the row; bars have no heading."""
    table, found = chart.findChild(BarTable), {}
    headings = [table.horizontalHeaderItem(n).text() for n in range(table.columnCount())]
    for row in range(table.rowCount()):
        texts = [table.item(row, column).text() for column in range(table.columnCount())]
        bars = texts.index("")
        assert headings[bars : bars + 2] == ["", "Contribution"]
        names = [table.verticalHeaderItem(row).text(), *texts[:bars]]
        found[" ".join(names)] = texts[bars + 1 :]
    return found


def group_by(chart, number):
    chart.findChild(QComboBox).setCurrentIndex(number)


def test_that_the_sum_is_described_by_region_and_the_axis_includes_negative_terms(chart):
    assert set(rows(chart)) == {"face", "eyes"}
    assert chart.accessibleDescription().startswith("0.710 = 0.650 face + 0.060 eyes (threshold")
    assert chart.findChild(BarTable)._delegate.limits[0] <= -0.04


def test_that_every_grouping_sums_to_the_score(chart):
    for number, expected in enumerate(
        (
            {"face VGG-16 last": 0.5, "eyes VGG-16 last": 0.06, "face ResNet-50 last": 0.15},
            {"face": 0.65, "eyes": 0.06},
            {"VGG-16 last": 0.56, "ResNet-50 last": 0.15},
            {"Cluster 1": 0.45, "Cluster 2": 0.26},
        )
    ):
        group_by(chart, number)
        found = {name: float(value) for name, (value,) in rows(chart).items()}
        assert found == pytest.approx(expected)
        assert sum(found.values()) == pytest.approx(0.71)


def test_that_a_score_stays_until_the_next_one(chart):
    chart.show_scored(scored(8, score=None, verdict=Verdict.NO_FACE, threshold=None), NAMES)
    chart.refresh()
    assert "0.710 =" in chart.accessibleDescription()
    show(chart, NAMES, ((0.1, 0.1, 0.0), (0.0, 0.0, 0.0)))
    assert "0.200 =" in chart.accessibleDescription()


def test_that_usual_values_are_shown_and_less_than_half_of_them_is_marked(chart):
    chart.set_reference(((0.3, 0.2, 0.05), (0.2, 0.1, 0.1)))
    chart.refresh()
    assert rows(chart) == {"face": ["0.650", "0.650"], "eyes": ["▼ 0.060", "0.300"]}


def test_that_displayed_terms_add_up_to_the_displayed_sum(chart):
    show(chart, ("face/net.last", "eyes/net.last", "mouth/net.last"), ((0.1 / 3,) * 3,))
    assert "0.100 = 0.034 face + 0.033 eyes + 0.033 mouth" in chart.accessibleDescription()
    assert rows(chart) == {"face": ["0.034"], "eyes": ["0.033"], "mouth": ["0.033"]}


def test_that_small_groups_are_described_together(chart):
    show(chart, tuple(f"face/net{i}.last" for i in range(8)), ((0.1,) * 8,))
    group_by(chart, 2)
    assert "0.400 from 4 others" in chart.accessibleDescription()
