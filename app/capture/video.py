"""Recorded videos, at full speed or at their own pace."""

import os
from dataclasses import replace
from pathlib import Path

from app.capture.opencv import Grabber, OpenCVSource, cv2, rgb_from_bgr
from app.capture.source import (
    Cause,
    Clock,
    Pacer,
    SourceError,
    SourceInfo,
    Timeline,
    printable,
    unreadable_by_account,
)
from app.types import Frame


class VideoFile(OpenCVSource):
    """The frames of a video file with media time; ``paced`` holds each back until it is due.

    Damaged frames are skipped; a truncated file ends where it breaks off.
    """

    is_live = False
    # Failed reads in a row, and their seconds, after which the file counts as ended: OpenCV does
    # not distinguish damage from the end, and one read may search all of a large file.
    attempts, longest_read, longest_search = 250, float("inf"), 5.0

    def __init__(self, path: str | Path, paced: bool = True, *, clock: Clock | None = None) -> None:
        self.path = Path(path)
        super().__init__(printable(self.path.name), clock)
        self.paced = paced
        self._pacer = Pacer(self._clock)
        self._timeline: Timeline | None = None

    @property
    def subject(self) -> str:
        return f"The video {self.name}"

    def open(self) -> SourceInfo:
        info = super().open()
        if self._timeline is None:
            self._timeline = Timeline(info.rate)
        self._pacer.restart()
        assert self._grabber is not None
        n_frames = int(self._grabber.get(cv2.CAP_PROP_FRAME_COUNT))
        return replace(info, n_frames=n_frames or None)

    def read(self) -> Frame | None:
        image = self._next()
        if image is None or self._timeline is None or self._grabber is None:
            return None
        time = self._timeline.place(self._grabber.get(cv2.CAP_PROP_POS_MSEC) / 1000)
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
        return any(self._grabber.skip() for _ in range(self.attempts) if not self._closing.is_set())

    def _connect(self) -> Grabber:
        self._check_file()
        # An absolute path cannot be mistaken for one of FFmpeg's protocols.
        grabber = Grabber(str(self.path.resolve()), cv2.CAP_FFMPEG)
        if not grabber.is_open:
            raise SourceError(Cause.UNREADABLE, self.subject)
        return grabber

    def _why_silent(self) -> Cause:
        return Cause.UNREADABLE

    def _check_file(self) -> None:
        subject = self.subject
        try:
            if not self.path.is_file():
                if self.path.exists() and not self.path.is_dir():
                    # Opening a pipe waits for its writer, and reading it may never end.
                    message = f"{subject} is a pipe or a device: record it into a file first."
                    raise SourceError(Cause.UNREADABLE, message=message)
                raise SourceError(Cause.NOT_FOUND, subject)
            may_read, n_bytes = os.access(self.path, os.R_OK), self.path.stat().st_size
        except PermissionError:  # of a parent folder
            may_read, n_bytes = False, 0
        if not may_read:
            raise unreadable_by_account(subject)
        if n_bytes == 0:
            raise SourceError(Cause.EMPTY, subject)
        try:
            str(self.path.resolve()).encode()
        except UnicodeEncodeError:
            message = f"{subject} has a path that is not UTF-8 text: rename the file or its folder."
            raise SourceError(Cause.UNREADABLE, message=message) from None
