"""The index of a run's folder: which frames of which takes are in which file, in their order."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from app.session.recovery.chunks import MOST_ROWS
from lmkl_core.model_file.container import Refused, Text, canonical, checked, opened, parse

FILE_NAME = "index.json"
FORMAT = "lmkl-pad unsaved takes"
VERSION = 2

MOST_FRAMES = 100_000
MOST_CHUNKS = 10_000
LARGEST_INDEX = 16 << 20
"""Bytes of an index that is read."""

_HEXADECIMAL = set("0123456789abcdef")


@dataclass(frozen=True)
class Chunk:
    """A file of frames: its number in the folder, the digest of what it holds, its frames."""

    number: int
    digest: str
    n_rows: int

    @property
    def file_name(self) -> str:
        """Name of the file."""
        return f"{self.number}.safetensors"


@dataclass(frozen=True)
class Row:
    """A frame: its take and its file (by their places in the index), its row there."""

    take: int
    chunk: int
    row: int


@dataclass(frozen=True, eq=False)
class Index:
    """What a folder holds.

    Attributes
    ----------
    written : datetime
        When, with its time zone.
    features : mapping
        Fingerprint of the views (`Extractor.fingerprint`).
    takes : tuple of str
        Names of the takes.
    persons : tuple of str
        Whose face each take shows; ``()`` where no take says.
    rows : tuple of Row
        The frames, in their order.
    chunks : tuple of Chunk
        The files.
    instead_of : tuple of str
        Names of runs whose takes are among these: brought back, and perhaps not removed yet.
    """

    written: datetime
    features: Mapping[str, Any]
    takes: tuple[str, ...]
    rows: tuple[Row, ...]
    chunks: tuple[Chunk, ...]
    instead_of: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the contents of the file."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "written": self.written.isoformat(),
            "features": dict(self.features),
            "takes": list(self.takes),
            "rows": [[row.take, row.chunk, row.row] for row in self.rows],
            "chunks": [[chunk.number, chunk.digest, chunk.n_rows] for chunk in self.chunks],
            "instead_of": list(self.instead_of),
        }
        if any(self.persons):
            document["persons"] = list(self.persons)
        return canonical({**document, "digest": _digest(document)}).encode("ascii")


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON of the file."""

    format: Literal["lmkl-pad unsaved takes"]
    version: int
    digest: str
    written: str
    features: dict[str, Any]
    takes: tuple[Text, ...]
    chunks: Annotated[list[Any], msgspec.Meta(max_length=MOST_CHUNKS)]
    rows: Annotated[list[Any], msgspec.Meta(max_length=MOST_FRAMES)]
    instead_of: tuple[Text, ...]
    persons: tuple[Text, ...] = ()


def read_index(folder: Path) -> Index:
    """Read a folder's index.

    Raises
    ------
    FileNotFoundError
        If there is none.
    OSError
        If it cannot be read.
    Refused
        If it is damaged.
    """
    with opened(folder / FILE_NAME, LARGEST_INDEX) as (stream, size):
        data = stream.read(size)
    document = parse(data, "its index")
    found = checked(document, Document, "its index")
    if found.version != VERSION:
        raise Refused("another version of the program kept them")
    if found.digest != _digest({key: value for key, value in document.items() if key != "digest"}):
        raise Refused("its index does not match its digest")
    if not all(name.isprintable() for name in found.takes + found.persons):
        raise Refused("its index has takes whose names cannot be shown")
    if found.persons and len(found.persons) != len(found.takes):
        raise Refused("its index names a different number of people than takes")
    chunks = tuple(_chunk(entry) for entry in found.chunks)
    rows = tuple(_row(entry, found.takes, chunks) for entry in found.rows)
    if not rows or len({(row.chunk, row.row) for row in rows}) < len(rows):
        raise Refused("its index lists no frames, or one twice")
    return Index(
        _moment(found.written),
        found.features,
        found.takes,
        rows,
        chunks,
        found.instead_of,
        found.persons,
    )


def _chunk(entry: object) -> Chunk:
    match entry:
        case [int(number), str(digest), int(n_rows)] if (
            number >= 0
            and 0 < n_rows <= MOST_ROWS
            and len(digest) == 64
            and set(digest) <= _HEXADECIMAL
        ):
            return Chunk(number, digest, n_rows)
    raise Refused("its index lists a file that makes no sense")


def _row(entry: object, takes: tuple[str, ...], chunks: tuple[Chunk, ...]) -> Row:
    match entry:
        case [int(take), int(chunk), int(row)] if (
            0 <= take < len(takes) and 0 <= chunk < len(chunks) and 0 <= row < chunks[chunk].n_rows
        ):
            return Row(take, chunk, row)
    raise Refused("its index lists a frame that makes no sense")


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused("its index does not say when it was written") from None
    # Years from which no clock can be converted into the local one.
    if moment.tzinfo is None or not 2000 <= moment.year < 3000:
        raise Refused("its index does not say when it was written")
    return moment


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(document).encode("ascii")).hexdigest()
