"""Worker threads: start, stop and wait for them; jobs and their errors."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal, Slot

from app.logs import trace_of
from app.names import with_command
from app.qt.state import Choice, Notice, Working
from lmkl_core.errors import Cancelled, InvalidInputError, ModelFileError

log = logging.getLogger(__name__)

STOP_MILLISECONDS = 2000
"""In which all threads have to end when the window is closed."""

_left_behind: list[QThread] = []
"""Threads that did not end in time: kept, because destroying a running one aborts the process."""


class Notifier(QObject):
    """Base of controllers and workers: notices for the person."""

    notice = Signal(object)
    """A `Notice`."""
    topic = ""
    """Of its notices, unless they name another one."""

    def tell(
        self, text: str, level: str = "info", topic: str = "", actions: tuple[Choice, ...] = ()
    ) -> None:
        """Show a notice in place of the last one of its topic."""
        self.notice.emit(Notice(text, level, topic or self.topic, actions))


class WorkerThread:
    """A `QThread` and the parentless worker that lives on it.

    A slot ``finish`` of the worker, if it has one, is called on its thread last of all. ``name`` is
    shown by debuggers and in the log.
    """

    def __init__(self, worker: QObject, name: str) -> None:
        self.worker = worker
        self.thread = QThread()
        self.thread.setObjectName(name)
        worker.moveToThread(self.thread)
        finish = getattr(worker, "finish", None)
        if finish is not None:
            self.thread.finished.connect(finish)

    def start(self) -> None:
        self.thread.start()

    def ask_to_stop(self) -> None:
        """Ask the worker and its event loop to end, and return at once."""
        if hasattr(self.worker, "ask_to_stop"):
            self.worker.ask_to_stop()
        self.thread.quit()

    def wait(self, deadline: QDeadlineTimer) -> bool:
        """Wait for the end; return whether it came in time."""
        if self.thread.wait(deadline):
            return True
        log.error("The thread %s did not end in time", self.thread.objectName())
        _left_behind.append(self.thread)
        return False


def stop_threads(threads: Sequence[WorkerThread]) -> bool:
    """Ask all threads to end, wait for them together, and return whether all ended in time."""
    deadline = QDeadlineTimer(STOP_MILLISECONDS)
    for thread in threads:
        thread.ask_to_stop()
    return all([thread.wait(deadline) for thread in threads])


def any_left_behind() -> bool:
    """Whether some thread still runs though it was asked to end."""
    return any(thread.isRunning() for thread in _left_behind)


def sentence_of(error: BaseException, what: str) -> str:
    """Return why work failed: the error's own sentence if it is one of ours.

    Otherwise one that begins with ``what``.
    """
    if isinstance(error, (InvalidInputError, ModelFileError)):
        return with_command(error)
    if isinstance(error, OSError):
        if error.strerror is None:  # not the system's, so a sentence of ours
            return str(error)
        return f"{what} ({error.strerror}): check the disk and the folder's permissions."
    if isinstance(error, MemoryError):
        return f"{what}, because memory is full: close other programs."
    return f"{what} ({type(error).__name__}: {error}): try again, or start the program again."


# ---------------------------------------------------------------- jobs: fits, exports, reports

Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class Job:
    """Work that holds all it needs, and callbacks for the main thread."""

    text: str
    """Shown to the person."""
    work: Callable[[Cancel], Any]
    """Called with a function that says whether to stop."""
    on_done: Callable[[Any], None]
    on_failed: Callable[[str], None]
    on_cancelled: Callable[[], None] = lambda: None
    can_cancel: bool = False
    """Whether the work asks that function."""
    cancelled: threading.Event = field(default_factory=threading.Event)


class JobWorker(QObject):
    """Run jobs in order; a failed job does not stop the next one."""

    working = Signal(object)
    """A `Working`; empty when nothing is being done."""
    ended = Signal(object)
    """A callback to call on the main thread."""

    def __init__(self) -> None:
        super().__init__()
        self._stop = threading.Event()
        self._running: Job | None = None

    @Slot(object)
    def run(self, job: Job) -> None:
        """Run a job and emit how it ended."""
        if self._stop.is_set() or job.cancelled.is_set():
            self.ended.emit(job.on_cancelled)
            return
        self._running = job
        self.working.emit(Working(job.text, can_cancel=job.can_cancel))
        try:
            result = job.work(lambda: self._stop.is_set() or job.cancelled.is_set())
        except Cancelled:
            self.ended.emit(job.on_cancelled)
        except Exception as error:
            log.info("A job failed: %s", trace_of(error))  # its text may name a file
            self.ended.emit(partial(job.on_failed, sentence_of(error, f"{job.text} failed")))
        else:
            self.ended.emit(partial(job.on_done, result))
        finally:
            self._running = None
            self.working.emit(Working())

    def cancel_running(self) -> None:
        """Ask the job that runs to stop (called from another thread)."""
        if (job := self._running) is not None:
            job.cancelled.set()

    def ask_to_stop(self) -> None:
        """Stop the job that runs and do no more (called from another thread)."""
        self._stop.set()
