"""Scores of the last seconds against the threshold."""

from collections import deque
from dataclasses import dataclass
from math import floor, isfinite, nan

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.qt.views.charts.base import Chart
from app.qt.views.charts.colours import ChartColours
from app.qt.views.charts.export import csv_text
from app.qt.views.charts.legend import Key, Legend, draw_mark
from app.qt.views.charts.plot import Pixels, Plot, draw_curve, tinted
from app.qt.views.charts.steady_range import SteadyRange
from app.qt.views.charts.wording import decimals, places_for
from app.qt.views.parts.verdict_words import verdict_word
from app.types import ScoredFrame, Verdict

_MARK_GAP = 9.0
_MARK_SIZE = 8.0
_STRIP = 4.0
_WORDS_GAP = 8
_LONGEST_STEP = 0.5
"""Seconds of frame time over which scores are joined; nobody knows what was in a longer gap."""


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


def _mark_of(verdict: Verdict, colours: ChartColours) -> tuple[str, str]:
    """Shape and colour of a scored frame."""
    match verdict:
        case Verdict.GENUINE:
            return "circle", colours.good
        case Verdict.ATTACK:
            return "triangle", colours.bad
        case Verdict.UNFAMILIAR:
            return "diamond", colours.caution
        case _:
            return "ring", colours.neutral


class ScoreTimeline(Chart):
    """The score over the last seconds, with the threshold and what lies on either side of it.

    Frames without a score are gaps in the curve, with a strip at the bottom that says why.

    Parameters
    ----------
    parent : QWidget, optional
        Parent.
    seconds : float
        How far back it reaches.
    """

    file_stem = "scores"

    def __init__(self, parent: QWidget | None = None, *, seconds: float = 20.0) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Score over time"))
        self._seconds = seconds
        self._moments: deque[_Moment] = deque(maxlen=max(64, int(seconds * 130)))
        self._threshold: float | None = None
        self._range = SteadyRange()
        self._curve: list[tuple[float, float]] = []
        self._marks: list[tuple[float, float, str, str]] = []
        self._runs: list[_Run] = []

        self._readout = self._make_label()
        self._legend = Legend(self)
        self._plot = Plot(self)
        self._plot.setAccessibleName(self.tr("Score over time, the curve"))
        self._plot.axis("bottom").setTicks([self._time_ticks(), []])
        self._plot.add_layer(self._paint_bands, z=-10)
        self._front = self._plot.add_layer(self._paint_marks, z=10)
        self._column.addWidget(self._readout)
        self._column.addWidget(self._plot, 1)
        self._column.addWidget(self._legend)
        self._recolour()

    # ------------------------------------------------------------ values

    def append(self, scored: ScoredFrame) -> None:
        """Add a frame; one from before the last one (another source) starts the chart anew."""
        time = scored.frame.time
        if self._moments and time < self._moments[-1].time:
            self._moments.clear()
        score = scored.score
        if score is not None and not isfinite(score):
            score = None
        is_near = bool(self._moments) and time - self._moments[-1].time <= _LONGEST_STEP
        is_joined = is_near and not scored.face_changed
        self._moments.append(_Moment(time, scored.frame.number, scored.verdict, score, is_joined))
        while self._moments[0].time < time - self._seconds:
            self._moments.popleft()
        if scored.threshold is not None and isfinite(scored.threshold):
            self._threshold = scored.threshold
        self.mark_stale()

    def set_threshold(self, threshold: float | None) -> None:
        """Set the threshold, or None where there is no model."""
        is_known = threshold is not None and isfinite(threshold)
        self._threshold = threshold if is_known else None
        self.mark_stale()

    def clear(self) -> None:
        """Forget all frames."""
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

    # ------------------------------------------------------------ words

    @property
    def message(self) -> str:
        """What stands in the place of the curve while there is none; empty otherwise."""
        if any(each.score is not None for each in self._moments):
            return ""
        if self._threshold is None:
            return self.tr("No model yet: scores appear here after the first fit")
        if self._moments:
            return self.tr("No frame could be scored yet: a well-lit face is needed")
        return self.tr("Waiting for the first scored frame")

    def _words(self) -> str:
        if self.message:
            return self.message + "."
        if self._threshold is None:
            return self._now() + "."
        scores = [each.score for each in self._moments if each.score is not None]
        n_above = sum(score >= self._threshold for score in scores)
        return self.tr(
            "{now}. In the last {seconds} seconds {above} of {n} scored frames reach the threshold."
        ).format(now=self._now(), seconds=decimals(self._seconds, 0), above=n_above, n=len(scores))

    def _now(self) -> str:
        """The last frame in words; empty while there is only a message."""
        if self.message:
            return ""
        last, places = self._moments[-1], self._places()
        name = verdict_word(last.verdict)
        if last.score is None:
            return self.tr("No score now: {reason}").format(reason=name)
        score = decimals(last.score, places)
        if self._threshold is None:
            return self.tr("Score {score}, no threshold").format(score=score)
        return self.tr("Score {score}, threshold {threshold}: {verdict}").format(
            score=score, threshold=decimals(self._threshold, places), verdict=name
        )

    def _write(self) -> None:
        super()._write()
        # The line stays when there is nothing to say, so that the plot does not jump.
        self._readout.setText(self._now() or " ")
        self._legend.show_keys(self._keys(), self._colours)

    def _keys(self) -> tuple[Key, ...]:
        colours = self._colours
        scored = (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR)
        points = [
            Key(verdict_word(verdict), colour, shape)
            for verdict in scored
            for shape, colour in [_mark_of(verdict, colours)]
        ]
        return (
            *points,
            Key(verdict_word(Verdict.NO_FACE), colours.neutral, "hollow bar"),
            Key(verdict_word(Verdict.POOR_QUALITY), colours.caution, "bar"),
        )

    def _places(self) -> int:
        return places_for(self._range.high - self._range.low)

    def _time_ticks(self) -> list[tuple[float, str]]:
        step = 5.0 if self._seconds <= 30 else 10.0
        ticks = [(0.0, self.tr("now"))]
        back = step
        while back <= self._seconds:
            text = self.tr("{seconds} s").format(seconds=decimals(-back, 0))
            ticks.append((-back, text))
            back += step
        return ticks

    # ------------------------------------------------------------ picture

    def _draw(self) -> None:
        now = self._moments[-1].time if self._moments else 0.0
        scores = [each.score for each in self._moments if each.score is not None]
        threshold = [] if self._threshold is None else [self._threshold]
        self._range.follow([*scores, *threshold, *self._room_for_words()])
        self._range.step()
        self._plot.set_y_range(self._range.low, self._range.high)
        self._plot.set_x_range(-self._seconds, self._words_width())
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
            self._must_draw = True

    def _sides(self) -> tuple[str, str]:
        return self.tr("accepted"), self.tr("refused")

    def _words_width(self) -> float:
        """Return how many seconds wide the words on both sides are: no frame is drawn there."""
        metrics = self._plot.small_metrics
        pixels = max(metrics.horizontalAdvance(text) for text in self._sides()) + 2 * _WORDS_GAP
        width = max(self._plot.area().width(), 2.0 * pixels)
        return self._seconds * pixels / (width - pixels)

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
        slot = self._seconds * _MARK_GAP / width
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
        accepted, refused = self._sides()
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
            word = verdict_word(run.verdict)
            if metrics.horizontalAdvance(word) + 6 < strip.width():
                place = strip.adjusted(0, -metrics.height() - 1, 0, -_STRIP - 1)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word)

    def _recolour(self) -> None:
        super()._recolour()
        self._plot.set_colours(self._colours)
        self._plot.axis("left").setWidth(
            self._plot.small_metrics.horizontalAdvance("\N{MINUS SIGN}0.000") + 10
        )

    def _picture_parts(self) -> list[QWidget]:
        return [self._readout, self._plot, self._legend]
