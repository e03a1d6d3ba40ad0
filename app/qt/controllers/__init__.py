"""Controllers carry out user actions on the session and the workers.

A page calls its controller; the controller changes the session or passes work to a worker, and the
signals of `AppController` carry the result back to the pages. Everything runs on the main thread.
"""

from collections.abc import Callable

from PySide6.QtCore import Slot

from app.qt.workers.worker import Notifier


class Controller(Notifier):
    """Base class of the controllers."""

    @Slot(object)
    def run_callback(self, callback: Callable[[], None]) -> None:
        """Run the callback of a finished job (`JobWorker.ended`) on the main thread."""
        callback()
