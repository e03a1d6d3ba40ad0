"""Behaviour of all charts: when they draw, what they describe, how they are exported."""

import csv
import io
import math
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

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
from tests.qt.driving import apply_theme, texts_of, wheel_over

KINDS = [ScoreTimeline, WeightsChart, ContributionsChart, ConvergenceChart, ScoreHistogram]
ALL_CHARTS = pytest.mark.parametrize("kind", KINDS)


def filled(kind):
    chart = kind()
    if kind is ScoreTimeline:
        for frame in session():
            chart.append(frame)
    elif kind is ContributionsChart:
        chart.show_scored(scored(3), VIEWS)
    elif kind is ScoreHistogram:
        chart.show_calibration(calibration())
    else:
        chart.show_model(model_summary())
    return chart


def empty(chart):
    if isinstance(chart, ScoreTimeline | ContributionsChart):
        chart.clear()
    elif isinstance(chart, ScoreHistogram):
        chart.show_calibration(None)
    else:
        chart.show_model(None)
    chart.refresh()


def active_timers(chart):
    return [timer for timer in chart.findChildren(QTimer) if timer.isActive()]


class CountingTimeline(ScoreTimeline):
    n_drawn = 0

    def _draw(self):
        self.n_drawn += 1
        super()._draw()


def test_that_many_values_within_an_interval_are_drawn_once(qtbot, shown):
    chart = shown(CountingTimeline())
    qtbot.waitUntil(lambda: not active_timers(chart))
    before = chart.n_drawn
    for i in range(100):
        chart.append(scored(i, score=0.7, time=i / 100))
    qtbot.waitUntil(lambda: not active_timers(chart))
    assert chart.n_drawn == before + 1


def test_that_a_chart_draws_nothing_while_hidden_or_minimised_and_then_catches_up(qtbot, shown):
    chart = CountingTimeline()
    chart.append(scored(0, score=0.7))
    assert (chart.n_drawn, active_timers(chart)) == (0, [])
    shown(chart)
    qtbot.waitUntil(lambda: not active_timers(chart))
    for away, back in ((chart.hide, chart.show), (chart.showMinimized, chart.showNormal)):
        away()
        before = chart.n_drawn
        chart.append(scored(1, score=0.8))
        assert (chart.n_drawn, active_timers(chart)) == (before, [])
        back()
        assert chart.n_drawn == before + 1


def test_that_lines_are_as_thick_on_a_scaled_screen(shown, monkeypatch):
    chart = shown(filled(ScoreTimeline))

    def widths():
        chart.refresh()
        pens = chart._curve.opts["pen"], chart._line.pen, chart._plot.axis("left").pen()
        return [pen.widthF() for pen in pens]

    before = widths()
    chart.picture()  # is drawn at twice the scale
    assert widths() == before
    monkeypatch.setattr(Plot, "devicePixelRatioF", lambda _: 2.0)
    QApplication.sendEvent(chart._plot, QEvent(QEvent.Type.DevicePixelRatioChange))
    assert widths() == [2 * width for width in before]


@ALL_CHARTS
def test_that_a_chart_in_a_narrow_column_describes_and_exports_its_values(qtbot, shown, kind):
    chart = shown(filled(kind), 400, 480)
    assert chart.width() == 400
    assert any(character.isdigit() for character in chart.accessibleDescription())
    texts = texts_of(chart)
    assert chart._statement_text() in texts
    legend = " ".join(texts).replace("&nbsp;", " ")
    assert all(escape(text) in legend for _, _, text in chart._legend_entries())
    rows = list(csv.reader(io.StringIO(chart.to_csv())))
    assert len(rows) > 5
    assert len({len(row) for row in rows}) == 1
    qtbot.waitUntil(lambda: not active_timers(chart))
    chart.mark_stale()  # and is deleted while a timer runs


@ALL_CHARTS
def test_that_a_chart_without_values_says_so_and_exports_a_header(shown, kind):
    emptied = shown(filled(kind))
    empty(emptied)
    for chart in (shown(kind()), emptied):
        description = chart.accessibleDescription()
        assert "yet" in description or "Waiting" in description
        assert len(chart.to_csv().splitlines()) == 1
    if kind is not ScoreTimeline:
        parts = [*chart.findChildren(Plot), *chart.findChildren(BarTable)]
        assert not any(part.isVisible() for part in parts)


@ALL_CHARTS
def test_that_the_picture_has_the_background_of_the_theme(shown, kind):
    chart = shown(filled(kind), 640, 480)
    for name, colours in (("dark", DARK), ("light", LIGHT)):
        apply_theme(name)
        image = chart.picture().toImage()
        assert image.pixelColor(2, 2) == QColor(colours.panel)
        assert len({image.pixel(x, y) for x in range(0, 700, 7) for y in range(0, 500, 7)}) > 3


@pytest.mark.parametrize("kind", [WeightsChart, ContributionsChart])
def test_that_a_scrolling_page_shows_the_whole_table(qtbot, shown, kind):
    chart = filled(kind)
    page = shown(scroll_area(chart), 480, 200)
    table = chart.findChild(BarTable)
    assert table.rowCount() > 5
    qtbot.waitUntil(lambda: table.viewport().height() >= table.verticalHeader().length())
    assert page.verticalScrollBar().maximum() > 0


def test_that_a_chart_is_copied_by_menu_and_keyboard(qtbot, shown):
    chart = shown(filled(WeightsChart))
    chart.copy_image()
    assert not QGuiApplication.clipboard().image().isNull()
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
def test_that_a_chart_is_saved_by_its_suffix_and_a_failure_is_shown(shown, tmp_path, name, start):
    chart = shown(filled(ScoreTimeline))
    chart.save(str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(start)
    chart.save(str(tmp_path / "missing" / name))
    box = chart.findChild(QMessageBox)
    assert name in box.text()
    box.close()


@pytest.mark.parametrize("kind", [ScoreTimeline, ConvergenceChart, ScoreHistogram])
def test_that_wheel_and_drag_leave_the_axes_alone(qtbot, shown, kind):
    chart = shown(filled(kind))
    qtbot.waitUntil(lambda: not active_timers(chart))
    plot = chart.findChild(Plot)
    before = plot.box.viewRange()
    middle = plot.viewport().rect().center()
    wheel_over(plot.viewport(), 2)
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(plot.viewport(), middle + QPoint(40, 25))
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle + QPoint(40, 25))
    chart.refresh()
    assert plot.box.viewRange() == before


def test_that_non_finite_values_can_be_drawn(shown):
    values = (math.nan, math.inf, -math.inf, 0.5)
    time, why, scores = ScoreTimeline(), ContributionsChart(), ScoreHistogram()
    for i, value in enumerate(values):
        time.append(scored(i, score=value, threshold=value))
    why.set_reference((values,))
    why.show_scored(scored(0, score=0.5, terms=(values,)), VIEWS[:4])
    scores.show_calibration(replace(calibration(with_stress=False), scores=np.array(values)))
    histories = {"gap_history": values, "objective_history": values, "gap": math.nan}
    model = model_summary(views=VIEWS[:4], weights=(values,), **histories)
    weight, fit = WeightsChart(), ConvergenceChart()
    for chart in (weight, fit):
        chart.show_model(model)
    for chart in (time, why, weight, fit, scores):
        shown(chart).grab()
