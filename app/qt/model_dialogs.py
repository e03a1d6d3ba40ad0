"""Models opened and exported from the menus, and the questions on the way: files, passphrases."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLayout,
    QLineEdit,
    QMessageBox,
    QWidget,
)

from app.models.files import PROTECTED_SUFFIX, SUFFIX
from app.models.summary import ModelSummary
from app.qt.state import PassphraseAsked
from app.qt.theme import GRID, set_class
from app.qt.widgets.layout import button, vbox
from app.qt.widgets.texts import caution, plain_tip, wrapped
from lmkl_core.model_file.sealed import SHORTEST_PASSPHRASE, check_passphrase

if TYPE_CHECKING:
    from app.qt.main_window import MainWindow

PATTERN = f"lmkl-pad models (*{SUFFIX} *{PROTECTED_SUFFIX});;All files (*)"
NAME = "face"
WIDTH, LONGEST_NAME = 80, 40
"""Of a dialog, and of a file's name in it, in letters."""

Button = QMessageBox.StandardButton


class ModelDialogs(QObject):
    """Asks for files and passphrases, and gives them to the controller of models.

    Passphrases go from a dialog to the controller and are kept nowhere on the way: not in settings,
    not in logs.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window, self._controller = window, window.controller
        self.close_after_export = False
        """Whether the window closes once the model is in its file."""
        self._is_protected = False
        self._unlock: UnlockDialog | None = None
        self._model = model = window.controller.model
        window.controller.model_changed.connect(self._on_model)
        model.exported.connect(self._on_exported)
        model.not_exported.connect(self._stay_open)
        model.passphrase_asked.connect(self._on_passphrase_asked)
        model.opening_ended.connect(self._on_opening_ended)
        # The program ends with its last window, and an open question would be one.
        window.closed.connect(self._on_opening_ended)

    def folder(self) -> str:
        """Where dialogs begin: where the last model lies, else at home."""
        recent = self._controller.settings.recent
        return str(Path(recent[0]).parent if recent else Path.home())

    @Slot()
    def open(self) -> None:
        """Ask for a model and open it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a model", self.folder(), PATTERN)
        if path:
            self.open_model(path)

    def open_model(self, path: str) -> None:
        """Open a model; ask first where one would be lost for it."""
        if self.may_lose_model():
            self._model.open(path)

    def may_lose_model(self) -> bool:
        """Whether the model in use is in a file, or may be lost."""
        if not self._controller.session.has_unsaved_model:
            return True
        text = "The model is in memory only and will be lost. Close it all the same?"
        return confirm(self._window, "Close the model?", text)

    @Slot(object)
    def _on_passphrase_asked(self, asked: PassphraseAsked) -> None:
        """Ask without waiting: the picture goes on, and nothing is lost by leaving the dialog."""
        if self._unlock is None:
            self._unlock = UnlockDialog(self._window)
            self._unlock.passphrase_given.connect(self._model.open)
            self._unlock.rejected.connect(self._model.stay_shut)
        self._unlock.ask(asked)

    @Slot()
    def _on_opening_ended(self) -> None:
        if (dialog := self._unlock) is not None:
            self._unlock = None
            dialog.hide()
            dialog.deleteLater()

    @Slot()
    def export(self) -> None:
        """Ask whether the model shall be protected and where it goes, and export it."""
        dialog = ExportDialog(self._is_protected, self._window)
        is_chosen = dialog.exec() == ExportDialog.DialogCode.Accepted
        passphrase = dialog.take_passphrase()
        dialog.deleteLater()
        path = self._ask_for_file(passphrase is not None) if is_chosen else ""
        if path:
            self._model.export(path, passphrase)
        else:
            self._stay_open()

    def _ask_for_file(self, is_protected: bool) -> str:
        """Return the chosen path with the right ending; empty for none."""
        suffix, kind = (PROTECTED_SUFFIX, "Protected ") if is_protected else (SUFFIX, "")
        start = str(Path(self.folder()) / f"{NAME}{suffix}")
        pattern = f"{kind}lmkl-pad models (*{suffix});;All files (*)"
        typed, _ = QFileDialog.getSaveFileName(self._window, "Export the model", start, pattern)
        if not typed:
            return ""
        path = with_right_ending(Path(typed), is_protected)
        if path != Path(typed) and path.exists():  # which the file dialog did not ask about
            text = f"{path.name} is there already. Replace it?"
            is_chosen = confirm(self._window, "Replace the file?", text, Button.Yes)
            return str(path) if is_chosen else ""
        return str(path)

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        """Propose a passphrase for models that derive from a protected one."""
        if model is None or model.path:
            self._is_protected = model is not None and model.is_protected

    @Slot(object)
    def _on_exported(self, _export: object) -> None:
        if self.close_after_export:
            self.close_after_export = False
            self._window.close()

    @Slot()
    def _stay_open(self) -> None:
        self.close_after_export = False


def confirm(parent: QWidget, title: str, text: str, yes: Button = Button.Close) -> bool:
    """Ask before something is lost; Cancel is the default."""
    buttons = yes | Button.Cancel
    return QMessageBox.question(parent, title, plain_tip(text), buttons, Button.Cancel) == yes


def with_right_ending(path: Path, is_protected: bool) -> Path:
    """Return a path whose name promises protection if, and only if, there is some.

    Only such names are held to it: under any other, a file put in the place of a protected one
    would be opened.
    """
    ending = path.suffix.lower()
    if is_protected:
        if ending == PROTECTED_SUFFIX:
            return path
        stem = path.stem if ending == SUFFIX else path.name
        return path.with_name(stem + PROTECTED_SUFFIX)
    return path.with_suffix(SUFFIX) if ending in ("", PROTECTED_SUFFIX) else path


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
        """Show or hide the text; input methods must not learn it either way."""
        echo, hint = QLineEdit.EchoMode, Qt.InputMethodHint
        self.line.setEchoMode(echo.Normal if is_seen else echo.Password)
        self.line.setInputMethodHints(
            self.line.inputMethodHints()
            | hint.ImhSensitiveData
            | hint.ImhNoPredictiveText
            | hint.ImhNoAutoUppercase
        )

    def take(self) -> str:
        """Return the text and clear it."""
        text = self.line.text()
        self.line.setText("")  # unlike clear(), this leaves nothing that could be undone
        return text


class PassphraseDialog(QDialog):
    """A column of widgets over two buttons, in a fixed width."""

    def __init__(self, title: str, go_on: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.go_on = button(go_on, kind="primary", parent=self)
        self.go_on.setDefault(True)
        self.see = QCheckBox("&Show what I type", self)
        kind = QDialogButtonBox.StandardButton
        self._buttons = QDialogButtonBox(kind.Cancel, self)
        self._buttons.addButton(self.go_on, QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)

    def arrange(self, *widgets: QWidget) -> None:
        """Fill the column and let the check box show the passphrases."""
        margins = (3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column = vbox(self, *widgets, self._buttons, margins=margins, spacing=GRID + 4)
        column.addStrut(WIDTH * self.fontMetrics().averageCharWidth())
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        for edit in self.findChildren(PassphraseEdit):
            self.see.toggled.connect(edit.show_typed)


class ExportDialog(PassphraseDialog):
    """Asks whether to protect the file (`is_protected` is preselected).

    The path is asked for afterwards.
    """

    def __init__(self, is_protected: bool = False, parent: QWidget | None = None) -> None:
        super().__init__("Export the model", "&Choose a file…", parent)
        self.protect = QCheckBox("&Protect the file with a passphrase", self)
        self.first = PassphraseEdit("P&assphrase", self)
        self.second = PassphraseEdit("The same &once more", self)
        self.problem = wrapped("", "bad")
        self.problem.setMinimumHeight(self.problem.sizeHint().height())  # nothing jumps
        self.unprotected = wrapped(
            "Anyone who gets the file can use the model, and change it unnoticed.", "muted"
        )
        forgotten = (
            "Without the passphrase the model cannot be opened, not even by us. "
            "If you lose it, enrol again."
        )
        advice = (
            f"At least {SHORTEST_PASSPHRASE} characters. Four or five unrelated words are easy "
            "to remember and hard to guess."
        )
        self._protected = QWidget(self)
        parts = (self.first, wrapped(advice, "small"), self.second, self.see)
        vbox(self._protected, *parts, caution(forgotten, self), self.problem)
        words = (
            "The file holds no pictures, but what the networks see in the enrolled frames: "
            "biometric data of the person."
        )
        self.arrange(wrapped(words), self.protect, self.unprotected, self._protected)
        self.protect.setChecked(is_protected)
        self.protect.toggled.connect(self._show_parts)
        for edit in (self.first, self.second):
            edit.line.textChanged.connect(self._show_problem)
        self.go_on.setFocus()
        self._show_parts()

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

    @Slot()
    def _show_parts(self) -> None:
        self._protected.setVisible(self.is_protected)
        self.unprotected.setVisible(not self.is_protected)
        if self.is_protected:
            self.first.line.setFocus()
        self._show_problem()

    @Slot()
    def _show_problem(self) -> None:
        self.problem.setText(self._problem() if self.is_protected else "")
        self.go_on.setEnabled(self._is_good())

    def _problem(self) -> str:
        """Return the problem, as far as it shows while typing."""
        first, second = self.first.text(), self.second.text()
        if second and not first.startswith(second):
            return "The two passphrases are not the same."
        return check_passphrase(first) if second else ""

    def _is_good(self) -> bool:
        first, second = self.first.text(), self.second.text()
        return not self.is_protected or (first == second and not check_passphrase(first))


class UnlockDialog(PassphraseDialog):
    """Asks for a passphrase; stays open while it is tried."""

    passphrase_given = Signal(str, str)
    """Path and passphrase."""

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
        width = LONGEST_NAME * metrics.averageCharWidth()
        name = metrics.elidedText(asked.name, Qt.TextElideMode.ElideMiddle, width)
        self._words.setText(f"The model {name} is protected by a passphrase.")
        self._words.setToolTip(plain_tip(asked.path))
        self.edit.take()
        self._set_trying(False)
        if asked.was_wrong:
            self._remark("The passphrase is wrong, or the file was changed: try again.", "bad")
        self.edit.line.setFocus()
        self.open()

    def accept(self) -> None:
        """Emit the passphrase, and stay open until it is checked."""
        if self.go_on.isEnabled():
            typed = self.edit.take()
            self._set_trying(True)
            self.passphrase_given.emit(self._path, typed)

    def reject(self) -> None:
        """Close and clear the passphrase."""
        self.edit.take()
        super().reject()

    def _set_trying(self, is_trying: bool) -> None:
        self.edit.setEnabled(not is_trying)
        self.see.setEnabled(not is_trying)
        self._remark("Trying it takes about a second…" if is_trying else "", "muted")
        self._on_typed()

    def _remark(self, text: str, kind: str) -> None:
        set_class(self.remark, kind)
        self.remark.setText(text)

    @Slot()
    def _on_typed(self) -> None:
        self.go_on.setEnabled(self.edit.isEnabled() and bool(self.edit.text()))
