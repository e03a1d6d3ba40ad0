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
    """A source whose clock cannot be trusted."""

    name = "jumping"

    def __init__(self, times):
        self.times = list(times)

    def open(self):
        return SourceInfo(self.name, 2, 2, 0.0)

    def read(self):
        if not self.times:
            return None
        return self._deliver(np.zeros((2, 2, 3), np.uint8), self.times.pop(0))

    def close(self):
        pass


def test_that_time_never_runs_backwards():
    frames = list(Jumping([0.0, 2.0, 1.0, -5.0, 3.0]))
    assert [frame.time for frame in frames] == [0.0, 2.0, 2.0, 2.0, 3.0]
    assert [frame.number for frame in frames] == [0, 1, 2, 3, 4]


def test_that_every_cause_has_its_own_advice_in_one_sentence():
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


def test_that_a_message_is_printable_whatever_bytes_a_file_name_has():
    error = SourceError(Cause.NOT_FOUND, "The video take\udcff.mp4")
    assert str(error).encode().startswith(b"The video take?.mp4 ")


POSITIONS = {
    "begins anywhere": ((7.0, 7.1, 7.2), (0.0, 0.1, 0.2)),
    "uneven gaps": ((0.0, 0.05, 2.0, 2.01), (0.0, 0.05, 2.0, 2.01)),
    "falls back": ((0.0, 0.1, 0.0, 0.1, 0.1), (0.0, 0.1, 0.2, 0.3, 0.4)),
    "hours away": ((0.0, 1e7, 0.2, 0.3), (0.0, 0.1, 0.2, 0.3)),
    "missing": ((0.0, math.nan, 0.2, math.inf, -math.inf), (0.0, 0.1, 0.2, 0.3, 0.4)),
}


def test_that_container_positions_become_times_from_zero():
    for name, (positions, times) in POSITIONS.items():
        timeline = Timeline(rate=10)
        assert [timeline.place(at) for at in positions] == pytest.approx(times), name
    assert Timeline(rate=0).period == 1 / DEFAULT_RATE


@given(st.lists(st.floats(allow_nan=True, width=32), max_size=40), st.floats(0, 1000))
def test_that_container_time_never_runs_backwards(positions, rate):
    timeline = Timeline(rate)
    times = [timeline.place(position) for position in positions]
    assert np.all(np.diff(times) >= 0)
    assert times[:1] in ([], [pytest.approx(0.0)])
