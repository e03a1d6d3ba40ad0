"""The page of a table: one HTML file that needs nothing else, neither a network nor a script."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from markupsafe import Markup

from app.evaluation.protocols.types import SplitCount
from app.names import counted
from app.reports.charts import interval_bar
from app.reports.tables import charts
from app.reports.tables.building import Row, Singles, Table
from app.reports.tables.figures import FIGURES, NON_RESPONSE
from app.reports.tables.levels import Level
from app.reports.tables.notices import notices, simulated
from app.reports.tables.words import (
    MODES,
    basis_text,
    created_text,
    ends_text,
    facts,
    interval_text,
    parameters_text,
    printed_text,
    share,
    spread_text,
    threshold_text,
    title,
)
from app.reports.templates import template
from lmkl_core.metrics import Rate
from lmkl_core.metrics.resampling import FEW_SUBJECTS

MOST_COLUMNS = 8
"""Folds or species side by side; more continue below."""

INTERVALS = (
    "Intervals of single rates are exact (Clopper-Pearson, 95 %). Those of AUC and ACER come from "
    "drawing subjects with replacement (BCa, 2000 times), because presentations of one person are "
    f"not independent. With fewer than {FEW_SUBJECTS} subjects, where so few err that draws say "
    "little, and for other figures of several rates, they hold with at least 95 % if presentations "
    "are independent, whatever the scores, and are wide when data are few."
)

MOST_SPECIES = 24
"""Species on the page; of more, only those that fared worst are shown."""


def render(table: Table) -> str:
    """Return the page of a table.

    Parameters
    ----------
    table : Table
        The table. Names in it may come from anyone: the template escapes every value.
    """
    return template("app.reports.tables").render(**_values(table))


def _values(table: Table) -> dict[str, Any]:
    evaluation = table.evaluation
    drawn = charts.curves(table)
    others = table.others_to_tell
    return {
        "evaluation": evaluation,
        "title": title(table),
        "created": created_text(evaluation),
        "mode": MODES.get(evaluation.mode, evaluation.mode),
        "published": table.published,
        "n_folds": len(table.folds),
        "simulated": simulated(table),
        "notices": notices(table),
        "headings": [(name, FIGURES[name]) for name in table.headline],
        "rows": [_line(line, table.headline) for line in table.lines],
        "singles": [_single(row, table.headline) for row in table.singles.rows]
        if table.singles
        else [],
        "other_headings": [(name, FIGURES[name]) for name in others],
        "other_rows": [_row(row, others) for row in table.compared],
        "other_reading": _other_reading(table, others),
        # With one figure there is room to spread its parts over columns.
        "is_single": len(table.headline) == 1,
        "reading": _reading(table),
        "forest": Markup(charts.forest(table)),
        "roc": Markup(drawn.roc) if drawn else "",
        "det": Markup(drawn.det) if drawn else "",
        "legend": [(Markup(line), name) for line, name in drawn.legend] if drawn else [],
        "species_tables": _species_tables(table),
        "n_species_left_out": max(len(table.species) - MOST_SPECIES, 0),
        "fold_tables": _fold_tables(table) if len(table.folds) > 1 else [],
        "intervals": INTERVALS,
        "facts": facts(table),
        "recordings": _recordings(table),
        "common_threshold": _common_threshold(table),
        "methods": [_method(row) for row in table.measured],
        "has_own": any(row.is_own for row in table.compared),
        "n_methods": len(table.compared) + (table.singles is not None),
    }


def _recordings(table: Table) -> list[dict[str, Any]]:
    """Return what the database has beside what was published; folds that are alike together."""
    alike: dict[SplitCount, list[str]] = {}
    for each in table.evaluation.recordings:
        if each.missing or each.published is not None:
            alike.setdefault(replace(each, fold=""), []).append(each.fold)
    return [
        {"folds": ", ".join(filter(None, folds)), **asdict(each)} for each, folds in alike.items()
    ]


def _line(line: Row | Singles, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(line, Row):
        return _row(line, names)
    cells = [{"printed": printed_text(None), "ends": ends_text(line.ends(name))} for name in names]
    told = {"title": line.title, "source": "", "remark": "", "is_own": False}
    return {**told, "is_range": True, "is_measured": True, "cells": cells}


def _single(row: Row, names: Sequence[str]) -> dict[str, Any]:
    return {**_row(row, names), "title": row.view}


def _row(row: Row, names: Sequence[str]) -> dict[str, Any]:
    return {
        "title": row.title,
        "source": row.source,
        "remark": _remark(row),
        "is_own": row.is_own,
        "is_range": False,
        "is_measured": row.by_presentation is not None,
        "cells": [
            {"name": name, "printed": printed_text(row.printed(name)), **_cell(row, name)}
            for name in names
        ],
    }


def _remark(row: Row) -> str:
    if not row.remark:
        return ""
    if row.measured is None:
        return f"Published only: {row.remark}"
    if row.by_presentation is None:
        return f"Failed: {row.remark}"
    return f"Unlike the published one: {row.remark}"


def _cell(row: Row, name: str) -> dict[str, Any]:
    level = row.by_presentation
    if level is None or row.by_frame is None:
        return {}
    told = level.pooled.figure(name)
    is_spread = len(level.folds) > 1
    return {
        "value": spread_text(level.spread(name)) if is_spread else share(told.value),
        "pooled": share(told.value) if is_spread and told.value is not None else "",
        "interval": interval_text(told),
        "bar": Markup(interval_bar(told.value, told.interval or (0, 0))),
        # What figures of both classes rest on is the same in most cells, and told below.
        "basis": basis_text(told) if told.n is not None else "",
        "basis_in_full": basis_text(told),
        "species": told.species if told.value else "",
        "by_frame": _by_frame(row.by_frame, name),
    }


def _reading(table: Table) -> str:
    """Return what the cells of the first table say."""
    n_folds = len(table.folds)
    if not n_folds:
        return ""
    basis = " Figures of both classes rest on " + " or ".join(bases(table)) + "."
    if len(table.headline) == 1:
        return f"n: bona fide + attacks, or errors of presentations.{basis}"
    what = "the figure; its 95 % interval"
    if n_folds > 1:
        what = f"mean ± standard deviation over {n_folds} folds; all folds with the 95 % interval"
    return f"Each cell: {what}; errors among presentations; the figure by frame (†).{basis}"


def _other_reading(table: Table, shown: Sequence[str]) -> str:
    """Return what the cells of the further figures say, and which are not shown."""
    said = "Cells as above."
    if len(table.folds) > 1:
        said = "Mean ± standard deviation over folds; all folds with the 95 % interval; † by frame."
    if set(shown) >= set(NON_RESPONSE):
        return said
    absent = [name for name in NON_RESPONSE if name not in shown]
    return f"{said} {' and '.join(absent)} {'are' if len(absent) > 1 else 'is'} 0 for all methods."


def bases(table: Table) -> list[str]:
    """Return what figures of both classes rest on, each once."""
    found = []
    for row in table.measured:
        if row.by_presentation is not None:
            told = row.by_presentation.pooled.figure("HTER")
            found.append(f"{told.n_bona_fide} bona fide + {counted(told.n_attacks or 0, 'attack')}")
    return list(dict.fromkeys(found))


def _by_frame(level: Level, name: str) -> str:
    if len(level.folds) > 1:
        return spread_text(level.spread(name))
    return share(level.pooled.value(name))


def _species_tables(table: Table) -> list[dict[str, Any]]:
    names = list(table.species)
    if len(names) > MOST_SPECIES:
        names = sorted(names, key=lambda name: -_worst_of(table, name))[:MOST_SPECIES]
    return [
        {
            "species": chunk,
            "rows": [
                (row.title, [_rate(rates.get(name)) for name in chunk])
                for row in table.compared
                if row.by_presentation is not None
                for rates in (row.by_presentation.pooled.errors.apcers,)
            ],
        }
        for chunk in _chunks(names)
    ]


def _worst_of(table: Table, species: str) -> float:
    found = [
        rate.value
        for row in table.measured
        if row.by_presentation is not None
        and (rate := row.by_presentation.pooled.errors.apcers.get(species)) is not None
        and rate.value is not None
    ]
    return max(found, default=0.0)


def _rate(rate: Rate | None) -> dict[str, Any]:
    if rate is None or rate.value is None:
        return {"value": share(None), "basis": "", "interval": "", "bar": ""}
    low, high = rate.interval
    return {
        "value": share(rate.value),
        "basis": f"{rate.n_errors} of {rate.n}",
        "interval": f"{share(low)} to {share(high)}",
        "bar": Markup(interval_bar(rate.value, rate.interval)),
    }


def _fold_tables(table: Table) -> list[dict[str, Any]]:
    return [
        {
            "name": FIGURES[name],
            "folds": chunk,
            "rows": [
                (row.title, [_in_fold(row.by_presentation, fold, name) for fold in chunk])
                for row in table.compared
                if row.by_presentation is not None
            ],
        }
        for name in table.headline
        for chunk in _chunks(table.folds)
    ]


def _in_fold(level: Level, fold: str, name: str) -> str:
    found = level.folds.get(fold)
    return share(None if found is None else found.value(name))


def _chunks(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + MOST_COLUMNS] for start in range(0, len(names), MOST_COLUMNS)]


def _common_threshold(table: Table) -> str:
    """Return what is told of thresholds where it is the same of all methods; else nothing."""
    told = {threshold_text(row.measured) for row in table.measured if row.measured is not None}
    return told.pop() if len(told) == 1 else ""


def _method(row: Row) -> dict[str, Any]:
    result = row.measured
    assert result is not None
    return {
        "title": row.title,
        "threshold": threshold_text(result),
        "parameters": parameters_text(result.folds),
        "n_train": sum(fold.n_train for fold in result.folds),
        "seconds": f"{result.seconds:.1f}" if result.seconds < 100 else f"{result.seconds:.0f}",
        "notes": list(dict.fromkeys(note for fold in result.folds for note in fold.notes)),
    }
