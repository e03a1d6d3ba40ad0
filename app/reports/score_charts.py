"""Charts of scores by presentation, by class and by face size; readable without colour."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np

from app.reports.figures import Figures
from app.reports.findings import EDGES, Band
from app.reports.svg import Drawing, Point, Scale, Tick, round_ticks, shortened
from app.session.guided_test.presentation import Presentation
from app.types import Verdict

LONGEST_LABEL = 19
LANES = (0, -10, 10)
"""Vertical offsets that keep neighbouring marks of a row apart."""
MOST_LINES = 4
"""Thresholds drawn; more would hide the scores."""
MOST_DOTS = 1500
"""Frames drawn; of more, only every second or third."""

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 60, 744, 20, 240
STRIP_LEFT, STRIP_TOP, STRIP_PITCH = 160, 26, 36
SCORE = "Score (higher: bona fide)"

Thresholds = tuple[float, ...]


def strip(presentations: Sequence[Presentation], thresholds: Thresholds) -> str:
    """Draw every presentation's mean score, one row per species; empty without scores."""
    rows: dict[str, list[tuple[float, Presentation]]] = {}
    for presentation in presentations:
        if presentation.score is not None:
            rows.setdefault(presentation.species, []).append((presentation.score, presentation))
    if not rows:
        return ""
    names = sorted(rows, key=lambda name: rows[name][0][1].is_attack)
    bottom = STRIP_TOP + STRIP_PITCH * len(names)
    description = "One row per species, the threshold as a vertical line."
    drawing = Drawing(WIDTH, bottom + 44, "Mean score of every presentation", description)
    scores = [score for own in rows.values() for score, _ in own]
    across = _score_scale(scores, thresholds, STRIP_LEFT, RIGHT)
    for row in range(0, len(names), 2):
        drawing.rectangle((8, STRIP_TOP + STRIP_PITCH * row), RIGHT - 8, STRIP_PITCH, "band")
    drawing.x_axis(across, _score_ticks(across), STRIP_TOP, bottom, SCORE)
    for row, name in enumerate(names):
        middle = STRIP_TOP + STRIP_PITCH * (row + 0.5)
        label = shortened(name, LONGEST_LABEL)
        drawing.text((STRIP_LEFT - 12, middle + 4), label, "label", anchor="end")
        for rank, (score, presentation) in enumerate(sorted(rows[name], key=lambda pair: pair[0])):
            _mark(drawing, (across(score), middle + LANES[rank % len(LANES)]), presentation)
    _threshold_lines(drawing, across, thresholds, STRIP_TOP, bottom)
    return drawing.markup()


def _mark(drawing: Drawing, place: Point, presentation: Presentation) -> None:
    style = "attack" if presentation.is_attack else "genuine"
    if presentation.verdict is Verdict.GENUINE:
        drawing.circle(place, 5, f"{style} filled")
    elif presentation.verdict is Verdict.UNFAMILIAR:
        drawing.diamond(place, 6, f"{style} open")
    else:
        drawing.cross(place, 4.5, f"{style} open")


def histogram(level: Figures, thresholds: Thresholds, unit: str) -> str:
    """Draw the scores of both classes back to back; empty without scores.

    ``unit`` is ``"presentations"`` or ``"frames"``.
    """
    classes = [
        np.asarray(level.genuine_scores, dtype=np.float64),
        np.array([score for scores in level.attack_scores.values() for score in scores]),
    ]
    scores = np.concatenate(classes)
    if not len(scores):
        return ""
    middle = (TOP + BOTTOM) / 2
    description = "Bona fide above the line, attacks below it, each as shares of its class."
    drawing = Drawing(WIDTH, BOTTOM + 44, f"Scores of {unit}", description)
    # No bin straddles the first threshold.
    extent = _score_scale(scores, thresholds, 0, 1)
    edge = thresholds[0] if thresholds else extent.low
    width = (extent.high - extent.low) / min(max(int(2 * len(scores) ** 0.5), 12), 48)
    below, above = edge - extent.low, extent.high - edge
    numbers = np.arange(-math.ceil(below / width), math.ceil(above / width) + 1)
    edges = edge + width * numbers
    shares = [np.histogram(each, edges)[0] / max(len(each), 1) for each in classes]
    across = Scale(edges[0], edges[-1], LEFT, RIGHT)
    drawing.x_axis(across, _score_ticks(across), TOP, BOTTOM, SCORE)
    highest = float(np.max(shares))
    tick = round_ticks(0, highest, 3)[-1]
    for own, style, end in zip(shares, ("genuine", "attack"), (TOP + 8, BOTTOM - 8), strict=True):
        tall = Scale(0, highest, middle, end)
        for left, right, share in zip(edges, edges[1:], own, strict=False):
            if share:
                x, y = across(left), tall(share)
                corner = (x + 0.5, min(middle, y))
                drawing.rectangle(corner, across(right) - x - 1, abs(y - middle), f"bar {style}")
        drawing.y_axis(tall, [(tick, f"{100 * tick:.0f} %")], LEFT, RIGHT)
    drawing.line((LEFT, middle), (RIGHT, middle), "axis")
    bona_fide, attacks = map(len, classes)
    drawing.text((LEFT + 8, TOP + 14), f"Bona fide, n = {bona_fide}", "label")
    drawing.text((RIGHT - 8, BOTTOM - 8), f"Attacks, n = {attacks}", "label", anchor="end")
    _threshold_lines(drawing, across, thresholds, TOP, BOTTOM)
    return drawing.markup()


def sizes(bands: Sequence[Band], thresholds: Thresholds) -> str:
    """Draw the scores of genuine frames by face size, with a line through the means of bands."""
    if not bands:
        return ""
    frames = [point for band in bands for point in band.points]
    description = "One dot per frame, a line through the means of bands of sizes."
    title = "Score of genuine frames by face size"
    drawing = Drawing(WIDTH, BOTTOM + 44, title, description)
    widths = [size for size, _ in frames]
    across = Scale(min(EDGES[0], *widths) - 4, max(*widths, EDGES[1]) + 4, LEFT, RIGHT)
    up = _score_scale([score for _, score in frames], thresholds, BOTTOM, TOP)
    ticks = [(tick, f"{tick:.0f}") for tick in round_ticks(across.low, across.high, 10)]
    drawing.x_axis(across, ticks, TOP, BOTTOM, "Face size (pixels)")
    drawing.y_axis(up, _score_ticks(up), LEFT, RIGHT, "Score")
    for size, score in frames[:: max(len(frames) // MOST_DOTS, 1)]:
        drawing.circle((across(size), up(score)), 2, "genuine filled")
    middles = [
        (across(fmean(size for size, _ in band.points)), up(band.mean_score)) for band in bands
    ]
    drawing.curve(middles, "curve")
    for place in middles:
        drawing.circle(place, 4.5, "ring")
    for threshold in thresholds[:MOST_LINES]:
        drawing.line((LEFT, up(threshold)), (RIGHT, up(threshold)), "threshold")
    if thresholds:
        height = up(thresholds[0]) - 6
        drawing.text((RIGHT - 4, height), "threshold", "tick strong", anchor="end")
    return drawing.markup()


def _score_scale(
    scores: Iterable[float], thresholds: Thresholds, start: float, end: float
) -> Scale:
    values = [*scores, *thresholds[:MOST_LINES]]
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or 0.05 * max(abs(high), 1.0)
    return Scale(low - margin, high + margin, start, end)


def _score_ticks(scale: Scale) -> list[Tick]:
    ticks = round_ticks(scale.low, scale.high, 8)
    return [(tick, f"{tick:.6g}" if abs(tick) > 1e-12 else "0") for tick in ticks]


def _threshold_lines(
    drawing: Drawing, across: Scale, thresholds: Thresholds, top: float, bottom: float
) -> None:
    for threshold in thresholds[:MOST_LINES]:
        x = across(threshold)
        drawing.line((x, top - 6), (x, bottom), "threshold")
    if thresholds:
        x = across(thresholds[0])
        label = f"threshold {thresholds[0]:.3g}" if len(thresholds) == 1 else "thresholds"
        anchor, shift = ("end", -6) if x > WIDTH / 2 else ("start", 6)
        drawing.text((x + shift, top - 4), label, "tick strong", anchor=anchor)
