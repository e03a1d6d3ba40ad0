"""The verdict in words, colour and shape, with its figures and the rule.

Verdicts are known here by their texts: `app.types` is loaded after the first frame is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from app.qt import icons, theme

if TYPE_CHECKING:
    from app.session.takes import EnrolmentState
    from app.types import Decision, Verdict

READABLE = 250
"""Milliseconds between changes of figures: faster ones cannot be read."""

ICON = 40

_LOOKING, _NO_MODEL, _UNFAMILIAR = "looking", "no model", "unfamiliar conditions"
_BANNERS = {
    "genuine": "banner-good",
    "attack": "banner-bad",
    _UNFAMILIAR: "banner-caution",
    "poor quality": "banner-caution",
    "bad frame": "banner-caution",
}


class VerdictBanner(QFrame):
    """What the person is told: the verdict at once, its figures at a readable rate.

    While a take is recorded, and while frames wait to be learnt from, it tells of that instead.
    """

    take_requested = Signal(object)
    """The person wants the present circumstances added; carries the `Decision`."""
    enrol_requested = Signal()
    fit_requested = Signal()
    stop_requested = Signal()
    """The take that is being recorded shall end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Decision | None = None
        self._newest: Decision | None = None
        self._enrolment: EnrolmentState | None = None
        self._is_fitting = False
        self._icon = QLabel()
        self._icon.setFixedSize(ICON, ICON)
        self._icon_of = ""
        self._headline, self._figures, self._reason = QLabel(), QLabel(), QLabel()
        theme.set_class(self._headline, "title")
        theme.set_class(self._figures, "heading")
        self._reason.setWordWrap(True)
        self._reason.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._rule = QLabel(self.tr("Rule: mean of the last 15 frames against the threshold"))
        theme.set_class(self._rule, "small")
        self._make_buttons()
        self._lay_out()
        self._timer = QTimer(self, interval=READABLE)
        self._timer.timeout.connect(self._refresh)
        theme.notifier().changed.connect(self._on_theme)
        self._write()

    def _make_buttons(self) -> None:
        self._add = QPushButton(self.tr("It is live: add 10 seconds"))
        self._add.setToolTip(
            self.tr(
                "Record these circumstances and fold them into the model at once. Never do this "
                "with a photo, a screen or a mask before the camera."
            )
        )
        self._enrol = QPushButton(self.tr("Enrol a face"))
        self._fit = QPushButton(self.tr("Fit model"))
        self._stop = QPushButton(self.tr("Stop"))
        for button in (self._enrol, self._fit):
            theme.set_class(button, "primary")
        self._add.clicked.connect(self._on_add)
        self._enrol.clicked.connect(self.enrol_requested)
        self._fit.clicked.connect(self.fit_requested)
        self._stop.clicked.connect(self.stop_requested)

    # ------------------------------------------------------------- values

    @property
    def verdict(self) -> Verdict:
        """The verdict that is shown."""
        from app.types import Verdict

        return Verdict.LOOKING if self._shown is None else self._shown.verdict

    @property
    def text(self) -> str:
        """Everything that is written, for tests and for reading aloud."""
        return f"{self._headline.text()}. {self._figures.text()} {self._reason.text()}"

    def show_decision(self, decision: Decision) -> None:
        """Show a decision; figures alone wait for their turn."""
        self._newest = decision
        if self._shown is None or decision.verdict is not self._shown.verdict:
            self._write()

    def show_enrolment(self, enrolment: EnrolmentState) -> None:
        """Tell of a take that is being recorded, and of frames that wait to be learnt from."""
        self._enrolment = enrolment
        self._write()

    def set_fitting(self, is_fitting: bool) -> None:
        """Tell that a model is being fitted."""
        self._is_fitting = is_fitting
        self._write()

    # ------------------------------------------------------------- Qt

    def showEvent(self, event: QShowEvent, /) -> None:
        """Figures change only while they can be seen."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent, /) -> None:
        """See `showEvent`."""
        self._timer.stop()
        super().hideEvent(event)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self._headline)
        top.addStretch(1)
        top.addWidget(self._figures)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self._reason, 1)
        for button in (self._add, self._enrol, self._fit, self._stop):
            below.addWidget(button)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 12, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addWidget(self._icon, 0, 0, 2, 1)
        grid.addLayout(top, 0, 1)
        grid.addLayout(below, 1, 1)
        grid.addWidget(self._rule, 2, 1)
        grid.setColumnStretch(1, 1)
        # Always room for three lines or a button, and for the rule: otherwise the picture above
        # would jump with every verdict.
        lines = 3 * self.fontMetrics().lineSpacing() + 2
        grid.setRowMinimumHeight(1, max(lines, self._enrol.sizeHint().height()))
        grid.setRowMinimumHeight(2, self._rule.sizeHint().height())

    # ------------------------------------------------------------- writing

    def _write(self) -> None:
        """Show the newest decision, or what is going on."""
        decision = self._shown = self._newest
        verdict = _LOOKING if decision is None else str(decision.verdict)
        activity = self._activity(verdict)
        reason = "" if decision is None else decision.reason
        headline, reason = activity or (self._headline_of(verdict), reason)
        self._headline.setText(headline)
        self._reason.setText(reason)
        self._figures.setText("" if activity else self._figures_of(decision))
        self._rule.setVisible(bool(self._figures.text()))
        theme.set_class(self, _BANNERS.get("" if activity else verdict, "banner-info"))
        self._paint_icon(_LOOKING if activity else verdict)
        self._show_buttons(verdict)
        for part in (self._figures, self._reason, self._rule):
            part.setToolTip("" if decision is None else decision.rule)
        self.setAccessibleName(self.tr("Verdict: {text}").format(text=self.text))

    def _activity(self, verdict: str) -> tuple[str, str] | None:
        """Headline and sentence of what is going on, where that matters more than a verdict."""
        taken = self._enrolment
        if taken is not None and taken.collecting:
            headline = self.tr("Recording “{name}”: {n} of {wanted}")
            return (
                headline.format(name=taken.collecting, n=taken.n_collected, wanted=taken.n_wanted),
                taken.hint,
            )
        if verdict != _NO_MODEL:
            return None
        if self._is_fitting:
            return self.tr("Learning…"), self.tr("A model is being fitted on what was recorded.")
        if taken is not None and taken.can_fit:
            headline = self.tr("Ready to learn: {n} frames").format(n=len(taken.samples))
            return headline, self.tr("Fit the model now, or record another light first.")
        return None

    def _show_buttons(self, verdict: str) -> None:
        taken = self._enrolment
        is_recording = taken is not None and bool(taken.collecting)
        is_idle = not is_recording and not self._is_fitting
        can_fit = taken is not None and taken.can_fit
        self._add.setVisible(verdict == _UNFAMILIAR and is_idle)
        self._fit.setVisible(verdict == _NO_MODEL and is_idle and can_fit)
        self._enrol.setVisible(verdict == _NO_MODEL and is_idle and not can_fit)
        self._stop.setVisible(is_recording)

    def _headline_of(self, verdict: str) -> str:
        return {
            "genuine": self.tr("Genuine"),
            "attack": self.tr("Attack"),
            _UNFAMILIAR: self.tr("Unfamiliar conditions"),
            "no face": self.tr("No face"),
            "poor quality": self.tr("Poor quality"),
            "bad frame": self.tr("No usable picture"),
            _LOOKING: self.tr("Looking…"),
            _NO_MODEL: self.tr("Nobody is enrolled yet"),
        }[verdict]

    def _figures_of(self, decision: Decision | None) -> str:
        if decision is None or decision.score is None or decision.threshold is None:
            return ""
        sign = "≥" if decision.score >= decision.threshold else "<"
        return self.tr("mean {score:.3f} {sign} {threshold:.3f}").format(
            score=decision.score, sign=sign, threshold=decision.threshold
        )

    def _paint_icon(self, verdict: str) -> None:
        if verdict != self._icon_of:
            self._icon_of = verdict
            self._icon.setPixmap(icons.verdict_icon(verdict).pixmap(ICON, ICON))

    @Slot()
    def _refresh(self) -> None:
        if self._newest is not None and self._newest != self._shown:
            self._write()

    @Slot()
    def _on_add(self) -> None:
        self.take_requested.emit(self._shown)

    @Slot()
    def _on_theme(self) -> None:
        verdict, self._icon_of = self._icon_of, ""
        self._paint_icon(verdict)
