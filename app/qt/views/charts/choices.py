"""A few choices side by side, of which one holds."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QWidget


class Choices(QWidget):
    """Buttons of which exactly one is down; arrow keys go from one to the next.

    Parameters
    ----------
    name : str
        What is being chosen, for people who cannot see the buttons.
    texts : tuple of str
        The choices.
    parent : QWidget, optional
        Parent.
    first : int
        The choice that holds at first.

    Signals
    -------
    chosen : int
        Number of the choice.
    """

    chosen = Signal(int)

    def __init__(
        self, name: str, texts: tuple[str, ...], parent: QWidget | None = None, *, first: int = 0
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
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
        """Number of the choice that holds."""
        return self._group.checkedId()

    def choose(self, number: int) -> None:
        """Press a button."""
        self._group.button(number).click()
