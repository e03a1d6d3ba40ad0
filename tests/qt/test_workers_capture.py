"""Capture on its own thread: opened, replaced, refused, let go."""

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
from tests.qt.driving import Pictures

PATIENCE = 20_000


@pytest.fixture
def studio(qapp):
    """Return a function that starts a capture whose demos are these sources, one by one.

    The controller that it returns has the texts of its notices in ``told``.
    """
    started = []

    def start(*demos):
        waiting = iter(demos)
        control = SourceController(Settings(), lambda: next(waiting))
        control.told = []
        control.notice.connect(lambda notice: control.told.append(notice.text))
        started.append(control)
        control.worker_thread.start()
        return control

    yield start
    assert stop_threads([control.worker_thread for control in started])


def test_that_another_source_takes_the_place_of_the_first_which_is_let_go(studio, qtbot):
    first, second = Pictures(), Pictures()
    control = studio(first, second)
    control.open("demo")
    for mailbox in (control.capture.to_show, control.capture.to_score):
        qtbot.waitUntil(lambda mailbox=mailbox: mailbox.take() is not None, timeout=PATIENCE)
    control.open("demo")
    qtbot.waitUntil(lambda: second.is_open and not first.is_open, timeout=PATIENCE)


def test_that_a_mistake_in_making_a_source_is_told(studio, qtbot, expect_log):
    expect_log("A source could not be made")
    control = studio()  # there is no demo to make
    control.open("demo")
    qtbot.waitUntil(lambda: "The source could not be opened" in "".join(control.told))


def test_that_a_camera_that_may_not_be_used_is_told_and_not_replaced(studio, qtbot, monkeypatch):
    def forbidden(*_):
        raise SourceError(Cause.PERMISSION, "The camera")

    monkeypatch.setattr("app.capture.webcam.find_camera", forbidden)
    control = studio(Pictures())
    control.open("auto")
    qtbot.waitUntil(lambda: "The camera" in "".join(control.told), timeout=PATIENCE)
    assert control.name == ""


def test_that_cameras_are_listed_by_name_or_as_none(studio, qtbot, monkeypatch, expect_log):
    def fail():
        raise OSError("no such device")

    expect_log("Cameras could not be listed")
    control, listed = studio(), []
    control.capture.cameras_listed.connect(listed.append)
    found = [Camera("Webcam", ()), Camera("DroidCam", (), is_virtual=True)]
    choices = [Choice(camera.name, camera.label) for camera in found]
    for answer, expected in ((lambda: found, choices), (fail, [])):
        monkeypatch.setattr("app.capture.webcam.list_cameras", answer)
        control.cameras_requested.emit()
        qtbot.waitUntil(lambda expected=expected: listed[-1:] == [expected], timeout=PATIENCE)


@pytest.mark.parametrize("reader", ["show", "score"])
def test_that_a_slow_reader_is_told_once_and_a_quick_one_of_every_frame(qapp, reader):
    capture, told = CaptureWorker(), []
    signal = capture.frame_ready if reader == "show" else capture.score_ready
    mailbox, give = getattr(capture, f"to_{reader}"), getattr(capture, f"_{reader}")
    signal.connect(lambda: told.append("due"))
    frames = [Frame(np.zeros((4, 4, 3), np.uint8), number) for number in range(240)]
    for frame in frames:
        give(frame)
    assert told == ["due"]
    assert (mailbox.take().number, mailbox.n_dropped) == (239, 239)
    for frame in frames[:5]:
        give(frame)
        assert mailbox.take() is frame
    assert len(told) == 6
