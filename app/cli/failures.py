"""One place where what goes wrong in any command becomes one sentence and an exit code."""

import contextlib
import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from app.cli.console import say, stop
from app.cli.exit_codes import ExitCode
from app.logs import DEBUG_VARIABLE

STOPPED = "Stopped."


_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_USUAL = (signal.SIG_DFL, signal.default_int_handler)


class Commands(TyperGroup):
    """Commands whose errors are told in one sentence, and which signals end with their own code."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the command line; the help that it may ask for is printed meanwhile."""
        try:
            return super().make_context(*arguments, **options)
        except SystemExit:
            # This is how rich ends where the reader of its tables has left.
            _write_to_nobody()
            sys.exit(ExitCode.PIPE_CLOSED)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; see :func:`outcome_of` for what becomes of errors."""
        _print_any_name()
        with _signals_raised() as received:
            try:
                return super().invoke(ctx)
            except BaseException as error:
                _end(error, received)


def _end(error: BaseException, received: list[int]) -> NoReturn:
    """Turn whatever ended a command into one sentence and its exit code."""
    stopped = ExitCode.INTERRUPTED
    if received and received[0] != signal.SIGINT:
        stopped = ExitCode.TERMINATED
    if isinstance(error, typer.Exit):
        # Commands that end by themselves at an interrupt do not ask where it came from.
        raise typer.Exit(stopped) if error.exit_code == ExitCode.INTERRUPTED else error
    # Libraries that are interrupted while they load raise what they like.
    if received or isinstance(error, KeyboardInterrupt):
        stop(STOPPED, stopped)
    if isinstance(error, SystemExit):
        # This is how rich ends where the reader of its tables has left.
        raise typer.Exit(ExitCode.PIPE_CLOSED)
    if not isinstance(error, Exception) or _is_typers_own(error):
        raise error  # usage errors have their own form
    if getattr(error, "errno", None) == errno.EPIPE:
        _write_to_nobody()
        raise typer.Exit(ExitCode.PIPE_CLOSED)
    if os.environ.get(DEBUG_VARIABLE):
        say("".join(traceback.format_exception(error)).rstrip())
    sentence, code = outcome_of(error)
    stop(sentence, code)


@contextlib.contextmanager
def _signals_raised() -> Iterator[list[int]]:
    """Let signals end the work as Ctrl-C does, so that nothing half-written is left behind.

    Yields the signals that came so far.
    """
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    usual: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        usual = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in usual.items():
        # What is ignored, as under nohup, stays so.
        if handler in _USUAL:
            signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, handler in usual.items():
            if signal.getsignal(number) is interrupt:
                signal.signal(number, handler)


def outcome_of(error: Exception) -> tuple[str, ExitCode]:
    """Return what a person is told of an error, and the exit code.

    Parameters
    ----------
    error : Exception
        Anything a command raised.
    """
    # Imported here: nothing of this is needed where nothing went wrong.
    from app.capture.source import SourceError
    from app.evaluation.protocols.types import ProtocolError
    from app.headless.errors import OutputError, TooFewFramesError
    from app.reports.writing import ReportError
    from app.session.guided_test.presentation import TrialError
    from app.storage import StorageError
    from lmkl_core.errors import (
        Cancelled,
        InvalidInputError,
        ModelFileError,
        PassphraseNeeded,
        WrongPassphrase,
    )
    from lmkl_core.features.presets import PresetError
    from lmkl_core.features.weights import MissingWeightsError, WrongWeightsError

    codes: tuple[tuple[type[Exception] | tuple[type[Exception], ...], ExitCode], ...] = (
        (MissingWeightsError, ExitCode.MISSING_WEIGHTS),
        (WrongWeightsError, ExitCode.BAD_WEIGHTS),
        ((PassphraseNeeded, WrongPassphrase), ExitCode.NO_PASSPHRASE),
        (ModelFileError, ExitCode.BAD_MODEL),
        (TooFewFramesError, ExitCode.NO_FRAMES),
        (ProtocolError, ExitCode.NO_DATABASE),
        ((SourceError, TrialError), ExitCode.BAD_INPUT),
        ((ReportError, StorageError, OutputError), ExitCode.UNWRITABLE),
        (Cancelled, ExitCode.INTERRUPTED),
        (PresetError, ExitCode.USAGE),
        (InvalidInputError, ExitCode.FAILED),
    )
    for kind, code in codes:
        if isinstance(error, kind):
            return _one_line(str(error)), code
    if isinstance(error, MemoryError):
        return "The memory ran out: use fewer frames or a smaller preset.", ExitCode.FAILED
    if isinstance(error, OSError):
        where = "" if error.filename is None else f" {error.filename}"
        return _one_line(f"Cannot use{where}: {error.strerror or error}."), ExitCode.FAILED
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return (
        _one_line(
            f"This should not have happened ({told}); set {DEBUG_VARIABLE}=1 and run it again to "
            "see where, and report it."
        ),
        ExitCode.FAILED,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _print_any_name() -> None:
    """Print names of files that standard output's encoding does not know with escapes."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _write_to_nobody() -> None:
    """Send what is still to be written nowhere: Python flushes at its end, and would complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_typers_own(error: Exception) -> bool:
    return isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code")
