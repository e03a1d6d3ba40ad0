"""Everything in a table for machines: JSON values, and lines of CSV."""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from app.evaluation.published import Figure
from app.evaluation.result import FoldResult, UsedThreshold
from app.reports.tables.building import Row, Table
from app.reports.tables.figures import FIGURES, Measured, Told
from app.reports.tables.levels import Level
from app.reports.tables.notices import notices, simulated
from app.reports.tables.words import facts
from app.reports.writing import plain_text
from lmkl_core.metrics import Rate, ScoreTable

FORMAT = "lmkl-pad evaluation"
FORMAT_VERSION = 1

COLUMNS = (
    "method", "title", "source", "level", "fold", "figure", "species", "value", "low", "high",
    "std", "n_errors", "n", "n_bona_fide", "n_attacks", "n_subjects_drawn", "n_folds",
    "threshold", "origin", "n_missing", "n_published", "text",
)  # fmt: skip


def as_document(table: Table, *, with_scores: bool = False) -> dict[str, Any]:
    """Return a table as JSON values; shares from 0 to 1, and null, never NaN, for the unknown.

    Parameters
    ----------
    table : Table
        The table.
    with_scores : bool
        Add every test score, frame by frame.
    """
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        **as_header(table),
        "confidence": 0.95,
        "headline": list(table.headline),
        "folds": list(table.folds),
        "rows": [_row(row, with_scores) for row in table.rows],
    }


def as_header(table: Table) -> dict[str, Any]:
    """Return what a table is of, without its figures."""
    evaluation = table.evaluation
    return {
        "created": evaluation.created.isoformat(),
        "software": {"name": "lmkl-pad", "version": evaluation.version},
        "database": evaluation.database,
        "title": evaluation.title,
        "protocol": evaluation.protocol,
        "mode": evaluation.mode,
        "paper_table": evaluation.table,
        "is_simulated": bool(simulated(table)),
        "settings": dict(evaluation.settings),
        "counts": dict(evaluation.counts),
        "recordings": [asdict(each) for each in evaluation.recordings],
        "missing": list(evaluation.missing),
        "passed_over": list(evaluation.passed_over),
        "notices": sentences(table),
    }


def sentences(table: Table) -> list[str]:
    """Return all that a reader must know, the banner first."""
    return [*([simulated(table)] if simulated(table) else []), *notices(table)]


def _row(row: Row, with_scores: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "method": None if row.measured is None else row.measured.method,
        "title": row.title,
        "citation": None if row.published is None else row.published.citation,
        "is_own": row.is_own,
        "remark": row.remark,
        "published": None
        if row.published is None
        else {name: _printed(figure) for name, figure in row.published.figures.items()},
        "measured": None,
    }
    if row.measured is not None and row.by_presentation and row.by_frame:
        told["measured"] = {
            "seconds": row.measured.seconds,
            "presentation_level": {"is_independent": True, **_level(row.by_presentation)},
            "frame_level": {"is_independent": False, **_level(row.by_frame)},
            "folds": [_fold(fold, with_scores) for fold in row.measured.folds],
        }
    return told


def _printed(figure: Figure) -> dict[str, float | None]:
    # A printed decimal stays one.
    std = None if figure.std is None else round(figure.std / 100, 6)
    return {"mean": round(figure.mean / 100, 6), "std": std}


def _level(level: Level) -> dict[str, Any]:
    spreads = {name: level.spread(name) for name in FIGURES}
    return {
        "mean": {name: None if each is None else each.mean for name, each in spreads.items()},
        "std": {name: None if each is None else each.std for name, each in spreads.items()},
        "pooled": _measured(level.pooled),
        "folds": {
            name: {figure: as_values(found.counted(figure)) for figure in FIGURES}
            for name, found in level.folds.items()
        },
    }


def _measured(found: Measured) -> dict[str, Any]:
    return {
        "threshold": found.threshold,
        "figures": {name: as_values(found.figure(name)) for name in FIGURES},
        "apcer_by_species": {
            name: as_values(_rate("APCER", rate, found.are_independent))
            for name, rate in found.errors.apcers.items()
        },
        "apnrr_by_species": {
            name: as_values(_rate("APNRR", rate, found.are_independent))
            for name, rate in found.errors.apnrrs.items()
        },
    }


def as_values(told: Told) -> dict[str, Any]:
    """Return a figure with what is known of it."""
    low, high = told.interval or (None, None)
    found: dict[str, Any] = {
        "value": told.value,
        "low": low,
        "high": high,
        "n_errors": told.n_errors,
        "n": told.n,
        "n_bona_fide": told.n_bona_fide,
        "n_attacks": told.n_attacks,
        "n_subjects_drawn": told.n_subjects,
    }
    if told.species:
        found["species"] = told.species
    return {name: value for name, value in found.items() if value is not None or name == "value"}


def _rate(name: str, rate: Rate, are_independent: bool) -> Told:
    interval = rate.interval if rate.n and are_independent else None
    return Told(name, rate.value, interval, rate.n_errors, rate.n)


def _fold(fold: FoldResult, with_scores: bool) -> dict[str, Any]:
    told = {
        "fold": fold.fold,
        "threshold": _threshold(fold.threshold),
        "presentation_threshold": _threshold(fold.presentation_threshold),
        "parameters": {
            plan: {name: _value(value) for name, value in chosen.items()}
            for plan, chosen in fold.parameters.items()
        },
        "n_train": fold.n_train,
        "notes": list(fold.notes),
    }
    if with_scores:
        told["frames"] = _scores(fold.frames)
        told["presentations"] = _scores(fold.at("presentation")[0])
    return told


def _threshold(used: UsedThreshold) -> dict[str, Any]:
    return {"value": _value(used.value), "origin": used.origin}


def _scores(table: ScoreTable) -> dict[str, list[Any]]:
    return {
        "score": [_value(score) for score in table.scores.tolist()],
        "species": table.species.tolist(),
        "subject": table.subjects.tolist(),
        "presentation": table.presentations.tolist(),
    }


def _value(value: Any) -> Any:
    """Return a parameter as JSON knows it: numbers that are none are null, other things words."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): _value(each) for name, each in value.items()}
    return str(value)


# ------------------------------------------------------------------ CSV


def as_csv(table: Table) -> str:
    """Return every figure, a line each: published ones, by fold, over folds, and pooled.

    Then come the numbers of recordings, and in the column ``text`` all that the page says in words.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for row in table.rows:
        method = "" if row.measured is None else row.measured.method
        names = {"method": method, "title": row.title, "source": row.source}
        for line in _lines(row):
            writer.writerow(plain_line({**names, **line}))
    for line in _about(table):
        writer.writerow(plain_line(line))
    return stream.getvalue()


def plain_line(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of CSV whose texts are safe in spreadsheets; what is None is left out."""
    return {
        key: plain_text(text) if isinstance(text, str) else text
        for key, text in line.items()
        if text is not None
    }


def _about(table: Table) -> Iterator[dict[str, Any]]:
    evaluation = table.evaluation
    for each in evaluation.recordings:
        yield {
            "level": "recordings",
            "fold": each.fold,
            "figure": f"{each.split} {each.kind}",
            "value": each.found,
            "n_missing": each.missing,
            "n_published": each.published,
        }
    texts = {
        "missing": evaluation.missing,
        "passed over": evaluation.passed_over,
        "notice": sentences(table),
    }
    for level, told in texts.items():
        yield from ({"level": level, "text": text} for text in told)
    yield from ({"level": "about", "figure": name, "text": text} for name, text in facts(table))


def _lines(row: Row) -> Iterator[dict[str, Any]]:
    if row.published is not None:
        for name, figure in row.published.figures.items():
            printed = _printed(figure)
            yield {
                "level": "published",
                "figure": name,
                "value": printed["mean"],
                "std": printed["std"],
            }
    if row.measured is None or row.by_presentation is None or row.by_frame is None:
        return
    used = {fold.fold: fold for fold in row.measured.folds}
    for level_name, level in (("presentation", row.by_presentation), ("frame", row.by_frame)):
        at = {"level": level_name}
        for fold, found in level.folds.items():
            threshold = (
                used[fold].threshold if level_name == "frame" else used[fold].presentation_threshold
            )
            where = {"fold": fold, "threshold": threshold.value, "origin": threshold.origin}
            for name in FIGURES:
                yield {**at, **where, "figure": name, **as_values(found.counted(name))}
        for name in FIGURES:
            each = level.spread(name)
            if each is not None:
                yield {
                    **at,
                    "fold": "mean over folds",
                    "figure": name,
                    "value": each.mean,
                    "std": each.std,
                    "n_folds": each.n,
                }
        pooled = {**at, "fold": "all together"}
        for name in FIGURES:
            yield {**pooled, "figure": name, **as_values(level.pooled.figure(name))}
        for species, rate in level.pooled.errors.apcers.items():
            told = as_values(_rate("APCER", rate, level.pooled.are_independent))
            yield {**pooled, "figure": "APCER of a species", "species": species, **told}
