"""Hands and eyes for tests that drive the real window."""

import threading

import numpy as np
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton

from app.capture.source import FrameSource, SourceInfo
from app.qt import theme
from app.qt.workers.worker import any_left_behind
from app.session.takes import Plan

PATIENCE = 60_000
"""Milliseconds for what a person would wait for: the machine may be busy with other things."""

PLAN = Plan(frames=18, every=0.05, at_least_every=0.1)
"""Takes of eighteen frames, as fast as frames come."""

N_RECORDED = 7
"""Pictures of each of the demo's chapters: enough to tell the person from a print."""


class Driver:
    """A window on show with what a person does to it, and waits for."""

    def __init__(self, qtbot, window):
        self.qtbot, self.window, self.controller = qtbot, window, window.controller
        self.session, self.pages = self.controller.session, window.pages
        self.banner = window.live.banner
        self.is_prepared = False
        self.controller.prepared.connect(self._on_prepared)

    def _on_prepared(self):
        self.is_prepared = True

    @property
    def notices(self):
        """All sentences above the picture."""
        return " ".join(self.window.live.notices.texts)

    def until(self, condition):
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE)

    def until_prepared(self):
        """Wait until frames are judged."""
        self.until(lambda: self.is_prepared)
        return self

    def until_told(self, words):
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

    def button(self, text, within=None):
        """Find the one visible button of that name."""
        found = [
            one
            for one in (within or self.window).findChildren(QAbstractButton)
            if one.text().replace("&", "") == text and one.isVisible()
        ]
        assert len(found) == 1, f"{len(found)} buttons are called {text}"
        return found[0]

    def press(self, keys):
        if not self.window.isActiveWindow():
            self.window.activateWindow()
            self.until(self.window.isActiveWindow)
        self.qtbot.keySequence(self.window, QKeySequence(keys))

    def action(self, text):
        return next(one for one in self.window.menus.all if one.text().replace("&", "") == text)

    def turn_to(self, name):
        tabs = self.window.tabs.tabBar()
        index = next(i for i in range(tabs.count()) if tabs.tabText(i) == name)
        self.qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(index).center())
        self.until(self.window.tabs.currentWidget().isVisible)

    def choose(self, box, data):
        """Choose an entry of a combo box by what it stands for, with the keyboard."""
        index = box.findData(data)
        assert index >= 0, data
        box.setFocus()
        box.setCurrentIndex(index)
        box.activated.emit(index)

    def present(self, key):
        """Choose what the demo presents, and wait until it does; empty is everything in turn."""
        self.choose(self.window.live.source_bar._presents, key)
        if key:
            self.until(lambda: self.controller.source.demo.chapter.key == key)

    def record_take(self):
        """Record a take with the page's own button, to its end."""
        self.turn_to("Enrol")
        n_before = len(self.session.enrolment.samples)
        self.click(self.pages.enrol.record.button)
        self.until(lambda: not self.session.enrolment.is_recording)
        assert len(self.session.enrolment.samples) == n_before + PLAN.frames

    def drop(self, *paths):
        """Drag files onto the window and let go of them; return whether they were taken."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        held = (
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        enter = QDragEnterEvent(QPointF(50, 50).toPoint(), *held)
        enter.ignore()
        QApplication.sendEvent(self.window, enter)
        if not enter.isAccepted():
            return False
        QApplication.sendEvent(self.window, QDropEvent(QPointF(50, 50), *held))
        return True

    def close(self):
        """Close the window as its button would; return whether it closed."""
        return self.window.close()

    def put_away(self):
        """End everything, whatever state it is in."""
        # Nobody is there to answer questions about what would be lost.
        if self.session.has_unsaved_model:
            self.controller.model.discard()
        self.controller.enrol.clear()
        self.window.close()
        assert self.controller.stop()
        assert not any_left_behind()


def click(qtbot, widget):
    """Click a widget, once what has just been shown has its place."""
    QApplication.processEvents()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def named(parent, text, kind=QPushButton):
    """Find the one button of that name, on show or not."""
    (found,) = [each for each in parent.findChildren(kind) if each.text() == text]
    return found


def texts_of(parent):
    """Return what labels say, on show or not."""
    return [label.text() for label in parent.findChildren(QLabel) if label.text()]


def wheel_over(widget, notches=-1):
    """Turn the wheel over the middle of a widget, and return whether it took the event."""
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
    theme.notifier().dress()


def with_dialog(act):
    """Call a function with the next modal dialog, as soon as it is open."""

    def look():
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(5, look)
        else:
            act(dialog)

    QTimer.singleShot(0, look)


def answer_box(text):
    """Click a button of the next message box, as soon as it is open; return what it asked."""
    asked = []

    def answer(box):
        asked.append(box.text())
        next(b for b in box.buttons() if b.text().replace("&", "").startswith(text)).click()

    with_dialog(answer)
    return asked


class Pictures(FrameSource):
    """Shows pictures over and over, as fast as a quick camera; a grey frame by default."""

    name = "Pictures"
    rate = 30.0
    """Frames a second by its own clock."""

    def __init__(self, images=None, is_live=False):
        self.images = images or [np.full((480, 640, 3), 90, np.uint8)]
        self.is_live, self.is_open = is_live, False
        self.n_opened = 0
        self.error = None
        """Raised by the next opening or read."""
        self._closing = threading.Event()

    @property
    def n_given(self):
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


class Blocked(Pictures):
    """Gives one picture and then blocks in "open", "read" or "close", until it is let go."""

    name = "Blocked"

    def __init__(self, where):
        super().__init__()
        self._where = where
        self.let_go = threading.Event()
        self.is_blocked = threading.Event()

    def _block(self, where):
        if where == self._where:
            self.is_blocked.set()
            self.let_go.wait(120)

    def open(self):
        self._block("open")
        return super().open()

    def read(self):
        if self._n_delivered:
            self._block("read")
        return super().read()

    def close(self):
        super().close()
        self._block("close")
