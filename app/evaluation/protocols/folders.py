"""Folders and lists of databases, which are not trusted.

A list may be damaged, belong to another database, or try to reach files elsewhere: its size is
limited, every line is checked, and a path that leaves the database's folder is refused before it is
accessed. Readers collect faulty lines; `app.evaluation.protocols.splits` decides whether they stop
the evaluation.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

from app.evaluation.protocols.recordings import FileReader, in_natural_order, is_image
from app.evaluation.protocols.types import ProtocolError, Recording
from app.names import listed
from app.storage import read_text

MOST_LIST_BYTES = 1 << 22
"""The longest official list has 300 KiB."""

MOST_LINE_CHARACTERS = 500

_MOST_FOLDERS = 400
_MOST_QUOTED = 80

Item = TypeVar("Item")


@dataclass(frozen=True)
class Line:
    """A line of a list."""

    file: Path
    number: int
    text: str

    def refused(self, why: str) -> ProtocolError:
        """Return an error about this line: its text, followed by ``why``."""
        text = self.text if len(self.text) <= _MOST_QUOTED else self.text[:_MOST_QUOTED] + "..."
        return ProtocolError(f"{self.file}, line {self.number}: {text!r} {why}.")

    def path(self, text: str) -> PurePosixPath:
        """Parse a path of this line; refuse one that leaves the database."""
        text = text.replace("\\", "/")
        path = PurePosixPath(text)
        if path.is_absolute() or re.match(r"[A-Za-z]:", text) or ".." in path.parts:
            raise self.refused("names a path outside the database")
        if not path.parts:
            raise self.refused("names no file")
        return path


@dataclass(frozen=True)
class Copy:
    """A copy of a database on disk; ``refused`` collects faults that may be skipped."""

    root: Path
    title: str
    refused: list[ProtocolError] = field(default_factory=list)

    def recording(self, name: str, subject: str, species: str, condition: str = "") -> Recording:
        return Recording(name, subject, species, FileReader(self.root / name), condition)

    def images(self, folder: str, subject: str, species: str) -> tuple[Recording, ...]:
        """Return the images of a folder as recordings, in natural order."""
        names = in_natural_order(filter(is_image, files_in(self.root / folder)))
        return tuple(self.recording(f"{folder}/{name}", subject, species) for name in names)

    def lines(self, name: str, parse: Callable[[Line], Item]) -> list[Item]:
        """Parse the lines of a list, except empty ones.

        Repeated lines and lines that ``parse`` refuses are added to ``refused``. A list that is
        missing, too large or not text raises `ProtocolError`.
        """
        self._refuse_strays([name])
        path = self.root / name
        try:
            content = read_text(path, MOST_LIST_BYTES)
        except OSError as error:
            raise ProtocolError(
                f"The list {path} cannot be read ({error.strerror or error}): check that it "
                "exists and is readable."
            ) from None
        except ValueError as error:
            raise ProtocolError(
                f"The list {path} {error}: get it from the database again."
            ) from None
        found: dict[Item, None] = {}
        for number, text in enumerate(re.split(r"\r\n|\r|\n", content.removeprefix("\ufeff")), 1):
            line = Line(path, number, text.strip())
            if not line.text:
                continue
            try:
                if len(line.text) > MOST_LINE_CHARACTERS:
                    raise line.refused(f"has more than {MOST_LINE_CHARACTERS} characters")
                if not line.text.isprintable():
                    raise line.refused("contains control characters")
                item = parse(line)
                if item in found:
                    raise line.refused("is a duplicate")
                found[item] = None
            except ProtocolError as error:
                self.refused.append(error)
        return list(found)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return the files that are missing; refuse links that lead out of the database."""
        found = {name: os.path.isfile(self.root / name) for name in dict.fromkeys(names)}
        self._refuse_strays(name for name in found if found[name])
        return [name for name in found if not found[name]]

    def _refuse_strays(self, names: Iterable[str]) -> None:
        """Raise `ProtocolError` for files that lie outside the database.

        A link directly in the database's folder may lead to another disk. Links further down come
        from archives and must not lead out of their folder.
        """
        if strays := [name for name in names if _leads_out(self.root, name)]:
            raise ProtocolError(
                f"{self.title} in {self.root} contains links that lead out of it: {few(strays)}; "
                "unpack its archives again."
            )


def find_copy(
    root: Path | None, title: str, marks: Sequence[Sequence[str]], inner: str = ""
) -> Copy:
    """Return the copy in ``root`` or in its folder ``inner``.

    The folder must contain all names or patterns of one of the ``marks``. Otherwise `ProtocolError`
    names the right folder, if it is a little above or below, or what is missing.
    """
    if root is None:
        raise ProtocolError(f"{title}: name the folder with --root.")
    root = Path(os.path.abspath(os.path.expanduser(root)))
    if not os.path.isdir(root):
        raise ProtocolError(f"{title}: {root} is not a folder.")
    for folder in (root, root / inner):
        if _contains(folder, marks):
            return Copy(folder, title)
    near = (*list(root.parents)[:2], *root.glob("*/"), *islice(root.glob("*/*/"), _MOST_FOLDERS))
    for folder in near:
        if _contains(folder, marks):
            raise ProtocolError(f"{title}: the right folder is {folder}, not {root}.")
    missing = [name for name in marks[0] if not _matches(root, name)]
    raise ProtocolError(f"{title}: {root} lacks {few(missing)}; name the folder that has them.")


def _leads_out(root: Path, name: str) -> bool:
    """Whether a link leads out of the file's part of the database."""
    part = PurePosixPath(name).parts[0]
    place = os.path.realpath(root / name)
    homes = (os.path.realpath(root), os.path.realpath(root / part))
    return not any(place == home or place.startswith(home + os.sep) for home in homes)


def few(names: Sequence[str]) -> str:
    """Return ``"a, b, c and 4 more"``."""
    return listed(names, most=3)


def folders_in(folder: Path) -> list[str]:
    return _names(folder, directories=True)


def files_in(folder: Path) -> list[str]:
    return _names(folder, directories=False)


def _names(folder: Path, *, directories: bool) -> list[str]:
    """Return the sorted names of visible folders or files in a folder."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".")
                and (entry.is_dir() if directories else entry.is_file())
            )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ProtocolError(
            f"The folder {folder} cannot be read ({error.strerror or error}): "
            "check its permissions."
        ) from None
    for name in names:
        # Reports cannot contain surrogates (bytes that are not UTF-8) or control characters.
        if any(unicodedata.category(character) in ("Cs", "Cc") for character in name):
            raise ProtocolError(f"{folder} contains {name!a}, which is not text: rename it.")
    return names


def _contains(folder: Path, layouts: Sequence[Sequence[str]]) -> bool:
    return any(all(_matches(folder, name) for name in layout) for layout in layouts)


def _matches(folder: Path, name: str) -> bool:
    return next(folder.glob(name), None) is not None
