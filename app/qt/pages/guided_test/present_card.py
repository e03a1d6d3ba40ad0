"""The step in which something is held before the camera: start, progress, outcome, stop."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from app.qt.pages.guided_test.species import judgement, species_words
from app.qt.theme import GRID, set_class
from app.qt.widgets.layout import button, hbox, vbox
from app.qt.widgets.marks import MarkedText, StepHeading
from app.session.guided_test.guided_test import GuidedTestState

MARGIN = GRID + 4
"""Pixels around what lies in a card of the page, and between its parts."""

_STEPS = 1000


class PresentCard(QFrame):
    """A card with the buttons Present and Stop, a bar and a sentence."""

    started = Signal()
    stopped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._is_presenting = False
        self._newest = 0
        self._outcome = ""
        self._heading = StepHeading(2)
        self.present_button = button("Present", "play", self.started, kind="primary")
        tip = "End the presentation now; it counts if it can be judged already (Esc)."
        self.stop_button = button("Stop", "stop", self.stopped, tip=tip)
        self.stop_button.setEnabled(False)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the presentation")
        self.hint = MarkedText()
        buttons = hbox(None, (self.present_button, 1), self.stop_button)
        parts = (self._heading, buttons, self.bar, self.hint)
        vbox(self, *parts, margins=MARGIN, spacing=MARGIN)
        self.set_simulated(False)

    def show_guided_test(self, guided_test: GuidedTestState) -> None:
        """Show how far the presentation is, or what became of the last one."""
        is_presenting = bool(guided_test.presenting)
        value = round(_STEPS * min(max(guided_test.progress, 0.0), 1.0)) if is_presenting else 0
        if self.bar.value() != value:
            self.bar.setValue(value)
        newest = guided_test.presentations[-1] if guided_test.presentations else None
        number = newest.number if newest else 0
        if newest is not None and number > self._newest and not is_presenting:
            self._outcome = guided_test.hint
            self.hint.set_icon(*judgement(newest))
        elif guided_test.hint != self._outcome or number < self._newest:
            self._outcome = ""
            self.hint.set_icon("")
        self.hint.show_text(guided_test.hint)
        self._newest = number
        if is_presenting != self._is_presenting:
            self._is_presenting = is_presenting
            self._swap_buttons(is_presenting)

    def set_simulated(self, is_simulated: bool) -> None:
        """Say who holds it up: the person, or the demo."""
        self._heading.set_text(
            "Press Present: the demo holds it up"
            if is_simulated
            else "Hold it before the camera, then press Present"
        )

    def set_possible(self, why_not: str, species: str) -> None:
        """Allow a presentation or say why there cannot be one, and name what it will be."""
        can = not why_not and not self._is_presenting
        if self.present_button.isEnabled() != can:
            self.present_button.setEnabled(can)
        text = f"Present: {species_words(species)}" if species else "Present"
        # A long typed name must not make the page wider than the window.
        most = self.fontMetrics().averageCharWidth() * 26
        text = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, most)
        if self.present_button.text() != text:
            self.present_button.setText(text)
        self.present_button.setToolTip(
            why_not or "Begin to judge what stands before the camera (P or Space)."
        )

    def _swap_buttons(self, is_presenting: bool) -> None:
        # The focus goes with what can be pressed, so that the keyboard alone suffices.
        had_focus = self.present_button.hasFocus() or self.stop_button.hasFocus()
        self.stop_button.setEnabled(is_presenting)
        self.present_button.setEnabled(not is_presenting)
        if had_focus:
            target = self.stop_button if is_presenting else self.present_button
            target.setFocus(Qt.FocusReason.OtherFocusReason)
