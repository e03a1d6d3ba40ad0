"""An evaluation's tables on a terminal, and the list of databases and methods."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from app.cli.console import text_table
from app.evaluation.protocols.registry import DATABASES
from app.reports.evaluation import Comparison, Row, Table
from app.reports.figures import FIGURES, NON_RESPONSE
from app.reports.notices import MODES, comparison_notices, notices, simulated
from app.reports.words import (
    NOTHING,
    difference_text,
    interval_text,
    printed_text,
    share,
    with_interval,
)
from lmkl_core.baselines import METHODS

NAMES_WIDTH, MEASURED_WIDTH, PUBLISHED_WIDTH = 23, 22, 13
"""Widths in characters: names, figures with intervals, published figures."""


def print_table(table: Table, console: Console) -> None:
    """Print a table: the paper's figures first, then the others of methods on several views."""
    mode = MODES.get(table.layout.mode, table.layout.mode)
    console.print(Text.assemble((table.title, "bold"), f", {mode}"))
    if simulated(table):
        console.print(f"[bold reverse] SIMULATED [/] {simulated(table)}")
    values = "mean ± std over folds; all folds together" if len(table.folds) > 1 else "measured"
    _print_figures(
        f"By presentation, %: {values} (95 % interval), errors",
        table.lines,
        table.headline,
        console,
        are_published=table.published is not None,
    )
    if table.singles:
        _print_figures("Single kernels by presentation, %", table.singles, table.headline, console)
    if table.compared:
        _print_figures("Further figures by presentation, %", table.compared, table.others, console)
        console.print(f"Figures of both classes rest on {'; or '.join(table.bases)}.")
        if not set(NON_RESPONSE) & set(table.others):
            console.print("Every presentation had a response.")
        console.print("Figures by frame, by species and by fold are in the files.")
    for row in table.rows:
        if row.measured is not None and not row.is_measured:
            console.print(f"{row.title}: {row.remark}", markup=False)
    _print_notes(notices(table), console)


def _print_figures(
    title: str,
    rows: Sequence[Row],
    names: Sequence[str],
    console: Console,
    *,
    are_published: bool = False,
) -> None:
    """Print one table, or several if not all figures fit beside the names."""
    width = MEASURED_WIDTH + PUBLISHED_WIDTH * are_published
    n = max((console.width - NAMES_WIDTH) // width, 1)
    for start in range(0, len(names), n):
        part = names[start : start + n]
        columns = []
        for name in part:
            columns += [f"{name}\npublished"] * are_published + [FIGURES[name]]
        lines = []
        for row in rows:
            cells = [row.view or f"{row.title} {row.source}".strip()]
            for name in part:
                cells += [printed_text(row.printed(name))] * are_published
                cells.append(_measured(row, name))
            style = "bold" if row.is_own else "" if row.is_measured else "dim"
            lines.append([Text(cell, style) for cell in cells])
        console.print(text_table(title, ["method"], columns, lines))


def _measured(row: Row, name: str) -> str:
    if not row.is_measured:
        return ""
    cell = row.cell(name)
    if len(row.by_presentation.folds) > 1:
        figure = f"{cell.value}\n{cell.interval}"
    else:
        figure = with_interval(cell.value, cell.interval)
    return f"{figure}\n{cell.basis} {cell.species}".rstrip()


def _print_notes(sentences: Sequence[str], console: Console) -> None:
    for sentence in sentences:
        console.print(f"Note: {sentence}", style="dim", markup=False)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print several runs: each figure with its interval and its difference from the first run."""
    if comparison.is_simulated:
        console.print("[bold reverse] SIMULATED [/]")
    for name in comparison.figures:
        heading = f"{FIGURES[name]}, by presentation, % (95 % interval)"
        columns = ["measured", f"minus {comparison.runs[0].name}"]
        rows = []
        for line in comparison.lines:
            if line.figure.name == name:
                found = line.difference
                difference = "" if found is None else difference_text(found.value, found.interval)
                measured = with_interval(share(line.figure.value), interval_text(line.figure))
                style = "bold" if found is not None and found.is_clear else ""
                cells = (line.title, line.run, measured, difference)
                rows.append([Text(cell, style) for cell in cells])
        console.print(text_table(heading, ["method", "run"], columns, rows))
    console.print("Bold: the interval of the difference (from resampling subjects) excludes zero.")
    _print_notes(comparison_notices(comparison), console)


def listing() -> dict[str, Any]:
    facts = ("name", "title", "uses", "published", "differs")
    return {
        "databases": [
            {
                "name": each.name,
                "title": each.title,
                "protocols": [name for name in each.protocols if name],
                "modes": list(each.modes),
                "preset": each.preset,
                "paper_table": each.table,
                "reference": each.reference,
            }
            for each in DATABASES.values()
        ],
        "methods": [{fact: getattr(each, fact) for fact in facts} for each in METHODS.values()],
    }


def print_listing(console: Console) -> None:
    """Print databases and methods; the first protocol and mode of each are the defaults."""
    databases = []
    for each in DATABASES.values():
        lines = [f"{each.title}: preset {each.preset}"]
        if each.table:
            lines[0] += f"; the paper's table {each.table}"
        if any(each.protocols):
            lines.append(f"protocols {', '.join(each.protocols)}")
        databases.append((each.name, "\n".join([*lines, ", ".join(each.modes)])))
    console.print(text_table("Databases", ["name", "description"], [], databases))
    methods = [(m.name, m.title, m.uses, m.published or NOTHING) for m in METHODS.values()]
    headings = ("name", "method", "views", "row of the paper's tables")
    console.print(text_table("Methods", headings, [], methods))
    console.print("The first protocol and the first mode are the defaults, as in the paper.")
