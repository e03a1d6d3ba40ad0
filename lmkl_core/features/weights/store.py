"""Find weights in the user's folder and in installed packages, and import files by hand.

A file counts only with the right checksum. A wrong one in the user's folder is refused rather than
passed over, because the user who put it there believes that it is used.
"""

import hashlib
import importlib.metadata
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs

from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop
from lmkl_core.features.weights import catalogue
from lmkl_core.features.weights.catalogue import Weights, entry_of
from lmkl_core.features.weights.checksums import BLOCK, sha256_of
from lmkl_core.system.files import replacing

FOLDER_VARIABLE = "LMKL_PAD_WEIGHTS"
PARTIAL_SUFFIX = ".partial"
MAX_BYTES = 2 << 30
"""More than any file of weights has; what is larger is neither fetched nor imported."""

_LFS_POINTER = b"version https://git-lfs"


class MissingWeightsError(InvalidInputError):
    """Weights that are nowhere; the message says where to get them and where to put them."""


class WrongWeightsError(InvalidInputError):
    """A file whose checksum is not that of the weights it stands for."""


@dataclass(frozen=True)
class WeightsFile:
    """A file of weights that was found and is whole."""

    path: Path
    sha256: str
    entry: Weights


class Place(StrEnum):
    """Where weights were found."""

    FOLDER = "folder"
    PACKAGE = "package"
    NOWHERE = "missing"


class Checksum(StrEnum):
    """What the checksum of a file says."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    NONE = "none"


@dataclass(frozen=True)
class Finding:
    """What is known of one entry on this computer."""

    entry: Weights
    place: Place
    checksum: Checksum
    path: Path | None = None
    size: int | None = None  # in bytes
    sha256: str = ""
    problem: str = ""  # why it cannot be read
    fetched: int = 0  # bytes of a download that broke off and can go on


def weights_folder(folder: Path | str | None = None) -> Path:
    """Return the user's folder of weights, which need not exist.

    ``folder`` is taken as it is. Otherwise the environment's ``LMKL_PAD_WEIGHTS`` counts, and then
    the usual place for a program's data on this system.
    """
    if folder is not None:
        return Path(folder)
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    return Path(platformdirs.user_data_dir("lmkl-pad", False)) / "weights"


def find(name: str, folder: Path | str | None = None) -> WeightsFile:
    """Return the file of some weights of the catalogue, with its checksum verified.

    Raises
    ------
    MissingWeightsError
        If it is nowhere: the message says where to get it and where to put it.
    WrongWeightsError
        If the file's checksum is wrong; both checksums are named.
    InvalidInputError
        If there are no such weights, or the file cannot be read.
    """
    return whole_file(inspect(entry_of(name), folder), weights_folder(folder))


def whole_file(finding: Finding, folder: Path) -> WeightsFile:
    """Return the file of a finding, or raise what `find` does if there is none that is whole."""
    entry = finding.entry
    if finding.path is None:
        way = f"run `lmkl-pad weights fetch {entry.name}`, or without internet"
        raise MissingWeightsError(
            f"The weights {entry.name!r} are not on this computer: "
            f"{way if entry.url else f'{entry.source}, or'} bring {entry.file_name} "
            f"({entry.source}; its SHA-256 {entry.known_digits}) and {put_where(folder)}"
        )
    if finding.checksum is Checksum.UNREADABLE:
        raise InvalidInputError(f"{finding.path} cannot be read: {finding.problem}.")
    if finding.checksum is Checksum.WRONG:
        raise _wrong_checksum(entry, finding.path, finding.sha256)
    return WeightsFile(finding.path, finding.sha256, entry)


def inspect(
    entry: Weights,
    folder: Path | str | None = None,
    *,
    afresh: bool = False,
    cancel: Callable[[], bool] | None = None,
) -> Finding:
    """Say what is known of one entry on this computer; nothing is raised for a bad file.

    ``afresh`` reads the whole file even if its checksum is remembered.
    """
    place, path = _locate(entry, weights_folder(folder))
    if path is None:
        partial = partial_path(entry, folder)
        fetched = partial.stat().st_size if partial.is_file() else 0
        return Finding(entry, place, Checksum.NONE, fetched=fetched)
    try:
        digest = sha256_of(path, afresh=afresh, cancel=cancel)
        size = path.stat().st_size
    except OSError as error:
        problem = error.strerror or str(error)
        return Finding(entry, place, Checksum.UNREADABLE, path, problem=problem)
    verdict = Checksum.RIGHT if entry.matches(digest) else Checksum.WRONG
    return Finding(entry, place, verdict, path, size, digest)


def verify(
    folder: Path | str | None = None, *, cancel: Callable[[], bool] | None = None
) -> tuple[Finding, ...]:
    """Read every file of weights afresh; return one finding for each entry of the catalogue."""
    return tuple(
        inspect(entry, folder, afresh=True, cancel=cancel) for entry in catalogue.CATALOGUE
    )


def partial_path(entry: Weights, folder: Path | str | None = None) -> Path:
    """Return where a download of the entry grows."""
    return weights_folder(folder) / (entry.file_name + PARTIAL_SUFFIX)


def _locate(entry: Weights, folder: Path) -> tuple[Place, Path | None]:
    brought = folder / entry.file_name
    if os.path.lexists(brought):
        return Place.FOLDER, brought
    packaged = _in_package(entry)
    if packaged is not None:
        return Place.PACKAGE, packaged
    return Place.NOWHERE, None


def _in_package(entry: Weights) -> Path | None:
    """Return the file in the installed distribution, without importing what it installs."""
    if entry.package is None:
        return None
    try:
        distribution = importlib.metadata.distribution(entry.package.distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    path = Path(str(distribution.locate_file(entry.package.path)))
    return path if path.is_file() else None


def put_where(folder: Path) -> str:
    """Say what to do with a file that was brought, as the end of a sentence."""
    return f"run `lmkl-pad weights import FILE`, or put it into {folder}."


def import_file(
    path: Path | str,
    folder: Path | str | None = None,
    *,
    cancel: Callable[[], bool] | None = None,
) -> WeightsFile:
    """Copy a file of weights into the user's folder, under the name it has there.

    Its content decides which weights it is, whatever its name. The copy takes its place whole.

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
    entry = _recognise(source, sha256_of(source, afresh=True, cancel=cancel))
    target = target_folder / entry.file_name
    copied = hashlib.sha256()
    with replacing(target) as writing:
        with source.open("rb") as reading:
            while block := reading.read(BLOCK):
                if asked_to_stop(cancel):
                    raise Cancelled(f"Importing {source.name} was cancelled; nothing was copied.")
                copied.update(block)
                writing.write(block)
        if not entry.matches(copied.hexdigest()):  # it has changed meanwhile
            raise _wrong_checksum(entry, source, copied.hexdigest())
    os.chmod(target, 0o644)
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


def _recognise(source: Path, digest: str) -> Weights:
    for entry in catalogue.CATALOGUE:
        if entry.matches(digest):
            return entry
    for entry in catalogue.CATALOGUE:
        if entry.file_name == source.name:
            raise _wrong_checksum(entry, source, digest)
    names = ", ".join(entry.file_name for entry in catalogue.CATALOGUE)
    raise InvalidInputError(
        f"{source} (SHA-256 {digest}) is none of the weights this program uses: {names}."
    )


def _wrong_checksum(entry: Weights, path: Path, digest: str) -> WrongWeightsError:
    return WrongWeightsError(
        f"{path} is not the file of the weights {entry.name!r}: its SHA-256 is {digest}, but the "
        f"right one {entry.known_digits}; delete it and get {entry.file_name} again, "
        f"{entry.source}."
    )
