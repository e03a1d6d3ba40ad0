"""The verdict in words, colour and shape, with its figures and the rule."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from app.qt import icons, theme
from app.shown import Decision
from app.types import Verdict

READABLE = 250
"""Milliseconds between changes of figures: faster ones cannot be read."""

ICON = 40

_BANNERS = {
    Verdict.GENUINE: "banner-good",
    Verdict.ATTACK: "banner-bad",
    Verdict.UNFAMILIAR: "banner-caution",
    Verdict.POOR_QUALITY: "banner-caution",
    Verdict.BAD_FRAME: "banner-caution",
}


class VerdictBanner(QFrame):
    """What the person is told: the verdict at once, its figures at a readable rate."""

    take_requested = Signal(object)
    """The person wants the present circumstances added; carries the `Decision`."""
    enrol_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = Decision(Verdict.LOOKING)
        self._newest = self._shown
        self._icon = QLabel()
        self._icon.setFixedSize(ICON, ICON)
        self._headline, self._figures = QLabel(), QLabel()
        theme.set_class(self._headline, "title")
        theme.set_class(self._figures, "heading")
        self._reason = QLabel()
        self._reason.setWordWrap(True)
        self._add = QPushButton(self.tr("Add a 10-second take"))
        self._add.setToolTip(
            self.tr("Record these circumstances and fold them into the model at once")
        )
        self._enrol = QPushButton(self.tr("Enrol a face"))
        theme.set_class(self._enrol, "primary")
        self._add.clicked.connect(self._on_add)
        self._enrol.clicked.connect(self.enrol_requested)
        self._lay_out()
        self._timer = QTimer(self, interval=READABLE)
        self._timer.timeout.connect(self._refresh)
        theme.notifier().changed.connect(self._on_theme)
        self._write(self._shown)

    @property
    def verdict(self) -> Verdict:
        """The verdict that is shown."""
        return self._shown.verdict

    @property
    def text(self) -> str:
        """Everything that is written, for tests and for reading aloud."""
        return f"{self._headline.text()}. {self._figures.text()} {self._reason.text()}"

    def show_decision(self, decision: Decision) -> None:
        """Show a decision; figures alone wait for their turn."""
        self._newest = decision
        if decision.verdict is not self._shown.verdict:
            self._write(decision)

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
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addWidget(self._icon, 0, 0, 2, 1)
        grid.addLayout(top, 0, 1)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self._reason, 1)
        below.addWidget(self._add)
        below.addWidget(self._enrol)
        grid.addLayout(below, 1, 1)
        grid.setColumnStretch(1, 1)

    def _headline_of(self, verdict: Verdict) -> str:
        return {
            Verdict.GENUINE: self.tr("Genuine"),
            Verdict.ATTACK: self.tr("Attack"),
            Verdict.UNFAMILIAR: self.tr("Unfamiliar conditions"),
            Verdict.NO_FACE: self.tr("No face"),
            Verdict.POOR_QUALITY: self.tr("Poor quality"),
            Verdict.BAD_FRAME: self.tr("No usable picture"),
            Verdict.LOOKING: self.tr("Looking…"),
            Verdict.NO_MODEL: self.tr("Nobody is enrolled yet"),
        }[verdict]

    def _write(self, decision: Decision) -> None:
        if decision.verdict is not self._shown.verdict or not self._headline.text():
            self._headline.setText(self._headline_of(decision.verdict))
            theme.set_class(self, _BANNERS.get(decision.verdict, "banner-info"))
            self._paint_icon(decision.verdict)
            self._add.setVisible(decision.verdict is Verdict.UNFAMILIAR)
            self._enrol.setVisible(decision.verdict is Verdict.NO_MODEL)
        self._shown = decision
        self._figures.setText(self._figures_of(decision))
        self._figures.setToolTip(decision.rule)
        self._reason.setText(decision.reason)
        self._reason.setToolTip(decision.rule)
        self.setAccessibleName(self.tr("Verdict: {text}").format(text=self.text))

    def _figures_of(self, decision: Decision) -> str:
        if decision.score is None or decision.threshold is None:
            return ""
        sign = "≥" if decision.score >= decision.threshold else "<"
        return self.tr("score {score:.3f} {sign} {threshold:.3f}").format(
            score=decision.score, sign=sign, threshold=decision.threshold
        )

    def _paint_icon(self, verdict: Verdict) -> None:
        self._icon.setPixmap(icons.verdict_icon(verdict).pixmap(ICON, ICON))

    @Slot()
    def _refresh(self) -> None:
        if self._newest != self._shown:
            self._write(self._newest)

    @Slot()
    def _on_add(self) -> None:
        self.take_requested.emit(self._shown)

    @Slot()
    def _on_theme(self) -> None:
        self._paint_icon(self._shown.verdict)
