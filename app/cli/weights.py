"""``lmkl-pad weights``: list, fetch, import and verify the weights of networks."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from app.cli.console import (
    AS_JSON,
    HELP,
    ExitCode,
    option,
    print_json,
    progress_bar,
    say,
    stop,
    text_table,
)
from app.names import with_command
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.presets import load_preset
from lmkl_core.features.weights import (
    MissingWeightsError,
    Weights,
    WrongWeightsError,
    catalogue,
    entry_of,
    fetch,
    import_file,
    inspect,
    weights_folder,
)
from lmkl_core.features.weights.store import Checksum, Finding, Place

command = typer.Typer(
    help="List, fetch, import and verify the weights of networks.",
    no_args_is_help=True,
    add_completion=False,
    epilog=HELP,
)

NAMES = typer.Argument(None, metavar="NAME", help="Names from `lmkl-pad weights list`.")
FOLDER = option(
    "--folder DIR",
    "Folder for weights; by default $LMKL_PAD_WEIGHTS or the data folder.",
)


@command.command("list", epilog=HELP)
def list_command(folder: Path | None = FOLDER, as_json: bool = AS_JSON) -> None:
    """List all weights with their use, place, checksum, licence and size."""
    findings = [inspect(entry, folder) for entry in catalogue.CATALOGUE]
    own_folder = weights_folder(folder)
    if as_json:
        print_json(
            {"folder": str(own_folder), "weights": [finding_as_json(item) for item in findings]}
        )
        return
    console = Console()
    console.print(findings_table(findings))
    console.print(f"Your folder: {own_folder}", soft_wrap=True, highlight=False, markup=False)
    console.print("Get missing weights with `lmkl-pad weights fetch NAME`.", highlight=False)


@command.command("fetch", epilog=HELP)
def fetch_command(
    names: list[str] | None = NAMES,
    preset: str | None = option("--preset NAME", "Fetch all weights of this preset."),
    folder: Path | None = FOLDER,
    as_json: bool = AS_JSON,
) -> None:
    """Download weights by name, resuming and verifying them.

    The only command that downloads anything.
    """
    if not (names or preset):
        stop("Name the weights to fetch: `lmkl-pad weights list` shows the names.", ExitCode.USAGE)
    wanted = {
        entry.name: partial(_fetched, entry, folder, hidden=as_json)
        for entry in _entries(names, preset)
    }
    _carry_out(wanted, "is in", folder, as_json)


def _fetched(entry: Weights, folder: Path | None, *, hidden: bool) -> Finding:
    """Download weights; after Ctrl-C, say how much is kept."""
    name = entry.file_name
    try:
        with progress_bar(name, hidden=hidden, in_bytes=True) as progress:
            return fetch(entry, folder, lambda done, total: progress(done, total, name))
    except KeyboardInterrupt:
        kept = decimal(inspect(entry, folder).fetched)
        stop(f"Stopped. {kept} of {name} are kept; the same command resumes.", ExitCode.INTERRUPTED)


@command.command("import", epilog=HELP)
def import_command(
    files: list[Path] = typer.Argument(
        ..., metavar="FILE", help="Downloaded weights, with any name.", readable=False
    ),
    folder: Path | None = FOLDER,
    as_json: bool = AS_JSON,
) -> None:
    """Copy downloaded weights into the folder; they are recognised by their content."""
    wanted = {str(path): partial(import_file, path, folder) for path in files}
    _carry_out(wanted, "was copied to", folder, as_json)


@command.command("verify", epilog=HELP)
def verify_command(
    names: list[str] | None = NAMES, folder: Path | None = FOLDER, as_json: bool = AS_JSON
) -> None:
    """Verify the checksums of all installed weights, or of those named."""
    entries = _entries(names) if names else catalogue.CATALOGUE
    findings = [inspect(entry, folder, afresh=True) for entry in entries]
    if not names:
        findings = [item for item in findings if item.checksum is not Checksum.NONE]
    if as_json:
        print_json({"weights": [finding_as_json(item) for item in findings]})
    else:
        Console().print(findings_table(findings))
    if bad := [str(item.path) for item in findings if item.checksum in DAMAGED]:
        stop(f"Damaged: {', '.join(bad)}; delete them and fetch them again.", ExitCode.BAD_WEIGHTS)
    if gone := [item.entry.name for item in findings if item.checksum is Checksum.NONE]:
        stop(
            f"Missing: {', '.join(gone)}; get them with `lmkl-pad weights fetch`.",
            ExitCode.MISSING_WEIGHTS,
        )


def _carry_out(
    wanted: Mapping[str, Callable[[], Finding]], verb: str, folder: Path | None, as_json: bool
) -> None:
    """Get every file, even after a failure; the first failure determines the exit code."""
    outcomes: list[dict[str, str]] = []
    failed = ExitCode.OK
    for name, act in wanted.items():
        try:
            file = act()
        except (InvalidInputError, OSError) as error:
            sentence, code = _failure(error, folder)
            say(sentence)
            outcomes.append({"name": name, "error": sentence})
            failed = failed or code
            continue
        outcomes.append({"name": file.entry.name, "path": str(file.path), "sha256": file.sha256})
        if not as_json:
            typer.echo(f"{file.entry.name}: {file.path.name} {verb} {file.path.parent}")
    if as_json:
        print_json({"files": outcomes})
    if failed is not ExitCode.OK:
        raise typer.Exit(failed)


def _failure(error: InvalidInputError | OSError, folder: Path | None) -> tuple[str, ExitCode]:
    if isinstance(error, (MissingWeightsError, EngineError)):
        return with_command(error), ExitCode.MISSING_WEIGHTS
    if isinstance(error, WrongWeightsError):
        return with_command(error), ExitCode.BAD_WEIGHTS
    if isinstance(error, InvalidInputError):
        return str(error), ExitCode.BAD_INPUT
    place = error.filename or weights_folder(folder)  # the error of a full disk has no file name
    return f"Cannot write {place}: {error.strerror or error}.", ExitCode.UNWRITABLE


def _entries(names: list[str] | None, preset: str | None = None) -> list[Weights]:
    """Return the weights with these names and those of a preset's networks."""
    wanted = list(names or [])
    try:
        if preset is not None:
            wanted += load_preset(preset).networks
        return [entry_of(name) for name in dict.fromkeys(wanted)]
    except InvalidInputError as error:
        stop(str(error), ExitCode.USAGE)


DAMAGED = (Checksum.WRONG, Checksum.UNREADABLE)


def findings_table(findings: list[Finding]) -> Table:
    """Return a table with name and use, place, checksum, licence and size of each entry."""
    rows = []
    for finding in findings:
        entry, where, checksum = finding.entry, finding.place.value, Text(finding.checksum.value)
        if finding.checksum in DAMAGED:
            checksum = Text(finding.checksum.value.upper(), "bold red")
        if finding.place is Place.NOWHERE and finding.fetched:
            where = f"missing, {decimal(finding.fetched)} fetched"
        if finding.checksum is Checksum.RIGHT and not entry.is_pinned:
            checksum.append(f", {len(entry.sha256)} digits")
        size = finding.size or entry.size
        name = Text.assemble((entry.name, "bold"), f"\n{entry.what}")
        rows.append((name, where, checksum, entry.licence, decimal(size) if size else "-"))
    headings = ("name and use", "where", "checksum")
    return text_table("Weights", headings, ("licence", "size"), rows)


def finding_as_json(finding: Finding) -> dict[str, Any]:
    entry = finding.entry
    return {
        "name": entry.name,
        "what": entry.what,
        "file": entry.file_name,
        "licence": entry.licence,
        "package": None if entry.package is None else entry.package.distribution,
        "url": entry.url or None,
        "expected_size": entry.size,
        "expected_sha256": entry.sha256,
        "place": finding.place.value,
        "path": None if finding.place is Place.NOWHERE else str(finding.path),
        "size": finding.size,
        "sha256": finding.sha256 or None,
        "checksum": finding.checksum.value,
        "problem": finding.problem or None,
        "fetched_bytes": finding.fetched,
    }
