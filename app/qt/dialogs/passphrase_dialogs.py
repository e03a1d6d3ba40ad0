"""Passphrases: asked for before a model is exported, and before a protected one is opened."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QWidget

from app.qt.state import PassphraseAsked
from app.qt.theme import GRID, set_class
from app.qt.widgets.layout import button, vbox
from app.qt.widgets.texts import caution, plain_tip, wrapped

_WIDTH = 80
"""Of a dialog, in letters."""

_LONGEST_NAME = 40
"""Of a file, in letters."""


class PassphraseEdit(QWidget):
    """A name and the line under it that takes a passphrase."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = QLineEdit(self)
        self.show_typed(False)
        self.line.setAccessibleName(title)
        label = QLabel(title, self)
        label.setBuddy(self.line)
        vbox(self, label, self.line, spacing=GRID // 2)

    def text(self) -> str:
        return self.line.text()

    def show_typed(self, is_seen: bool) -> None:
        """Show or hide what is typed; no keyboard is to learn it either way."""
        echo, hint = QLineEdit.EchoMode, Qt.InputMethodHint
        self.line.setEchoMode(echo.Normal if is_seen else echo.Password)
        self.line.setInputMethodHints(
            self.line.inputMethodHints()
            | hint.ImhSensitiveData
            | hint.ImhNoPredictiveText
            | hint.ImhNoAutoUppercase
        )

    def take(self) -> str:
        """Return what was typed and forget it."""
        text = self.line.text()
        self.line.setText("")  # unlike clear(), this leaves nothing that could be undone
        return text


class PassphraseDialog(QDialog):
    """A column of widgets over two buttons, as high as its texts need in its width."""

    def __init__(self, title: str, go_on: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.go_on = button(go_on, kind="primary", parent=self)
        self.go_on.setDefault(True)
        self.see = QCheckBox("&Show what I type", self)
        kind = QDialogButtonBox.StandardButton
        self._buttons = QDialogButtonBox(kind.Cancel, self)
        self._buttons.button(kind.Cancel).setIcon(QIcon())
        self._buttons.addButton(self.go_on, QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)

    def arrange(self, *widgets: QWidget) -> None:
        """Put widgets into the column, in order, and show what is typed in them on demand."""
        margins = (3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        self._column = vbox(self, *widgets, self._buttons, margins=margins, spacing=GRID + 4)
        for edit in self.findChildren(PassphraseEdit):
            self.see.toggled.connect(edit.show_typed)

    def event(self, event: QEvent, /) -> bool:
        """Fit anew whenever something appears, goes, or says something else."""
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show, QEvent.Type.Polish):
            width = _WIDTH * self.fontMetrics().averageCharWidth()
            self.setFixedSize(width, self._column.totalHeightForWidth(width))
        return done


class ExportDialog(PassphraseDialog):
    """Asks whether to protect the file; where it goes is asked next.

    ``check`` returns why a passphrase cannot be used, or ""; ``is_protected`` is proposed.
    """

    def __init__(
        self,
        check: Callable[[str], str],
        advice: str = "",
        is_protected: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Export the model", "&Choose a file\N{HORIZONTAL ELLIPSIS}", parent)
        self._check = check
        self.protect = QCheckBox("&Protect the file with a passphrase", self)
        self.first = PassphraseEdit("P&assphrase", self)
        self.second = PassphraseEdit("The same &once more", self)
        self.problem = wrapped("", "bad")
        self.problem.setMinimumHeight(self.problem.sizeHint().height())  # nothing jumps
        self.unprotected = wrapped(
            "Anyone who gets the file can use the model, and change it unnoticed.", "muted"
        )
        forgotten = caution(
            "Without the passphrase the model cannot be opened, not even by us. "
            "If you lose it, enrol again.",
            self,
        )
        self._protected = QWidget(self)
        parts = (
            self.first,
            wrapped(advice, "small"),
            self.second,
            self.see,
            forgotten,
            self.problem,
        )
        vbox(self._protected, *parts)
        words = (
            "The file holds no pictures, but what the networks see in the enrolled frames: "
            "biometric data of the person."
        )
        self.arrange(wrapped(words), self.protect, self.unprotected, self._protected)
        self.protect.setChecked(is_protected)
        self.protect.toggled.connect(self._on_protect)
        for edit in (self.first, self.second):
            edit.line.textChanged.connect(self._show_problem)
        self._show_parts()
        (self.first.line if is_protected else self.go_on).setFocus()

    @property
    def is_protected(self) -> bool:
        return self.protect.isChecked()

    def take_passphrase(self) -> str | None:
        """Return the passphrase, which the dialog forgets; None where none is wanted."""
        self.second.take()
        typed = self.first.take()
        return typed if self.is_protected else None

    def accept(self) -> None:
        """Close; stay open while something is wrong."""
        if self._is_good():
            super().accept()

    @Slot(bool)
    def _on_protect(self, is_wanted: bool) -> None:
        self._show_parts()
        if is_wanted:
            self.first.line.setFocus()

    def _show_parts(self) -> None:
        self._protected.setVisible(self.is_protected)
        self.unprotected.setVisible(not self.is_protected)
        self._show_problem()

    @Slot()
    def _show_problem(self) -> None:
        self.problem.setText(self._problem() if self.is_protected else "")
        self.go_on.setEnabled(self._is_good())

    def _problem(self) -> str:
        """What is wrong, as far as it is known before all is typed."""
        first, second = self.first.text(), self.second.text()
        if second and not first.startswith(second):
            return "The two passphrases are not the same."
        return self._check(first) if second else ""

    def _is_good(self) -> bool:
        first, second = self.first.text(), self.second.text()
        return not self.is_protected or (first == second and not self._check(first))


class UnlockDialog(PassphraseDialog):
    """Stays open while a passphrase is tried, and says when it does not fit."""

    passphrase_given = Signal(str, str)
    """Path of the model, and what was typed; the dialog has forgotten it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Protected model", "&Open", parent)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._path = ""
        self._words = wrapped("")
        self.edit = PassphraseEdit("P&assphrase", self)
        self.edit.line.textChanged.connect(self._on_typed)
        self.remark = wrapped("")
        self.remark.setMinimumHeight(self.remark.sizeHint().height())  # nothing jumps
        self.arrange(self._words, self.edit, self.see, self.remark)

    def ask(self, asked: PassphraseAsked) -> None:
        """Ask for the passphrase of a model, once more if the last one did not fit."""
        self._path = asked.path
        metrics = self.fontMetrics()
        width = _LONGEST_NAME * metrics.averageCharWidth()
        name = metrics.elidedText(asked.name, Qt.TextElideMode.ElideMiddle, width)
        self._words.setText(f"The model {name} opens with its passphrase only.")
        self._words.setToolTip(plain_tip(asked.path))
        self.edit.take()
        self._set_trying(False)
        if asked.was_wrong:
            self._remark("The passphrase is wrong, or the file was changed: try again.", "bad")
        self.edit.line.setFocus()
        self.open()

    def accept(self) -> None:
        """Give away what was typed, and stay open until it is known whether it fits."""
        if self.go_on.isEnabled():
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
        trying = "Trying it takes about a second\N{HORIZONTAL ELLIPSIS}"
        self._remark(trying if is_trying else "", "muted")
        self._on_typed()

    def _remark(self, text: str, kind: str) -> None:
        set_class(self.remark, kind)
        self.remark.setText(text)

    @Slot()
    def _on_typed(self) -> None:
        self.go_on.setEnabled(self.edit.isEnabled() and bool(self.edit.text()))
