"""Fixtures that fail a Qt test which leaves threads, timers or windows, or logs unexpectedly."""

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
"""Seconds that stopped threads get to end on a busy machine."""


def record_started(patch):
    """Return a set to which every thread and timer is added when it starts."""
    started = weakref.WeakSet()
    for kind in (QThread, QTimer):

        def start(self, *arguments, original=kind.start):
            started.add(self)
            return original(self, *arguments)

        patch.setattr(kind, "start", start)
    return started


def running(started):
    alive = [each for each in started if shiboken6.isValid(each)]
    threads = [each for each in alive if isinstance(each, QThread) and each.isRunning()]
    timers = [each for each in alive if isinstance(each, QTimer) and each.isActive()]
    return [
        *(f"QThread {thread.objectName() or thread}" for thread in threads),
        *(f"QTimer of {timer.parent()}, every {timer.interval()} ms" for timer in timers),
    ]


def stop_timers(started):
    """Stop timers that would act in a later test, such as one that waits for a dialog."""
    for each in started:
        if isinstance(each, QTimer) and shiboken6.isValid(each):
            each.stop()


def python_threads(known):
    """Return new Python threads."""
    return [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        # A QThread has a dummy thread in Python that outlives it.
        if thread not in known and not isinstance(thread, threading._DummyThread)
    ]


def windows(known):
    """Return new top-level widgets."""
    return [
        f"window {type(widget).__name__} {widget.windowTitle()!r}"
        for widget in QApplication.topLevelWidgets()
        # pyqtgraph has menus without a parent, which are garbage collected.
        if widget not in known and not (isinstance(widget, QMenu) and widget.isHidden())
    ]


def remains(find):
    """Return what is still found after garbage collection, once threads had time to end."""
    if not find():
        return []
    gc.collect()
    deadline = time.monotonic() + PATIENCE
    while (found := find()) and time.monotonic() < deadline:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        if not any(name.startswith(("thread", "QThread")) for name in found):
            break  # only threads end by themselves
        threading.Event().wait(0.01)
    return found


@pytest.fixture(autouse=True)
def nothing_is_left(request, monkeypatch, caplog):
    """Fail a test that leaves a thread, a timer or a window behind."""
    known_threads = set(threading.enumerate())
    app = QApplication.instance()
    known_windows = set() if app is None else set(QApplication.topLevelWidgets())
    started, n_failed = record_started(monkeypatch), request.session.testsfailed
    yield
    if request.session.testsfailed > n_failed:
        stop_timers(started)
        return  # its traceback keeps objects alive
    for phase in ("setup", "call", "teardown"):
        caplog.get_records(phase).clear()  # logged tracebacks keep objects alive
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def left():
        found = running(started) + python_threads(known_threads)
        return found if QApplication.instance() is None else found + windows(known_windows)

    found = remains(left)
    stop_timers(started)
    assert not found, f"{request.node.name} leaves behind: {', '.join(found)}"


class Records(logging.Handler):
    """Collects all errors, and warnings of our packages."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.all = []

    def emit(self, record):
        is_ours = record.name.split(".")[0] in ("app", "lmkl_core")
        if is_ours or record.levelno >= logging.ERROR:
            self.all.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def expect_log(request):
    """Fail a test that logs an error or a warning of ours other than those it expects.

    Return a function that adds an expected pattern; expected messages must be logged.
    """
    expected, records = [], Records()
    logging.getLogger().addHandler(records)
    yield expected.append
    logging.getLogger().removeHandler(records)
    lines = records.all
    unexpected = [line for line in lines if not any(re.search(each, line) for each in expected)]
    assert not unexpected, f"{request.node.name} logs: {'; '.join(unexpected)}"
    missing = [each for each in expected if not any(re.search(each, line) for line in lines)]
    assert not missing, f"{request.node.name} does not log: {'; '.join(missing)}"
