"""The root command: version, help, and what happens without a subcommand."""

from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console

from app.cli import demo, weights
from app.cli.exit_codes import HELP

NO_WINDOW_YET = "The window is not built yet in this version; here is the demo without it."

cli = typer.Typer(
    name="lmkl-pad",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
cli.command(name="demo", epilog=HELP)(demo.demo_command)
cli.add_typer(weights.commands, name="weights")


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
) -> None:
    """Tell live faces from attacks never seen before, learning from genuine samples only."""
    if context.invoked_subcommand is None:
        Console().print(NO_WINDOW_YET)
        demo.run_and_print(output=None, as_json=False)
