"""The workers: jobs, capture and scoring, with their errors as notices."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import QDeadlineTimer, Signal

from app.capture.capture import LatestFrame
from app.capture.source import Cause, SourceError
from app.capture.webcam import Camera
from app.qt.controllers import Controller
from app.qt.controllers.source import SourceController
from app.qt.state import Choice
from app.qt.workers.capture import CaptureWorker
from app.qt.workers.scoring import ScoringWorker
from app.qt.workers.worker import Job, JobWorker, WorkerThread, any_still_running, stop_threads
from app.settings import Settings
from app.types import Frame
from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from tests.qt.driving import PATIENCE, Pictures, recorded

pytestmark = pytest.mark.usefixtures("qapp")


# ------------------------------------------------------------- jobs


class Office(Controller):
    """A controller with a job worker on its own thread."""

    requested = Signal(object)
    done = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, name="jobs"):
        super().__init__()
        self.worker = JobWorker()
        self.thread = WorkerThread(self.worker, name)
        self.requested.connect(self.worker.run)
        self.worker.ended.connect(self.run_callback)
        self.thread.start()

    def request(self, text, work, **options):
        callbacks = (self.done.emit, self.failed.emit, self.cancelled.emit)
        self.requested.emit(Job(text, work, *callbacks, **options))


@pytest.fixture
def office():
    office = Office()
    yield office
    office.thread.ask_to_stop()
    assert office.thread.wait(QDeadlineTimer(PATIENCE))


def test_that_a_job_runs_on_another_thread_and_reports_its_beginning_and_end(office, qtbot):
    working = recorded(office.worker.working)
    with qtbot.waitSignal(office.done) as done:
        office.request("Fitting", lambda _: threading.get_ident(), can_cancel=True)
    assert done.args != [threading.get_ident()]
    qtbot.waitUntil(lambda: len(working) == 2)
    assert [(w.text, w.can_cancel) for w in working] == [("Fitting", True), ("", True)]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InvalidInputError("Enrol more takes."), "Enrol more takes."),
        (OSError(28, "No space left on device"), "Saving failed (No space left on device)"),
        (MemoryError(), "Saving failed, because memory is full"),
        (KeyError("x"), "Saving failed (KeyError: 'x')"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_that_a_failure_is_one_sentence_and_the_next_job_runs(office, qtbot, error, sentence):
    def fail(_cancel):
        raise error

    failures = recorded(office.failed)
    with qtbot.waitSignal(office.done) as done:
        office.request("Saving", fail)
        office.request("Making", lambda _: 42)
    assert done.args == [42]
    (failure,) = failures
    assert failure.startswith(sentence)


def test_that_the_running_job_can_be_cancelled_and_the_next_one_runs(office, qtbot):
    office.worker.cancel_running()  # there is none
    began = threading.Event()

    def work(cancel):
        began.set()
        while True:
            raise_if_cancelled(cancel)

    with qtbot.waitSignals([office.cancelled, office.done]):
        office.request("Fitting", work, can_cancel=True)
        office.request("Making", lambda _: 42)
        assert began.wait(60)
        office.worker.cancel_running()


def test_that_a_thread_that_does_not_end_in_time_is_logged_and_kept(expect_log):
    expect_log("The thread stubborn did not end in time")
    stubborn, began, released = Office("stubborn"), threading.Event(), threading.Event()
    stubborn.request("Fitting", lambda _: (began.set(), released.wait(60)))
    assert began.wait(60)
    stubborn.thread.ask_to_stop()
    assert not stubborn.thread.wait(QDeadlineTimer(1))
    assert any_still_running()
    released.set()
    assert stubborn.thread.wait(QDeadlineTimer(PATIENCE))
    assert not any_still_running()


# ------------------------------------------------------------- capture


@pytest.fixture
def start():
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
    qtbot.waitUntil(lambda: any(words in notice.text for notice in notices))


def test_that_another_source_replaces_the_first_which_is_released(start, qtbot):
    first, second = Pictures(), Pictures()
    controller = start(first, second)
    controller.open("demo")
    for mailbox in (controller.capture.to_show, controller.capture.to_score):
        qtbot.waitUntil(lambda mailbox=mailbox: mailbox.take() is not None)
    controller.open("demo")
    qtbot.waitUntil(lambda: second.is_open and not first.is_open)


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
        qtbot.waitUntil(lambda expected=expected: listed[-1:] == [expected])


@pytest.mark.parametrize("reader", ["show", "score"])
def test_that_a_slow_reader_gets_one_signal_and_a_quick_one_a_signal_per_frame(reader):
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


# ------------------------------------------------------------- scoring


class Bench:
    """A worker on this thread, and what it has emitted."""

    def __init__(self, observe):
        self.mailbox = LatestFrame()
        self.worker = ScoringWorker(self.mailbox, observe)
        self.observed, self.working = recorded(self.worker.observed), recorded(self.worker.working)
        self.prepared, self.notices = recorded(self.worker.prepared), recorded(self.worker.notice)

    @property
    def errors(self):
        return [notice.text for notice in self.notices if notice.level == "error"]

    def prepare(self, detector="auto"):
        self.worker.prepare("tiny", detector)
        return self

    def offer(self, number):
        self.mailbox.put(Frame(np.full((480, 640, 3), 90, np.uint8), number, number / 30))
        self.worker.on_frame_ready()


def test_that_the_newest_frame_is_scored_from_the_preparation_to_the_stop(qapp):
    bench = Bench(lambda _pipeline, _model, frame: frame.number)
    bench.offer(4)
    assert bench.observed == []
    bench.prepare()
    assert bench.prepared[0]["preset"]["name"] == "tiny"
    assert bench.working[0].text.startswith("Preparing the networks")
    assert bench.working[-1].text == ""
    qapp.processEvents()
    assert bench.observed == [4]
    bench.mailbox.put(Frame(np.zeros((4, 4, 3), np.uint8), 5))
    bench.offer(6)
    bench.worker.on_frame_ready()  # the mailbox is empty
    assert bench.observed == [4, 6]
    bench.worker.ask_to_stop()
    bench.offer(7)
    assert bench.observed == [4, 6]
    bench.worker.finish()
    assert bench.worker._pipeline is None


def test_that_an_error_is_shown_once_per_stream_and_another_one_again(expect_log):
    expect_log("A frame could not be scored")

    def fail(_pipeline, _model, frame):
        raise InvalidInputError("First." if frame.number < 2 else "Second.")

    bench = Bench(fail).prepare()
    for number in range(4):
        bench.offer(number)
    assert bench.errors == ["First.", "Second."]
    bench.worker.begin_stream()
    bench.offer(5)
    assert bench.errors == ["First.", "Second.", "Second."]


def test_that_a_model_is_used_from_the_next_frame_until_the_views_change():
    used = []
    bench = Bench(lambda _pipeline, model, _frame: used.append(model)).prepare()
    bench.offer(0)
    bench.worker.set_model("a model")
    bench.offer(1)
    bench.prepare("mtcnn")  # the same views, another detector
    bench.offer(2)
    bench.worker._features = {"of": "other views"}
    bench.prepare()
    bench.offer(3)
    assert used == [None, "a model", "a model", None]
