"""How far an evaluation is, for people at a terminal and for logs of jobs that nobody watches."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from app.cli.console import Tell, progress_bar, say

EVERY = 60.0
"""Seconds after which a log is told how far a part is."""


class Lines:
    """Tells a line when a part of a run begins, and one a minute while it lasts.

    Parameters
    ----------
    tell : callable
        Takes a line.
    clock : callable
        Seconds from any moment on.
    """

    def __init__(
        self, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._clock = tell, clock
        self._last, self._begun = -math.inf, ("", -1)

    def __call__(self, done: int, total: int | None, text: str) -> None:
        """Take what is done, what there is in all, and what is being done."""
        now = self._clock()
        if done == 0:
            if self._begun == (text, total or 0):
                return
            self._begun = (text, total or 0)
            self._tell(f"{text}: {total} to do" if total else text)
        elif now - self._last >= EVERY:
            self._tell(f"{text} ({done} of {total})" if total else text)
        else:
            return
        self._last = now


@contextmanager
def progress(title: str, *, hidden: bool = False) -> Iterator[Tell]:
    """Show a bar where standard error is a terminal, and lines where it is a file or a pipe.

    Parameters
    ----------
    title : str
        What is being done until something else is told.
    hidden : bool
        Show nothing at all.
    """
    if hidden or Console(stderr=True).is_terminal:
        with progress_bar(title, hidden=hidden) as tell:
            yield tell
        return
    lines = Lines(say)
    lines(0, None, title)
    yield lines
