"""One place for one frame between two threads: the newest wins."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.types import Frame


class LatestFrame:
    """Hold the newest frame until somebody takes it; what nobody took in time is counted.

    A slow reader so sees the present and never a queue of the past.
    """

    def __init__(self) -> None:
        self._filled = threading.Condition()
        self._frame: Frame | None = None
        self._n_dropped = 0

    @property
    def n_dropped(self) -> int:
        """Frames that were overwritten before somebody took them."""
        return self._n_dropped

    def put(self, frame: Frame) -> bool:
        """Leave a frame, in the place of an older one; return whether the place was empty.

        Whoever tells the reader of a frame needs to do so only then: it has not yet come for the
        last one otherwise.
        """
        with self._filled:
            was_empty = self._frame is None
            self._n_dropped += not was_empty
            self._frame = frame
            self._filled.notify_all()
            return was_empty

    def take(self) -> Frame | None:
        """Return the frame and leave the place empty; None where there is none."""
        with self._filled:
            frame, self._frame = self._frame, None
            return frame

    def wait(self, timeout: float | None = None) -> Frame | None:
        """Wait for a frame and take it; None after the seconds have passed without one."""
        with self._filled:
            self._filled.wait_for(lambda: self._frame is not None, timeout)
            frame, self._frame = self._frame, None
            return frame
