"""The charts of a report, as vector graphics inside the page.

What differs in colour differs in shape, place or dashes too, so that a grey print tells as much.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from app.reports.levels import Level
from app.reports.svg import Drawing, Point, Scale, round_ticks
from app.reports.sweep import EDGES, Band
from app.session.guided_test.presentation import Presentation
from app.types import Verdict
from lmkl_core.metrics import det_points, measure, roc_points

LONGEST_LABEL = 19
LANES = (0, -10, 10)
"""Heights at which marks of a row may lie."""
MARK_WIDTH = 13
LETTER = 6.6
"""Width of a letter of a label, roughly."""
MOST_LINES = 4
"""Thresholds that are drawn; more would hide the scores."""
MOST_DOTS = 1500
"""Frames that are drawn; of more, every second or third is."""

Thresholds = tuple[float, ...]


def strip(presentations: Sequence[Presentation], thresholds: Thresholds) -> str:
    """Draw every presentation's mean score, a row for each species; empty without scores."""
    rows: dict[str, list[Presentation]] = {}
    for one in presentations:
        if one.score is not None:
            rows.setdefault(one.species, []).append(one)
    if not rows:
        return ""
    names = sorted(rows, key=lambda name: rows[name][0].is_attack)
    pitch, top, width = 36, 26, 760
    left = 34 + LETTER * max(len(_shortened(name)) for name in names)
    bottom = top + pitch * len(names)
    drawing = Drawing(
        width,
        bottom + 44,
        "Mean score of every presentation",
        "One row for each species, the threshold as a vertical line.",
    )
    scores = [one.score for one in presentations if one.score is not None]
    across = _score_scale([*scores, *thresholds[:MOST_LINES]], left, width - 16)
    for row in range(0, len(names), 2):
        drawing.rectangle((8, top + pitch * row), width - 24, pitch, "band")
    _score_axis(drawing, across, top, bottom)
    for row, name in enumerate(names):
        middle = top + pitch * (row + 0.5)
        drawing.text((left - 12, middle + 4), _shortened(name), "label", anchor="end")
        ends = [-math.inf] * len(LANES)  # where the last mark of each lane is
        for one in sorted(rows[name], key=lambda one: one.score or 0.0):
            assert one.score is not None
            x = across(one.score)
            # The middle lane, unless a neighbour is in the way there.
            free = [lane for lane, end in enumerate(ends) if x - end >= MARK_WIDTH]
            lane = free[0] if free else ends.index(min(ends))
            ends[lane] = x
            _mark(drawing, (x, middle + LANES[lane]), one)
    _threshold_lines(drawing, across, thresholds, top, bottom)
    return drawing.markup()


def _mark(drawing: Drawing, place: Point, one: Presentation) -> None:
    style = "attack" if one.is_attack else "genuine"
    if one.verdict is Verdict.GENUINE:
        drawing.circle(place, 5, f"{style} filled")
    elif one.verdict is Verdict.UNFAMILIAR:
        drawing.diamond(place, 6, f"{style} open")
    else:
        drawing.cross(place, 4.5, f"{style} open")


def histogram(level: Level, thresholds: Thresholds, what: str) -> str:
    """Draw both classes' scores back to back; empty without scores.

    Parameters
    ----------
    level : Level
        Whose scores.
    thresholds : tuple of float
        Drawn as lines.
    what : str
        What was scored: presentations or frames.
    """
    genuine = level.genuine_scores
    attacks = tuple(score for scores in level.attack_scores.values() for score in scores)
    scores = [*genuine, *attacks]
    if not scores:
        return ""
    left, right, top, middle, bottom = 60, 744, 20, 130, 240
    drawing = Drawing(
        760,
        bottom + 44,
        f"Scores of {what}",
        "Bona fide above the line, attacks below it, each as shares of their class.",
    )
    bins = _bins(scores, thresholds)
    across = Scale(bins.low, bins.low + bins.n * bins.width, left, right)
    bars = [bins.shares(values) for values in (genuine, attacks)]
    highest = max(max(shares) for shares in bars)
    _score_axis(drawing, across, top, bottom)
    width = (right - left) / bins.n
    for shares, style, edge in zip(bars, ("genuine", "attack"), (top, bottom), strict=True):
        tall = Scale(0, highest, middle, edge + (8 if edge == top else -8))
        for index, share in enumerate(shares):
            if share:
                end = tall(share)
                corner = (left + index * width + 0.5, min(middle, end))
                drawing.rectangle(corner, width - 1, abs(end - middle), f"bar {style}")
        share = round_ticks(0, highest, 3)[-1]
        drawing.text((left - 8, tall(share) + 4), f"{100 * share:.0f} %", "tick", anchor="end")
        drawing.line((left - 4, tall(share)), (left, tall(share)), "axis")
    drawing.line((left, middle), (right, middle), "axis")
    named = (f"Bona fide, n = {len(genuine)}", f"Attacks, n = {len(attacks)}")
    for shares, words, height in zip(bars, named, (top + 14, bottom - 8), strict=True):
        # On the side where fewer bars are in the way.
        third = len(shares) // 3
        if sum(shares[:third]) <= sum(shares[-third:]):
            drawing.text((left + 8, height), words, "label")
        else:
            drawing.text((right - 8, height), words, "label", anchor="end")
    _threshold_lines(drawing, across, thresholds, top, bottom)
    return drawing.markup()


@dataclass(frozen=True)
class _Bins:
    """Bins of equal width, one of which begins exactly at ``edge``."""

    edge: float
    width: float
    n_below: int
    n: int

    @property
    def low(self) -> float:
        return self.edge - self.n_below * self.width

    def shares(self, scores: Sequence[float]) -> list[float]:
        counts = [0] * self.n
        for score in scores:
            index = math.floor((score - self.edge) / self.width) + self.n_below
            counts[min(max(index, 0), self.n - 1)] += 1
        return [count / len(scores) if scores else 0.0 for count in counts]


def _bins(scores: Sequence[float], thresholds: Thresholds) -> _Bins:
    """Return bins none of which lies on both sides of the first threshold."""
    drawn = [*scores, *thresholds[:MOST_LINES]]
    extent = _score_scale(drawn, 0, 1)
    edge = thresholds[0] if thresholds else extent.low
    width = (extent.high - extent.low) / min(max(int(2 * len(scores) ** 0.5), 12), 48)
    n_below = math.ceil((edge - extent.low) / width)
    return _Bins(edge, width, n_below, n_below + math.ceil((extent.high - edge) / width))


def sizes(
    frames: Sequence[tuple[float, float]], bands: Sequence[Band], thresholds: Thresholds
) -> str:
    """Draw the score of genuine frames over the size of the face; empty without frames.

    Parameters
    ----------
    frames : sequence of tuple of float
        Size and score of each.
    bands : sequence of Band
        Their means are drawn as a line.
    thresholds : tuple of float
        Drawn as lines.
    """
    if not frames or not bands:
        return ""
    left, right, top, bottom = 60, 744, 20, 240
    drawing = Drawing(
        760,
        bottom + 44,
        "Score of genuine frames over the size of the face",
        "A dot for each frame, a line through the means of bands of sizes.",
    )
    widths = [size for size, _ in frames]
    across = Scale(min(EDGES[0], *widths) - 4, max(*widths, EDGES[1]) + 4, left, right)
    scores = [score for _, score in frames]
    up = _score_scale([*scores, *thresholds[:MOST_LINES]], bottom, top)
    for tick in round_ticks(across.low, across.high, 10):
        drawing.line((across(tick), top), (across(tick), bottom), "grid")
        drawing.text((across(tick), bottom + 16), f"{tick:.0f}", "tick", anchor="middle")
    for tick in round_ticks(up.low, up.high, 5):
        drawing.line((left, up(tick)), (right, up(tick)), "grid")
        named = f"{tick:.6g}" if abs(tick) > 1e-12 else "0"
        drawing.text((left - 8, up(tick) + 4), named, "tick", anchor="end")
    step = max(len(frames) // MOST_DOTS, 1)
    for size, score in frames[::step]:
        drawing.circle((across(size), up(score)), 2, "genuine filled")
    middles = []
    for band in bands:
        inside = [size for size in widths if band.low <= size < (band.high or math.inf)]
        middles.append((across(sum(inside) / len(inside)), up(band.mean_score)))
    drawing.curve(middles, "curve")
    for place in middles:
        drawing.circle(place, 4.5, "ring")
    for threshold in thresholds[:MOST_LINES]:
        drawing.line((left, up(threshold)), (right, up(threshold)), "threshold")
    if thresholds:
        height = up(thresholds[0]) - 6
        drawing.text((right - 4, height), "threshold", "tick strong", anchor="end")
    drawing.line((left, bottom), (right, bottom), "axis")
    middle = (left + right) / 2
    drawing.text((middle, bottom + 36), "Side of the face (pixels)", "label", anchor="middle")
    drawing.text((16, (top + bottom) / 2), "Score", "label", anchor="middle", turn=-90)
    return drawing.markup()


# ------------------------------------------------------------------ trade-off curves

CURVE_SIZE = 380
PLOT = (58, 366, 14, 322)
"""Left, right, top and bottom of the square that curves are drawn in."""


Curve = tuple[tuple[NDArray[np.float64], NDArray[np.float64]], str]
"""APCER rising from 0 to 1 with the other share at each, and the style of the line."""

BOTH_LEVELS = "Presentations as a solid line, frames as a dashed one, the threshold as a ring."
STYLES = ("curve", "curve dashed")


def roc(by_presentation: Level, by_frame: Level, thresholds: Thresholds) -> str:
    """Draw the share of bona fide accepted over APCER; empty when a class has no scores."""
    levels = (by_presentation, by_frame)
    curves = [roc_points(one.genuine_scores, one.attack_scores) for one in levels]
    ring = _working_point(by_presentation, thresholds, lambda bpcer: 1 - bpcer)
    return roc_chart(list(zip(curves, STYLES, strict=True)), BOTH_LEVELS, ring)


def det(by_presentation: Level, by_frame: Level, thresholds: Thresholds) -> str:
    """Draw BPCER over APCER, both as normal deviates; empty when a class has no scores."""
    levels = (by_presentation, by_frame)
    curves = [det_points(one.genuine_scores, one.attack_scores) for one in levels]
    ring = _working_point(by_presentation, thresholds, lambda bpcer: bpcer)
    return det_chart(list(zip(curves, STYLES, strict=True)), BOTH_LEVELS, ring)


def roc_chart(curves: Sequence[Curve], description: str, ring: Point | None = None) -> str:
    """Draw ROC curves, the first on top; empty when that has no points."""
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    titles = ("ROC curve", description, "Bona fide accepted", "chance")
    return _tradeoff(curves, ring, titles, lambda share: share, ticks)


DET_TICKS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)


def det_chart(curves: Sequence[Curve], description: str, ring: Point | None = None) -> str:
    """Draw DET curves on normal deviates, the first on top; empty when that has no points."""
    deviate = NormalDist().inv_cdf

    def bounded(share: float) -> float:
        # 0 and 1 are infinitely far: they are drawn on the border.
        return deviate(min(max(share, DET_TICKS[0]), DET_TICKS[-1]))

    titles = ("DET curve", description, "BPCER", "equal errors")
    return _tradeoff(curves, ring, titles, bounded, DET_TICKS)


def _tradeoff(
    curves: Sequence[Curve],
    ring: Point | None,
    titles: tuple[str, str, str, str],
    stretched: Callable[[float], float],
    ticks: Sequence[float],
) -> str:
    if not curves or not len(curves[0][0][0]):
        return ""
    title, description, upward, diagonal = titles
    left, right, top, bottom = PLOT
    drawing = Drawing(CURVE_SIZE, CURVE_SIZE, title, description)
    ends = stretched(ticks[0]), stretched(ticks[-1])
    across, up = Scale(*ends, left, right), Scale(*ends, bottom, top)

    def place(apcer: float, other: float) -> Point:
        return across(stretched(float(apcer))), up(stretched(float(other)))

    for tick in ticks:
        x, y = place(tick, tick)
        drawing.line((x, top), (x, bottom), "grid")
        drawing.line((left, y), (right, y), "grid")
        named = f"{100 * tick:g}"
        drawing.text((x, bottom + 17), named, "tick", anchor="middle")
        drawing.text((left - 7, y + 4), named, "tick", anchor="end")
    drawing.line((left, bottom), (right, top), "reference")
    below = top + 18 + LETTER * len(diagonal)  # beside the line, not on it
    drawing.text((right - 6, below), diagonal, "tick", anchor="end")
    for points, style in reversed(curves):
        drawing.curve([place(*point) for point in zip(*points, strict=True)], style)
    if ring is not None:
        drawing.circle(place(*ring), 6, "ring")
    drawing.text(((left + right) / 2, bottom + 42), "APCER (%)", "label", anchor="middle")
    middle = (top + bottom) / 2
    drawing.text((16, middle), f"{upward} (%)", "label", anchor="middle", turn=-90)
    return drawing.markup()


def _working_point(
    level: Level, thresholds: Thresholds, upward: Callable[[float], float]
) -> Point | None:
    """Return where the threshold lies on the curve, if there was one threshold only."""
    if len(thresholds) != 1:
        return None
    errors = measure(thresholds[0], level.genuine_scores, level.attack_scores)
    if errors.apcer.value is None or errors.bpcer.value is None:
        return None
    return errors.apcer.value, upward(errors.bpcer.value)


# ------------------------------------------------------------------ parts


def interval_bar(value: float | None, interval: tuple[float, float]) -> str:
    """Draw a share from 0 to 100 % as a dot on the bar of its interval; empty without data."""
    if value is None:
        return ""
    drawing = Drawing(120, 14, "Interval from 0 to 100 %", "The dot is the rate.")
    along = Scale(0, 1, 6, 114)
    drawing.line((6, 7), (114, 7), "track")
    low, high = along(interval[0]), along(interval[1])
    drawing.rectangle((low, 4), max(high - low, 1), 6, "span")
    drawing.circle((along(value), 7), 4, "dot")
    return drawing.markup()


def _score_scale(values: Sequence[float], left: float, right: float) -> Scale:
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or 0.05 * max(abs(high), 1.0)
    return Scale(low - margin, high + margin, left, right)


def _score_axis(drawing: Drawing, across: Scale, top: float, bottom: float) -> None:
    ticks = round_ticks(across.low, across.high, 8)
    for tick in ticks:
        drawing.line((across(tick), top), (across(tick), bottom), "grid")
        named = f"{tick:.6g}" if abs(tick) > 1e-12 else "0"
        drawing.text((across(tick), bottom + 16), named, "tick", anchor="middle")
    drawing.line((across.start, bottom), (across.end, bottom), "axis")
    middle = (across.start + across.end) / 2
    drawing.text((middle, bottom + 36), "Score (higher: bona fide)", "label", anchor="middle")


def _threshold_lines(
    drawing: Drawing, across: Scale, thresholds: Thresholds, top: float, bottom: float
) -> None:
    for threshold in thresholds[:MOST_LINES]:
        x = across(threshold)
        drawing.line((x, top - 6), (x, bottom), "threshold")
    if thresholds:
        x = across(thresholds[0])
        is_far_right = x > (across.start + across.end) / 2
        named = f"threshold {thresholds[0]:.3g}" if len(thresholds) == 1 else "thresholds"
        anchor, shift = ("end", -6) if is_far_right else ("start", 6)
        drawing.text((x + shift, top - 8 + 4), named, "tick strong", anchor=anchor)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "\u2026"
