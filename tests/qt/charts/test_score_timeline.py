"""The timeline of scores."""

import math
from dataclasses import replace

import pytest

from app.qt.charts.plot import Plot
from app.qt.charts.timeline import ScoreTimeline
from app.types import Verdict
from tests.qt.charts.chart_values import scored, session


@pytest.fixture
def chart(shown):
    return shown(ScoreTimeline())


def y_range(chart):
    return chart.findChild(Plot).box.viewRange()[1]


def description(chart):
    chart.refresh()
    return chart.accessibleDescription()


def test_that_the_description_gives_the_last_score_or_what_is_missing(chart):
    assert "No model" in description(chart)
    chart.set_threshold(0.6)
    chart.append(scored(0, score=None, verdict=Verdict.NO_FACE, threshold=None))
    assert "face is needed" in description(chart)
    chart.append(scored(1))
    chart.clear()  # keeps the threshold
    assert "Waiting" in description(chart)
    chart.set_threshold(None)
    assert "No model" in description(chart)
    chart.append(scored(1, score=0.45, verdict=Verdict.ATTACK))
    assert description(chart).startswith("Score 0.450, threshold 0.620: attack.")
    chart.append(scored(2, score=None, verdict=Verdict.POOR_QUALITY, threshold=None))
    assert "No score now: poor quality" in description(chart)


def test_that_the_axis_stays_while_scores_change_slightly(chart):
    for i in range(200):
        if i == 100:
            chart.refresh()
            before = y_range(chart)
        chart.append(scored(i, score=0.7 + (0.1 if i < 100 else 0.09) * math.sin(i)))
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


def test_that_unscored_frames_leave_a_gap_with_marks_at_the_bottom(chart):
    for frame in session():
        chart.append(frame)
    chart.refresh()
    gaps = [y for x, y in zip(*chart._curve.getData(), strict=True) if -13.9 < x < -12.1]
    assert gaps
    assert all(math.isnan(y) for y in gaps)
    low, high = y_range(chart)
    bottom = low + 0.05 * (high - low)
    symbols = {spot.symbol() for spot in chart._marks.points() if spot.pos().y() < bottom}
    assert symbols == {"x", "s"}


def test_that_a_single_attack_among_many_genuine_frames_is_marked(chart):
    for i in range(600):
        verdict = Verdict.ATTACK if i == 301 else Verdict.GENUINE
        chart.append(scored(i, score=0.7, verdict=verdict, time=i / 30))
    chart.refresh()
    symbols = [spot.symbol() for spot in chart._marks.points()]
    assert symbols.count("t") == 1
    assert len(symbols) < 120


@pytest.mark.parametrize(
    ("times", "new_face_at"), [((0.0, 0.4, 0.8, 1.4, 1.8), None), ((0.0, 0.1, 0.2), 1)]
)
def test_that_no_line_joins_two_faces_or_scores_over_half_a_second_apart(chart, times, new_face_at):
    for number, time in enumerate(times):
        frame = scored(number, time=time)
        result = replace(frame.result, face_changed=number == new_face_at)
        chart.append(replace(frame, result=result))
    chart.refresh()
    assert sum(map(math.isnan, chart._curve.getData()[1][1:])) == 1


def test_that_a_distant_threshold_is_in_view_with_room_for_its_label_at_any_width(shown, qtbot):
    chart = shown(ScoreTimeline(), 640, 150)  # its height in the window
    for i in range(60):
        chart.append(scored(i, score=0.9 + 0.001 * (i % 5), threshold=0.1))
    chart.refresh()
    low, high = y_range(chart)
    assert low < 0.1 < 0.9 < high
    plot = chart.findChild(Plot)
    assert (0.1 - low) / (high - low) * plot.box.height() >= chart.fontMetrics().height()

    def label_room():
        left, right = plot.box.viewRange()[0]
        return right / (right - left) * plot.box.width()

    for width in (300, 1200):
        chart.resize(width, 150)
        qtbot.waitUntil(lambda: plot.text_width("accepted") <= label_room() < 100)
