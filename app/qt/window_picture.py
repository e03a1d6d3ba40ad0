"""A picture of the window with a model at work on the demo, for commands that have no screen.

::

    python -m app.qt.window_picture MODEL PICTURE

opens the model, lets the demo present the person and then a print, and saves the page that
explains the score. It runs as a process of its own, because Qt ends the process where it cannot
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
"""What the demo presents, one after the other."""
PATIENCE = 15.0
"""Seconds to wait for the expected verdict; the picture is taken in any case."""
HISTORY = 2.5
"""Seconds of scores that the chart gets to show of each."""
LOOK_EVERY = 15
"""Milliseconds between looks at the condition in `wait_until`."""


def main(arguments: list[str] | None = None) -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(prog="python -m app.qt.window_picture", description=__doc__)
    parser.add_argument("model", type=Path, help="the model file")
    parser.add_argument("picture", type=Path, help="where the picture goes, as PNG")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as own:
        # Not the person's own settings and data.
        os.environ["LMKL_PAD_CONFIG"] = os.environ["LMKL_PAD_DATA"] = own
        _take(options.model.absolute(), options.picture.absolute())


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Run the event loop until a condition holds; return whether it did in time."""
    loop, timer = QEventLoop(), QTimer(interval=LOOK_EVERY)
    deadline = monotonic() + seconds
    holds = condition()

    def look() -> None:
        nonlocal holds
        holds = condition()
        if holds or monotonic() >= deadline:
            loop.quit()

    timer.timeout.connect(look)
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
            wait_until(partial(_says, window, verdict), PATIENCE)
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
        raise SystemExit(f"There is no picture: {what} did not come in time.")


def _presents(window: MainWindow, key: str) -> bool:
    demo = window.controller.source.demo
    return demo is not None and demo.chapter.key == key


def _says(window: MainWindow, verdict: str) -> bool:
    return window.live.banner.verdict.value == verdict


if __name__ == "__main__":
    main()
