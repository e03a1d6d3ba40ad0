"""Controllers carry out what the person wants, on the session and the workers.

A page calls its controller; the controller changes the session or gives work to a worker, and the
signals of `AppController` carry the outcome back to the pages. All of it on the main thread.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.qt.state import Choice, Notice


class Controller(QObject):
    """Base of all controllers: notices for the person, and the ends of jobs."""

    notice = Signal(object)
    """A `Notice`."""
    topic = ""
    """Of its notices, unless they name another one."""

    def tell(
        self, text: str, level: str = "info", topic: str = "", actions: tuple[Choice, ...] = ()
    ) -> None:
        """Show a notice in place of the last one of its topic."""
        self.notice.emit(Notice(text, level, topic or self.topic, actions))

    @Slot(object)
    def go_on(self, then: Callable[[], None]) -> None:
        """Do what follows a job (`JobWorker.ended`), on the main thread."""
        then()
