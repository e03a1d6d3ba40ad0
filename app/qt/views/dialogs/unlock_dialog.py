"""Asks for the passphrase of a protected model."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.qt.state import PassphraseAsked
from app.qt.theme import set_class
from app.qt.views.dialogs.passphrase_edit import PassphraseDialog, PassphraseEdit, SeeTyped
from app.qt.views.dialogs.settings_fields import line
from app.qt.views.parts.texts import plain_tip

_LONGEST_NAME = 40
"""Of a file, in letters."""


class UnlockDialog(PassphraseDialog):
    """Stays open while a passphrase is tried, and says when it does not fit.

    Parameters
    ----------
    parent : QWidget, optional
        The window it belongs to; it goes on behind the dialog.
    """

    passphrase_given = Signal(str, str)
    """Path of the model, and what was typed; the dialog has forgotten it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Protected model"), self.tr("&Open"), parent)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._path = ""
        self._words = line("", "")
        self.edit = PassphraseEdit(self.tr("P&assphrase"), self)
        self.edit.line.textChanged.connect(self._on_typed)
        self.see = SeeTyped(self.edit, parent=self)
        self.remark = line("", "")
        self.remark.setMinimumHeight(self.remark.sizeHint().height())  # nothing jumps
        self.arrange(self._words, self.edit, self.see, self.remark)

    def ask(self, asked: PassphraseAsked) -> None:
        """Ask for the passphrase of a model, once more if the last one did not fit."""
        self._path = asked.path
        metrics = self.fontMetrics()
        name = metrics.elidedText(
            asked.name,
            Qt.TextElideMode.ElideMiddle,
            _LONGEST_NAME * metrics.averageCharWidth(),
        )
        words = self.tr("The model {name} opens with its passphrase only.")
        self._words.setText(words.format(name=name))
        self._words.setToolTip(plain_tip(asked.path))
        self.edit.take()
        self._set_trying(False)
        if asked.was_wrong:
            wrong = self.tr("The passphrase is wrong, or the file was changed: try again.")
            self._remark(wrong, "bad")
        self.edit.line.setFocus()
        self.open()

    def accept(self) -> None:
        """Give away what was typed, and stay open until it is known whether it fits."""
        if not self.go_on.isEnabled():
            return
        typed = self.edit.take()
        self._set_trying(True)
        self.passphrase_given.emit(self._path, typed)

    def reject(self) -> None:
        """Close and forget what was typed."""
        self.edit.take()
        super().reject()

    def _set_trying(self, is_trying: bool) -> None:
        self.edit.setEnabled(not is_trying)
        self.see.setEnabled(not is_trying)
        trying = self.tr("Trying it takes about a second\N{HORIZONTAL ELLIPSIS}")
        self._remark(trying if is_trying else "", "muted")
        self._on_typed()

    def _remark(self, text: str, kind: str) -> None:
        set_class(self.remark, kind)
        self.remark.setText(text)

    @Slot()
    def _on_typed(self) -> None:
        self.go_on.setEnabled(self.edit.isEnabled() and bool(self.edit.text()))
