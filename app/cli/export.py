"""``lmkl-pad export``: copy a model or write its scorer as ONNX, and compare the result."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

import typer

from app.cli.console import AS_JSON, MODEL_FILE, QUIET, ExitCode, option, print_json, stop
from app.cli.models import PASSPHRASE_FILE, named_facts, open_model, parity_facts, passphrase_for
from app.cli.outputs import check_output
from app.models.files import PROTECTED_SUFFIX, save
from app.models.onnx_export import export_scorer
from lmkl_core.errors import ModelFileError


class Format(StrEnum):
    MODEL = "model"
    ONNX = "onnx"


_BY_SUFFIX = {".safetensors": Format.MODEL, ".lmkl": Format.MODEL, ".onnx": Format.ONNX}


def command(
    model_file: Path = MODEL_FILE,
    to: Path = option(
        "--to FILE",
        "FILE.onnx for the scorer, FILE.safetensors for the model, FILE.lmkl for the model with "
        "a passphrase.",
        ...,
    ),
    wanted: Format | None = option("--format", "Needed if FILE has another suffix."),
    passphrase_file: Path | None = PASSPHRASE_FILE,
    new_passphrase_file: Path | None = option(
        "--new-passphrase-file FILE",
        "File whose first line is the new file's passphrase.",
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Write a model's scorer as ONNX, or copy the model, and compare the result.

    An existing FILE is replaced only if the comparison succeeds.
    """
    target = wanted or _BY_SUFFIX.get(to.suffix.lower())
    if target is None:
        stop(
            f"The format of {to.name} is unknown: use .onnx, .safetensors or .lmkl, or give "
            "--format.",
            ExitCode.USAGE,
        )
    if target is Format.ONNX and to.exists() and model_file.exists() and to.samefile(model_file):
        stop(f"{to} is the model itself: choose another file for its scorer.", ExitCode.USAGE)
    if target is Format.ONNX and to.suffix.lower() == PROTECTED_SUFFIX:
        stop(
            f"An ONNX scorer cannot be protected: name it FILE.onnx instead of {to.name}.",
            ExitCode.USAGE,
        )
    check_output(to)
    model, passphrase = open_model(model_file, passphrase_file, reads_only=False)
    passphrase = passphrase_for(
        to, passphrase, passphrase_file, new_passphrase_file, may_change=True
    )
    try:
        if target is Format.ONNX:
            exported = export_scorer(model, to)
            statement = exported.statement
            parity = asdict(exported.parity)
            compared = parity_facts("onnxruntime", parity.pop("n_rows"), parity.pop("score"))
            parity = compared | parity
        else:
            saved = save(model, to, passphrase=passphrase)
            statement = saved.statement
            parity = parity_facts("lmkl-pad", saved.n_compared, saved.largest_difference)
    except ModelFileError as error:
        if isinstance(error.__cause__, OSError):
            stop(str(error), ExitCode.UNWRITABLE)
        raise
    facts, n_bytes = named_facts(model), to.stat().st_size
    if as_json:
        print_json(
            {
                "file": str(to),
                "format": target.value,
                "is_protected": passphrase is not None,
                "bytes": n_bytes,
                "model": facts,
                "views": list(model.view_names),
                "statement": statement,
                "parity": parity,
            }
        )
    elif not quiet:
        threshold = facts["threshold"]["value"]
        typer.echo(f"Wrote {to} ({n_bytes / 1e6:.1f} MB).")
        typer.echo(statement)
        typer.echo(f"Model {model.digest[:12]}; accept when score >= {threshold:.4f}.")
