"""Images of a folder as frames, or a single one."""

import logging
import os
import re
import stat
import threading
from pathlib import Path
from typing import cast

import numpy as np

from app.capture.causes import fit_to_show, may_not_be_read
from app.capture.image_header import image_size
from app.capture.opencv import MAX_PIXELS, cv2
from app.capture.pacing import Clock, Pacer
from app.capture.source import Cause, FrameSource, SourceError, SourceInfo
from app.logs import way_of
from app.types import Frame, Image

log = logging.getLogger(__name__)

IMAGE_SUFFIXES = frozenset(
    {".bmp", ".dib", ".jpeg", ".jpg", ".jpe", ".png", ".tif", ".tiff", ".webp"}
)
MAX_BYTES = 1 << 28
"""Image files beyond 256 MiB are refused before they are read."""


def natural_order(name: str) -> list[tuple[bool, int, str]]:
    """Return a sorting key by which ``img2`` comes before ``img10``."""
    return [
        (not part.isdecimal(), int(part) if part.isdecimal() else 0, part)
        for part in re.split(r"(\d+)", name.casefold())
        if part
    ]


def read_image(path: Path) -> Image:
    """Return an image as RGB, upright as its EXIF data say; raise `SourceError` if it cannot be.

    The header is judged before anything is decoded: a small file can announce a picture that
    fills the memory.
    """
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
        raise may_not_be_read(subject) from None
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


class ImageFolder(FrameSource):
    """The images of a folder in natural order, or one image.

    Folders within the folder and hidden files are left out. What cannot be read is passed over
    and counted in ``n_skipped``.

    Parameters
    ----------
    path : str or Path
        A folder or an image file.
    rate : float
        Images a second, for the time stamps.
    paced : bool
        Whether an image is held back until its time has come.
    loop : bool
        Whether to start over at the end; numbers and times go on.
    clock : Clock, optional
        Where the pace comes from.
    """

    is_live = False

    def __init__(
        self,
        path: str | Path,
        rate: float = 10.0,
        paced: bool = False,
        loop: bool = False,
        *,
        clock: Clock | None = None,
    ) -> None:
        if not 0 < rate < float("inf"):
            raise ValueError(f"The rate {rate} is not a positive number: give images a second.")
        self.path = Path(path)
        self.name = fit_to_show(self.path.name or str(self.path))
        self.rate = rate
        self.paced = paced
        self.loop = loop
        self.n_skipped = 0
        self._files: list[Path] = []
        self._next = 0
        self._n_placed = 0
        self._first: Image | None = None
        self._last_error: SourceError | None = None
        self._pacer = Pacer(clock)
        self._closing = threading.Event()

    @property
    def subject(self) -> str:
        """The beginning of a sentence about this folder or image."""
        # Path.is_dir raises where a folder on the way may not be entered.
        return f"The {'folder' if os.path.isdir(self.path) else 'image'} {self.name}"

    def open(self) -> SourceInfo:
        """List the folder and read its first image."""
        self._closing.clear()
        self._pacer.restart()
        self._next = 0
        self._files = self._list()
        first = self._first = self._load_next()
        if first is None:
            raise self._none_usable()
        height, width = first.shape[:2]
        return SourceInfo(self.name, width, height, self.rate, len(self._files))

    def read(self) -> Frame | None:
        """Return the next image that can be read, when it is due if the folder is paced."""
        image, self._first = self._first, None
        if image is None:
            image = self._load_next()
        if image is None and self.loop and self._files and not self._closing.is_set():
            self._next = 0
            image = self._load_next()
            if image is None and not self._closing.is_set():
                raise self._none_usable()
        if image is None:
            return None
        time = self._n_placed / self.rate
        self._n_placed += 1
        if self.paced:
            self._pacer.wait_for(time, self._closing)
        return None if self._closing.is_set() else self._deliver(image, time)

    def close(self) -> None:
        """Stop reading; a `read` that waits for its time returns at once."""
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
            raise may_not_be_read(self.subject) from None
        if not files:
            raise SourceError(Cause.EMPTY, self.subject)
        return sorted(files, key=lambda item: (natural_order(item.name), item.name))

    def _load_next(self) -> Image | None:
        """Return the next image that can be read; None at the end or after `close`."""
        while self._next < len(self._files) and not self._closing.is_set():
            path = self._files[self._next]
            self._next += 1
            try:
                return read_image(path)
            except SourceError as error:
                if len(self._files) == 1:
                    raise
                self.n_skipped += 1
                self._last_error = error
                log.info("A picture was passed over: %s", way_of(error))
        return None

    def _none_usable(self) -> SourceError:
        last = self._last_error
        if last is None:
            return SourceError(Cause.EMPTY, self.subject)
        message = f"None of the {len(self._files)} images of the folder can be used: {last}"
        return SourceError(last.cause, message=message)
