"""Reports as JSON values: shares from 0 to 1, and null instead of NaN for unknown values."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.evaluation.published import PrintedFigure
from app.evaluation.result import FoldResult
from app.models.summary import ModelSummary, threshold_facts
from app.reports.evaluation import Comparison, Line, Row, Table
from app.reports.figures import FIGURES, Figure, Figures, FoldFigures
from app.reports.findings import brief, conclusions, limits, size_statement
from app.reports.guided_test import Line as ReportLine
from app.reports.guided_test import Report
from app.reports.notices import comparison_notices, sentences
from app.session.guided_test.presentation import Presentation
from lmkl_core.metrics import Rate, ScoreTable, Threshold, det_points, roc_points

GUIDED_TEST_FORMAT = "lmkl-pad report"
EVALUATION_FORMAT = "lmkl-pad evaluation"
COMPARISON_FORMAT = "lmkl-pad comparison"
FORMAT_VERSION = 1


def guided_test_document(report: Report) -> dict[str, Any]:
    context, level = report.context, report.by_presentation
    classes = level.genuine_scores, level.attack_scores
    by_presentation, by_frame = (
        _level(level, report.lines),
        _level(report.by_frame, report.frame_lines),
    )
    return {
        "format": GUIDED_TEST_FORMAT,
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
        "summary": list(brief(level)),
        "conclusions": list(conclusions(level)),
        "limits": list(limits(report.presentations, level)),
        "presentation_level": {"is_independent": True, **by_presentation},
        "frame_level": {"is_independent": False, **by_frame},
        "curves": {"roc": _points(roc_points(*classes)), "det": _points(det_points(*classes))},
        "face_size": {
            "statement": size_statement(report.bands),
            "bands": [band.as_dict() for band in report.bands],
        },
        "presentations": [presentation_row(presentation) for presentation in report.presentations],
        "session": dict(report.session),
    }


def _model(model: ModelSummary) -> dict[str, Any]:
    return {
        "digest": model.digest,
        "preset": model.preset,
        # The path of its folder is private.
        "file": Path(model.path).name,
        "n_samples": model.n_samples,
        "takes": list(model.takes),
        "parameters": dict(model.parameters),
        "threshold": threshold_facts(model.calibration),
    }


def _level(level: Figures, lines: tuple[ReportLine, ...]) -> dict[str, Any]:
    keys = ("species", "n", "n_accepted", "n_refused", "n_unfamiliar", "n_no_response")
    return {
        "species": [{key: getattr(row, key) for key in keys} for row in level.tallies],
        "figures": [line.as_dict() for line in lines],
    }


def _points(points: tuple[Any, Any]) -> list[list[float]]:
    return np.column_stack(points).tolist()


def presentation_row(presentation: Presentation) -> dict[str, Any]:
    return {
        "number": presentation.number,
        "species": presentation.species,
        "is_attack": presentation.is_attack,
        "is_simulated": presentation.is_simulated,
        "verdict": presentation.verdict.value,
        "mean_score": presentation.score,
        "threshold": presentation.threshold,
        "n_scored": len(presentation.scores),
        "n_frames": len(presentation.frames),
        "model_digest": presentation.digest,
        "mean_face_size": presentation.size,
        "processing_seconds": presentation.seconds,
        **asdict(presentation.capture),
        "mean_liveness": presentation.decision.liveness,
        "reason": presentation.decision.reason,
    }


def _value(value: Any) -> Any:
    """Return JSON values: null for non-finite numbers, text for unknown types."""

    def plain(value: Any) -> Any:
        return value.item() if isinstance(value, np.generic) else str(value)

    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=plain))


# ------------------------------------------------------------------ evaluation


def evaluation_document(table: Table, *, with_scores: bool = False) -> dict[str, Any]:
    return {
        "format": EVALUATION_FORMAT,
        "version": FORMAT_VERSION,
        **_header(table),
        "confidence": 0.95,
        "headline": list(table.headline),
        "folds": list(table.folds),
        "rows": [_row(row, with_scores) for row in table.rows],
    }


def _header(table: Table) -> dict[str, Any]:
    evaluation, layout = table.evaluation, table.layout
    return {
        "created": evaluation.created.isoformat(),
        "software": {"name": "lmkl-pad", "version": evaluation.version},
        "database": layout.database,
        "title": layout.title,
        "protocol": layout.protocol,
        "mode": layout.mode,
        "paper_table": evaluation.table,
        "is_simulated": evaluation.is_simulated,
        "settings": dict(evaluation.settings),
        "counts": dict(evaluation.counts),
        "recordings": [asdict(each) for each in layout.counts],
        "missing": list(layout.missing),
        "passed_over": list(layout.passed_over),
        "notices": sentences(table),
    }


def _row(row: Row, with_scores: bool) -> dict[str, Any]:
    published, measured = row.published, None
    if row.measured is not None and row.is_measured:
        measured = {
            "seconds": row.measured.seconds,
            "presentation_level": {"is_independent": True, **_folds(row.by_presentation)},
            "frame_level": {"is_independent": False, **_folds(row.by_frame)},
            "folds": [_fold(fold, with_scores) for fold in row.folds],
        }
    return {
        "method": None if row.measured is None else row.measured.method,
        "title": row.title,
        "citation": None if published is None else published.citation,
        "is_own": row.is_own,
        "remark": row.remark,
        "published": published
        and {name: printed_values(figure) for name, figure in published.figures.items()},
        "measured": measured,
    }


def printed_values(figure: PrintedFigure) -> dict[str, float | None]:
    """Return a published figure as shares, without binary noise."""
    std = None if figure.std is None else round(figure.std / 100, 6)
    return {"mean": round(figure.mean / 100, 6), "std": std}


def _folds(level: FoldFigures) -> dict[str, Any]:
    spreads = {name: level.spread(name) for name in FIGURES}
    pooled = level.pooled
    return {
        "mean": {name: None if each is None else each.mean for name, each in spreads.items()},
        "std": {name: None if each is None else each.std for name, each in spreads.items()},
        "pooled": {
            "threshold": pooled.threshold,
            "figures": {name: figure_values(pooled.figure(name)) for name in FIGURES},
            "apcer_by_species": _by_species(pooled, pooled.errors.apcers),
            "apnrr_by_species": _by_species(pooled, pooled.errors.apnrrs),
        },
        "folds": {
            fold: {name: figure_values(found.counted(name)) for name in FIGURES}
            for fold, found in level.folds.items()
        },
    }


def _by_species(pooled: Figures, rates: Mapping[str, Rate]) -> dict[str, Any]:
    return {name: rate_values(rate, pooled.are_independent) for name, rate in rates.items()}


def rate_values(rate: Rate, are_independent: bool) -> dict[str, Any]:
    """Return the rate of a species; without an interval for frames."""
    interval = rate.interval if rate.n and are_independent else None
    return figure_values(Figure("", rate.value, interval, rate.n_errors, rate.n))


def figure_values(figure: Figure) -> dict[str, Any]:
    """Return a figure's value, interval and basis, without what is unknown."""
    low, high = figure.interval or (None, None)
    found = {
        "low": low,
        "high": high,
        "n_errors": figure.n_errors,
        "n": figure.n,
        "n_bona_fide": figure.n_bona_fide,
        "n_attacks": figure.n_attacks,
        "n_subjects_drawn": figure.n_subjects,
        "species": figure.species or None,
    }
    known = {name: value for name, value in found.items() if value is not None}
    return {"value": figure.value, **known}


def _fold(fold: FoldResult, with_scores: bool) -> dict[str, Any]:
    found = {
        "fold": fold.fold,
        "threshold": _threshold(fold.threshold),
        "presentation_threshold": _threshold(fold.presentation_threshold),
        "parameters": _value(fold.parameters),
        "n_train": fold.n_train,
        "notes": list(fold.notes),
    }
    if with_scores:
        found["frames"] = _scores(fold.frames)
        found["presentations"] = _scores(fold.at("presentation")[0])
    return found


def _threshold(used: Threshold) -> dict[str, Any]:
    return {"value": _value(used.value), "origin": used.origin}


def _scores(table: ScoreTable) -> dict[str, list[Any]]:
    return {
        "score": _value(table.scores.tolist()),
        "species": table.species.tolist(),
        "subject": table.subjects.tolist(),
        "presentation": table.presentations.tolist(),
    }


# ------------------------------------------------------------------ comparison


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison of runs; differences are from -1 to 1."""
    return {
        "format": COMPARISON_FORMAT,
        "version": FORMAT_VERSION,
        "reference": comparison.runs[0].name,
        "is_simulated": comparison.is_simulated,
        "confidence": 0.95,
        "figures": list(comparison.figures),
        "notices": list(comparison_notices(comparison)),
        "runs": [{"name": run.name, **_header(run.table)} for run in comparison.runs],
        "lines": [line_values(line) for line in comparison.lines],
    }


def line_values(line: Line) -> dict[str, Any]:
    values: dict[str, Any] = {"run": line.run, "method": line.method, "title": line.title}
    values["figure"] = line.figure.name
    if line.spread is not None:
        values |= {"mean": line.spread.mean, "std": line.spread.std}
    values |= {**figure_values(line.figure), "difference": None}
    if (found := line.difference) is not None:
        low, high = found.interval or (None, None)
        values["difference"] = {
            "value": found.value,
            "low": low,
            "high": high,
            "n_subjects_drawn": found.n_subjects,
            "is_paired": found.is_paired,
        }
    return values
