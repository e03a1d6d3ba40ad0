"""Images as frames, from a folder or a single file, with limits against hostile files.

OpenCV refuses a giant image before decoding it (``OPENCV_IO_MAX_IMAGE_PIXELS``). The formats
(JPEG, PNG, BMP, WebP, TIFF) are recognised by their content, whatever the file is called.
"""

import logging
import math
import os
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
from app.logs import trace_of
from app.names import natural_order
from app.types import Frame, Image

log = logging.getLogger(__name__)

IMAGE_SUFFIXES = frozenset((".bmp", ".dib", ".jpeg", ".jpg", ".jpe", ".png", ".tif", ".tiff",
                            ".webp"))  # fmt: skip
RATE = 10.0  # images per second, for the time stamps
MAX_BYTES = 1 << 28  # image files beyond 256 MiB are refused before they are read

_JPEG_START = b"\xff\xd8\xff"
_JPEG_STORED = (b"\xff\xe1", b"\xff\xe2")  # segments that OpenCV keeps, 100 bytes or more each
_JPEG_MAX_STORED = 1 << 14  # real files have a few hundred
_TIFF_STARTS = (b"II*\0", b"MM\0*")
_TIFF_TILE_SIDES = (322, 323)
_TIFF_MAX_TILE = 1 << 24  # pixels; OpenCV allocates a whole tile, up to 1 GiB
_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_MAX_CHUNKS = 1 << 17  # a chunk usually has 8 KiB or more
_PNG_OVERHEAD = 12  # bytes of a chunk's length, kind and checksum


def read_image(path: Path) -> Image:
    """Return an image as RGB, rotated as its EXIF data say, or raise `SourceError`."""
    subject = f"The image {path.name}"
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for its writer
            raise SourceError(Cause.UNREADABLE, subject)
        with path.open("rb") as file:
            # A file can grow in the meantime, and some report no size.
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
    if not _is_safe_to_decode(data):
        raise SourceError(Cause.UNREADABLE, subject)
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
        is_giant = image is not None and image.shape[0] * image.shape[1] > MAX_PIXELS
    except cv2.error as error:
        image, is_giant = None, "CV_IO_MAX_IMAGE" in str(error)
    if is_giant:
        raise SourceError(Cause.TOO_LARGE, subject, limit=f"{MAX_PIXELS:,} pixels")
    if image is None:
        raise SourceError(Cause.UNREADABLE, subject)
    return cast(Image, image)


def _is_safe_to_decode(data: bytes) -> bool:
    """Whether OpenCV checks the image size in this format and decodes it in bounded memory."""
    if data.startswith(_PNG_START):
        return _is_whole_png(data)
    if data.startswith(_JPEG_START):
        return sum(map(data.count, _JPEG_STORED)) <= _JPEG_MAX_STORED
    if data.startswith(_TIFF_STARTS):
        return _has_small_tiles(data)
    return data.startswith(b"BM") or (data.startswith(b"RIFF") and data[8:12] == b"WEBP")


def _has_small_tiles(data: bytes) -> bool:
    order = "<" if data.startswith(b"I") else ">"
    sides = dict.fromkeys(_TIFF_TILE_SIDES, 0)
    try:
        (directory,) = struct.unpack_from(order + "I", data, 4)
        (n_entries,) = struct.unpack_from(order + "H", data, directory)
        for at in range(directory + 2, directory + 2 + 12 * n_entries, 12):
            tag, kind = struct.unpack_from(order + "HH", data, at)
            if tag in sides:
                (side,) = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, at + 8)
                sides[tag] = max(side, sides[tag])  # decoders differ in which one they use
    except struct.error:  # truncated header
        return False
    return math.prod(sides.values()) <= _TIFF_MAX_TILE


def _is_whole_png(data: bytes) -> bool:
    """Walk through all chunks: OpenCV allocates what a chunk announces before reading it."""
    position = len(_PNG_START)
    for _ in range(_PNG_MAX_CHUNKS):
        if position + _PNG_OVERHEAD > len(data):
            return False
        length, kind = struct.unpack_from(">I4s", data, position)
        position += _PNG_OVERHEAD + length
        if kind == b"IEND":
            return position <= len(data)
    return False


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
        # Path.is_dir raises if a parent folder may not be entered.
        return f"The {'folder' if os.path.isdir(self.path) else 'image'} {self.name}"

    def open(self) -> SourceInfo:
        self._closing.clear()
        self._next = 0
        self._files = self._list()
        first = self._first = self._load_next()
        if first is None:
            last = self._last_error
            if last is None:
                raise SourceError(Cause.EMPTY, self.subject)
            message = f"None of the {len(self._files)} images in the folder can be used: {last}"
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
        while self._next < len(self._files) and not self._closing.is_set():
            path = self._files[self._next]
            self._next += 1
            try:
                return read_image(path)
            except SourceError as error:
                if len(self._files) == 1:
                    raise
                self._last_error = error
                log.info("Skipped an image: %s", trace_of(error))
        return None
