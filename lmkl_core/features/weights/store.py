"""Find weights in the user's folder and in installed packages, and import files.

A file is used only if its checksum is right. A wrong file in the user's folder is an error and not
ignored, because the user expects it to be used.

Checksums are cached in a small JSON file; an entry is valid while the file's size and times do not
change.
"""

import errno
import hashlib
import importlib.metadata
import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec
import platformdirs

from lmkl_core.errors import (
    InvalidInputError,
    MissingWeightsError,
    WrongWeightsError,
    raise_if_cancelled,
)
from lmkl_core.features.weights import catalogue
from lmkl_core.features.weights.catalogue import Weights, entry_of
from lmkl_core.system.files import cache_folder, make_private, replacing, write_atomically

FOLDER_VARIABLE = "LMKL_PAD_WEIGHTS"
MAX_BYTES = 2 << 30
"""More than any file of weights; larger files are not fetched."""

BLOCK = 1 << 20


class Place(StrEnum):
    """Where weights were found."""

    FOLDER = "folder"
    PACKAGE = "package"
    NOWHERE = "missing"


class Checksum(StrEnum):
    """Outcome of checking a file."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    NONE = "none"


@dataclass(frozen=True)
class Finding:
    """What is known about an entry of the catalogue on this computer."""

    entry: Weights
    place: Place
    checksum: Checksum
    path: Path  # where it is, or should be
    size: int | None = None  # in bytes
    sha256: str = ""
    problem: str = ""  # why it cannot be read
    fetched: int = 0  # bytes of an interrupted download

    def verified(self) -> "Finding":
        """Return the finding if its checksum is right; otherwise raise as `find` does."""
        entry = self.entry
        if self.checksum is Checksum.NONE:
            way = f"get {entry.file_name} {entry.source}"
            if not entry.url:
                way = f"{entry.source}, or get {entry.file_name} elsewhere"
            raise MissingWeightsError(
                f"The weights {entry.name!r} are not on this computer: {way} "
                f"(its SHA-256 {entry.known_digits}) and put it into {self.path.parent}.",
                entry.name if entry.url else "",
            )
        if self.checksum is Checksum.UNREADABLE:
            raise InvalidInputError(f"{self.path} cannot be read: {self.problem}.")
        if self.checksum is Checksum.WRONG:
            raise _wrong_checksum(entry, self.path, self.sha256)
        return self


def weights_folder(folder: Path | str | None = None) -> Path:
    """Return ``folder``, else the value of ``LMKL_PAD_WEIGHTS``, else the default folder."""
    if folder is not None:
        return Path(folder)
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    return Path(platformdirs.user_data_dir("lmkl-pad", False)) / "weights"


def partial_path(entry: Weights, folder: Path | str | None = None) -> Path:
    """Return the path of an entry's incomplete download."""
    return weights_folder(folder) / f"{entry.file_name}.partial"


def find(name: str, folder: Path | str | None = None) -> Finding:
    """Return the file of an entry of the catalogue, with its checksum verified.

    Raises `MissingWeightsError` or `WrongWeightsError`, or `InvalidInputError` if the name is
    unknown or the file cannot be read.
    """
    return inspect(entry_of(name), folder).verified()


def inspect(
    entry: Weights,
    folder: Path | str | None = None,
    *,
    afresh: bool = False,
    cancel: Callable[[], bool] | None = None,
) -> Finding:
    """Look for an entry on this computer; a bad file is a finding, not an error.

    ``afresh`` computes the checksum even if it is cached.
    """
    place, path = Place.FOLDER, weights_folder(folder) / entry.file_name
    if not os.path.lexists(path):
        packaged = _in_package(entry)
        if packaged is None:
            partial = partial_path(entry, folder)
            fetched = partial.stat().st_size if partial.is_file() else 0
            return Finding(entry, Place.NOWHERE, Checksum.NONE, path, fetched=fetched)
        place, path = Place.PACKAGE, packaged
    try:
        digest = sha256_of(path, afresh=afresh, cancel=cancel)
        size = path.stat().st_size
    except OSError as error:
        problem = error.strerror or str(error)
        return Finding(entry, place, Checksum.UNREADABLE, path, problem=problem)
    verdict = Checksum.RIGHT if entry.matches(digest) else Checksum.WRONG
    return Finding(entry, place, verdict, path, size, digest)


def _in_package(entry: Weights) -> Path | None:
    """Return the file in an installed distribution, without importing the package."""
    if entry.package is None:
        return None
    try:
        distribution = importlib.metadata.distribution(entry.package.distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    path = Path(str(distribution.locate_file(entry.package.path)))
    return path if path.is_file() else None


def import_file(
    path: Path | str,
    folder: Path | str | None = None,
    *,
    cancel: Callable[[], bool] | None = None,
) -> Finding:
    """Copy a file of weights, recognised by its content, into the user's folder.

    Raises `WrongWeightsError` if the file has the name of some weights but not their checksum,
    `InvalidInputError` if it is not in the catalogue or cannot be read, and `OSError` if the folder
    cannot be written.
    """
    source = Path(path)
    try:
        digest = sha256_of(source, afresh=True, cancel=cancel)
    except OSError as error:
        raise InvalidInputError(
            f"{source} cannot be read: {error.strerror}; name the file to import."
        ) from error
    entry = _recognise(source, digest)
    target = weights_folder(folder) / entry.file_name
    target.parent.mkdir(parents=True, exist_ok=True)
    copied = hashlib.sha256()
    with replacing(target) as writing:
        with source.open("rb") as reading:
            while block := reading.read(BLOCK):
                raise_if_cancelled(
                    cancel, f"Importing {source.name} was cancelled; nothing was copied."
                )
                copied.update(block)
                writing.write(block)
        if not entry.matches(copied.hexdigest()):  # it changed while it was copied
            raise _wrong_checksum(entry, source, copied.hexdigest())
    os.chmod(target, 0o644)
    return inspect(entry, folder)


def _recognise(source: Path, digest: str) -> Weights:
    for entry in catalogue.CATALOGUE:
        if entry.matches(digest):
            return entry
    for entry in catalogue.CATALOGUE:
        if entry.file_name == source.name:
            raise _wrong_checksum(entry, source, digest)
    names = ", ".join(entry.file_name for entry in catalogue.CATALOGUE)
    raise InvalidInputError(
        f"{source} (SHA-256 {digest}) is not one of the known weights: {names}."
    )


def _wrong_checksum(entry: Weights, path: Path, digest: str) -> WrongWeightsError:
    return WrongWeightsError(
        f"{path} is not the file of the weights {entry.name!r}: its SHA-256 is {digest} instead "
        f"of {entry.known_digits}; delete it and get {entry.file_name} again, {entry.source}."
    )


# ------------------------------------------------- checksums


def sha256_of(path: Path, *, afresh: bool = False, cancel: Callable[[], bool] | None = None) -> str:
    """Return the SHA-256 of a file in lower-case hex digits; ``afresh`` ignores the cache."""
    state = _state(path)  # before `resolve`, which does not raise OSError for a loop of links
    key = str(path.resolve())
    if not afresh and (known := _cached().get(key)) and known[:-1] == state:
        return known[-1]
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            raise_if_cancelled(cancel, f"Checking {path.name} was cancelled.")
            digest.update(block)
    if _state(path) == state:
        _keep(key, (*state, digest.hexdigest()))
    return digest.hexdigest()


def checksums_path() -> Path:
    """Return the path of the cached checksums."""
    return cache_folder() / "checksums.json"


def _state(path: Path) -> tuple[int, int, int]:
    # The change time detects files that were moved here with an old modification time.
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # opening a named pipe would wait for a writer
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _cached() -> dict[str, tuple[int, int, int, str]]:
    try:
        # json, because msgspec cannot decode paths that are not UTF-8.
        values = json.loads(checksums_path().read_bytes())
        return msgspec.convert(values, dict[str, tuple[int, int, int, str]])
    except (OSError, ValueError, RecursionError):
        return {}


def _keep(key: str, entry: tuple[int, int, int, str]) -> None:
    kept = {name: value for name, value in _cached().items() if os.path.exists(name)}
    # If it cannot be written (full disk, read-only home), the next start computes it again.
    with suppress(OSError):
        make_private(checksums_path().parent)
        write_atomically(checksums_path(), json.dumps(kept | {key: entry}, indent=0).encode())
