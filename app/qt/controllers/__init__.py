"""Controllers carry out user actions on the session and the workers.

A page calls its controller; the controller changes the session or gives work to a worker, and the
signals of `AppController` carry the outcome back to the pages. All of it on the main thread.
"""

from collections.abc import Callable

from PySide6.QtCore import Slot

from app.qt.workers.worker import Notifier


class Controller(Notifier):
    """Base of all controllers: notices for the person, and the ends of jobs."""

    @Slot(object)
    def go_on(self, then: Callable[[], None]) -> None:
        """Call back after a job (`JobWorker.ended`), on the main thread."""
        then()
