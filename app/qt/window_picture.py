"""Take a picture of the window while a model judges the demo, without a screen.

::

    python -m app.qt.window_picture MODEL PICTURE

opens the model, lets the demo present the person and then a print, and saves the window with the
page that explains the score. It runs in its own process, because Qt ends the process if it cannot
start.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtWidgets import QToolButton

from app.qt.app import make_application, make_window
from app.qt.main_window import MainWindow
from app.settings import Settings

SIZE = (1280, 800)
GENUINE, ATTACK = "window 6", "print"
"""What the demo presents, in this order."""
PATIENCE = 15.0
"""Seconds to wait for the expected verdict; the picture is taken in any case."""
HISTORY = 2.5
"""Seconds of scores in the chart for each."""
CHECK_INTERVAL = 15
"""Milliseconds between checks of the condition in `wait_until`."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m app.qt.window_picture", description=__doc__)
    parser.add_argument("model", type=Path, help="the model file")
    parser.add_argument("picture", type=Path, help="the picture to write, as PNG")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        # Keeps away from the user's settings and data.
        os.environ["LMKL_PAD_CONFIG"] = os.environ["LMKL_PAD_DATA"] = folder
        _take(options.model.absolute(), options.picture.absolute())


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Run the event loop until a condition holds; return whether it did before the timeout."""
    loop, timer = QEventLoop(), QTimer(interval=CHECK_INTERVAL)
    deadline = monotonic() + seconds
    holds = condition()

    def check() -> None:
        nonlocal holds
        holds = condition()
        if holds or monotonic() >= deadline:
            loop.quit()

    timer.timeout.connect(check)
    if not holds and seconds > 0:
        timer.start()
        loop.exec()
        timer.stop()
    return holds


def rest(seconds: float) -> None:
    """Run the event loop for a while."""
    wait_until(lambda: False, seconds)


def _take(model: Path, picture: Path) -> None:
    make_application()
    window = make_window(Settings(source="demo", theme="light"), model=str(model))
    window.resize(*SIZE)
    window.show()
    controller = window.controller
    try:
        _wait("the model", lambda: controller.session.model is not None)
        window.turn_to(window.pages.why)
        for key, verdict in ((GENUINE, "genuine"), (ATTACK, "attack")):
            controller.source.present(key)
            _wait("the demo", partial(_presents, window, key))
            wait_until(partial(_shows, window, verdict), PATIENCE)
            rest(HISTORY)
        for button in window.live.notices.findChildren(QToolButton):
            button.click()  # dismisses a notice
        QCoreApplication.processEvents()
        if not window.grab().toImage().save(str(picture)):
            raise SystemExit(f"The picture cannot be written to {picture}.")
    finally:
        window.hide()
        controller.stop()


def _wait(what: str, condition: Callable[[], bool]) -> None:
    if not wait_until(condition, 300.0):
        raise SystemExit(f"No picture was taken: timed out waiting for {what}.")


def _presents(window: MainWindow, key: str) -> bool:
    demo = window.controller.source.demo
    return demo is not None and demo.chapter.key == key


def _shows(window: MainWindow, verdict: str) -> bool:
    return window.live.banner.verdict.value == verdict


if __name__ == "__main__":
    main()
