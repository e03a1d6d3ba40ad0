r"""The cameras of this machine: list them, open one, and find out why one does not open.

Listing opens no camera. Each appears once, under a unique name that survives a restart; the
enumerator itself lists a camera once per backend, under numbers that shift.

A virtual camera shows whatever a program feeds it: a recording, a face swap, the screen. Virtual
cameras are marked where the system reveals them, but never refused. Linux: a device without
hardware is in the folder ``virtual`` of sysfs (v4l2loopback) or belongs to a driver that simulates
one (vivid). Windows: ``swd#vcamdevapi`` or ``@device:sw:`` in its path. Everywhere: its name. A
custom driver, or a screen held in front of a lens, is not detected this way.

Only Linux distinguishes a busy camera from a broken one. macOS and Windows report whether access is
denied; otherwise the cause is `Cause.CANNOT_OPEN`, whose advice covers the rest.
"""

import errno
import importlib
import os
import re
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cv2_enumerate_cameras import CameraInfo, enumerate_cameras, supported_backends

from app.capture.opencv import Grabber, OpenCVSource, cv2
from app.capture.source import Cause, SourceError, SourceInfo

RATE = 30.0  # frames per second to request

RAW_PIXELS = 640 * 480
"""Up to this size the camera's own format is kept: USB 2 carries it raw at 30 frames per second,
and compression would damage the texture that separates a face from a copy."""

PREFERRED_BACKENDS = {
    "linux": (cv2.CAP_V4L2,),
    "win32": (cv2.CAP_MSMF, cv2.CAP_DSHOW),
    "darwin": (cv2.CAP_AVFOUNDATION,),
}
"""By `sys.platform`, best first. None elsewhere: the enumerator would open every device."""

SYSFS = Path("/sys/class/video4linux")  # where Linux lists its video devices

_VIRTUAL_DRIVERS = frozenset(
    {"akvcam", "v4l2loopback", "v4l2 loopback", "vicodec", "vimc", "vivid"}
)
_VIRTUAL_PATHS = ("swd#vcamdevapi", "@device:sw:")
_VIRTUAL_NAMES = re.compile(
    r"\b(?:virtual|v4l2\s?loopback|dummy video device|obs[ -]?cam(?:era)?|vcam|unity video capture|"
    r"manycam|droidcam|snap camera|xsplit|splitcam|sparkocam|webcammax|youcam|altercam|chromacam|"
    r"fakecam|akvcam|webcamoid|mmhmm|camo|iriun|ivcam|epoccam|e2esoft|ndi|nvidia broadcast|"
    r"logi capture|vmix|wirecast|ecamm|camtwist|facerig|animaze|avatarify|prism live|streamlabs|"
    r"deepfacelive)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Route:
    """One way to reach a camera: OpenCV's backend and the camera's number in it."""

    backend: int
    index: int


@dataclass(frozen=True)
class Camera:
    """A camera that can be chosen.

    Its routes can change; look the camera up again by ``identity`` before opening it.
    """

    name: str  # unique in the list: a second one of the same name ends in "(2)"
    routes: tuple[Route, ...]  # best first
    path: str = ""  # device node on Linux, device path on Windows, unique id on macOS
    usb: str = ""  # vendor and product as "046d:082d"; empty if unknown
    plug: str = ""  # the port it is plugged into; may be empty
    is_virtual: bool = False  # whether it is known to be a program

    @property
    def label(self) -> str:
        return f"{self.name} (virtual camera)" if self.is_virtual else self.name

    @property
    def identity(self) -> str:
        """Name, vendor and product, which stay the same when numbers and nodes shift."""
        return f"{self.name} [{self.usb}]" if self.usb else self.name

    @property
    def remark(self) -> str:
        if not self.is_virtual:
            return ""
        return (
            f"{self.name} is a virtual camera, which can show any picture: choose a real camera to "
            "test attacks."
        )


def list_cameras() -> list[Camera]:
    """Return the cameras of this machine without opening one.

    On Linux each node is queried, which starts no stream and turns on no light.
    """
    preferred = PREFERRED_BACKENDS.get(sys.platform, ())
    usable = [backend for backend in preferred if backend in supported_backends]
    found = [info for backend in usable for info in enumerate_cameras(backend)]
    return distinct_cameras(found, usable)


def find_camera(name: str = "", cameras: Sequence[Camera] | None = None) -> Camera:
    """Return the camera with this name among those given or the machine's; the first if empty.

    ``name`` may be a camera's name, identity, device path or number, or a part of its identity that
    fits only one; case does not matter. Otherwise a `SourceError` lists the cameras to choose from.
    """
    cameras = list_cameras() if cameras is None else cameras
    wanted = name.strip().casefold()
    if not cameras:
        message = "No camera was found: plug one in, or use the demo, a file or a network camera."
        raise SourceError(Cause.NO_CAMERA, message=message)
    if not wanted:
        return cameras[0]
    for camera in cameras:
        known_as = (camera.name, camera.identity, camera.path, str(camera.routes[0].index))
        if wanted in (text.casefold() for text in known_as):
            return camera
    similar = [camera for camera in cameras if wanted in camera.identity.casefold()]
    if len(similar) == 1:
        return similar[0]
    problem = f"Several cameras are called {name}" if similar else f"No camera is called {name}"
    choices = ", ".join(camera.name for camera in similar or cameras)
    raise SourceError(Cause.NO_CAMERA, message=f"{problem}: choose one of {choices}.")


def distinct_cameras(found: Iterable[CameraInfo], preference: Sequence[int]) -> list[Camera]:
    """Return every camera once, with its routes through the preferred backends, best first."""
    ranked = sorted(
        (info for info in found if info.backend in preference),
        key=lambda info: (preference.index(info.backend), info.index),
    )
    seen: Counter[tuple[int, str]] = Counter()
    same_device: dict[tuple[str, int], list[CameraInfo]] = {}
    for info in ranked:
        # Backends agree on a device's path up to its interface; without one, on the order of
        # devices of the same name.
        device = _device_of(info.path) or f"named {info.name}"
        occurrence = seen[info.backend, device]
        seen[info.backend, device] += 1
        same_device.setdefault((device, occurrence), []).append(info)
    cameras = []
    counts: Counter[str] = Counter()
    # Cameras of one name are numbered in the order of their ports, which survives a restart.
    for infos in sorted(same_device.values(), key=lambda infos: _plug_of(infos[0])):
        best = infos[0]
        plain = " ".join((best.name or "").split()) or "Camera"
        counts[plain] += 1
        has_usb = best.vid is not None and best.pid is not None
        cameras.append(
            Camera(
                name=plain if counts[plain] == 1 else f"{plain} ({counts[plain]})",
                routes=tuple(Route(info.backend, info.index) for info in infos),
                path=best.path or "",
                usb=f"{best.vid:04x}:{best.pid:04x}" if has_usb else "",
                plug="".join(_plug_of(best)[:2]),
                is_virtual=any(is_virtual(info.name or "", info.path or "") for info in infos),
            )
        )
    return sorted(cameras, key=lambda camera: (camera.routes[0].backend, camera.routes[0].index))


def is_virtual(name: str, path: str = "", devices: Path = SYSFS) -> bool:
    """Whether a camera is known to be a program, by its name and device path."""
    if path.startswith("/dev/"):
        device = (devices / os.path.basename(path)).resolve()
        driver = (device / "device" / "driver").resolve().name
        if "virtual" in device.parts or driver.casefold() in _VIRTUAL_DRIVERS:
            return True
    has_mark = any(mark in path.casefold() for mark in _VIRTUAL_PATHS)
    return has_mark or _VIRTUAL_NAMES.search(name) is not None


def _device_of(path: str | None) -> str:
    r"""Return the part of a device path that all backends share.

    Windows appends the interface: ``\\?\usb#vid_046d&pid_082d&mi_00#7&1a2b&0&0000#{65e8773d-...}``.
    """
    return re.split(r"#\{", path or "", maxsplit=1)[0].casefold()


def _plug_of(info: CameraInfo) -> tuple[str, str, int]:
    """Return a sort key for cameras of one name: their port, else their path, then their number."""
    path = info.path or ""
    if not path.startswith("/dev/"):
        return "", path, info.index
    node = SYSFS / os.path.basename(path) / "device"
    return os.path.realpath(node) if node.exists() else "", "", info.index


class Webcam(OpenCVSource):
    """A camera by its name, looked up again at every opening because numbers shift.

    ``camera`` is a name for `find_camera`. The size is a request: the `SourceInfo` that `open`
    returns has the actual one. Open it on the capture thread, never on the window's: opening can
    take a minute on Windows and deadlocks with the permission prompt of macOS.
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
        # From now on use this camera only, even after it was unplugged.
        self._wanted = self.camera.identity
        self.name = self.camera.name
        self.remark = self.camera.remark
        return super().open()

    def _still_among(self, cameras: Sequence[Camera]) -> Camera | None:
        """Find the camera opened last by its port: numbers and names of identical cameras shift."""
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
    """Return the cause as far as the system reveals it, without opening a stream."""
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

    Many programs may open a node but only one may stream: setting the format it already has changes
    nothing, and is refused as busy while another program streams.
    """
    if control is None:
        import fcntl  # not on Windows

        control = fcntl.ioctl
    video_format = bytearray(_FORMAT_BYTES)
    struct.pack_into("=I", video_format, 0, _CAPTURE)
    try:
        handle = open_node(node, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
        try:
            control(handle, _GET_FORMAT, video_format)
            control(handle, _SET_FORMAT, video_format)
        finally:
            os.close(handle)
    except OSError as error:
        return _CAUSES.get(error.errno or 0, Cause.CANNOT_OPEN)
    return Cause.CANNOT_OPEN


def _is_forbidden_on_macos() -> bool:
    """Ask AVFoundation, which the camera list needs there anyway; 1 and 2 are refusals."""
    foundation = importlib.import_module("AVFoundation")
    status = foundation.AVCaptureDevice.authorizationStatusForMediaType_
    return status(foundation.AVMediaTypeVideo) in (1, 2)


def _is_forbidden_on_windows() -> bool:
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
