"""Find weights on this computer: in the person's folder, in packages, in what a build ships.

A file counts only with the right checksum. A wrong one in the person's folder is refused rather
than passed over, because whoever put it there believes that it is used.
"""

import importlib.metadata
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.weights import catalogue
from lmkl_core.features.weights.catalogue import Weights, entry_of
from lmkl_core.features.weights.checksums import sha256_of
from lmkl_core.features.weights.errors import missing, wrong_checksum

FOLDER_VARIABLE = "LMKL_PAD_WEIGHTS"
PARTIAL_SUFFIX = ".partial"


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
    """What is known of one entry on this computer.

    Attributes
    ----------
    entry : Weights
        What was looked for.
    place : Place
        Where it lies.
    checksum : Checksum
        What its checksum says; NONE where there is no file.
    path : Path or None
        The file.
    size : int or None
        Its bytes.
    sha256 : str
        Its checksum; empty where there is no file or it cannot be read.
    problem : str
        Why it cannot be read; empty otherwise.
    fetched : int
        Bytes of a download that was broken off and can go on.
    """

    entry: Weights
    place: Place
    checksum: Checksum
    path: Path | None = None
    size: int | None = None
    sha256: str = ""
    problem: str = ""
    fetched: int = 0


def weights_folder(folder: Path | str | None = None) -> Path:
    """Return the person's folder of weights, which need not exist.

    Parameters
    ----------
    folder : Path or str, optional
        Taken as it is. Otherwise the environment's ``LMKL_PAD_WEIGHTS`` counts, and then the
        usual place for a program's data on this system.
    """
    if folder is not None:
        return Path(folder)
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    return Path(platformdirs.user_data_dir("lmkl-pad", False)) / "weights"


def find(name: str, folder: Path | str | None = None) -> WeightsFile:
    """Return the file of some weights, with its checksum verified.

    Parameters
    ----------
    name : str
        Name in the catalogue.
    folder : Path or str, optional
        The person's folder; see `weights_folder`.

    Raises
    ------
    MissingWeightsError
        If it is nowhere: the sentence says where to get it and where to put it.
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
        raise missing(entry, folder)
    if finding.checksum is Checksum.UNREADABLE:
        raise InvalidInputError(f"{finding.path} cannot be read: {finding.problem}.")
    if finding.checksum is Checksum.WRONG:
        raise wrong_checksum(entry, finding.path, finding.sha256)
    return WeightsFile(finding.path, finding.sha256, entry)


def inspect(
    entry: Weights,
    folder: Path | str | None = None,
    *,
    afresh: bool = False,
    cancel: Callable[[], bool] | None = None,
) -> Finding:
    """Say what is known of one entry on this computer; nothing is raised for a bad file.

    Parameters
    ----------
    entry : Weights
        What to look for.
    folder : Path or str, optional
        The person's folder; see `weights_folder`.
    afresh : bool
        Read the whole file even if its checksum is remembered.
    cancel : callable, optional
        Asked now and then whether to stop.
    """
    place, path = _locate(entry, weights_folder(folder))
    if path is None:
        fetched = _bytes_in(partial_path(entry, folder))
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
    """Read every file of weights on this computer afresh and say what its checksum is.

    Parameters
    ----------
    folder : Path or str, optional
        The person's folder; see `weights_folder`.
    cancel : callable, optional
        Asked now and then whether to stop.

    Returns
    -------
    tuple of Finding
        One for each entry of the catalogue, those that are missing included.
    """
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


def _bytes_in(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
