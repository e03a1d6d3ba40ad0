"""The loading page, and what is imported before the first picture."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel

from app.qt.app import LoadingPage
from app.qt.pages.live.preview import Preview
from app.qt.theme.themes import DARK, LIGHT
from app.qt.workers.capture import CaptureWorker
from app.types import Frame
from tests.qt.driving import apply_theme, run_script

SLOW = ("scipy", "sklearn", "pyqtgraph", "onnxruntime", "torch", "typer", "rich", "PySide6.QtSvg")
RED = Frame(np.full((480, 640, 3), (200, 0, 0), np.uint8))


@pytest.fixture
def capture():
    return CaptureWorker()


@pytest.fixture
def page(shown, capture):
    def make(theme):
        apply_theme(theme)
        page = LoadingPage("", capture)
        page.show_now()
        return shown(page)

    return make


@pytest.mark.parametrize(("name", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_that_the_loading_page_has_the_chosen_theme(name, colours, page):
    page = page(name)
    ground = page.grab().toImage().pixelColor(page.width() - 20, 20)
    text = page.findChild(QLabel).palette().color(QPalette.ColorRole.WindowText)
    assert (ground, text) == (QColor(colours.window), QColor(colours.text))


def test_that_the_loading_page_paints_frames_and_hands_them_over_to_the_window(
    page, capture, qtbot
):
    page = page("light")
    page.wait_for_frame(0.0)
    assert page.preview.n_painted == 0
    capture.to_show.put(RED)
    with qtbot.waitSignal(page.preview.first_frame_shown, timeout=0):  # no event loop
        page.wait_for_frame(0.0)
    assert page.preview.n_painted == 1
    assert capture.to_show.take() is None
    capture.to_show.put(RED)
    capture.frame_ready.emit()
    qtbot.waitUntil(lambda: page.preview.n_painted == 2)
    other = Preview()
    qtbot.addWidget(other)
    other.resize(640, 480)
    page.hand_over_to(other)
    assert not page.isVisible()
    assert other.grab().toImage().pixelColor(320, 240) == QColor(200, 0, 0)


def test_that_the_styled_window_replaces_the_first_page_and_collects_garbage():
    run = run_script("""
import os
from app.launch import launch

def look(is_first=True):
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication
    visible = [type(w).__name__ for w in QApplication.topLevelWidgets() if w.isVisible()]
    if is_first or visible == ["MainWindow"]:
        print(*visible, flush=True)
    if not is_first and visible == ["MainWindow"]:
        from app.qt.garbage import _Timer
        app = QApplication.instance()
        print(bool(app.styleSheet()), app.findChild(_Timer) is not None, flush=True)
        os._exit(0)
    QTimer.singleShot(5, lambda: look(False))

launch("demo", on_shown=look)
""")
    first, second, prepared = run.stdout.splitlines()
    # On a busy machine, the first frame may come too late for the page.
    assert first in ("LoadingPage", "MainWindow"), run.stderr
    assert (second, prepared) == ("MainWindow", "True True"), run.stderr


@pytest.mark.parametrize(
    ("needed", "slow"),
    [
        ("app.launch, app.qt.app, app.capture.opencv, app.demo.source", SLOW),
        ("app.qt.theme.icons", (*SLOW, "numpy")),
    ],
)
def test_that_neither_the_loading_page_nor_its_look_need_slow_imports(needed, slow):
    run = run_script(f"import sys, {needed}; print(*sorted(set({slow!r}) & set(sys.modules)))")
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
