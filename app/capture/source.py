"""Frame sources: their interface, their errors and the time of their frames.

Create a source (cheap, touches nothing), open it, read it until it returns ``None``, and close it.
It can be opened again and then continues its frame numbers.

    with source_from("takes/window.mp4") as source:
        for frame in source:
            ...

Call ``open`` and ``read`` on one thread, never the window's: cameras and networks may block for
seconds. ``close`` may be called from any thread.
"""

import math
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from app.types import Frame, Image


class Cause(StrEnum):
    """What is wrong with a source; the values appear in machine-readable reports."""

    NO_CAMERA = "no camera"
    BUSY = "busy"
    PERMISSION = "permission"
    CANNOT_OPEN = "cannot open"
    BLACK = "black image"
    FROZEN = "frozen image"
    DAMAGED = "damaged image"
    NO_ANSWER = "no answer"
    STALLED = "stalled"
    SLOW_TO_OPEN = "slow to open"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    EMPTY = "empty"
    NOT_FOUND = "not found"
    UNKNOWN_FORM = "unknown form"


_ADVICE = {
    Cause.NO_CAMERA: "{subject} is not connected: plug it in, or choose another source.",
    Cause.BUSY: "{subject} is in use by another program: close it there and try again.",
    Cause.PERMISSION: "{subject} cannot be used by this account: ask for permission to use it.",
    Cause.CANNOT_OPEN: (
        "{subject} does not open: close other programs that use it, then unplug and replug it."
    ),
    Cause.BLACK: "{subject} sends black images: open its shutter or turn on a light.",
    Cause.FROZEN: ("{subject} repeats the same image: unplug and replug it, or open its shutter."),
    Cause.DAMAGED: "{subject} sends damaged images: check its cable or its network.",
    Cause.NO_ANSWER: (
        "{subject} does not answer: check the address and that the camera is on and reachable."
    ),
    Cause.STALLED: "{subject} has stopped sending frames: check its cable or its network.",
    Cause.SLOW_TO_OPEN: "{subject} is slow to open: wait, or choose another source.",
    Cause.UNREADABLE: "{subject} cannot be read: it is damaged or in an unknown format.",
    Cause.TOO_LARGE: "{subject} is too large: make it smaller than {limit}.",
    Cause.EMPTY: "{subject} contains no image: choose another one.",
    Cause.NOT_FOUND: "{subject} does not exist: check the spelling.",
    Cause.UNKNOWN_FORM: (
        "{subject} is not a source: give demo, camera, camera:NAME, the path of a video, an image "
        "or a folder of images, or an http, https or rtsp address."
    ),
}

_CAMERA_PERMISSION = {
    "linux": (
        "{subject} cannot be used by this account: run 'sudo usermod -aG video $USER', "
        "then log in again."
    ),
    "darwin": (
        "{subject} cannot be used by this program: allow it in System Settings, Privacy & "
        "Security, Camera, then start the program again."
    ),
    "win32": (
        "{subject} cannot be used by this program: switch on Settings, Privacy & security, "
        "Camera, 'Let desktop apps access your camera'."
    ),
}


def advice(
    cause: Cause, subject: str, *, limit: str = "the limit", platform: str = sys.platform
) -> str:
    """Return one sentence that names the problem and the way out.

    It begins with the subject ("The camera Logitech C920"); the limit is for ``TOO_LARGE``.
    """
    text = _ADVICE[cause]
    if cause is Cause.PERMISSION:
        text = _CAMERA_PERMISSION.get(platform, text)
    return text.format(subject=subject, limit=limit)


def printable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode; file names may contain any bytes."""
    return text.encode("utf-8", "replace").decode()


class SourceError(Exception):
    """A source cannot deliver frames; the message is `advice` on the cause by default."""

    def __init__(
        self,
        cause: Cause,
        subject: str = "The source",
        *,
        limit: str = "the limit",
        message: str | None = None,
    ) -> None:
        text = message if message is not None else advice(cause, subject, limit=limit)
        super().__init__(printable(text))
        self.cause = cause


def unreadable_by_account(subject: str) -> SourceError:
    message = f"{subject} cannot be read by this account: change its permissions."
    return SourceError(Cause.PERMISSION, message=message)


@dataclass(frozen=True)
class SourceInfo:
    name: str
    width: int  # as delivered, not as requested
    height: int
    rate: float  # announced frames per second; 0 if unknown
    n_frames: int | None = None  # None if only reading to the end would show it
    is_jpeg: bool = False  # each picture is compressed on its own: no two are identical
    is_video: bool = False  # compressed as a sequence: still parts may repeat exactly


class FrameSource(ABC):
    """A sequence of frames; subclasses pass every picture to `_deliver`."""

    name: str
    """A camera's name, a file's name, an address without credentials."""
    is_live: bool = False  # whether it is a camera: endless, and reopened when it fails
    remark: str = ""  # a sentence to show once it is open; usually empty

    _n_delivered: int = 0
    _last_time: float = 0.0

    @property
    def subject(self) -> str:
        """The beginning of a sentence about this source."""
        return f"The source {self.name}"

    @abstractmethod
    def open(self) -> SourceInfo:
        """Open the source on the calling thread, or raise `SourceError`."""

    @abstractmethod
    def read(self) -> Frame | None:
        """Return the next frame, or None at the end of a finite source or after `close`.

        Raises `SourceError` when the source fails.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the source; a waiting `read` returns as soon as its library allows."""

    def _deliver(self, image: Image, time: float, caption: str = "") -> Frame:
        """Number the image; time never runs backwards, even after reopening."""
        self._last_time = max(self._last_time, time)
        frame = Frame(image, self._n_delivered, self._last_time, caption)
        self._n_delivered += 1
        return frame

    def __iter__(self) -> Iterator[Frame]:
        """Read an open source to its end."""
        while (frame := self.read()) is not None:
            yield frame

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


DEFAULT_RATE = 30.0  # frames per second of recordings that announce no rate

# Longest plausible seconds between two frames; a longer gap is a broken time stamp.
LARGEST_GAP = 10.0
# Seconds a reader may lag behind and still catch up; beyond that, playback waits for it.
LARGEST_DELAY = 1.0


class Clock:
    """A monotonic clock in seconds, and a wait that an event can end early."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, until_set: threading.Event, seconds: float) -> None:
        until_set.wait(seconds)


class Timeline:
    """Turn the positions a container announces into a time that only runs forwards.

    Positions start again with every opening, are missing in some formats and wrong in damaged
    files. One that does not follow the last counts as one frame later. ``rate`` 0 means unknown.
    """

    def __init__(self, rate: float = 0.0) -> None:
        self.period = 1 / (rate if rate * LARGEST_GAP >= 1 else DEFAULT_RATE)
        self._offset: float | None = None
        self._last = -self.period

    def place(self, position: float) -> float:
        """Return the time in seconds of the frame at the announced position in seconds."""
        if not math.isfinite(position):
            self._last += self.period
            return self._last
        if self._offset is None:
            self._offset = -position
        time = position + self._offset
        if not 0 < time - self._last <= LARGEST_GAP:
            time = self._last + self.period
            self._offset = time - position
        self._last = time
        return time


class Pacer:
    """Hold frames back until they are due."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        self._start: float | None = None

    def wait_for(self, media_time: float, interrupt: threading.Event) -> None:
        """Return when the frame of this media time is due, or when interrupted."""
        now = self._clock.now()
        if self._start is None or now - self._start - media_time > LARGEST_DELAY:
            self._start = now - media_time
        delay = self._start + media_time - now
        if delay > 0:
            self._clock.wait(interrupt, delay)

    def restart(self) -> None:
        self._start = None
