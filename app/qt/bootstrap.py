"""Start and end of the window.

1. The settings are read, and a plain page says that the program is loading.
2. The source opens on the capture's thread, and the page shows its first frame. A camera takes
   longer to open: it is not waited for.
3. The window is made behind the page and takes its place. When it has painted a frame, the heavy
   libraries are loaded on another thread.
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
from app.qt.state import Notice
from app.settings import Settings

if TYPE_CHECKING:
    from types import TracebackType

    from app.qt.main_window import MainWindow

log = logging.getLogger(__name__)

LOOK_FOR_SIGNALS = 250
"""Milliseconds after which Python is given the chance to notice Ctrl-C."""

LONGEST_WAIT = 0.1
"""Seconds that the window is not made for a first frame, which then comes the sooner."""

LATEST_COLLECTION = 1000
"""Milliseconds after which garbage is collected though no frame was painted."""


def make_application(arguments: list[str] | None = None) -> QApplication:
    """Return the application object, named and dressed."""
    existing = QApplication.instance()
    # The style by its option: `setStyle` would make a Python class of QStyle, which takes 5 ms.
    options = [*(arguments or sys.argv[:1]), "-style", "fusion"]
    app = existing if isinstance(existing, QApplication) else QApplication(options)
    app.setApplicationName("lmkl-pad")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("lmkl-pad")
    app.setWindowIcon(icons.app_icon())
    return app


def make_window(
    settings: Settings,
    problems: tuple[str, ...] = (),
    page: LoadingPage | None = None,
    **options: Any,
) -> MainWindow:
    """Make the window and start what is behind it; the caller shows it.

    Parameters
    ----------
    settings : Settings
        As loaded.
    problems : tuple of str
        Sentences about settings that could not be used.
    page : LoadingPage, optional
        Shows the first frame while the window is made.
    **options
        For `Desk`.
    """
    look = theme.notifier(make_application())
    look.choose(settings.theme)
    # Here and not above: these are loaded behind the loading page.
    from app.qt.desk import Desk

    desk = Desk(settings, **options)
    desk.start()
    if page is not None:
        page.show_first(desk.capture.to_show, LONGEST_WAIT)
    from app.qt.main_window import MainWindow

    window = MainWindow(desk)
    look.dress()
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
    page = LoadingPage(settings.window)
    if on_shown is not None:
        page.preview.first_frame_shown.connect(on_shown)
    page.show_now()
    window = make_window(settings, problems, page, source=source, model=model)
    window.live.preview.first_frame_shown.connect(_collect_garbage)
    QTimer.singleShot(LATEST_COLLECTION, _collect_garbage)
    if on_shown is not None and not page.preview.n_painted:
        window.live.preview.first_frame_shown.connect(on_shown)
    _tell_of_errors(window)
    timer = _listen_for_interrupts(window)
    window.show()
    page.give_way_to(window.live.preview)
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
