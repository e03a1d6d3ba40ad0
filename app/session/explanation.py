"""A score taken apart: the exact sum of one term for every cluster and view.

Everything here is sums of these terms, over views and regions, so it can be checked by hand.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Terms = Sequence[Sequence[float]]
"""Clusters (outer) by views (inner)."""

ROUNDING = 1e-6
"""Relative difference that adding up single and double precision numbers may leave."""


@dataclass(frozen=True)
class Part:
    """The sum of the terms of a view or region; ``usual`` for the average enrolled frame."""

    name: str
    value: float
    usual: float | None = None

    @property
    def shortfall(self) -> float:
        """How much less than usual it is, at least 0."""
        if self.usual is None or not math.isfinite(self.usual - self.value):
            return 0.0
        return max(0.0, self.usual - self.value)


@dataclass(frozen=True)
class Explanation:
    """One score taken apart; ``usual`` is the average enrolled frame's, if known."""

    score: float
    usual: float | None
    n_terms: int
    n_clusters: int
    n_views: int
    views: tuple[Part, ...]
    regions: tuple[Part, ...]

    @property
    def lowest(self) -> Part | None:
        """The view furthest below the enrolled frames; None if none is."""
        return furthest_short(self.views)

    @property
    def lowest_region(self) -> Part | None:
        return furthest_short(self.regions)

    def agrees_with(self, score: float) -> bool:
        """Whether the terms sum to this score but for rounding."""
        return math.isclose(self.score, score, rel_tol=ROUNDING, abs_tol=ROUNDING)


def explain(terms: Terms, view_names: Sequence[str], usual_terms: Terms = ()) -> Explanation | None:
    """Take the score of one frame apart; None if the terms are not of these views.

    Names of views are ``region/network.layer``. ``usual_terms`` are the mean terms of the enrolled
    frames, ignored if their shape differs.
    """
    if not _fits(terms, view_names):
        return None
    usual = usual_terms if _fits(usual_terms, view_names) and len(usual_terms) == len(terms) else ()
    views = _parts(view_names, terms, usual, lambda name: name)
    return Explanation(
        score=math.fsum(_of_views(terms)),
        usual=math.fsum(_of_views(usual)) if usual else None,
        n_terms=len(terms) * len(view_names),
        n_clusters=len(terms),
        n_views=len(view_names),
        views=views,
        regions=_parts(view_names, terms, usual, lambda name: name.partition("/")[0]),
    )


def furthest_short(parts: Sequence[Part]) -> Part | None:
    """Return the part furthest below what is usual; None if none is."""
    worst = max(parts, key=lambda part: part.shortfall, default=None)
    return worst if worst is not None and worst.shortfall > 0 else None


def _fits(terms: Terms, view_names: Sequence[str]) -> bool:
    return bool(terms) and bool(view_names) and all(len(row) == len(view_names) for row in terms)


def _of_views(terms: Terms) -> list[float]:
    return [math.fsum(column) for column in zip(*terms, strict=True)]


def _parts(
    view_names: Sequence[str], terms: Terms, usual: Terms, group: Callable[[str], str]
) -> tuple[Part, ...]:
    def sums(table: Terms) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for name, value in zip(view_names, _of_views(table), strict=True):
            found.setdefault(group(name), []).append(value)
        return {name: math.fsum(values) for name, values in found.items()}

    usuals = sums(usual) if usual else {}
    return tuple(Part(name, value, usuals.get(name)) for name, value in sums(terms).items())
