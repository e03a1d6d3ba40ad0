"""What wheels and source archives hold: everything that runs, and nothing personal."""

import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from bundling.collecting import PACKAGES, ROOT, package_data


def expected(root: Path = ROOT) -> set[str]:
    """Return what an installation must have: our modules and the files beside them."""
    modules = {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
    }
    return modules | {Path(path).relative_to(root).as_posix() for path, _ in package_data(root)}


def members(archive: Path) -> dict[str, bytes]:
    """Return the files of a wheel, or of a source archive without its first folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    found = {}
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.isfile() and (stream := packed.extractfile(member)) is not None:
                found[member.name.partition("/")[2]] = stream.read()
    return found


def problems(
    found: dict[str, bytes], wanted: Iterable[str], personal: Iterable[str], *, only: bool
) -> list[str]:
    """Say what is missing from an archive, what is too much, and what is personal in it.

    Parameters
    ----------
    found : dict
        Its files.
    wanted : iterable of str
        Files it must have.
    personal : iterable of str
        Texts that must be nowhere in it: where it was built, by whom.
    only : bool
        Whether it may have nothing else but metadata, as a wheel.
    """
    wanted = set(wanted)
    told = [f"{name} is missing" for name in sorted(wanted - set(found))]
    if only:
        others = {name for name in found if ".dist-info/" not in name}
        told += [f"{name} has no business there" for name in sorted(others - wanted)]
    for name, content in sorted(found.items()):
        told += [f"{name} holds {text!r}" for text in personal if text.encode() in content]
    return told


def copy_of_project(folder: Path) -> Path:
    """Copy the project into a folder, once: a build leaves files behind that the next takes in."""
    copy = folder / "project"
    if not copy.exists():
        left = shutil.ignore_patterns(
            ".venv*", ".git", "build", "dist", "*.egg-info", "__pycache__", ".*_cache"
        )
        shutil.copytree(ROOT, copy, ignore=left)
    return copy
