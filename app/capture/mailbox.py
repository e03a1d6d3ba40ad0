"""A mailbox for one frame between two threads."""

import threading

from app.types import Frame


class LatestFrame:
    """Hold the newest frame until it is taken: a slow reader sees the present, never a queue."""

    def __init__(self) -> None:
        self._filled = threading.Condition()
        self._frame: Frame | None = None
        self.n_dropped = 0
        """Frames that were replaced before they were taken."""

    def put(self, frame: Frame) -> bool:
        """Leave a frame; return whether the mailbox was empty.

        Only then does the reader need a signal: otherwise it has not yet reacted to the last one.
        """
        with self._filled:
            was_empty = self._frame is None
            self.n_dropped += not was_empty
            self._frame = frame
            self._filled.notify_all()
            return was_empty

    def take(self) -> Frame | None:
        """Remove and return the frame; None if there is none."""
        with self._filled:
            frame, self._frame = self._frame, None
            return frame

    def wait(self, timeout: float | None = None) -> Frame | None:
        """Wait for a frame and take it; None after the timeout in seconds."""
        with self._filled:
            self._filled.wait_for(lambda: self._frame is not None, timeout)
            frame, self._frame = self._frame, None
            return frame
