"""The pages of an evaluation and of a comparison of runs."""

from dataclasses import asdict, replace
from typing import Any

from app.evaluation.protocols.types import SplitCount
from app.names import counted
from app.reports.error_charts import (
    CURVE_STYLES,
    Curves,
    Mark,
    Strand,
    curves_of,
    intervals,
)
from app.reports.evaluation import Comparison, Line, Row, Table
from app.reports.figures import FIGURES, NON_RESPONSE, Figure, FoldFigures
from app.reports.html import TEMPLATES
from app.reports.notices import (
    MODES,
    comparison_facts,
    comparison_notices,
    facts,
    notices,
    parameters_text,
    simulated,
    threshold_text,
)
from app.reports.words import (
    basis_text,
    created_text,
    interval_text,
    share,
    spread_text,
)
from lmkl_core.metrics.resampling import FEW_SUBJECTS

MOST_COLUMNS = 8
"""Folds or species side by side; others continue below."""

MOST_SPECIES = 24
"""Species on the page, the worst ones."""

INTERVALS = (
    "Intervals of single rates are exact (Clopper-Pearson, 95 %). Those of AUC and ACER come from "
    "drawing subjects with replacement (BCa, 2000 times), because presentations of one person are "
    f"not independent. With fewer than {FEW_SUBJECTS} subjects, where so few err that draws say "
    "little, and for other figures of several rates, they hold with at least 95 % if presentations "
    "are independent, whatever the scores, and are wide when data are few."
)


def evaluation_page(table: Table) -> str:
    thresholds = {threshold_text(row.measured) for row in table.measured if row.measured}
    return TEMPLATES.get_template("evaluation.html.j2").render(
        table=table,
        version=table.evaluation.version,
        n_folds=len(table.folds),
        created=created_text(table.evaluation.created),
        mode=MODES.get(table.layout.mode, table.layout.mode),
        simulated=simulated(table),
        notices=notices(table),
        headings=[(name, FIGURES[name]) for name in table.headline],
        other_headings=[(name, FIGURES[name]) for name in table.others],
        all_respond=not set(NON_RESPONSE) & {*table.headline, *table.others},
        bases=bases(table),
        forest=forest(table),
        curves=chosen_curves(table),
        species=_worst_species(table),
        most_columns=MOST_COLUMNS,
        intervals=INTERVALS,
        facts=facts(table),
        recordings=_recordings(table),
        common_threshold=thresholds.pop() if len(thresholds) == 1 else "",
        has_own=any(row.is_own for row in table.compared),
        n_methods=len(table.measured),
    )


def _recordings(table: Table) -> list[dict[str, Any]]:
    """Return numbers of recordings beside published ones, equal folds together."""
    alike: dict[SplitCount, list[str]] = {}
    for each in table.layout.counts:
        if each.missing or each.published is not None:
            alike.setdefault(replace(each, fold=""), []).append(each.fold)
    return [
        {"folds": ", ".join(filter(None, folds)), **asdict(each)} for each, folds in alike.items()
    ]


def remark_text(row: Row) -> str:
    """Return why a method has no figure, or how it differs from the published one."""
    why = "Unlike the published one" if row.is_measured else "Failed"
    return (
        f"{'Published only' if row.measured is None else why}: {row.remark}" if row.remark else ""
    )


def _cell(row: Row, name: str) -> dict[str, Any]:
    level = row.by_presentation
    found = level.pooled.figure(name)
    pooled = share(found.value) if len(level.folds) > 1 and found.value is not None else ""
    interval = interval_text(found)
    return {
        "value": _in_short(level, name),
        "interval": f"{pooled} ({interval})" if pooled and interval else pooled or interval,
        # The basis of figures of both classes is the same in most cells: a note gives it.
        "basis": basis_text(found) if found.n is not None else "",
        "species": found.species if found.value else "",
        "by_frame": _in_short(row.by_frame, name),
    }


def _in_short(level: FoldFigures, name: str) -> str:
    if len(level.folds) > 1:
        return spread_text(level.spread(name))
    return share(level.pooled.value(name))


def bases(table: Table) -> list[str]:
    """Return the counts behind figures of both classes."""
    found = [row.by_presentation.pooled.figure("HTER") for row in table.measured]
    texts = (f"{each.n_bona_fide} bona fide + {counted(each.n_attacks or 0, 'attack')}"
             for each in found)  # fmt: skip
    return list(dict.fromkeys(texts))


def _worst_species(table: Table) -> list[str]:
    """Return at most `MOST_SPECIES`, those with the highest APCER of any method."""
    if len(table.species) <= MOST_SPECIES:
        return list(table.species)
    apcers = [row.by_presentation.pooled.errors.apcers for row in table.measured]

    def worst(species: str) -> float:
        return max(each[species].value or 0.0 for each in apcers if species in each)

    return sorted(table.species, key=worst, reverse=True)[:MOST_SPECIES]


def forest(table: Table) -> str:
    """Draw the headline figures of all methods with intervals."""
    strands = []
    for row in table.lines:
        # Several rows of the paper are named by their citation alone.
        title = f"{row.title} {row.source}" if row.title == "The work in" else row.title
        marks = [row_mark(row, name) for name in table.headline]
        style = "label" if row.is_measured else "tick"
        strands.append(Strand(title, marks, style, row.is_own and row.is_measured))
    return intervals(strands, table.headline, "One row for each method.")


def row_mark(row: Row, name: str) -> Mark:
    printed, level = row.printed(name), row.by_presentation
    found = level.spread(name) if len(level.folds) > 1 else None
    return Mark(
        level.pooled.figure(name),
        None if found is None else found.mean,
        None if printed is None else printed.mean / 100,
    )


def chosen_curves(table: Table) -> Curves:
    """Draw curves of the paper's method, or the last one, and of three others of highest AUC."""
    areas = {row: row.by_presentation.pooled.value("AUC") for row in table.compared}
    known = [row for row, area in areas.items() if area is not None]
    if not known:
        return Curves()
    first = next((row for row in known if row.is_own), known[-1])
    others = sorted((row for row in known if row is not first), key=lambda row: -(areas[row] or 0))
    chosen = [first, *others[: len(CURVE_STYLES) - 1]]
    return curves_of([(row.title, row.by_presentation.pooled) for row in chosen])


# ------------------------------------------------------------------ comparison


def comparison_page(comparison: Comparison) -> str:
    shared, differing = comparison_facts(comparison)
    last = comparison.runs[-1].table.evaluation
    # The paper's own method is drawn, or else the last one.
    own = [key for run in comparison.runs for key, row in run.rows.items() if row.is_own]
    drawn = own[0] if own else list(comparison.methods)[-1]
    curves = curves_of(
        [
            (run.name, run.rows[drawn].by_presentation.pooled)
            for run in comparison.runs
            if drawn in run.rows
        ]
    )
    return TEMPLATES.get_template("comparison.html.j2").render(
        runs=[run.name for run in comparison.runs],
        is_simulated=comparison.is_simulated,
        notices=comparison_notices(comparison),
        created=created_text(last.created),
        version=last.version,
        headings=[FIGURES[name] for name in comparison.figures],
        methods={title: _compared(comparison, key) for key, title in comparison.methods.items()},
        is_spread=any(line.spread is not None for line in comparison.lines),
        figures=_intervals(comparison),
        differences=_intervals(comparison, are_differences=True),
        curves=curves,
        drawn=comparison.methods[drawn],
        shared=shared,
        differing=differing,
        intervals=INTERVALS,
    )


def _compared(comparison: Comparison, key: str) -> dict[str, list[Line | None]]:
    """Return a method's figures in the runs that have it."""
    names = comparison.figures
    found = {
        run.name: [comparison.line(run.name, key, name) for name in names]
        for run in comparison.runs
    }
    return {run: lines for run, lines in found.items() if any(lines)}


def _intervals(comparison: Comparison, *, are_differences: bool = False) -> str:
    def mark(line: Line | None) -> Mark:
        if line is None or (are_differences and line.difference is None):
            return Mark()
        if line.difference is None or not are_differences:
            return Mark(line.figure, None if line.spread is None else line.spread.mean)
        return Mark(Figure(line.figure.name, line.difference.value, line.difference.interval))

    strands = [
        Strand(
            f"{title}, {run.name}",
            [mark(comparison.line(run.name, key, name)) for name in comparison.figures],
            # Runs of one method lie together.
            is_band=bool(number % 2),
        )
        for number, (key, title) in enumerate(comparison.methods.items())
        for run in comparison.runs[are_differences:]
    ]
    what = "One row for each method and run" + (" but the first." if are_differences else ".")
    return intervals(strands, comparison.figures, what, are_differences=are_differences)


TEMPLATES.globals |= {"cell_of": _cell}
TEMPLATES.filters |= {
    "parameters": parameters_text,
    "remark": remark_text,
    "threshold": threshold_text,
}
