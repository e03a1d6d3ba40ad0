"""Jobs run in order on their thread, and a failed one does not stop the next."""

import threading

import pytest
from PySide6.QtCore import QDeadlineTimer, QObject, Signal, Slot

from app.qt.workers.worker import Job, JobWorker, WorkerThread, any_left_behind
from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from tests.qt.driving import PATIENCE, recorded


class Office(QObject):
    """Passes jobs to a worker on its own thread; their callbacks run on the main thread."""

    requested = Signal(object)
    done = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, name="jobs"):
        super().__init__()
        self.worker = JobWorker()
        self.thread = WorkerThread(self.worker, name)
        self.requested.connect(self.worker.run)
        self.worker.ended.connect(self.on_ended)
        self.thread.start()

    @Slot(object)
    def on_ended(self, callback):
        callback()

    def request(self, text, work, **options):
        callbacks = (self.done.emit, self.failed.emit, self.cancelled.emit)
        self.requested.emit(Job(text, work, *callbacks, **options))


@pytest.fixture
def office(qapp):
    office = Office()
    yield office
    office.thread.ask_to_stop()
    assert office.thread.wait(QDeadlineTimer(PATIENCE))


def test_that_a_job_runs_on_another_thread_and_reports_its_beginning_and_end(office, qtbot):
    working = recorded(office.worker.working)
    with qtbot.waitSignal(office.done, timeout=PATIENCE) as done:
        office.request("Fitting", lambda _: threading.get_ident(), can_cancel=True)
    assert done.args != [threading.get_ident()]
    qtbot.waitUntil(lambda: len(working) == 2, timeout=PATIENCE)
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
    with qtbot.waitSignal(office.done, timeout=PATIENCE) as done:
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

    with qtbot.waitSignals([office.cancelled, office.done], timeout=PATIENCE):
        office.request("Fitting", work, can_cancel=True)
        office.request("Making", lambda _: 42)
        assert began.wait(60)
        office.worker.cancel_running()


def test_that_a_thread_that_does_not_end_in_time_is_logged_and_kept(qapp, expect_log):
    expect_log("The thread stubborn did not end in time")
    stubborn, began, released = Office("stubborn"), threading.Event(), threading.Event()
    stubborn.request("Fitting", lambda _: (began.set(), released.wait(60)))
    assert began.wait(60)
    stubborn.thread.ask_to_stop()
    assert not stubborn.thread.wait(QDeadlineTimer(1))
    assert any_left_behind()
    released.set()
    assert stubborn.thread.wait(QDeadlineTimer(PATIENCE))
    assert not any_left_behind()
