"""Tables of an evaluation, and what can be evaluated, for people who read a terminal."""

from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from app.evaluation.tables.building import Row, Table
from app.evaluation.tables.figures import FIGURES
from app.evaluation.tables.notices import notices, simulated
from app.evaluation.tables.page import title
from app.evaluation.tables.words import (
    MODES,
    NOTHING,
    basis_text,
    interval_text,
    printed_text,
    share,
    spread_text,
)

SHORT = {
    "APCER": "APCER worst",
    "BPCER20": "BPCER @ 5 %",
    "ACER": "ACER (legacy)",
}
"""Headings that would be too wide."""


def print_table(table: Table, console: Console) -> None:
    """Print a table: the paper's figures first, then all others.

    Parameters
    ----------
    table : Table
        What was measured and published.
    console : rich.console.Console
        Where to print.
    """
    mode = MODES.get(table.evaluation.mode, table.evaluation.mode)
    console.print(f"[bold]{escape(title(table))}[/bold], {mode}")
    if simulated(table):
        console.print(f"[bold reverse] SIMULATED [/] {simulated(table)}")
    console.print(_headline(table))
    if table.measured:
        console.print(_others(table))
    for row in table.rows:
        if row.measured is not None and row.by_presentation is None:
            console.print(f"{row.title}: {row.remark}", markup=False, highlight=False)
    for sentence in notices(table):
        console.print(f"Note: {sentence}", style="dim", markup=False, highlight=False)


def _headline(table: Table) -> Grid:
    is_spread = len(table.folds) > 1
    grid = Grid(title="By presentation, %", title_justify="left")
    grid.add_column("method", overflow="fold")
    for name in table.headline:
        if table.published is not None:
            grid.add_column(f"{_short(name)} published", justify="right")
        said = "mean ± std" if is_spread else "measured"
        grid.add_column(f"{_short(name)} {said}", justify="right")
        grid.add_column("all folds, 95 %" if is_spread else "95 % interval", justify="right")
        grid.add_column("n", justify="right")
    for row in table.rows:
        cells = [cell for name in table.headline for cell in _cells(row, name, table)]
        style = "bold" if row.is_own else "" if row.by_presentation is not None else "dim"
        grid.add_row(escape(_name(row)), *cells, style=style)
    return grid


def _cells(row: Row, name: str, table: Table) -> list[str]:
    cells = [] if table.published is None else [printed_text(row.printed(name))]
    level = row.by_presentation
    if level is None:
        return [*cells, "", "", ""]
    told = level.pooled.figure(name)
    interval = interval_text(told)
    if len(table.folds) > 1:
        both = f"{share(told.value)} ({interval})" if interval else share(told.value)
        return [*cells, spread_text(level.spread(name)), both, basis_text(told)]
    return [*cells, share(told.value), interval, basis_text(told)]


def _others(table: Table) -> Grid:
    grid = Grid(
        title="All folds together, % with 95 % interval; † by frame, not independent",
        title_justify="left",
    )
    grid.add_column("method", overflow="fold")
    for name in table.others:
        grid.add_column(_short(name), justify="right")
    grid.add_column("worst species", overflow="fold")
    for row in table.measured:
        assert row.by_presentation is not None
        assert row.by_frame is not None
        cells = []
        for name in table.others:
            told = row.by_presentation.pooled.figure(name)
            by_frame = share(row.by_frame.pooled.value(name))
            cells.append(f"{share(told.value)}\n{interval_text(told) or NOTHING}\n† {by_frame}")
        worst = row.by_presentation.pooled.figure("APCER")
        species = worst.species if worst.value else NOTHING
        grid.add_row(escape(row.title), *cells, escape(species), end_section=True)
    return grid


def _short(name: str) -> str:
    return SHORT.get(name, FIGURES[name])


def _name(row: Row) -> str:
    return f"{row.title} {row.source}".strip()


# ------------------------------------------------------------------ what there is


def listing() -> dict[str, Any]:
    """Return databases, methods and presets as JSON values."""
    from app.protocols.registry import DATABASES
    from lmkl_core.baselines import METHODS

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
        "methods": [
            {
                "name": each.name,
                "title": each.title,
                "uses": each.uses,
                "published": each.published,
                "differs": each.differs,
            }
            for each in METHODS.values()
        ],
    }


def print_listing(console: Console) -> None:
    """Print what `listing` returns; what comes first of several is the default."""
    found = listing()
    databases = Grid(title="Databases", title_justify="left", box=SIMPLE)
    databases.add_column("name", no_wrap=True)
    for heading in ("protocols", "modes", "preset", "table"):
        databases.add_column(heading)
    for each in found["databases"]:
        databases.add_row(
            each["name"],
            ", ".join(each["protocols"]) or NOTHING,
            ", ".join(each["modes"]),
            each["preset"],
            each["paper_table"] or NOTHING,
        )
    console.print(databases)
    methods = Grid(title="Methods", title_justify="left", box=SIMPLE)
    methods.add_column("name", no_wrap=True)
    for heading in ("title", "views", "row of the paper's tables"):
        methods.add_column(heading)
    for each in found["methods"]:
        methods.add_row(each["name"], each["title"], each["uses"], each["published"] or NOTHING)
    console.print(methods)
    console.print("Of several protocols and modes the first is the default: the paper's.")
