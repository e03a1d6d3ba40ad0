"""Inputs that ignore the wheel, so that scrolling the page does not change them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QTabBar, QWidget

from app.qt.theme import GRID


class CalmComboBox(QComboBox):
    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()

    def keep_narrow(self, n_letters: int) -> None:
        """Request little width, however long the choices are."""
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(n_letters)


class CalmTabBar(QTabBar):
    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()


class CalmSpinBox(QDoubleSpinBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Style sheet padding has no effect on the text of a spin box.
        self.lineEdit().setTextMargins(GRID, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()
