"""A recorded video, as fast as it can be read or at its own pace."""

import logging
import os
import threading
from pathlib import Path

from app.capture.opencv import MAX_PIXELS, Grabber, cv2, rgb_from_bgr
from app.capture.pacing import Clock, Pacer, SystemClock, Timeline
from app.capture.source import (
    Cause,
    FrameSource,
    SourceError,
    SourceInfo,
    printable,
    unreadable_by_account,
)
from app.logs import kind_of
from app.types import Frame, Image

log = logging.getLogger(__name__)

PATIENCE = 250
"""Failed reads in a row that count as damaged frames; after that the file is at its end.

OpenCV does not say which of the two a failed read is. At the end of a file this many take a few
milliseconds.
"""

LONGEST_SEARCH = 5.0
"""Seconds of failed reads in a row after which the file is at its end, however many they are: each
may look through a large file, and forever through one that is still being written."""


class VideoFile(FrameSource):
    """Frames of a video file, with media time stamps.

    Opening reads the first frame, so that an unusable file is found there. Damaged frames are
    skipped; a file that breaks off ends where it breaks off. A ``paced`` file holds each frame back
    until it is due, as a camera would.
    """

    def __init__(self, path: str | Path, paced: bool = True, *, clock: Clock | None = None) -> None:
        self.path = Path(path)
        self.name = printable(self.path.name)
        self.paced = paced
        self._clock: Clock = clock or SystemClock()
        self._pacer = Pacer(self._clock)
        self._timeline: Timeline | None = None
        self._grabber: Grabber | None = None
        self._first: tuple[Image, float] | None = None
        self._closing = threading.Event()

    @property
    def subject(self) -> str:
        return f"The video {self.name}"

    def open(self) -> SourceInfo:
        """Open the file and read its first frame."""
        self.close()
        self._closing.clear()
        self._check_file()
        # An absolute path cannot be mistaken for one of FFmpeg's protocols.
        grabber = self._grabber = Grabber(str(self.path.resolve()), cv2.CAP_FFMPEG)
        if self._closing.is_set():
            grabber.close()  # a `close` during the opening found nothing to close yet
        if not grabber.is_open:
            raise SourceError(Cause.UNREADABLE, self.subject)
        width, height = grabber.size
        if width * height > MAX_PIXELS:
            grabber.close()
            raise SourceError(Cause.TOO_LARGE, self.subject, limit=f"{MAX_PIXELS:,} pixels a frame")
        first = self._first = self._grab()
        if first is None:
            grabber.close()
            raise SourceError(Cause.UNREADABLE, self.subject)
        if self._timeline is None:
            self._timeline = Timeline(grabber.rate)
        self._pacer.restart()
        height, width = first[0].shape[:2]
        n_frames = int(grabber.get(cv2.CAP_PROP_FRAME_COUNT))
        return SourceInfo(self.name, width, height, grabber.rate, n_frames or None)

    def read(self) -> Frame | None:
        """Return the next frame, when it is due if the file is paced."""
        found, self._first = self._first or self._grab(), None
        if found is None or self._timeline is None:
            return None
        image, position = found
        time = self._timeline.place(position)
        if self.paced:
            self._pacer.wait_for(time, self._closing)
        if self._closing.is_set():
            return None
        return self._deliver(rgb_from_bgr(image), time)

    def skip(self) -> bool:
        """Skip the next frame, which is faster than reading it; False at the end."""
        if self._first is not None:
            self._first = None
            return True
        if self._grabber is None:
            return False
        return any(self._grabber.skip() for _ in range(PATIENCE) if not self._closing.is_set())

    def close(self) -> None:
        """Release the file; a `read` that waits until its frame is due returns at once."""
        self._closing.set()
        if (grabber := self._grabber) is not None:
            grabber.close()

    def _grab(self) -> tuple[Image, float] | None:
        """Return the next picture and its position in seconds."""
        grabber, began = self._grabber, self._clock.now()
        if grabber is None or self._closing.is_set():
            return None
        for n_failed in range(PATIENCE):
            if (image := grabber.grab()) is not None:
                if n_failed:
                    log.info("%s: %d damaged frames passed over", kind_of(self), n_failed)
                return image, grabber.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if self._closing.is_set() or self._clock.now() - began > LONGEST_SEARCH:
                break
        return None

    def _check_file(self) -> None:
        subject = self.subject
        try:
            if not self.path.is_file():
                if self.path.exists() and not self.path.is_dir():
                    # Opening a pipe waits for its writer, and reading it has no end.
                    message = f"{subject} is a pipe or a device: record it into a file first."
                    raise SourceError(Cause.UNREADABLE, message=message)
                raise SourceError(Cause.NOT_FOUND, subject)
            may_read, n_bytes = os.access(self.path, os.R_OK), self.path.stat().st_size
        except PermissionError:  # of a folder on the way
            may_read, n_bytes = False, 0
        if not may_read:
            raise unreadable_by_account(subject)
        if n_bytes == 0:
            raise SourceError(Cause.EMPTY, subject)
        try:
            str(self.path.resolve()).encode()
        except UnicodeEncodeError:
            message = f"{subject} has a path that is no UTF-8 text: rename the file or its folder."
            raise SourceError(Cause.UNREADABLE, message=message) from None
