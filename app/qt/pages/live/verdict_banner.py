"""The verdict as text, colour and icon, with its figures and the rule."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.qt import theme
from app.qt.theme import icons
from app.qt.widgets.layout import activate, button, grid, hbox
from app.qt.widgets.texts import Mark
from app.qt.widgets.throttle import Throttle
from app.session.decision import WINDOW
from app.session.takes import EnrolmentState
from app.types import Decision, Verdict

FIGURES_MS = 250
"""Minimum milliseconds between changes of the figures, so that they can be read."""

ICON = 40

_BANNERS = {
    Verdict.GENUINE: "banner-good",
    Verdict.ATTACK: "banner-bad",
    Verdict.UNFAMILIAR: "banner-caution",
    Verdict.POOR_QUALITY: "banner-caution",
    Verdict.BAD_FRAME: "banner-caution",
}
_HEADLINES = {
    Verdict.BAD_FRAME: "No usable picture",
    Verdict.LOOKING: "Looking…",
}
"""Headlines that differ from the value of the verdict."""


class VerdictBanner(QFrame):
    """Shows a new verdict at once, and changes of its figures at a readable rate.

    While a take is recorded or frames wait for a fit, it shows that instead.
    """

    take_requested = Signal(object)
    """Request a take in the current conditions; carries the `Decision`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._newest = self._decision = Decision(Verdict.LOOKING)
        self._enrolment = EnrolmentState()
        self._is_fitting = False
        self._mark = Mark()
        self._mark.setFixedSize(ICON, ICON)
        self._headline, self._figures, self._reason = QLabel(), QLabel(), QLabel()
        theme.set_class(self._headline, "title")
        theme.set_class(self._figures, "heading")
        self._reason.setWordWrap(True)
        self._reason.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._rule = QLabel(f"Rule: mean of the last {WINDOW} frames compared with the threshold")
        theme.set_class(self._rule, "small")
        self._add = button(
            "It is live: add 10 seconds",
            slot=self._on_add,
            tip="Record these conditions and add them to the model at once. Never do this with "
            "a photo, a screen or a mask in front of the camera.",
        )
        self.enrol_button = button("Enrol a face", kind="primary")
        self.fit_button = button("Fit model", kind="primary")
        self.stop_button = button("Stop")
        self._lay_out()
        self._throttle = Throttle(self, FIGURES_MS, self._refresh)
        self._refresh()

    @property
    def verdict(self) -> Verdict:
        return self._decision.verdict

    @property
    def text(self) -> str:
        """All text, for screen readers."""
        return f"{self._headline.text()}. {self._figures.text()} {self._reason.text()}"

    def show_decision(self, decision: Decision) -> None:
        """Show a decision; if only its figures changed, at a limited rate."""
        self._newest = decision
        if decision.verdict is not self._decision.verdict:
            self._refresh()
        elif decision != self._decision:
            self._throttle.mark_stale()

    @Slot(object)
    def show_enrolment(self, enrolment: EnrolmentState) -> None:
        self._enrolment = enrolment
        self._refresh()

    @Slot(bool)
    def set_fitting(self, is_fitting: bool) -> None:
        self._is_fitting = is_fitting
        self._refresh()

    def _lay_out(self) -> None:
        below = hbox(
            None, (self._reason, 1), self._add, self.enrol_button, self.fit_button, self.stop_button
        )
        layout = grid(self, 12, 2, 0, 1)
        layout.setContentsMargins(12, 10, 12, 8)
        layout.addWidget(self._mark, 0, 0, 2, 1)
        layout.addLayout(hbox(None, self._headline, 1, self._figures, spacing=12), 0, 1)
        layout.addLayout(below, 1, 1)
        layout.addWidget(self._rule, 2, 1)
        # Reserve room for three lines or a button, and for the rule, so that the picture above
        # keeps its size.
        lines = 3 * self.fontMetrics().lineSpacing() + 2
        layout.setRowMinimumHeight(1, max(lines, self.enrol_button.sizeHint().height()))
        layout.setRowMinimumHeight(2, self._rule.sizeHint().height())

    @Slot()
    def _refresh(self) -> None:
        decision = self._decision = self._newest
        verdict = decision.verdict
        activity = self._activity()
        verdict_text = _HEADLINES.get(verdict, verdict.value.capitalize())
        headline, reason = activity or (verdict_text, decision.reason)
        self._headline.setText(headline)
        self._reason.setText(reason)
        self._figures.setText("" if activity else _figures_of(decision))
        self._rule.setVisible(bool(self._figures.text()))
        kind = "banner-info" if activity else _BANNERS.get(verdict, "banner-info")
        theme.set_class(self, kind)
        self._mark.set_shape(*icons.VERDICTS[Verdict.LOOKING if activity else verdict])
        self._show_buttons()
        for part in (self._figures, self._reason, self._rule):
            part.setToolTip(decision.rule)
        self.setAccessibleName(f"Verdict: {self.text}")
        activate(self)

    def _activity(self) -> tuple[str, str] | None:
        """Return headline and sentence of an activity that is more important than the verdict."""
        enrolment = self._enrolment
        if enrolment.collecting:
            count = f"{enrolment.n_collected} of {enrolment.n_wanted}"
            return f"Recording “{enrolment.collecting}”: {count}", enrolment.hint
        if self.verdict is not Verdict.NO_MODEL:
            return None
        if self._is_fitting:
            return "Fitting…", "A model is being fitted to the recorded frames."
        if enrolment.can_fit:
            headline = f"Ready to fit: {len(enrolment.samples)} frames"
            return headline, "Fit the model now, or record another take in different light first."
        return None

    def _show_buttons(self) -> None:
        is_recording, can_fit = bool(self._enrolment.collecting), self._enrolment.can_fit
        verdict = None if is_recording or self._is_fitting else self.verdict
        self._add.setVisible(verdict is Verdict.UNFAMILIAR)
        self.fit_button.setVisible(verdict is Verdict.NO_MODEL and can_fit)
        self.enrol_button.setVisible(verdict is Verdict.NO_MODEL and not can_fit)
        self.stop_button.setVisible(is_recording)

    @Slot()
    def _on_add(self) -> None:
        self.take_requested.emit(self._decision)


def _figures_of(decision: Decision) -> str:
    if decision.score is None or decision.threshold is None:
        return ""
    sign = "≥" if decision.score >= decision.threshold else "<"
    return f"mean {decision.score:.3f} {sign} {decision.threshold:.3f}"
