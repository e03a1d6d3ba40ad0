"""Scores of the last seconds, compared with the threshold."""

from collections import deque
from dataclasses import dataclass
from functools import cache
from math import floor, isfinite, nan

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtWidgets import QWidget

from app.qt import theme
from app.qt.charts.chart import Chart, LegendEntry, csv_text
from app.qt.charts.format import decimals, places_for
from app.qt.charts.plot import Plot, SteadyRange, tinted
from app.types import ScoredFrame, Verdict

SECONDS = 20.0
"""Time span of the chart."""

_MARK_GAP = 9.0
"""Minimum distance in pixels between marks of one verdict: closer ones would blur together."""
_LONGEST_STEP = 0.5
"""Longest time in seconds between two scores that a line joins."""

_MARKS = {
    Verdict.GENUINE: ("o", "●", "good"),
    Verdict.ATTACK: ("t", "▼", "bad"),
    Verdict.UNFAMILIAR: ("d", "◆", "caution"),
    Verdict.NO_FACE: ("x", "✕", "neutral"),
    Verdict.POOR_QUALITY: ("s", "■", "caution"),
}
"""Symbol in the plot, symbol in the legend, and colour."""

_brush = cache(pg.mkBrush)
"""Cached, because pyqtgraph renders a symbol again for every new brush object."""


@dataclass(frozen=True)
class _Moment:
    time: float
    number: int
    verdict: Verdict
    score: float | None
    is_joined: bool
    """Whether a line joins it to the frame before."""


class ScoreTimeline(Chart):
    """The score over the last seconds, with the threshold.

    Frames without a score are gaps in the curve, with marks at the bottom that show the reason.
    """

    file_stem = "scores"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Score over time", parent)
        self._moments: deque[_Moment] = deque(maxlen=int(SECONDS * 130))
        self._threshold: float | None = None
        self._range = SteadyRange(padding=0.5)  # room for the labels at the threshold
        self._plot = Plot(self, "Score over time, curve", left_text="\N{MINUS SIGN}0.000")
        ticks = [(-back, f"{decimals(-back, 0)} s") for back in (5, 10, 15, 20)]
        self._plot.axis("bottom").setTicks([[(0, "now"), *ticks], []])
        self._bands = [
            pg.LinearRegionItem(orientation="horizontal", movable=False, pen=pg.mkPen(None))
            for _ in range(2)
        ]
        self._line = pg.InfiniteLine(angle=0)
        self._curve = pg.PlotCurveItem(antialias=True, connect="finite")
        self._curve.setSegmentedLineMode("on")  # much faster than one long path
        self._marks = pg.ScatterPlotItem(pen=None, size=8)
        self._plot.add(*self._bands, self._line, self._curve, self._marks)
        self._side_labels = self._plot.add_text(1, 1), self._plot.add_text(1, 0)
        self._lay_out(self._statement, self._plot, self._legend)
        self.head.hide()  # to save space; the context menu can copy and save

    def append(self, scored: ScoredFrame) -> None:
        """Add a frame; one that is earlier than the last (another source) clears the chart."""
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
        """Return time, number, verdict, score and threshold of every frame shown."""
        header = ("seconds", "frame", "verdict", "score", "threshold")
        return csv_text(
            header,
            (
                (f"{m.time:.3f}", m.number, m.verdict.value, m.score, self._threshold)
                for m in self._moments
            ),
        )

    def _scores(self) -> list[float]:
        return [moment.score for moment in self._moments if moment.score is not None]

    def _description(self) -> str:
        scores = self._scores()
        if not scores or self._threshold is None:
            return self._statement_text() + "."
        n_above = sum(score >= self._threshold for score in scores)
        return (
            f"{self._statement_text()}. In the last {decimals(SECONDS, 0)} seconds {n_above} of "
            f"{len(scores)} scored frames reach the threshold."
        )

    def _statement_text(self) -> str:
        """Describe the last frame, or say when scores will appear."""
        if not self._scores():
            if self._threshold is None:
                return "No model yet: scores appear here after the first fit"
            if self._moments:
                return "No frame could be scored yet: a well-lit face is needed"
            return "Waiting for the first scored frame"
        last, places = self._moments[-1], places_for(self._range.high - self._range.low)
        name = last.verdict.value
        if last.score is None:
            return f"No score now: {name}"
        score = decimals(last.score, places)
        if self._threshold is None:
            return f"Score {score}, no threshold"
        return f"Score {score}, threshold {decimals(self._threshold, places)}: {name}"

    def _legend_entries(self) -> tuple[LegendEntry, ...]:
        colours = theme.colours()
        return tuple(
            (mark, getattr(colours, role), verdict.value)
            for verdict, (_, mark, role) in _MARKS.items()
        )

    def _draw(self) -> None:
        now = self._moments[-1].time if self._moments else 0.0
        threshold = [] if self._threshold is None else [self._threshold]
        self._range.follow([*self._scores(), *threshold])
        # Leave room on the right for the labels at the threshold.
        room = self._plot.text_width("accepted") + 16
        width = self._plot.width() - self._plot.axis("left").width()
        right = SECONDS * room / max(width - room, room)
        self._plot.set_x_range(-SECONDS, right)
        self._plot.set_y_range(self._range.low, self._range.high)
        self._plot.axis("left").setStyle(showValues=bool(self._scores() or threshold))
        self._draw_sides(right)
        times, scores = [], []
        for moment in self._moments:
            if not moment.is_joined:
                times.append(moment.time - now)
                scores.append(nan)
            times.append(moment.time - now)
            scores.append(nan if moment.score is None else moment.score)
        self._curve.setData(times, scores, pen=self._plot.pen(theme.colours().accent, 1.6))
        self._draw_marks(now)

    def _draw_sides(self, right: float) -> None:
        colours = theme.colours()
        low, high, threshold = self._range.low, self._range.high, self._threshold
        for item in (*self._bands, self._line, *self._side_labels):
            item.setVisible(threshold is not None)
        if threshold is None:
            return
        self._line.setValue(threshold)
        self._line.setPen(self._plot.dashed_pen(colours.text))
        for text, word, band, ends, colour in zip(
            self._side_labels,
            ("accepted", "refused"),
            self._bands,
            ((threshold, max(high, threshold)), (min(low, threshold), threshold)),
            (colours.good, colours.bad),
            strict=True,
        ):
            band.setBrush(tinted(colour, 0.09))
            band.setRegion(ends)
            text.setText(word, colour)
            text.setPos(right, threshold)

    def _draw_marks(self, now: float) -> None:
        # Slots are fixed in the source's time, so that marks move with the curve without flicker.
        slot = SECONDS * _MARK_GAP / max(1, self._plot.width())
        marked: dict[tuple[int, Verdict], _Moment] = {}
        for moment in self._moments:
            if moment.score is not None or moment.verdict is not Verdict.NO_MODEL:
                marked.setdefault((floor(moment.time / slot), moment.verdict), moment)
        bottom = self._range.low + 0.04 * (self._range.high - self._range.low)
        other = _MARKS[Verdict.POOR_QUALITY]
        symbols = [_MARKS.get(moment.verdict, other) for moment in marked.values()]
        self._marks.setData(
            x=[moment.time - now for moment in marked.values()],
            y=[bottom if moment.score is None else moment.score for moment in marked.values()],
            symbol=[symbol for symbol, _, _ in symbols],
            brush=[_brush(getattr(theme.colours(), role)) for _, _, role in symbols],
        )
