"""The step in which something is held before the camera: start, progress, outcome, stop."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.theme import GRID, set_class
from app.qt.views.trial.step_heading import MARGIN, Note, StepHeading
from app.qt.views.trial.trial_words import judgement, species_words
from app.session.guided_test.state import TrialState

_STEPS = 1000


class PresentCard(QFrame):
    """A card with the buttons Present and Stop, a bar and a sentence.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

    started = Signal()
    """Present was pressed."""
    stopped = Signal()
    """Stop was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._is_presenting = False
        self._newest = 0
        self._outcome = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GRID + 4)
        self._heading = StepHeading(2)
        column.addWidget(self._heading)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        column.addLayout(row)
        self.present_button = QPushButton(icon("play", "on_accent"), self.tr("Present"))
        set_class(self.present_button, "primary")
        self.present_button.clicked.connect(self.started)
        row.addWidget(self.present_button, 1)
        self.stop_button = QPushButton(icon("stop"), self.tr("Stop"))
        self.stop_button.setToolTip(
            self.tr("End the presentation now; it counts if it can be judged already (Esc).")
        )
        self.stop_button.setEnabled(False)
        self.stop_button.clicked.connect(self.stopped)
        row.addWidget(self.stop_button)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the presentation"))
        column.addWidget(self.bar)
        self.hint = Note()
        self.hint.hide()
        column.addWidget(self.hint)
        self.set_simulated(False)

    def show_trial(self, trial: TrialState) -> None:
        """Show how far the presentation is, or what became of the last one."""
        is_presenting = bool(trial.presenting)
        value = round(_STEPS * min(max(trial.progress, 0.0), 1.0)) if is_presenting else 0
        if self.bar.value() != value:
            self.bar.setValue(value)
        newest = trial.presentations[-1] if trial.presentations else None
        number = newest.number if newest else 0
        if newest is not None and number > self._newest and not is_presenting:
            self._outcome = trial.hint
            self.hint.set_icon(*judgement(newest))
            self.hint.set_text(trial.hint)
        elif trial.hint != self._outcome or number < self._newest:
            self._outcome = ""
            self.hint.set_icon("")
            self.hint.set_text(trial.hint)
        self.hint.setVisible(bool(trial.hint))
        self._newest = number
        if is_presenting != self._is_presenting:
            self._is_presenting = is_presenting
            self._swap_buttons(is_presenting)

    def set_simulated(self, is_simulated: bool) -> None:
        """Say who holds it up: the person, or the demo."""
        self._heading.set_text(
            self.tr("Press Present: the demo holds it up")
            if is_simulated
            else self.tr("Hold it before the camera, then press Present")
        )

    def set_possible(self, is_possible: bool, why_not: str, species: str) -> None:
        """Allow or refuse a presentation, with the reason, and name what it will be."""
        can = is_possible and not self._is_presenting
        if self.present_button.isEnabled() != can:
            self.present_button.setEnabled(can)
        what = species_words(species)
        text = self.tr("Present: {what}").format(what=what) if species else self.tr("Present")
        # A long name of one's own must not make the page wider than the window.
        most = self.fontMetrics().averageCharWidth() * 26
        text = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, most)
        if self.present_button.text() != text:
            self.present_button.setText(text)
        self.present_button.setToolTip(
            self.tr("Begin to judge what stands before the camera (P or Space).")
            if is_possible
            else why_not
        )

    def _swap_buttons(self, is_presenting: bool) -> None:
        # The focus goes with what can be pressed, so that the keyboard alone suffices.
        had_focus = self.present_button.hasFocus() or self.stop_button.hasFocus()
        self.stop_button.setEnabled(is_presenting)
        self.present_button.setEnabled(not is_presenting)
        if had_focus:
            target = self.stop_button if is_presenting else self.present_button
            target.setFocus(Qt.FocusReason.OtherFocusReason)
