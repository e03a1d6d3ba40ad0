"""Refresh visible widgets, no faster than can be read."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget


class Throttle(QTimer):
    """Call a slot at most once per interval, while a widget is stale and visible.

    A widget that is hidden or in a minimised window catches up when it is shown; without anything
    new no timer runs.
    """

    _due = Signal()

    def __init__(self, widget: QWidget, interval_ms: int, slot: object) -> None:
        super().__init__(widget, singleShot=True, interval=interval_ms)
        # Not isVisible(): it stays true while the window is minimised.
        self._is_seen = False
        self._is_stale = True
        self._due.connect(slot)
        self.timeout.connect(self.catch_up)
        widget.installEventFilter(self)

    def mark_stale(self) -> None:
        """Mark for a refresh; cheap at any rate."""
        self._is_stale = True
        if self._is_seen and not self.isActive():
            self.start()

    @Slot()
    def catch_up(self) -> None:
        """Call the slot now if stale."""
        if self._is_stale:
            self._is_stale = False
            self._due.emit()

    def eventFilter(self, _watched: QObject, event: QEvent, /) -> bool:
        """Run only while the widget can be seen."""
        if event.type() == QEvent.Type.Show:
            self._is_seen = True
            self.catch_up()
        elif event.type() == QEvent.Type.Hide:
            self._is_seen = False
            self.stop()
        return False
