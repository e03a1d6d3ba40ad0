"""``lmkl-pad evaluate``: all methods on a database's protocol, beside the published figures."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console

from app.cli.console import AsJson, make_folder, print_json, stop
from app.cli.evaluate_runs import (
    check_views,
    measured_table,
    show_comparison,
    show_table,
    workers,
)
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.evaluation.options import Options
    from app.evaluation.protocols.types import Database, Layout, Mode

T = TypeVar("T")

DEFAULT_OUTPUT = Path("lmkl-pad-evaluation")
"""Where tables go unless another folder is named: in the folder the command was given in."""


def evaluate_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATABASE...",
            show_default=False,
            help="A database, such as replay-attack; plain for one's own recordings; demo, which "
            "needs no folder. --list shows all. Several are compared.",
        ),
    ] = None,
    roots: Annotated[
        list[Path] | None,
        typer.Option(
            "--root",
            metavar="DIR",
            show_default=False,
            help="The folder that the database lies in; one for each of several.",
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option("--protocol", metavar="NAME", help="Such as IV; the paper's by default.")
    ] = "",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="client-specific or client-independent; the paper's by default.",
        ),
    ] = "",
    presets: Annotated[
        list[str] | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            show_default=False,
            help="Views: a preset's name or the path of a file. Several are compared.",
        ),
    ] = None,
    paper_views: Annotated[
        bool,
        typer.Option(
            "--paper-views",
            help="Stop if the paper's networks are missing, instead of using the default preset.",
        ),
    ] = False,
    methods: Annotated[
        str,
        typer.Option("--methods", metavar="A,B", help="Some methods; all of --list by default."),
    ] = "",
    frames: Annotated[
        int, typer.Option("--frames", metavar="N", help="Frames of each recording, evenly spread.")
    ] = 20,
    selection: Annotated[
        str,
        typer.Option(
            "--selection",
            metavar="HOW",
            help="How parameters are chosen: development, bona-fide, none, or auto.",
        ),
    ] = "auto",
    grid: Annotated[
        str, typer.Option("--grid", metavar="NAME", help="Parameters tried: paper, or small.")
    ] = "paper",
    threshold: Annotated[
        str,
        typer.Option(
            "--threshold",
            metavar="RULE",
            help="eer or bpcer:0.05 on development data, given:X, enrolment, or auto.",
        ),
    ] = "auto",
    gate: Annotated[
        bool | None,
        typer.Option(
            "--gate/--no-gate",
            show_default=False,
            help="Whether frames of poor quality count as without response; by default on one's "
            "own recordings only.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", metavar="N", help="Processes for views and models; -1 for all cores."
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Scheduler of a Dask cluster whose machines see the same files.",
        ),
    ] = "",
    seeds: Annotated[
        list[int] | None,
        typer.Option(
            "--seed",
            metavar="N",
            show_default="0",
            help="Of everything that uses chance. Several are compared.",
        ),
    ] = None,
    allow_missing: Annotated[
        bool,
        typer.Option(
            "--allow-missing",
            help="Measure on what there is of a database; the table says what is missing.",
        ),
    ] = False,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder, made if missing, for the table as HTML, JSON, CSV and LaTeX.",
        ),
    ] = DEFAULT_OUTPUT,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="DIR", help="Folder for views and models that a later run uses."
        ),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Put every test score into the JSON file.")
    ] = False,
    as_list: Annotated[
        bool, typer.Option("--list", help="Show databases, protocols and methods, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure methods on a database and put the paper's figures beside them.

    Every method learns from bona fide recordings alone. Prints the table and writes it as a page,
    JSON, CSV and LaTeX. A run that is broken off goes on where it was.
    """
    if as_list:
        _list(as_json)
        return
    databases = [_database(name) for name in names or [""]]
    places = _places(databases, roots or [])
    common = {
        "methods": tuple(part.strip() for part in methods.split(",") if part.strip()),
        "paper_views": paper_views,
        "n_frames": frames,
        "selection": selection,
        "grid": grid,
        "threshold": threshold,
        "gate": gate,
        "n_jobs": -1 if cluster and jobs is None else jobs,
        "cache": cache,
    }
    chosen = [
        _options(preset=preset, seed=seed, **common)
        for preset, seed in product(_once(presets) or [""], _once(seeds) or [0])
    ]
    layouts = [
        _layout(database, root, protocol, mode, allow_missing)
        for database, root in zip(databases, places, strict=True)
    ]
    make_folder(output)
    runs = [
        (_name(database, options, len(databases), chosen), layout, database, options)
        for database, layout in zip(databases, layouts, strict=True)
        for options in chosen
    ]
    names = [name for name, *_ in runs]
    if len(set(names)) < len(names):
        stop(
            "Two of these runs would have the same name: give the preset files other names.",
            ExitCode.USAGE,
        )
    for _, _, database, options in runs:
        check_views(database, options)
    with workers(cluster):
        tables = [
            measured_table(layout, database, options, output / name, scores=scores, hidden=as_json)
            for name, layout, database, options in runs
        ]
    if len(tables) == 1:
        show_table(tables[0], as_json, scores)
    if not any(table.measured for table in tables):
        stop("No method could be measured; the table says why.", ExitCode.FAILED)
    if len(tables) > 1:
        if not any(table.compared for table in tables):
            stop("There is no method to compare but single kernels: name another.", ExitCode.FAILED)
        show_comparison(names, tables, output, as_json)


def _once(values: Sequence[T] | None) -> list[T]:
    return list(dict.fromkeys(values or ()))


def _places(databases: list["Database"], roots: list[Path]) -> list[Path | None]:
    """Return the folder of each database; the demo has none."""
    needed = sum(database.name != "demo" for database in databases)
    if len({database.name for database in databases}) < len(databases):
        stop("A database is named twice: name each once.", ExitCode.USAGE)
    if roots and len(roots) != max(needed, 1):
        stop(
            f"Give --root once for each database that lies in a folder, {needed} times.",
            ExitCode.USAGE,
        )
    left = iter(roots)
    return [None if database.name == "demo" else next(left, None) for database in databases]


def _name(
    database: "Database", options: "Options", n_databases: int, chosen: list["Options"]
) -> str:
    """Return what sets a run apart from the others; nothing where there is one."""
    from app.reports.tables.writing import file_name

    parts = [database.name] if n_databases > 1 else []
    if len({each.preset for each in chosen}) > 1:
        parts.append(Path(options.preset).stem or database.preset)
    if len({each.seed for each in chosen}) > 1:
        parts.append(f"seed-{options.seed}")
    return file_name("-".join(parts)) if parts else ""


def _list(as_json: bool) -> None:
    from app.cli.evaluate_report import listing, print_listing

    if as_json:
        print_json(listing())
    else:
        print_listing(Console())


def _database(name: str) -> "Database":
    from app.evaluation.protocols.registry import DATABASES

    if name not in DATABASES:
        known = ", ".join(DATABASES)
        said = f"There is no database {name!r}" if name else "Say which database to evaluate on"
        stop(f"{said}: take one of {known}.", ExitCode.USAGE)
    return DATABASES[name]


def _options(**values: Any) -> "Options":
    from app.evaluation.methods import chosen_methods
    from app.evaluation.options import Options
    from lmkl_core.errors import InvalidInputError

    try:
        options = Options(**values)
        chosen_methods(options.methods)
    except InvalidInputError as error:
        stop(str(error), ExitCode.USAGE)
    return options


def _layout(
    database: "Database", root: Path | None, protocol: str, mode: str, allow_missing: bool
) -> "Layout":
    named = [each for each in database.protocols if each]
    wanted = next((each for each in named if each.casefold() == protocol.casefold()), protocol)
    if protocol and wanted not in named:
        known = f"take one of {', '.join(named)}" if named else "leave out --protocol"
        stop(f"{database.title} has no protocol {protocol!r}: {known}.", ExitCode.USAGE)
    modes: dict[str, Mode] = {each: each for each in database.modes}
    if mode and mode not in modes:
        stop(f"{database.title} has no mode {mode!r}: take {', '.join(modes)}.", ExitCode.USAGE)
    chosen = modes[mode] if mode else database.modes[0]
    protocol = wanted or database.protocols[0]
    return database.read(root, protocol, chosen, allow_missing=allow_missing)
