"""``lmkl-pad weights``: list, fetch, import and verify the files networks learnt from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from app.cli.console import AsJson, download_bar, print_json, say, stop
from app.cli.exit_codes import HELP, ExitCode

if TYPE_CHECKING:
    from lmkl_core.features.weights import Weights, WeightsFile

commands = typer.Typer(
    help="Weights of the networks: what is here, what is missing, and how to get it.",
    no_args_is_help=True,
    epilog=HELP,
)

Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", show_default=False)]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="DIR",
        help="Your folder of weights; otherwise $LMKL_PAD_WEIGHTS or the usual place for data.",
    ),
]


@commands.command("list", epilog=HELP)
def list_command(folder: Folder = None, as_json: AsJson = False) -> None:
    """Show every file of weights: what for, where found, size, licence, checksum."""
    # Imported here, as in every command: --help should not wait for SciPy.
    from app.cli.weights_report import finding_as_json, findings_table
    from lmkl_core.features.weights import inspect, weights_folder
    from lmkl_core.features.weights.catalogue import CATALOGUE

    findings = [inspect(entry, folder) for entry in CATALOGUE]
    place = weights_folder(folder)
    if as_json:
        print_json({"folder": str(place), "weights": [finding_as_json(item) for item in findings]})
        return
    console = Console()
    console.print(findings_table(findings))
    console.print(f"Your folder: {place}", soft_wrap=True, highlight=False, markup=False)
    console.print("`lmkl-pad weights fetch NAME` gets what is missing.", highlight=False)


@commands.command("fetch", epilog=HELP)
def fetch_command(
    names: Names = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="All weights that this preset needs."),
    ] = None,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Download weights by name: resumed, checked, put into your folder.

    The only command that uses the network.
    """
    from lmkl_core.features.weights import fetch

    if not (names or preset):
        stop(
            "Say which weights to fetch; `lmkl-pad weights list` shows their names.", ExitCode.USAGE
        )
    outcome = _Outcome(as_json, folder)
    for entry in _entries(names, preset):
        with outcome.failures(entry.name), _interruptible(entry, folder):
            with download_bar(entry.file_name, hidden=as_json) as progress:
                file = fetch(entry, folder, progress)
            outcome.add(file, "is in")
    outcome.finish()


@commands.command("import", epilog=HELP)
def import_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", show_default=False)],
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Take over files you brought; their content tells which weights they are."""
    from lmkl_core.features.weights import import_file

    outcome = _Outcome(as_json, folder)
    for path in files:
        with outcome.failures(str(path)):
            outcome.add(import_file(path, folder), "was copied to")
    outcome.finish()


@commands.command("verify", epilog=HELP)
def verify_command(names: Names = None, folder: Folder = None, as_json: AsJson = False) -> None:
    """Read files of weights afresh and compare their checksums: all found, or those named."""
    from app.cli.weights_report import finding_as_json, findings_table
    from lmkl_core.features.weights import inspect, verify
    from lmkl_core.features.weights.store import Checksum

    if names:
        findings = [inspect(entry, folder, afresh=True) for entry in _entries(names)]
    else:
        found = verify(folder)
        findings = [item for item in found if item.checksum is not Checksum.NONE]
    if as_json:
        print_json({"weights": [finding_as_json(item) for item in findings]})
    else:
        Console().print(findings_table(findings))
    states = {item.checksum for item in findings}
    if damaged := states & {Checksum.WRONG, Checksum.UNREADABLE}:
        bad = [str(item.path) for item in findings if item.checksum in damaged]
        stop(
            f"Not as they should be: {', '.join(bad)}; delete and get again.", ExitCode.BAD_WEIGHTS
        )
    if Checksum.NONE in states:
        gone = [item.entry.name for item in findings if item.checksum is Checksum.NONE]
        stop(
            f"Missing: {', '.join(gone)}; `lmkl-pad weights fetch` gets them.",
            ExitCode.MISSING_WEIGHTS,
        )


class _Outcome:
    """What became of each file; one that fails does not keep the others from being tried."""

    def __init__(self, as_json: bool, folder: Path | None):
        self._as_json = as_json
        self._folder = folder
        self._done: list[dict[str, Any]] = []
        self._code = ExitCode.OK

    @contextmanager
    def failures(self, what: str) -> Iterator[None]:
        """Turn an error into its sentence and its exit code; the first one counts."""
        from lmkl_core.errors import InvalidInputError
        from lmkl_core.features.weights import (
            MissingWeightsError,
            WrongWeightsError,
            weights_folder,
        )

        try:
            yield
        except MissingWeightsError as error:
            self._fail(what, str(error), ExitCode.MISSING_WEIGHTS)
        except WrongWeightsError as error:
            self._fail(what, str(error), ExitCode.BAD_WEIGHTS)
        except InvalidInputError as error:
            self._fail(what, str(error), ExitCode.BAD_INPUT)
        except OSError as error:
            place = error.filename or weights_folder(self._folder)  # a full disk names no file
            sentence = f"Cannot write {place}: {error.strerror or error}."
            self._fail(what, sentence, ExitCode.UNWRITABLE)

    def add(self, file: "WeightsFile", verb: str) -> None:
        """Note a file that is where it should be."""
        from app.cli.weights_report import file_as_json

        self._done.append(file_as_json(file))
        if not self._as_json:
            typer.echo(f"{file.entry.name}: {file.path.name} {verb} {file.path.parent}")

    def finish(self) -> None:
        """Print what machines asked for and exit with what happened."""
        if self._as_json:
            print_json({"files": self._done})
        if self._code is not ExitCode.OK:
            raise typer.Exit(self._code)

    def _fail(self, what: str, sentence: str, code: ExitCode) -> None:
        self._done.append({"name": what, "error": sentence})
        say(sentence)
        if self._code is ExitCode.OK:
            self._code = code


def _entries(names: list[str] | None, preset: str | None = None) -> "list[Weights]":
    """Return the weights of these names and of a preset's networks, which bear their names."""
    from lmkl_core.errors import InvalidInputError
    from lmkl_core.features.presets import load_preset
    from lmkl_core.features.weights import entry_of

    wanted = list(names or [])
    try:
        if preset is not None:
            wanted += load_preset(preset).networks
        return [entry_of(name) for name in dict.fromkeys(wanted)]
    except InvalidInputError as error:
        stop(str(error), ExitCode.USAGE)


@contextmanager
def _interruptible(entry: "Weights", folder: Path | None) -> Iterator[None]:
    """Let Ctrl-C stop a download and say what is kept of it."""
    from app.cli.weights_report import megabytes
    from lmkl_core.features.weights import inspect

    try:
        yield
    except KeyboardInterrupt:
        kept = inspect(entry, folder).fetched
        stop(
            f"Stopped. {megabytes(kept)} of {entry.file_name} are kept; "
            "the same command goes on from there.",
            ExitCode.INTERRUPTED,
        )
