"""The verdict in words, colour and shape, with its figures and the rule.

Verdicts are known here by their texts: `app.types` is loaded after the first frame is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from app.qt import icons, theme

if TYPE_CHECKING:
    from app.shown import Decision
    from app.types import Verdict

READABLE = 250
"""Milliseconds between changes of figures: faster ones cannot be read."""

ICON = 40

_BANNERS = {
    "genuine": "banner-good",
    "attack": "banner-bad",
    "unfamiliar conditions": "banner-caution",
    "poor quality": "banner-caution",
    "bad frame": "banner-caution",
}


class VerdictBanner(QFrame):
    """What the person is told: the verdict at once, its figures at a readable rate."""

    take_requested = Signal(object)
    """The person wants the present circumstances added; carries the `Decision`."""
    enrol_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Decision | None = None
        self._newest: Decision | None = None
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
        self._announce("looking")

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

    def _headline_of(self, verdict: str) -> str:
        return {
            "genuine": self.tr("Genuine"),
            "attack": self.tr("Attack"),
            "unfamiliar conditions": self.tr("Unfamiliar conditions"),
            "no face": self.tr("No face"),
            "poor quality": self.tr("Poor quality"),
            "bad frame": self.tr("No usable picture"),
            "looking": self.tr("Looking…"),
            "no model": self.tr("Nobody is enrolled yet"),
        }[verdict]

    def _write(self, decision: Decision) -> None:
        if self._shown is None or decision.verdict is not self._shown.verdict:
            self._announce(decision.verdict)
        self._shown = decision
        self._figures.setText(self._figures_of(decision))
        self._figures.setToolTip(decision.rule)
        self._reason.setText(decision.reason)
        self._reason.setToolTip(decision.rule)
        self.setAccessibleName(self.tr("Verdict: {text}").format(text=self.text))

    def _announce(self, verdict: str) -> None:
        """Show what goes with a verdict, whatever its figures."""
        self._headline.setText(self._headline_of(verdict))
        theme.set_class(self, _BANNERS.get(verdict, "banner-info"))
        self._paint_icon(verdict)
        self._add.setVisible(verdict == "unfamiliar conditions")
        self._enrol.setVisible(verdict == "no model")
        self.setAccessibleName(self.tr("Verdict: {text}").format(text=self.text))

    def _figures_of(self, decision: Decision) -> str:
        if decision.score is None or decision.threshold is None:
            return ""
        sign = "≥" if decision.score >= decision.threshold else "<"
        return self.tr("score {score:.3f} {sign} {threshold:.3f}").format(
            score=decision.score, sign=sign, threshold=decision.threshold
        )

    def _paint_icon(self, verdict: str) -> None:
        self._icon.setPixmap(icons.verdict_icon(verdict).pixmap(ICON, ICON))

    @Slot()
    def _refresh(self) -> None:
        if self._newest is not None and self._newest != self._shown:
            self._write(self._newest)

    @Slot()
    def _on_add(self) -> None:
        self.take_requested.emit(self._shown)

    @Slot()
    def _on_theme(self) -> None:
        self._paint_icon(self.verdict)
