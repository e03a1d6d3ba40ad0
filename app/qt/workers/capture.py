"""Capture on its own thread: sources are opened and closed here, never on the window's thread.

What only cameras and files need is loaded when one is opened, on this thread.
"""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.capture.capture import Capture, CaptureState, LatestFrame
from app.capture.source import Cause, FrameSource, SourceError
from app.demo.source import DemoSource
from app.logs import way_of
from app.malloc_tuning import keep_few_heaps
from app.qt.state import Choice
from app.types import Frame

log = logging.getLogger(__name__)

STOP_SECONDS = 1.2
"""A source that does not close in this time is left behind."""

AUTO = "auto"
DEMO = "demo"


class CaptureWorker(QObject):
    """Own the running capture; put every frame into two mailboxes, one to show, one to score.

    Parameters
    ----------
    make_demo : callable, optional
        Makes the demo source; tests pass their own.
    """

    frame_ready = Signal()
    """A frame lies in the mailbox to show, and none lay there before: a slow reader gets one signal
    for all frames it has not taken yet, so that nothing piles up behind a quick camera."""
    score_ready = Signal()
    """The same for the mailbox to score, in which only frames lie that may be judged."""
    source_opened = Signal(object, bool)
    """The source itself, and whether it is the demo in place of a camera that was not found."""
    state_changed = Signal(object)
    """A `CaptureState`."""
    failed = Signal(str)
    """A source could not be made; the one before goes on."""
    cameras_listed = Signal(object)
    """A `Choice` for each camera at this machine: its name, and what people read."""

    def __init__(self, make_demo: Callable[[], FrameSource] | None = None) -> None:
        super().__init__()
        self.to_show = LatestFrame()
        self.to_score = LatestFrame()
        self._make_demo = make_demo
        self._capture: Capture | None = None

    @property
    def capture(self) -> Capture | None:
        """The running capture: its state may be read from any thread."""
        return self._capture

    @Slot(str, int, int)
    def open(self, text: str, width: int, height: int) -> None:
        """Open a source in the place of the present one.

        Parameters
        ----------
        text : str
            As `source_from` takes it, or ``"auto"``: the first camera, else the demo.
        width, height : int
            Asked of a camera.
        """
        keep_few_heaps()  # on this thread nothing waits for it, and most threads start later
        try:
            source, is_substitute = self._make(text, width, height)
        except SourceError as error:
            self.failed.emit(str(error))
            return
        except Exception as error:
            log.error("A source could not be made: %s", way_of(error))
            self.failed.emit(f"The source could not be opened ({error}): choose another one.")
            return
        self._close()
        self._capture = Capture(
            source, on_frame=self._show, on_state=self._tell, on_sight=self._score
        )
        self.source_opened.emit(source, is_substitute)
        self._capture.start()

    @Slot()
    def list_cameras(self) -> None:
        """List the cameras without opening one."""
        try:
            from app.capture.webcam import list_cameras

            self.cameras_listed.emit([Choice(one.name, one.label) for one in list_cameras()])
        except Exception as error:
            log.error("Cameras could not be listed: %s", way_of(error))
            self.cameras_listed.emit([])

    @Slot()
    def finish(self) -> None:
        """Let go of the source; the last thing that is called."""
        self._close()

    def ask_to_stop(self) -> None:
        """Nothing to break off: `finish` closes the source, on this worker's own thread."""

    def _make(self, text: str, width: int, height: int) -> tuple[FrameSource, bool]:
        if text == AUTO:
            return self._first_camera(width, height)
        if text == DEMO:
            return self._demo(), False
        from app.capture.opening import source_from

        return source_from(text, width=width, height=height), False

    def _first_camera(self, width: int, height: int) -> tuple[FrameSource, bool]:
        from app.capture.opening import source_from
        from app.capture.webcam import find_camera

        try:
            name = find_camera().name
        except SourceError as error:
            if error.cause is not Cause.NO_CAMERA:
                raise
            return self._demo(), True
        return source_from(f"camera:{name}", width=width, height=height), False

    def _demo(self) -> FrameSource:
        return DemoSource() if self._make_demo is None else self._make_demo()

    def _close(self) -> None:
        if self._capture is not None:
            self._capture.stop(STOP_SECONDS)
            self._capture = None
        self.to_show.take()
        self.to_score.take()

    def _show(self, frame: Frame) -> None:
        """Called on the capture's own thread, like the two below."""
        if self.to_show.put(frame):
            self.frame_ready.emit()

    def _score(self, frame: Frame) -> None:
        if self.to_score.put(frame):
            self.score_ready.emit()

    def _tell(self, state: CaptureState) -> None:
        self.state_changed.emit(state)
