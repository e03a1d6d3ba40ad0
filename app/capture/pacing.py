"""Time: a clock, the time stamps of recorded frames, and when to show them."""

import math
import threading
import time
from typing import Protocol

DEFAULT_RATE = 30.0
"""Frames a second where a recording does not say."""

LARGEST_GAP = 10.0
"""Seconds between two frames that are believed; a longer gap is a broken time stamp."""

LARGEST_DELAY = 1.0
"""Seconds a reader may lag behind and still catch up; then the recording waits for it instead."""


class Clock(Protocol):
    """A monotonic clock in seconds, and a wait that an event ends early."""

    def now(self) -> float: ...

    def wait(self, until_set: threading.Event, seconds: float) -> None: ...


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, until_set: threading.Event, seconds: float) -> None:
        until_set.wait(seconds)


class Timeline:
    """Turn the positions a container announces into a time that only runs forwards.

    Positions start again with every loop and every opening, are missing in some formats and wrong
    in damaged files. Where one does not follow the last, the timeline goes on by one frame and
    counts from there.

    Parameters
    ----------
    rate : float
        Frames a second; 0 if unknown.
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
        self._clock: Clock = clock or SystemClock()
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
        """Make the next frame due at once."""
        self._start = None
