"""The page: one HTML file that needs nothing else, neither a network nor a script."""

from typing import Any

from markupsafe import Markup

from app.presentation import Presentation
from app.report import charts
from app.report.building import Report, summary
from app.report.templates import template
from app.report.words import percent, rate_text, score_text, span, worst_species, worst_text
from app.types import Verdict
from lmkl_core.metrics import Rate

_OUTCOMES = {
    Verdict.GENUINE: "accepted",
    Verdict.ATTACK: "refused",
    Verdict.UNFAMILIAR: "no response: unfamiliar conditions",
    Verdict.NO_FACE: "no response: no face",
    Verdict.POOR_QUALITY: "no response: poor quality",
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
    errors = level.errors
    pairs = zip(level.counts, frames.counts, strict=True)
    return {
        "report": report,
        "context": report.context,
        "model": report.context.model,
        "created": report.context.created.strftime("%Y-%m-%d, %H:%M %Z").strip(),
        # The banner says it already.
        "warnings": [text for text in report.warnings if text != report.simulated],
        "cards": [
            _card(
                "APCER, worst species",
                errors.worst.rate,
                errors.worst.interval,
                note=worst_species(errors) or "no attack was presented",
            ),
            _card("BPCER", errors.bpcer, errors.bpcer.interval, note="bona fide refused"),
            _card("APNRR", errors.apnrr, errors.apnrr.interval, note="attacks without response"),
            _card("BPNRR", errors.bpnrr, errors.bpnrr.interval, note="bona fide without response"),
        ],
        "species": [
            {
                "counts": counts,
                "name": counts.species,
                "measure": "APCER" if counts.is_attack else "BPCER",
                "rate": rate_text(counts.errors),
                "non_response": rate_text(counts.non_response),
                "bar": Markup(charts.interval_bar(counts.errors.value, counts.errors.interval)),
                "by_frame": rate_text(by_frame.errors),
            }
            for counts, by_frame in pairs
        ],
        "summary": [
            ("APCER, worst species", worst_text(errors), worst_text(frames.errors)),
            ("BPCER", rate_text(errors.bpcer), rate_text(frames.errors.bpcer)),
            *(
                (name, text, by_frame)
                for (name, text), (_, by_frame) in zip(summary(level), summary(frames), strict=True)
            ),
        ],
        "strip": Markup(charts.strip(report.presentations, thresholds)),
        "histogram": Markup(charts.histogram(level, thresholds, "presentations")),
        "frame_histogram": Markup(charts.histogram(frames, thresholds, "frames")),
        "roc": Markup(charts.roc(level, frames, thresholds)),
        "det": Markup(charts.det(level, frames, thresholds)),
        "thresholds": ", ".join(score_text(threshold) for threshold in thresholds)
        or "none in force",
        "rows": [_row(one) for one in report.presentations],
    }


def _card(name: str, rate: Rate, interval: tuple[float, float], *, note: str) -> dict[str, Any]:
    known = rate.value is not None
    return {
        "name": name,
        "note": note,
        "value": percent(rate.value) if rate.value is not None else "–",
        "basis": f"{rate.n_errors} of {rate.n}" if known else "no data",
        "span": f"95 % interval {span(interval)}" if known else "",
        "bar": Markup(charts.interval_bar(rate.value, interval)),
    }


def _row(one: Presentation) -> dict[str, Any]:
    wrong = Verdict.GENUINE if one.is_attack else Verdict.ATTACK
    return {
        "number": one.number,
        "species": one.species + (" (simulated)" if one.is_simulated else ""),
        "outcome": _OUTCOMES[one.verdict],
        "is_error": one.verdict is wrong,
        "score": score_text(one.score),
        "threshold": score_text(one.threshold),
        "frames": f"{len(one.scores)} of {len(one.frames)}",
    }
