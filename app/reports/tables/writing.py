"""A table on disk: a page, and beside it JSON, CSV and LaTeX."""

import json
import os
from pathlib import Path
from typing import Any

from app.evaluation.protocols.registry import DATABASES
from app.reports.tables import comparison_data, comparison_page
from app.reports.tables.building import Table
from app.reports.tables.comparing import Comparison
from app.reports.tables.data import as_csv, as_document
from app.reports.tables.latex import as_latex
from app.reports.tables.page import render
from app.reports.writing import ReportError
from lmkl_core.system.atomic import write_atomically


class TableError(ReportError):
    """A table that could not be written, told in one sentence."""


def name_of(table: Table) -> str:
    """Return the name that its files share, such as ``oulu-npu-IV``.

    A mode that is not the database's own is part of it, so that two modes written into one folder
    do not replace each other.
    """
    evaluation = table.evaluation
    known = DATABASES.get(evaluation.database)
    is_usual = known is None or evaluation.mode == known.modes[0]
    parts = (evaluation.database, evaluation.protocol, "" if is_usual else evaluation.mode)
    told = "-".join(part for part in parts if part)
    return file_name(told)


def file_name(text: str) -> str:
    """Return a name that files may have: protocols of one's own are named by anything."""
    return "".join(each if each.isalnum() or each in "-._" else "_" for each in text) or "table"


def write(
    table: Table, folder: str | os.PathLike[str], *, with_scores: bool = False
) -> tuple[Path, ...]:
    """Write a table as a page, JSON, CSV and LaTeX under one name.

    Each file is whole or not there at all, and the page comes last.

    Parameters
    ----------
    table : Table
        The table.
    folder : path-like
        Where to; made if it is missing.
    with_scores : bool
        Add every test score to the JSON file.

    Returns
    -------
    tuple of Path
        The files, the page first.

    Raises
    ------
    TableError
        Where the disk refuses.
    """
    document = as_document(table, with_scores=with_scores)
    return _written(folder, name_of(table), document, as_csv(table), as_latex(table), render(table))


def write_comparison(comparison: Comparison, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a comparison of runs as `write` writes a table, under the name ``comparison``."""
    return _written(
        folder,
        "comparison",
        comparison_data.as_document(comparison),
        comparison_data.as_csv(comparison),
        comparison_data.as_latex(comparison),
        comparison_page.render(comparison),
    )


def _written(
    folder: str | os.PathLike[str], name: str, document: Any, lines: str, latex: str, page: str
) -> tuple[Path, ...]:
    place = Path(folder).absolute()
    texts = {
        place / f"{name}.json": json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
        + "\n",
        place / f"{name}.csv": lines,
        place / f"{name}.tex": latex,
        place / f"{name}.html": page,
    }
    try:
        place.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            write_atomically(file, text.encode("utf-8", "replace"))
    except OSError as error:
        raise TableError(
            f"The table cannot be written to {str(place)!r} ({error.strerror or error}): choose "
            "another folder or free some space."
        ) from error
    return tuple(reversed(texts))
