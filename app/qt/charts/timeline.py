"""Scores of the last seconds against the threshold."""

from collections import deque
from dataclasses import dataclass
from math import floor, isfinite, nan

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.qt.charts.chart import Chart, Key, csv_text
from app.qt.charts.format import decimals, places_for
from app.qt.charts.plot import Pixels, Plot, SteadyRange, draw_curve, draw_mark, tinted
from app.qt.theme.themes import Colours
from app.types import ScoredFrame, Verdict

SECONDS = 20.0
"""How far back the chart reaches."""

_MARK_GAP = 9.0
_MARK_SIZE = 8.0
_STRIP = 4.0
_WORDS_GAP = 8
_SIDES = ("accepted", "refused")
_LONGEST_STEP = 0.5
"""Seconds of frame time over which scores are joined; a longer gap is left open."""


@dataclass(frozen=True)
class _Moment:
    time: float
    number: int
    verdict: Verdict
    score: float | None
    is_joined: bool = True
    """Whether a line leads here from the frame before."""


@dataclass
class _Run:
    """Neighbouring frames without a score, for one reason."""

    verdict: Verdict
    start: float
    end: float


def _mark_of(verdict: Verdict, colours: Colours) -> tuple[str, str]:
    return {
        Verdict.GENUINE: ("circle", colours.good),
        Verdict.ATTACK: ("triangle", colours.bad),
        Verdict.UNFAMILIAR: ("diamond", colours.caution),
    }.get(verdict, ("ring", colours.neutral))


class ScoreTimeline(Chart):
    """The score over the last seconds, with the threshold and what lies on either side of it.

    Frames without a score are gaps in the curve, with a strip at the bottom that says why.
    """

    file_stem = "scores"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Score over time", parent)
        self._moments: deque[_Moment] = deque(maxlen=int(SECONDS * 130))
        self._threshold: float | None = None
        self._range = SteadyRange()
        self._curve: list[tuple[float, float]] = []
        self._marks: list[tuple[float, float, str, str]] = []
        self._runs: list[_Run] = []
        self._plot = Plot(self, left_text="\N{MINUS SIGN}0.000")
        self._plot.setAccessibleName("Score over time, the curve")
        ticks = [(-back, f"{decimals(-back, 0)} s") for back in (5, 10, 15, 20)]
        self._plot.axis("bottom").setTicks([[(0, "now"), *ticks], []])
        self._plot.add_layer(self._paint_bands, z=-10)
        self._front = self._plot.add_layer(self._paint_marks, z=10)
        self._lay_out(self._statement, self._plot, self._legend)
        self.head.hide()  # little room: the context menu copies and saves

    def append(self, scored: ScoredFrame) -> None:
        """Add a frame; an earlier time than the last one's (another source) starts anew."""
        time = scored.frame.time
        if self._moments and time < self._moments[-1].time:
            self._moments.clear()
        score = scored.score
        if score is not None and not isfinite(score):
            score = None
        is_near = bool(self._moments) and time - self._moments[-1].time <= _LONGEST_STEP
        is_joined = is_near and not scored.face_changed
        self._moments.append(_Moment(time, scored.frame.number, scored.verdict, score, is_joined))
        while self._moments[0].time < time - SECONDS:
            self._moments.popleft()
        if scored.threshold is not None and isfinite(scored.threshold):
            self._threshold = scored.threshold
        self.mark_stale()

    def set_threshold(self, threshold: float | None) -> None:
        is_known = threshold is not None and isfinite(threshold)
        self._threshold = threshold if is_known else None
        self.mark_stale()

    def clear(self) -> None:
        self._moments.clear()
        self._range.reset()
        self.mark_stale()

    def to_csv(self) -> str:
        """Return time, frame, verdict, score and threshold of every frame in the window."""
        header = ("seconds", "frame", "verdict", "score", "threshold")
        return csv_text(
            header,
            (
                (f"{each.time:.3f}", each.number, each.verdict.value, each.score, self._threshold)
                for each in self._moments
            ),
        )

    @property
    def message(self) -> str:
        """What stands in the place of the curve while there is none; empty otherwise."""
        if any(each.score is not None for each in self._moments):
            return ""
        if self._threshold is None:
            return "No model yet: scores appear here after the first fit"
        if self._moments:
            return "No frame could be scored yet: a well-lit face is needed"
        return "Waiting for the first scored frame"

    def _words(self) -> str:
        if self.message:
            return self.message + "."
        if self._threshold is None:
            return self._now() + "."
        scores = [each.score for each in self._moments if each.score is not None]
        n_above = sum(score >= self._threshold for score in scores)
        return (
            f"{self._now()}. In the last {decimals(SECONDS, 0)} seconds {n_above} of "
            f"{len(scores)} scored frames reach the threshold."
        )

    def _now(self) -> str:
        """The last frame in words; empty while there is only a message."""
        if self.message:
            return ""
        last, places = self._moments[-1], self._places()
        name = last.verdict.value
        if last.score is None:
            return f"No score now: {name}"
        score = decimals(last.score, places)
        if self._threshold is None:
            return f"Score {score}, no threshold"
        return f"Score {score}, threshold {decimals(self._threshold, places)}: {name}"

    def _statement_text(self) -> str:
        # The line stays when there is nothing to say, so that the plot does not jump.
        return self._now() or " "

    def _keys(self) -> tuple[Key, ...]:
        colours = self._colours
        scored = (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR)
        return (
            *(Key(one.value, *reversed(_mark_of(one, colours))) for one in scored),
            Key(Verdict.NO_FACE.value, colours.neutral, "hollow bar"),
            Key(Verdict.POOR_QUALITY.value, colours.caution, "bar"),
        )

    def _places(self) -> int:
        return places_for(self._range.high - self._range.low)

    def _draw(self) -> None:
        now = self._moments[-1].time if self._moments else 0.0
        scores = [each.score for each in self._moments if each.score is not None]
        threshold = [] if self._threshold is None else [self._threshold]
        self._range.follow([*scores, *threshold, *self._room_for_words()])
        self._range.step()
        self._plot.set_y_range(self._range.low, self._range.high)
        self._plot.set_x_range(-SECONDS, self._words_width())
        self._curve = []
        for each in self._moments:
            if not each.is_joined:
                self._curve.append((each.time - now, nan))
            self._curve.append((each.time - now, nan if each.score is None else each.score))
        has_values = bool(scores) or self._threshold is not None
        self._plot.axis("left").setStyle(showValues=has_values)
        self._choose_marks(now)
        self._find_runs(now)
        self._front.update()
        if not self._range.has_settled:
            self._drawing.mark_stale()

    def _words_width(self) -> float:
        """Return how many seconds wide the words on both sides are: no frame is drawn there."""
        metrics = self._plot.small_metrics
        pixels = max(metrics.horizontalAdvance(text) for text in _SIDES) + 2 * _WORDS_GAP
        width = max(self._plot.area().width(), 2.0 * pixels)
        return SECONDS * pixels / (width - pixels)

    def _room_for_words(self) -> list[float]:
        """Return values that must be in view for a line of words above and below the threshold."""
        if self._threshold is None:
            return []
        height = max(self._plot.area().height(), 1.0)
        share = min(0.3, (self._plot.small_metrics.height() + _WORDS_GAP) / height)
        room = share * (self._range.high - self._range.low)
        return [self._threshold - room, self._threshold + room]

    def _choose_marks(self, now: float) -> None:
        """One mark of a kind in every few pixels: more would only blur into each other.

        The slots hang on the source's clock, so that marks move with the curve and do not flicker.
        """
        width = max(1.0, self._plot.area().width())
        slot = SECONDS * _MARK_GAP / width
        taken: set[tuple[int, Verdict]] = set()
        self._marks = []
        for each in self._moments:
            place = (floor(each.time / slot), each.verdict)
            if each.score is None or place in taken:
                continue
            taken.add(place)
            shape, colour = _mark_of(each.verdict, self._colours)
            self._marks.append((each.time - now, each.score, shape, colour))

    def _find_runs(self, now: float) -> None:
        self._runs = []
        previous: _Moment | None = None
        for each in self._moments:
            if each.score is None and each.verdict is not Verdict.NO_MODEL:
                time = each.time - now
                if previous is not None and previous.verdict is each.verdict:
                    self._runs[-1].end = time
                else:
                    self._runs.append(_Run(each.verdict, time, time))
            previous = each

    def _paint_bands(self, painter: QPainter, pixels: Pixels) -> None:
        area, colours = pixels.area, self._colours
        if self._threshold is None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.fillRect(area, tinted(colours.neutral, 0.06))
            return
        line = pixels.horizontal(self._threshold)
        y = line.y1()
        above = QRectF(area.left(), area.top(), area.width(), max(0.0, y - area.top()))
        below = QRectF(area.left(), y, area.width(), max(0.0, area.bottom() - y))
        painter.fillRect(above, tinted(colours.good, 0.09))
        painter.fillRect(below, tinted(colours.bad, 0.09))
        painter.setPen(QPen(QColor(colours.text), 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(line)
        painter.setFont(self._plot.small_font)
        align = Qt.AlignmentFlag.AlignRight
        accepted, refused = _SIDES
        gap = _WORDS_GAP
        painter.setPen(QColor(colours.good))
        painter.drawText(
            above.adjusted(0, 0, -gap, -3), align | Qt.AlignmentFlag.AlignBottom, accepted
        )
        painter.setPen(QColor(colours.bad))
        painter.drawText(below.adjusted(0, 3, -gap, 0), align | Qt.AlignmentFlag.AlignTop, refused)

    def _paint_marks(self, painter: QPainter, pixels: Pixels) -> None:
        draw_curve(painter, pixels, self._curve, self._colours.accent)
        for x, y, shape, colour in self._marks:
            draw_mark(painter, shape, pixels.at(x, y), _MARK_SIZE, colour)
        self._paint_runs(painter, pixels)
        if self.message:
            painter.setFont(self._plot.font())
            painter.setPen(QColor(self._colours.muted))
            inner = pixels.area.adjusted(12, 4, -12, -4)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(inner, flags, self.message)

    def _paint_runs(self, painter: QPainter, pixels: Pixels) -> None:
        painter.setFont(self._plot.small_font)
        metrics = self._plot.small_metrics
        bottom = pixels.area.bottom() - 3
        for run in self._runs:
            left, right = pixels.x(run.start) - 2, pixels.x(run.end) + 2
            strip = QRectF(left, bottom - _STRIP, right - left, _STRIP)
            is_poor = run.verdict is not Verdict.NO_FACE
            colour = QColor(self._colours.caution if is_poor else self._colours.neutral)
            painter.setPen(QPen(colour, 1.2))
            painter.setBrush(colour if is_poor else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(strip, 2, 2)
            word = run.verdict.value
            if metrics.horizontalAdvance(word) + 6 < strip.width():
                place = strip.adjusted(0, -metrics.height() - 1, 0, -_STRIP - 1)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word)
