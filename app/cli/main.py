"""The root command: version, help, and what happens without a subcommand."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from app.cli import demo, doctor, enrol, evaluate, export, forget, report, score, weights
from app.cli.exit_codes import HELP
from app.cli.failures import Commands

cli = typer.Typer(
    name="lmkl-pad",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
cli.command(name="enrol", epilog=HELP)(enrol.enrol_command)
cli.command(name="score", epilog=HELP)(score.score_command)
cli.command(name="evaluate", epilog=HELP)(evaluate.evaluate_command)
cli.command(name="report", epilog=HELP)(report.report_command)
cli.command(name="demo", epilog=HELP)(demo.demo_command)
cli.command(name="export", epilog=HELP)(export.export_command)
cli.add_typer(weights.commands, name="weights")
cli.command(name="doctor", epilog=HELP)(doctor.doctor_command)
cli.command(name="forget", epilog=HELP)(forget.forget_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lmkl-pad {version('lmkl-pad')}")
        raise typer.Exit


@cli.callback(invoke_without_command=True, epilog=HELP)
def root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="What the window shows: demo, camera, camera:NAME, a video, a folder, an address.",
        ),
    ] = "",
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="A model for the window to open.")
    ] = None,
) -> None:
    """Tell live faces from attacks never seen before, learning from genuine samples only.

    Without a command the window opens.
    """
    if context.invoked_subcommand is None:
        from app.launch import launch

        raise typer.Exit(launch(source, "" if model is None else str(model)))
