"""Long work on its own thread, one piece after the other: fits, exports, imports, reports."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import way_of
from app.qt.state import Working
from app.qt.workers.sentences import sentence_of
from lmkl_core.errors import Cancelled

log = logging.getLogger(__name__)

Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class Job:
    """A piece of work that holds all it needs and changes nothing of it.

    Attributes
    ----------
    kind : str
        What the result is told apart by.
    text : str
        What is being done, for the person.
    work : callable
        Called with a function that says whether to stop; returns the result.
    can_cancel : bool
        Whether the work asks that function.
    """

    kind: str
    text: str
    work: Callable[[Cancel], Any]
    can_cancel: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)


class JobWorker(QObject):
    """Does jobs in the order they come; a job that fails does not stop the next one."""

    working = Signal(object)
    """A `Working`; empty when nothing is being done."""
    done = Signal(str, object)
    """A job's kind and its result."""
    failed = Signal(str, str)
    """A job's kind and one sentence."""
    cancelled = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._stop = threading.Event()
        self._running: Job | None = None

    @Slot(object)
    def run(self, job: Job) -> None:
        """Do a job and tell how it ended."""
        if self._stop.is_set() or job.cancelled.is_set():
            self.cancelled.emit(job.kind)
            return
        self._running = job
        self.working.emit(Working(job.text, can_cancel=job.can_cancel))
        try:
            result = job.work(lambda: self._stop.is_set() or job.cancelled.is_set())
        except Cancelled:
            self.cancelled.emit(job.kind)
        except Exception as error:
            log.info("The job %s failed: %s", job.kind, way_of(error))
            self.failed.emit(job.kind, sentence_of(error, f"{job.text} failed"))
        else:
            self.done.emit(job.kind, result)
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
