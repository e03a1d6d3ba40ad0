"""What every Qt test leaves behind is looked at, and anything left fails it.

Threads, timers, windows, and sentences in the log.
"""

import gc
import logging
import re
import threading
import time
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication, QMenu

PATIENCE = 20.0
"""Seconds for threads that were told to end: the machine may be busy with other things."""


class Watched:
    """Remembers every thread and timer that is started, without keeping it alive."""

    def __init__(self, patch):
        self.threads, self.timers = weakref.WeakSet(), weakref.WeakSet()
        for kind, started in ((QThread, self.threads), (QTimer, self.timers)):
            self._watch(patch, kind, started)

    @staticmethod
    def _watch(patch, kind, started):
        start = kind.start

        def remembering(self, *arguments):
            started.add(self)
            return start(self, *arguments)

        patch.setattr(kind, "start", remembering)

    def running_threads(self):
        return [
            f"QThread {thread.objectName() or thread}"
            for thread in self.threads
            if shiboken6.isValid(thread) and thread.isRunning()
        ]

    def active_timers(self):
        return [
            f"QTimer of {timer.parent()}, every {timer.interval()} ms"
            for timer in self.timers
            if shiboken6.isValid(timer) and timer.isActive()
        ]


def python_threads(known):
    """Return the names of threads of Python's own that were not there before."""
    return [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        # Python's view of a QThread is a dummy that outlives it.
        if thread not in known and not isinstance(thread, threading._DummyThread)
    ]


def windows(known):
    """Return top-level widgets that were not there before."""
    return [
        f"window {type(widget).__name__} {widget.windowTitle()!r}"
        for widget in QApplication.topLevelWidgets()
        # Charts of pyqtgraph keep menus without a parent, which go with the garbage.
        if widget not in known and not (isinstance(widget, QMenu) and widget.isHidden())
    ]


def remains(find):
    """Return what is found even after garbage is collected and threads had time to end."""
    if not find():
        return []
    gc.collect()
    deadline = time.monotonic() + PATIENCE
    while (found := find()) and time.monotonic() < deadline:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        if not any(one.startswith(("thread", "QThread")) for one in found):
            break  # only threads end by themselves
        threading.Event().wait(0.01)
    return found


@pytest.fixture(autouse=True)
def nothing_is_left(request, monkeypatch, caplog):
    """Fail a test after which a thread, a timer or a window of its own is still there."""
    known_threads = set(threading.enumerate())
    app = QApplication.instance()
    known_windows = set() if app is None else set(QApplication.topLevelWidgets())
    watched, n_failed = Watched(monkeypatch), request.session.testsfailed
    yield
    if request.session.testsfailed > n_failed:
        return  # its traceback keeps things alive, and it has failed anyway
    for phase in ("setup", "call", "teardown"):
        caplog.get_records(phase).clear()  # what was logged with a traceback keeps its frames
    # pytest-qt has closed and deleted what was given to qtbot by now.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def left():
        found = watched.running_threads() + watched.active_timers() + python_threads(known_threads)
        return found if QApplication.instance() is None else found + windows(known_windows)

    found = remains(left)
    assert not found, f"{request.node.name} leaves behind: {', '.join(found)}"


class Records(logging.Handler):
    """Keeps what is worth a failure: every error, and every warning of ours."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.all = []

    def emit(self, record):
        is_ours = record.name.split(".")[0] in ("app", "lmkl_core")
        if is_ours or record.levelno >= logging.ERROR:
            self.all.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def expect_log(request):
    """Fail a test that logs an error or a warning of ours, unless it called this with a pattern.

    What was expected has to come, too.
    """
    expected, records = [], Records()
    logging.getLogger().addHandler(records)
    yield expected.append
    logging.getLogger().removeHandler(records)
    surprising = [
        line for line in records.all if not any(re.search(pattern, line) for pattern in expected)
    ]
    assert not surprising, f"{request.node.name} logs: {'; '.join(surprising)}"
    missing = [
        pattern for pattern in expected if not any(re.search(pattern, one) for one in records.all)
    ]
    assert not missing, f"{request.node.name} does not log: {'; '.join(missing)}"
