"""The root command: version, help, and the window when there is no subcommand.

A command's module is imported when the command is used: with NumPy and SciPy that takes up to 1.5
seconds, which ``lmkl-pad --help``, ``--version`` and the window should not wait for.
"""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

from app.cli.console import HELP, option
from app.cli.failures import Commands

COMMANDS = {
    "enrol": "Learn a genuine face from takes of it, and save the model.",
    "score": "Score frames by a model, and judge every input by the mean of its frames.",
    "evaluate": "Measure methods on a database and put the paper's figures beside them.",
    "report": "Write the ISO/IEC 30107-3 report of a test: a page, JSON and CSV.",
    "demo": "Enrol a generated person, fit a model and test it on attacks it never saw.",
    "export": "Write a model's scorer as ONNX, or the model once more, and compare what was "
    "written.",
    "weights": "Weights of the networks: what is here, what is missing, and how to get it.",
    "doctor": "Check what the program needs: each line is ok, a note, or not ok with what to do.",
    "forget": "Delete everything of yours that the program has stored, after asking.",
}
"""The modules of `app.cli` with a ``command`` function or group, and the first line of its help."""


def load_command(name: str) -> Any:
    """Import a command's module and return the command."""
    command = import_module(f"app.cli.{name}").command
    if isinstance(command, typer.Typer):
        return typer.main.get_command(command)
    single = typer.Typer(add_completion=False, rich_markup_mode="rich")
    single.command(name, epilog=HELP)(command)
    return typer.main.get_command(single)


class LazyCommands(Commands):
    """Commands known by their names and first lines until one of them is used."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(str(name)), rest


cli = typer.Typer(
    name="lmkl-pad",
    cls=LazyCommands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for _name, _help in COMMANDS.items():
    cli.command(name=_name, help=_help)(lambda: None)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lmkl-pad {version('lmkl-pad')}")
        raise typer.Exit


@cli.callback(invoke_without_command=True, epilog=HELP)
def root(
    context: typer.Context,
    _version: bool = option(
        "--version", "Print the version and stop.", False, callback=_print_version, is_eager=True
    ),
    source: str = option(
        "--source SOURCE",
        "What the window shows: demo, camera, camera:NAME, a video, a folder, an address.",
        "",
    ),
    model: Path | None = option("--model FILE", "A model for the window to open."),
) -> None:
    """Tell live faces from attacks never seen before, learning from genuine samples only.

    Without a command the window opens.
    """
    if context.invoked_subcommand is None:
        from app.launch import launch  # with a command, the window's modules are not needed

        raise typer.Exit(launch(source, "" if model is None else str(model)))
