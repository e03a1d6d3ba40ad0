"""The exact contribution of every view and cluster to a score."""

from dataclasses import dataclass
from math import fsum, isfinite

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from app.qt import theme
from app.qt.charts.bars import Bars, BarTable, Cell
from app.qt.charts.chart import Chart, LegendEntry, csv_text
from app.qt.charts.format import (
    ViewName,
    decimals,
    name_columns,
    parts_of_sum,
    places_for,
    view_name,
)
from app.qt.charts.plot import SteadyRange
from app.qt.widgets.inputs import CalmComboBox
from app.types import ScoredFrame

Terms = tuple[tuple[float, ...], ...]
_VIEW, _REGION, _LAYER, _CLUSTER = range(4)
_N_NAMED = 4
_LOW = "▼"
_NOTABLE = 0.02
"""Differences below this fraction of the score are not marked, even on a small term."""


@dataclass(frozen=True)
class _Group:
    """Terms shown in one row: their sum in each cluster, and their usual sum."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    usual: float | None


def _finite(terms: ArrayLike) -> np.ndarray:
    values = np.atleast_2d(np.asarray(terms, float))
    return np.where(np.isfinite(values), values, 0.0)


class ContributionsChart(Chart):
    """The terms of a score, compared with those usual for enrolled frames."""

    interval_ms = 200
    file_stem = "contributions"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Why this score", parent)
        self._scored: ScoredFrame | None = None
        self._views: tuple[ViewName, ...] = ()
        self._reference: Terms = ()
        self._range = SteadyRange(padding=0.0)
        self._grouping = CalmComboBox(self)
        self._grouping.setAccessibleName("Contributions by")
        self._grouping.addItems(["By view", "By region", "By layer", "By cluster"])
        self._grouping.setCurrentIndex(_REGION)
        self._grouping.currentIndexChanged.connect(self._on_grouping)
        self._table = BarTable("Contributions to the score", self)
        self._lay_out(self._statement, self._legend, self._table, controls=[self._grouping])

    def show_scored(self, scored: ScoredFrame, view_names: tuple[str, ...]) -> None:
        """Show a frame; a frame without a score is ignored."""
        if scored.score is None or not isfinite(scored.score) or not scored.terms:
            return
        self._scored = scored
        if view_names != tuple(view.full for view in self._views):
            self._views = tuple(map(view_name, view_names))
            self._range.reset()
        self.mark_stale()

    def set_reference(self, terms: Terms) -> None:
        """Set the mean terms of enrolled frames (clusters by views); empty for none."""
        self._reference = terms
        self.mark_stale()

    def clear(self) -> None:
        """Clear the chart; after a new fit the old terms are meaningless."""
        self._scored, self._views = None, ()
        self._range.reset()
        self.mark_stale()

    def to_csv(self) -> str:
        """Return the contribution of every view and cluster, and the usual one."""
        header = ("view", "region", "network", "layer", "cluster", "contribution", "usual")
        rows = []
        for cluster, terms in enumerate(self._terms()):
            usual = self._reference[cluster] if self._reference else [None] * len(terms)
            for view, term, reference in zip(self._views, terms, usual, strict=True):
                names = (view.full, view.region, view.network, view.layer, cluster + 1)
                rows.append((*names, term, reference))
        return csv_text(header, rows)

    def _terms(self) -> Terms:
        return () if self._scored is None else self._scored.terms

    def _groups(self) -> tuple[list[str], list[_Group]]:
        """Return the titles of the name columns, and the groups."""
        if self._scored is None:
            return [], []
        terms, grouping = _finite(self._terms()), self._grouping.currentIndex()
        titles, names = name_columns(self._views)
        members: dict[tuple[str, ...], np.ndarray] = {}
        for cluster, view in np.ndindex(terms.shape):
            region, *layer = names[view]
            name = {
                _VIEW: (region, *layer),
                _REGION: (region,),
                _LAYER: (" ".join(layer).strip() or region,),
                _CLUSTER: (f"Cluster {cluster + 1}",),
            }[grouping]
            members.setdefault(name, np.zeros(terms.shape, bool))[cluster, view] = True
        usual = _finite(self._reference) if self._reference else None
        groups = [
            _Group(
                name,
                tuple(np.sum(terms, axis=1, where=chosen).tolist()),
                None if usual is None else float(usual[chosen].sum()),
            )
            for name, chosen in members.items()
        ]
        if grouping != _VIEW:
            titles = [("Region", "Layer", "Cluster")[grouping - 1]]
        return titles, groups

    def _rounded_sums(self, groups: list[_Group]) -> tuple[float, ...]:
        """Return the sums of the groups, rounded so that the displayed numbers add up."""
        score = 0.0 if self._scored is None else self._scored.score or 0.0
        return parts_of_sum([fsum(group.values) for group in groups], score, self._places())

    def _description(self) -> str:
        scored, places = self._scored, self._places()
        if scored is None or scored.score is None:
            return "No score yet: its terms appear here with the first one."
        # Sum the rounded rows by region, so that the sentence agrees with the table.
        totals: dict[str, float] = {}
        _, groups = self._groups()
        for group, value in zip(groups, self._rounded_sums(groups), strict=True):
            totals[group.names[0]] = totals.get(group.names[0], 0.0) + value
        named = list(totals.items())
        if len(named) > _N_NAMED + 1:
            named.sort(key=lambda pair: -abs(pair[1]))
            rest = fsum(value for _, value in named[_N_NAMED:])
            named[_N_NAMED:] = [(f"from {len(named) - _N_NAMED} others", rest)]
        text = ""
        for name, value in named:
            sign = (" + " if value >= 0 else " \N{MINUS SIGN} ") if text else ""
            text += f"{sign}{decimals(abs(value) if text else value, places)} {name.lower()}"
        text = f"{decimals(scored.score, places)} = {text}"
        if scored.threshold is not None:
            side = "accepted" if scored.score >= scored.threshold else "refused"
            text += f" (threshold {decimals(scored.threshold, places)}: {side})"
        return text + "."

    def _places(self) -> int:
        score = 0.0 if self._scored is None else (self._scored.score or 0.0)
        return places_for(abs(score))

    def _draw(self) -> None:
        places = self._places()
        titles, groups = self._groups()
        rows, extent = [], [0.0]
        score = fsum(value for group in groups for value in group.values)
        for group, total in zip(groups, self._rounded_sums(groups), strict=True):
            values, usual, text = group.values, group.usual, decimals(total, places)
            if usual is not None:
                extent.append(usual)
                below = usual - fsum(values)
                if below > usual / 2 and below > _NOTABLE * abs(score):
                    text = f"{_LOW} {text}"
            tip = _tip(group, places + 1)
            cells = [Cell(name, tip=tip) for name in group.names]
            cells += [Cell("", Bars(values, range(len(values)), usual), tip), Cell(text, tip=tip)]
            cells += [] if usual is None else [Cell(decimals(usual, places), tip=tip)]
            rows.append(cells)
            extent.append(fsum(value for value in values if value > 0))
            extent.append(fsum(value for value in values if value < 0))
        self._range.follow(extent)
        headings = [*titles, "", "Contribution"] + (["Usual"] if self._reference else [])
        self._table.show_rows(headings, rows, (self._range.low, self._range.high), len(titles))
        self._table.setVisible(bool(rows))

    def _legend_entries(self) -> list[LegendEntry]:
        colours = theme.colours()
        entries = [
            ("■", colours.series_colour(cluster), f"Cluster {cluster + 1}")
            for cluster in range(len(self._terms()))
        ]
        if entries and self._reference:
            entries.append(("┃", colours.text, "usual for enrolled frames"))
            entries.append((_LOW, colours.text, "less than half the usual"))
        return entries

    @Slot()
    def _on_grouping(self) -> None:
        self._range.reset()
        self.mark_stale()
        if self.isVisible():
            self.refresh()


def _tip(group: _Group, places: int) -> str:
    named = [(f"Cluster {number}:", value) for number, value in enumerate(group.values, 1) if value]
    named.append(("Together", fsum(group.values)))
    if group.usual is not None:
        named.append(("Usual for enrolled frames", group.usual))
    lines = [f"{name} {decimals(value, places)}" for name, value in named]
    return "\n".join([" ".join(group.names), *lines])
