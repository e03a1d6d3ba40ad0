"""Exit codes, options and printing, shared by all commands.

Results go to standard output, everything else (errors, notes, progress) to standard error.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any, NoReturn, Self

import typer
from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text


class ExitCode(IntEnum):
    """Exit codes a script may rely on, each with its meaning."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        member = int.__new__(cls, code)
        member._value_, member.meaning = code, meaning
        return member

    OK = 0, "success"
    FAILED = 1, "failure; one sentence on standard error says why"
    USAGE = 2, "unknown command, option or value"
    UNCERTIFIED = 3, "a model was fitted, but its optimum is not certified"
    UNWRITABLE = 4, "the output could not be written"
    MISSING_WEIGHTS = 5, "weights are missing or could not be fetched"
    BAD_WEIGHTS = 6, "a weights file is damaged or has the wrong checksum"
    BAD_MODEL = 7, "a model file is missing, damaged, or made with other views"
    BAD_INPUT = 8, "an input is missing or cannot be read"
    NO_FRAMES = 9, "too few frames with a usable face"
    UNHEALTHY = 10, "the doctor found a problem"
    NO_DATABASE = 11, "a database is missing or not in the expected layout"
    NO_PASSPHRASE = 12, "a model's passphrase is missing, wrong, or too short for a new model"
    INTERRUPTED = 130, "stopped with Ctrl-C; no file is left half-written"
    PIPE_CLOSED = 141, "the reader of standard output closed it early, as head does"
    TERMINATED = 143, "stopped with SIGTERM or SIGHUP; no file is left half-written"


HELP = "Exit codes:\n" + "\n".join(f"{code:<3d}  {code.meaning}." for code in ExitCode)

LOG_INTERVAL = 60.0  # seconds between two lines of progress in a log

ProgressCallback = Callable[[int, int | None, str], None]
"""Called with the steps done, the number of steps (None: unknown) and the current step."""


def option(flags: str, text: str, default: Any = None, **more: Any) -> Any:
    """Declare an option: its flags, followed by the name of its value if it has one, and its help.

    An option without that name is a switch, or shows the values it accepts.
    """
    words = flags.split()
    names = [word for word in words if word.startswith("-")]
    is_switch = isinstance(default, bool) or "/" in flags
    metavar = words[-1] if len(names) < len(words) else "" if is_switch else None
    # Typer would end every unreadable file with one exit code; the commands have their own.
    return typer.Option(default, *names, help=text, metavar=metavar, readable=False, **more)


AS_JSON = option("--json", "Print JSON.", False)
QUIET = option("--quiet -q", "Print only errors and warnings.", False)
PRESET = option("--preset NAME", "Preset of views: a name or the path of a file.")
MODEL_FILE = typer.Argument(..., metavar="MODEL", help="The model file.", readable=False)


def can_ask() -> bool:
    """Whether standard input is a terminal; it is None if the shell has closed it."""
    return sys.stdin is not None and sys.stdin.isatty()


def say(sentence: str) -> None:
    typer.echo(sentence, err=True)


def stop(sentence: str, code: ExitCode) -> NoReturn:
    """Print one sentence on standard error and end the command with an exit code."""
    say(sentence)
    raise typer.Exit(code)


def print_json(value: Any) -> None:
    """Print a JSON document on standard output; NaN and infinity are refused."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def text_table(
    title: str, texts: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[object]]
) -> Table:
    """Return a table whose columns of text may be folded, but not those of numbers."""
    # Plain text, because file names may look like markup.
    cells = [[cell if isinstance(cell, Text) else Text(str(cell)) for cell in row] for row in rows]
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for heading in texts:
        table.add_column(heading, overflow="fold")
    for column, heading in enumerate(numbers, len(texts)):
        lines = (line for row in cells for line in row[column].plain.splitlines())
        table.add_column(heading, justify="right", min_width=max(map(cell_len, lines), default=0))
    for row in cells:
        table.add_row(*row)
    return table


@contextmanager
def progress_bar(
    title: str, *, hidden: bool = False, in_bytes: bool = False
) -> Iterator[ProgressCallback]:
    """Show a bar with the time left on standard error if that is a terminal."""
    console = Console(stderr=True)
    disable = hidden or not console.is_terminal
    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False), BarColumn()]
    columns += [DownloadColumn()] * in_bytes + [TimeRemainingColumn()]
    # Rows for a file or a pipe must not be printed above the bar instead.
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    with Progress(
        *columns, console=console, transient=True, disable=disable, redirect_stdout=on_terminal
    ) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, description=text
        )


@contextmanager
def logged_progress(title: str, *, hidden: bool = False) -> Iterator[ProgressCallback]:
    """Show a bar on a terminal, and lines where standard error is a file or a pipe."""
    if hidden or Console(stderr=True).is_terminal:
        with progress_bar(title, hidden=hidden) as progress:
            yield progress
    else:
        say(title)
        yield progress_lines(say)


def progress_lines(
    write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> ProgressCallback:
    """Write a line when a part of the work begins, then one every `LOG_INTERVAL` seconds."""
    last = clock()
    current: tuple[str, int | None] = ("", None)

    def progress(done: int, total: int | None, text: str) -> None:
        nonlocal last, current
        now = clock()
        if done == 0 and current != (text, total):
            current = (text, total)
            write(f"{text}: {total} to do" if total else text)
        elif done and now - last >= LOG_INTERVAL:
            write(f"{text} ({done} of {total})" if total else text)
        else:
            return
        last = now

    return progress
