"""A `cv2.VideoCapture` that any thread may close.

Releasing one while another thread reads from it ends the process, so whoever comes last releases:
the closing thread when nobody reads, otherwise the reader on its way out.
"""

import threading
from collections.abc import Sequence
from typing import cast

from app.capture.opencv import cv2, is_picture
from app.types import Image

MAX_RATE = 1000.0
"""Announced rates above this are a container's time base, not frames a second."""


class Grabber:
    """Open a device, a file or an address with one of OpenCV's backends.

    Parameters
    ----------
    target : int or str
        Device number, path or address.
    backend : int
        ``cv2.CAP_...``; never ``CAP_ANY``, which tries one backend after the other.
    options : sequence of int
        Pairs of property and value that hold from the opening on.
    """

    def __init__(self, target: int | str, backend: int, options: Sequence[int] = ()) -> None:
        self._closing = threading.Event()
        self._in_use = threading.Lock()
        try:
            if isinstance(target, str):
                # OpenCV ends the process where Python's text has no UTF-8 form.
                target.encode()
            # Two signatures of the same constructor, so that mypy can tell which is meant.
            if isinstance(target, int):
                self._capture = cv2.VideoCapture(target, backend, list(options))
            else:
                self._capture = cv2.VideoCapture(target, backend, list(options))
        except (cv2.error, UnicodeEncodeError):
            # Its text quotes the target, which may hold a password.
            self._capture = cv2.VideoCapture()
        self.is_open = self._capture.isOpened()

    def grab(self) -> Image | None:
        """Return the next picture, blue first, or None; wait as long as the backend does."""
        image = None
        with self._in_use:
            if not self._closing.is_set():
                image = self._read()
        self._release_if_closed()
        return None if self._closing.is_set() else image

    def skip(self) -> bool:
        """Pass over the next picture without unpacking it; False where there is none."""
        found = False
        with self._in_use:
            if not self._closing.is_set():
                try:
                    found = self._capture.grab()
                except cv2.error:
                    found = False
        self._release_if_closed()
        return found and not self._closing.is_set()

    def get(self, prop: int) -> float:
        """Return a property of the open capture; 0 where the backend does not know it."""
        with self._in_use:
            value = 0.0 if self._closing.is_set() else self._capture.get(prop)
        self._release_if_closed()
        return value if value > 0 else 0.0

    def set(self, prop: int, value: float) -> None:
        """Ask for a value; the backend may give another one or none."""
        with self._in_use:
            if not self._closing.is_set():
                self._capture.set(prop, value)
        self._release_if_closed()

    @property
    def size(self) -> tuple[int, int]:
        """Announced width and height."""
        width = self.get(cv2.CAP_PROP_FRAME_WIDTH)
        return int(width), int(self.get(cv2.CAP_PROP_FRAME_HEIGHT))

    @property
    def rate(self) -> float:
        """Announced frames a second; 0 where it is missing or a time base in disguise."""
        rate = self.get(cv2.CAP_PROP_FPS)
        return rate if rate <= MAX_RATE else 0.0

    @property
    def codec(self) -> str:
        """Four letters, such as ``MJPG``; empty where the backend does not know it."""
        code = int(self.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
        return code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ")

    def close(self) -> None:
        """Release the capture now, or as soon as a running `grab` returns."""
        self._closing.set()
        self._release_if_unused()

    def _read(self) -> Image | None:
        try:
            got, image = self._capture.read()
        except cv2.error:
            return None
        return cast(Image, image) if got and is_picture(image) else None

    def _release_if_closed(self) -> None:
        """Do on the way out what a `close` in the meantime could not."""
        if self._closing.is_set():
            self._release_if_unused()

    def _release_if_unused(self) -> None:
        if self._in_use.acquire(blocking=False):
            try:
                self._capture.release()
            finally:
                self._in_use.release()
