"""Refresh widgets at a limited rate, and only while they are visible."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget


class Throttle(QTimer):
    """Calls a slot at most once per interval, while a widget is stale and visible.

    A hidden or minimised widget catches up when it is shown. The timer runs only when needed.
    """

    _due = Signal()

    def __init__(self, widget: QWidget, interval_ms: int, slot: object) -> None:
        super().__init__(widget, singleShot=True, interval=interval_ms)
        # isVisible() stays true while the window is minimised.
        self._is_on_screen = False
        self._is_stale = True
        self._due.connect(slot)
        self.timeout.connect(self.catch_up)
        widget.installEventFilter(self)

    def mark_stale(self) -> None:
        """Schedule a refresh; cheap, so it may be called for every frame."""
        self._is_stale = True
        if self._is_on_screen and not self.isActive():
            self.start()

    @Slot()
    def catch_up(self) -> None:
        """Call the slot now if stale."""
        if self._is_stale:
            self._is_stale = False
            self._due.emit()

    def eventFilter(self, _watched: QObject, event: QEvent, /) -> bool:
        if event.type() == QEvent.Type.Show:
            self._is_on_screen = True
            self.catch_up()
        elif event.type() == QEvent.Type.Hide:
            self._is_on_screen = False
            self.stop()
        return False
