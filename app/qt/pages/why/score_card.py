"""One score in words: how it stands to the threshold, what it consists of, what is low about it."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from app.qt.charts.format import decimals, percent, places_for, view_name
from app.qt.theme import colours, set_class
from app.qt.theme.icons import VERDICTS
from app.qt.widgets.layout import hbox, vbox
from app.qt.widgets.texts import MarkedText, set_text, wrapped
from app.session.explanation import Explanation
from app.types import Decision, ScoredFrame, Verdict

_REGIONS = {
    "face": "the face",
    "wide": "the surroundings of the face (wide)",
    "eyes": "the eyes",
    "mouth": "the mouth",
    "nose": "the skin around the nose",
    "cheek": "the skin of the cheek",
}
_LIGHT_GROUND = 0.179
"""On grounds of more luminance than this, black stands out more than white (WCAG)."""


class ScoreCard(QFrame):
    """A score as a large number with its explanation, and the verdict over the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._number = QLabel(self)
        set_class(self._number, "figure")
        # Wide enough for a sign, so that the words beside it stay where they are.
        self._number.ensurePolished()
        room = self._number.fontMetrics().horizontalAdvance("\N{MINUS SIGN}0.000")
        self._number.setMinimumWidth(room)
        self._side = MarkedText("looking", "neutral", "heading", self)
        self._live, self._frame = wrapped("", "muted", self), wrapped("", "muted", self)
        self._plain = wrapped(parent=self)
        self._low, self._sum = wrapped("", "muted", self), wrapped("", "muted", self)
        self._steady_width = 0
        self._differences = MarkedText("unfamiliar", "caution", parent=self)
        self._caption = wrapped("Belongs to clusters", "muted", self)
        self.memberships = MembershipsBar(self)
        self._verdict = MarkedText("looking", "neutral", parent=self)
        beside = vbox(None, 1, self._side, self._live, self._frame, 1, spacing=2)
        head = hbox(None, (self._number, 0, Qt.AlignmentFlag.AlignVCenter), (beside, 1), spacing=16)
        texts = (self._plain, self._low, self._sum, self._differences)
        clusters = (self._caption, self.memberships, self._verdict)
        vbox(self, head, *texts, *clusters, margins=(16, 12, 16, 14))

    def show_scored(
        self, scored: ScoredFrame, explanation: Explanation | None, *, is_held: bool
    ) -> None:
        if scored.score is None:
            return
        places = places_for(abs(scored.score))
        number = decimals(scored.score, places)
        if number != self._number.text():
            self._number.setText(number)
            self._number.setAccessibleName(f"Score {number}")
        self._show_side(scored, places)
        set_text(self._frame, f"{'Held' if is_held else 'Live'}: frame {scored.frame.number}")
        live = "" if scored.liveness is None else f"Looks live: {100 * scored.liveness:.0f} %"
        set_text(self._live, live)
        is_accepted = scored.threshold is not None and scored.score >= scored.threshold
        set_text(self._plain, plain_words(explanation, is_accepted=is_accepted))
        set_text(self._low, _low_words(explanation, places))
        set_text(self._sum, _sum_words(scored.score, explanation, places))
        self._show_differences(scored.differences)
        self._keep_heights()
        self.memberships.show_memberships(scored.memberships)
        for part in (self._caption, self.memberships):
            part.setVisible(bool(scored.memberships))

    def show_decision(self, decision: Decision) -> None:
        """Show the verdict over the window that the frame belongs to."""
        icon, role = VERDICTS[decision.verdict.value]
        self._verdict.show_text(_verdict_words(decision), icon, role)
        self._verdict.setToolTip(decision.rule)

    @property
    def sentences(self) -> tuple[str, ...]:
        parts = (self._number, self._side, self._live, self._frame, self._plain, self._low)
        rest = (self._sum, self._differences, self._verdict)
        return tuple(part.text() for part in (*parts, *rest) if part.text())

    def _show_differences(self, differences: tuple[str, ...]) -> None:
        if differences:
            text = f"Differs from the enrolment: {'; '.join(differences)}."
            self._differences.show_text(text, "unfamiliar", "caution")
        else:
            # Said as well, so that what stands below does not move when there is one.
            text = "Light, distance and pose are like in the enrolment."
            self._differences.show_text(text, "check", "muted")

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
            self._side.show_text("No threshold yet", "looking", "neutral")
            return
        threshold = decimals(scored.threshold, places)
        if scored.score >= scored.threshold:
            self._side.show_text(f"Accepted: at or above {threshold}", "genuine", "good")
        elif scored.verdict is Verdict.UNFAMILIAR:
            text = f"Refused: below {threshold}, in unfamiliar light"
            self._side.show_text(text, "unfamiliar", "caution")
        else:
            self._side.show_text(f"Refused: below {threshold}", "attack", "bad")


def _sum_words(score: float, explanation: Explanation | None, places: int) -> str:
    if explanation is None:
        return ""
    n, clusters = explanation.n_terms, explanation.n_clusters
    if not explanation.agrees_with(score):
        total = decimals(explanation.score, places)
        return f"The {n} terms below sum to {total}, which is not the score."
    where = "1 cluster" if clusters == 1 else f"{clusters} clusters"
    exact = decimals(score, places)
    return f"{exact} is the exact sum of {n} terms: {explanation.n_views} views in {where}."


def _low_words(explanation: Explanation | None, places: int) -> str:
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


def plain_words(explanation: Explanation | None, *, is_accepted: bool) -> str:
    """Return which region is least like the enrolment; empty where what is usual is not known."""
    if explanation is None or explanation.usual is None:
        return ""
    lowest = explanation.lowest_region
    if lowest is None:
        return "Every part of the picture looks like the enrolment."
    what = _REGIONS.get(lowest.name, lowest.name)
    if is_accepted:
        return f"Like the enrolment on the whole, least so {what}."
    look = "look" if lowest.name in ("wide", "eyes") else "looks"
    return f"Mostly {what} {look} unlike the enrolment."


def _verdict_words(decision: Decision) -> str:
    name = decision.verdict.value
    if decision.score is None:
        return f"Verdict: {name}."
    score = decimals(decision.score, places_for(abs(decision.score)))
    if decision.liveness is not None:
        score = f"{score}, looks live: {100 * decision.liveness:.0f} %"
    return f"Verdict over {decision.n_frames} frames: {name} (mean score {score})."


class MembershipsBar(QWidget):
    """A bar whose parts are the clusters, with their numbers and shares where they fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: tuple[float, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Belongs to clusters")

    def show_memberships(self, memberships: tuple[float, ...]) -> None:
        """Show shares that sum to 1; costs nothing when they are shown already."""
        if memberships == self._shares:
            return
        self._shares = memberships
        words = self.words
        self.setAccessibleDescription(words)
        self.setToolTip(words)
        self.update()

    @property
    def words(self) -> str:
        shares = enumerate(self._shares, start=1)
        parts = [f"{percent(share, 0)} to cluster {number}" for number, share in shares]
        return f"Belongs {', '.join(parts)}" if parts else ""

    def sizeHint(self) -> QSize:
        height = self.fontMetrics().height() + 8
        return QSize(height * 8, height)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().height() * 4, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), 5, 5)
        painter.setClipPath(clip)
        painter.fillRect(self.rect(), QColor(colours().grid))
        total = sum(share for share in self._shares if share > 0)
        left = 0.0
        for number, share in enumerate(self._shares):
            if not share > 0:
                continue
            width = self.width() * share / total
            self._paint_part(painter, QRectF(left, 0, width, self.height()), number, share)
            left += width
        painter.end()

    def _paint_part(self, painter: QPainter, place: QRectF, number: int, share: float) -> None:
        ground = QColor(colours().series_colour(number))
        seam = 1.5 if place.left() > 0 else 0.0
        painter.fillRect(place, QColor(colours().panel))
        painter.fillRect(place.adjusted(seam, 0, 0, 0), ground)
        painter.setPen(QColor("black" if _luminance(ground) > _LIGHT_GROUND else "white"))
        name = f"{number + 1}: {percent(share, 0)}"
        for text in (f"Cluster {name}", name, str(number + 1)):
            if self.fontMetrics().horizontalAdvance(text) + 10 <= place.width():
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
                return


def _luminance(colour: QColor) -> float:
    """Relative luminance as WCAG defines it, 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
