"""HTML pages that need neither a network nor a script; the templates escape every value."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from app.names import visible
from app.reports.error_charts import interval_bar, tradeoff
from app.reports.figures import Figure
from app.reports.findings import brief, conclusions, limits, size_statement
from app.reports.guided_test import PART_TITLES, Fact, Line, Report
from app.reports.score_charts import histogram, sizes, strip
from app.reports.words import (
    NO_DATA,
    basis_text,
    cells,
    created_text,
    difference_text,
    interval_text,
    percent,
    printed_text,
    score_text,
    share,
    span,
    spread_text,
)
from app.types import Verdict

BOTH_LEVELS = "Presentations as a solid line, frames as a dashed one, the threshold as a ring."

_OUTCOMES = {
    Verdict.GENUINE: "accepted",
    Verdict.ATTACK: "refused",
    Verdict.UNFAMILIAR: "refused (unfamiliar light)",
    Verdict.NO_FACE: "no response (no face)",
    Verdict.POOR_QUALITY: "no response (poor quality)",
}


def _shown(value: Any) -> Any:
    """Drop invisible characters, and keep per cent signs beside their numbers."""
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
    finalize=_shown,
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
    "percent": percent,
    "printed": printed_text,
    "score": score_text,
    "share": share,
    "spread": spread_text,
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
        cards=[_card(line) for line in report.lines if line.part == "headline"],
        species=list(zip(level.tallies, frames.tallies, strict=True)),
        figures=_figures(report),
        strip=strip(report.presentations, thresholds),
        histogram=histogram(level, thresholds, "presentations"),
        frame_histogram=histogram(frames, thresholds, "frames"),
        roc=tradeoff("ROC", both, BOTH_LEVELS, ring),
        det=tradeoff("DET", both, BOTH_LEVELS, ring),
        sizes=sizes(report.bands, thresholds),
        sweep_statement=size_statement(report.bands),
        thresholds=", ".join(map(score_text, thresholds)) or "none in force",
        has_one_threshold=ring is not None,
        has_liveness=any(one.liveness is not None for one in report.presentations),
    )


def _card(line: Line) -> dict[str, Any]:
    found, fixed = line.figure, line.at_threshold
    if fixed is None:
        note = f"worst species: {found.species or NO_DATA}; at the threshold in force"
    else:
        note = "bona fide refused, at the threshold that these attacks choose"
        if fixed.n and found.interval:
            note += f"; {span(found.interval)} with its uncertainty"
        found = fixed
    value, interval, basis = cells(found)
    return {
        "name": line.name.partition(",")[0],
        "note": note,
        "value": value,
        "basis": basis,
        "span": f"95 % interval {interval}" if interval else "",
        "figure": found,
    }


def _figures(report: Report) -> list[dict[str, Any]]:
    """Return the figures of all species together, by part."""
    by_frame = {line.key: line.figure for line in report.frame_lines if not line.species}
    parts: dict[str, list[dict[str, Any]]] = {part: [] for part in PART_TITLES}
    for line in report.lines:
        if line.species:
            continue
        name, (value, interval, basis) = line.name, cells(line.figure)
        if line.figure.species:
            name = f"{name} ({line.figure.species})"
        if line.at_threshold is not None and line.figure.interval is not None:
            _, interval, counts = cells(line.at_threshold)
            basis = f"{counts}; {span(line.figure.interval)} ‡"
        row = {"name": name, "cells": (value, interval, basis)}
        parts[line.part].append({**row, "by_frame": _by_frame(by_frame[line.key])})
    return [{"title": PART_TITLES[part], "rows": parts[part]} for part in PART_TITLES]


def _grouped(facts: Iterable[Fact], by: str) -> list[tuple[str, list[Fact]]]:
    return [(name, list(members)) for name, members in groupby(facts, attrgetter(by))]
