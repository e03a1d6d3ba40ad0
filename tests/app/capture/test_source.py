import numpy as np
import pytest

from app.capture.source import FrameSource, SourceInfo


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
