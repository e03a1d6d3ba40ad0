"""Garbage collection beside worker threads."""

import threading
import weakref

from PySide6.QtCore import QObject


def make_garbage():
    for _ in range(10_000):
        cycle = []
        cycle.append(cycle)


def test_that_objects_of_qt_are_destroyed_on_the_windows_thread_only(qtbot):
    destroyed_on = []
    widget = QObject()
    widget.itself = widget
    weakref.finalize(widget, lambda: destroyed_on.append(threading.current_thread()))
    del widget
    worker = threading.Thread(target=make_garbage)
    worker.start()
    worker.join()
    assert destroyed_on == []
    qtbot.waitUntil(lambda: bool(destroyed_on))
    assert destroyed_on == [threading.main_thread()]
