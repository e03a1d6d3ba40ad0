"""Models opened and exported from the menus, and the dialogs on the way."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.models.files import PROTECTED_SUFFIX, SUFFIX
from app.models.summary import ModelSummary
from app.qt.dialogs.passphrase_dialogs import ExportDialog, UnlockDialog
from app.qt.state import PassphraseAsked
from lmkl_core.model_file.sealed import SHORTEST_PASSPHRASE, check_passphrase

if TYPE_CHECKING:
    from app.qt.main_window import MainWindow

PATTERN = f"lmkl-pad models (*{SUFFIX} *{PROTECTED_SUFFIX});;All files (*)"
PLAIN_PATTERN = f"lmkl-pad models (*{SUFFIX});;All files (*)"
PROTECTED_PATTERN = f"Protected lmkl-pad models (*{PROTECTED_SUFFIX});;All files (*)"
NAME = "face"


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
        model.not_exported.connect(self._on_not_exported)
        model.passphrase_asked.connect(self._on_passphrase_asked)
        model.opening_ended.connect(self._on_opening_ended)
        # The program ends with its last window, and an open question would be one.
        window.closed.connect(self._on_opening_ended)

    def folder(self) -> str:
        """Where dialogs begin: where the last model lies, else at home."""
        recent = self._controller.settings.recent
        return str(Path(recent[0]).parent if recent else Path.home())

    # ------------------------------------------------------------- opening

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
            self._unlock.passphrase_given.connect(self._on_passphrase)
            self._unlock.rejected.connect(self._model.stay_shut)
        self._unlock.ask(asked)

    @Slot(str, str)
    def _on_passphrase(self, path: str, passphrase: str) -> None:
        self._model.open(path, passphrase)

    @Slot()
    def _on_opening_ended(self) -> None:
        if (dialog := self._unlock) is not None:
            self._unlock = None
            dialog.hide()
            dialog.deleteLater()

    # ------------------------------------------------------------- exporting

    @Slot()
    def export(self) -> None:
        """Ask whether the model shall be protected and where it goes, and export it."""
        is_chosen, passphrase = self._ask_for_protection()
        path = self._ask_for_file(passphrase is not None) if is_chosen else ""
        if path:
            self._model.export(path, passphrase)
        else:
            self.close_after_export = False

    def _ask_for_protection(self) -> tuple[bool, str | None]:
        """Return whether to go on, and the passphrase if there is to be one."""
        advice = (
            f"At least {SHORTEST_PASSPHRASE} characters. Four or five words that do not belong "
            "together are easy to keep and hard to guess."
        )
        dialog = ExportDialog(check_passphrase, advice, self._is_protected, self._window)
        is_chosen = dialog.exec() == ExportDialog.DialogCode.Accepted
        passphrase = dialog.take_passphrase()
        dialog.deleteLater()
        return is_chosen, passphrase if is_chosen else None

    def _ask_for_file(self, is_protected: bool) -> str:
        """Return a path whose ending tells whether the file is protected; empty for none."""
        suffix = PROTECTED_SUFFIX if is_protected else SUFFIX
        start = str(Path(self.folder()) / f"{NAME}{suffix}")
        pattern = PROTECTED_PATTERN if is_protected else PLAIN_PATTERN
        typed, _ = QFileDialog.getSaveFileName(self._window, "Export the model", start, pattern)
        if not typed:
            return ""
        path = with_right_ending(Path(typed), is_protected)
        if path != Path(typed) and path.exists():  # which the file dialog did not ask about
            text, yes = f"{path.name} is there already. Replace it?", QMessageBox.StandardButton.Yes
            return str(path) if confirm(self._window, "Replace the file?", text, yes) else ""
        return str(path)

    # ------------------------------------------------------------- keeping up

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        """Propose a passphrase for what grew out of a protected model."""
        if model is None or model.path:
            self._is_protected = model is not None and model.is_protected

    @Slot(object)
    def _on_exported(self, _export: object) -> None:
        if self.close_after_export:
            self.close_after_export = False
            self._window.close()

    @Slot()
    def _on_not_exported(self) -> None:
        self.close_after_export = False


def confirm(
    parent: QWidget,
    title: str,
    text: str,
    yes: QMessageBox.StandardButton = QMessageBox.StandardButton.Close,
) -> bool:
    """Ask before something is lost; Cancel is the default."""
    cancel = QMessageBox.StandardButton.Cancel
    box = QMessageBox(QMessageBox.Icon.Question, title, text, yes | cancel, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # a name may look like markup
    box.setDefaultButton(cancel)
    answer = box.exec()
    box.deleteLater()
    return answer == yes


def with_right_ending(path: Path, is_protected: bool) -> Path:
    """Return a path whose name promises protection if, and only if, there is some.

    Only names with that promise are held to it: under any other, a file that somebody put in the
    place of a protected one would be opened.
    """
    ending = path.suffix.lower()
    if is_protected:
        if ending == PROTECTED_SUFFIX:
            return path
        stem = path.stem if ending == SUFFIX else path.name
        return path.with_name(stem + PROTECTED_SUFFIX)
    return path.with_suffix(SUFFIX) if ending in ("", PROTECTED_SUFFIX) else path
