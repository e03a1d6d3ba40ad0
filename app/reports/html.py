"""HTML pages without scripts or network access; the templates escape every value."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from app.evaluation.protocols.types import SplitCount
from app.names import visible
from app.reports.error_charts import (
    CURVE_STYLES,
    Curves,
    IntervalRow,
    Mark,
    curves_of,
    interval_bar,
    intervals,
    tradeoff,
)
from app.reports.evaluation import Comparison, Line, Row, Table
from app.reports.figures import FIGURES, NON_RESPONSE, Figure
from app.reports.findings import brief, conclusions, limits, size_statement
from app.reports.guided_test import PART_TITLES, Fact, Report
from app.reports.guided_test import Line as ReportLine
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
from app.reports.score_charts import histogram, sizes, strip
from app.reports.words import (
    basis_text,
    cells,
    created_text,
    difference_text,
    interval_text,
    printed_text,
    score_text,
    share,
    span,
    spread_text,
)
from app.types import Verdict
from lmkl_core.calibration.threshold import percent
from lmkl_core.metrics.resampling import FEW_SUBJECTS

BOTH_LEVELS = "Presentations as a solid line, frames as a dashed line, the threshold as a ring."

_OUTCOMES = {
    Verdict.GENUINE: "accepted",
    Verdict.ATTACK: "refused",
    Verdict.UNFAMILIAR: "refused (unfamiliar conditions)",
    Verdict.NO_FACE: "no response (no face)",
    Verdict.POOR_QUALITY: "no response (poor quality)",
}


def _display(value: Any) -> Any:
    """Drop invisible characters and keep per cent signs on the line of their numbers."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value).replace(" %", "\u00a0%")
    return value


def _by_frame(figure: Figure) -> str:
    """Return a figure by frame without its interval, which is too narrow to be quoted."""
    value, _, basis = cells(figure)
    return f"{value} ({basis})" if basis and figure.n is not None else value


TEMPLATES = Environment(
    loader=PackageLoader("app.reports"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=_display,
)
TEMPLATES.filters |= {
    "bar": lambda found: interval_bar(found.value, found.interval or (0, 0)),
    "basis": basis_text,
    "by_frame": _by_frame,
    "cells": cells,
    "difference": difference_text,
    "figure": lambda rate: Figure("", None) if rate is None else Figure.of("", rate),
    "interval": interval_text,
    "outcome": _OUTCOMES.__getitem__,
    "parameters": parameters_text,
    "percent": percent,
    "printed": printed_text,
    "score": score_text,
    "share": share,
    "span": span,
    "spread": spread_text,
    "threshold": threshold_text,
}


def guided_test_page(report: Report) -> str:
    level, frames, thresholds = report.by_presentation, report.by_frame, report.thresholds
    both = [(level, "curve"), (frames, "curve dashed")]
    ring = thresholds[0] if len(thresholds) == 1 else None
    return TEMPLATES.get_template("guided_test.html.j2").render(
        report=report,
        version=report.context.version,
        brief=brief(level),
        conclusions=conclusions(level),
        limits=limits(report.presentations, level),
        facts=_grouped((fact for fact in report.facts if not fact.species), "group"),
        instruments=_grouped((fact for fact in report.facts if fact.species), "species"),
        created=created_text(report.context.created),
        day=report.context.created.strftime("%Y-%m-%d"),
        # The banner says it already.
        warnings=[text for text in report.warnings if text != report.simulated],
        species=list(zip(level.tallies, frames.tallies, strict=True)),
        parts=PART_TITLES,
        figures=list(zip(_together(report.lines), _together(report.frame_lines), strict=True)),
        strip=strip(report.presentations, thresholds),
        histogram=histogram(level, thresholds, "presentations"),
        frame_histogram=histogram(frames, thresholds, "frames"),
        roc=tradeoff("ROC", both, BOTH_LEVELS, ring),
        det=tradeoff("DET", both, BOTH_LEVELS, ring),
        sizes=sizes(report.bands, thresholds),
        sweep_statement=size_statement(report.bands),
        thresholds=", ".join(map(score_text, thresholds)) or "none in force",
        has_one_threshold=ring is not None,
        has_liveness=any(
            presentation.decision.liveness is not None for presentation in report.presentations
        ),
    )


def _together(lines: Iterable[ReportLine]) -> list[ReportLine]:
    """Return the figures of all species together."""
    return [line for line in lines if not line.species]


def _grouped(facts: Iterable[Fact], by: str) -> list[tuple[str, list[Fact]]]:
    return [(name, list(members)) for name, members in groupby(facts, attrgetter(by))]


# ------------------------------------------------------------------ evaluation

MOST_COLUMNS = 8
"""Folds or species side by side; more continue below."""

INTERVALS = (
    "Intervals of single rates are exact (Clopper-Pearson, 95 %). Those of AUC and ACER come from "
    "resampling subjects (BCa, 2000 resamples), because presentations of one person are "
    f"not independent. With fewer than {FEW_SUBJECTS} subjects or very few errors, and for other "
    "figures made of several rates, intervals assume independent presentations; their coverage is "
    "then at least 95 %, whatever the scores, and they are wide when data are scarce."
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
        forest=forest(table),
        curves=chosen_curves(table),
        most_columns=MOST_COLUMNS,
        intervals=INTERVALS,
        facts=facts(table),
        recordings=_recordings(table),
        common_threshold=thresholds.pop() if len(thresholds) == 1 else "",
        has_own=any(row.is_own for row in table.compared),
        n_methods=len(table.measured),
    )


def _recordings(table: Table) -> list[dict[str, Any]]:
    """Return the numbers of recordings and the published ones, merging equal folds."""
    folds_by_count: dict[SplitCount, list[str]] = {}
    for each in table.layout.counts:
        if each.missing or each.published is not None:
            folds_by_count.setdefault(replace(each, fold=""), []).append(each.fold)
    return [
        {"folds": ", ".join(filter(None, folds)), **asdict(each)}
        for each, folds in folds_by_count.items()
    ]


def forest(table: Table) -> str:
    """Draw the headline figures of all methods with their intervals."""
    rows = []
    for row in table.lines:
        # Several rows of the paper are named by their citation alone.
        title = f"{row.title} {row.source}" if row.title == "The work in" else row.title
        marks = [_mark(row, name) for name in table.headline]
        style = "label" if row.is_measured else "tick"
        rows.append(IntervalRow(title, marks, style, row.is_own and row.is_measured))
    return intervals(rows, table.headline, "One row per method.")


def _mark(row: Row, name: str) -> Mark:
    printed, level = row.printed(name), row.by_presentation
    spread = level.spread(name) if len(level.folds) > 1 else None
    return Mark(
        level.pooled.figure(name),
        None if spread is None else spread.mean,
        None if printed is None else printed.mean / 100,
    )


def chosen_curves(table: Table) -> Curves:
    """Draw curves of the paper's method, or the last, and of the three others of highest AUC."""
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
    # Draw the paper's own method, or else the last one.
    own = [key for run in comparison.runs for key, row in run.rows.items() if row.is_own]
    drawn = own[0] if own else list(comparison.methods)[-1]
    with_it = [run for run in comparison.runs if drawn in run.rows]
    return TEMPLATES.get_template("comparison.html.j2").render(
        comparison=comparison,
        runs=[run.name for run in comparison.runs],
        notices=comparison_notices(comparison),
        created=created_text(last.created),
        version=last.version,
        headings=[FIGURES[name] for name in comparison.figures],
        is_spread=any(line.spread is not None for line in comparison.lines),
        figures=_intervals(comparison, are_differences=False),
        differences=_intervals(comparison, are_differences=True),
        curves=curves_of([(run.name, run.rows[drawn].by_presentation.pooled) for run in with_it]),
        drawn=comparison.methods[drawn],
        shared=shared,
        differing=differing,
        intervals=INTERVALS,
    )


def _intervals(comparison: Comparison, *, are_differences: bool) -> str:
    def mark(line: Line | None) -> Mark:
        if line is None or (are_differences and line.difference is None):
            return Mark()
        if line.difference is None or not are_differences:
            return Mark(line.figure, None if line.spread is None else line.spread.mean)
        return Mark(Figure(line.figure.name, line.difference.value, line.difference.interval))

    rows = [
        IntervalRow(
            f"{title}, {run.name}",
            [mark(comparison.line(run.name, key, name)) for name in comparison.figures],
            # Runs of one method share a band.
            is_band=bool(number % 2),
        )
        for number, (key, title) in enumerate(comparison.methods.items())
        for run in comparison.runs[are_differences:]
    ]
    description = f"One row per method and {'further ' if are_differences else ''}run."
    return intervals(rows, comparison.figures, description, are_differences=are_differences)
