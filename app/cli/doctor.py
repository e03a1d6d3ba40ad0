"""``lmkl-pad doctor``: what is needed, whether it is there, and what to do about it."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from app.cli.console import AsJson, Quiet, print_json, progress_bar, stop
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.headless.doctor import Finding

_STYLES = {"ok": "green", "note": "yellow", "not ok": "bold red"}
_WIDTH = max(map(len, _STYLES))


def doctor_command(
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="Try the weights and the engine of these views; by default the settings'.",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check what the program needs: each line is ok, a note, or not ok with what to do.

    Cameras are listed without opening one. Networks are tried in a process of their own, which
    takes some seconds the first time.
    """
    from app.headless.doctor import State, check_up, versions

    console = Console(highlight=False)
    findings: list[Finding] = []
    with progress_bar("looking around", hidden=as_json or quiet) as tell:
        for finding in check_up(preset, tell):
            findings.append(finding)
            if not (as_json or quiet):
                _print(finding, console)
    bad = [finding for finding in findings if finding.state is State.BAD]
    if as_json:
        print_json(
            {
                "ok": not bad,
                "checks": [finding.facts() for finding in findings],
                "versions": versions(),
            }
        )
    if bad:
        names = ", ".join(dict.fromkeys(finding.check for finding in bad))
        first = bad[0]
        what = f"{first.found.rstrip('.')}. {first.advice}".strip() if quiet else "see above."
        stop(f"Not in order: {names}; {what}", ExitCode.UNHEALTHY)


def _print(finding: "Finding", console: Console) -> None:
    """Print one line, and below it what to do."""
    line = Text()
    line.append(finding.state.value.ljust(_WIDTH), _STYLES[finding.state.value])
    line.append(f"  {finding.check}: ", "bold")
    line.append(finding.found)
    console.print(line, soft_wrap=True)
    if finding.advice:
        console.print(Text(f"{' ' * (_WIDTH + 2)}-> {finding.advice}"), soft_wrap=True)
