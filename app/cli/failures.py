"""One place where what goes wrong in any command becomes one sentence and an exit code."""

import errno
import os
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from app.cli.console import say, stop
from app.cli.exit_codes import ExitCode

DEBUG_VARIABLE = "LMKL_PAD_DEBUG"
"""Environment variable that adds the traceback of an error nobody foresaw."""

STOPPED = "Stopped."


class Commands(TyperGroup):
    """Commands whose errors are told in one sentence, and which Ctrl-C ends with its own code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; see :func:`outcome_of` for what becomes of errors."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            stop(STOPPED, ExitCode.INTERRUPTED)
        except Exception as error:
            if _is_typers_own(error) or getattr(error, "errno", None) == errno.EPIPE:
                raise  # usage errors have their own form; a closed pipe is no error of ours
            if os.environ.get(DEBUG_VARIABLE):
                say("".join(traceback.format_exception(error)).rstrip())
            sentence, code = outcome_of(error)
            stop(sentence, code)


def outcome_of(error: Exception) -> tuple[str, ExitCode]:
    """Return what a person is told of an error, and the exit code.

    Parameters
    ----------
    error : Exception
        Anything a command raised.
    """
    # Imported here: nothing of this is needed where nothing went wrong.
    from app.headless.errors import OutputError, TooFewFramesError
    from app.presentation import TrialError
    from app.protocols.types import ProtocolError
    from app.report.writing import ReportError
    from app.sources.causes import SourceError
    from app.storage import StorageError
    from lmkl_core.errors import Cancelled, InvalidInputError, ModelFileError
    from lmkl_core.features.weights import MissingWeightsError, WrongWeightsError

    codes: tuple[tuple[type[Exception] | tuple[type[Exception], ...], ExitCode], ...] = (
        (MissingWeightsError, ExitCode.MISSING_WEIGHTS),
        (WrongWeightsError, ExitCode.BAD_WEIGHTS),
        (ModelFileError, ExitCode.BAD_MODEL),
        (TooFewFramesError, ExitCode.NO_FRAMES),
        (ProtocolError, ExitCode.NO_DATABASE),
        ((SourceError, TrialError), ExitCode.BAD_INPUT),
        ((ReportError, StorageError, OutputError), ExitCode.UNWRITABLE),
        (Cancelled, ExitCode.INTERRUPTED),
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


def _is_typers_own(error: Exception) -> bool:
    return isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code")
