import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capture.source import DEFAULT_RATE, Pacer, SystemClock, Timeline
from tests.app.capture.material import FakeClock


def test_that_a_timeline_begins_at_zero_wherever_the_container_begins():
    timeline = Timeline(rate=10)
    assert [timeline.place(position) for position in (7.0, 7.1, 7.2)] == pytest.approx(
        [0.0, 0.1, 0.2]
    )


def test_that_uneven_gaps_are_kept():
    timeline = Timeline(rate=10)
    assert [timeline.place(at) for at in (0.0, 0.05, 2.0, 2.01)] == pytest.approx(
        [0.0, 0.05, 2.0, 2.01]
    )


def test_that_a_position_that_falls_back_goes_on_by_one_frame():
    timeline = Timeline(rate=10)
    assert [timeline.place(at) for at in (0.0, 0.1, 0.0, 0.1, 0.1)] == pytest.approx(
        [0.0, 0.1, 0.2, 0.3, 0.4]
    )


def test_that_a_wild_position_does_not_stop_time_for_hours():
    timeline = Timeline(rate=10)
    assert [timeline.place(at) for at in (0.0, 1e7, 0.2, 0.3)] == pytest.approx(
        [0.0, 0.1, 0.2, 0.3]
    )


@pytest.mark.parametrize("position", [math.nan, math.inf, -math.inf])
def test_that_a_missing_position_goes_on_by_one_frame(position):
    timeline = Timeline(rate=10)
    assert [timeline.place(at) for at in (0.0, position, 0.2)] == pytest.approx([0.0, 0.1, 0.2])


def test_that_an_unknown_rate_counts_as_the_usual_one():
    assert Timeline(rate=0).period == 1 / DEFAULT_RATE


@given(st.lists(st.floats(allow_nan=True, width=32), max_size=40), st.floats(0, 1000))
def test_that_time_runs_forwards_whatever_the_container_says(positions, rate):
    timeline = Timeline(rate)
    times = [timeline.place(position) for position in positions]
    assert np.all(np.diff(times) >= 0)
    assert times[:1] in ([], [pytest.approx(0.0)])


def test_that_the_first_frame_is_due_at_once_wherever_its_time_lies():
    clock = FakeClock()
    Pacer(clock).wait_for(50.0, threading.Event())
    assert clock.waits == []


def test_that_the_system_clock_returns_as_soon_as_it_is_interrupted():
    interrupted = threading.Event()
    interrupted.set()
    clock = SystemClock()
    before = clock.now()
    clock.wait(interrupted, 3600)
    assert clock.now() >= before
