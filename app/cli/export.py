"""``lmkl-pad export``: a model file once more, or its scorer as ONNX, each compared with it."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import AsJson, Quiet, check_output, print_json, say, stop
from app.cli.exit_codes import ExitCode
from app.cli.passphrases import PassphraseFile, checked, is_asked_for, new_passphrase, open_model

if TYPE_CHECKING:
    from app.models.model import PadModel


class Format(StrEnum):
    """What a model is exported to."""

    MODEL = "model"
    ONNX = "onnx"


PROTECTED = ".lmkl"
SUFFIXES = {".safetensors": Format.MODEL, PROTECTED: Format.MODEL, ".onnx": Format.ONNX}


def export_command(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The model file.", show_default=False)
    ],
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="FILE",
            help="Where to: FILE.onnx for the scorer, FILE.safetensors for the model, FILE.lmkl "
            "for the model behind a passphrase.",
        ),
    ],
    wanted: Annotated[
        Format | None,
        typer.Option("--format", help="Needed where FILE ends in none of them."),
    ] = None,
    passphrase_file: PassphraseFile = None,
    new_passphrase_file: Annotated[
        Path | None,
        typer.Option(
            "--new-passphrase-file",
            metavar="FILE",
            help="Its first line is the passphrase of the new file, where that is another one.",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a model's scorer as ONNX, or the model once more, and compare what was written.

    An older FILE is replaced, but only by one that passed the comparison.
    """
    target = wanted or SUFFIXES.get(to.suffix.lower())
    if target is None:
        stop(
            f"{to.name} does not say what to export: end it in .onnx, .safetensors or .lmkl, or "
            "give --format.",
            ExitCode.USAGE,
        )
    if target is Format.ONNX and to.exists() and model.exists() and to.samefile(model):
        stop(f"{to} is the model itself: name another file for its scorer.", ExitCode.USAGE)
    is_protected = to.suffix.lower() == PROTECTED
    if is_protected and target is Format.ONNX:
        stop(f"A scorer in ONNX cannot be protected: let {to.name} end in .onnx.", ExitCode.USAGE)
    check_output(to)
    loaded, passphrase = open_model(model, passphrase_file, reads_only=False)
    if is_protected:
        passphrase = _new_passphrase(to, passphrase, passphrase_file, new_passphrase_file)
    else:
        _check_unprotected(to, loaded, passphrase_file, new_passphrase_file)
        passphrase = None
    report = _exported(loaded, to, target, passphrase)
    if as_json:
        print_json(report)
    elif not quiet:
        model_facts = report["model"]
        threshold = model_facts["threshold"]["value"]
        typer.echo(f"Wrote {report['file']} ({report['bytes'] / 1e6:.1f} MB).")
        typer.echo(report["statement"])
        typer.echo(f"Model {model_facts['digest'][:12]}; accept when score >= {threshold:.4f}.")


def _new_passphrase(
    to: Path, old: str | None, passphrase_file: Path | None, new_passphrase_file: Path | None
) -> str:
    """Return the passphrase of the new file: another one, or the old one where none is given."""
    if new_passphrase_file is not None or old is None:
        return new_passphrase(to, new_passphrase_file or passphrase_file)
    if is_asked_for(passphrase_file):
        return new_passphrase(to, None, kept=old)
    return checked(old)


def _check_unprotected(
    to: Path, model: "PadModel", passphrase_file: Path | None, new_passphrase_file: Path | None
) -> None:
    """Refuse a passphrase that would protect nothing; tell what loses its protection."""
    if new_passphrase_file is not None or (passphrase_file is not None and not model.is_protected):
        stop(
            f"{to.name} would not be protected: let its name end in {PROTECTED}, or leave out the "
            "passphrase.",
            ExitCode.USAGE,
        )
    if model.is_protected:
        say(f"{to.name} is not protected: whoever gets it has the features that the model holds.")


def _exported(
    model: "PadModel", to: Path, target: Format, passphrase: str | None
) -> dict[str, Any]:
    """Export, and return what happened as JSON values."""
    # Imported here: --help should not wait for SciPy.
    from app.headless.summaries import named_facts
    from lmkl_core.errors import ModelFileError

    try:
        if target is Format.ONNX:
            statement, parity = _scorer(model, to)
        else:
            statement, parity = _model(model, to, passphrase)
    except ModelFileError as error:
        if isinstance(error.__cause__, OSError):
            stop(str(error), ExitCode.UNWRITABLE)
        raise
    return {
        "file": str(to),
        "format": target.value,
        "is_protected": passphrase is not None,
        "bytes": to.stat().st_size,
        "model": named_facts(model),
        "views": list(model.view_names),
        "statement": statement,
        "parity": parity,
    }


def _scorer(model: "PadModel", to: Path) -> tuple[str, dict[str, Any]]:
    from app.models.onnx_export import export_scorer

    made = export_scorer(model, to)
    found = asdict(made.parity)
    compared = {"n_compared": found.pop("n_rows"), "largest_difference": found.pop("score")}
    return made.statement, {"engine": "onnxruntime", **compared, **found}


def _model(model: "PadModel", to: Path, passphrase: str | None) -> tuple[str, dict[str, Any]]:
    from app.models.files import save

    saved = save(model, to, passphrase=passphrase)
    return saved.statement, {
        "engine": "lmkl-pad",
        "n_compared": saved.n_compared,
        "largest_difference": saved.largest_difference,
    }
