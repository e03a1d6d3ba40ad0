"""The first pictures of the demo, recorded beforehand: no renderer is needed to show them.

``python -m tools.demo_opening`` makes the file.
"""

import struct
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from app.demo.script import N_RECORDED, Chapter, script

FILE = Path(__file__).parent / "renderer" / "opening.bin"
"""Every picture as the camera compressed it, after four bytes that tell its length."""

LENGTH = struct.Struct(">I")
_JPEG = (b"\xff\xd8", b"\xff\xd9")


def opening_of(chapter: Chapter, file: Path = FILE) -> list[bytes]:
    """Return what was recorded beforehand of a chapter: nothing, for all but the very first."""
    if replace(chapter, n_recorded=N_RECORDED) != script().loop[0]:
        return []
    try:
        pictures = _split(file.read_bytes())
    except (OSError, struct.error):
        pictures = []
    # It only saves time: with the file missing or damaged the chapter is recorded like any other.
    is_whole = all(one.startswith(_JPEG[0]) and one.endswith(_JPEG[1]) for one in pictures)
    return pictures if is_whole else []


def written(pictures: Iterable[bytes]) -> bytes:
    """Return the content of a file with these pictures."""
    return b"".join(LENGTH.pack(len(picture)) + picture for picture in pictures)


def _split(content: bytes) -> list[bytes]:
    pictures, place = [], 0
    while place < len(content):
        (length,) = LENGTH.unpack_from(content, place)
        place += LENGTH.size
        pictures.append(content[place : place + length])
        place += length
    return pictures
