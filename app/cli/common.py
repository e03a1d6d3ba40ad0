"""Options and steps that commands on models and sources share."""

from dataclasses import replace
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
            stop(f"--{name.replace('_', '-')} cannot be used: {sentence}", ExitCode.USAGE)
    return settings


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
