import math
import re
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capture.source import (
    DEFAULT_RATE,
    Cause,
    Clock,
    FrameSource,
    Pacer,
    SourceError,
    SourceInfo,
    Timeline,
    advice,
)
from tests.app.capture.material import FakeClock


class Jumping(FrameSource):
    """A source whose device has a clock that cannot be trusted."""

    name = "jumping"

    def __init__(self, times):
        self.times = list(times)
        self.n_opened = self.n_closed = 0

    def open(self):
        self.n_opened += 1
        return SourceInfo(self.name, 2, 2, 0.0)

    def read(self):
        if not self.times:
            return None
        return self._deliver(np.zeros((2, 2, 3), np.uint8), self.times.pop(0))

    def close(self):
        self.n_closed += 1


def test_that_time_never_runs_backwards_whatever_a_source_says():
    frames = list(Jumping([0.0, 2.0, 1.0, -5.0, 3.0]))
    assert [frame.time for frame in frames] == [0.0, 2.0, 2.0, 2.0, 3.0]
    assert [frame.number for frame in frames] == [0, 1, 2, 3, 4]


def test_that_a_source_is_open_within_its_block_and_closed_behind_it():
    source = Jumping([0.0])
    with source:
        assert (source.n_opened, source.n_closed) == (1, 0)
    assert source.n_closed == 1


def test_that_a_source_is_closed_when_its_block_fails():
    source = Jumping([0.0])
    with pytest.raises(ZeroDivisionError), source:
        1 / 0  # noqa: B018
    assert source.n_closed == 1


def test_that_two_sources_count_each_for_itself():
    first, second = Jumping([0.0, 1.0]), Jumping([5.0])
    assert [frame.number for frame in [*first, *second]] == [0, 1, 0]


def test_that_a_source_is_spoken_of_by_its_name():
    assert Jumping([]).subject == "The source jumping"


# ------------------------------------------------------------- causes


def test_that_every_cause_has_one_sentence_of_its_own_with_a_way_out():
    for platform in ("linux", "darwin", "win32", "freebsd14"):
        sentences = [
            advice(cause, "The camera X", limit="9 pixels", platform=platform) for cause in Cause
        ]
        assert len(set(sentences)) == len(Cause)
        for sentence in sentences:
            assert re.fullmatch(r"The camera X [^{:]*: [^{]*\.", sentence)


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("linux", "sudo usermod -aG video"),
        ("darwin", "System Settings"),
        ("win32", "Let desktop apps access your camera"),
    ],
)
def test_that_permission_is_given_where_the_system_has_its_switch(platform, place):
    assert place in advice(Cause.PERMISSION, "The camera X", platform=platform)


def test_that_an_error_carries_its_cause_and_sentence():
    error = SourceError(Cause.BUSY, "The camera X")
    assert error.cause is Cause.BUSY
    assert str(error) == advice(Cause.BUSY, "The camera X")
    assert str(SourceError(Cause.BUSY, message="Own words.")) == "Own words."


def test_that_a_sentence_can_be_printed_whatever_bytes_a_name_holds():
    error = SourceError(Cause.NOT_FOUND, "The video take\udcff.mp4")
    assert str(error).encode().startswith(b"The video take?.mp4 does not exist")


# ------------------------------------------------------------- time


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
    clock = Clock()
    before = clock.now()
    clock.wait(interrupted, 3600)
    assert clock.now() >= before
