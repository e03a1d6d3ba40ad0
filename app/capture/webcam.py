"""A camera of this machine, and why one that is listed does not open.

Only Linux distinguishes a busy camera from a broken one. macOS and Windows say whether cameras are
forbidden; beyond that the answer is `Cause.CANNOT_OPEN`, whose advice covers the rest.
"""

import errno
import importlib
import os
import struct
import sys
from collections.abc import Callable, Sequence

from app.capture.cameras import Camera, find_camera, list_cameras
from app.capture.opencv import Grabber, OpenCVSource, cv2
from app.capture.source import Cause, SourceError, SourceInfo

RATE = 30.0
"""Frames a second to ask for."""

RAW_PIXELS = 640 * 480
"""Up to this size the camera's own format is kept: USB 2 carries it raw at 30 frames a second, and
compression would touch the very texture that tells a face from its copy."""


class Webcam(OpenCVSource):
    """A camera by its name, looked up again at every opening because numbers shift.

    Open it on the capture thread, never on the window's: opening can take a minute on Windows and
    deadlocks with macOS's question for permission. The size is a wish: the `SourceInfo` that `open`
    returns says what the camera gives.

    Parameters
    ----------
    camera : str
        A name for `find_camera`; empty for the first camera.
    width, height : int
        Frame size to ask for.
    cameras : callable
        Lists the cameras there are.
    """

    def __init__(
        self,
        camera: str = "",
        width: int = 640,
        height: int = 480,
        *,
        cameras: Callable[[], Sequence[Camera]] = list_cameras,
    ) -> None:
        super().__init__(camera or "Camera")
        self.camera: Camera | None = None
        self._wanted = camera
        self._size = (width, height)
        self._cameras = cameras

    @property
    def subject(self) -> str:
        return f"The camera {self.name}" if self._wanted or self.camera else "The camera"

    def open(self) -> SourceInfo:
        """Find the camera, open it on the calling thread and wait for its first picture."""
        cameras = self._cameras()
        self.camera = self._still_among(cameras) or find_camera(self._wanted, cameras)
        # From now on this camera is meant, also after it was unplugged.
        self._wanted = self.camera.identity
        self.name = self.camera.name
        self.remark = self.camera.remark
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
                width, height = self._size
                if width * height > RAW_PIXELS:
                    grabber.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
                grabber.set(cv2.CAP_PROP_FRAME_WIDTH, width)
                grabber.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
                grabber.set(cv2.CAP_PROP_FPS, RATE)
                return grabber
        raise SourceError(why_not_opened(self.camera), self.subject)

    def _why_silent(self) -> Cause:
        if self.camera is None or self._still_among(self._cameras()) is None:
            return Cause.NO_CAMERA
        cause = why_not_opened(self.camera)
        return Cause.STALLED if cause is Cause.CANNOT_OPEN else cause


# V4L2's ioctl numbers for the capture format.
_CAPTURE = 1
_FORMAT_BYTES = 208 if struct.calcsize("P") == 8 else 204
_READ_WRITE = 3 << 30
_GET_FORMAT = _READ_WRITE | _FORMAT_BYTES << 16 | ord("V") << 8 | 4
_SET_FORMAT = _GET_FORMAT + 1

_CAUSES = {
    errno.ENOENT: Cause.NO_CAMERA,
    errno.ENODEV: Cause.NO_CAMERA,
    errno.ENXIO: Cause.NO_CAMERA,
    errno.EACCES: Cause.PERMISSION,
    errno.EPERM: Cause.PERMISSION,
    errno.EBUSY: Cause.BUSY,
}


def why_not_opened(camera: Camera) -> Cause:
    """Return the cause as far as this system tells it; never opens a stream."""
    if sys.platform == "linux":
        return cause_on_linux(camera.path)
    if sys.platform == "darwin" and _is_forbidden_on_macos():
        return Cause.PERMISSION
    if sys.platform == "win32" and _is_forbidden_on_windows():
        return Cause.PERMISSION
    return Cause.CANNOT_OPEN


def cause_on_linux(
    node: str,
    open_node: Callable[[str, int], int] = os.open,
    control: Callable[[int, int, bytearray], object] | None = None,
) -> Cause:
    """Return why a device node gives no picture.

    Any number of programs may open a node, but only one may stream: setting the format it already
    has changes nothing and is refused as busy while another program does. ``open_node`` and
    ``control`` stand for `os.open` and `fcntl.ioctl`.
    """
    if control is None:
        import fcntl  # not on Windows

        control = fcntl.ioctl
    try:
        handle = open_node(node, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        return _CAUSES.get(error.errno or 0, Cause.CANNOT_OPEN)
    try:
        video_format = bytearray(_FORMAT_BYTES)
        struct.pack_into("=I", video_format, 0, _CAPTURE)
        control(handle, _GET_FORMAT, video_format)
        control(handle, _SET_FORMAT, video_format)
    except OSError as error:
        return _CAUSES.get(error.errno or 0, Cause.CANNOT_OPEN)
    finally:
        os.close(handle)
    return Cause.CANNOT_OPEN


def _is_forbidden_on_macos() -> bool:
    """Ask AVFoundation, which the camera list needs there anyway; 1 and 2 are refusals."""
    foundation = importlib.import_module("AVFoundation")
    device = foundation.AVCaptureDevice
    return device.authorizationStatusForMediaType_(foundation.AVMediaTypeVideo) in (1, 2)


def _is_forbidden_on_windows() -> bool:
    """Look up the switches of Settings, Privacy & security, Camera."""
    if sys.platform != "win32":
        return False
    import winreg

    webcam = (
        r"SOFTWARE\Microsoft\Windows\CurrentVersion\CapabilityAccessManager\ConsentStore\webcam"
    )
    for root, key in (
        (winreg.HKEY_LOCAL_MACHINE, webcam),
        (winreg.HKEY_CURRENT_USER, webcam),
        (winreg.HKEY_CURRENT_USER, webcam + r"\NonPackaged"),
    ):
        try:
            with winreg.OpenKey(root, key) as opened:
                if winreg.QueryValueEx(opened, "Value")[0] == "Deny":
                    return True
        except OSError:
            continue
    return False
