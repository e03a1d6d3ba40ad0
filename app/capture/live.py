"""What webcams and network cameras have in common."""

import threading
from abc import abstractmethod

from app.capture.opencv import MAX_PIXELS, Grabber, rgb_from_bgr
from app.capture.pacing import Clock, SystemClock
from app.capture.source import Cause, FrameSource, SourceError, SourceInfo
from app.types import Frame, Image

SLOW = 0.5
"""Seconds: a failed read that took this long waited in vain, rather than met a bad picture."""


class LiveSource(FrameSource):
    """A camera, opened on the thread that calls `open`.

    Opening waits for the first picture: some drivers open a busy camera without complaint and
    fail only then. Time counts from the first opening, on a clock that never runs backwards.
    """

    is_live = True

    is_compressed = False
    """Whether its pictures always arrive compressed."""

    attempts = 10
    """Failed reads in a row that are forgiven: networks lose packets, and many webcams begin with
    pictures that cannot be decoded. A read that waited in vain is not repeated."""

    def __init__(self, name: str, clock: Clock | None = None) -> None:
        self.name = name
        self._clock: Clock = clock or SystemClock()
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
            grabber.close()
        width, height = grabber.size
        if width * height > MAX_PIXELS:
            grabber.close()
            raise SourceError(Cause.TOO_LARGE, self.subject, limit=f"{MAX_PIXELS:,} pixels a frame")
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
        grabber, image = self._grabber, self._first
        self._first = None
        if grabber is None or self._closing.is_set() or self._opened_at is None:
            return None
        if image is None:
            image = self._grab(grabber)
        if self._closing.is_set():
            return None
        if image is None:
            # Our own stream would make the camera look busy to `_why_silent`.
            grabber.close()
            raise SourceError(self._why_silent(), self.subject)
        return self._deliver(rgb_from_bgr(image), self._clock.now() - self._opened_at)

    def close(self) -> None:
        """Release the camera; a blocked `read` ends at its time limit and then releases it."""
        self._closing.set()
        self._first = None
        if (grabber := self._grabber) is not None:
            grabber.close()

    def _grab(self, grabber: Grabber) -> Image | None:
        for _ in range(self.attempts):
            began = self._clock.now()
            image = grabber.grab()
            if image is not None:
                return image
            if self._closing.is_set() or self._clock.now() - began > SLOW:
                break
        return None
