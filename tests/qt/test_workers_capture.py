"""Capture on its own thread: opened, replaced, refused, let go."""

import numpy as np
import pytest
from PySide6.QtCore import QDeadlineTimer, QObject, Signal

from app.capture.source import Cause, SourceError
from app.capture.webcam import Camera
from app.qt.state import Choice
from app.qt.workers.capture import CaptureWorker
from app.qt.workers.worker import WorkerThread
from app.types import Frame
from tests.qt.driving import Pictures

PATIENCE = 20_000


class Boss(QObject):
    """Asks for sources through signals, and is told of them, on the main thread."""

    wanted = Signal(str, int, int)
    cameras = Signal()
    frame_ready = Signal()
    source_opened = Signal(object, bool)
    failed = Signal(str)
    cameras_listed = Signal(object)

    def __init__(self, worker):
        super().__init__()
        self.wanted.connect(worker.open)
        self.cameras.connect(worker.list_cameras)
        for name in ("frame_ready", "source_opened", "failed", "cameras_listed"):
            getattr(worker, name).connect(getattr(self, name))


@pytest.fixture
def studio(qapp):
    """Return a function that starts a capture whose demos are these sources, one by one."""
    started = []

    def start(*demos):
        waiting = iter(demos)
        worker = CaptureWorker(lambda: next(waiting))
        thread = WorkerThread(worker, "capture")
        boss = Boss(worker)
        started.append((thread, boss))
        started[-1][0].start()
        return boss, worker

    yield start
    for thread, _ in started:
        thread.ask_to_stop()
        assert thread.wait(QDeadlineTimer(PATIENCE))


def test_that_another_source_takes_the_place_of_the_first_which_is_let_go(studio, qtbot):
    first, second = Pictures(), Pictures()
    boss, worker = studio(first, second)
    with qtbot.waitSignals([boss.source_opened, boss.frame_ready], timeout=PATIENCE):
        boss.wanted.emit("demo", 640, 480)
    for mailbox in (worker.to_show, worker.to_score):
        qtbot.waitUntil(lambda mailbox=mailbox: mailbox.take() is not None, timeout=PATIENCE)
    with qtbot.waitSignal(boss.source_opened, timeout=PATIENCE) as told:
        boss.wanted.emit("demo", 640, 480)
    assert told.args == [second, False]
    qtbot.waitUntil(lambda: second.is_open and not first.is_open, timeout=PATIENCE)


def test_that_a_mistake_in_making_a_source_is_told(studio, qtbot, expect_log):
    expect_log("A source could not be made")
    boss, _ = studio()  # there is no demo to make
    with qtbot.waitSignal(boss.failed, timeout=PATIENCE) as told:
        boss.wanted.emit("demo", 640, 480)
    assert told.args[0].startswith("The source could not be opened")


def test_that_a_camera_that_may_not_be_used_is_told_and_not_replaced(studio, qtbot, monkeypatch):
    def forbidden(*_):
        raise SourceError(Cause.PERMISSION, "The camera")

    monkeypatch.setattr("app.capture.webcam.find_camera", forbidden)
    boss, _ = studio(Pictures())
    with (
        qtbot.waitSignal(boss.failed, timeout=PATIENCE) as told,
        qtbot.assertNotEmitted(boss.source_opened),
    ):
        boss.wanted.emit("auto", 640, 480)
    assert "The camera" in told.args[0]


def test_that_cameras_are_listed_by_name_or_as_none(studio, qtbot, monkeypatch, expect_log):
    def fail():
        raise OSError("no such device")

    expect_log("Cameras could not be listed")
    boss, _ = studio()
    found = [Camera("Webcam", ()), Camera("DroidCam", (), is_virtual=True)]
    program = Choice("DroidCam", "DroidCam (virtual camera)")
    for listed, expected in ((lambda: found, [Choice("Webcam", "Webcam"), program]), (fail, [])):
        monkeypatch.setattr("app.capture.webcam.list_cameras", listed)
        with qtbot.waitSignal(boss.cameras_listed, timeout=PATIENCE) as told:
            boss.cameras.emit()
        assert told.args == [expected]


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
