"""Long work: one piece after the other, and none that fails stops the next."""

import threading

import pytest
from PySide6.QtCore import QDeadlineTimer, QObject, Signal, Slot

from app.qt.workers.worker import Job, JobWorker, WorkerThread, any_left_behind
from lmkl_core.errors import InvalidInputError, raise_if_cancelled

PATIENCE = 20_000


class Office(QObject):
    """Gives jobs to a worker on a thread of its own; what follows is done on the main thread."""

    asked = Signal(object)
    done = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, name="jobs"):
        super().__init__()
        self.worker = JobWorker()
        self.thread = WorkerThread(self.worker, name)
        self.asked.connect(self.worker.run)
        self.worker.ended.connect(self.on_ended)
        self.thread.start()

    @Slot(object)
    def on_ended(self, go_on):
        go_on()

    def ask(self, text, work, **options):
        ways = (self.done.emit, self.failed.emit, self.cancelled.emit)
        self.asked.emit(Job(text, work, *ways, **options))


@pytest.fixture
def office(qapp):
    office = Office()
    yield office
    office.thread.ask_to_stop()
    assert office.thread.wait(QDeadlineTimer(PATIENCE))


def test_that_work_is_done_on_another_thread_and_told_from_beginning_to_end(office, qtbot):
    told = []
    office.worker.working.connect(lambda working: told.append((working.text, working.can_cancel)))
    with qtbot.waitSignal(office.done, timeout=PATIENCE) as done:
        office.ask("Fitting", lambda _: threading.get_ident(), can_cancel=True)
    assert done.args != [threading.get_ident()]
    qtbot.waitUntil(lambda: len(told) == 2, timeout=PATIENCE)
    assert told[0] == ("Fitting", True)
    assert told[1][0] == ""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InvalidInputError("Enrol more takes."), "Enrol more takes."),
        (OSError(28, "No space left on device"), "Saving failed (No space left on device): check"),
        (MemoryError(), "Saving failed, because memory is full: close other programs."),
        (KeyError("x"), "Saving failed (KeyError: 'x'): try again"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_that_a_failure_is_one_sentence_and_the_next_job_is_done(office, qtbot, error, sentence):

    def fail(_cancel):
        raise error

    failed = []
    office.failed.connect(failed.append)
    with qtbot.waitSignal(office.done, timeout=PATIENCE) as done:
        office.ask("Saving", fail)
        office.ask("Making", lambda _: 42)
    assert done.args == [42]
    (told,) = failed
    assert told.startswith(sentence)


def test_that_the_running_job_can_be_cancelled_and_the_next_one_is_done(office, qtbot):
    office.worker.cancel_running()  # nothing yet
    began = threading.Event()

    def work(cancel):
        began.set()
        while True:
            raise_if_cancelled(cancel)

    with qtbot.waitSignals([office.cancelled, office.done], timeout=PATIENCE):
        office.ask("Fitting", work, can_cancel=True)
        office.ask("Making", lambda _: 42)
        assert began.wait(20)
        office.worker.cancel_running()


def test_that_a_thread_that_does_not_end_in_time_is_told_and_kept(qapp, expect_log):
    expect_log("The thread stubborn did not end in time")
    stubborn, began, let_go = Office("stubborn"), threading.Event(), threading.Event()
    stubborn.ask("Fitting", lambda _: (began.set(), let_go.wait(60)))
    assert began.wait(20)
    stubborn.thread.ask_to_stop()
    assert not stubborn.thread.wait(QDeadlineTimer(1))
    assert any_left_behind()
    let_go.set()
    assert stubborn.thread.wait(QDeadlineTimer(PATIENCE))
    assert not any_left_behind()
