"""What holds for every chart: when it draws, what it says, how it is taken along."""

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QMessageBox

from app.qt.charts.bars import BarTable
from app.qt.charts.contributions import ContributionsChart
from app.qt.charts.convergence import ConvergenceChart
from app.qt.charts.histogram import ScoreHistogram
from app.qt.charts.plot import Plot
from app.qt.charts.timeline import ScoreTimeline
from app.qt.charts.weights import WeightsChart
from app.qt.theme.themes import DARK, LIGHT
from app.qt.widgets.layout import scroll_area
from tests.qt.charts.chart_values import VIEWS, calibration, model_summary, scored, session
from tests.qt.driving import apply_theme, wheel_over


def timeline():
    chart = ScoreTimeline()
    for each in session():
        chart.append(each)
    return chart


def weights():
    chart = WeightsChart()
    chart.show_model(model_summary())
    return chart


def contributions():
    chart = ContributionsChart()
    chart.show_scored(scored(3), VIEWS)
    return chart


def convergence():
    chart = ConvergenceChart()
    chart.show_model(model_summary())
    return chart


def histogram():
    chart = ScoreHistogram()
    chart.show_calibration(calibration())
    return chart


def empty(chart):
    if hasattr(chart, "clear"):
        chart.clear()
    elif hasattr(chart, "show_model"):
        chart.show_model(None)
    else:
        chart.show_calibration(None)
    chart.refresh()


FILLED = pytest.mark.parametrize(
    "make",
    [timeline, weights, contributions, convergence, histogram],
    ids=lambda make: make.__name__,
)


def running(chart):
    return [timer for timer in chart.findChildren(QTimer) if timer.isActive()]


class Counting(ScoreTimeline):
    n_drawn = 0

    def _draw(self):
        self.n_drawn += 1
        super()._draw()


def test_that_many_values_between_two_beats_are_drawn_once(qtbot, on_show):
    chart = on_show(Counting())
    qtbot.waitUntil(lambda: not running(chart))
    before = chart.n_drawn
    for i in range(100):
        chart.append(scored(i, score=0.7, time=i / 100))
    qtbot.waitUntil(lambda: not running(chart))
    assert chart.n_drawn == before + 1


def test_that_a_chart_rests_while_hidden_or_minimised_and_then_catches_up(qtbot, on_show):
    chart = Counting()
    chart.append(scored(0, score=0.7))
    assert (chart.n_drawn, running(chart)) == (0, [])
    on_show(chart)
    qtbot.waitUntil(lambda: not running(chart))
    for away, back in ((chart.hide, chart.show), (chart.showMinimized, chart.showNormal)):
        away()
        before = chart.n_drawn
        chart.append(scored(1, score=0.8))
        assert (chart.n_drawn, running(chart)) == (before, [])
        back()
        assert chart.n_drawn == before + 1


@FILLED
def test_that_a_chart_in_a_narrow_column_says_and_exports_what_it_shows(qtbot, on_show, make):
    chart = on_show(make(), width=400)
    assert chart.width() == 400
    assert any(character.isdigit() for character in chart.accessibleDescription())
    rows = list(csv.reader(io.StringIO(chart.to_csv())))
    assert len(rows) > 5
    assert len({len(row) for row in rows}) == 1
    qtbot.waitUntil(lambda: not running(chart))  # idle, it needs no clock
    chart.mark_stale()  # and is deleted so


@FILLED
def test_that_a_chart_without_values_says_so_and_exports_a_header(on_show, make):
    filled = on_show(make())
    empty(filled)
    for chart in (on_show(type(filled)()), filled):
        words = chart.accessibleDescription()
        assert "yet" in words or "Waiting" in words
        assert len(chart.to_csv().splitlines()) == 1
    if make is not timeline:
        shown = [*filled.findChildren(Plot), *filled.findChildren(BarTable)]
        assert not any(one.isVisible() for one in shown)


@FILLED
def test_that_the_picture_lies_on_the_theme_s_ground(on_show, make):
    chart = on_show(make())
    for name, colours in (("dark", DARK), ("light", LIGHT)):
        apply_theme(name)
        image = chart.picture().toImage()
        assert image.pixelColor(2, 2) == QColor(colours.panel)
        assert len({image.pixel(x, y) for x in range(0, 700, 7) for y in range(0, 500, 7)}) > 3


@pytest.mark.parametrize("make", [weights, contributions])
def test_that_a_page_that_scrolls_shows_the_whole_table(qtbot, shown, make):
    chart = make()
    page = shown(scroll_area(chart), 480, 200)
    table = chart.findChild(BarTable)
    assert table.rowCount() > 5
    qtbot.waitUntil(lambda: table.viewport().height() >= table.verticalHeader().length())
    assert page.verticalScrollBar().maximum() > 0


def test_that_menu_and_keyboard_copy(qtbot, on_show):
    chart = on_show(weights())
    chart.copy_image()
    assert not QGuiApplication.clipboard().image().isNull()
    chart.activateWindow()
    qtbot.waitUntil(chart.isActiveWindow)
    table = chart.findChild(BarTable)
    table.setFocus()
    for copy in (
        chart.copy_csv,
        lambda: qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier),
    ):
        QGuiApplication.clipboard().clear()
        copy()
        assert QGuiApplication.clipboard().text().split() == chart.to_csv().split()


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.csv", b"seconds,")])
def test_that_a_chart_is_saved_by_the_ending_of_the_name_or_the_way_out_told(
    on_show, tmp_path, name, start
):
    chart = on_show(timeline())
    chart.save(str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(start)
    chart.save(str(tmp_path / "missing" / name))
    box = chart.findChild(QMessageBox)
    assert "Choose another folder" in box.text()
    box.close()


@pytest.mark.parametrize("make", [timeline, convergence, histogram])
def test_that_wheel_and_drag_leave_the_axes_alone(qtbot, on_show, make):
    chart = on_show(make())
    qtbot.waitUntil(lambda: not running(chart), timeout=2000)
    plot = chart.findChild(Plot)
    before = plot.box.viewRange()
    middle = plot.viewport().rect().center()
    wheel_over(plot.viewport(), 2)
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(plot.viewport(), middle + QPoint(40, 25))
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle + QPoint(40, 25))
    chart.refresh()
    assert plot.box.viewRange() == before


def test_that_values_that_are_not_finite_are_survived(on_show):
    odd = (math.nan, math.inf, -math.inf, 0.5)
    time, why = ScoreTimeline(), ContributionsChart()
    for i, value in enumerate(odd):
        time.append(scored(i, score=value, threshold=value))
    why.set_reference((odd,))
    why.show_scored(scored(0, score=0.5, terms=(odd,)), VIEWS[:4])
    weight, fit, scores = WeightsChart(), ConvergenceChart(), ScoreHistogram()
    for chart in (weight, fit):
        chart.show_model(
            model_summary(
                views=VIEWS[:4], weights=(odd,), gap_history=odd, objective_history=odd, gap=odd[0]
            )
        )
    scores.show_calibration(replace(calibration(with_stress=False), scores=np.array(odd)))
    for chart in (time, why, weight, fit, scores):
        on_show(chart).grab()
