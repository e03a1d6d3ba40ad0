"""Long work on its own thread, one piece after the other: fits, exports, imports, reports."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import way_of
from app.qt.state import Working
from app.qt.workers.worker import sentence_of
from lmkl_core.errors import Cancelled

log = logging.getLogger(__name__)

Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class Job:
    """A piece of work that holds all it needs, and what follows on the main thread."""

    text: str
    """What is being done, for the person."""
    work: Callable[[Cancel], Any]
    """Called with a function that says whether to stop."""
    on_done: Callable[[Any], None]
    on_failed: Callable[[str], None]
    on_cancelled: Callable[[], None] = lambda: None
    can_cancel: bool = False
    """Whether the work asks that function."""
    cancelled: threading.Event = field(default_factory=threading.Event)


class JobWorker(QObject):
    """Does jobs in the order they come; a job that fails does not stop the next one."""

    working = Signal(object)
    """A `Working`; empty when nothing is being done."""
    ended = Signal(object)
    """A function to call on the main thread: how a job goes on."""

    def __init__(self) -> None:
        super().__init__()
        self._stop = threading.Event()
        self._running: Job | None = None

    @Slot(object)
    def run(self, job: Job) -> None:
        """Do a job and tell how it ended."""
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
            log.info("A job failed: %s", way_of(error))  # its text may name a file
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
