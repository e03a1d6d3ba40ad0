"""Collect cyclic garbage on the window's thread only.

Python's collector runs on any thread that allocates. On a worker's thread it would destroy QObjects
of closed windows: a destructor holds a mutex of Qt while it waits for the GIL, the window's thread
holds the GIL while it waits for that mutex, and both wait forever.
"""

import gc

from PySide6.QtCore import QCoreApplication, QTimer

INTERVAL = 1000
"""Milliseconds between collections."""


class _Timer(QTimer):
    """Calls `collect` while an event loop runs."""


def collect_on_this_thread() -> None:
    """Disable the automatic collector; from now on the application's event loop collects."""
    application = QCoreApplication.instance()
    if application is not None and application.findChild(_Timer) is None:
        gc.disable()
        timer = _Timer(application, interval=INTERVAL)
        timer.timeout.connect(collect)
        timer.start()


def collect() -> None:
    """Collect the oldest generation that is due, as the automatic collector does."""
    counts, limits = gc.get_count(), gc.get_threshold()
    due = [k for k in range(len(counts)) if counts[k] > limits[k] > 0]
    if due:
        gc.collect(due[-1])
