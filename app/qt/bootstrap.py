"""Start of the window, told in order, and its end.

1. The settings are read. Where the demo is what they name, its first picture is read too; any
   other source begins to open now, on the capture's thread.
2. The window appears, with nothing in it that is slow to load, and paints that picture.
3. The demo is opened and its frames follow; only then the heavy libraries are loaded, on another
   thread.
4. Session, controls, menus and pages are made, then the networks are prepared.
5. Closing ends the threads, within two seconds, and lets go of the camera.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app import settings as settings_file
from app.logs import DEBUG_VARIABLE, way_of
from app.qt import icons, theme
from app.qt.desk import Desk
from app.qt.main_window import MainWindow
from app.qt.threads import any_left_behind
from app.settings import Settings
from app.shown import Notice

log = logging.getLogger(__name__)

LOOK_FOR_SIGNALS = 250
"""Milliseconds after which Python is given the chance to notice Ctrl-C."""

LATEST_START = 1000
"""Milliseconds after which the threads start though nothing was painted."""


def make_application(arguments: list[str] | None = None) -> QApplication:
    """Return the application object, named and dressed."""
    existing = QApplication.instance()
    app = (
        existing if isinstance(existing, QApplication) else QApplication(arguments or sys.argv[:1])
    )
    app.setApplicationName("lmkl-pad")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("lmkl-pad")
    app.setWindowIcon(icons.app_icon())
    return app


def make_window(settings: Settings, problems: tuple[str, ...] = (), **options: Any) -> MainWindow:
    """Make the window and start what is behind it; the caller shows it.

    Parameters
    ----------
    settings : Settings
        As loaded.
    problems : tuple of str
        Sentences about settings that could not be used.
    **options
        For `Desk`.
    """
    theme.apply(make_application(), settings.theme)
    desk = Desk(settings, **options)
    window = MainWindow(desk)
    first = options.get("source") or settings.source
    if "make_demo" in options or not _show_poster(window, first):
        desk.start()
    for sentence in problems:
        desk.notice.emit(Notice(sentence, "warning", "settings"))
    return window


def run(source: str = "", model: str = "", on_shown: Callable[[], None] | None = None) -> int:
    """Show the window until it is closed, and return the exit code.

    Parameters
    ----------
    source : str
        In the place of the source in the settings.
    model : str
        A model to open.
    on_shown : callable, optional
        Called when the first frame is on the screen.
    """
    app = make_application()
    settings, problems = settings_file.load()
    model = os.path.abspath(model) if model else ""
    window = make_window(settings, problems, source=source, model=model)
    window.live.preview.first_frame_shown.connect(_collect_garbage)
    QTimer.singleShot(LATEST_START, _collect_garbage)
    if on_shown is not None:
        window.live.preview.first_frame_shown.connect(on_shown)
    _tell_of_errors(window)
    timer = _listen_for_interrupts(window)
    window.show()
    code = app.exec()
    timer.stop()
    window.desk.stop()
    if any_left_behind():
        # Qt aborts when a running thread is destroyed; everything worth keeping is kept.
        logging.shutdown()
        os._exit(code)
    return code


def _show_poster(window: MainWindow, source: str) -> bool:
    """Show the picture with which the source begins, if it is known; the rest starts after it."""
    from app.sources.poster import CAPTION, poster_of

    packed = poster_of(source)
    if not packed or not window.live.preview.show_poster(packed, CAPTION):
        return False
    # Queued, so that the picture is on the screen before threads compete for the interpreter.
    queued = Qt.ConnectionType.QueuedConnection
    window.live.preview.first_frame_shown.connect(window.desk.start, queued)
    # A window that is not seen, such as a minimised one, paints nothing and works all the same.
    QTimer.singleShot(LATEST_START, window.desk, window.desk.start)
    return True


def _collect_garbage() -> None:
    """Collect from now on: `app.launch` had it wait for the first picture."""
    gc.enable()


def _tell_of_errors(window: MainWindow) -> None:
    """Make a mistake of ours a sentence in the window: the program goes on."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("Unexpected error: %s", way_of(error.with_traceback(trace)))
        if os.environ.get(DEBUG_VARIABLE):
            sys.__excepthook__(kind, error, trace)
        text = f"Something went wrong ({kind.__name__}: {error}): go on, or start again."
        window.desk.notice.emit(Notice(text, "error", "unexpected"))

    sys.excepthook = hook


def _listen_for_interrupts(window: MainWindow) -> QTimer:
    """Let Ctrl-C, or a session that ends, close the window as a click would, but without questions.

    Who asks a program to end (SIGTERM) gets what was asked for: that is no failure.
    """

    def end(number: int, _frame: object) -> None:
        window.desk.stop()
        QApplication.exit(130 if number == signal.SIGINT else 0)

    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, end)
    timer = QTimer(interval=LOOK_FOR_SIGNALS)
    timer.timeout.connect(_nothing)
    timer.start()
    return timer


def _nothing() -> None:
    """Give Python a turn: signals are handled between its instructions."""
