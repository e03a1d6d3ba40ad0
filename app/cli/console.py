"""What all commands share: sentences, JSON, progress bars, and files that are whole or not there.

Results go to standard output; everything else (errors, notes, progress) to standard error, so
that what a machine reads is never mixed with what a person does.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from app.cli.exit_codes import ExitCode

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors; the exit code tells.")
]

Tell = Callable[[int, int | None, str], None]
"""Called with steps done, steps in all (None: not known), and what is being done."""


def say(sentence: str) -> None:
    """Print one sentence on standard error."""
    typer.echo(sentence, err=True)


def stop(sentence: str, code: ExitCode) -> NoReturn:
    """Print one sentence on standard error and end the command.

    Parameters
    ----------
    sentence : str
        What is wrong, and the way out.
    code : ExitCode
        What the process ends with.

    Raises
    ------
    typer.Exit
        Always.
    """
    say(sentence)
    raise typer.Exit(code)


def print_json(value: Any) -> None:
    """Print a JSON document on standard output; NaN and infinity are refused, not written."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


@contextmanager
def progress_bar(title: str = "", *, hidden: bool = False) -> Iterator[Tell]:
    """Show a bar with the time left on standard error; nothing where that is no terminal.

    Parameters
    ----------
    title : str
        What stands before the bar until something else is told.
    hidden : bool
        Show nothing at all.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with _bar(title, columns, hidden) as tell:
        yield tell


@contextmanager
def download_bar(
    title: str, *, hidden: bool = False
) -> Iterator[Callable[[int, int | None], None]]:
    """Show how many bytes there are and how many are still to come."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with _bar(title, columns, hidden) as tell:
        yield lambda done, total: tell(done, total, title)


@contextmanager
def _bar(title: str, columns: tuple[ProgressColumn, ...], hidden: bool) -> Iterator[Tell]:
    console = Console(stderr=True)
    disable = hidden or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=disable) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, description=text
        )


def make_folder(folder: Path) -> None:
    """Make an output folder before the work, so that a bad path costs none of it.

    Raises
    ------
    typer.Exit
        With ``UNWRITABLE``, after one sentence, where nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        stop(
            f"Cannot use {folder} as output folder: {error.strerror or error}.",
            ExitCode.UNWRITABLE,
        )


def check_output(path: Path) -> None:
    """Make the folder of an output file before the work, and refuse a path that is a folder."""
    if path.is_dir():
        stop(f"Cannot write {path}: it is a folder; name a file in it.", ExitCode.UNWRITABLE)
    make_folder(path.parent)
