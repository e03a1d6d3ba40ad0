"""``lmkl-pad forget``: delete all stored personal data."""

import typer

from app import storage
from app.cli.console import AS_JSON, ExitCode, can_ask, option, print_json, say, stop


def command(
    is_sure: bool = option("--yes -y", "Delete without asking.", False),
    as_json: bool = AS_JSON,
) -> None:
    """Delete everything the program has stored about you, after asking.

    The same as "Delete all my data" in the window: settings, unsaved takes, test sessions and
    cached views of evaluated recordings. Networks stay, and so do the models, reports and tables
    that you saved.
    """
    found = storage.stored()
    if not is_sure and found:
        if as_json or not can_ask():
            stop("Nothing was deleted: add --yes to delete without asking.", ExitCode.USAGE)
        for path in found:
            say(f"  {path}")
        if not typer.confirm("Delete all of this?", err=True):
            say("Nothing was deleted.")
            raise typer.Exit
    done = storage.delete_all()
    if as_json:
        removed = [str(path) for path in done.removed]
        print_json({"removed": removed, "problems": list(done.problems)})
    if done.problems:
        stop(" ".join(done.problems), ExitCode.FAILED)
    if not as_json:
        typer.echo(
            "Everything the program had stored is deleted." if found else "Nothing is stored."
        )
