"""``lmkl-pad evaluate``: compare methods by a database's protocol and with published figures."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from app.cli.console import AS_JSON, ExitCode, logged_progress, option, print_json, say, stop
from app.cli.evaluate_tables import listing, print_comparison, print_listing, print_table
from app.cli.outputs import make_folder
from app.evaluation import runner
from app.evaluation.extraction import available_preset
from app.evaluation.options import Options, chosen_methods
from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.splits import Database
from app.evaluation.protocols.types import Layout, ProtocolError
from app.reports.evaluation import Run, Table, build, compare
from app.reports.json_files import comparison_document, evaluation_document
from app.reports.writing import file_name, write_comparison, write_table
from lmkl_core.errors import InvalidInputError, MissingWeightsError
from lmkl_core.features.presets import DEFAULT_PRESET

CLUSTER_TIMEOUT = 20  # seconds


def command(
    names: list[str] | None = typer.Argument(
        None,
        metavar="DATABASE",
        help="A database such as replay-attack; plain for your own recordings; demo, which needs "
        "no folder. --list shows all. Several are compared.",
    ),
    roots: list[Path] | None = option(
        "--root DIR", "Folder of the database; repeat it for several databases."
    ),
    protocol: str = option("--protocol NAME", "Protocol, such as IV; the paper's by default.", ""),
    mode: str = option(
        "--mode MODE", "client-specific or client-independent; the paper's by default.", ""
    ),
    presets: list[str] | None = option(
        "--preset NAME", "Preset of views: a name or the path of a file. Several are compared."
    ),
    paper_views: bool = option(
        "--paper-views",
        "Stop if the paper's networks are missing, instead of using the default preset.",
        False,
    ),
    methods: str = option("--methods A,B", "Methods to run; all by default.", ""),
    frames: int = option("--frames N", "Frames per recording, evenly spread.", 20),
    selection: str = option(
        "--selection HOW",
        "Data to choose parameters on: development, bona-fide, none or auto.",
        "auto",
    ),
    grid: str = option("--grid NAME", "Parameters to try: paper or small.", "paper"),
    threshold: str = option(
        "--threshold RULE",
        "eer or bpcer:0.05 on development data, given:X, enrolment or auto.",
        "auto",
    ),
    gate: bool | None = option(
        "--gate/--no-gate",
        "Count frames of poor quality as no response; on by default for plain and demo only.",
    ),
    jobs: int | None = option("--jobs -j N", "Processes for views and models; -1 for all cores."),
    cluster: str = option(
        "--cluster ADDRESS", "Scheduler of a Dask cluster whose machines share the same paths.", ""
    ),
    seeds: list[int] | None = option(
        "--seed N", "Random seed; 0 by default. Several are compared."
    ),
    allow_missing: bool = option(
        "--allow-missing",
        "Evaluate an incomplete copy; the table lists what is missing.",
        False,
    ),
    output: Path = option(
        "--output -o DIR",
        "Output folder for the table as HTML, JSON, CSV and LaTeX.",
        Path("lmkl-pad-evaluation"),
    ),
    cache: Path | None = option(
        "--cache DIR", "Folder for views and scores that later runs reuse."
    ),
    scores: bool = option("--scores", "Include every test score in the JSON file.", False),
    as_list: bool = option("--list", "List databases, protocols and methods.", False),
    as_json: bool = AS_JSON,
) -> None:
    """Compare methods on a database, beside the paper's figures.

    Every method learns from bona fide recordings only. An interrupted run resumes where it stopped.
    """
    console = Console(highlight=False)
    if as_list:
        print_json(listing()) if as_json else print_listing(console)
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
        for preset, seed in product(dict.fromkeys(presets or [""]), dict.fromkeys(seeds or [0]))
    ]
    layouts = [
        _layout(database, root, protocol, mode, allow_missing)
        for database, root in zip(databases, places, strict=True)
    ]
    make_folder(output)
    runs = {
        _name(database, options, len(databases), chosen): (layout, database, options)
        for database, layout in zip(databases, layouts, strict=True)
        for options in chosen
    }
    if len(runs) < len(databases) * len(chosen):
        stop(
            "Two of these runs would have the same name: rename one of the preset files.",
            ExitCode.USAGE,
        )
    for _, database, options in runs.values():
        # Checked before hours of work.
        try:
            if instead := available_preset(database, options)[1]:
                say(instead)
        except MissingWeightsError:
            preset = options.preset or database.preset
            if preset == DEFAULT_PRESET:
                raise
            stop(
                f"Weights of the preset {preset} are missing: `lmkl-pad weights fetch --preset "
                f"{preset}` gets them; `--preset {DEFAULT_PRESET}` needs no download.",
                ExitCode.MISSING_WEIGHTS,
            )
    try:
        with _workers(cluster):
            found = [
                Run(name, _measure(*run, output / name, scores=scores, hidden=as_json))
                for name, run in runs.items()
            ]
        tables = [run.table for run in found]
        if len(found) == 1:
            if as_json:
                print_json(evaluation_document(tables[0], with_scores=scores))
            else:
                print_table(tables[0], console)
        if not any(table.measured for table in tables):
            stop("No method could be measured; the table says why.", ExitCode.FAILED)
        if len(found) == 1:
            return
        if not any(table.compared for table in tables):
            stop("Single kernels alone cannot be compared: name another method.", ExitCode.FAILED)
        with logged_progress("Comparing the runs", hidden=as_json):
            comparison = compare(found)
            files = write_comparison(comparison, output)
    except KeyboardInterrupt:
        stop(
            "Stopped. Finished parts are kept; the same command resumes.",
            ExitCode.INTERRUPTED,
        )
    _say_written(files)
    if as_json:
        print_json(comparison_document(comparison))
    else:
        print_comparison(comparison, console)


def _database(name: str) -> Database:
    if name not in DATABASES:
        known = ", ".join(DATABASES)
        problem = f"There is no database {name!r}" if name else "No database was named"
        stop(f"{problem}: choose from {known}.", ExitCode.USAGE)
    return DATABASES[name]


def _places(databases: list[Database], roots: list[Path]) -> list[Path | None]:
    """Return the folder of each database; the demo has none."""
    needed = sum(database.name != "demo" for database in databases)
    if len({database.name for database in databases}) < len(databases):
        stop("A database is named twice: name each once.", ExitCode.USAGE)
    if roots and len(roots) != max(needed, 1):
        stop(
            f"Give --root once for each database that needs a folder, {needed} times.",
            ExitCode.USAGE,
        )
    left = iter(roots)
    return [None if database.name == "demo" else next(left, None) for database in databases]


def _options(**values: Any) -> Options:
    try:
        options = Options(**values)
        chosen_methods(options.methods)
    except InvalidInputError as error:
        stop(str(error), ExitCode.USAGE)
    return options


def _layout(
    database: Database, root: Path | None, protocol: str, mode: str, allow_missing: bool
) -> Layout:
    try:
        database.chosen(protocol, mode)
    except ProtocolError as error:
        stop(str(error), ExitCode.USAGE)
    return database.read(root, protocol, mode, allow_missing=allow_missing)


def _name(database: Database, options: Options, n_databases: int, chosen: list[Options]) -> str:
    """Return a name that distinguishes a run from the others; empty if it is the only one."""
    parts = [database.name] if n_databases > 1 else []
    if len({each.preset for each in chosen}) > 1:
        parts.append(Path(options.preset).stem or database.preset)
    if len({each.seed for each in chosen}) > 1:
        parts.append(f"seed-{options.seed}")
    return file_name("-".join(parts)) if parts else ""


def _measure(
    layout: Layout,
    database: Database,
    options: Options,
    folder: Path,
    *,
    scores: bool,
    hidden: bool,
) -> Table:
    with warnings.catch_warnings(), logged_progress("Starting", hidden=hidden) as progress:
        # joblib replaces workers that use much memory; their work is still done.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs")
        evaluation = runner.run(layout, database, options, progress=progress)
    with logged_progress("Making the table", hidden=hidden):
        table = build(evaluation)
        files = write_table(table, folder, with_scores=scores)
    _say_written(files)
    return table


def _say_written(files: Iterable[Path]) -> None:
    for file in files:
        say(f"Wrote {file}")


@contextmanager
def _workers(address: str) -> Iterator[None]:
    if not address:
        yield
        return
    from joblib import parallel_config

    try:
        from distributed import Client  # an optional dependency
    except ImportError:
        stop('--cluster needs Dask: pip install "dask[distributed]".', ExitCode.USAGE)
    try:
        client = Client(address, timeout=CLUSTER_TIMEOUT)
    except (OSError, ValueError) as error:
        stop(
            f"The cluster at {address} does not answer ({error}): check the address.",
            ExitCode.FAILED,
        )
    with client, parallel_config(backend="dask"):
        yield
