"""Open and export models: ask for files, passphrases and confirmations."""

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
from app.qt.state import PassphraseRequest
from app.qt.theme import GRID, set_class
from app.qt.widgets.layout import button, vbox
from app.qt.widgets.texts import caution, plain_tip, wrapped
from lmkl_core.model_file.sealed import SHORTEST_PASSPHRASE, check_passphrase

if TYPE_CHECKING:
    from app.qt.main_window import MainWindow

PATTERN = f"lmkl-pad models (*{SUFFIX} *{PROTECTED_SUFFIX});;All files (*)"
NAME = "face"
WIDTH, LONGEST_NAME = 80, 40
"""Width of a dialog and of a file name in it, in characters."""

Button = QMessageBox.StandardButton


class ModelDialogs(QObject):
    """Asks for files and passphrases, and passes them to the model controller.

    A passphrase goes straight from the dialog to the controller; it never enters settings or logs.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window, self._controller = window, window.controller
        self.close_after_export = False
        """Whether the window closes once the model is exported."""
        self._is_protected = False
        self._unlock: UnlockDialog | None = None
        self._model = model = window.controller.model
        window.controller.model_changed.connect(self._on_model)
        model.exported.connect(self._on_exported)
        model.not_exported.connect(self._stay_open)
        model.passphrase_requested.connect(self._on_passphrase_requested)
        model.opening_ended.connect(self._on_opening_ended)
        # The program ends with its last window, and an open dialog is a window.
        window.closed.connect(self._on_opening_ended)

    def folder(self) -> str:
        """Return where file dialogs start: the folder of the last model, or the home folder."""
        recent = self._controller.settings.recent
        return str(Path(recent[0]).parent if recent else Path.home())

    @Slot()
    def open(self) -> None:
        """Ask for a model and open it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a model", self.folder(), PATTERN)
        if path:
            self.open_model(path)

    def open_model(self, path: str) -> None:
        """Open a model; ask first if the present one would be lost."""
        if self.may_lose_model():
            self._model.open(path)

    def may_lose_model(self) -> bool:
        """Return whether the model in use is exported, or may be lost."""
        if not self._controller.session.has_unsaved_model:
            return True
        text = "The model has not been exported and will be lost. Close it anyway?"
        return confirm(self._window, "Close the model?", text)

    @Slot(object)
    def _on_passphrase_requested(self, request: PassphraseRequest) -> None:
        """Ask without blocking: the picture stays live, and cancelling loses nothing."""
        if self._unlock is None:
            self._unlock = UnlockDialog(self._window)
            self._unlock.passphrase_entered.connect(self._model.open)
            self._unlock.rejected.connect(self._model.cancel_opening)
        self._unlock.ask(request)

    @Slot()
    def _on_opening_ended(self) -> None:
        if (dialog := self._unlock) is not None:
            self._unlock = None
            dialog.hide()
            dialog.deleteLater()

    @Slot()
    def export(self) -> None:
        """Ask whether to protect the model and where to save it, then export it."""
        dialog = ExportDialog(self._is_protected, self._window)
        is_accepted = dialog.exec() == ExportDialog.DialogCode.Accepted
        passphrase = dialog.take_passphrase()
        dialog.deleteLater()
        path = self._ask_for_file(passphrase is not None) if is_accepted else ""
        if path:
            self._model.export(path, passphrase)
        else:
            self._stay_open()

    def _ask_for_file(self, is_protected: bool) -> str:
        """Return the chosen path with the right suffix; empty if cancelled."""
        suffix, kind = (PROTECTED_SUFFIX, "Protected ") if is_protected else (SUFFIX, "")
        start = str(Path(self.folder()) / f"{NAME}{suffix}")
        pattern = f"{kind}lmkl-pad models (*{suffix});;All files (*)"
        typed, _ = QFileDialog.getSaveFileName(self._window, "Export the model", start, pattern)
        if not typed:
            return ""
        path = with_right_suffix(Path(typed), is_protected)
        if path != Path(typed) and path.exists():  # the file dialog asked about the typed name only
            text = f"{path.name} already exists. Replace it?"
            if not confirm(self._window, "Replace the file?", text, Button.Yes):
                return ""
        return str(path)

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        """Suggest a passphrase for models derived from a protected one."""
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


def with_right_suffix(path: Path, is_protected: bool) -> Path:
    """Return the path with the suffix of protected models if, and only if, the model is protected.

    A file with that suffix is opened only if it is protected, so an unprotected file cannot take
    its place unnoticed.
    """
    suffix = path.suffix.lower()
    if is_protected:
        if suffix == PROTECTED_SUFFIX:
            return path
        stem = path.stem if suffix == SUFFIX else path.name
        return path.with_name(stem + PROTECTED_SUFFIX)
    return path.with_suffix(SUFFIX) if suffix in ("", PROTECTED_SUFFIX) else path


class PassphraseEdit(QWidget):
    """A labelled line edit for a passphrase."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = QLineEdit(self)
        self.show_typed(False)
        self.line.setAccessibleName(title.replace("&", ""))
        label = QLabel(title, self)
        label.setBuddy(self.line)
        vbox(self, label, self.line, spacing=GRID // 2)

    def text(self) -> str:
        return self.line.text()

    def show_typed(self, is_visible: bool) -> None:
        """Show or hide the text; input methods must not learn it in either case."""
        echo, hint = QLineEdit.EchoMode, Qt.InputMethodHint
        self.line.setEchoMode(echo.Normal if is_visible else echo.Password)
        self.line.setInputMethodHints(
            self.line.inputMethodHints()
            | hint.ImhSensitiveData
            | hint.ImhNoPredictiveText
            | hint.ImhNoAutoUppercase
        )

    def take(self) -> str:
        """Return the text and clear it."""
        text = self.line.text()
        self.line.setText("")  # unlike clear(), this cannot be undone
        return text


class PassphraseDialog(QDialog):
    """A column of widgets above two buttons, with a fixed width."""

    def __init__(self, title: str, action: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.accept_button = button(action, kind="primary", parent=self)
        self.accept_button.setDefault(True)
        self.show_box = QCheckBox("&Show passphrase", self)
        kind = QDialogButtonBox.StandardButton
        self._buttons = QDialogButtonBox(kind.Cancel, self)
        self._buttons.addButton(self.accept_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)

    def arrange(self, *widgets: QWidget) -> None:
        """Fill the column, and connect the check box to the passphrases."""
        margins = (3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column = vbox(self, *widgets, self._buttons, margins=margins, spacing=GRID + 4)
        column.addStrut(WIDTH * self.fontMetrics().averageCharWidth())
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        for edit in self.findChildren(PassphraseEdit):
            self.show_box.toggled.connect(edit.show_typed)


class ExportDialog(PassphraseDialog):
    """Asks whether to protect the file, preselecting ``is_protected``; the path comes later."""

    def __init__(self, is_protected: bool = False, parent: QWidget | None = None) -> None:
        super().__init__("Export the model", "&Choose a file…", parent)
        self.protect = QCheckBox("&Protect the file with a passphrase", self)
        self.first = PassphraseEdit("P&assphrase", self)
        self.second = PassphraseEdit("R&epeat passphrase", self)
        self.problem = wrapped("", "bad")
        self.problem.setMinimumHeight(self.problem.sizeHint().height())  # avoids a jump
        self.unprotected = wrapped(
            "Anyone who has the file can use the model and change it unnoticed.", "muted"
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
        parts = (self.first, wrapped(advice, "small"), self.second, self.show_box)
        vbox(self._protected, *parts, caution(forgotten, self), self.problem)
        content = (
            "The file contains no pictures, but it does contain features of the enrolled frames, "
            "which are biometric data."
        )
        self.arrange(wrapped(content), self.protect, self.unprotected, self._protected)
        self.protect.setChecked(is_protected)
        self.protect.toggled.connect(self._show_parts)
        for edit in (self.first, self.second):
            edit.line.textChanged.connect(self._show_problem)
        self.accept_button.setFocus()
        self._show_parts()

    @property
    def is_protected(self) -> bool:
        return self.protect.isChecked()

    def take_passphrase(self) -> str | None:
        """Return the passphrase and clear it; None for an unprotected file."""
        self.second.take()
        typed = self.first.take()
        return typed if self.is_protected else None

    def accept(self) -> None:
        """Close, unless something is wrong."""
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
        self.accept_button.setEnabled(self._is_good())

    def _problem(self) -> str:
        """Return the problem, as far as it is known while typing."""
        first, second = self.first.text(), self.second.text()
        if second and not first.startswith(second):
            return "The two passphrases differ."
        return check_passphrase(first) if second else ""

    def _is_good(self) -> bool:
        first, second = self.first.text(), self.second.text()
        return not self.is_protected or (first == second and not check_passphrase(first))


class UnlockDialog(PassphraseDialog):
    """Asks for a passphrase; stays open while it is checked."""

    passphrase_entered = Signal(str, str)
    """Path and passphrase."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Protected model", "&Open", parent)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._path = ""
        self._message = wrapped("")
        self.edit = PassphraseEdit("P&assphrase", self)
        self.edit.line.textChanged.connect(self._on_typed)
        self.status = wrapped("")
        self.status.setMinimumHeight(self.status.sizeHint().height())  # avoids a jump
        self.arrange(self._message, self.edit, self.show_box, self.status)

    def ask(self, request: PassphraseRequest) -> None:
        """Ask for the passphrase of a model."""
        self._path = request.path
        metrics = self.fontMetrics()
        width = LONGEST_NAME * metrics.averageCharWidth()
        name = metrics.elidedText(request.name, Qt.TextElideMode.ElideMiddle, width)
        self._message.setText(f"The model {name} is protected by a passphrase.")
        self._message.setToolTip(plain_tip(request.path))
        self.edit.take()
        self._set_checking(False)
        if request.was_wrong:
            self._show_status("The passphrase is wrong, or the file was changed: try again.", "bad")
        self.edit.line.setFocus()
        self.open()

    def accept(self) -> None:
        """Emit the passphrase, and stay open until it is checked."""
        if self.accept_button.isEnabled():
            typed = self.edit.take()
            self._set_checking(True)
            self.passphrase_entered.emit(self._path, typed)

    def reject(self) -> None:
        """Close and clear the passphrase."""
        self.edit.take()
        super().reject()

    def _set_checking(self, is_checking: bool) -> None:
        self.edit.setEnabled(not is_checking)
        self.show_box.setEnabled(not is_checking)
        self._show_status("Checking the passphrase…" if is_checking else "", "muted")
        self._on_typed()

    def _show_status(self, text: str, kind: str) -> None:
        set_class(self.status, kind)
        self.status.setText(text)

    @Slot()
    def _on_typed(self) -> None:
        self.accept_button.setEnabled(self.edit.isEnabled() and bool(self.edit.text()))
