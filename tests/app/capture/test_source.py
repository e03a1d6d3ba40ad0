import re

import numpy as np
import pytest

from app.capture.source import Cause, FrameSource, SourceError, SourceInfo, advice


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
