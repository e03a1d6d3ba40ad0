"""The report on disk: a page, and beside it the figures as JSON and CSV."""

import csv
import io
import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.presentation import Presentation
from app.report.building import Report
from app.report.levels import Level
from app.report.page import render
from app.shown import ModelShown
from app.trial import FORMAT as SESSION_FORMAT
from app.trial import FORMAT_VERSION as SESSION_VERSION
from lmkl_core.atomic import write_together
from lmkl_core.metrics import Estimate, Rate, Worst, det_points, roc_points

FORMAT = "lmkl-pad report"
FORMAT_VERSION = 1


class ReportError(OSError):
    """A report that could not be written, told in one sentence."""


def write(report: Report, path: str | os.PathLike[str]) -> Report:
    """Write a report as one page, and beside it as JSON and CSV under the same name.

    ``name.html`` comes with ``name.json`` (everything, the session included), ``name.csv`` (the
    figures) and ``name-presentations.csv``. Each file is whole or not there at all, none is
    replaced unless there is room for all, and the page comes last.

    Parameters
    ----------
    report : Report
        The report.
    path : path-like
        Of the page; ``.html`` is added where it is missing, and its folder made.

    Returns
    -------
    Report
        The same report, which now knows where its page is.

    Raises
    ------
    ReportError
        Where the disk refuses.
    """
    page, as_json, figures, presentations = files_of(path)
    document = json.dumps(as_document(report), indent=1, allow_nan=False, ensure_ascii=False)
    texts = {
        as_json: document + "\n",
        figures: figures_csv(report),
        presentations: presentations_csv(report),
        page: render(report),
    }
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        write_together({file: text.encode("utf-8", "replace") for file, text in texts.items()})
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReportError(
            f"The report cannot be written to {str(page.parent)!r} ({reason}): choose another "
            "folder or free some space."
        ) from error
    return replace(report, html=str(page))


def files_of(path: str | os.PathLike[str]) -> tuple[Path, Path, Path, Path]:
    """Return what `write` writes for a page: itself, its JSON, its figures, its presentations."""
    page = Path(path)
    if page.suffix.lower() not in (".html", ".htm"):
        page = page.with_name(page.name + ".html")
    page = page.absolute()
    return (
        page,
        page.with_suffix(".json"),
        page.with_suffix(".csv"),
        page.with_name(f"{page.stem}-presentations.csv"),
    )


# ------------------------------------------------------------------ JSON


def as_document(report: Report) -> dict[str, Any]:
    """Return everything in a report as JSON values; what is not known is null, never NaN."""
    context = report.context
    level = report.by_presentation
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "created": context.created.isoformat(),
        "software": {"name": "lmkl-pad", "version": context.version},
        "is_simulated": bool(report.simulated),
        "source": context.source,
        "conditions": context.conditions,
        "model_digests": list(report.digests),
        "model": None if context.model is None else _model(context.model),
        "thresholds": list(report.thresholds),
        "warnings": list(report.warnings),
        "summary": list(report.brief),
        "conclusions": list(report.conclusions),
        "limits": list(report.limits),
        "presentation_level": {"is_independent": True, **_level(level)},
        "frame_level": {"is_independent": False, **_level(report.by_frame)},
        "curves": {
            "roc": _points(roc_points(level.genuine_scores, level.attack_scores)),
            "det": _points(det_points(level.genuine_scores, level.attack_scores)),
        },
        "presentations": [
            {
                "number": one.number,
                "species": one.species,
                "verdict": one.verdict.value,
                "reason": one.reason,
                "mean_score": one.score,
                "mean_liveness": one.liveness,
            }
            for one in report.presentations
        ],
        "session": {
            "format": SESSION_FORMAT,
            "version": SESSION_VERSION,
            "presentations": [one.as_dict() for one in report.presentations],
        },
    }


def _model(model: ModelShown) -> dict[str, Any]:
    threshold = model.threshold
    return {
        "digest": model.digest,
        "preset": model.preset,
        # The folder it lies in is nobody else's business.
        "file": Path(model.path).name,
        "n_samples": model.n_samples,
        "takes": list(model.takes),
        "parameters": dict(model.parameters),
        "threshold": {
            "value": _finite(threshold.value),
            "origin": threshold.origin,
            "statement": threshold.statement,
            "target_bpcer": _finite(threshold.target_bpcer),
            "bpcer": _finite(threshold.bpcer),
            "bpcer_interval": [_finite(end) for end in threshold.interval],
            "n_scores": threshold.n_scores,
            "n_effective": _finite(threshold.n_effective),
            "promised": threshold.promised,
        },
    }


def _level(level: Level) -> dict[str, Any]:
    return {
        "species": [
            {
                "species": row.species,
                "n": row.n,
                "n_accepted": row.n_accepted,
                "n_refused": row.n_refused,
                "n_unfamiliar": row.n_unfamiliar,
                "n_no_response": row.n_no_response,
            }
            for row in level.counts
        ],
        "figures": [_figure(*figure) for figure in _figures(level)],
    }


def _figures(level: Level) -> list[tuple[str, str, Rate | Estimate | Worst]]:
    """Return name, species (empty: all) and value of every figure."""
    errors = level.errors
    return [
        ("APCER_max", "", errors.worst),
        *(("APCER", species, rate) for species, rate in errors.apcers.items()),
        ("BPCER", "", errors.bpcer),
        *(("APNRR", species, rate) for species, rate in errors.apnrrs.items()),
        ("APNRR", "", errors.apnrr),
        ("BPNRR", "", errors.bpnrr),
        ("bona_fide_not_accepted", "", level.not_accepted),
        ("AUC", "", level.auc),
        ("EER", "", level.eer),
        *(
            (f"BPCER_at_APCER_{100 * target:.0f}%", "", estimate)
            for target, estimate in level.bpcer_at.items()
        ),
        ("HTER", "", errors.hter),
        ("ACER_legacy", "", errors.acer),
    ]


def _figure(name: str, species: str, figure: Rate | Estimate | Worst) -> dict[str, Any]:
    low, high = figure.interval
    if isinstance(figure, Worst):
        species, value, figure = figure.species, figure.value, figure.rate
    else:
        value = figure.value
    told = {"figure": name, "species": species, "value": value, "low": low, "high": high}
    if isinstance(figure, Estimate):
        basis = {"n_bona_fide": figure.n_bona_fide, "n_attacks": figure.n_attacks}
    else:
        basis = {"n_errors": figure.n_errors, "n": figure.n}
    return {**told, "confidence": figure.confidence, **basis}


def _points(points: tuple[Any, Any]) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in zip(*points, strict=True)]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


# ------------------------------------------------------------------ CSV

FIGURE_COLUMNS = (
    "level", "figure", "species", "value", "low", "high", "confidence",
    "n_errors", "n", "n_bona_fide", "n_attacks",
)  # fmt: skip


def figures_csv(report: Report) -> str:
    """Return every figure at both levels, a line each."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, FIGURE_COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for name, level in [("presentation", report.by_presentation), ("frame", report.by_frame)]:
        for figure in _figures(level):
            row = _figure(*figure)
            writer.writerow({"level": name, **row, "species": plain_text(row["species"])})
    return stream.getvalue()


def presentations_csv(report: Report) -> str:
    """Return every presentation, a line each."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(
        ["number", "species", "is_attack", "is_simulated", "verdict", "mean_score", "threshold",
         "n_scored", "n_frames", "model_digest", "mean_liveness", "reason"]
    )  # fmt: skip
    for one in report.presentations:
        writer.writerow(_presentation_row(one))
    return stream.getvalue()


def _presentation_row(one: Presentation) -> list[Any]:
    flags = [str(one.is_attack).lower(), str(one.is_simulated).lower()]
    return [
        one.number,
        plain_text(one.species),
        *flags,
        one.verdict.value,
        one.score,
        one.threshold,
        len(one.scores),
        len(one.frames),
        plain_text(one.digest),
        one.liveness,
        plain_text(one.reason),
    ]


def plain_text(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
