"""The page that compares runs: one HTML file that needs neither a network nor a script."""

from typing import Any

from markupsafe import Markup

from app.reports.tables import charts
from app.reports.tables.comparing import Comparison, Line
from app.reports.tables.figures import FIGURES, Spread, Told
from app.reports.tables.page import INTERVALS
from app.reports.tables.words import (
    NOTHING,
    created_text,
    difference_text,
    interval_text,
    share,
    spread_text,
)
from app.reports.templates import template


def render(comparison: Comparison) -> str:
    """Return the page of a comparison; the template escapes every value."""
    drawn = _curves(comparison)
    shared, differing = comparison.facts
    last = comparison.runs[-1].table.evaluation
    return template("app.reports.tables", "comparison.html.j2").render(
        runs=[run.name for run in comparison.runs],
        is_simulated=comparison.is_simulated,
        notices=comparison.notices,
        created=created_text(last),
        version=last.version,
        headings=[FIGURES[name] for name in comparison.figures],
        methods=[_method(comparison, key, title) for key, title in comparison.methods.items()],
        is_spread=any(line.mean is not None for line in comparison.lines),
        figures=Markup(_figures(comparison)),
        differences=Markup(_differences(comparison)),
        roc=Markup(drawn.roc) if drawn else "",
        det=Markup(drawn.det) if drawn else "",
        legend=[(Markup(line), name) for line, name in drawn.legend] if drawn else [],
        drawn=comparison.methods[_drawn_method(comparison)],
        shared=shared,
        differing=differing,
        intervals=INTERVALS,
    )


def _method(comparison: Comparison, key: str, title: str) -> dict[str, Any]:
    return {
        "title": title,
        "runs": [
            (run.name, [_cell(comparison.line(run.name, key, name)) for name in comparison.figures])
            for run in comparison.runs
            if any(comparison.line(run.name, key, name) for name in comparison.figures)
        ],
    }


def _cell(line: Line | None) -> dict[str, Any]:
    if line is None:
        return {"value": NOTHING, "interval": "", "difference": "", "is_clear": False}
    found = line.difference
    value = share(line.told.value)
    if line.mean is not None:
        value = f"{spread_text(Spread(line.mean, line.std, 0))}; {value}"
    return {
        "value": value,
        "interval": interval_text(line.told),
        "difference": "" if found is None else difference_text(found.value, found.interval),
        "is_clear": found is not None and found.is_clear,
    }


def _figures(comparison: Comparison) -> str:
    strands = [
        charts.Strand(
            f"{title}, {run.name}",
            [_mark(comparison.line(run.name, key, name)) for name in comparison.figures],
            # Runs of one method lie together.
            is_band=bool(number % 2),
        )
        for number, (key, title) in enumerate(comparison.methods.items())
        for run in comparison.runs
    ]
    return charts.intervals(strands, comparison.figures, "One row for each method and run.")


def _mark(line: Line | None) -> charts.Mark:
    return charts.Mark(None) if line is None else charts.Mark(line.told, line.mean)


def _differences(comparison: Comparison) -> str:
    strands = [
        charts.Strand(
            f"{title}, {run.name}",
            [_difference(comparison.line(run.name, key, name)) for name in comparison.figures],
            is_band=bool(number % 2),
        )
        for number, (key, title) in enumerate(comparison.methods.items())
        for run in comparison.runs[1:]
    ]
    what = "One row for each method and run but the first."
    return charts.intervals(strands, comparison.figures, what, are_differences=True)


def _difference(line: Line | None) -> charts.Mark:
    if line is None or line.difference is None:
        return charts.Mark(None)
    found = line.difference
    return charts.Mark(Told(line.told.name, found.value, found.interval))


def _drawn_method(comparison: Comparison) -> str:
    """Return the method whose curves are drawn: the paper's own, or else the last one."""
    own = [key for run in comparison.runs for key, row in run.rows.items() if row.is_own]
    return own[0] if own else list(comparison.methods)[-1]


def _curves(comparison: Comparison) -> charts.Curves | None:
    method = _drawn_method(comparison)
    return charts.curves_of(
        [
            (run.name, row.by_presentation.pooled)
            for run in comparison.runs
            if (row := run.rows.get(method)) is not None and row.by_presentation is not None
        ]
    )
