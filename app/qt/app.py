"""Start and end the window.

1. A plain loading page appears. The source opens on its own thread, and the page shows its frames.
2. Meanwhile another thread imports the rest of the program, which takes more than a second.
3. Session, controllers and window are created, and the window replaces the loading page. Then the
   networks are prepared.
4. Closing the window ends the threads within two seconds and releases the camera.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEventLoop, Qt, QThread, QTimer, Slot
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QWidget

from app import settings as settings_file
from app.capture.source import FrameSource
from app.logs import DEBUG_VARIABLE, trace_of
from app.qt import theme
from app.qt.controllers.source import SourceController
from app.qt.garbage import collect_on_this_thread
from app.qt.pages.live.preview import Preview
from app.qt.theme import icons
from app.qt.workers.capture import CaptureWorker
from app.qt.workers.worker import any_still_running, stop_threads
from app.settings import Settings

if TYPE_CHECKING:
    from app.qt.main_window import MainWindow

log = logging.getLogger(__name__)

SIGNAL_INTERVAL = 250
"""Milliseconds between chances for Python to notice Ctrl-C."""

FIRST_FRAME_WAIT = 0.1
"""Seconds to wait for a first frame before loading continues and slows it down."""


class LoadingPage(QWidget):
    """A plain page, shown while the window loads, with the picture on the left.

    ``geometry`` is the stored geometry of the window; if empty, the page is centred.
    """

    def __init__(self, geometry: str, capture: CaptureWorker) -> None:
        super().__init__(None, Qt.WindowType.SplashScreen | Qt.WindowType.FramelessWindowHint)
        theme.notifier().mark(self)
        self.preview = Preview(self)
        self.preview.show_message("")
        label = QLabel("Loading…", self)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout(self)
        row.addWidget(self.preview, 1)
        row.addWidget(label, 1)
        available = self.screen().availableGeometry()
        self.resize(min(1280, available.width()), min(720, available.height()))
        self.move(available.center() - self.rect().center())
        if geometry:
            self.restoreGeometry(QByteArray.fromHex(geometry.encode()))
        self._frames = capture.to_show
        capture.frame_ready.connect(self._on_frame)

    def show_now(self) -> None:
        self.show()
        QApplication.processEvents()
        self.repaint()

    def wait_for_frame(self, seconds: float) -> None:
        """Wait up to this long for a first frame, and paint it."""
        if (frame := self._frames.wait(seconds)) is not None:
            self.preview.show_frame(frame)
            self.preview.repaint()

    def hand_over_to(self, other: Preview) -> None:
        """Hand the picture over to the preview of the visible window, and close."""
        other.take_over(self.preview)
        self.close()
        self.deleteLater()

    @Slot()
    def _on_frame(self) -> None:
        if (frame := self._frames.take()) is not None:
            self.preview.show_frame(frame)


def make_application(arguments: list[str] | None = None) -> QApplication:
    """Return the application object with its name, style and icon."""
    existing = QApplication.instance()
    # As an option, because `setStyle` would import QStyle into Python, which takes 5 ms.
    options = [*(arguments or sys.argv[:1]), "-style", "fusion"]
    app = existing if isinstance(existing, QApplication) else QApplication(options)
    app.setApplicationName("lmkl-pad")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("lmkl-pad")
    app.setWindowIcon(icons.app_icon())
    return app


def make_window(
    settings: Settings,
    source: SourceController | None = None,
    problems: tuple[str, ...] = (),
    make_demo: Callable[[], FrameSource] | None = None,
    **options: Any,
) -> "MainWindow":
    """Make the window and start its controllers and threads; the caller shows it.

    Parameters
    ----------
    source : SourceController, optional
        Already started; by default, one is started with the source of the settings.
    problems : tuple of str
        Sentences about settings that could not be used.
    make_demo : callable, optional
        Makes the demo source, unless ``source`` is given.
    **options
        Passed to `AppController`.
    """
    # Imported late so that the first picture does not wait for them.
    from app.qt.controllers.app_controller import AppController
    from app.qt.main_window import MainWindow

    make_application()
    collect_on_this_thread()
    look = theme.notifier()
    look.choose(settings.theme)
    if source is None:
        source = SourceController(settings, make_demo)
        source.start()
    controller = AppController(settings, source, **options)
    window = MainWindow(controller)
    look.set_style_sheet()
    controller.start()
    for sentence in problems:
        controller.tell(sentence, "warning", "settings")
    return window


def run(source: str = "", model: str = "", on_shown: Callable[[], None] | None = None) -> int:
    """Show the window until it is closed, and return the exit code; see `app.launch.launch`."""
    app = make_application()
    settings, problems = settings_file.load()
    theme.notifier().choose(settings.theme)
    sources = SourceController(settings)
    page = LoadingPage(settings.window, sources.capture)
    if on_shown is not None:
        page.preview.first_frame_shown.connect(on_shown)
    page.show_now()
    interrupts = _Interrupts()
    sources.start(source)
    page.wait_for_frame(FIRST_FRAME_WAIT)
    _load_the_rest(interrupts, sources)
    model = os.path.abspath(model) if model else ""
    window = make_window(settings, sources, problems, model=model)
    if on_shown is not None and not page.preview.n_painted:
        window.live.preview.first_frame_shown.connect(on_shown)
    _show_unexpected_errors(window)
    window.show()
    page.hand_over_to(window.live.preview)
    code = app.exec() if interrupts.code is None else interrupts.code
    interrupts.timer.stop()
    window.controller.stop()
    if any_still_running():
        _end_now(code)
    return code


def _end_now(code: int) -> None:
    """Exit while threads are still running: Qt would abort when it destroys one."""
    logging.shutdown()
    os._exit(code)


class _Loader(QThread):
    """Imports what the window needs; this creates Qt classes, but no objects."""

    error: BaseException | None = None

    def run(self) -> None:
        try:
            import app.qt.main_window  # noqa: F401  Keeps the main thread free.
        except BaseException as error:
            self.error = error


def _load_the_rest(interrupts: "_Interrupts", sources: SourceController) -> None:
    """Import the rest while the loading page shows frames; an interrupt ends the program."""
    loader, loop = _Loader(), QEventLoop()
    loader.finished.connect(loop.quit)
    loader.start()
    loop.exec()
    if interrupts.code is not None:
        stop_threads([sources.worker_thread])
        _end_now(interrupts.code)
    loader.wait()
    if loader.error is not None:
        raise loader.error
    # Modules are never freed. Freezing them keeps full collections from scanning them, which would
    # block the window. `app.launch` disabled the collector; `make_window` replaces it.
    gc.freeze()


class _Interrupts:
    """End the program without questions at Ctrl-C (code 130) or SIGTERM (code 0)."""

    def __init__(self) -> None:
        self.code: int | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        # Python handles signals between its own instructions, and Qt's event loop runs none.
        self.timer = QTimer(interval=SIGNAL_INTERVAL)
        self.timer.timeout.connect(lambda: None)
        self.timer.start()

    def _end(self, number: int, _frame: object) -> None:
        self.code = 130 if number == signal.SIGINT else 0
        QApplication.exit(self.code)


def _show_unexpected_errors(window: "MainWindow") -> None:
    """Show unexpected errors as notices; the program continues."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("Unexpected error: %s", trace_of(error.with_traceback(trace)))
        if os.environ.get(DEBUG_VARIABLE):
            sys.__excepthook__(kind, error, trace)
        text = f"Something went wrong ({kind.__name__}: {error}): continue, or restart the program."
        window.controller.tell(text, "error", "unexpected")

    sys.excepthook = hook
