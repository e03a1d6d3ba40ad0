"""What is on the screen first, and what has been loaded by then."""

import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel

from app.qt.app import LoadingPage
from app.qt.pages.live.preview import Preview
from app.qt.theme.themes import DARK, LIGHT
from app.qt.workers.capture import CaptureWorker
from app.types import Frame
from tests.qt.driving import apply_theme

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

    yield make
    apply_theme("light")


@pytest.mark.parametrize(("name", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_that_the_loading_page_has_the_chosen_theme(name, colours, page):
    shown = page(name)
    ground = shown.grab().toImage().pixelColor(shown.width() - 20, 20)
    words = shown.findChild(QLabel).palette().color(QPalette.ColorRole.WindowText)
    assert (ground, words) == (QColor(colours.window), QColor(colours.text))


def test_that_the_loading_page_paints_frames_at_once_and_leaves_them_to_the_window(
    page, capture, qtbot
):
    page = page("light")
    page.wait_for_frame(0.0)
    assert page.preview.n_painted == 0
    capture.to_show.put(RED)
    with qtbot.waitSignal(page.preview.first_frame_shown, timeout=0):  # without an event loop
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


def test_that_the_window_takes_the_place_of_the_page_that_shows_the_first_frame():
    script = """
import os
from app.launch import launch

def shown():
    from PySide6.QtWidgets import QApplication
    seen = [type(one).__name__ for one in QApplication.topLevelWidgets() if one.isVisible()]
    print("frame", *seen, flush=True)
    look()

def look():
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication
    seen = [type(one).__name__ for one in QApplication.topLevelWidgets() if one.isVisible()]
    if seen == ["MainWindow"]:
        print("window", flush=True)
        os._exit(0)
    QTimer.singleShot(5, look)

launch("demo", on_shown=shown)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    first, second = run.stdout.splitlines()
    # On a busy machine the first frame may miss the page, and the window paints it.
    assert first in ("frame LoadingPage", "frame MainWindow"), run.stderr
    assert second == "window", run.stderr


@pytest.mark.parametrize(
    ("needed", "slow"),
    [
        ("app.launch, app.qt.app, app.capture.opencv, app.demo.source", SLOW),
        ("app.qt.theme.icons", (*SLOW, "numpy")),
    ],
)
def test_that_neither_the_loading_page_nor_its_look_need_anything_slow(needed, slow):
    script = f"import sys, {needed}; print(*sorted(set({slow!r}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
