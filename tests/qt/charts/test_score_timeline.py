"""Scores over time."""

import math
from dataclasses import replace

import pytest

from app.qt.charts.plot import Plot
from app.qt.charts.timeline import ScoreTimeline
from app.types import Verdict
from tests.qt.charts.chart_values import scored, session


def y_range(chart):
    return chart.findChild(Plot).box.viewRange()[1]


def said(chart):
    chart.refresh()
    return chart._statement.text()


@pytest.fixture
def chart(on_show):
    return on_show(ScoreTimeline())


def test_that_without_scores_it_says_when_they_appear(chart):
    assert said(chart) == "No model yet: scores appear here after the first fit"
    chart.set_threshold(0.6)
    chart.append(scored(0, score=None, verdict=Verdict.NO_FACE, threshold=None))
    assert "face is needed" in said(chart)
    chart.append(scored(1))
    chart.clear()  # forgets frames, and not the threshold
    assert said(chart) == "Waiting for the first scored frame"
    chart.set_threshold(None)
    assert "No model yet" in said(chart)


def test_that_the_axis_stays_while_scores_move_a_little(chart):
    for i in range(100):
        chart.append(scored(i, score=0.7 + 0.1 * math.sin(i)))
    chart.refresh()
    before = y_range(chart)
    for i in range(100, 200):
        chart.append(scored(i, score=0.7 + 0.09 * math.sin(i)))
        chart.refresh()
    assert y_range(chart) == before


def test_that_frames_older_than_the_window_or_of_another_source_are_forgotten(chart):
    for i in range(400):
        chart.append(scored(i, score=0.7, time=i / 10))
    rows = chart.to_csv().splitlines()[1:]
    assert len(rows) == 201
    assert rows[0].startswith("19.900,")
    chart.append(scored(401, score=0.8, time=0.0))
    assert len(chart.to_csv().splitlines()) == 2


def test_that_the_last_frame_is_told_with_its_score_or_the_reason_for_none(chart):
    chart.append(scored(1, score=0.45, verdict=Verdict.ATTACK))
    chart.refresh()
    assert chart.accessibleDescription().startswith("Score 0.450, threshold 0.620: attack.")
    chart.append(scored(2, score=None, verdict=Verdict.POOR_QUALITY, threshold=None))
    chart.refresh()
    assert "No score now: poor quality" in chart.accessibleDescription()


def test_that_unscored_frames_leave_a_gap_with_marks_at_the_bottom(chart):
    for each in session():
        chart.append(each)
    chart.refresh()
    gaps = [y for x, y in zip(*chart._curve.getData(), strict=True) if -13.9 < x < -12.1]
    assert gaps
    assert all(math.isnan(y) for y in gaps)
    marks = [(spot.symbol(), spot.pos().y()) for spot in chart._marks.points()]
    low, high = y_range(chart)
    at_bottom = {symbol for symbol, y in marks if y < low + 0.05 * (high - low)}
    assert at_bottom == {"x", "s"}


def test_that_a_single_attack_among_many_genuine_frames_has_its_mark(chart):
    for i in range(600):
        verdict = Verdict.ATTACK if i == 301 else Verdict.GENUINE
        chart.append(scored(i, score=0.7, verdict=verdict, time=i / 30))
    chart.refresh()
    shapes = [spot.symbol() for spot in chart._marks.points()]
    assert shapes.count("t") == 1
    assert len(shapes) < 120


@pytest.mark.parametrize(
    ("times", "other_face"), [((0.0, 0.4, 0.8, 1.4, 1.8), None), ((0.0, 0.1, 0.2), 1)]
)
def test_that_scores_over_half_a_second_apart_or_of_two_faces_are_not_joined(
    chart, times, other_face
):
    for number, time in enumerate(times):
        one = scored(number, time=time)
        changed = replace(one.result, face_changed=number == other_face)
        chart.append(replace(one, result=changed))
    chart.refresh()
    assert sum(map(math.isnan, chart._curve.getData()[1][1:])) == 1


def test_that_a_threshold_far_from_the_scores_is_in_view_with_room_for_words_below(on_show):
    chart = on_show(ScoreTimeline(), 640, 150)  # as high as in the window
    for i in range(60):
        chart.append(scored(i, score=0.9 + 0.001 * (i % 5), threshold=0.1))
    chart.refresh()
    low, high = y_range(chart)
    assert low < 0.1 < 0.9 < high
    below = (0.1 - low) / (high - low) * chart.findChild(Plot).box.height()
    assert below >= chart.fontMetrics().height()
