"""The score histogram."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QToolTip

from app.qt.charts.histogram import ScoreHistogram
from app.qt.charts.plot import Plot
from tests.qt.charts.chart_values import calibration


@pytest.fixture
def chart(shown):
    return shown(ScoreHistogram())


def show(chart, scores, threshold):
    rate = sum(score < threshold for score in scores) / sum(map(math.isfinite, scores))
    plain = calibration(with_stress=False)
    scored = replace(plain, threshold=threshold, scores=np.array(scores), bpcer=rate)
    chart.show_calibration(scored)


def description(chart):
    chart.refresh()
    return chart.accessibleDescription()


def test_that_left_out_and_stress_scores_are_described_with_n_rate_and_interval(chart):
    chart.show_calibration(calibration(with_stress=False))
    assert description(chart) == (
        "Threshold 0.620. Left-out frames: n = 240, 2 below the threshold "
        "(0.8 %; 95 % interval 0.0 % to 2.8 %)."
    )
    chart.show_calibration(calibration())
    assert "Left-out conditions (stress): n = 240" in description(chart)
    assert len(chart._counts) == 2


def test_that_frames_without_a_score_are_counted_separately(chart):
    show(chart, [0.5, 0.7, math.nan], 0.6)
    assert "n = 2, 1 below the threshold (50.0 %" in description(chart)
    assert "1 without a score" in description(chart)


def test_that_a_distant_threshold_is_in_view_and_the_tool_tip_shows_a_bars_count(chart, qtbot):
    show(chart, [0.5, 0.5, 0.9], 0.2)
    chart.refresh()
    plot = chart.findChild(Plot)
    low, high = plot.box.viewRange()[0]
    assert low < 0.2 < 0.9 < high
    # Half a label fits beside the area.
    assert plot.box.sceneBoundingRect().left() >= plot.text_width("0.0") / 2
    position = plot.mapFromScene(plot.box.mapViewToScene(QPointF(0.495, 1)))
    qtbot.mouseMove(plot.viewport(), position)
    qtbot.waitUntil(lambda: bool(QToolTip.text()))
    assert QToolTip.text().startswith("left-out frames\n0.4")
    assert QToolTip.text().endswith("2 of 3")
    QToolTip.hideText()
