"""The bar at the foot of the enrolment: undo, fit, and why a model cannot be fitted yet."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.theme import set_class
from app.qt.views.parts.texts import set_text, wrapped
from app.session.takes import EnrolmentState

UNDO_SHORTCUT = QKeySequence.StandardKey.Undo
FIT_SHORTCUT = "Ctrl+F"


class FitBar(QFrame):
    """Undo on the left, fit on the right, and one line of words above them.

    Parameters
    ----------
    parent : QWidget, optional
        Its owner.
    """

    undo_requested = Signal()
    fit_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._can_undo = self._can_fit = self._is_recording = False
        self._why_not = ""
        self._n_frames = 0
        self._is_busy = self._has_model = False
        self._n_unmodelled = 0
        self._state: tuple[object, ...] = ()
        self.words = wrapped(kind="muted", parent=self)
        self.undo_button = QPushButton(icon("undo"), self.tr("Undo"), self)
        self.undo_button.setToolTip(
            self.tr("Take back the last change to the takes ({keys}).").format(
                keys=_native(QKeySequence(UNDO_SHORTCUT))
            )
        )
        self.undo_button.clicked.connect(self.undo)
        self.fit_button = QPushButton(self)
        self.fit_button.clicked.connect(self.fit)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.undo_button)
        row.addStretch(1)
        row.addWidget(self.fit_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addWidget(self.words)
        column.addLayout(row)
        self._refresh()

    def show_enrolment(self, shown: EnrolmentState) -> None:
        """Take what can be undone and whether a model can be fitted."""
        self._can_undo, self._can_fit = shown.can_undo, shown.can_fit
        self._why_not, self._is_recording = shown.why_not, bool(shown.collecting)
        self._n_frames = sum(take.n_samples for take in shown.takes)
        self._refresh()

    def set_busy(self, is_busy: bool) -> None:
        """Say whether a model is being fitted."""
        self._is_busy = is_busy
        self._refresh()

    def set_model_present(self, is_present: bool, n_unmodelled: int) -> None:
        """Say whether there is a model, and how many frames it does not know."""
        self._has_model, self._n_unmodelled = is_present, n_unmodelled
        self._refresh()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """What the tab key stops at, in order."""
        return self.undo_button, self.fit_button

    @property
    def may_undo(self) -> bool:
        """Whether there is something to take back, and no take being recorded."""
        return self._can_undo and not self._is_recording

    @property
    def may_fit(self) -> bool:
        """Whether a model can be fitted now."""
        return self._can_fit and not self._is_recording and not self._is_busy

    @Slot()
    def undo(self) -> None:
        """Ask for the last change to be taken back, if there is one."""
        if self.may_undo:
            self.undo_requested.emit()

    @Slot()
    def fit(self) -> None:
        """Ask for a model, if one can be fitted."""
        if self.may_fit:
            self.fit_requested.emit()

    def _refresh(self) -> None:
        n_new = self._n_unmodelled if self._has_model else self._n_frames
        words = self._in_words(n_new)
        state = (words, self.may_undo, self.may_fit, n_new, self._fit_text())
        if state == self._state:
            return
        self._state = state
        set_text(self.words, words)
        self.undo_button.setEnabled(self.may_undo)
        self.fit_button.setEnabled(self.may_fit)
        set_class(self.fit_button, "primary" if self.may_fit and n_new else "")
        self.fit_button.setText(self._fit_text())
        keys = _native(QKeySequence(FIT_SHORTCUT))
        how = self.tr("Learn from all frames of all takes ({keys}).").format(keys=keys)
        self.fit_button.setToolTip(how if self.may_fit else words)
        self.fit_button.setAccessibleDescription(words)

    def _fit_text(self) -> str:
        if self._is_busy:
            return self.tr("Fitting\N{HORIZONTAL ELLIPSIS}")
        return self.tr("Fit again") if self._has_model else self.tr("Fit model")

    def _in_words(self, n_new: int) -> str:
        if self._is_busy:
            return self.tr("The model is being fitted.")
        if not self._can_fit:
            return self._why_not
        if not self._has_model:
            return self.tr("{n} frames are ready to learn from.").format(n=self._n_frames)
        if n_new == 0:
            return self.tr("The model knows all frames.")
        if n_new == 1:
            return self.tr("The model does not know 1 frame yet: fit again.")
        return self.tr("The model does not know {n} frames yet: fit again.").format(n=n_new)


def _native(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)
