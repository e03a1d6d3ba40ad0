"""Start and end of the window.

1. The settings are read, and a plain page says that the program is loading.
2. Behind it the libraries that capture needs are loaded and the window is made; the source opens on
   the capture's thread.
3. When the first frame is painted, the heavy libraries are loaded on another thread.
4. Session, controls, menus and pages are made, then the networks are prepared.
5. Closing ends the threads, within two seconds, and lets go of the camera.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app import settings as settings_file
from app.logs import DEBUG_VARIABLE, way_of
from app.qt import icons, theme
from app.qt.loading_page import LoadingPage
from app.settings import Settings
from app.shown import Notice

if TYPE_CHECKING:
    from types import TracebackType

    from app.qt.main_window import MainWindow

log = logging.getLogger(__name__)

LOOK_FOR_SIGNALS = 250
"""Milliseconds after which Python is given the chance to notice Ctrl-C."""

LATEST_COLLECTION = 1000
"""Milliseconds after which garbage is collected though no frame was painted."""


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
    # Here and not above: these are loaded behind the loading page.
    from app.qt.desk import Desk
    from app.qt.main_window import MainWindow

    look = theme.notifier(make_application())
    look.choose(settings.theme)
    desk = Desk(settings, **options)
    window = MainWindow(desk)
    look.dress()
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
    theme.notifier(app).choose(settings.theme)
    page = LoadingPage()
    page.show_now()
    window = make_window(settings, problems, source=source, model=model)
    window.live.preview.first_frame_shown.connect(_collect_garbage)
    QTimer.singleShot(LATEST_COLLECTION, _collect_garbage)
    if on_shown is not None:
        window.live.preview.first_frame_shown.connect(on_shown)
    _tell_of_errors(window)
    timer = _listen_for_interrupts(window)
    window.show()
    page.close()
    code = app.exec()
    timer.stop()
    window.desk.stop()
    from app.qt.threads import any_left_behind

    if any_left_behind():
        # Qt aborts when a running thread is destroyed; everything worth keeping is kept.
        logging.shutdown()
        os._exit(code)
    return code


def _collect_garbage() -> None:
    """Collect from now on: `app.launch` had it wait for the first frame."""
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
