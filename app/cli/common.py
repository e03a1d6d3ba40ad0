"""Options and steps that commands on models and sources share."""

import math
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import say, stop
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.settings import Settings

PresetName = Annotated[
    str | None,
    typer.Option("--preset", metavar="NAME", help="Views: a preset's name or the path of a file."),
]


def settings_with(**changes: Any) -> "Settings":
    """Return the window's settings with some of them changed; None leaves one as it is.

    What cannot be used of the settings' file is told on standard error.

    Raises
    ------
    typer.Exit
        With ``USAGE`` when a change is out of range.
    """
    from app.settings import check, load

    settings, problems = load()
    for problem in problems:
        say(problem)
    given = {name: value for name, value in changes.items() if value is not None}
    settings = replace(settings, **given)
    for name, sentence in check(settings).items():
        if name in given:
            why = sentence[:1].lower() + sentence[1:]
            stop(f"--{name.replace('_', '-')} cannot be used: {why}", ExitCode.USAGE)
    return settings


def check_seconds(every: float | None) -> None:
    """Refuse a time between frames that never comes."""
    if every is not None and not math.isfinite(every):
        stop("--every cannot be used: it must be a number of seconds.", ExitCode.USAGE)


def check_files_apart(outputs: Iterable[Path | None], inputs: Iterable[str | Path]) -> None:
    """Refuse outputs that would overwrite what is read, or one another.

    Parameters
    ----------
    outputs : iterable of Path
        Files to be written; None for one that was not asked for.
    inputs : iterable of str or Path
        Sources, which need be no files.
    """
    written = [path for path in outputs if path is not None]
    if len({path.resolve() for path in written}) < len(written):
        names = " and ".join(map(str, written))
        stop(f"The outputs {names} are the same file: name one for each.", ExitCode.USAGE)
    there = [path for path in written if path.exists()]
    for source in inputs if there else ():
        for path in there:
            if os.path.exists(source) and path.samefile(source):
                stop(
                    f"{path} is also read and would be overwritten: name another output.",
                    ExitCode.USAGE,
                )


def named_value(text: str, what: str) -> tuple[str, str]:
    """Split ``NAME=VALUE``.

    Parameters
    ----------
    text : str
        As typed.
    what : str
        How the option is written, for the sentence that refuses something else.
    """
    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        stop(f"'{text}' cannot be used: write {what}.", ExitCode.USAGE)
    return name.strip(), value.strip()
