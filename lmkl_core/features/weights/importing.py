"""Take over a file that a person brought, once it is known which weights it holds."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop
from lmkl_core.features.weights import catalogue
from lmkl_core.features.weights.catalogue import Weights
from lmkl_core.features.weights.checksums import BLOCK, sha256_of
from lmkl_core.features.weights.errors import wrong_checksum
from lmkl_core.features.weights.store import WeightsFile, weights_folder

MAX_BYTES = 2 << 30
"""More than any file of weights has; what is larger is not read."""

_LFS_POINTER = b"version https://git-lfs"


def import_file(
    path: Path | str,
    folder: Path | str | None = None,
    *,
    cancel: Callable[[], bool] | None = None,
) -> WeightsFile:
    """Copy a file of weights into the person's folder, under the name it has there.

    Its content decides which weights it is, whatever its name. It is copied beside its place and
    then moved, so that there is never half a file.

    Parameters
    ----------
    path : Path or str
        The file.
    folder : Path or str, optional
        The person's folder; see `weights_folder`.
    cancel : callable, optional
        Asked now and then whether to stop.

    Raises
    ------
    WrongWeightsError
        If its name is that of some weights, but not its checksum.
    InvalidInputError
        If it is no weights of ours, or cannot be read.
    OSError
        If the folder cannot be written.
    Cancelled
        If ``cancel`` said so.
    """
    source, target_folder = Path(path), weights_folder(folder)
    _check_readable(source)
    target_folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".import-", dir=target_folder)
    os.close(handle)
    try:
        digest = _copy(source, Path(temporary), cancel)
        entry = _recognise(source, digest)
        target = target_folder / entry.file_name
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return WeightsFile(target, sha256_of(target), entry)


def _check_readable(source: Path) -> None:
    try:
        if not source.is_file():
            what = "is a folder" if source.is_dir() else "is not there"
            raise InvalidInputError(f"{source} {what}: name the file to import.")
        size = source.stat().st_size
        with source.open("rb") as file:
            start = file.read(len(_LFS_POINTER))
    except OSError as error:
        raise InvalidInputError(f"{source} cannot be read: {error.strerror}.") from error
    if size > MAX_BYTES:
        raise InvalidInputError(f"{source} is larger than any file of weights; nothing was copied.")
    if start == _LFS_POINTER:
        raise InvalidInputError(
            f"{source} only points to the file (Git LFS): download the file itself, "
            "for instance with the site's download button."
        )


def _copy(source: Path, target: Path, cancel: Callable[[], bool] | None) -> str:
    """Copy and return the checksum of what was copied."""
    digest = hashlib.sha256()
    with source.open("rb") as reading, target.open("wb") as writing:
        while block := reading.read(BLOCK):
            if asked_to_stop(cancel):
                raise Cancelled(f"Importing {source.name} was cancelled; nothing was copied.")
            digest.update(block)
            writing.write(block)
        writing.flush()
        os.fsync(writing.fileno())
    return digest.hexdigest()


def _recognise(source: Path, digest: str) -> Weights:
    for entry in catalogue.CATALOGUE:
        if entry.matches(digest):
            return entry
    for entry in catalogue.CATALOGUE:
        if entry.file_name == source.name:
            raise wrong_checksum(entry, source, digest)
    names = ", ".join(entry.file_name for entry in catalogue.CATALOGUE)
    raise InvalidInputError(
        f"{source} (SHA-256 {digest}) is none of the weights this program uses: {names}."
    )
