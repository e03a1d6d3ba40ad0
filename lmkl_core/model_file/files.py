"""Save and load models."""

import io
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from lmkl_core.errors import InvalidInputError, ModelFileError, shortened
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.model_file.container import (
    ANOTHER_FILE,
    Refused,
    opened,
    read_header,
    read_tensors,
    seal,
)
from lmkl_core.model_file.manifest import Manifest, parse_manifest, restored_settings
from lmkl_core.model_file.sealed import MAGIC, decrypted, encrypted
from lmkl_core.model_file.state import describe, rebuild, transposed
from lmkl_core.model_file.tensors import check_layout, check_values
from lmkl_core.system.files import write_atomically

MAX_BYTES = 2 << 30
UNFORESEEN = "it cannot be interpreted"
"""Reason for errors that no check foresaw; there should be none."""


def save_model(
    model: LocalisedMKL,
    path: str | os.PathLike[str],
    *,
    extra: Mapping[str, Any] | None = None,
    created: datetime | None = None,
    passphrase: str | None = None,
) -> None:
    """Write a fitted model to one file, atomically and readable by its owner only.

    The new contents are loaded as a check before they replace an older file. A `RandomState` as
    ``random_state`` is stored as ``None``.

    Parameters
    ----------
    model, path : LocalisedMKL, path-like
        The fitted model and its file.
    extra : mapping, optional
        JSON values to store with the model, at most 64 KiB, such as checksums.
    created : datetime, optional
        Creation time instead of now; the same model then gives the same bytes, unless encrypted.
    passphrase : str, optional
        Encrypt the file (`lmkl_core.model_file.sealed`).

    Raises
    ------
    ModelFileError, InvalidInputError, OSError
        If the model cannot be stored, the passphrase cannot be used, or writing fails.
    """
    data = to_bytes(model, extra=extra, created=created, passphrase=passphrase)
    write_atomically(Path(path), data)


def load_model(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, passphrase: str | None = None
) -> LocalisedMKL:
    """Load a model saved by `save_model`; the file may be hostile.

    On the same machine, scores equal those of the saved model bit for bit.

    Parameters
    ----------
    path : path-like
    max_bytes : int
        Larger files are refused without reading them.
    passphrase : str, optional
        Passphrase of a protected file; with it, unprotected files are refused.

    Raises
    ------
    ModelFileError
        For anything wrong with a file: `PassphraseNeeded` if it is protected and no passphrase was
        given, `WrongPassphrase` if it cannot be decrypted.
    """
    return load_with_manifest(path, max_bytes=max_bytes, passphrase=passphrase)[0]


def load_with_manifest(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, passphrase: str | None = None
) -> tuple[LocalisedMKL, Manifest]:
    """Load a model like `load_model`, and also return its manifest."""
    path = Path(path)
    try:
        with opened(path, max_bytes) as (stream, size):
            return _read_any(stream, size, passphrase)
    except Exception as error:
        raise _refusal(path.name, error) from error


def to_bytes(
    model: LocalisedMKL,
    *,
    extra: Mapping[str, Any] | None = None,
    created: datetime | None = None,
    passphrase: str | None = None,
) -> bytes:
    """Return the contents of a model file, after loading them as a check."""
    if not isinstance(model, LocalisedMKL):
        raise InvalidInputError(f"A {type(model).__name__} cannot be saved: pass a LocalisedMKL.")
    check_is_fitted(model)
    failed = "The model cannot be saved because"
    try:
        manifest, tensors = describe(model, created, extra)
        data = seal(manifest.document(), tensors)
        _read(io.BytesIO(data), len(data))
    except (Refused, ValueError, RecursionError) as error:
        reason = error.reason if isinstance(error, Refused) else shortened(str(error), 200)
        raise ModelFileError(f"{failed} {reason}.") from error
    try:
        return data if passphrase is None else encrypted(data, passphrase)
    except Refused as error:
        raise ModelFileError(f"{failed} {error.reason}: {error.way_out}.") from error


def from_bytes(
    data: bytes, name: str = "", *, passphrase: str | None = None
) -> tuple[LocalisedMKL, Manifest]:
    """Load a model from the contents of its file; ``name`` is for messages."""
    try:
        return _read_any(io.BytesIO(data), len(data), passphrase)
    except Exception as error:
        raise _refusal(name, error) from error


def _read_any(
    stream: io.BufferedIOBase, size: int, passphrase: str | None
) -> tuple[LocalisedMKL, Manifest]:
    """Read a file; its first bytes say whether it is protected."""
    is_protected = stream.read(len(MAGIC)) == MAGIC
    stream.seek(0)
    if is_protected:
        data = decrypted(stream, size, passphrase)
        return _read(io.BytesIO(data), len(data))
    if passphrase is not None:
        raise Refused(
            "it is not protected, though a passphrase was given",
            "make sure that it was not replaced, then open it without a passphrase",
        )
    return _read(stream, size)


def _read(stream: io.BufferedIOBase, size: int) -> tuple[LocalisedMKL, Manifest]:
    """Read the file step by step; every step relies on the checks before it."""
    header = read_header(stream, size)
    manifest = parse_manifest(header.document)
    settings = restored_settings(manifest)
    check_layout(manifest, header.places)
    tensors = transposed(manifest, read_tensors(stream, header))
    check_values(manifest, settings, tensors)
    return rebuild(manifest, settings, tensors), manifest


def _refusal(name: str, error: Exception) -> ModelFileError:
    """Return an error that says why a file was refused, for any exception."""
    match error:
        case Refused():
            refused = error
        case FileNotFoundError():
            refused = Refused("there is no such file", "check the path")
        case IsADirectoryError():
            refused = Refused("it is a folder", ANOTHER_FILE)
        case OSError():
            reason = f"it cannot be read ({error.strerror or error})"
            refused = Refused(reason, "check its permissions and the disk")
        case MemoryError():
            refused = Refused("it does not fit into memory", "close other programs")
        case _:
            reason = f"{type(error).__name__}: {shortened(str(error), 100)}"
            refused = Refused(f"{UNFORESEEN} ({reason})")
    return refused.kind(
        f"Model file {shortened(name, 80)!r} cannot be used because {refused.reason}: "
        f"{refused.way_out}."
    )
