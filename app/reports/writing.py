"""The report on disk: a page, and beside it the figures as JSON and CSV."""

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from app.models.summary import ModelSummary
from app.reports.building import Report
from app.reports.facts import Fact
from app.reports.figures import figures
from app.reports.levels import Level
from app.reports.page import render
from app.reports.sweep import statement
from app.session.guided_test.presentation import Presentation
from lmkl_core.metrics import det_points, roc_points
from lmkl_core.system.atomic import write_together

FORMAT = "lmkl-pad report"
FORMAT_VERSION = 1


class ReportError(OSError):
    """A report that could not be written, told in one sentence."""


def write(report: Report, path: str | os.PathLike[str]) -> Report:
    """Write a report as one page, and beside it as JSON and CSV under the same name.

    ``name.html`` comes with ``name.json`` (everything, the session included), ``name.csv`` (the
    figures), ``name-details.csv`` (the facts) and ``name-presentations.csv``. Each file is whole or
    not there at all, none is
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
    page, as_json, numbers, details, presentations = files_of(path)
    document = json.dumps(as_document(report), indent=1, allow_nan=False, ensure_ascii=False)
    texts = {
        as_json: document + "\n",
        numbers: figures_csv(report),
        details: facts_csv(report),
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


def files_of(path: str | os.PathLike[str]) -> tuple[Path, Path, Path, Path, Path]:
    """Return what `write` writes for a page: itself, JSON, figures, details, presentations."""
    page = Path(path)
    if page.suffix.lower() not in (".html", ".htm"):
        page = page.with_name(page.name + ".html")
    page = page.absolute()
    return (
        page,
        page.with_suffix(".json"),
        page.with_suffix(".csv"),
        page.with_name(f"{page.stem}-details.csv"),
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
        "source": report.source,
        "conditions": context.conditions,
        "facts": [asdict(fact) for fact in report.facts],
        "n_missing": len(report.missing),
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
        "face_size": {
            "statement": statement(report.sweep),
            "bands": [band.as_dict() for band in report.sweep],
        },
        "presentations": [presentation_row(one) for one in report.presentations],
        "session": dict(report.session),
    }


def _model(model: ModelSummary) -> dict[str, Any]:
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
        "figures": [figure.as_dict() for figure in figures(level)],
    }


def _points(points: tuple[Any, Any]) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in zip(*points, strict=True)]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


# ------------------------------------------------------------------ CSV

FIGURE_COLUMNS = (
    "level", "figure", "part", "species", "value", "low", "high", "confidence",
    "n_errors", "n", "n_bona_fide", "n_attacks", "low_at_threshold", "high_at_threshold",
    "size_low", "size_high", "mean_score", "n_presentations",
)  # fmt: skip


def figures_csv(report: Report) -> str:
    """Return every figure at both levels and every band of face sizes, a line each."""
    levels = [("presentation", report.by_presentation), ("frame", report.by_frame)]
    rows = [
        {"level": name, **figure.as_dict()} for name, level in levels for figure in figures(level)
    ]
    rows += [
        {
            "level": "frame",
            "figure": "BPCER_by_face_size",
            "part": "sweep",
            "value": band.refused,
            "n_errors": band.n_refused,
            "n": band.n_frames,
            "size_low": band.low,
            "size_high": band.high,
            "mean_score": band.mean_score,
            "n_presentations": band.n_presentations,
        }
        for band in report.sweep
    ]
    return _csv(rows, FIGURE_COLUMNS)


def facts_csv(report: Report) -> str:
    """Return every fact about the test, a line each; those that are missing have no value."""
    return _csv([asdict(fact) for fact in report.facts], [one.name for one in fields(Fact)])


def presentations_csv(report: Report) -> str:
    """Return every presentation, a line each."""
    columns = presentation_row(Presentation(0, "", (), None))
    return _csv([presentation_row(one) for one in report.presentations], columns)


def presentation_row(one: Presentation) -> dict[str, Any]:
    """Return what a report tells of one presentation."""
    return {
        "number": one.number,
        "species": one.species,
        "is_attack": one.is_attack,
        "is_simulated": one.is_simulated,
        "verdict": one.verdict.value,
        "mean_score": one.score,
        "threshold": one.threshold,
        "n_scored": len(one.scores),
        "n_frames": len(one.frames),
        "model_digest": one.digest,
        "mean_face_size": one.size,
        "processing_seconds": one.seconds,
        **asdict(one.capture),
        "mean_liveness": one.liveness,
        "reason": one.reason,
    }


def _csv(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(columns), restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return stream.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return plain_text(value) if isinstance(value, str) else value


def plain_text(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
