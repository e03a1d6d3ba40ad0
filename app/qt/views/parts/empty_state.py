"""What stands in the place of content that is not there yet: a shape, some words, a way on."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.qt.theme import GRID, set_class
from app.qt.views.charts.flow import FlowLayout
from app.qt.views.parts.texts import Mark, set_text, wrapped


class EmptyState(QWidget):
    """A shape, a heading, a few lines and buttons, in the middle of the room there is.

    Parameters
    ----------
    icon, role : str
        The shape and the theme's colour that it takes.
    parent : QWidget, optional
        Owner.
    """

    def __init__(self, icon: str, role: str = "muted", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mark = Mark(icon, role, scale=2.6, parent=self)
        self._heading = wrapped("", "heading", self)
        self._lines = wrapped("", "muted", self)
        for label in (self._heading, self._lines):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._buttons = QWidget(self)
        self._flow = FlowLayout(self._buttons, gap=GRID)
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * GRID, 4 * GRID, 3 * GRID, 4 * GRID)
        column.setSpacing(GRID + 4)
        column.addStretch(2)
        column.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._heading)
        column.addWidget(self._lines)
        column.addWidget(self._buttons, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        self._buttons.hide()

    def show_words(self, heading: str, lines: str) -> None:
        """Say what is missing, and what to do."""
        set_text(self._heading, heading)
        set_text(self._lines, lines)

    def add_button(self, button: QPushButton, kind: str = "") -> None:
        """Offer a way on."""
        set_class(button, kind)
        self._flow.addWidget(button)
        self._buttons.show()

    @property
    def heading(self) -> str:
        """The heading that is shown."""
        return self._heading.text()

    @property
    def lines(self) -> str:
        """The lines below it."""
        return self._lines.text()
