"""Telling how far a long run is."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with what is done, what there is in all, and what is being done.

A run has several parts; each begins with nothing done and ends with all done, so that the time left
can be told from the two numbers.
"""

Cancel: TypeAlias = Callable[[], bool]

CANCELLED = "The evaluation was cancelled; what was finished is kept: run it again to go on there."


class Part:
    """One part of a run."""

    def __init__(self, progress: Progress | None, total: int, text: str) -> None:
        self._progress, self.total, self.text = progress, total, text
        self.done = 0
        self.step(0)

    def step(self, count: int = 1, text: str = "") -> None:
        """Tell that more is done, and perhaps of what."""
        self.done = min(self.done + count, self.total)
        if self._progress is not None and self.total:
            self._progress(self.done, self.total, text or self.text)
