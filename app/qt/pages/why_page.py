"""The Why page: the current score in words, and what each view, region and cluster adds to it."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.models.summary import ModelSummary
from app.names import counted
from app.qt.charts.contributions import ContributionsChart
from app.qt.charts.format import decimals, percent, places_for, view_name
from app.qt.controllers.app_controller import AppController
from app.qt.theme import GRID, set_class
from app.qt.theme.icons import VERDICTS, icon
from app.qt.widgets.layout import button, card, hbox, scroll_area, vbox
from app.qt.widgets.texts import EmptyState, MarkedText, enrol_button, set_text, wrapped
from app.qt.widgets.throttle import Throttle
from app.session.explanation import Explanation, explain
from app.types import ALL_FAMILIAR, Decision, Familiarity, ScoredFrame, Verdict

REFRESH_MS = 200
"""Minimum time between updates, so that the numbers can be read."""

PATIENCE = 1.5
"""Seconds without a score after which the last one is hidden."""

_REGIONS = {
    "face": "the face",
    "wide": "the surroundings of the face (wide)",
    "eyes": "the eyes",
    "mouth": "the mouth",
    "nose": "the skin around the nose",
    "cheek": "the skin of the cheek",
}


class ScoreCard(QFrame):
    """The score as a large number, its explanation, and the verdict over the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._number = QLabel(self)
        set_class(self._number, "figure")
        # Reserve room for a sign, so that the text beside it does not move.
        self._number.ensurePolished()
        width = self._number.fontMetrics().horizontalAdvance("\N{MINUS SIGN}0.000")
        self._number.setMinimumWidth(width)
        self._side = MarkedText("looking", "neutral", "heading", self)
        self._frame = wrapped("", "muted", self)
        self._plain, self._figures = wrapped(parent=self), wrapped("", "muted", self)
        # Reserve room for the longest text, so that nothing below it moves.
        self._figures.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        self._figures.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._differences = MarkedText("unfamiliar", "caution", parent=self)
        self._memberships = wrapped("", "muted", self)
        self._verdict = MarkedText("looking", "neutral", parent=self)
        beside = vbox(None, 1, self._side, self._frame, 1, spacing=2)
        head = hbox(None, self._number, (beside, 1), spacing=16)
        texts = (self._plain, self._figures, self._differences, self._memberships, self._verdict)
        vbox(self, head, *texts, margins=(16, 12, 16, 14))

    def show_scored(
        self, scored: ScoredFrame, explanation: Explanation | None, *, is_held: bool
    ) -> None:
        if scored.score is None:
            return
        places = places_for(abs(scored.score))
        number = decimals(scored.score, places)
        self._number.setText(number)
        self._number.setAccessibleName(f"Score {number}")
        self._show_side(scored, places)
        frame = f"{'Held' if is_held else 'Live'}: frame {scored.frame.number}"
        if scored.liveness is not None:
            frame += f". Looks live: {100 * scored.liveness:.0f} %"
        set_text(self._frame, frame)
        is_accepted = scored.threshold is not None and scored.score >= scored.threshold
        set_text(self._plain, region_text(explanation, is_accepted=is_accepted))
        figures = (_lowest_text(explanation, places), _sum_text(scored.score, explanation, places))
        set_text(self._figures, " ".join(filter(None, figures)))
        self._show_differences(scored.familiarity or ALL_FAMILIAR)
        shares = enumerate(scored.memberships, start=1)
        parts = [f"{percent(share, 0)} to cluster {number}" for number, share in shares]
        set_text(self._memberships, f"Belongs {', '.join(parts)}." if parts else "")

    def show_decision(self, decision: Decision) -> None:
        """Show the verdict over the window that the frame belongs to."""
        icon, role = VERDICTS[decision.verdict.value]
        self._verdict.show_text(_verdict_text(decision), icon, role)
        self._verdict.setToolTip(decision.rule)

    def _show_differences(self, familiarity: Familiarity) -> None:
        if familiarity.differences:
            differences = "; ".join(familiarity.differences)
            text = f"Compared with {familiarity.nearest_take}: {differences}."
            self._differences.show_text(text, "unfamiliar", "caution")
        else:
            # A text in any case, so that nothing below it moves.
            text = "Light, distance and pose match the enrolment."
            self._differences.show_text(text, "check", "muted")

    def _show_side(self, scored: ScoredFrame, places: int) -> None:
        if scored.threshold is None or scored.score is None:
            self._side.show_text("No threshold yet", "looking", "neutral")
            return
        threshold = decimals(scored.threshold, places)
        if scored.score >= scored.threshold:
            self._side.show_text(f"Accepted: at or above {threshold}", "genuine", "good")
        elif scored.verdict is Verdict.UNFAMILIAR:
            text = f"Refused: below {threshold}, in unfamiliar conditions"
            self._side.show_text(text, "unfamiliar", "caution")
        else:
            self._side.show_text(f"Refused: below {threshold}", "attack", "bad")


def _sum_text(score: float, explanation: Explanation | None, places: int) -> str:
    if explanation is None:
        return ""
    clusters = explanation.n_clusters
    n = clusters * explanation.n_views
    if not explanation.agrees_with(score):
        total = decimals(explanation.score, places)
        return f"The {n} terms below sum to {total}, which is not the score."
    where = counted(clusters, "cluster")
    exact = decimals(score, places)
    return f"{exact} is the exact sum of {n} terms: {explanation.n_views} views in {where}."


def _lowest_text(explanation: Explanation | None, places: int) -> str:
    if explanation is None or explanation.usual is None:
        return ""
    lowest = explanation.lowest
    if lowest is None:
        return "No view contributes less than it does for the enrolled frames."
    value, usual = decimals(lowest.value, places), decimals(lowest.usual or 0.0, places)
    return (
        f"Furthest below the enrolled frames ({decimals(explanation.usual, places)} on average): "
        f"{view_name(lowest.name).words}, with {value} instead of {usual}."
    )


def region_text(explanation: Explanation | None, *, is_accepted: bool) -> str:
    """Name the region that differs most from the enrolment; empty without enrolled terms."""
    if explanation is None or explanation.usual is None:
        return ""
    lowest = explanation.lowest_region
    if lowest is None:
        return "Every part of the picture looks like the enrolment."
    region = _REGIONS.get(lowest.name, lowest.name)
    if is_accepted:
        return f"Similar to the enrolment overall, least so in {region}."
    differ = "differ" if lowest.name in ("wide", "eyes") else "differs"
    return f"{region[:1].upper()}{region[1:]} {differ} most from the enrolment."


def _verdict_text(decision: Decision) -> str:
    name = decision.verdict.value
    if decision.score is None:
        return f"Verdict: {name}."
    score = decimals(decision.score, places_for(abs(decision.score)))
    if decision.liveness is not None:
        score = f"{score}, looks live: {100 * decision.liveness:.0f} %"
    return f"Verdict over {decision.n_frames} frames: {name} (mean score {score})."


class WhyPage(QWidget):
    """Explains the newest score as text and as a chart, at a readable rate."""

    enrol_requested = Signal()
    """Emitted by the button that is shown without a model."""

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: ModelSummary | None = None
        self._newest: ScoredFrame | None = None
        self._scored: ScoredFrame | None = None
        self._decision: Decision | None = None
        self.empty = EmptyState("no-model", parent=self)
        self._enrol = enrol_button(self.enrol_requested)
        self.empty.add_button(self._enrol)
        self.score = ScoreCard(self)
        tip = "Freeze this frame, or return to live (H)."
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
        self._throttle = Throttle(self, REFRESH_MS, self._refresh)
        self.refresh()

    def _arrange(self) -> None:
        content = QWidget()
        vbox(self, scroll_area(content, self))
        self._chart_card, chart_column = card(content)
        chart_column.addWidget(self.chart)
        head = hbox(None, (wrapped("Why this score", "title", content), 1), self.hold)
        parts = (head, self.score, self._chart_card, (self.empty, 100))
        vbox(content, *parts, 1, margins=2 * GRID, spacing=GRID + 4)

    def show_scored(self, scored: ScoredFrame) -> None:
        """Set the newest frame; cheap, so it may be called for every frame."""
        if self.is_held:
            return
        self._newest = scored
        if scored.score is not None and scored.terms:
            self._scored = scored
        self._throttle.mark_stale()

    @Slot(object)
    def show_decision(self, decision: Decision) -> None:
        """Set the verdict over the window; cheap, so it may be called for every frame."""
        if not self.is_held and decision != self._decision:
            self._decision = decision
            self._throttle.mark_stale()

    @Slot(object)
    def show_model(self, model: ModelSummary | None) -> None:
        """Explain scores of another model, and forget those of the previous one."""
        if model is self._model:
            return
        self._model = model
        self._newest = self._scored = self._decision = None
        self.hold.setChecked(False)
        self.chart.clear()
        self.chart.set_reference(() if model is None else model.typical_terms)
        self._throttle.mark_stale()
        if self.isVisible():
            self.refresh()

    @property
    def is_held(self) -> bool:
        return self.hold.isChecked()

    def refresh(self) -> None:
        self._throttle.catch_up()

    @Slot()
    def _refresh(self) -> None:
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
        self.chart.refresh()

    @Slot(object)
    def _on_scored(self, scored: ScoredFrame) -> None:
        if self.isVisible():
            self.show_scored(scored)

    def _explained(self) -> ScoredFrame | None:
        """Return the frame to explain: the last one with a score, unless it is too old."""
        scored, newest = self._scored, self._newest
        if self._model is None or scored is None or newest is None or self.is_held:
            return None if self._model is None else scored
        return scored if newest.frame.time - scored.frame.time <= PATIENCE else None

    def _show_empty(self) -> None:
        self._enrol.setVisible(self._model is None)
        if self._model is None:
            shape, heading = "no-model", "No model yet"
            lines = (
                "With a model, this page shows how much each part of the face, each network and "
                "each cluster adds to the score."
            )
        elif self._newest is None:
            shape, heading = "looking", "Waiting for a frame"
            lines = "The next face that can be scored is explained here."
        else:
            shape, _ = VERDICTS[self._newest.verdict.value]
            heading = f"Nothing to explain: {self._newest.verdict.value}"
            lines = self._newest.reason or "A well-lit face is needed for a score."
        self.empty.mark.set_shape(shape, "muted")
        self.empty.show_text(heading, lines)

    @Slot(bool)
    def _on_hold(self, is_held: bool) -> None:
        self.hold.setIcon(icon("play" if is_held else "pause"))
        self.hold.setText("Resume" if is_held else "Hold")
        self._refresh()
