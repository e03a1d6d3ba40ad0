"""Bins of a histogram, with an edge exactly at the threshold."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10

_MOST = 60


def edges_for(scores: Iterable[float], threshold: float | None, n_wanted: int = 30) -> list[float]:
    """Return the edges of equal bins over all scores.

    One edge is the threshold, so that every bar lies wholly on one side of it. Values that are not
    finite are passed over; without any score there are no edges.
    """
    known = [score for score in scores if isfinite(score)]
    if not known:
        return []
    anchor = threshold if threshold is not None and isfinite(threshold) else min(known)
    low, high = min([*known, anchor]), max([*known, anchor])
    width = _round_width((high - low) / max(1, min(n_wanted, _MOST)))
    if width <= 0:
        width = max(abs(anchor) * 0.05, 1e-3)
    first = floor((low - anchor) / width)
    last = max(first + 1, ceil((high - anchor) / width))
    if anchor + last * width <= high:  # the largest score must lie inside the last bin
        last += 1
    return [anchor + index * width for index in range(first, last + 1)]


def counts_in(scores: Iterable[float], edges: Sequence[float]) -> list[int]:
    """Count the scores in every bin; a score on an edge belongs to the bin above it."""
    counts = [0] * max(0, len(edges) - 1)
    if not counts:
        return counts
    for score in scores:
        if isfinite(score):
            counts[_bin_of(score, edges)] += 1
    return counts


def _bin_of(score: float, edges: Sequence[float]) -> int:
    low, high = 0, len(edges) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if score >= edges[middle]:
            low = middle
        else:
            high = middle
    return low


def _round_width(width: float) -> float:
    """Round a width up to 1, 2 or 5 times a power of ten."""
    if width <= 0 or not isfinite(width):
        return 0.0
    power = 10.0 ** floor(log10(width))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))
