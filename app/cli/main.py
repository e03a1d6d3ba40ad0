"""The root command; any command that fails or gets a signal ends with a sentence and an exit code.

A command's module is imported when the command is used: with NumPy and SciPy that takes up to 1.5
seconds, for which ``lmkl-pad --help``, ``--version`` and the window should not wait.
"""

import contextlib
import errno
import inspect
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from app.cli.console import HELP, ExitCode, option, say, stop
from app.logs import DEBUG_VARIABLE
from app.names import with_command

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_DEFAULT_HANDLERS = (signal.SIG_DFL, signal.default_int_handler)


class Commands(TyperGroup):
    """Commands that end with one sentence after an error and with special codes after a signal."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Parse the command line; print the help if requested."""
        try:
            return super().make_context(*arguments, **options)
        except SystemExit:
            # rich exits like this if the reader of the help has closed the pipe.
            _discard_output()
            sys.exit(ExitCode.PIPE_CLOSED)
        except OSError as error:
            _end(error, [])

    def invoke(self, ctx: Any) -> Any:
        if hasattr(sys.stdout, "reconfigure"):
            # Escape characters of file names that the encoding lacks.
            sys.stdout.reconfigure(errors="backslashreplace")
        with _signals_raised() as received:
            try:
                return super().invoke(ctx)
            except BaseException as error:
                _end(error, received)


def _end(error: BaseException, received: list[int]) -> NoReturn:
    """End a command with the sentence and the exit code for an exception."""
    stopped = ExitCode.INTERRUPTED
    if received and received[0] != signal.SIGINT:
        stopped = ExitCode.TERMINATED
    if isinstance(error, typer.Exit):
        # A command that handles the interrupt itself does not know which signal it was.
        raise typer.Exit(stopped) if error.exit_code == ExitCode.INTERRUPTED else error
    # A library that is interrupted while loading may raise anything.
    if received or isinstance(error, KeyboardInterrupt):
        stop("Stopped.", stopped)
    if isinstance(error, SystemExit):
        # rich exits like this if the reader of its tables has closed the pipe.
        raise typer.Exit(ExitCode.PIPE_CLOSED)
    is_usage_error = isinstance(error, typer.Abort) or hasattr(error, "exit_code")
    if not isinstance(error, Exception) or is_usage_error:
        raise error  # typer prints it
    if getattr(error, "errno", None) == errno.EPIPE:
        _discard_output()
        raise typer.Exit(ExitCode.PIPE_CLOSED)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        _discard_output()  # it may be what is full
    if os.environ.get(DEBUG_VARIABLE):
        say("".join(traceback.format_exception(error)).rstrip())
    sentence, code = outcome_of(error)
    stop(" ".join(sentence.split()), code)


def _discard_output() -> None:
    """Discard what is still buffered, which Python could not flush at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def _signals_raised() -> Iterator[list[int]]:
    """Let signals interrupt the work as Ctrl-C does; yield the list of those received."""
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    replaced = {}
    for number in _SIGNALS if threading.current_thread() is threading.main_thread() else ():
        # An ignored signal, as under nohup, stays ignored.
        if signal.getsignal(number) in _DEFAULT_HANDLERS:
            replaced[number] = signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def outcome_of(error: Exception) -> tuple[str, ExitCode]:
    """Return the sentence for an error that a command raised, and the exit code."""
    # Imported here because they load NumPy, which the root command does not need.
    from app.capture.source import SourceError
    from app.cli.outputs import OutputError
    from app.cli.recorder import TooFewFramesError
    from app.evaluation.protocols.types import ProtocolError
    from app.reports.writing import ReportError
    from app.session.guided_test.presentation import GuidedTestError
    from app.storage import StorageError
    from lmkl_core.errors import (
        Cancelled,
        InvalidInputError,
        MissingWeightsError,
        ModelFileError,
        PassphraseNeeded,
        WrongPassphrase,
        WrongWeightsError,
    )
    from lmkl_core.features.presets import PresetError

    codes: tuple[tuple[type[Exception] | tuple[type[Exception], ...], ExitCode], ...] = (
        (MissingWeightsError, ExitCode.MISSING_WEIGHTS),
        (WrongWeightsError, ExitCode.BAD_WEIGHTS),
        ((PassphraseNeeded, WrongPassphrase), ExitCode.NO_PASSPHRASE),
        (ModelFileError, ExitCode.BAD_MODEL),
        (TooFewFramesError, ExitCode.NO_FRAMES),
        (ProtocolError, ExitCode.NO_DATABASE),
        ((SourceError, GuidedTestError), ExitCode.BAD_INPUT),
        ((ReportError, StorageError, OutputError), ExitCode.UNWRITABLE),
        (Cancelled, ExitCode.INTERRUPTED),
        (PresetError, ExitCode.USAGE),
        (InvalidInputError, ExitCode.FAILED),
    )
    for kind, code in codes:
        if isinstance(error, kind):
            return with_command(error), code
    if isinstance(error, MemoryError):
        return "Out of memory: use fewer frames or a smaller preset.", ExitCode.FAILED
    if isinstance(error, OSError):
        where = "" if error.filename is None else f" {error.filename}"
        if error.errno == errno.ENOSPC:
            what = where or " the output"
            return f"Cannot write{what}: the disk is full; free some space.", ExitCode.UNWRITABLE
        return f"Cannot use{where}: {error.strerror or error}.", ExitCode.FAILED
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return (
        f"Internal error ({what}): run it again with {DEBUG_VARIABLE}=1 to see where it happened, "
        "and please report it.",
        ExitCode.FAILED,
    )


COMMANDS = {
    "enrol": "Learn a genuine face from takes and save the model.",
    "score": "Score frames with a model and judge every input by its mean score.",
    "evaluate": "Compare methods on a database, beside the paper's figures.",
    "report": "Write the ISO/IEC 30107-3 report of a test as HTML, JSON and CSV.",
    "demo": "Enrol a generated person, fit a model and test it on attacks it never saw.",
    "export": "Write a model's scorer as ONNX, or copy the model, and compare the result.",
    "weights": "List, fetch, import and verify the weights of networks.",
    "doctor": "Check this machine: each line is ok, a note, or not ok with advice.",
    "forget": "Delete everything the program has stored about you, after asking.",
}
"""The modules of `app.cli` with a ``command`` function or group, and the first line of its help."""


def load_command(name: str) -> Any:
    command = import_module(f"app.cli.{name}").command
    if isinstance(command, typer.Typer):
        return typer.main.get_command(command)
    single = typer.Typer(add_completion=False, rich_markup_mode="rich")
    # Line breaks of the source would stay in the help.
    help_text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(command) or "")
    single.command(name, help=help_text, epilog=HELP)(command)
    return typer.main.get_command(single)


class LazyCommands(Commands):
    """Commands that are loaded when used."""

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
        "--version", "Print the version and exit.", False, callback=_print_version, is_eager=True
    ),
    source: str = option(
        "--source SOURCE",
        "Source to open: demo, camera, camera:NAME, a video, a folder or an address.",
        "",
    ),
    model: Path | None = option("--model FILE", "Model to open."),
) -> None:
    """Detect unseen face presentation attacks, learning from genuine samples only.

    Without a command, the window opens.
    """
    if context.invoked_subcommand is None:
        from app.launch import launch  # commands do not need the window's modules

        raise typer.Exit(launch(source, "" if model is None else str(model)))
