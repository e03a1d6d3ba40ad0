"""The page: one HTML file that needs nothing else, neither a network nor a script."""

from typing import Any

from markupsafe import Markup

from app.names import counted
from app.reports import charts
from app.reports.building import Report
from app.reports.facts import EVALUATION, INSTRUMENTS, TESTED, Fact
from app.reports.figures import PART_TITLES, Figure, figures
from app.reports.levels import Level
from app.reports.sweep import genuine_sizes, statement
from app.reports.templates import template
from app.reports.words import (
    ALL_EQUAL,
    NO_DATA,
    cells,
    listed,
    percent,
    score_text,
    span,
    worst_species,
)
from app.session.guided_test.presentation import Presentation
from app.types import Verdict
from lmkl_core.metrics import Errors, Estimate, Rate, Worst

_OUTCOMES = {
    Verdict.GENUINE: "accepted",
    Verdict.ATTACK: "refused",
    Verdict.UNFAMILIAR: "refused (unfamiliar light)",
    Verdict.NO_FACE: "no response (no face)",
    Verdict.POOR_QUALITY: "no response (poor quality)",
}


def render(report: Report) -> str:
    """Return the page of a report.

    Parameters
    ----------
    report : Report
        The report. Names in it may come from anyone: the template escapes every value.
    """
    return template("app.reports").render(**_values(report))


def _values(report: Report) -> dict[str, Any]:
    level, frames, thresholds = report.by_presentation, report.by_frame, report.thresholds
    rows = [_row(one, is_mixed=_is_mixed(report.presentations)) for one in report.presentations]
    return {
        "report": report,
        "context": report.context,
        "facts": _facts(report.facts),
        "instruments": _instruments(report.facts),
        "missing": _missing(report.missing),
        "created": report.context.created.strftime("%Y-%m-%d, %H:%M %Z").strip(),
        "day": report.context.created.strftime("%Y-%m-%d"),
        # The banner says it already.
        "warnings": [text for text in report.warnings if text != report.simulated],
        "cards": _cards(report.figures, level),
        "species": _species(level, frames),
        "figures": _figures(report, frames),
        "strip": Markup(charts.strip(report.presentations, thresholds)),
        "histogram": Markup(charts.histogram(level, thresholds, "presentations")),
        "frame_histogram": Markup(charts.histogram(frames, thresholds, "frames")),
        "roc": Markup(charts.roc(level, frames, thresholds)),
        "det": Markup(charts.det(level, frames, thresholds)),
        "sizes": Markup(
            charts.sizes(genuine_sizes(report.presentations), report.sweep, thresholds)
        ),
        "sweep": [
            (band, percent(band.refused), score_text(band.mean_score)) for band in report.sweep
        ],
        "sweep_statement": statement(report.sweep),
        "thresholds": ", ".join(score_text(threshold) for threshold in thresholds)
        or "none in force",
        "has_one_threshold": len(thresholds) == 1,
        "rows": rows,
        "has_liveness": any(one.liveness is not None for one in report.presentations),
    }


def _cards(found: tuple[Figure, ...], level: Level) -> list[dict[str, Any]]:
    """Return the headline, a card each."""
    errors = level.errors
    worst = worst_species(errors)
    nothing = "no attack had a response" if level.attacks else "no attack was presented"
    note = f"worst species: {worst}" if worst else nothing
    if worst == ALL_EQUAL:
        note = f"attacks accepted, {worst}"
    cards = []
    for one in found:
        if one.part != "headline":
            continue
        rate = one.counted
        if rate is None:
            basis = _worst_basis(errors)
            at = f"{note}; at the threshold in force"
            cards.append(_card(one, one.value.interval, basis, at))
            continue
        basis = f"{rate.n_errors} of {rate.n}" if rate.n else NO_DATA
        at = "bona fide refused, at the threshold that these attacks choose"
        if rate.n:
            at += f"; {span(one.value.interval)} with its uncertainty"
        cards.append(_card(one, rate.interval, basis, at))
    return cards


def _worst_basis(errors: Errors) -> str:
    """Return the counts of the worst species, and whether they are those of every one."""
    _, _, basis = cells(errors.worst)
    counts = {(rate.n_errors, rate.n) for rate in errors.apcers.values()}
    is_shared = len(errors.apcers) > 1 and len(counts) == 1
    return f"{basis} each" if is_shared and basis else basis or NO_DATA


def _card(figure: Figure, interval: tuple[float, float], basis: str, note: str) -> dict[str, Any]:
    value = figure.value.value
    return {
        "name": figure.name.partition(",")[0],
        "note": note,
        "value": "–" if value is None else percent(value),
        "basis": basis,
        "span": "" if value is None else f"95 % interval {span(interval)}",
        "bar": Markup(charts.interval_bar(value, interval)),
    }


def _species(level: Level, frames: Level) -> list[dict[str, Any]]:
    return [
        {
            "counts": counts,
            "name": counts.species,
            "measure": "APCER" if counts.is_attack else "BPCER",
            "cells": cells(counts.errors),
            "bar": Markup(charts.interval_bar(counts.errors.value, counts.errors.interval)),
            "by_frame": _plain(by_frame.errors),
        }
        for counts, by_frame in zip(level.counts, frames.counts, strict=True)
    ]


def _figures(report: Report, frames: Level) -> list[dict[str, Any]]:
    """Return every figure over all species in its part, as the cells of a row."""
    level = report.by_presentation
    by_frame = {(one.key, one.species): one for one in figures(frames)}
    parts = []
    for part, title in PART_TITLES.items():
        rows = []
        for one in report.figures:
            if one.part != part or one.species:
                continue  # species have a table of their own
            name, (value, interval, basis) = one.name, cells(one.value, is_share=one.is_share)
            if isinstance(one.value, Worst) and interval:
                name = f"{name} ({worst_species(level.errors)})"
                basis = _worst_basis(level.errors)
            if one.counted is not None and one.counted.n:
                _, interval, counts = cells(one.counted)
                basis = f"{counts}; {span(one.value.interval)} ‡"
            frame = by_frame[one.key, ""]
            told = _plain(frame.value, is_share=one.is_share)
            rows.append({"name": name, "cells": (value, interval, basis), "by_frame": told})
        parts.append({"title": title, "rows": rows})
    return parts


def _facts(found: tuple[Fact, ...]) -> list[tuple[str, list[Fact]]]:
    """Return the facts by group, those about species and the tested system left out."""
    groups: dict[str, list[Fact]] = {EVALUATION: []}
    for fact in found:
        if fact.group != INSTRUMENTS:
            groups.setdefault(fact.group, []).append(fact)
    tested = groups.pop(TESTED)
    return [*groups.items(), (TESTED, tested)]


def _instruments(found: tuple[Fact, ...]) -> list[tuple[str, list[Fact]]]:
    groups: dict[str, list[Fact]] = {}
    for fact in found:
        if fact.species:
            groups.setdefault(fact.species, []).append(fact)
    return list(groups.items())


def _missing(facts: tuple[Fact, ...]) -> str:
    """Return what an evaluator would ask for, in one sentence; empty when nothing is missing."""
    if not facts:
        return ""
    labels = dict.fromkeys(fact.label[:1].lower() + fact.label[1:] for fact in facts)
    verb = "is" if len(facts) == 1 else "are"
    return (
        f"{counted(len(facts), 'detail')} that an evaluator expects {verb} missing: "
        f"{listed(list(labels))}."
    )


def _plain(figure: Rate | Estimate | Worst, *, is_share: bool = True) -> str:
    """Return a figure by frame: without its interval, which is too narrow to be quoted."""
    value, _, basis = cells(figure, is_share=is_share)
    return f"{value} ({basis})" if basis and not isinstance(figure, Estimate) else value


def _is_mixed(presentations: tuple[Presentation, ...]) -> bool:
    return len({one.is_simulated for one in presentations}) > 1


def _row(one: Presentation, *, is_mixed: bool) -> dict[str, Any]:
    return {
        "number": one.number,
        "species": one.species + (" (simulated)" if is_mixed and one.is_simulated else ""),
        "outcome": _OUTCOMES[one.verdict],
        "is_error": one.verdict.accepts if one.is_attack else one.verdict.refuses,
        "score": score_text(one.score),
        "threshold": score_text(one.threshold),
        "liveness": "–" if one.liveness is None else f"{100 * one.liveness:.0f} %",
        "frames": f"{len(one.scores)} of {len(one.frames)}",
        "reason": one.reason,
    }
