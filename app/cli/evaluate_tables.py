"""An evaluation's tables on a terminal, and the list of databases and methods."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from app.evaluation.protocols.registry import DATABASES
from app.reports.evaluation import Comparison, Row, Table
from app.reports.figures import FIGURES, Figure, FoldFigures
from app.reports.html_tables import bases
from app.reports.notices import MODES, comparison_notices, notices, simulated
from app.reports.words import (
    NOTHING,
    basis_text,
    difference_text,
    interval_text,
    printed_text,
    share,
    spread_text,
)
from lmkl_core.baselines import METHODS

NAMES_WIDTH, VIEWS_WIDTH = 23, 31
"""Columns of a terminal that names of methods and of views need."""

MEASURED_WIDTH, PUBLISHED_WIDTH = 19, 13
"""Columns that a figure with its interval needs, and its published value."""

SHORT = {
    "APCER": "APCER, worst",
    "BPCER100": "BPCER at\nAPCER 1 %",
    "BPCER20": "BPCER at\nAPCER 5 %",
    "BPCER10": "BPCER at\nAPCER 10 %",
    "ACER": "ACER\n(legacy)",
}
"""Headings that would be too wide."""


def print_table(table: Table, console: Console) -> None:
    """Print a table: the paper's figures first, then all others of methods on several views."""
    mode = MODES.get(table.layout.mode, table.layout.mode)
    console.print(f"[bold]{escape(table.title)}[/bold], {mode}")
    if simulated(table):
        console.print(f"[bold reverse] SIMULATED [/] {simulated(table)}")
    width = MEASURED_WIDTH + (PUBLISHED_WIDTH if table.published is not None else 0)
    for names in _parts(table.headline, width, console):
        console.print(_headline(table, names))
    if table.singles:
        console.print(_singles(table.singles, table.headline, console))
    if table.compared:
        for names in _parts(table.others, MEASURED_WIDTH, console):
            console.print(_others(table, names))
        console.print(f"Figures of both classes rest on {' or '.join(bases(table))}.")
        if not {"APNRR", "BPNRR"} & set(table.others):
            console.print("Every presentation had a response.")
        console.print("Figures by frame, by species and by fold are in the files.")
    for row in table.rows:
        if row.measured is not None and not row.is_measured:
            console.print(f"{row.title}: {row.remark}", markup=False, highlight=False)
    for sentence in notices(table):
        console.print(f"Note: {sentence}", style="dim", markup=False, highlight=False)


def _parts(names: Sequence[str], width: int, console: Console) -> list[Sequence[str]]:
    """Return as many figures together as leave room for names."""
    n = max((console.width - NAMES_WIDTH) // width, 1)
    return [names[start : start + n] for start in range(0, len(names), n)]


def _headline(table: Table, names: Sequence[str]) -> Grid:
    is_spread = len(table.folds) > 1
    said = "mean ± std over folds; all folds together" if is_spread else "measured"
    columns = []
    for name in names:
        columns += [f"{name}\npublished"] * (table.published is not None)
        columns.append(f"{_short(name)}\nmeasured")
    grid = _grid(f"By presentation, %: {said} (95 % interval), errors", ["method"], columns)
    for row in table.lines:
        cells = [cell for name in names for cell in _cells(row, name, table)]
        style = "bold" if row.is_own else "" if row.is_measured else "dim"
        grid.add_row(escape(f"{row.title} {row.source}".strip()), *cells, style=style)
    return grid


def _grid(heading: str, names: Sequence[str], figures: Sequence[str]) -> Grid:
    """Return a table whose names are folded where there is little room, and its figures never."""
    grid = Grid(title=heading, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for name in names:
        grid.add_column(name, overflow="fold")
    for figure in figures:
        grid.add_column(figure, justify="right", no_wrap=True)
    return grid


def _cells(row: Row, name: str, table: Table) -> list[str]:
    cells = [] if table.published is None else [printed_text(row.printed(name))]
    if not row.is_measured:
        return [*cells, ""]
    level = row.by_presentation
    told = level.pooled.figure(name)
    mean = f"{spread_text(level.spread(name))}\n" if len(level.folds) > 1 else ""
    basis = basis_text(told) if told.n is not None else ""
    if told.species and told.value:
        basis = f"{basis} {told.species}"
    return [*cells, escape(f"{mean}{_with_interval(told)}\n{basis}".rstrip())]


def _with_interval(told: Figure) -> str:
    interval = interval_text(told).replace(" to ", "-")
    return f"{share(told.value)} ({interval})" if interval else share(told.value)


def _singles(singles: Sequence[Row], names: Sequence[str], console: Console) -> Grid:
    """Return a line a view, with intervals where there is room: the files have them anyway."""
    is_roomy = console.width >= VIEWS_WIDTH + len(names) * MEASURED_WIDTH
    heading = f"Single kernels by presentation, %{' (95 % interval)' if is_roomy else ''}"
    grid = _grid(heading, ["view"], [*map(_short, names)])
    for row in singles:
        cells = [_brief(row.by_presentation, name, is_roomy) for name in names]
        grid.add_row(escape(row.view), *cells)
    return grid


def _brief(level: FoldFigures, name: str, is_roomy: bool) -> str:
    if len(level.folds) > 1:
        return spread_text(level.spread(name))
    told = level.pooled.figure(name)
    return _with_interval(told) if is_roomy else share(told.value)


def _others(table: Table, names: Sequence[str]) -> Grid:
    together = ", all folds together" if len(table.folds) > 1 else ""
    heading = f"Further figures by presentation, % (95 % interval){together}"
    grid = _grid(heading, ["method"], [*map(_short, names)])
    for row in table.compared:
        pooled = row.by_presentation.pooled
        grid.add_row(escape(row.title), *(_with_interval(pooled.figure(name)) for name in names))
    return grid


def _short(name: str) -> str:
    return SHORT.get(name, FIGURES[name])


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print several runs: each figure with its interval, and its difference to the first run."""
    first = comparison.runs[0].name
    if comparison.is_simulated:
        console.print("[bold reverse] SIMULATED [/]")
    for name in comparison.figures:
        heading = f"{FIGURES[name]}, by presentation, % (95 % interval)"
        grid = _grid(heading, ["method", "run"], ["measured", f"less {first}"])
        for line in comparison.lines:
            if line.figure.name == name:
                found = line.difference
                told = "" if found is None else difference_text(found.value, found.interval)
                style = "bold" if found is not None and found.is_clear else ""
                cells = (escape(line.title), escape(line.run), _with_interval(line.figure), told)
                grid.add_row(*cells, style=style)
        console.print(grid)
    console.print("Bold: the interval of the difference, from drawing subjects, excludes zero.")
    for sentence in comparison_notices(comparison):
        console.print(f"Note: {sentence}", style="dim", markup=False, highlight=False)


# ------------------------------------------------------------------ what there is


def listing() -> dict[str, Any]:
    """Return databases and methods as JSON values."""
    told = ("name", "title", "uses", "published", "differs")
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
        "methods": [{fact: getattr(each, fact) for fact in told} for each in METHODS.values()],
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
