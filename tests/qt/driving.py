"""Drive the real window, and frame sources for it."""

import subprocess
import sys
import threading

import numpy as np
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton

from app.capture.source import FrameSource, SourceInfo
from app.qt import theme
from app.qt.workers.worker import any_still_running
from app.session.takes import Plan

PATIENCE = 60_000
"""Milliseconds to wait for a condition; long, because the machine may be busy."""

PLAN = Plan(frames=18, every=0.05, at_least_every=0.1)
"""Takes of eighteen frames, recorded as fast as frames arrive."""

N_RECORDED = 7
"""Pictures per chapter of the demo: enough to separate the person from a print."""


class Driver:
    """Operates a visible window as a person would, and waits for results."""

    def __init__(self, qtbot, window):
        self.qtbot, self.window, self.controller = qtbot, window, window.controller
        self.session, self.pages = self.controller.session, window.pages
        self.banner = window.live.banner
        self._prepared = recorded(self.controller.prepared)

    @property
    def is_prepared(self):
        return bool(self._prepared)

    @property
    def notices(self):
        """The texts of all notices."""
        return " ".join(self.window.live.notices.texts)

    def until(self, condition):
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE)

    def until_prepared(self):
        """Wait until frames are scored."""
        self.until(lambda: self.is_prepared and self.controller.source.is_running)
        return self

    def until_notice(self, words):
        self.until(lambda: words in self.notices)

    def until_verdict(self, verdict):
        self.until(lambda: self.banner.verdict is verdict)

    def until_modelled(self):
        """Wait until frames are judged by a model."""
        self.until_prepared()
        self.until(lambda: self.session.model is not None)
        return self

    def click(self, button):
        """Click a button that a person could click."""
        assert button.isVisible(), button.text()
        assert button.isEnabled(), button.text()
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def button(self, text):
        """Return the only visible button with this text."""
        buttons = self.window.findChildren(QAbstractButton)
        (found,) = [b for b in buttons if b.text().replace("&", "") == text and b.isVisible()]
        return found

    def press(self, keys):
        self.until(lambda: activated(self.window))
        self.qtbot.keySequence(self.window, QKeySequence(keys))

    def action(self, text):
        return next(a for a in self.window.menus.all if a.text().replace("&", "") == text)

    def turn_to(self, name):
        tabs = self.window.tabs.tabBar()
        index = next(i for i in range(tabs.count()) if tabs.tabText(i) == name)
        self.qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(index).center())
        self.until(self.window.tabs.currentWidget().isVisible)

    def choose(self, box, data):
        """Choose the entry of a combo box that has this data."""
        index = box.findData(data)
        assert index >= 0, data
        box.setCurrentIndex(index)
        box.activated.emit(index)

    def present(self, key):
        """Choose what the demo presents, and wait for it; an empty key for everything in turn."""
        self.choose(self.window.live.source_bar._presents, key)
        if key:
            self.until(lambda: self.controller.source.demo.chapter.key == key)

    def enrol(self, samples):
        """Set the enrolled samples."""
        self.session.change_enrolment(lambda enrolment: setattr(enrolment, "samples", samples))

    def record_take(self):
        """Record a complete take with the button of the page."""
        self.turn_to("Enrol")
        n_before = len(self.session.enrolment.samples)
        self.click(self.pages.enrol.record.button)
        self.until(lambda: not self.session.enrolment.is_recording)
        assert len(self.session.enrolment.samples) == n_before + PLAN.frames

    def drop(self, *paths):
        """Drop files onto the window; return whether it accepted them."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        held = (
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        enter = QDragEnterEvent(QPoint(50, 50), *held)
        enter.ignore()
        QApplication.sendEvent(self.window, enter)
        if not enter.isAccepted():
            return False
        QApplication.sendEvent(self.window, QDropEvent(QPointF(50, 50), *held))
        return True

    def close(self):
        """Close the window as its button does; return whether it closed."""
        return self.window.close()

    def put_away(self):
        """End everything without questions about unsaved work."""
        if self.session.has_unsaved_model:
            self.controller.model.discard()
        self.controller.enrol.clear()
        self.window.close()
        assert self.controller.stop()
        assert not any_still_running()


def activated(window):
    """Activate a window, and return whether it is active; without a window manager, try again."""
    if not window.isActiveWindow():
        window.activateWindow()
    return window.isActiveWindow()


def click(qtbot, widget):
    """Click a widget after pending layout changes."""
    QApplication.processEvents()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def named(parent, text, kind=QPushButton):
    """Return the only button with this text, visible or not."""
    (found,) = [each for each in parent.findChildren(kind) if each.text() == text]
    return found


def in_focus_order(widgets):
    """Sort widgets of a page by the order in which the tab key reaches them from the first."""
    order, widget = [widgets[0]], widgets[0].nextInFocusChain()
    while widget is not widgets[0]:
        order.append(widget)
        widget = widget.nextInFocusChain()
    return [widget for widget in order if widget in widgets]


def texts_of(parent):
    """Return the texts of all labels, visible or not."""
    return [label.text() for label in parent.findChildren(QLabel) if label.text()]


def wheel_over(widget, notches=-1):
    """Turn the wheel over the middle of a widget; return whether it accepted the event."""
    where = QPointF(widget.rect().center())
    event = QWheelEvent(
        where,
        QPointF(widget.mapToGlobal(where.toPoint())),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def apply_theme(name):
    theme.notifier().choose(name)
    theme.notifier().set_style_sheet()


def recorded(signal):
    """Return a list that receives what the signal carries: a value, or a tuple of several."""
    values = []
    signal.connect(lambda *args: values.append(args[0] if len(args) == 1 else args))
    return values


def run_script(script):
    """Run a Python script in its own process and return the completed process."""
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=5 * PATIENCE / 1000)


def with_dialog(act):
    """Call a function with the next modal dialog, as soon as it is open.

    A test that opens none leaves the timer behind, and fails.
    """
    timer = QTimer(QApplication.instance(), interval=5)

    def look():
        if (dialog := QApplication.activeModalWidget()) is not None:
            timer.stop()
            timer.deleteLater()
            act(dialog)

    timer.timeout.connect(look)
    timer.start()


def answer_box(text):
    """Click a button of the next message box; return a list that receives its question."""
    asked = []

    def answer(box):
        asked.append(box.text())
        next(b for b in box.buttons() if b.text().replace("&", "").startswith(text)).click()

    with_dialog(answer)
    return asked


class Pictures(FrameSource):
    """Repeats pictures, by default a grey one, as fast as a quick camera."""

    name = "Pictures"
    rate = 30.0
    """Frames per second in the timestamps."""

    def __init__(self, images=None, is_live=False):
        self.images = images or [np.full((480, 640, 3), 90, np.uint8)]
        self.is_live, self.is_open = is_live, False
        self.n_opened = 0
        self.error = None
        """Raised by the next `open` or `read`."""
        self._closing = threading.Event()

    @property
    def n_delivered(self):
        return self._n_delivered

    def open(self):
        if self.error is not None:
            raise self.error
        self._closing.clear()
        self.is_open = True
        self.n_opened += 1
        height, width = self.images[0].shape[:2]
        return SourceInfo(self.name, width, height, 100.0)

    def read(self):
        if self._closing.wait(min(0.01, 1 / self.rate)):
            return None
        if self.error is not None:
            raise self.error
        return self._deliver(self._image(self._n_delivered), self._n_delivered / self.rate)

    def _image(self, number):
        return self.images[number % len(self.images)]

    def close(self):
        self._closing.set()
        self.is_open = False
