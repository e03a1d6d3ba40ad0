"""``lmkl-pad demo``: the whole job without a screen, printed or as JSON."""

import json
import os
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.demo import DemoResult

DEFAULT_OUTPUT = Path("lmkl-pad-demo")
"""Where results go when nobody asked for the demo: in the folder the program was started in."""

MODEL_FILE = "demo-model.safetensors"
JSON_FILE = "demo.json"
REPORT_FILE = "demo-report.html"


def demo_command(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help=f"Folder, made if missing, for {MODEL_FILE}, {REPORT_FILE} and {JSON_FILE}.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for machines instead of tables.")
    ] = False,
) -> None:
    """Enrol a generated person, fit a model and test it on attacks it never saw."""
    run_and_print(output=output, as_json=as_json)


def run_and_print(*, output: Path | None, as_json: bool) -> None:
    """Run the demo, print it, write it where asked, and exit with what happened.

    Parameters
    ----------
    output : Path or None
        Folder for the model and the figures; nothing is written without one.
    as_json : bool
        Print JSON on standard output instead of tables.

    Raises
    ------
    typer.Exit
        With an :class:`~app.cli.exit_codes.ExitCode` other than OK.
    """
    # Imported here: --help and --version should not wait for SciPy.
    from app import demo
    from app.cli.render import print_demo
    from app.models.summary import CERTIFIED_GAP

    if output is not None:
        _make_folder(output)
    console = Console(stderr=True)
    try:
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as bar:
            task = bar.add_task("starting")
            result = demo.run(
                progress=lambda done, total, text: bar.update(
                    task, completed=done, total=total, description=text
                )
            )
    except ValueError as error:
        _stop(f"The demo could not be run: {error}", ExitCode.FAILED)
    text = json.dumps(demo.as_json(result), indent=2)
    if as_json:
        typer.echo(text)
    else:
        print_demo(result, Console())
    if output is not None:
        _write(result, text, output)
        typer.echo(
            f"Wrote to {output}:\n"
            f"  {MODEL_FILE}  the fitted model; the window opens it\n"
            f"  {REPORT_FILE}  the test's report, for any browser; its figures beside it\n"
            f"  {JSON_FILE}  everything printed above",
            err=as_json,
        )
    if not result.is_certified:
        _stop(
            f"The fit stopped at a relative gap of {result.model.gap_:.1e}, "
            f"above the {CERTIFIED_GAP:.0e} that counts as certified.",
            ExitCode.UNCERTIFIED,
        )


def _make_folder(folder: Path) -> None:
    """Make the folder before the work, so that a bad path costs no fit."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _stop(f"Cannot use {folder} as output folder: {error.strerror}.", ExitCode.UNWRITABLE)


def _write(result: "DemoResult", text: str, folder: Path) -> None:
    from app.models.files import save
    from app.models.summary import describe
    from app.report import Context, build, write
    from lmkl_core.errors import ModelFileError

    partial = folder / f"{JSON_FILE}.partial"
    created = datetime.now().astimezone()
    try:
        saved = save(result.pad, folder / MODEL_FILE).model
        context = Context("Demo", describe(saved), version("lmkl-pad"), created)
        write(build(result.trial, context), folder / REPORT_FILE)
        partial.write_text(text + "\n", encoding="utf-8")
        os.replace(partial, folder / JSON_FILE)
    except (OSError, ModelFileError) as error:
        why = getattr(error, "strerror", None) or str(error)
        _stop(f"Cannot write to {folder}: {why}.", ExitCode.UNWRITABLE)


def _stop(sentence: str, code: ExitCode) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(code)
