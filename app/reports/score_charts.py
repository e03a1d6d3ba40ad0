"""Charts of scores by presentation, by class and over face size; readable in grey."""

import math
from collections.abc import Sequence

from app.reports.figures import Figures
from app.reports.findings import EDGES, Band
from app.reports.svg import Drawing, Point, Scale, round_ticks
from app.session.guided_test.presentation import Presentation
from app.types import Verdict

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

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 60, 744, 20, 240

Thresholds = tuple[float, ...]


def strip(presentations: Sequence[Presentation], thresholds: Thresholds) -> str:
    """Draw every presentation's mean score, a row for each species; empty without scores."""
    rows: dict[str, list[tuple[float, Presentation]]] = {}
    for one in presentations:
        if one.score is not None:
            rows.setdefault(one.species, []).append((one.score, one))
    if not rows:
        return ""
    names = sorted(rows, key=lambda name: rows[name][0][1].is_attack)
    pitch, top = 36, 26
    left = 34 + LETTER * max(len(_shortened(name)) for name in names)
    bottom = top + pitch * len(names)
    description = "One row for each species, the threshold as a vertical line."
    drawing = Drawing(WIDTH, bottom + 44, "Mean score of every presentation", description)
    scores = [score for own in rows.values() for score, _ in own]
    across = _score_scale(scores, thresholds, left, WIDTH - 16)
    for row in range(0, len(names), 2):
        drawing.rectangle((8, top + pitch * row), WIDTH - 24, pitch, "band")
    _score_axis(drawing, across, top, bottom)
    for row, name in enumerate(names):
        middle = top + pitch * (row + 0.5)
        drawing.text((left - 12, middle + 4), _shortened(name), "label", anchor="end")
        ends = [-math.inf] * len(LANES)  # where the last mark of each lane is
        for score, one in sorted(rows[name], key=lambda pair: pair[0]):
            x = across(score)
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


def histogram(level: Figures, thresholds: Thresholds, what: str) -> str:
    """Draw both classes' scores of ``what`` back to back; empty without scores."""
    genuine = list(level.genuine_scores)
    attacks = [score for scores in level.attack_scores.values() for score in scores]
    scores = [*genuine, *attacks]
    if not scores:
        return ""
    middle = (TOP + BOTTOM) / 2
    description = "Bona fide above the line, attacks below it, each as shares of their class."
    drawing = Drawing(WIDTH, BOTTOM + 44, f"Scores of {what}", description)
    # No bin lies on both sides of the first threshold.
    extent = _score_scale(scores, thresholds, 0, 1)
    edge = thresholds[0] if thresholds else extent.low
    width = (extent.high - extent.low) / min(max(int(2 * len(scores) ** 0.5), 12), 48)
    n_below = math.ceil((edge - extent.low) / width)
    n_bins = n_below + math.ceil((extent.high - edge) / width)
    low = edge - n_below * width

    def shares(values: Sequence[float]) -> list[float]:
        counts = [0] * n_bins
        for score in values:
            index = math.floor((score - edge) / width) + n_below
            counts[min(max(index, 0), n_bins - 1)] += 1
        return [count / len(values) if values else 0.0 for count in counts]

    across = Scale(low, low + n_bins * width, LEFT, RIGHT)
    bars = [shares(genuine), shares(attacks)]
    highest = max(max(each) for each in bars)
    _score_axis(drawing, across, TOP, BOTTOM)
    pitch = (RIGHT - LEFT) / n_bins
    for each, style, end in zip(bars, ("genuine", "attack"), (TOP, BOTTOM), strict=True):
        tall = Scale(0, highest, middle, end + (8 if end == TOP else -8))
        for index, share in enumerate(each):
            if share:
                y = tall(share)
                corner = (LEFT + index * pitch + 0.5, min(middle, y))
                drawing.rectangle(corner, pitch - 1, abs(y - middle), f"bar {style}")
        share = round_ticks(0, highest, 3)[-1]
        drawing.text((LEFT - 8, tall(share) + 4), f"{100 * share:.0f} %", "tick", anchor="end")
        drawing.line((LEFT - 4, tall(share)), (LEFT, tall(share)), "axis")
    drawing.line((LEFT, middle), (RIGHT, middle), "axis")
    labels = (f"Bona fide, n = {len(genuine)}", f"Attacks, n = {len(attacks)}")
    for each, label, height in zip(bars, labels, (TOP + 14, BOTTOM - 8), strict=True):
        # On the side where fewer bars are in the way.
        third = len(each) // 3
        if sum(each[:third]) <= sum(each[-third:]):
            drawing.text((LEFT + 8, height), label, "label")
        else:
            drawing.text((RIGHT - 8, height), label, "label", anchor="end")
    _threshold_lines(drawing, across, thresholds, TOP, BOTTOM)
    return drawing.markup()


def sizes(
    frames: Sequence[tuple[float, float]], bands: Sequence[Band], thresholds: Thresholds
) -> str:
    """Draw genuine frames (size, score), with a line through the means of bands."""
    if not frames or not bands:
        return ""
    description = "A dot for each frame, a line through the means of bands of sizes."
    title = "Score of genuine frames over the size of the face"
    drawing = Drawing(WIDTH, BOTTOM + 44, title, description)
    widths = [size for size, _ in frames]
    across = Scale(min(EDGES[0], *widths) - 4, max(*widths, EDGES[1]) + 4, LEFT, RIGHT)
    up = _score_scale([score for _, score in frames], thresholds, BOTTOM, TOP)
    for tick in round_ticks(across.low, across.high, 10):
        drawing.line((across(tick), TOP), (across(tick), BOTTOM), "grid")
        drawing.text((across(tick), BOTTOM + 16), f"{tick:.0f}", "tick", anchor="middle")
    for tick in round_ticks(up.low, up.high, 5):
        drawing.line((LEFT, up(tick)), (RIGHT, up(tick)), "grid")
        drawing.text((LEFT - 8, up(tick) + 4), _tick_text(tick), "tick", anchor="end")
    for size, score in frames[:: max(len(frames) // MOST_DOTS, 1)]:
        drawing.circle((across(size), up(score)), 2, "genuine filled")
    middles = []
    for band in bands:
        inside = [size for size in widths if band.low <= size < (band.high or math.inf)]
        middles.append((across(sum(inside) / len(inside)), up(band.mean_score)))
    drawing.curve(middles, "curve")
    for place in middles:
        drawing.circle(place, 4.5, "ring")
    for threshold in thresholds[:MOST_LINES]:
        drawing.line((LEFT, up(threshold)), (RIGHT, up(threshold)), "threshold")
    if thresholds:
        height = up(thresholds[0]) - 6
        drawing.text((RIGHT - 4, height), "threshold", "tick strong", anchor="end")
    drawing.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis")
    middle = ((LEFT + RIGHT) / 2, BOTTOM + 36)
    drawing.text(middle, "Side of the face (pixels)", "label", anchor="middle")
    drawing.text((16, (TOP + BOTTOM) / 2), "Score", "label", anchor="middle", turn=-90)
    return drawing.markup()


def _score_scale(
    scores: Sequence[float], thresholds: Thresholds, start: float, end: float
) -> Scale:
    values = [*scores, *thresholds[:MOST_LINES]]
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or 0.05 * max(abs(high), 1.0)
    return Scale(low - margin, high + margin, start, end)


def _score_axis(drawing: Drawing, across: Scale, top: float, bottom: float) -> None:
    for tick in round_ticks(across.low, across.high, 8):
        drawing.line((across(tick), top), (across(tick), bottom), "grid")
        drawing.text((across(tick), bottom + 16), _tick_text(tick), "tick", anchor="middle")
    drawing.line((across.start, bottom), (across.end, bottom), "axis")
    middle = (across.start + across.end) / 2
    drawing.text((middle, bottom + 36), "Score (higher: bona fide)", "label", anchor="middle")


def _tick_text(tick: float) -> str:
    return f"{tick:.6g}" if abs(tick) > 1e-12 else "0"


def _threshold_lines(
    drawing: Drawing, across: Scale, thresholds: Thresholds, top: float, bottom: float
) -> None:
    for threshold in thresholds[:MOST_LINES]:
        x = across(threshold)
        drawing.line((x, top - 6), (x, bottom), "threshold")
    if thresholds:
        x = across(thresholds[0])
        label = f"threshold {thresholds[0]:.3g}" if len(thresholds) == 1 else "thresholds"
        is_far_right = x > (across.start + across.end) / 2
        anchor, shift = ("end", -6) if is_far_right else ("start", 6)
        drawing.text((x + shift, top - 8 + 4), label, "tick strong", anchor=anchor)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "\u2026"
