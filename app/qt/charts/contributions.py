"""Why this score: the exact contribution of every view and cluster to it."""

from dataclasses import dataclass
from math import fsum, isfinite

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QWidget

from app.qt import theme
from app.qt.charts.bars import Bars, BarTable, Cell
from app.qt.charts.chart import Chart, Key, csv_text
from app.qt.charts.format import (
    ViewName,
    decimals,
    name_columns,
    parts_of_sum,
    places_for,
    view_name,
)
from app.qt.charts.plot import SteadyRange
from app.types import ScoredFrame

Terms = tuple[tuple[float, ...], ...]
_VIEW, _REGION, _LAYER, _CLUSTER = range(4)
_N_NAMED = 4
_LOW = "▼"
_NOTABLE = 0.02
"""Differences below this share of the score are not marked, however large beside a small term."""


@dataclass(frozen=True)
class _Group:
    names: list[str]
    views: tuple[int, ...]
    clusters: tuple[int, ...]

    def values(self, terms: Terms) -> tuple[float, ...]:
        """Return the sum of the group's finite terms in every cluster."""
        return tuple(
            fsum(
                row[view]
                for view in self.views
                if cluster in self.clusters and view < len(row) and isfinite(row[view])
            )
            for cluster, row in enumerate(terms)
        )


class ContributionsChart(Chart):
    """The terms of a score, beside those usual for enrolled frames."""

    interval_ms = 200
    file_stem = "contributions"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Why this score", parent)
        self._scored: ScoredFrame | None = None
        self._current: ScoredFrame | None = None
        self._names: tuple[str, ...] = ()
        self._views: tuple[ViewName, ...] = ()
        self._reference: Terms = ()
        self.is_held = False
        self._range = SteadyRange(padding=0.0)
        self._grouping = QComboBox(self)
        self._grouping.setAccessibleName("Contributions by")
        self._grouping.addItems(["By view", "By region", "By layer", "By cluster"])
        self._grouping.setCurrentIndex(_REGION)
        self._grouping.currentIndexChanged.connect(self._on_grouping)
        self._table = BarTable("Contributions to the score", self)
        self._lay_out(self._statement, self._legend, self._table, controls=[self._grouping])

    def show_scored(self, scored: ScoredFrame, view_names: tuple[str, ...]) -> None:
        """Show a frame; one without a score leaves the last scored one on show."""
        if self.is_held:
            return
        self._current = scored
        if scored.score is not None and isfinite(scored.score) and scored.terms:
            self._scored = scored
            if view_names != self._names:
                self._names = tuple(view_names)
                self._views = tuple(view_name(name) for name in view_names)
                self._range.reset()
        self.mark_stale()

    def hold(self, is_held: bool) -> None:
        self.is_held = is_held
        self.mark_stale()

    def set_reference(self, terms: Terms) -> None:
        """Set the mean terms of enrolled frames (clusters by views); empty for none."""
        self._reference = terms
        self.mark_stale()

    def clear(self) -> None:
        """Forget the frame on show; after a new fit its terms would mean nothing."""
        self._scored = self._current = None
        self._names, self._views = (), ()
        self._range.reset()
        self.mark_stale()

    def to_csv(self) -> str:
        """Return every view and cluster with its contribution and the usual one."""
        header = ("view", "region", "network", "layer", "cluster", "contribution", "usual")
        rows = []
        for cluster, row in enumerate(self._terms()):
            for index, view in enumerate(self._views):
                if index < len(row):
                    names = (view.full, view.region, view.network, view.layer, cluster + 1)
                    rows.append((*names, row[index], self._usual(cluster, index)))
        return csv_text(header, rows)

    def _terms(self) -> Terms:
        return () if self._scored is None else self._scored.terms

    def _usual(self, cluster: int, view: int) -> float | None:
        fits = cluster < len(self._reference) and view < len(self._reference[cluster])
        return self._reference[cluster][view] if fits else None

    def _groups(self) -> tuple[list[str], list[_Group]]:
        """Return the titles of the names, and the groups."""
        grouping = self._grouping.currentIndex()
        clusters = tuple(range(len(self._terms())))
        everything = tuple(range(len(self._views)))
        titles, names = name_columns(self._views)
        if grouping == _VIEW:
            return titles, [_Group(name, (i,), clusters) for i, name in enumerate(names)]
        if grouping == _CLUSTER:
            return ["Cluster"], [_Group([f"Cluster {c + 1}"], everything, (c,)) for c in clusters]
        members: dict[str, list[int]] = {}
        for index, (region, *layer) in enumerate(names):
            name = region if grouping == _REGION else " ".join(layer).strip() or region
            members.setdefault(name, []).append(index)
        title = "Region" if grouping == _REGION else "Layer"
        return [title], [_Group([name], tuple(i), clusters) for name, i in members.items()]

    def _sum_words(self) -> str:
        scored = self._scored
        if scored is None or scored.score is None:
            return "No score yet: what it consists of appears here with the first one."
        # As the rows are written: regions are sums of their views where those are shown.
        totals: dict[str, float] = {}
        groups = self._groups()[1]
        for group, value in zip(groups, self._printed(groups), strict=True):
            totals[group.names[0]] = totals.get(group.names[0], 0.0) + value
        named = list(totals.items())
        if len(named) > _N_NAMED + 1:
            named.sort(key=lambda pair: -abs(pair[1]))
            rest = fsum(value for _, value in named[_N_NAMED:])
            others = f"from {len(named) - _N_NAMED} others"
            named = [*named[:_N_NAMED], (others, rest)]
        places = self._places()
        words = ""
        for name, value in named:
            sign = (" + " if value >= 0 else " \N{MINUS SIGN} ") if words else ""
            shown = abs(value) if words else value
            words += f"{sign}{decimals(shown, places)} {name.lower()}"
        return f"{decimals(scored.score, places)} = {words}"

    def _printed(self, groups: list[_Group]) -> tuple[float, ...]:
        """Return the sums of the groups, rounded so that the printed numbers add up."""
        sums = [fsum(group.values(self._terms())) for group in groups]
        score = self._scored.score if self._scored is not None else None
        return parts_of_sum(sums, fsum(sums) if score is None else score, self._places())

    def _words(self) -> str:
        scored, current = self._scored, self._current
        words = self._sum_words()
        if scored is None:
            return words
        if scored.threshold is not None and scored.score is not None:
            side = "accepted" if scored.score >= scored.threshold else "refused"
            threshold = decimals(scored.threshold, self._places())
            words += f" (threshold {threshold}: {side})"
        if self.is_held:
            words += f". Held at frame {scored.frame.number}"
        elif current is not None and current is not scored:
            words += f". Not scored now ({current.verdict.value}): this is the last score"
        return words + "."

    def _places(self) -> int:
        score = 0.0 if self._scored is None else (self._scored.score or 0.0)
        return places_for(abs(score))

    def _draw(self) -> None:
        terms, places = self._terms(), self._places()
        titles, groups = self._groups()
        rows, extent = [], [0.0]
        score = fsum(value for row in terms for value in row if isfinite(value))
        for group, printed in zip(groups, self._printed(groups), strict=True):
            values = group.values(terms)
            usual = fsum(group.values(self._reference)) if self._reference else None
            total, text = fsum(values), decimals(printed, places)
            if usual is not None:
                extent.append(usual)
                if total < usual / 2 and usual - total > _NOTABLE * abs(score):
                    text = f"{_LOW} {text}"
            tip = self._tip(group, values, usual, places + 1)
            cells = [Cell(name, tip=tip) for name in group.names]
            cells += [Cell("", Bars(values, range(len(values)), usual), tip), Cell(text, tip=tip)]
            cells += [] if usual is None else [Cell(decimals(usual, places), tip=tip)]
            rows.append(cells)
            extent.append(fsum(value for value in values if value > 0))
            extent.append(fsum(value for value in values if value < 0))
        self._range.follow(extent)
        headings = [*titles, "Contribution", ""] + (["Usual"] if self._reference else [])
        self._table.show_rows(headings, rows, (self._range.low, self._range.high), len(titles))
        self._table.setVisible(bool(rows))

    def _tip(
        self, group: _Group, values: tuple[float, ...], usual: float | None, places: int
    ) -> str:
        is_view = len(group.views) == 1
        lines = [self._views[group.views[0]].full if is_view else " ".join(group.names)]
        named = [(f"Cluster {cluster + 1}:", values[cluster]) for cluster in group.clusters]
        named.append(("Together", fsum(values)))
        if usual is not None:
            named.append(("Usual for enrolled frames", usual))
        return "\n".join(lines + [f"{name} {decimals(value, places)}" for name, value in named])

    def _keys(self) -> list[Key]:
        colours = theme.colours()
        keys = [
            ("■", colours.series_colour(cluster), f"Cluster {cluster + 1}")
            for cluster in range(len(self._terms()))
        ]
        if keys and self._reference:
            keys.append(("┃", colours.text, "usual for enrolled frames"))
            keys.append((_LOW, colours.text, "less than half of usual"))
        return keys

    @Slot()
    def _on_grouping(self) -> None:
        self._range.reset()
        self.mark_stale()
        if self.isVisible():
            self.refresh()
