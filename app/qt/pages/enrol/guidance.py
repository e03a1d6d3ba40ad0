"""Three steps for the first enrolment; later they fold away."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QWidget

from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import CARD, button, grid, vbox
from app.qt.widgets.marks import NumberBadge
from app.qt.widgets.texts import wrapped

_STEPS = (
    "Sit before the camera as you usually do and press Record.",
    "Turn, nod and lean a little while the ring fills.",
    "Record a second take in another light, then fit the model.",
)


class Guidance(QFrame):
    """How to enrol, in three numbered lines under a heading that folds them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._was_begun = self._is_opened = False
        tip = "Show or hide the three steps."
        self.button = button("How to enrol", slot=self._on_clicked, tip=tip, kind="quiet")
        self._title = wrapped("Show the program your face", "title")
        self._steps = QWidget(self)
        steps = grid(self._steps, 12, 10, 0, 1)
        for row, text in enumerate(_STEPS):
            steps.addWidget(NumberBadge(row + 1, self), row, 0, Qt.AlignmentFlag.AlignTop)
            label = wrapped(text, parent=self)
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            steps.addWidget(label, row, 1)
        self._opened = wrapped(
            "The model knows its own takes; pictures are not kept in files. "
            "A new take is added to it."
        )
        folding = (self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column = vbox(self, self._title, folding, self._steps, self._opened, spacing=12)
        self._fold(False)

    @property
    def is_open(self) -> bool:
        return self._is_open

    def show_begun(self, was_begun: bool) -> None:
        """Say whether anything was recorded: the steps fold then, and unfold when all is gone.

        In between they stay as the person left them.
        """
        if was_begun != self._was_begun:
            self._was_begun = was_begun
            self._fold(was_begun)

    def show_opened(self, is_opened: bool) -> None:
        """Say whether the model came from a file: a note about that replaces the steps."""
        if is_opened != self._is_opened:
            self._is_opened = is_opened
            self._fold(self._was_begun)

    @Slot()
    def _on_clicked(self) -> None:
        self._fold(self._is_open)

    def _fold(self, is_folded: bool) -> None:
        self._is_open = not is_folded and not self._is_opened
        self._opened.setVisible(self._is_opened)
        self._steps.setVisible(self._is_open)
        # Before anything was recorded the steps are what matters: nothing to fold them with.
        self._title.setVisible(not self._was_begun and not self._is_opened)
        self.button.setVisible(self._was_begun)
        self.button.setIcon(icon("chevron-down" if self._is_open else "chevron-right"))
        self.button.setAccessibleDescription(
            "The steps are shown." if self._is_open else "The steps are hidden."
        )
        has_frame = self._is_open or self._is_opened
        set_class(self, "card" if has_frame else "")
        if not has_frame:
            self._column.setContentsMargins(0, 0, 0, 0)
        elif self._was_begun:
            self._column.setContentsMargins(0, 0, 16, 16)
        else:
            self._column.setContentsMargins(*CARD)
        self._steps.setContentsMargins(16 if self._was_begun else 0, 0, 0, 0)
