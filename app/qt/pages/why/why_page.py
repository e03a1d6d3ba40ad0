"""The page that takes the current score apart: which view, region and cluster gives how much."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from app.models.summary import ModelSummary
from app.qt.charts.contributions import ContributionsChart
from app.qt.controllers.app_controller import AppController
from app.qt.pages.why.score_card import ScoreCard
from app.qt.theme import GRID
from app.qt.theme.icons import VERDICTS, icon
from app.qt.widgets.layout import Unscrolled, button, card, hbox, scroll_area, vbox
from app.qt.widgets.texts import EmptyState, wrapped
from app.session.explanation import explain
from app.types import Decision, ScoredFrame

REFRESH_MS = 200
"""Between two refreshes: numbers that change faster cannot be read."""

PATIENCE = 1.5
"""Seconds of frames without a score after which the last score is put away."""


class WhyPage(QWidget):
    """The newest score in words and as a chart, at a pace that can be read."""

    enrol_requested = Signal()
    """From the empty state: there is no model yet."""

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: ModelSummary | None = None
        self._newest: ScoredFrame | None = None
        self._scored: ScoredFrame | None = None
        self._decision: Decision | None = None
        self._is_stale = False
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self.empty = EmptyState("no-model", parent=self)
        self._enrol = button(
            "Enrol a face",
            "enrol",
            self.enrol_requested,
            tip="Go to enrolment and record the first take",
            kind="primary",
        )
        self.empty.add_button(self._enrol)
        self.score = ScoreCard(self)
        tip = "Keep this frame on show while the camera goes on, or go on with it (H)"
        self.hold = button("Hold", "pause", tip=tip, parent=self)
        self.hold.setCheckable(True)
        self.hold.setAccessibleName("Hold this frame")
        self.hold.toggled.connect(self._on_hold)
        self.chart = ContributionsChart(self)
        QShortcut(QKeySequence("H"), self).activated.connect(self.hold.toggle)
        self._arrange()
        controller.model_changed.connect(self.show_model)
        controller.decision_changed.connect(self.show_decision)
        controller.scored.connect(self._on_scored)
        self.refresh()

    def _arrange(self) -> None:
        content = QWidget()
        vbox(self, scroll_area(content, self))
        self._chart_card, chart_column = card(content)
        chart_column.addWidget(self.chart)
        Unscrolled(self.chart)
        head = hbox(None, (wrapped("Why this score", "title", content), 1), self.hold)
        parts = (head, self.score, self._chart_card, (self.empty, 100))
        vbox(content, *parts, 1, margins=2 * GRID, spacing=GRID + 4)

    def show_scored(self, scored: ScoredFrame) -> None:
        """Take in the next frame; cheap, whatever the rate."""
        if self.is_held:
            return
        self._newest = scored
        if scored.score is not None and scored.terms:
            self._scored = scored
        self._mark_stale()

    @Slot(object)
    def show_decision(self, decision: Decision) -> None:
        """Take in the verdict over the latest frames; cheap, whatever the rate."""
        if not self.is_held and decision != self._decision:
            self._decision = decision
            self._mark_stale()

    @Slot(object)
    def show_model(self, model: ModelSummary | None) -> None:
        """Explain scores of another model; what was shown belongs to the one before."""
        if model is self._model:
            return
        self._model = model
        self._newest = self._scored = self._decision = None
        self.hold.setChecked(False)
        self.chart.clear()
        self.chart.set_reference(() if model is None else model.typical_terms)
        self._mark_stale()
        if self.isVisible():
            self.refresh()

    @property
    def is_held(self) -> bool:
        return self.hold.isChecked()

    @Slot()
    def refresh(self) -> None:
        self._timer.stop()
        self._is_stale = False
        scored = self._explained()
        for part in (self.score, self._chart_card):
            part.setVisible(scored is not None)
        self.empty.setVisible(scored is None)
        self.hold.setEnabled(scored is not None)
        if scored is None or self._model is None:
            self._show_empty()
            return
        names = self._model.view_names
        explanation = explain(scored.terms, names, self._model.typical_terms)
        self.score.show_scored(scored, explanation, is_held=self.is_held)
        if self._decision is not None:
            self.score.show_decision(self._decision)
        self.chart.show_scored(scored, names)
        if self._newest is not None:
            self.chart.show_scored(self._newest, names)
        self.chart.refresh()

    def showEvent(self, event: QShowEvent, /) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def hideEvent(self, event: QHideEvent, /) -> None:
        self._timer.stop()
        super().hideEvent(event)

    @Slot(object)
    def _on_scored(self, scored: ScoredFrame) -> None:
        if self.isVisible():
            self.show_scored(scored)

    def _mark_stale(self) -> None:
        self._is_stale = True
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def _explained(self) -> ScoredFrame | None:
        """Return the frame to explain: the last one with a score, unless that is long ago."""
        scored, newest = self._scored, self._newest
        if self._model is None or scored is None or newest is None or self.is_held:
            return None if self._model is None else scored
        return scored if newest.frame.time - scored.frame.time <= PATIENCE else None

    def _show_empty(self) -> None:
        self._enrol.setVisible(self._model is None)
        if self._model is None:
            shape, heading = "no-model", "No model yet"
            lines = (
                "With a model, every score is taken apart here: how much each part of the "
                "face, each network and each cluster adds to it."
            )
        elif self._newest is None:
            shape, heading = "looking", "Waiting for a frame"
            lines = "The next face that can be scored is explained here."
        else:
            shape, _ = VERDICTS[self._newest.verdict.value]
            heading = f"Nothing to explain: {self._newest.verdict.value}"
            lines = self._newest.reason or "A well-lit face is needed for a score."
        self.empty.mark.set_shape(shape, "muted")
        self.empty.show_words(heading, lines)

    @Slot(bool)
    def _on_hold(self, is_held: bool) -> None:
        self.hold.setIcon(icon("play" if is_held else "pause"))
        self.hold.setText("Go on" if is_held else "Hold")
        self.chart.hold(False)
        # Words and chart take the same frame, and only then is the chart held.
        self.refresh()
        self.chart.hold(is_held)
