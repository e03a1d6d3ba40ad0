"""Sources on the capture thread: opened, replaced, refused, released."""

import numpy as np
import pytest

from app.capture.source import Cause, SourceError
from app.capture.webcam import Camera
from app.qt.controllers.source import SourceController
from app.qt.state import Choice
from app.qt.workers.capture import CaptureWorker
from app.qt.workers.worker import stop_threads
from app.settings import Settings
from app.types import Frame
from tests.qt.driving import PATIENCE, Pictures, recorded


@pytest.fixture
def start(qapp):
    """Return a function that starts a source controller whose demos are these sources."""
    started = []

    def start(*demos):
        remaining = iter(demos)
        started.append(SourceController(Settings(), lambda: next(remaining)))
        started[-1].worker_thread.start()
        return started[-1]

    yield start
    assert stop_threads([controller.worker_thread for controller in started])


def open_until_notice(qtbot, controller, source, words):
    """Open a source and wait for a notice with these words."""
    notices = recorded(controller.notice)
    controller.open(source)
    qtbot.waitUntil(lambda: any(words in notice.text for notice in notices), timeout=PATIENCE)


def test_that_another_source_replaces_the_first_which_is_released(start, qtbot):
    first, second = Pictures(), Pictures()
    controller = start(first, second)
    controller.open("demo")
    for mailbox in (controller.capture.to_show, controller.capture.to_score):
        qtbot.waitUntil(lambda mailbox=mailbox: mailbox.take() is not None, timeout=PATIENCE)
    controller.open("demo")
    qtbot.waitUntil(lambda: second.is_open and not first.is_open, timeout=PATIENCE)


def test_that_an_unexpected_error_of_a_source_is_reported(start, qtbot, expect_log):
    expect_log("A source could not be made")
    open_until_notice(qtbot, start(), "demo", "could not be opened")  # there is no demo


def test_that_a_camera_without_permission_is_reported_and_not_replaced(start, qtbot, monkeypatch):
    def forbidden(*_):
        raise SourceError(Cause.PERMISSION, "The camera")

    monkeypatch.setattr("app.capture.webcam.find_camera", forbidden)
    controller = start(Pictures())
    open_until_notice(qtbot, controller, "auto", "The camera")
    assert controller.name == ""


def test_that_cameras_are_listed_by_name_and_none_after_an_error(
    start, qtbot, monkeypatch, expect_log
):
    def fail():
        raise OSError("no such device")

    expect_log("Cameras could not be listed")
    controller = start()
    listed = recorded(controller.capture.cameras_listed)
    found = [Camera("Webcam", ()), Camera("DroidCam", (), is_virtual=True)]
    choices = [Choice(camera.name, camera.label) for camera in found]
    for answer, expected in ((lambda: found, choices), (fail, [])):
        monkeypatch.setattr("app.capture.webcam.list_cameras", answer)
        controller.cameras_requested.emit()
        qtbot.waitUntil(lambda expected=expected: listed[-1:] == [expected], timeout=PATIENCE)


@pytest.mark.parametrize("reader", ["show", "score"])
def test_that_a_slow_reader_gets_one_signal_and_a_quick_one_a_signal_per_frame(qapp, reader):
    capture = CaptureWorker()
    signals = recorded(capture.frame_ready if reader == "show" else capture.score_ready)
    mailbox, deliver = getattr(capture, f"to_{reader}"), getattr(capture, f"_{reader}")
    frames = [Frame(np.zeros((4, 4, 3), np.uint8), number) for number in range(240)]
    for frame in frames:
        deliver(frame)
    assert len(signals) == 1
    assert (mailbox.take().number, mailbox.n_dropped) == (239, 239)
    for frame in frames[:5]:
        deliver(frame)
        assert mailbox.take() is frame
    assert len(signals) == 6
