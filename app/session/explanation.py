"""Explain a score, which is exactly the sum of one term for every cluster and view."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Terms = Sequence[Sequence[float]]
"""Clusters (outer) by views (inner)."""

ROUNDING = 1e-6
"""Relative difference allowed between sums of single and of double precision numbers."""


@dataclass(frozen=True)
class Part:
    """The sum of a view's or region's terms; ``usual`` is that of the average enrolled frame."""

    name: str
    value: float
    usual: float | None = None

    @property
    def shortfall(self) -> float:
        """How far it is below ``usual``, at least 0."""
        if self.usual is None or not math.isfinite(self.usual - self.value):
            return 0.0
        return max(0.0, self.usual - self.value)


@dataclass(frozen=True)
class Explanation:
    """A score by view and region; ``usual`` is the average enrolled frame's score, if known."""

    score: float
    usual: float | None
    n_clusters: int
    n_views: int
    views: tuple[Part, ...]
    regions: tuple[Part, ...]

    @property
    def lowest(self) -> Part | None:
        """The view furthest below its usual value; None if none is."""
        return largest_shortfall(self.views)

    @property
    def lowest_region(self) -> Part | None:
        return largest_shortfall(self.regions)

    def agrees_with(self, score: float) -> bool:
        """Whether the terms sum to this score up to rounding."""
        return math.isclose(self.score, score, rel_tol=ROUNDING, abs_tol=ROUNDING)


def explain(terms: Terms, view_names: Sequence[str], usual_terms: Terms = ()) -> Explanation | None:
    """Explain the score of one frame; return None if the terms do not belong to these views.

    View names are ``region/network.layer``. ``usual_terms`` are the mean terms of the enrolled
    frames, ignored if their shape differs.
    """
    if not _fits(terms, view_names):
        return None
    if not _fits(usual_terms, view_names) or len(usual_terms) != len(terms):
        usual_terms = ()
    views = _parts(view_names, terms, usual_terms)
    regions = _parts([name.partition("/")[0] for name in view_names], terms, usual_terms)
    usual = math.fsum(part.usual or 0.0 for part in views) if usual_terms else None
    return Explanation(
        math.fsum(part.value for part in views), usual, len(terms), len(view_names), views, regions
    )


def largest_shortfall(parts: Sequence[Part]) -> Part | None:
    """Return the part furthest below its usual value; None if none is."""
    worst = max(parts, key=lambda part: part.shortfall, default=None)
    return worst if worst is not None and worst.shortfall > 0 else None


def _fits(terms: Terms, view_names: Sequence[str]) -> bool:
    return bool(terms) and bool(view_names) and all(len(row) == len(view_names) for row in terms)


def _parts(names: Sequence[str], terms: Terms, usual_terms: Terms) -> tuple[Part, ...]:
    """Sum the columns that share a name."""

    def total(table: Terms, name: str) -> float:
        columns = (column for column, own in enumerate(names) if own == name)
        return math.fsum(math.fsum(row[column] for row in table) for column in columns)

    return tuple(
        Part(name, total(terms, name), total(usual_terms, name) if usual_terms else None)
        for name in dict.fromkeys(names)
    )
