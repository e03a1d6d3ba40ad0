"""``lmkl-pad export``: a model file once more, or its scorer as ONNX, each compared with it."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import AsJson, Quiet, check_output, print_json, stop
from app.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from app.models.model import PadModel


class Format(StrEnum):
    """What a model is exported to."""

    MODEL = "model"
    ONNX = "onnx"


SUFFIXES = {".safetensors": Format.MODEL, ".onnx": Format.ONNX}


def export_command(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The model file.", show_default=False)
    ],
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="FILE",
            help="Where to: FILE.onnx for the scorer, FILE.safetensors for the model.",
        ),
    ],
    wanted: Annotated[
        Format | None,
        typer.Option("--format", help="Needed where FILE ends in neither."),
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
            f"{to.name} does not say what to export: end it in .onnx or .safetensors, or give "
            "--format.",
            ExitCode.USAGE,
        )
    if target is Format.ONNX and to.exists() and model.exists() and to.samefile(model):
        stop(f"{to} is the model itself: name another file for its scorer.", ExitCode.USAGE)
    check_output(to)
    report = _exported(model, to, target)
    if as_json:
        print_json(report)
    elif not quiet:
        model_facts = report["model"]
        threshold = model_facts["threshold"]["value"]
        typer.echo(f"Wrote {report['file']} ({report['bytes'] / 1e6:.1f} MB).")
        typer.echo(report["statement"])
        typer.echo(f"Model {model_facts['digest'][:12]}; accept when score >= {threshold:.4f}.")


def _exported(source: Path, to: Path, target: Format) -> dict[str, Any]:
    """Export, and return what happened as JSON values."""
    # Imported here: --help should not wait for SciPy.
    from app.headless.facts import named_facts
    from app.models.files import load
    from lmkl_core.errors import ModelFileError

    model = load(source)
    export = _scorer if target is Format.ONNX else _model
    try:
        statement, parity = export(model, to)
    except ModelFileError as error:
        if isinstance(error.__cause__, OSError):
            stop(str(error), ExitCode.UNWRITABLE)
        raise
    return {
        "file": str(to),
        "format": target.value,
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


def _model(model: "PadModel", to: Path) -> tuple[str, dict[str, Any]]:
    from app.models.files import save

    saved = save(model, to)
    return saved.statement, {
        "engine": "lmkl-pad",
        "n_compared": saved.n_compared,
        "largest_difference": saved.largest_difference,
    }
