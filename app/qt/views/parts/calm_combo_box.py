"""A list to choose from that stays as it is when the page under it is scrolled."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class CalmComboBox(QComboBox):
    """A combo box that leaves the wheel to the page, so that scrolling past changes nothing."""

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        """Pass the wheel on."""
        event.ignore()
