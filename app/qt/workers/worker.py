"""Worker threads, and jobs for them."""

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
"""Time for all threads to end when the window is closed."""

_unfinished: list[QThread] = []
"""Threads that did not end in time; destroying one that runs would abort the process."""


class Notifier(QObject):
    """Base class of controllers and workers that show notices."""

    notice = Signal(object)
    """A `Notice`."""
    topic = ""
    """Default topic of its notices."""

    def tell(
        self, text: str, level: str = "info", topic: str = "", actions: tuple[Choice, ...] = ()
    ) -> None:
        """Show a notice; it replaces the last one on its topic."""
        self.notice.emit(Notice(text, level, topic or self.topic, actions))


class WorkerThread:
    """A `QThread` and the worker on it, which must not have a parent.

    If the worker has a slot ``finish``, the thread calls it last. ``name`` appears in debuggers and
    in the log.
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
        """Ask the worker and its event loop to end, without waiting."""
        if hasattr(self.worker, "ask_to_stop"):
            self.worker.ask_to_stop()
        self.thread.quit()

    def wait(self, deadline: QDeadlineTimer) -> bool:
        """Wait for the thread; return whether it ended in time."""
        if self.thread.wait(deadline):
            return True
        log.error("The thread %s did not end in time", self.thread.objectName())
        _unfinished.append(self.thread)
        return False


def stop_threads(threads: Sequence[WorkerThread]) -> bool:
    """Ask all threads to end, wait for them together, and return whether all ended in time."""
    deadline = QDeadlineTimer(STOP_MILLISECONDS)
    for thread in threads:
        thread.ask_to_stop()
    return all([thread.wait(deadline) for thread in threads])


def any_still_running() -> bool:
    """Return whether a thread is still running after it was asked to end."""
    return any(thread.isRunning() for thread in _unfinished)


def sentence_of(error: BaseException, what: str) -> str:
    """Return one sentence about an error: its own message if it is one of this program.

    Otherwise the sentence begins with ``what``.
    """
    if isinstance(error, (InvalidInputError, ModelFileError)):
        return with_command(error)
    if isinstance(error, OSError):
        if error.strerror is None:  # raised by this program, with a sentence
            return str(error)
        return f"{what} ({error.strerror}): check the disk and the folder's permissions."
    if isinstance(error, MemoryError):
        return f"{what}, because memory is full: close other programs."
    return f"{what} ({type(error).__name__}: {error}): try again, or restart the program."


# ---------------------------------------------------------------- jobs

Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class Job:
    """A self-contained task, and callbacks for the main thread."""

    text: str
    """Shown in the status line."""
    work: Callable[[Cancel], Any]
    """Called with a function that returns whether to stop."""
    on_done: Callable[[Any], None]
    on_failed: Callable[[str], None]
    on_cancelled: Callable[[], None] = lambda: None
    can_cancel: bool = False
    """Whether the work calls that function."""
    cancelled: threading.Event = field(default_factory=threading.Event)


class JobWorker(QObject):
    """Runs jobs in order; a failed job does not stop the next one."""

    working = Signal(object)
    """A `Working`; empty while nothing is running."""
    ended = Signal(object)
    """A callback for the main thread."""

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
            log.info("A job failed: %s", trace_of(error))  # its message may name a file
            self.ended.emit(partial(job.on_failed, sentence_of(error, f"{job.text} failed")))
        else:
            self.ended.emit(partial(job.on_done, result))
        finally:
            self._running = None
            self.working.emit(Working())

    def cancel_running(self) -> None:
        """Cancel the running job (called from another thread)."""
        if (job := self._running) is not None:
            job.cancelled.set()

    def ask_to_stop(self) -> None:
        """Stop the running job and start no more (called from another thread)."""
        self._stop.set()
