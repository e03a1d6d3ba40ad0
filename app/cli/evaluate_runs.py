"""Runs of ``lmkl-pad evaluate``: measured, written, and put side by side."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from app.cli.console import print_json, say, stop
from app.cli.evaluate_progress import progress
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.evaluation.options import Options
    from app.evaluation.protocols.types import Database, Layout
    from app.evaluation.result import Evaluation
    from app.reports.tables import Table

STOPPED = "Stopped. What was finished is kept; the same command goes on from there."

CLUSTER_SECONDS = 20
"""How long a cluster may take to answer."""


def measured_table(
    layout: "Layout",
    database: "Database",
    options: "Options",
    folder: Path,
    *,
    scores: bool,
    hidden: bool,
) -> "Table":
    """Measure one run and write its table."""
    # Imported here, as in every command: --help should not wait for SciPy.
    from app.reports.tables import build, write

    evaluation = _measured(layout, database, options, hidden=hidden)
    with _stoppable(), progress("Making the table", hidden=hidden):
        table = build(evaluation)
        files = write(table, folder, with_scores=scores)
    for file in files:
        say(f"Wrote {file}")
    return table


def show_table(table: "Table", as_json: bool, scores: bool) -> None:
    """Print the table of a single run."""
    from app.cli.evaluate_report import print_table
    from app.reports.tables.data import as_document

    if as_json:
        print_json(as_document(table, with_scores=scores))
    else:
        print_table(table, Console())


def show_comparison(names: list[str], tables: list["Table"], output: Path, as_json: bool) -> None:
    """Write and print several runs side by side."""
    from app.cli.evaluate_report import print_comparison
    from app.reports.tables import compare, write_comparison
    from app.reports.tables.comparing import Run
    from app.reports.tables.comparison_data import as_document

    with _stoppable(), progress("Comparing the runs", hidden=as_json):
        comparison = compare([Run(*each) for each in zip(names, tables, strict=True)])
        files = write_comparison(comparison, output)
    for file in files:
        say(f"Wrote {file}")
    if as_json:
        print_json(as_document(comparison))
    else:
        print_comparison(comparison, Console())


def _measured(
    layout: "Layout", database: "Database", options: "Options", *, hidden: bool
) -> "Evaluation":
    from app.evaluation.running import run

    with (
        warnings.catch_warnings(),
        _stoppable(),
        progress("Starting", hidden=hidden) as tell,
    ):
        # joblib replaces workers that hold much memory, and their work is done all the same.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs")
        return run(layout, database, options, progress=tell)


def check_views(database: "Database", options: "Options") -> None:
    """Say before hours of work that other views are used, or that networks are missing."""
    from app.evaluation.running import available_preset
    from lmkl_core.features.presets import DEFAULT_PRESET
    from lmkl_core.features.weights import MissingWeightsError

    try:
        if instead := available_preset(database, options)[1]:
            say(instead)
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
def workers(address: str) -> Iterator[None]:
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
