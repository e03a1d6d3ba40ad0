"""Inputs that leave the wheel to the page, so that scrolling past changes nothing."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QTabBar, QWidget

from app.qt.theme import GRID


class CalmComboBox(QComboBox):
    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()

    def keep_narrow(self, n_letters: int) -> None:
        """Ask for little room, however long the choices are."""
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(n_letters)


class CalmTabBar(QTabBar):
    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()


class CalmSpinBox(QDoubleSpinBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Qt's style sheets leave no room before the number, whatever the padding.
        self.lineEdit().setTextMargins(GRID, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()
