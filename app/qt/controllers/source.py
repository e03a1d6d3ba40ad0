"""Open sources, report their state and direct the demo.

Started before the rest of the window is loaded, so that the first picture comes soon.
"""

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot

from app.capture.capture import CaptureState, Phase
from app.capture.source import FrameSource
from app.demo.script import Chapter
from app.demo.source import DemoSource
from app.qt.controllers import Controller
from app.qt.state import Choice, SourceState
from app.qt.workers.capture import CaptureWorker
from app.qt.workers.worker import WorkerThread
from app.settings import Settings

REMARK_TOPIC = "source remark"
REQUEST_TOPIC = "source request"


class SourceController(Controller):
    """Opens sources and reports their state; tests pass their own ``make_demo``."""

    topic = "source"
    open_requested = Signal(str, int, int)
    cameras_requested = Signal()
    stream_begins = Signal()
    """The next frames come from another source."""
    source_changed = Signal(object)
    """A `SourceState`."""
    message_changed = Signal(str)
    """Text shown while there is no picture."""
    interrupted = Signal(str)
    """Why frames have stopped for now."""
    finished = Signal(str)
    """Why no more frames will come."""

    def __init__(
        self, settings: Settings, make_demo: Callable[[], FrameSource] | None = None
    ) -> None:
        super().__init__()
        self._settings = settings
        self._requested = self._text = self._failure = self._remark = ""
        self._source: FrameSource | None = None
        self._is_substitute = False
        self._before_stage: str | None = None
        self._state: CaptureState | None = None
        self.is_running = False
        """Whether usable frames arrive."""
        self.is_interrupted = False
        """Whether frames have stopped for now; a frame still being scored is then out of date."""
        self.capture = CaptureWorker(make_demo)
        self.worker_thread = WorkerThread(self.capture, "capture")
        self.open_requested.connect(self.capture.open)
        self.cameras_requested.connect(self.capture.list_cameras)
        self.capture.source_opened.connect(self.on_opened)
        self.capture.state_changed.connect(self.on_state)
        self.capture.failed.connect(self.on_failed)

    # ------------------------------------------------------------- actions

    def start(self, text: str = "") -> None:
        """Start the thread and open a source, by default that of the settings."""
        self.worker_thread.start()
        self.open(text or self._settings.source)

    @Slot(str)
    def open(self, text: str) -> None:
        """Open a source, given as typed by the user."""
        self._requested = text
        self.open_requested.emit(text, self._settings.width, self._settings.height)

    def use(self, settings: Settings) -> None:
        """Use changed settings; reopen the source if necessary."""
        before, self._settings = self._settings, settings
        is_resized = (before.width, before.height) != (settings.width, settings.height)
        if before.source != settings.source:
            self.open(settings.source)
        elif is_resized and self._text.startswith("camera"):
            self.open(self._text)

    @Slot(str)
    def present(self, key: str) -> None:
        """Let the demo present something; an empty key for everything in turn."""
        if (demo := self.demo) is not None:
            demo.present(key or None)
            self.source_changed.emit(self.state)

    def stage(self, chapter: Chapter) -> None:
        """Let the demo present a chapter until `unstage`."""
        if self._before_stage is None and self.demo is not None:
            self._before_stage = self.demo.presenting or ""
        self.present(chapter.key)

    def unstage(self) -> None:
        """Let the demo present what it did before the first `stage`."""
        before, self._before_stage = self._before_stage, None
        if before is not None:
            self.present(before)

    # ------------------------------------------------------------- state

    @property
    def demo(self) -> DemoSource | None:
        """The demo, if it is open."""
        return self._source if self.is_demo else None  # type: ignore[return-value]

    @property
    def is_demo(self) -> bool:
        return hasattr(self._source, "present")

    @property
    def name(self) -> str:
        return "" if self._source is None else self._source.name

    @property
    def state(self) -> SourceState:
        if (demo := self.demo) is None:
            return SourceState(self._text, self.name)
        choices = tuple(Choice(c.key, c.caption) for c in demo.script.presentations)
        species = tuple(c.key for c in demo.script.attacks)
        return SourceState(self._text, self.name, True, choices, demo.presenting or "", species)

    def repeat(self) -> None:
        """Repeat all signals for a window made after the source was opened."""
        state, failure = self._state, self._failure
        if self._source is not None:
            self.on_opened(self._source, self._is_substitute)
        if state is not None:
            self.on_state(state)
        if failure:
            self.on_failed(failure)

    # ------------------------------------------------------------- from the capture

    @Slot(object, bool)
    def on_opened(self, source: FrameSource, is_substitute: bool) -> None:
        """Use a source that is about to deliver frames."""
        self._source, self._is_substitute = source, is_substitute
        self._text = "demo" if self.is_demo else self._requested
        if self._text == "auto":
            self._text = f"camera:{source.name}"
        self._state = self._before_stage = None
        self._remark = self._failure = ""
        self.is_interrupted = False
        self.stream_begins.emit()
        self.source_changed.emit(self.state)
        text = ""
        if is_substitute:
            text = (
                "No camera was found, so this is the built-in demo with a simulated person and "
                "simulated attacks: plug in a camera and choose it above."
            )
        self.tell(text)
        self.tell("", topic=REQUEST_TOPIC)
        self.tell("", topic=REMARK_TOPIC)

    @Slot(object)
    def on_state(self, state: CaptureState) -> None:
        """Show what is wrong with the source, or clear the notice."""
        before, self._state = self._state, state
        if state.phase is Phase.ENDED:
            self.tell("The recording has ended: choose it again to replay it.")
        elif state.message:
            self.tell(state.message, "error" if state.phase is Phase.FAILED else "warning")
        elif before is not None and before.message:
            self.tell("")
        message = self._message(state)
        self.message_changed.emit(message)
        self.is_running = state.phase is Phase.RUNNING and state.cause is None
        if state.phase in (Phase.ENDED, Phase.FAILED):
            self.finished.emit(message)
            return
        self.is_interrupted = not self.is_running
        if self.is_interrupted:
            self.interrupted.emit(message)
        elif self._source is not None and self._source.remark != self._remark:
            self._remark = self._source.remark  # known only once the source is open
            self.tell(self._remark, "warning", REMARK_TOPIC)

    @Slot(str)
    def on_failed(self, sentence: str) -> None:
        """Show why a source could not be opened; the previous one stays open."""
        self._failure = sentence
        self.tell(sentence, "error", REQUEST_TOPIC)
        self.source_changed.emit(self.state)

    def _message(self, state: CaptureState) -> str:
        if state.message:
            return state.message
        if state.phase in (Phase.IDLE, Phase.OPENING, Phase.RUNNING):
            return f"Opening {self.name}…"
        return "The source has ended: choose it again, or another one."
