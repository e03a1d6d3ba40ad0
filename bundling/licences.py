"""Collect the licences of everything in a build from the packages that its files belong to."""

import csv
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

TEXTS = Path(__file__).parent / "licence_texts"
"""Texts of licences that some packages do not include."""

ADDED_TEXTS = {
    "pyside6": ("LGPL-3.0", "GPL-3.0"),
    "pyside6_essentials": ("LGPL-3.0", "GPL-3.0"),
    "pyside6_addons": ("LGPL-3.0", "GPL-3.0"),
    "shiboken6": ("LGPL-3.0", "GPL-3.0"),
}
"""Texts that are added for packages without one; the LGPL refers to the GPL."""

BUILDER = "pyinstaller"
"""Its loader is part of every build."""

INDEX = "LICENCES.txt"

_NAMES = re.compile(r"(licen[cs]e|copying|notice|thirdparty|third-party|copyright)", re.IGNORECASE)
_NOT_TEXT = {".py", ".pyc", ".pyi", ".so", ".pyd", ".dll", ".json", ".h", ".cpp"}
_HEAD = """\
The components of this folder and their licences; the texts are beside this list.

lmkl-pad itself is under the MIT licence. Qt and PySide6 are used under the GNU Lesser General
Public License, version 3, as separate libraries in the folder _internal/PySide6: you may replace
them with your own build of the same version. Their sources are at https://download.qt.io/.
OpenCV's FFmpeg libraries are used under the LGPL, version 2.1, and may be replaced in the same way.

"""


def normalised(name: str) -> str:
    """Return a package's name as spelled in folder names."""
    return re.sub(r"[-_.]+", "_", name).lower()


def is_licence(path: str) -> bool:
    """Whether a file of a package is a licence or notice, judged by its name."""
    file = Path(path)
    in_folder = file.parent.name in ("licenses", "license_files") or "/licenses/" in path
    return file.suffix.lower() not in _NOT_TEXT and (in_folder or bool(_NAMES.search(file.name)))


def owners(
    sources: Iterable[str], installed: Mapping[str, str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the files of each package, and those of no package; all paths are absolute."""
    found: dict[str, list[str]] = {}
    others = []
    for source in sources:
        if source in installed:
            found.setdefault(installed[source], []).append(source)
        else:
            others.append(source)
    return found, others


def installed_files() -> dict[str, str]:
    """Return the package of every file installed in this environment."""
    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        # `dict.fromkeys` reads the name only once; every access reads a file.
        found |= dict.fromkeys(recorded(distribution), distribution.name)
    return found


def recorded(distribution: metadata.Distribution) -> list[str]:
    """Return the absolute paths of a package's files."""
    base = str(Path(str(distribution.locate_file(""))).resolve())
    rows = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    return [os.path.normpath(os.path.join(base, row[0])) for row in rows if row]


def gather(sources: Iterable[str], folder: Path) -> list[str]:
    """Copy the licences of all packages that files belong to into a new folder, and list them.

    Raises `FileNotFoundError` if a package has no known licence.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    resolved = [str(Path(source).resolve()) for source in sources]
    found, others = owners(resolved, installed_files())
    lines = []
    for name in sorted({*found, BUILDER}, key=str.lower):
        distribution = metadata.distribution(name)
        texts = _copy(distribution, folder / normalised(name))
        licence = licence_name(distribution.metadata)
        if not texts and licence == "see the text":
            raise FileNotFoundError(f"{name} states no licence and includes none: add it by hand.")
        lines.append(f"{name} {distribution.version}: {licence}")
    python = _python_licence()
    shutil.copy(python, folder / "python.txt")
    lines.append(f"Python {sys.version.split()[0]}: PSF-2.0")
    system = system_packages(others)
    for name, text in system.items():
        (folder / "system").mkdir(exist_ok=True)
        shutil.copy(text, folder / "system" / f"{name}.txt")
    lines += [f"{name}, a library of the build system: see the text" for name in system]
    (folder / INDEX).write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return lines


def licence_name(fields: metadata.PackageMetadata) -> str:
    """Return the licence that a package states, in short."""
    for field in ("License-Expression", "License"):
        value = "".join(fields.get_all(field) or []).strip().splitlines()
        if value and value[0] not in ("UNKNOWN", "") and len(value[0]) < 80:
            return value[0]
    classified = [
        text.rpartition("::")[2].strip()
        for text in fields.get_all("Classifier") or []
        if text.startswith("License ::")
    ]
    return ", ".join(classified) or "see the text"


def system_packages(paths: Iterable[str]) -> dict[str, Path]:
    """Return package and licence file of system libraries, as far as dpkg knows them."""
    if shutil.which("dpkg") is None:
        return {}
    prefixes = (sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[1]))
    libraries = [path for path in paths if path.startswith("/") and not path.startswith(prefixes)]
    if not libraries:
        return {}
    # dpkg knows files by the folder they were installed into, which may be a link by now.
    spellings = [*libraries, *(path.removeprefix("/usr") for path in libraries)]
    answer = subprocess.run(["dpkg", "-S", *spellings], capture_output=True, text=True).stdout
    return licences_of(answer.splitlines())


def licences_of(lines: Iterable[str]) -> dict[str, Path]:
    """Return the licence files of packages in dpkg's output, such as ``libz1:amd64: /lib/z``."""
    names = sorted({line.partition(":")[0] for line in lines if ": /" in line})
    texts = {name: Path("/usr/share/doc", name, "copyright") for name in names}
    return {name: text for name, text in texts.items() if text.exists()}


def _copy(distribution: metadata.Distribution, folder: Path) -> int:
    """Copy the texts that a package includes and those of `ADDED_TEXTS`; return how many."""
    texts = [TEXTS / f"{name}.txt" for name in ADDED_TEXTS.get(normalised(distribution.name), ())]
    texts += [Path(path) for path in recorded(distribution) if is_licence(path)]
    used: set[str] = set()
    for text in filter(Path.is_file, texts):
        folder.mkdir(exist_ok=True)
        name = text.name
        while name in used:  # each vendored library may have a LICENSE
            name = f"{text.parent.name}-{name}"
        used.add(name)
        shutil.copy(text, folder / name)
    return len(used)


def _python_licence() -> Path:
    places = (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix))
    for place in places:
        if (found := place / "LICENSE.txt").is_file():
            return found
    raise FileNotFoundError(f"The licence of Python is not in {places[0]}.")
