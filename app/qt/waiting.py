"""Waiting for something while the window goes on working, for programs that drive it."""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QEventLoop, QTimer

LOOK_EVERY = 15
"""Milliseconds between looks at the condition."""


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Run Qt's event loop until a condition holds, and return whether it came to hold in time.

    Parameters
    ----------
    condition : callable
        Asked again and again, on the main thread.
    seconds : float
        After which waiting ends.
    """
    loop, timer = QEventLoop(), QTimer(interval=LOOK_EVERY)
    deadline = monotonic() + seconds
    holds = condition()

    def look() -> None:
        nonlocal holds
        holds = condition()
        if holds or monotonic() >= deadline:
            loop.quit()

    timer.timeout.connect(look)
    if not holds and seconds > 0:
        timer.start()
        loop.exec()
        timer.stop()
    return holds


def rest(seconds: float) -> None:
    """Let the window work for a while."""
    wait_until(lambda: False, seconds)
