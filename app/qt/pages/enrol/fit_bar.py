"""The bar at the foot of the enrolment: undo, fit, and why a model cannot be fitted yet."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QWidget

from app.qt.theme import set_class
from app.qt.widgets.layout import button, hbox, vbox
from app.qt.widgets.texts import set_text, wrapped
from app.session.takes import EnrolmentState

UNDO_SHORTCUT = QKeySequence.StandardKey.Undo
FIT_SHORTCUT = "Ctrl+F"


class FitBar(QFrame):
    """Undo on the left, fit on the right, and one line of words above them."""

    undo_requested = Signal()
    fit_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._enrolment = EnrolmentState()
        self._is_busy = self._has_model = False
        self._n_unmodelled = 0
        self._state: tuple[object, ...] = ()
        self.words = wrapped(kind="muted", parent=self)
        tip = f"Take back the last change to the takes ({_native(QKeySequence(UNDO_SHORTCUT))})."
        self.undo_button = button("Undo", "undo", self.undo, tip=tip, parent=self)
        self.fit_button = button("", slot=self.fit, parent=self)
        buttons = hbox(None, self.undo_button, 1, self.fit_button)
        vbox(self, self.words, buttons, margins=(16, 10, 16, 12))
        self._refresh()

    def show_enrolment(self, enrolment: EnrolmentState) -> None:
        """Take what can be undone and whether a model can be fitted."""
        self._enrolment = enrolment
        self._refresh()

    def set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        self._refresh()

    def set_model_present(self, is_present: bool, n_unmodelled: int) -> None:
        """Say whether there is a model, and how many frames it does not know."""
        self._has_model, self._n_unmodelled = is_present, n_unmodelled
        self._refresh()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.undo_button, self.fit_button

    @property
    def may_undo(self) -> bool:
        """Whether there is something to take back, and no take being recorded."""
        return self._enrolment.can_undo and not self._enrolment.collecting

    @property
    def may_fit(self) -> bool:
        taken = self._enrolment
        return taken.can_fit and not taken.collecting and not self._is_busy

    @Slot()
    def undo(self) -> None:
        if self.may_undo:
            self.undo_requested.emit()

    @Slot()
    def fit(self) -> None:
        if self.may_fit:
            self.fit_requested.emit()

    @property
    def _n_frames(self) -> int:
        return sum(take.n_samples for take in self._enrolment.takes)

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
        how = f"Learn from all frames of all takes ({keys})."
        self.fit_button.setToolTip(how if self.may_fit else words)
        self.fit_button.setAccessibleDescription(words)

    def _fit_text(self) -> str:
        if self._is_busy:
            return "Fitting\N{HORIZONTAL ELLIPSIS}"
        return "Fit again" if self._has_model else "Fit model"

    def _in_words(self, n_new: int) -> str:
        if self._is_busy:
            return "The model is being fitted."
        if not self._enrolment.can_fit:
            return self._enrolment.why_not
        if not self._has_model:
            return f"{self._n_frames} frames are ready to learn from."
        if n_new == 0:
            return "The model knows all frames."
        if n_new == 1:
            return "The model does not know 1 frame yet: fit again."
        return f"The model does not know {n_new} frames yet: fit again."


def _native(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)
