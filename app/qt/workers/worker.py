"""Workers on threads of their own: started, asked to stop, waited for, and how they fail."""

import logging
from collections.abc import Sequence

from PySide6.QtCore import QDeadlineTimer, QObject, QThread

from lmkl_core.errors import InvalidInputError, ModelFileError
from lmkl_core.features.weights import MissingWeightsError

log = logging.getLogger(__name__)

STOP_MILLISECONDS = 2000
"""In which all threads have to end when the window is closed."""

_left_behind: list[QThread] = []
"""Threads that did not end in time: kept, because destroying a running one aborts the process."""


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
    """Return why work has failed: the error's own sentence if it is ours, or one that starts so."""
    if isinstance(error, MissingWeightsError) and error.name:
        return f"{error} `lmkl-pad weights fetch {error.name}` does both."
    if isinstance(error, (InvalidInputError, ModelFileError)):
        return str(error)
    if isinstance(error, OSError):
        if error.strerror is None:  # not the system's, so a sentence of ours
            return str(error)
        return f"{what} ({error.strerror}): check the disk and the folder's permissions."
    if isinstance(error, MemoryError):
        return f"{what}, because memory is full: close other programs."
    return f"{what} ({type(error).__name__}: {error}): try again, or start the program again."
