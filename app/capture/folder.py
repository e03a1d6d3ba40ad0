"""Images of a folder as frames, or a single one; with limits against hostile files.

Sizes come from the header, so a giant image is refused before it is decoded. The formats (JPEG,
PNG, BMP, WebP, TIFF) are recognised by their content, whatever the file is called.
"""

import logging
import os
import re
import stat
import struct
import threading
from pathlib import Path
from typing import cast

import numpy as np

from app.capture.opencv import MAX_PIXELS, cv2
from app.capture.source import (
    Cause,
    FrameSource,
    SourceError,
    SourceInfo,
    printable,
    unreadable_by_account,
)
from app.logs import way_of
from app.names import natural_order
from app.types import Frame, Image

log = logging.getLogger(__name__)

IMAGE_SUFFIXES = frozenset(
    {".bmp", ".dib", ".jpeg", ".jpg", ".jpe", ".png", ".tif", ".tiff", ".webp"}
)
RATE = 10.0
"""Images a second, for the time stamps."""
MAX_BYTES = 1 << 28
"""Image files beyond 256 MiB are refused before they are read."""

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_JPEG_MARKER = re.compile(rb"\xff[^\xff\0]")
"""A zero after 0xff makes no marker: decoders pass over the two, and so must this."""
_JPEG_MOST_SEGMENTS = 1 << 14
"""Real files have a few hundred; a hostile one of millions would take a minute to walk through."""
_PNG_MOST_CHUNKS = 1 << 17
"""Chunks mostly have 8 KiB or more, and the largest file that is read has 256 MiB."""
_PNG_AROUND = 12
"""Bytes of a chunk's length, kind and checksum."""
_TIFF_SIZES = (256, 257, 322, 323)
_TIFF_LARGEST_TILE = 1 << 24
"""Pixels: a decoder allocates a whole tile, however small the picture is."""


def read_image(path: Path) -> Image:
    """Return an image as RGB, upright as its EXIF data say, or raise `SourceError`."""
    subject = f"The image {path.name}"
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for its writer
            raise SourceError(Cause.UNREADABLE, subject)
        with path.open("rb") as file:
            # A file can grow after its size was asked for, and some tell none.
            data = file.read(MAX_BYTES + 1) if status.st_size <= MAX_BYTES else None
        if data is None or len(data) > MAX_BYTES:
            raise SourceError(Cause.TOO_LARGE, subject, limit=f"{MAX_BYTES >> 20} MiB")
    except FileNotFoundError:
        raise SourceError(Cause.NOT_FOUND, subject) from None
    except PermissionError:
        raise unreadable_by_account(subject) from None
    except OSError:
        raise SourceError(Cause.UNREADABLE, subject) from None
    if not data:
        raise SourceError(Cause.EMPTY, subject)
    size = image_size(data)
    if size is None or 0 in size:
        raise SourceError(Cause.UNREADABLE, subject)
    if size[0] * size[1] > MAX_PIXELS:
        raise SourceError(Cause.TOO_LARGE, subject, limit=f"{MAX_PIXELS:,} pixels")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error:
        image = None
    if image is None:
        raise SourceError(Cause.UNREADABLE, subject)
    return cast(Image, image)


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height from the header; None for any other content."""
    try:
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg_size(data)
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            return _png_size(data)
        if data.startswith(b"BM"):
            (header_bytes,) = struct.unpack_from("<I", data, 14)
            # The height is negative where the rows go from top to bottom.
            return _unpacked("<HH" if header_bytes == 12 else "<ii", data, 18)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp_size(data)
        if data[:4] in (b"II*\0", b"MM\0*"):
            return _tiff_size(data, "<" if data[:1] == b"I" else ">")
    except (struct.error, IndexError):
        pass  # it breaks off within its header
    return None


def _unpacked(layout: str, data: bytes, offset: int) -> tuple[int, int]:
    width, height = struct.unpack_from(layout, data, offset)
    return abs(int(width)), abs(int(height))


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walk from marker to marker up to the frame header."""
    position = 2
    for _ in range(_JPEG_MOST_SEGMENTS):
        found = _JPEG_MARKER.search(data, position)
        if found is None:
            return None
        marker, position = found[0][1], found.end()
        if marker in _JPEG_SIZES:
            height, width = _unpacked(">HH", data, position + 3)
            return width, height
        if marker == 0xDA:
            return None
        if marker not in _JPEG_ALONE:
            position += int(struct.unpack_from(">H", data, position)[0])
    return None


def _png_size(data: bytes) -> tuple[int, int] | None:
    """Walk through all chunks: a decoder allocates what a chunk announces before it reads it."""
    width, height = _unpacked(">II", data, 16)
    position = 8
    for _ in range(_PNG_MOST_CHUNKS):
        length, kind = struct.unpack_from(">I4s", data, position)
        if position + _PNG_AROUND + length > len(data):
            return None
        if kind == b"IEND":
            return width, height
        if kind == b"fcTL":  # a frame of an animation, which lies within the picture
            frame_width, frame_height = _unpacked(">II", data, position + 12)
            if frame_width > width or frame_height > height:
                return None
        position += _PNG_AROUND + length
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        return (width, height) if len(data) >= 30 else None
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = _unpacked("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _tiff_size(data: bytes, order: str) -> tuple[int, int] | None:
    """Find width (256) and height (257), of the picture and of a tile, in the first directory.

    Of a repeated tag the largest value counts: decoders differ in which one they take.
    """
    (directory,) = struct.unpack_from(order + "I", data, 4)
    (n_entries,) = struct.unpack_from(order + "H", data, directory)
    sizes: dict[int, int] = {}
    for entry in range(n_entries):
        at = directory + 2 + 12 * entry
        tag, kind = struct.unpack_from(order + "HH", data, at)
        if tag in _TIFF_SIZES and kind in (3, 4):
            (size,) = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, at + 8)
            sizes[tag] = max(size, sizes.get(tag, 0))
    if sizes.get(322, 0) * sizes.get(323, 0) > _TIFF_LARGEST_TILE:
        return None
    return (sizes[256], sizes[257]) if 256 in sizes and 257 in sizes else None


class ImageFolder(FrameSource):
    """The images of a folder in natural order, or one image.

    Subfolders and hidden files are left out; unreadable images are skipped.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = printable(self.path.name or str(self.path))
        self._files: list[Path] = []
        self._next = 0
        self._first: Image | None = None
        self._last_error: SourceError | None = None
        self._closing = threading.Event()

    @property
    def subject(self) -> str:
        # Path.is_dir raises where a folder on the way may not be entered.
        return f"The {'folder' if os.path.isdir(self.path) else 'image'} {self.name}"

    def open(self) -> SourceInfo:
        """List the folder and read its first image."""
        self._closing.clear()
        self._next = 0
        self._files = self._list()
        first = self._first = self._load_next()
        if first is None:
            last = self._last_error
            if last is None:
                raise SourceError(Cause.EMPTY, self.subject)
            message = f"None of the {len(self._files)} images of the folder can be used: {last}"
            raise SourceError(last.cause, message=message)
        height, width = first.shape[:2]
        return SourceInfo(self.name, width, height, RATE, len(self._files))

    def read(self) -> Frame | None:
        image, self._first = self._first, None
        if image is None:
            image = self._load_next()
        if image is None or self._closing.is_set():
            return None
        return self._deliver(image, self._n_delivered / RATE)

    def close(self) -> None:
        self._closing.set()

    def _list(self) -> list[Path]:
        try:
            if self.path.is_file():
                return [self.path]
            if not self.path.is_dir():
                raise SourceError(Cause.NOT_FOUND, f"The folder or image {self.name}")
            files = [
                item
                for item in self.path.iterdir()
                if item.suffix.lower() in IMAGE_SUFFIXES
                and not item.name.startswith(".")
                and item.is_file()
            ]
        except PermissionError:
            raise unreadable_by_account(self.subject) from None
        if not files:
            raise SourceError(Cause.EMPTY, self.subject)
        return sorted(files, key=lambda item: natural_order(item.name))

    def _load_next(self) -> Image | None:
        """Return the next readable image; None at the end or after `close`."""
        while self._next < len(self._files) and not self._closing.is_set():
            path = self._files[self._next]
            self._next += 1
            try:
                return read_image(path)
            except SourceError as error:
                if len(self._files) == 1:
                    raise
                self._last_error = error
                log.info("A picture was passed over: %s", way_of(error))
        return None
