"""Tables of an evaluation, and what can be evaluated, for people who read a terminal."""

from collections.abc import Sequence
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
    printed_text,
    share,
    short_interval,
    spread_text,
)

NAMES_WIDTH, MEASURED_WIDTH, PUBLISHED_WIDTH, OTHER_WIDTH = 22, 19, 33, 12
"""Columns of a terminal that methods' names and figures need."""

SHORT = {
    "APCER": "APCER, worst",
    "BPCER20": "BPCER at\nAPCER 5 %",
    "ACER": "ACER\n(legacy)",
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
    width = PUBLISHED_WIDTH if table.published is not None else MEASURED_WIDTH
    for names in _parts(table.headline, width, console):
        console.print(_headline(table, names))
    if table.measured:
        for names in _parts(table.others_to_tell, OTHER_WIDTH, console):
            console.print(_others(table, names))
        if not {"APNRR", "BPNRR"} & set(table.others_to_tell):
            console.print("Every frame had a response.")
    for row in table.rows:
        if row.measured is not None and row.by_presentation is None:
            console.print(f"{row.title}: {row.remark}", markup=False, highlight=False)
    for sentence in notices(table):
        console.print(f"Note: {sentence}", style="dim", markup=False, highlight=False)


def _parts(names: Sequence[str], width: int, console: Console) -> list[Sequence[str]]:
    """Return as many figures together as leave room for the methods' names."""
    n = max((console.width - NAMES_WIDTH) // width, 1)
    return [names[start : start + n] for start in range(0, len(names), n)]


def _headline(table: Table, names: Sequence[str]) -> Grid:
    is_spread = len(table.folds) > 1
    said = "mean ± std over folds, all folds together" if is_spread else "measured"
    grid = Grid(
        title=f"By presentation, %: {said}, 95 % interval, n", title_justify="left", box=SIMPLE
    )
    grid.add_column("method", overflow="fold")
    for name in names:
        if table.published is not None:
            grid.add_column(f"{name}\npublished", justify="right", no_wrap=True)
        grid.add_column(f"{_short(name)}\nmeasured", justify="right", no_wrap=True)
    for row in table.rows:
        cells = [cell for name in names for cell in _cells(row, name, table)]
        style = "bold" if row.is_own else "" if row.by_presentation is not None else "dim"
        grid.add_row(escape(_name(row)), *cells, style=style)
    return grid


def _cells(row: Row, name: str, table: Table) -> list[str]:
    cells = [] if table.published is None else [printed_text(row.printed(name))]
    level = row.by_presentation
    if level is None:
        return [*cells, ""]
    told = level.pooled.figure(name)
    is_spread = len(level.folds) > 1
    lines = [
        spread_text(level.spread(name)) if is_spread else "",
        f"{share(told.value)} ({short_interval(told)})" if told.interval else share(told.value),
        basis_text(told),
        told.species if told.value else "",
    ]
    return [*cells, "\n".join(escape(line) for line in lines if line)]


def _others(table: Table, names: Sequence[str]) -> Grid:
    grid = Grid(
        title="By presentation, % with 95 % interval; † by frame, not independent",
        title_justify="left",
        box=SIMPLE,
    )
    grid.add_column("method", overflow="fold")
    for name in names:
        grid.add_column(_short(name), justify="right", no_wrap=True)
    for row in table.measured:
        assert row.by_presentation is not None
        assert row.by_frame is not None
        cells = []
        for name in names:
            told = row.by_presentation.pooled.figure(name)
            by_frame = share(row.by_frame.pooled.value(name))
            lines = [share(told.value), short_interval(told) or NOTHING, f"† {by_frame}"]
            cells.append("\n".join([*lines, escape(told.species)] if told.value else lines))
        grid.add_row(escape(row.title), *cells)
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
    databases = Grid(title="Databases", title_justify="left", box=SIMPLE, show_header=False)
    databases.add_column(no_wrap=True)
    databases.add_column()
    for each in found["databases"]:
        paper = f"; the paper's table {each['paper_table']}" if each["paper_table"] else ""
        lines = [f"{each['title']}: preset {each['preset']}{paper}"]
        if each["protocols"]:
            lines.append(f"protocols {', '.join(each['protocols'])}")
        lines.append(", ".join(each["modes"]))
        databases.add_row(each["name"], "\n".join(lines))
    console.print(databases)
    methods = Grid(title="Methods", title_justify="left", box=SIMPLE)
    methods.add_column("name", no_wrap=True)
    for heading in ("title", "views", "row of the paper's tables"):
        methods.add_column(heading)
    for each in found["methods"]:
        methods.add_row(each["name"], each["title"], each["uses"], each["published"] or NOTHING)
    console.print(methods)
    console.print("Of several protocols and modes the first is the default: the paper's.")
