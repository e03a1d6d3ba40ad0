"""``lmkl-pad demo``: the whole job without a screen, printed or as JSON."""

import json
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from app.cli.console import AsJson, make_folder, print_json, progress_bar, say, stop
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.demo.result import DemoResult

DEFAULT_OUTPUT = Path("lmkl-pad-demo")
"""Where results go when nobody asked for the demo: in the folder the program was started in."""

MODEL_FILE = "demo-model.safetensors"
JSON_FILE = "demo.json"
REPORT_FILE = "demo-report.html"
WINDOW_FILE = "demo-window.png"

_WRITTEN = (
    (MODEL_FILE, "the fitted model; the window opens it"),
    (REPORT_FILE, "the test's report, for any browser; JSON and CSV beside it"),
    (WINDOW_FILE, "the window with this model at work"),
    (JSON_FILE, "everything printed above, and every presentation"),
)


def demo_command(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help=f"Folder, made if missing, for {MODEL_FILE}, {REPORT_FILE}, {WINDOW_FILE} and "
            f"{JSON_FILE}.",
        ),
    ] = None,
    picture: Annotated[
        bool,
        typer.Option(
            "--picture/--no-picture", help="Take a picture of the window; needs no screen."
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Enrol a generated person, fit a model and test it on attacks it never saw."""
    run_and_print(output=output, as_json=as_json, picture=picture)


def run_and_print(
    *, output: Path | None, as_json: bool, picture: bool = True, is_short: bool = False
) -> None:
    """Run the demo, print it, write it where asked, and exit with what happened.

    Parameters
    ----------
    output : Path or None
        Folder for the model, the report and the figures; nothing is written without one.
    as_json : bool
        Print JSON on standard output instead of tables.
    picture : bool
        Take a picture of the window too, where there is a folder for it.
    is_short : bool
        Record fewer takes, in less than half the time.

    Raises
    ------
    typer.Exit
        With an :class:`~app.cli.exit_codes.ExitCode` other than OK.
    """
    # Imported here: --help and --version should not wait for SciPy.
    from app.cli.render import print_demo
    from app.demo import run
    from app.demo.result import as_json as in_json
    from app.models.summary import CERTIFIED_GAP

    if output is not None:
        make_folder(output)
    try:
        with progress_bar("starting") as tell:
            result = run.run(progress=tell, size=run.SHORT if is_short else run.FULL)
    except ValueError as error:
        stop(f"The demo could not be run: {error}", ExitCode.FAILED)
    figures = in_json(result)
    if as_json:
        print_json(figures)
    else:
        print_demo(result, Console())
    if output is not None:
        _write(result, figures, output)
        if picture:
            _take_picture(output)
        there = [(name, what) for name, what in _WRITTEN if (output / name).exists()]
        lines = "".join(f"\n  {name:24}{what}" for name, what in there)
        typer.echo(f"Wrote to {output}:{lines}", err=as_json)
    if not result.is_certified:
        stop(
            f"The fit stopped at a relative gap of {result.model.gap_:.1e}, "
            f"above the {CERTIFIED_GAP:.0e} that counts as certified.",
            ExitCode.UNCERTIFIED,
        )


def _write(result: "DemoResult", figures: dict[str, object], folder: Path) -> None:
    from app.demo.result import conditions_of
    from app.models.files import save
    from app.models.summary import describe
    from app.reports import Context, build, write
    from lmkl_core.errors import ModelFileError
    from lmkl_core.system.atomic import write_atomically

    created = datetime.now().astimezone()
    text = json.dumps(figures, indent=2, allow_nan=False) + "\n"
    try:
        saved = save(result.pad, folder / MODEL_FILE).model
        source = "Built-in demo (generated recordings)"
        context = Context(
            source, describe(saved), version("lmkl-pad"), created, conditions_of(result)
        )
        write(build(result.trial, context), folder / REPORT_FILE)
        # A picture of an earlier run would show another model.
        (folder / WINDOW_FILE).unlink(missing_ok=True)
        write_atomically(folder / JSON_FILE, text.encode("utf-8"))
    except (OSError, ModelFileError) as error:
        why = getattr(error, "strerror", None) or str(error)
        stop(f"Cannot write to {folder}: {why}.", ExitCode.UNWRITABLE)


def _take_picture(folder: Path) -> None:
    from app.cli.window_picture import take_window_picture

    with progress_bar("taking a picture of the window"):
        problem = take_window_picture(folder / MODEL_FILE, folder / WINDOW_FILE)
    if problem:
        say(problem)
