"""Reports on disk: all files are written together, each completely or not at all."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.reports.csv_files import (
    comparison_csv,
    evaluation_csv,
    facts_csv,
    figures_csv,
    presentations_csv,
)
from app.reports.evaluation import Comparison, Table
from app.reports.guided_test import Report
from app.reports.html import comparison_page, evaluation_page, guided_test_page
from app.reports.json_files import (
    comparison_document,
    evaluation_document,
    guided_test_document,
)
from app.reports.latex import comparison_latex, evaluation_latex
from app.reports.notices import known_database
from lmkl_core.system.files import write_together


class ReportError(OSError):
    """A report could not be written; the message is one sentence."""


def write(report: Report, path: str | os.PathLike[str]) -> Report:
    """Write the report of a guided test, and return it with the path of its page.

    ``name.html`` comes with ``name.json`` (everything, the session included), ``name.csv`` (the
    figures), ``name-details.csv`` (the facts) and ``name-presentations.csv``. Without room for all
    of them, raises `ReportError` and replaces none.
    """
    page, as_json, numbers, details, presentations = files_of(path)
    texts = {
        as_json: _json(guided_test_document(report)),
        numbers: figures_csv(report),
        details: facts_csv(report),
        presentations: presentations_csv(report),
        page: guided_test_page(report),
    }
    _write(texts, page.parent)
    return replace(report, html=str(page))


def files_of(path: str | os.PathLike[str]) -> tuple[Path, Path, Path, Path, Path]:
    """Return the files of `write`: the page, JSON, figures, details, presentations."""
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


def write_table(
    table: Table, folder: str | os.PathLike[str], *, with_scores: bool = False
) -> tuple[Path, ...]:
    """Write an evaluation as a page, JSON, CSV and LaTeX, and return the files, the page first."""
    texts = {
        "json": _json(evaluation_document(table, with_scores=with_scores)),
        "csv": evaluation_csv(table),
        "tex": evaluation_latex(table),
        "html": evaluation_page(table),
    }
    return _write_all(texts, folder, table_name(table))


def write_comparison(comparison: Comparison, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a comparison of runs as `write_table` does, under the name ``comparison``."""
    texts = {
        "json": _json(comparison_document(comparison)),
        "csv": comparison_csv(comparison),
        "tex": comparison_latex(comparison),
        "html": comparison_page(comparison),
    }
    return _write_all(texts, folder, "comparison")


def table_name(table: Table) -> str:
    """Return the name of a table's files, such as ``oulu-npu-IV``, with any unusual mode."""
    layout = table.layout
    known = known_database(layout)
    is_usual = known is None or layout.mode == known.modes[0]
    parts = (layout.database, layout.protocol, "" if is_usual else layout.mode)
    return file_name("-".join(part for part in parts if part))


def file_name(text: str) -> str:
    """Return a valid file name."""
    return "".join(each if each.isalnum() or each in "-._" else "_" for each in text) or "table"


def _write_all(
    texts: Mapping[str, str], folder: str | os.PathLike[str], name: str
) -> tuple[Path, ...]:
    target = Path(folder).absolute()
    files = {target / f"{name}.{ending}": text for ending, text in texts.items()}
    _write(files, target)
    return tuple(reversed(files))


def _json(document: Any) -> str:
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _write(texts: Mapping[Path, str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_together({file: text.encode("utf-8", "replace") for file, text in texts.items()})
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReportError(
            f"The report cannot be written to {str(folder)!r} ({reason}): choose another folder "
            "or free some space."
        ) from error
