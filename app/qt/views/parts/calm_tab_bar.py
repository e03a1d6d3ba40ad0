"""Tabs that stay as they are when the page under them is scrolled."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QTabBar


class CalmTabBar(QTabBar):
    """A bar of tabs that leaves the wheel to the page, so that scrolling past turns nothing."""

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        """Pass the wheel on."""
        event.ignore()
