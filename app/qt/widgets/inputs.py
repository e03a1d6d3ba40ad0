"""Inputs that leave the wheel to the page, so that scrolling past changes nothing; choices."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDoubleSpinBox,
    QPushButton,
    QSizePolicy,
    QTabBar,
    QWidget,
)

from app.qt.theme import GRID
from app.qt.widgets.layout import hbox


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


class Choices(QWidget):
    """Buttons of which exactly one is down; arrow keys go from one to the next."""

    chosen = Signal(int)
    """Number of the choice."""

    def __init__(
        self, name: str, texts: tuple[str, ...], parent: QWidget | None = None, *, first: int = 0
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = hbox(self, spacing=4)
        self._group = QButtonGroup(self)
        for number, text in enumerate(texts):
            button = QPushButton(text, self)
            button.setCheckable(True)
            button.setChecked(number == first)
            button.setAccessibleName(f"{name}: {text}")
            self._group.addButton(button, number)
            row.addWidget(button)
        self._group.idClicked.connect(self.chosen)

    @property
    def current(self) -> int:
        return self._group.checkedId()

    def choose(self, number: int) -> None:
        self._group.button(number).click()
