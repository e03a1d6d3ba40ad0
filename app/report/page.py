"""The page: one HTML file that needs nothing else, neither a network nor a script."""

from typing import Any

from markupsafe import Markup

from app.presentation import Presentation
from app.report import charts
from app.report.building import AUC, Report, overall
from app.report.levels import Level
from app.report.templates import template
from app.report.words import (
    ALL_EQUAL,
    NO_DATA,
    cells,
    grouped,
    percent,
    score_text,
    spaced,
    span,
    worst_species,
)
from app.types import Verdict
from lmkl_core.metrics import Errors, Estimate, Rate, Worst

UNKNOWN_ORIGIN = "not known: the model was not at hand when the report was made"

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
    return template("app.report").render(**_values(report))


def _values(report: Report) -> dict[str, Any]:
    level, frames, thresholds = report.by_presentation, report.by_frame, report.thresholds
    model = report.context.model
    rows = [_row(one, is_mixed=_is_mixed(report.presentations)) for one in report.presentations]
    return {
        "report": report,
        "context": report.context,
        "model": model,
        "takes": "" if model is None else grouped(model.takes),
        "origin": UNKNOWN_ORIGIN
        if model is None
        else spaced(f"{model.threshold.origin}. {model.threshold.statement}"),
        "created": report.context.created.strftime("%Y-%m-%d, %H:%M %Z").strip(),
        "day": report.context.created.strftime("%Y-%m-%d"),
        # The banner says it already.
        "warnings": [text for text in report.warnings if text != report.simulated],
        "cards": _cards(level),
        "species": _species(level, frames),
        "figures": _figures(level, frames),
        "strip": Markup(charts.strip(report.presentations, thresholds)),
        "histogram": Markup(charts.histogram(level, thresholds, "presentations")),
        "frame_histogram": Markup(charts.histogram(frames, thresholds, "frames")),
        "roc": Markup(charts.roc(level, frames, thresholds)),
        "det": Markup(charts.det(level, frames, thresholds)),
        "thresholds": ", ".join(score_text(threshold) for threshold in thresholds)
        or "none in force",
        "has_one_threshold": len(thresholds) == 1,
        "rows": rows,
        "has_liveness": any(one.liveness is not None for one in report.presentations),
    }


def _cards(level: Level) -> list[dict[str, Any]]:
    errors = level.errors
    worst = worst_species(errors)
    nothing = "no attack had a response" if level.attacks else "no attack was presented"
    note = f"worst species: {worst}" if worst else nothing
    if worst == ALL_EQUAL:
        note = f"attacks accepted, {worst}"
    apcer = _card("APCER", errors.worst.rate, errors.worst.interval, note)
    return [
        apcer | {"basis": _worst_basis(errors)},
        _card("BPCER", errors.bpcer, errors.bpcer.interval, "bona fide refused"),
        _card("APNRR", errors.apnrr, errors.apnrr.interval, "attacks without a response"),
        _card("BPNRR", errors.bpnrr, errors.bpnrr.interval, "bona fide without a response"),
    ]


def _worst_basis(errors: Errors) -> str:
    """Return the counts of the worst species, and whether they are those of every one."""
    _, _, basis = cells(errors.worst)
    counts = {(rate.n_errors, rate.n) for rate in errors.apcers.values()}
    is_shared = len(errors.apcers) > 1 and len(counts) == 1
    return f"{basis} each" if is_shared and basis else basis or NO_DATA


def _card(name: str, rate: Rate, interval: tuple[float, float], note: str) -> dict[str, Any]:
    known = rate.value is not None
    return {
        "name": name,
        "note": note,
        "value": percent(rate.value) if rate.value is not None else "–",
        "basis": f"{rate.n_errors} of {rate.n}" if known else "no data",
        "span": f"95 % interval {span(interval)}" if known else "",
        "bar": Markup(charts.interval_bar(rate.value, interval)),
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


def _figures(level: Level, frames: Level) -> list[dict[str, Any]]:
    """Return every figure over all species, as the cells of a row."""
    worst = worst_species(level.errors)
    named = f"APCER, worst species ({worst})" if worst else "APCER, worst species"
    pairs: list[tuple[str, Rate | Estimate | Worst, Rate | Estimate | Worst]] = [
        (named, level.errors.worst, frames.errors.worst),
        ("BPCER", level.errors.bpcer, frames.errors.bpcer),
    ]
    for (name, figure), (_, by_frame) in zip(overall(level), overall(frames), strict=True):
        pairs.append((name, figure, by_frame))
    rows = [
        {
            "name": name,
            "cells": cells(figure, is_share=name != AUC),
            "by_frame": _plain(by_frame, is_share=name != AUC),
        }
        for name, figure, by_frame in pairs
    ]
    value, interval, _ = cells(level.errors.worst)
    rows[0]["cells"] = (value, interval, _worst_basis(level.errors) if interval else "")
    return rows


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
