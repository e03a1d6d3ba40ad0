"""What is on the screen first, and what has been loaded by then."""

import subprocess
import sys

import pytest

from app.qt import theme
from app.qt.colours import DARK, LIGHT
from app.qt.loading_page import LoadingPage

SLOW = ("scipy", "sklearn", "pyqtgraph", "onnxruntime", "torch", "typer", "rich")


@pytest.mark.parametrize(("name", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_that_the_loading_page_is_painted_in_the_chosen_theme(name, colours, qapp, qtbot):
    theme.apply(qapp, name)
    page = LoadingPage()
    qtbot.addWidget(page)
    page.show_now()
    seen = {page.grab().toImage().pixelColor(x, 80).name() for x in range(0, page.width())}
    theme.apply(qapp, "light")
    assert {colours.window, colours.outline} < seen


def test_that_the_loading_page_comes_before_the_window_and_goes_with_the_first_frame():
    script = f"""
import gc, os, sys
from app.launch import launch
def loaded():
    return sorted(set({SLOW!r}) & set(sys.modules))
def shown():
    from PySide6.QtWidgets import QApplication
    seen = [type(one).__name__ for one in QApplication.topLevelWidgets() if one.isVisible()]
    print("shown", seen, loaded(), gc.isenabled(), flush=True)
    os._exit(0)
from app.qt.loading_page import LoadingPage
show = LoadingPage.show_now
def show_now(page):
    show(page)
    print("loading", page.isVisible(), "app.qt.main_window" in sys.modules, loaded(), flush=True)
LoadingPage.show_now = show_now
launch("demo", on_shown=shown)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines() == [
        "loading True False []",
        "shown ['MainWindow'] [] True",
    ], run.stderr
