"""Before a model is exported: what the file holds, and whether a passphrase protects it."""

from collections.abc import Callable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.qt.theme import GRID
from app.qt.views.dialogs.passphrase_edit import PassphraseDialog, PassphraseEdit, SeeTyped
from app.qt.views.dialogs.settings_fields import line
from app.qt.views.parts.texts import caution


class ExportDialog(PassphraseDialog):
    """Asks whether the file shall be protected; where it goes is asked next.

    Parameters
    ----------
    check : callable
        Says in one sentence why a passphrase cannot be used; empty if it can.
    advice : str
        What makes a good one.
    is_protected : bool
        What is proposed.
    parent : QWidget, optional
        The window it belongs to.
    """

    def __init__(
        self,
        check: Callable[[str], str],
        *,
        advice: str = "",
        is_protected: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            self.tr("Export the model"),
            self.tr("&Choose a file\N{HORIZONTAL ELLIPSIS}"),
            parent,
        )
        self._check = check
        self.protect = QCheckBox(self.tr("&Protect the file with a passphrase"), self)
        self.first = PassphraseEdit(self.tr("P&assphrase"), self)
        self.second = PassphraseEdit(self.tr("The same &once more"), self)
        self.see = SeeTyped(self.first, self.second, parent=self)
        self.problem = line("", "bad")
        self.problem.setMinimumHeight(self.problem.sizeHint().height())  # nothing jumps
        self.unprotected = line(
            self.tr("Whoever gets the file can use the model, and change it unnoticed."), "muted"
        )
        self._forgotten = caution(
            self.tr(
                "Nobody can open the model without the passphrase, not even we. "
                "If it is lost, enrol again."
            ),
            self,
        )
        self._advice = line(advice, "small")
        self._protected = QWidget(self)
        self._arrange()
        self.protect.setChecked(is_protected)
        self.protect.toggled.connect(self._on_protect)
        for edit in (self.first, self.second):
            edit.line.textChanged.connect(self._on_typed)
        self._show_parts()
        (self.first.line if is_protected else self.go_on).setFocus()

    @property
    def is_protected(self) -> bool:
        """Whether a passphrase is wanted."""
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

    def _arrange(self) -> None:
        inner = QVBoxLayout(self._protected)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(GRID)
        for widget in (
            self.first,
            self._advice,
            self.second,
            self.see,
            self._forgotten,
            self.problem,
        ):
            inner.addWidget(widget)
        words = self.tr(
            "The file holds no pictures, but what the networks see in the enrolled frames: "
            "biometric data of the person."
        )
        self.arrange(line(words, ""), self.protect, self.unprotected, self._protected)

    @Slot(bool)
    def _on_protect(self, is_wanted: bool) -> None:
        self._show_parts()
        if is_wanted:
            self.first.line.setFocus()

    @Slot()
    def _on_typed(self) -> None:
        self._show_problem()

    def _show_parts(self) -> None:
        self._protected.setVisible(self.is_protected)
        self.unprotected.setVisible(not self.is_protected)
        self._show_problem()

    def _show_problem(self) -> None:
        self.problem.setText(self._problem() if self.is_protected else "")
        self.go_on.setEnabled(self._is_good())

    def _problem(self) -> str:
        """What is wrong, as far as it can be told before all is typed."""
        first, second = self.first.text(), self.second.text()
        if second and not first.startswith(second):
            return self.tr("The two passphrases are not the same.")
        return self._check(first) if second else ""

    def _is_good(self) -> bool:
        first, second = self.first.text(), self.second.text()
        return not self.is_protected or (first == second and not self._check(first))
