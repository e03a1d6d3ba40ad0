"""A camera at this machine."""

from collections.abc import Callable, Sequence

from app.capture.cameras import Camera, find_camera, list_cameras
from app.capture.diagnosis import why_not_opened
from app.capture.grabber import Grabber
from app.capture.live import LiveSource
from app.capture.opencv import cv2
from app.capture.pacing import Clock
from app.capture.source import Cause, SourceError, SourceInfo
from app.capture.virtual import remark_on

RAW_PIXELS = 640 * 480
"""Up to this size the camera's own format is kept: USB 2 carries it raw at 30 frames a second, and
compression would touch the very texture that tells a face from its copy."""


class Webcam(LiveSource):
    """A camera by its name, looked up again at every opening because numbers shift.

    Open it on the capture thread, never on the window's: opening can take a minute on Windows and
    deadlocks with macOS's question for permission. What was asked for is a wish: the `SourceInfo`
    that `open` returns says what the camera gives.

    Parameters
    ----------
    camera : Camera or str
        From the list, or a name for `find_camera`; empty for the first camera.
    width, height : int
        Frame size to ask for.
    rate : float
        Frames a second to ask for.
    cameras : callable
        Lists the cameras there are.
    clock : Clock, optional
        Where the time comes from.
    """

    def __init__(
        self,
        camera: Camera | str = "",
        width: int = 640,
        height: int = 480,
        rate: float = 30.0,
        *,
        cameras: Callable[[], Sequence[Camera]] = list_cameras,
        clock: Clock | None = None,
    ) -> None:
        if min(width, height) < 1 or not 0 < rate < float("inf"):
            raise ValueError(
                f"A camera cannot give {width} x {height} pixels at {rate} frames a second: "
                "give positive numbers."
            )
        wanted = camera if isinstance(camera, str) else camera.identity
        super().__init__(wanted or "Camera", clock)
        self.camera: Camera | None = None
        self._wanted = wanted
        self._size = (width, height)
        self._rate = rate
        self._cameras = cameras

    @property
    def subject(self) -> str:
        """The beginning of a sentence about this camera."""
        return f"The camera {self.name}" if self._wanted or self.camera else "The camera"

    def open(self) -> SourceInfo:
        """Find the camera, open it on the calling thread and wait for its first picture."""
        cameras = self._cameras()
        self.camera = self._still_among(cameras) or find_camera(self._wanted, cameras)
        # Whichever camera was first is meant from now on, also after it was unplugged.
        self._wanted = self.camera.identity
        self.name = self.camera.name
        self.remark = remark_on(self.name) if self.camera.is_virtual else ""
        return super().open()

    def _still_among(self, cameras: Sequence[Camera]) -> Camera | None:
        """Return the camera that was opened last, if it is there.

        When another one is unplugged its number may shift, and of two alike also its name: the
        plug tells.
        """
        before = self.camera
        if before is None:
            return None
        in_plug = [camera for camera in cameras if camera.plug and camera.plug == before.plug]
        if len(in_plug) == 1 and in_plug[0].usb == before.usb:
            return in_plug[0]
        return next((camera for camera in cameras if camera.identity == before.identity), None)

    def _connect(self) -> Grabber:
        assert self.camera is not None
        for route in self.camera.routes:
            grabber = Grabber(route.index, route.backend)
            if grabber.is_open:
                self._ask(grabber)
                return grabber
        raise SourceError(why_not_opened(self.camera), self.subject)

    def _ask(self, grabber: Grabber) -> None:
        if self._size[0] * self._size[1] > RAW_PIXELS:
            grabber.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        grabber.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        grabber.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        grabber.set(cv2.CAP_PROP_FPS, self._rate)

    def _why_silent(self) -> Cause:
        if self.camera is None or self._still_among(self._cameras()) is None:
            return Cause.NO_CAMERA
        cause = why_not_opened(self.camera)
        return Cause.STALLED if cause is Cause.CANNOT_OPEN else cause
