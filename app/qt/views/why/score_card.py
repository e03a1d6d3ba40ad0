"""One score in words: how it stands to the threshold, what it consists of, what is low about it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.qt.icon_shapes import VERDICTS
from app.qt.theme import set_class
from app.qt.views.charts.colours import ChartColours
from app.qt.views.charts.wording import decimals, places_for, view_name
from app.qt.views.parts.texts import MarkedText, set_text, wrapped
from app.qt.views.parts.verdict_words import verdict_word
from app.qt.views.why.memberships_bar import MembershipsBar
from app.qt.views.why.region_words import plain_words
from app.session.explanation import Explanation
from app.types import Decision, ScoredFrame, Verdict


class ScoreCard(QFrame):
    """A score as a large number with its explanation, and the verdict over the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._number = QLabel(self)
        set_class(self._number, "figure")
        self._frame = wrapped("", "muted", self)
        self._live = wrapped("", "muted", self)
        self._side = MarkedText("looking", "neutral", "heading", self)
        self._sum = wrapped("", "muted", self)
        self._low = wrapped("", "muted", self)
        self._plain = wrapped("", "", self)
        self._steady_width = 0
        self._differences = MarkedText("unfamiliar", "caution", parent=self)
        # Wide enough for a sign, so that the words beside it stay where they are.
        self._number.ensurePolished()
        room = self._number.fontMetrics().horizontalAdvance("\N{MINUS SIGN}0.000")
        self._number.setMinimumWidth(room)
        self._caption = wrapped(self.tr("Belongs to clusters"), "muted", self)
        self.memberships = MembershipsBar(self)
        self._verdict = MarkedText("looking", "neutral", parent=self)
        beside = QVBoxLayout()
        beside.setSpacing(2)
        beside.addStretch(1)
        beside.addWidget(self._side)
        beside.addWidget(self._live)
        beside.addWidget(self._frame)
        beside.addStretch(1)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self._number, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addLayout(beside, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(8)
        column.addLayout(head)
        for part in (
            self._plain,
            self._low,
            self._sum,
            self._differences,
            self._caption,
            self.memberships,
        ):
            column.addWidget(part)
        column.addWidget(self._verdict)

    def show_scored(
        self, scored: ScoredFrame, explanation: Explanation | None, *, is_held: bool
    ) -> None:
        """Show a frame that has a score."""
        if scored.score is None:
            return
        places = places_for(abs(scored.score))
        number = decimals(scored.score, places)
        if number != self._number.text():
            self._number.setText(number)
            self._number.setAccessibleName(self.tr("Score {score}").format(score=number))
        self._show_side(scored, places)
        frame = self.tr("Held: frame {number}") if is_held else self.tr("Live: frame {number}")
        set_text(self._frame, frame.format(number=scored.frame.number))
        live = "" if scored.liveness is None else self.tr("Looks live: {share:.0f} %")
        set_text(self._live, live.format(share=100 * (scored.liveness or 0)))
        is_accepted = scored.threshold is not None and scored.score >= scored.threshold
        set_text(self._plain, plain_words(explanation, is_accepted=is_accepted))
        set_text(self._low, self._low_words(explanation, places))
        set_text(self._sum, self._sum_words(scored.score, explanation, places))
        self._show_differences(scored.differences)
        self._keep_heights()
        self.memberships.show_memberships(scored.memberships)
        for part in (self._caption, self.memberships):
            part.setVisible(bool(scored.memberships))

    def show_decision(self, decision: Decision) -> None:
        """Show the verdict over the window that the frame belongs to."""
        icon, role = VERDICTS[decision.verdict.value]
        self._verdict.show_text(self._verdict_words(decision), icon, role)
        self._verdict.setToolTip(decision.rule)

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours."""
        self.memberships.set_colours(colours)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that is said of the score, from top to bottom."""
        texts = (
            self._number.text(),
            self._side.text(),
            self._live.text(),
            self._frame.text(),
            self._plain.text(),
            self._low.text(),
            self._sum.text(),
            self._differences.text(),
            self._verdict.text(),
        )
        return tuple(text for text in texts if text)

    # ------------------------------------------------------------ words

    def _show_differences(self, differences: tuple[str, ...]) -> None:
        if differences:
            text = self.tr("Differs from the enrolment: {what}.")
            told = text.format(what="; ".join(differences))
            self._differences.show_text(told, "unfamiliar", "caution")
        else:
            # Said as well, so that what stands below does not move when there is one.
            told = self.tr("Light, distance and pose are like in the enrolment.")
            self._differences.show_text(told, "check", "muted")

    def _keep_heights(self) -> None:
        """Let lines keep the room they once needed: what is below them must not jump."""
        labels = (self._plain, self._low, self._sum, self._differences.label)
        is_new = self.width() != self._steady_width
        self._steady_width = self.width()
        for label in labels:
            needed = max(0, label.heightForWidth(label.width()))
            label.setMinimumHeight(needed if is_new else max(needed, label.minimumHeight()))

    def _show_side(self, scored: ScoredFrame, places: int) -> None:
        if scored.threshold is None or scored.score is None:
            self._side.show_text(self.tr("No threshold yet"), "looking", "neutral")
            return
        threshold = decimals(scored.threshold, places)
        if scored.score >= scored.threshold:
            text = self.tr("Accepted: at or above {threshold}")
            self._side.show_text(text.format(threshold=threshold), "genuine", "good")
        elif scored.verdict is Verdict.UNFAMILIAR:
            text = self.tr("Refused: below {threshold}, in unfamiliar light")
            self._side.show_text(text.format(threshold=threshold), "unfamiliar", "caution")
        else:
            text = self.tr("Refused: below {threshold}")
            self._side.show_text(text.format(threshold=threshold), "attack", "bad")

    def _sum_words(self, score: float, explanation: Explanation | None, places: int) -> str:
        if explanation is None:
            return ""
        if not explanation.agrees_with(score):
            text = self.tr("The {n} terms below sum to {sum}, which is not the score.")
            return text.format(n=explanation.n_terms, sum=decimals(explanation.score, places))
        text = self.tr("{score} is the exact sum of {n} terms: {views} views in {clusters}.")
        clusters = (
            self.tr("1 cluster")
            if explanation.n_clusters == 1
            else self.tr("{n} clusters").format(n=explanation.n_clusters)
        )
        return text.format(
            score=decimals(score, places),
            n=explanation.n_terms,
            views=explanation.n_views,
            clusters=clusters,
        )

    def _low_words(self, explanation: Explanation | None, places: int) -> str:
        if explanation is None or explanation.usual is None:
            return ""
        lowest = explanation.lowest
        if lowest is None:
            return self.tr("No view contributes less than it does for the enrolled frames.")
        return self.tr(
            "Furthest below the enrolled frames ({mean} on average): {view}, with {value} "
            "instead of {usual}."
        ).format(
            mean=decimals(explanation.usual, places),
            view=view_name(lowest.name).words,
            value=decimals(lowest.value, places),
            usual=decimals(lowest.usual or 0.0, places),
        )

    def _verdict_words(self, decision: Decision) -> str:
        name = verdict_word(decision.verdict)
        if decision.score is None:
            return self.tr("Verdict: {name}.").format(name=name)
        score = decimals(decision.score, places_for(abs(decision.score)))
        if decision.liveness is not None:
            live = self.tr("{score}, looks live: {share:.0f} %")
            score = live.format(score=score, share=100 * decision.liveness)
        return self.tr("Verdict over {n} frames: {name} (mean score {score}).").format(
            name=name, score=score, n=decision.n_frames
        )
