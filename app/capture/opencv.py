"""OpenCV for the sources: silent and bounded; `app` sets its environment before it loads."""

import contextlib
import logging
import os
import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeGuard, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from app.capture.frames import MAX_PIXELS
from app.capture.source import Cause, Clock, FrameSource, SourceError, SourceInfo
from app.logs import kind_of
from app.types import Frame, Image

__all__ = ["MAX_PIXELS", "Grabber", "OpenCVSource", "cv2", "is_picture", "rgb_from_bgr"]

log = logging.getLogger(__name__)

MAX_RATE: Final = 1000.0
"""Announced rates above this are a container's time base, not frames per second."""

# OpenCV may have been loaded before `app` set the environment.
if os.environ["OPENCV_LOG_LEVEL"] == "SILENT":
    cv2.utils.logging.setLogLevel(0)

_CODES: Final = {1: cv2.COLOR_GRAY2RGB, 3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGB}


def is_picture(image: object) -> TypeGuard[NDArray[Any]]:
    """Whether `rgb_from_bgr` accepts the image; some backends return anything."""
    if not isinstance(image, np.ndarray) or not image.size or image.ndim not in (2, 3):
        return False
    channels = 1 if image.ndim == 2 else image.shape[2]
    return channels in _CODES and image.dtype in (np.uint8, np.uint16)


def rgb_from_bgr(image: NDArray[Any]) -> Image:
    """Return RGB with 8 bits: grey is repeated, alpha dropped, 16 bits reduced to 8."""
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    channels = 1 if image.ndim == 2 else image.shape[2]
    return cast(Image, cv2.cvtColor(np.ascontiguousarray(image), _CODES[channels]))


class Grabber:
    """A `cv2.VideoCapture` that any thread may close.

    Releasing one while another thread reads from it crashes the process, so the last user releases
    it: the closing thread if it is idle, otherwise the reader on its way out. The backend is never
    ``CAP_ANY``, which tries all of them in turn; options are pairs of property and value.
    """

    def __init__(self, target: int | str, backend: int, options: Sequence[int] = ()) -> None:
        self._closing = threading.Event()
        self._in_use = threading.Lock()
        try:
            if isinstance(target, str):
                # OpenCV aborts the process on text that UTF-8 cannot encode.
                target.encode()
            self._capture = cv2.VideoCapture(cast(Any, target), backend, list(options))
        except (cv2.error, UnicodeEncodeError):
            # The error quotes the target, which may contain a password.
            self._capture = cv2.VideoCapture()
        self.is_open = self._capture.isOpened()

    def grab(self) -> Image | None:
        """Return the next picture as BGR, or None; wait as long as the backend does."""
        got, image = False, None
        with self._using() as is_usable, contextlib.suppress(cv2.error):
            if is_usable:
                got, image = self._capture.read()
        is_good = got and not self._closing.is_set() and is_picture(image)
        return cast(Image, image) if is_good else None

    def skip(self) -> bool:
        """Skip the next picture without decoding it; False at the end."""
        found = False
        with self._using() as is_usable, contextlib.suppress(cv2.error):
            found = is_usable and self._capture.grab()
        return found and not self._closing.is_set()

    def get(self, prop: int) -> float:
        with self._using() as is_usable:
            value = self._capture.get(prop) if is_usable else 0.0
        return value if value > 0 else 0.0

    def set(self, prop: int, value: float) -> None:
        with self._using() as is_usable:
            if is_usable:
                self._capture.set(prop, value)

    @property
    def size(self) -> tuple[int, int]:
        return int(self.get(cv2.CAP_PROP_FRAME_WIDTH)), int(self.get(cv2.CAP_PROP_FRAME_HEIGHT))

    @property
    def rate(self) -> float:
        """Announced frames per second; 0 if missing or a time base."""
        rate = self.get(cv2.CAP_PROP_FPS)
        return rate if rate <= MAX_RATE else 0.0

    @property
    def codec(self) -> str:
        """Four letters, such as ``MJPG``; may be empty."""
        code = int(self.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
        return code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ")

    def close(self) -> None:
        """Release the capture now, or as soon as a running `grab` returns."""
        self._closing.set()
        self._release_if_unused()

    @contextlib.contextmanager
    def _using(self) -> Iterator[bool]:
        """Hold the capture and yield whether it is open; release it if closed meanwhile."""
        try:
            with self._in_use:
                yield not self._closing.is_set()
        finally:
            if self._closing.is_set():
                self._release_if_unused()

    def _release_if_unused(self) -> None:
        if self._in_use.acquire(blocking=False):
            try:
                self._capture.release()
            finally:
                self._in_use.release()


class OpenCVSource(FrameSource):
    """A source read through a `Grabber` on the calling thread; a camera by default.

    Opening waits for the first picture, because some drivers open a busy camera and fail only
    then. Time counts from the first opening.
    """

    is_live = True
    is_compressed = False  # whether its pictures always arrive compressed
    # Failed reads in a row that are tolerated: networks lose packets, and many webcams begin with
    # pictures that cannot be decoded.
    attempts = 10
    longest_read = 0.5  # seconds that one failed read may take before the source is given up
    longest_search = float("inf")  # the same for all failed reads in a row

    def __init__(self, name: str, clock: Clock | None = None) -> None:
        self.name = name
        self._clock = clock or Clock()
        self._opened_at: float | None = None
        self._grabber: Grabber | None = None
        self._first: Image | None = None
        self._closing = threading.Event()

    @abstractmethod
    def _connect(self) -> Grabber:
        """Return an open grabber or raise `SourceError` with the reason."""

    @abstractmethod
    def _why_silent(self) -> Cause:
        """Return why the open source gives no picture."""

    def open(self) -> SourceInfo:
        """Connect and wait for the first picture; this may take seconds."""
        self.close()
        self._closing.clear()
        grabber = self._grabber = self._connect()
        if self._closing.is_set():
            grabber.close()  # a `close` during the opening found nothing to close yet
        width, height = grabber.size
        if width * height > MAX_PIXELS:
            grabber.close()
            raise SourceError(
                Cause.TOO_LARGE, self.subject, limit=f"{MAX_PIXELS:,} pixels per frame"
            )
        first = self._first = self._grab(grabber)
        if first is None:
            grabber.close()
            raise SourceError(self._why_silent(), self.subject)
        if self._opened_at is None:
            self._opened_at = self._clock.now()
        height, width = first.shape[:2]
        is_jpeg = grabber.codec == "MJPG"
        is_video = self.is_compressed and not is_jpeg
        return SourceInfo(
            self.name, width, height, grabber.rate, is_jpeg=is_jpeg, is_video=is_video
        )

    def read(self) -> Frame | None:
        """Return the next frame; None only after `close`."""
        image = self._next()
        if self._grabber is None or self._opened_at is None or self._closing.is_set():
            return None
        if image is None:
            # Our own stream would make the camera look busy to `_why_silent`.
            self._grabber.close()
            raise SourceError(self._why_silent(), self.subject)
        return self._deliver(rgb_from_bgr(image), self._clock.now() - self._opened_at)

    def close(self) -> None:
        """Release the source; a blocked `read` does so at its time limit."""
        self._closing.set()
        self._first = None
        if (grabber := self._grabber) is not None:
            grabber.close()

    def _next(self) -> Image | None:
        first, self._first = self._first, None
        if first is not None or self._grabber is None or self._closing.is_set():
            return first
        return self._grab(self._grabber)

    def _grab(self, grabber: Grabber) -> Image | None:
        began = self._clock.now()
        for n_failed in range(self.attempts):
            read_at = self._clock.now()
            image = grabber.grab()
            if image is not None:
                if n_failed and not self.is_live:
                    log.info("%s: skipped %d damaged frames", kind_of(self), n_failed)
                return image
            now = self._clock.now()
            is_late = now - read_at > self.longest_read or now - began > self.longest_search
            if is_late or self._closing.is_set():
                break
        return None
