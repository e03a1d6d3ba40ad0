"""``lmkl-pad evaluate``: all methods on a database's protocol, beside the published figures."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from app.cli.common import PresetName
from app.cli.console import AsJson, make_folder, print_json, say, stop
from app.cli.evaluate_progress import progress
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.evaluation.options import Options
    from app.evaluation.result import Evaluation
    from app.protocols.types import Database, Layout, Mode

DEFAULT_OUTPUT = Path("lmkl-pad-evaluation")
"""Where tables go unless another folder is named: in the folder the command was given in."""

CLUSTER_SECONDS = 20
"""How long a cluster may take to answer."""

STOPPED = "Stopped. What was finished is kept; the same command goes on from there."


def evaluate_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="DATABASE",
            show_default=False,
            help="A database, such as replay-attack; plain for one's own recordings; demo, which "
            "needs no folder. --list shows all.",
        ),
    ] = "",
    root: Annotated[
        Path | None,
        typer.Option("--root", metavar="DIR", help="The folder that the database lies in."),
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
    preset: PresetName = None,
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
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Of everything that uses chance.")
    ] = 0,
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
    # Imported here, as in every command: --help should not wait for SciPy.
    from app.cli.evaluate_report import print_table
    from app.evaluation.tables import build, write
    from app.evaluation.tables.data import as_document

    database = _database(name)
    options = _options(
        methods=tuple(part.strip() for part in methods.split(",") if part.strip()),
        preset=preset or "",
        paper_views=paper_views,
        n_frames=frames,
        selection=selection,
        grid=grid,
        threshold=threshold,
        gate=gate,
        n_jobs=-1 if cluster and jobs is None else jobs,
        seed=seed,
        cache=cache,
    )
    layout = _layout(database, root, protocol, mode, allow_missing)
    make_folder(output)
    with _workers(cluster):
        evaluation = _measured(layout, database, options, hidden=as_json)
    with _stoppable(), progress("Making the table", hidden=as_json):
        table = build(evaluation)
        files = write(table, output, with_scores=scores)
    if as_json:
        print_json(as_document(table, with_scores=scores))
    else:
        print_table(table, Console())
    for file in files:
        say(f"Wrote {file}")
    if not table.measured:
        stop("No method could be measured; the table says why.", ExitCode.FAILED)


def _list(as_json: bool) -> None:
    from app.cli.evaluate_report import listing, print_listing

    if as_json:
        print_json(listing())
    else:
        print_listing(Console())


def _database(name: str) -> "Database":
    from app.protocols.registry import DATABASES

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


def _measured(
    layout: "Layout", database: "Database", options: "Options", *, hidden: bool
) -> "Evaluation":
    from app.evaluation.running import available_preset, run
    from lmkl_core.features.presets import DEFAULT_PRESET
    from lmkl_core.features.weights import MissingWeightsError

    # Told before hours of work, and again in the table.
    if instead := available_preset(database, options)[1]:
        say(instead)
    try:
        with _stoppable(), progress("Starting", hidden=hidden) as tell:
            return run(layout, database, options, progress=tell)
    except MissingWeightsError:
        preset = options.preset or database.preset
        if preset == DEFAULT_PRESET:
            raise  # the sentence of the error itself says how to mend the installation
        stop(
            f"The weights of the preset {preset} are not all on this computer: "
            f"`lmkl-pad weights fetch --preset {preset}` gets them; without a network, "
            f"`--preset {DEFAULT_PRESET}` measures with what is installed.",
            ExitCode.MISSING_WEIGHTS,
        )


@contextmanager
def _workers(address: str) -> Iterator[None]:
    """Give the work to a Dask cluster, if one is named."""
    if not address:
        yield
        return
    from joblib import parallel_config

    try:
        from distributed import Client
    except ImportError:
        stop('--cluster needs Dask: pip install "dask[distributed]".', ExitCode.USAGE)
    try:
        client = Client(address, timeout=CLUSTER_SECONDS)
    except (OSError, ValueError) as error:
        stop(f"The cluster at {address} does not answer ({error}).", ExitCode.FAILED)
    with client, parallel_config(backend="dask"):
        yield


@contextmanager
def _stoppable() -> Iterator[None]:
    """Say, where somebody stops it, that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        stop(STOPPED, ExitCode.INTERRUPTED)
