import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capture.source import (
    DEFAULT_RATE,
    Cause,
    FrameSource,
    SourceError,
    SourceInfo,
    Timeline,
    advice,
)


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


def test_that_every_cause_has_one_sentence_of_its_own_with_a_way_out():
    for platform in ("linux", "darwin", "win32", "freebsd14"):
        sentences = [
            advice(cause, "The camera X", limit="9 pixels", platform=platform) for cause in Cause
        ]
        assert len(set(sentences)) == len(Cause)
        for sentence in sentences:
            assert re.fullmatch(r"The camera X [^{:]*: [^{]*\.", sentence)
    switches = {"linux": "usermod -aG", "darwin": "System Settings", "win32": "desktop apps"}
    for platform, place in switches.items():
        assert place in advice(Cause.PERMISSION, "The camera X", platform=platform)


def test_that_a_sentence_can_be_printed_whatever_bytes_a_name_holds():
    error = SourceError(Cause.NOT_FOUND, "The video take\udcff.mp4")
    assert str(error).encode().startswith(b"The video take?.mp4 does not exist")


POSITIONS = {
    "begins anywhere": ((7.0, 7.1, 7.2), (0.0, 0.1, 0.2)),
    "uneven gaps": ((0.0, 0.05, 2.0, 2.01), (0.0, 0.05, 2.0, 2.01)),
    "falls back": ((0.0, 0.1, 0.0, 0.1, 0.1), (0.0, 0.1, 0.2, 0.3, 0.4)),
    "hours away": ((0.0, 1e7, 0.2, 0.3), (0.0, 0.1, 0.2, 0.3)),
    "missing": ((0.0, math.nan, 0.2, math.inf, -math.inf), (0.0, 0.1, 0.2, 0.3, 0.4)),
}


def test_that_positions_of_a_container_become_a_time_from_zero_on():
    for name, (positions, times) in POSITIONS.items():
        timeline = Timeline(rate=10)
        assert [timeline.place(at) for at in positions] == pytest.approx(times), name
    assert Timeline(rate=0).period == 1 / DEFAULT_RATE


@given(st.lists(st.floats(allow_nan=True, width=32), max_size=40), st.floats(0, 1000))
def test_that_time_runs_forwards_whatever_the_container_says(positions, rate):
    timeline = Timeline(rate)
    times = [timeline.place(position) for position in positions]
    assert np.all(np.diff(times) >= 0)
    assert times[:1] in ([], [pytest.approx(0.0)])
