"""Reports as CSV: one line per figure, safe to open in spreadsheets."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from app.names import spreadsheet_cell
from app.reports.evaluation import Comparison, Row, Table
from app.reports.figures import FIGURES, FoldFigures
from app.reports.guided_test import Fact, Report
from app.reports.json_files import (
    figure_values,
    line_values,
    presentation_row,
    printed_values,
    rate_values,
)
from app.reports.notices import comparison_notices, facts, sentences
from app.session.guided_test.presentation import Presentation

GUIDED_TEST_COLUMNS = (
    "level", "figure", "part", "species", "value", "low", "high", "confidence",
    "n_errors", "n", "n_bona_fide", "n_attacks", "low_at_threshold", "high_at_threshold",
    "size_low", "size_high", "mean_score", "n_presentations",
)  # fmt: skip

EVALUATION_COLUMNS = (
    "method", "title", "source", "level", "fold", "figure", "species", "value", "low", "high",
    "std", "n_errors", "n", "n_bona_fide", "n_attacks", "n_subjects_drawn", "n_folds",
    "threshold", "origin", "n_missing", "n_published", "text",
)  # fmt: skip

COMPARISON_COLUMNS = (
    "run", "method", "title", "figure", "species", "value", "low", "high", "mean", "std",
    "n_errors", "n", "n_bona_fide", "n_attacks", "n_subjects_drawn", "difference",
    "difference_low", "difference_high", "difference_n_subjects_drawn", "difference_is_paired",
    "text",
)  # fmt: skip


def _csv(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(columns), restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({key: spreadsheet_cell(value) for key, value in row.items()} for row in rows)
    return stream.getvalue()


# ------------------------------------------------------------------ guided test


def figures_csv(report: Report) -> str:
    """Write every figure by presentation and by frame, and every band of face sizes."""
    levels = {"presentation": report.lines, "frame": report.frame_lines}
    rows = [{"level": level, **line.as_dict()} for level, own in levels.items() for line in own]
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
        for band in report.bands
    ]
    return _csv(rows, GUIDED_TEST_COLUMNS)


def facts_csv(report: Report) -> str:
    return _csv([asdict(fact) for fact in report.facts], [field.name for field in fields(Fact)])


def presentations_csv(report: Report) -> str:
    columns = presentation_row(Presentation(0, "", (), None))
    rows = [
        {
            key: str(value).lower() if isinstance(value, bool) else value
            for key, value in presentation_row(presentation).items()
        }
        for presentation in report.presentations
    ]
    return _csv(rows, columns)


# ------------------------------------------------------------------ evaluation


def evaluation_csv(table: Table) -> str:
    """Write every figure (published, by fold, over folds, pooled), recordings and caveats."""
    rows = []
    for row in table.rows:
        method = "" if row.measured is None else row.measured.method
        names = {"method": method, "title": row.title, "source": row.source}
        rows += [{**names, **line} for line in _row_lines(row)]
    return _csv([*rows, *_about(table)], EVALUATION_COLUMNS)


def _row_lines(row: Row) -> Iterator[dict[str, Any]]:
    for name, figure in row.published.figures.items() if row.published is not None else ():
        printed = printed_values(figure)
        at = {"level": "published", "figure": name}
        yield {**at, "value": printed["mean"], "std": printed["std"]}
    if row.is_measured:
        frames = {fold.fold: fold.threshold for fold in row.folds}
        presentations = {fold.fold: fold.presentation_threshold for fold in row.folds}
        yield from _level_lines("presentation", row.by_presentation, presentations)
        yield from _level_lines("frame", row.by_frame, frames)


def _level_lines(
    name: str, level: FoldFigures, thresholds: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for fold, found in level.folds.items():
        used = thresholds[fold]
        at = {"level": name, "fold": fold, "threshold": used.value, "origin": used.origin}
        for figure in FIGURES:
            yield {**at, "figure": figure, **figure_values(found.counted(figure))}
    for figure in FIGURES:
        if (each := level.spread(figure)) is not None:
            at = {"level": name, "fold": "mean over folds", "figure": figure}
            yield {**at, "value": each.mean, "std": each.std, "n_folds": each.n}
    pooled, at = level.pooled, {"level": name, "fold": "all together"}
    for figure in FIGURES:
        yield {**at, "figure": figure, **figure_values(pooled.figure(figure))}
    for species, rate in pooled.errors.apcers.items():
        values = rate_values(rate, pooled.are_independent)
        yield {**at, "figure": "APCER of a species", "species": species, **values}


def _about(table: Table) -> Iterator[dict[str, Any]]:
    layout = table.layout
    for each in layout.counts:
        yield {
            "level": "recordings",
            "fold": each.fold,
            "figure": f"{each.split} {each.kind}",
            "value": each.found,
            "n_missing": each.missing,
            "n_published": each.published,
        }
    texts = {
        "missing": layout.missing,
        "passed over": layout.passed_over,
        "notice": sentences(table),
    }
    for level, own in texts.items():
        yield from ({"level": level, "text": text} for text in own)
    yield from ({"level": "about", "figure": name, "text": text} for name, text in facts(table))


def comparison_csv(comparison: Comparison) -> str:
    """Write every figure of every run, then facts and notices."""
    rows = []
    for line in comparison.lines:
        values = line_values(line)
        if (found := values.pop("difference")) is not None:
            values |= {f"difference_{name}": value for name, value in found.items()}
            values["difference"] = values.pop("difference_value")
        rows.append(values)
    for run in comparison.runs:
        rows += [{"run": run.name, "figure": name, "text": text} for name, text in facts(run.table)]
    rows += [{"figure": "notice", "text": text} for text in comparison_notices(comparison)]
    return _csv(rows, COMPARISON_COLUMNS)
