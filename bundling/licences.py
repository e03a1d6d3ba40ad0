"""The licences of everything in a build, gathered from the packages that its files come from."""

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
"""Texts that packages name and do not bring."""

BRING_NO_TEXT = {
    "pyside6": ("LGPL-3.0", "GPL-3.0"),
    "pyside6_essentials": ("LGPL-3.0", "GPL-3.0"),
    "pyside6_addons": ("LGPL-3.0", "GPL-3.0"),
    "shiboken6": ("LGPL-3.0", "GPL-3.0"),
}
"""Packages of which the licence's text has to be added; the LGPL refers to the GPL's."""

BUILDER = "pyinstaller"
"""Its loader starts the program, so it is part of every build."""

INDEX = "LICENCES.txt"

_NAMES = re.compile(r"(licen[cs]e|copying|notice|thirdparty|third-party|copyright)", re.IGNORECASE)
_NO_TEXT = {".py", ".pyc", ".pyi", ".so", ".pyd", ".dll", ".json", ".h", ".cpp"}
_HEAD = """\
What this folder is made of, and under which licences; the texts lie beside this list.

lmkl-pad itself is under the MIT licence. Qt and PySide6 are used under the GNU Lesser General
Public License, version 3, as separate libraries in the folder _internal/PySide6: you may replace
them by your own build of the same version. Their sources are at https://download.qt.io/.
OpenCV's FFmpeg libraries are used under the LGPL, version 2.1, and may be replaced alike.

"""


def normalised(name: str) -> str:
    """Return a package's name as folders spell it."""
    return re.sub(r"[-_.]+", "_", name).lower()


def is_licence(path: str) -> bool:
    """Whether a file of a package is, by its name, a licence or a notice."""
    file = Path(path)
    in_folder = file.parent.name in ("licenses", "license_files") or "/licenses/" in path
    return file.suffix.lower() not in _NO_TEXT and (in_folder or bool(_NAMES.search(file.name)))


def owners(
    sources: Iterable[str], held: Mapping[str, str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return files by the package that holds them, and those of no package; all paths absolute."""
    found: dict[str, list[str]] = {}
    others = []
    for source in sources:
        if source in held:
            found.setdefault(held[source], []).append(source)
        else:
            others.append(source)
    return found, others


def installed_files() -> dict[str, str]:
    """Return the package of every file that is installed in this environment."""
    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        # Its name is read from a file every time it is asked for.
        found |= dict.fromkeys(recorded(distribution), distribution.name)
    return found


def recorded(distribution: metadata.Distribution) -> list[str]:
    """Return the absolute paths of a package's files."""
    base = str(Path(str(distribution.locate_file(""))).resolve())
    rows = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    return [os.path.normpath(os.path.join(base, row[0])) for row in rows if row]


def gather(sources: Iterable[str], folder: Path) -> list[str]:
    """Put the licences of all packages that files come from into a new folder, and list them.

    Raises `FileNotFoundError` for a package whose licence is not known.
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
            raise FileNotFoundError(f"{name} names no licence and brings none: add it by hand.")
        lines.append(f"{name} {distribution.version}: {licence}")
    python = _python_licence()
    shutil.copy(python, folder / "python.txt")
    lines.append(f"Python {sys.version.split()[0]}: PSF-2.0")
    system = system_packages(others)
    for name, text in system.items():
        (folder / "system").mkdir(exist_ok=True)
        shutil.copy(text, folder / "system" / f"{name}.txt")
    lines += [f"{name}, a library of the system it was built on: see the text" for name in system]
    (folder / INDEX).write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return lines


def licence_name(fields: metadata.PackageMetadata) -> str:
    """Return what a package says its licence is, in a word."""
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
    """Return package and licence of the system's libraries, where the system can tell."""
    if shutil.which("dpkg") is None:
        return {}
    prefixes = (sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[1]))
    libraries = [path for path in paths if path.startswith("/") and not path.startswith(prefixes)]
    if not libraries:
        return {}
    # Packages know files by the folder they were put into, which may be a link by now.
    spellings = [*libraries, *(path.removeprefix("/usr") for path in libraries)]
    answer = subprocess.run(["dpkg", "-S", *spellings], capture_output=True, text=True).stdout
    return licences_of(answer.splitlines())


def licences_of(lines: Iterable[str]) -> dict[str, Path]:
    """Return the licences of the packages that dpkg has named, as in ``libz1:amd64: /lib/z``."""
    names = sorted({line.partition(":")[0] for line in lines if ": /" in line})
    texts = {name: Path("/usr/share/doc", name, "copyright") for name in names}
    return {name: text for name, text in texts.items() if text.exists()}


def _copy(distribution: metadata.Distribution, folder: Path) -> int:
    """Copy the texts that a package brings, and those that it lacks."""
    texts = [TEXTS / f"{name}.txt" for name in BRING_NO_TEXT.get(normalised(distribution.name), ())]
    texts += [Path(path) for path in recorded(distribution) if is_licence(path)]
    used: set[str] = set()
    for text in filter(Path.is_file, texts):
        folder.mkdir(exist_ok=True)
        name = text.name
        while name in used:  # vendored libraries have a LICENSE each
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
