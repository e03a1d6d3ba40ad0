"""What the capture tells a scorer that is slower than the source."""

import numpy as np
import pytest

from app.qt.workers.capture import CaptureWorker
from app.types import Frame


@pytest.fixture
def told(qapp):
    """Return a capture, and what it has told the scorer."""
    capture, calls = CaptureWorker(), []
    capture.score_ready.connect(lambda: calls.append("due"))
    return capture, calls


def frames(n):
    return [Frame(np.zeros((4, 4, 3), np.uint8), number) for number in range(n)]


def test_that_a_slow_scorer_has_one_call_before_it_however_many_frames_come(told):
    capture, calls = told
    for frame in frames(100):
        capture._score(frame)
    assert calls == ["due"]
    assert capture.to_score.take().number == 99


def test_that_the_scorer_is_told_again_once_it_has_taken_a_frame(told):
    capture, calls = told
    for frame in frames(3):
        capture._score(frame)
        capture.to_score.take()
    assert calls == ["due"] * 3


def test_that_every_frame_is_told_to_a_preview_that_keeps_up(told, qtbot):
    capture, _ = told
    shown = []
    capture.frame_ready.connect(lambda: shown.append(capture.to_show.take()))
    for frame in frames(5):
        capture._show(frame)
    assert [frame.number for frame in shown] == [0, 1, 2, 3, 4]


def test_that_a_window_that_is_busy_is_told_once_however_many_frames_come(told):
    capture, _ = told
    n_told = []
    capture.frame_ready.connect(lambda: n_told.append(1))
    for frame in frames(240):
        capture._show(frame)
    assert len(n_told) == 1
    assert capture.to_show.take().number == 239
    assert capture.to_show.n_dropped == 239
