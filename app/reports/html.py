"""HTML pages that need neither a network nor a script; the templates escape every value."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from app.names import counted, listed, visible
from app.reports.error_charts import interval_bar, tradeoff
from app.reports.figures import Figure, Figures
from app.reports.findings import brief, conclusions, genuine_sizes, limits, size_statement
from app.reports.guided_test import PART_TITLES, Fact, Line, Report
from app.reports.score_charts import histogram, sizes, strip
from app.reports.words import (
    ALL_EQUAL,
    NO_DATA,
    NOTHING,
    basis_text,
    cells,
    created_text,
    difference_text,
    ends_text,
    interval_text,
    percent,
    printed_text,
    score_text,
    share,
    span,
    spread_text,
    worst_species,
)
from app.session.guided_test.presentation import Presentation
from app.types import Verdict
from lmkl_core.metrics import Errors

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
    "ends": ends_text,
    "figure": lambda rate: Figure.of("", rate),
    "interval": interval_text,
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
    is_mixed = len({one.is_simulated for one in report.presentations}) > 1
    return TEMPLATES.get_template("guided_test.html.j2").render(
        report=report,
        context=report.context,
        brief=brief(level),
        conclusions=conclusions(level),
        limits=limits(report.presentations, level),
        facts=_grouped((fact for fact in report.facts if not fact.species), "group"),
        instruments=_grouped((fact for fact in report.facts if fact.species), "species"),
        missing=_missing(report.missing),
        created=created_text(report.context.created),
        day=report.context.created.strftime("%Y-%m-%d"),
        # The banner says it already.
        warnings=[text for text in report.warnings if text != report.simulated],
        cards=[_card(line, level) for line in report.lines if line.part == "headline"],
        species=list(zip(level.tallies, frames.tallies, strict=True)),
        figures=_figures(report),
        strip=strip(report.presentations, thresholds),
        histogram=histogram(level, thresholds, "presentations"),
        frame_histogram=histogram(frames, thresholds, "frames"),
        roc=tradeoff("ROC", both, BOTH_LEVELS, ring),
        det=tradeoff("DET", both, BOTH_LEVELS, ring),
        sizes=sizes(genuine_sizes(report.presentations), report.bands, thresholds),
        sweep_statement=size_statement(report.bands),
        thresholds=", ".join(map(score_text, thresholds)) or "none in force",
        has_one_threshold=ring is not None,
        rows=[_row(one, is_mixed=is_mixed) for one in report.presentations],
        has_liveness=any(one.liveness is not None for one in report.presentations),
    )


def _card(line: Line, level: Figures) -> dict[str, Any]:
    found, fixed = line.figure, line.at_threshold
    interval = found.interval or (0.0, 1.0)
    if fixed is None:
        basis = _worst_basis(level.errors)
        worst = worst_species(level.errors)
        note = "no attack had a response" if level.attacks else "no attack was presented"
        if worst:
            is_shared = worst == ALL_EQUAL
            note = f"attacks accepted, {worst}" if is_shared else f"worst species: {worst}"
        note += "; at the threshold in force"
    else:
        basis = cells(fixed)[2] or NO_DATA
        note = "bona fide refused, at the threshold that these attacks choose"
        if fixed.n:
            note += f"; {span(interval)} with its uncertainty"
        interval = fixed.interval or (0.0, 1.0)
    return {
        "name": line.name.partition(",")[0],
        "note": note,
        "value": NOTHING if found.value is None else percent(found.value),
        "basis": basis,
        "span": "" if found.value is None else f"95 % interval {span(interval)}",
        "bar": interval_bar(found.value, interval),
    }


def _worst_basis(errors: Errors) -> str:
    """Return the counts of the worst species, or of each if they are equal."""
    basis = cells(Figure.of("APCER", errors.worst))[2]
    counts = {(rate.n_errors, rate.n) for rate in errors.apcers.values()}
    is_shared = len(errors.apcers) > 1 and len(counts) == 1
    return f"{basis} each" if is_shared and basis else basis or NO_DATA


def _figures(report: Report) -> list[dict[str, Any]]:
    """Return the figures of all species together, by part."""
    errors = report.by_presentation.errors
    by_frame = {line.key: line.figure for line in report.frame_lines if not line.species}
    parts: dict[str, list[dict[str, Any]]] = {part: [] for part in PART_TITLES}
    for line in report.lines:
        if line.species:
            continue
        name, (value, interval, basis) = line.name, cells(line.figure)
        if line.key == "APCER_max" and interval:
            name = f"{name} ({worst_species(errors)})"
            basis = _worst_basis(errors)
        if line.at_threshold is not None and line.figure.interval is not None:
            _, interval, counts = cells(line.at_threshold)
            basis = f"{counts}; {span(line.figure.interval)} ‡"
        row = {"name": name, "cells": (value, interval, basis)}
        parts[line.part].append({**row, "by_frame": _by_frame(by_frame[line.key])})
    return [{"title": PART_TITLES[part], "rows": parts[part]} for part in PART_TITLES]


def _grouped(facts: Iterable[Fact], by: str) -> list[tuple[str, list[Fact]]]:
    return [(name, list(members)) for name, members in groupby(facts, attrgetter(by))]


def _missing(facts: Sequence[Fact]) -> str:
    """Name missing details; empty if there are none."""
    if not facts:
        return ""
    labels = dict.fromkeys(fact.label[:1].lower() + fact.label[1:] for fact in facts)
    verb = "is" if len(facts) == 1 else "are"
    return (
        f"{counted(len(facts), 'detail')} that an evaluator expects {verb} missing: "
        f"{listed(list(labels))}."
    )


def _row(one: Presentation, *, is_mixed: bool) -> dict[str, Any]:
    return {
        "number": one.number,
        "species": one.species + (" (simulated)" if is_mixed and one.is_simulated else ""),
        "outcome": _OUTCOMES[one.verdict],
        "is_error": one.verdict.accepts if one.is_attack else one.verdict.refuses,
        "score": score_text(one.score),
        "threshold": score_text(one.threshold),
        "liveness": NOTHING if one.liveness is None else f"{100 * one.liveness:.0f} %",
        "frames": f"{len(one.scores)} of {len(one.frames)}",
        "reason": one.reason,
    }
