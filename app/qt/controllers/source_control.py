"""Which source is open, what it says of itself, and what the demo presents."""

from PySide6.QtCore import QObject, Signal, Slot

from app.capture.capture import CaptureState, Phase
from app.capture.source import FrameSource
from app.demo.source import DemoSource
from app.qt.state import Choice, Notice, SourceState
from app.settings import Settings

TOPIC = "source"
REMARK_TOPIC = "source remark"
REQUEST_TOPIC = "source request"


class SourceControl(QObject):
    """Open sources and tell how they are.

    Parameters
    ----------
    settings : Settings
        Which source to open first, and the resolution to ask for.
    """

    open_requested = Signal(str, int, int)
    cameras_requested = Signal()
    stream_begins = Signal()
    """Frames of another source follow."""
    source_changed = Signal(object)
    message_changed = Signal(str)
    """What to show in the place of a picture while there is none."""
    notice = Signal(object)
    interrupted = Signal(str)
    """Frames have stopped coming, for now; why."""
    finished = Signal(str)
    """No more frames will come; why."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._asked = ""
        self._text = ""
        self._source: FrameSource | None = None
        self._complaint = ""
        self._remark = ""
        self.is_running = False
        """Whether frames are coming that can be judged."""
        self.is_interrupted = False
        """Whether they have stopped coming, for now: what is still being judged is of the past."""

    # ------------------------------------------------------------- from views

    @Slot(str)
    def open(self, text: str) -> None:
        """Open a source by what a person would type."""
        self._asked = text
        self.open_requested.emit(text, self._settings.width, self._settings.height)

    def use(self, settings: Settings) -> None:
        """Take over changed settings; open again where they say so."""
        before, self._settings = self._settings, settings
        is_resized = (before.width, before.height) != (settings.width, settings.height)
        if before.source != settings.source:
            self.open(settings.source)
        elif is_resized and self._text.startswith("camera"):
            self.open(self._text)

    def open_first(self) -> None:
        """Open what the settings name, unless something else was asked for already."""
        if not self._asked:
            self.open(self._settings.source)

    @Slot(str)
    def present(self, key: str) -> None:
        """Direct the demo; an empty key is everything in turn."""
        demo = self.demo
        if demo is not None:
            demo.present(key or None)
            self._tell_source()

    # ------------------------------------------------------------- for other controls

    @property
    def demo(self) -> DemoSource | None:
        """The demo, where it is what is open."""
        return self._source if self.is_demo else None  # type: ignore[return-value]

    @property
    def is_demo(self) -> bool:
        """Whether everything that is seen is simulated."""
        return hasattr(self._source, "present")

    @property
    def name(self) -> str:
        """Name of the open source."""
        return "" if self._source is None else self._source.name

    @property
    def shown(self) -> SourceState:
        """The source as views show it."""
        demo = self.demo
        if demo is None:
            return SourceState(self._text, self.name)
        choices = tuple(Choice(c.key, c.caption) for c in demo.presentations)
        species = tuple(c.species for c in demo.presentations if c.species is not None)
        return SourceState(self._text, self.name, True, choices, demo.presenting or "", species)

    # ------------------------------------------------------------- from the capture

    @Slot(object, bool)
    def on_opened(self, source: FrameSource, is_substitute: bool) -> None:
        """Take over a source that is about to be read."""
        self._source = source
        self._text = "demo" if self.is_demo else self._asked
        if self._text == "auto":
            self._text = f"camera:{source.name}"
        self._complaint = ""
        self.is_interrupted = False
        self.stream_begins.emit()
        self._tell_source()
        text = ""
        if is_substitute:
            text = self.tr(
                "No camera was found, so this is the built-in demo: a simulated person and "
                "simulated attacks. Plug in a camera and choose it above when you have one."
            )
        self.notice.emit(Notice(text, "info", TOPIC))
        self.notice.emit(Notice("", topic=REQUEST_TOPIC))
        self._remark = ""
        self.notice.emit(Notice("", topic=REMARK_TOPIC))

    @Slot(object)
    def on_state(self, state: CaptureState) -> None:
        """Tell what is wrong with a source, or that nothing is any more."""
        before, self._complaint = self._complaint, state.message
        if state.phase is Phase.ENDED:
            text = self.tr("The recording has ended: choose it again to see it again.")
            self.notice.emit(Notice(text, topic=TOPIC))
        elif state.message:
            level = "error" if state.phase is Phase.FAILED else "warning"
            self.notice.emit(Notice(state.message, level, TOPIC))
        elif before:
            self.notice.emit(Notice("", topic=TOPIC))
        self.message_changed.emit(self._message(state))
        self.is_running = state.phase is Phase.RUNNING and state.health.is_well
        if state.phase in (Phase.ENDED, Phase.FAILED):
            self.finished.emit(self._message(state))
            return
        self.is_interrupted = not self.is_running
        if self.is_interrupted:
            self.interrupted.emit(self._message(state))
        else:
            self._tell_remark()

    @Slot(str)
    def on_failed(self, sentence: str) -> None:
        """Tell why a source could not be made; what was open goes on."""
        self.notice.emit(Notice(sentence, "error", REQUEST_TOPIC))
        self._tell_source()

    # ------------------------------------------------------------- inner

    def _message(self, state: CaptureState) -> str:
        if state.message:
            return state.message
        if state.phase in (Phase.IDLE, Phase.OPENING, Phase.RUNNING):
            return self.tr("Opening {name}…").format(name=self.name)
        return self.tr("The source has ended: choose it again, or another one.")

    def _tell_remark(self) -> None:
        """Tell once what there is to know of the source, which is known when it is open."""
        remark = "" if self._source is None else self._source.remark
        if remark != self._remark:
            self._remark = remark
            self.notice.emit(Notice(remark, "warning", REMARK_TOPIC))

    def _tell_source(self) -> None:
        self.source_changed.emit(self.shown)
