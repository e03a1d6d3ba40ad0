"""Open, read and close sources on a separate thread.

Modules that only cameras and files need are imported on this thread, when one is opened.
"""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.capture.capture import Capture, LatestFrame
from app.capture.source import Cause, FrameSource, SourceError
from app.demo.source import DemoSource
from app.logs import trace_of
from app.malloc_tuning import keep_few_heaps
from app.qt.state import Choice
from app.types import Frame

log = logging.getLogger(__name__)

STOP_SECONDS = 1.2
"""A source that does not close in this time is abandoned."""

AUTO = "auto"
DEMO = "demo"


class CaptureWorker(QObject):
    """Owns the running capture and puts frames into two mailboxes, to show and to score.

    Tests pass their own ``make_demo``.
    """

    frame_ready = Signal()
    """A frame arrived in the empty mailbox to show. A slow reader gets one signal for all frames
    since it last took one, so no signals pile up behind a fast camera."""
    score_ready = Signal()
    """The same for the mailbox to score, which gets usable frames only."""
    source_opened = Signal(object, bool)
    """The source, and whether it is the demo because no camera was found."""
    state_changed = Signal(object)
    """A `CaptureState`."""
    failed = Signal(str)
    """A source could not be opened; the previous one stays open."""
    cameras_listed = Signal(object)
    """A list with a `Choice` for each camera: its name and its label."""

    def __init__(self, make_demo: Callable[[], FrameSource] | None = None) -> None:
        super().__init__()
        self.to_show, self.to_score = LatestFrame(), LatestFrame()
        self._make_demo = make_demo or DemoSource
        self.capture: Capture | None = None
        """The running capture; its state may be read on any thread."""

    @Slot(str, int, int)
    def open(self, text: str, width: int, height: int) -> None:
        """Replace the present source.

        ``text`` is an argument of `source_from`, or "auto" for the first camera or else the demo.
        """
        keep_few_heaps()  # here it delays nothing, and most threads start later
        try:
            source, is_substitute = self._make(text, width, height)
        except SourceError as error:
            self.failed.emit(str(error))
            return
        except Exception as error:
            log.error("A source could not be made: %s", trace_of(error))
            self.failed.emit(f"The source could not be opened ({error}): choose another one.")
            return
        self._close()
        self.capture = Capture(
            source, on_frame=self._show, on_state=self.state_changed.emit, on_usable=self._score
        )
        self.source_opened.emit(source, is_substitute)
        self.capture.start()

    @Slot()
    def list_cameras(self) -> None:
        """List the cameras without opening one."""
        try:
            from app.capture.webcam import list_cameras  # late, as in `_make`

            choices = [Choice(camera.name, camera.label) for camera in list_cameras()]
            self.cameras_listed.emit(choices)
        except Exception as error:
            log.error("Cameras could not be listed: %s", trace_of(error))
            self.cameras_listed.emit([])

    @Slot()
    def finish(self) -> None:
        """Release the source; called last."""
        self._close()

    def _make(self, text: str, width: int, height: int) -> tuple[FrameSource, bool]:
        """Return the source, and whether it is the demo because no camera was found."""
        if text == DEMO:
            return self._make_demo(), False
        # Imported late so that the demo's first frame does not wait for them.
        from app.capture.opening import source_from
        from app.capture.webcam import find_camera

        if text == AUTO:
            try:
                text = f"camera:{find_camera().name}"
            except SourceError as error:
                if error.cause is not Cause.NO_CAMERA:
                    raise
                return self._make_demo(), True
        return source_from(text, width=width, height=height), False

    def _close(self) -> None:
        if self.capture is not None:
            self.capture.stop(STOP_SECONDS)
            self.capture = None
        self.to_show.take()
        self.to_score.take()

    def _show(self, frame: Frame) -> None:
        """Offer a frame to the preview; like `_score`, called on the thread of `Capture`."""
        if self.to_show.put(frame):
            self.frame_ready.emit()

    def _score(self, frame: Frame) -> None:
        if self.to_score.put(frame):
            self.score_ready.emit()
