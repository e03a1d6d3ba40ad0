"""A picture of the window with a model at work on the demo, for commands that have no screen.

::

    python -m app.qt.window_picture MODEL PICTURE

opens the model, lets the demo present the person and then a print, and saves the page that
explains the score. Run as
a process of its own: where Qt cannot start it ends the whole process, and only that.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.qt.main_window import MainWindow
    from app.qt.photographer import Photographer

SIZE = (1280, 800)
GENUINE, ATTACK = "window 6", "print"
"""What the demo presents, one after the other."""
PATIENCE = 15.0
"""Seconds for which a verdict is waited for; what the window shows then is what is taken."""

HISTORY = 2.5
"""Seconds of scores that the chart gets to show of each."""


def main(arguments: list[str] | None = None) -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(prog="python -m app.qt.window_picture", description=__doc__)
    parser.add_argument("model", type=Path, help="the model file")
    parser.add_argument("picture", type=Path, help="where the picture goes, as PNG")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    options = parser.parse_args(arguments)
    # Before Qt is loaded: it reads this then.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as own:
        # The person's own settings and data are none of its business.
        os.environ["LMKL_PAD_CONFIG"] = os.environ["LMKL_PAD_DATA"] = own
        _take(options.model.absolute(), options.picture.absolute(), options.theme)


def _take(model: Path, picture: Path, theme: str) -> None:
    from PySide6.QtCore import QCoreApplication
    from PySide6.QtWidgets import QToolButton

    from app.qt.bootstrap import make_application, make_window
    from app.qt.photographer import Photographer
    from app.qt.waiting import wait_until
    from app.settings import Settings

    make_application()
    window = make_window(Settings(source="demo", theme=theme), model=str(model))
    window.resize(*SIZE)
    window.show()
    at, desk = Photographer(window, picture.parent), window.desk
    try:
        at.wait("the window", lambda: window.pages is not None)
        at.wait("the networks", lambda: desk.session is not None, 300.0)
        session = desk.session
        assert session is not None
        at.wait("the model", lambda: session.model is not None)
        window.book.turn_to("why")
        for key, verdict in ((GENUINE, "genuine"), (ATTACK, "attack")):
            _present(at, key)
            wait_until(partial(_says, window, verdict), PATIENCE)
            at.rest(HISTORY)
        for button in window.live.notices.findChildren(QToolButton):
            button.click()  # puts a notice away
        QCoreApplication.processEvents()
        if not window.grab().toImage().save(str(picture)):
            raise SystemExit(f"The picture cannot be written to {picture}.")
    finally:
        window.hide()
        desk.stop()


def _says(window: MainWindow, verdict: str) -> bool:
    return window.live.banner.verdict.value == verdict


def _present(at: Photographer, key: str) -> None:
    source = at.desk.source
    source.present(key)
    at.wait("the demo", lambda: source.demo is not None and source.demo.chapter.key == key)


if __name__ == "__main__":
    main()
