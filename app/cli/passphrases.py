"""Passphrases of models: from a file, from the environment, or asked for on the terminal.

Never from the command line itself, which other people can see and shells keep.
"""

import getpass
import os
import stat
import sys
from pathlib import Path

from app.cli.console import ExitCode, can_ask, option, say, stop
from app.models.files import load
from app.models.model import PadModel
from lmkl_core.errors import PassphraseNeeded, WrongPassphrase
from lmkl_core.model_file import check_passphrase

VARIABLE = "LMKL_PAD_PASSPHRASE"
TRIES = 3
LONGEST_LINE = 8192
"""Bytes of a file's first line."""

PASSPHRASE_FILE = option(
    "--passphrase-file FILE",
    f"Its first line is the passphrase of a protected model; without it {VARIABLE} is, or it is "
    "asked for.",
)


def open_model(
    path: Path, passphrase_file: Path | None, *, reads_only: bool = True
) -> tuple[PadModel, str | None]:
    """Load a model, and return it with its passphrase if it has one.

    With ``reads_only`` a passphrase file can be meant for nothing but this model, which then has
    to be protected.
    """
    if not reads_only or passphrase_file is None:
        try:
            return load(path), None
        except PassphraseNeeded:
            pass
    given = _given(passphrase_file)
    if given is not None:
        return load(path, passphrase=given), given
    _check_terminal(path)
    for n_left in reversed(range(TRIES)):
        typed = _typed(f"Passphrase of {path.name}: ")
        try:
            return load(path, passphrase=typed), typed
        except WrongPassphrase:
            if not n_left:
                raise
            say("The passphrase is wrong, or the file was changed: try again.")
    raise AssertionError("every try returns or raises")


def new_passphrase(path: Path, passphrase_file: Path | None, *, kept: str | None = None) -> str:
    """Return the passphrase that is to protect a new file.

    An empty line keeps the one in ``kept``, if any; the environment is then not asked, because
    ``kept`` came from there.
    """
    given = _given(passphrase_file, use_environment=kept is None)
    if given is not None:
        return checked(given)
    _check_terminal(path)
    say("Nobody can open the model without its passphrase, not even we: keep it safe.")
    keeps = "" if kept is None else " (empty keeps the old one)"
    for _ in range(TRIES):
        typed = _typed(f"New passphrase for {path.name}{keeps}: ")
        if kept is not None and not typed:
            return checked(kept)
        if problem := check_passphrase(typed):
            say(problem)
        elif _typed("The same once more: ") != typed:
            say("The two passphrases are not the same.")
        else:
            return typed
    stop("No passphrase was agreed upon: start again.", ExitCode.NO_PASSPHRASE)


def checked(passphrase: str) -> str:
    """Return a passphrase that can protect a model; stop with one sentence if it cannot."""
    if problem := check_passphrase(passphrase):
        stop(problem, ExitCode.NO_PASSPHRASE)
    return passphrase


def is_asked_for(passphrase_file: Path | None) -> bool:
    """Whether passphrases are typed: neither a file nor the environment gives one."""
    return passphrase_file is None and not os.environ.get(VARIABLE) and can_ask()


def _given(file: Path | None, *, use_environment: bool = True) -> str | None:
    """Return the passphrase of a file or of the environment; None where there is neither."""
    if file is not None:
        return _first_line(file)
    return os.environ.get(VARIABLE) or None if use_environment else None


def _first_line(file: Path) -> str:
    try:
        with open(file, "rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if os.name == "posix" and stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
                say(f"Others on this machine may read {file}: forbid it with chmod 600.")
            line = stream.readline(LONGEST_LINE)
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        stop(
            f"The passphrase cannot be read from {file} ({error.strerror or error}): check the "
            "path.",
            ExitCode.BAD_INPUT,
        )
    except UnicodeDecodeError:
        stop(f"The first line of {file} is no text in UTF-8: save it as that.", ExitCode.BAD_INPUT)
    if not text:
        stop(f"The first line of {file} is empty: write the passphrase there.", ExitCode.BAD_INPUT)
    return text


def _check_terminal(path: Path) -> None:
    """Refuse to ask where there is no terminal: a script would wait for ever."""
    if not can_ask():
        stop(
            f"{path.name} needs a passphrase: give it with --passphrase-file or in {VARIABLE}, or "
            "run this on a terminal.",
            ExitCode.NO_PASSPHRASE,
        )


def _typed(prompt: str) -> str:
    """Ask on standard error without showing the answer."""
    try:
        return getpass.getpass(prompt, stream=sys.stderr)
    except EOFError:
        stop("No passphrase was given.", ExitCode.NO_PASSPHRASE)
    except UnicodeDecodeError:
        stop("What was typed is no text: check the terminal's encoding.", ExitCode.NO_PASSPHRASE)
