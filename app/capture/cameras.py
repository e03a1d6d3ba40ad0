r"""The cameras of this machine, under stable names, listed without opening one.

An enumerator lists a camera once for each backend, and numbers shift when one is unplugged. Here
every camera appears once, under a name that is unique and the same after a restart.

A virtual camera shows what a program gives it: a recording, a face swap, the screen. Nothing of
that shows in the frames, so such cameras are marked, as far as the system tells, and never refused:

- Linux: a device without hardware lies in the folder ``virtual`` of sysfs (v4l2loopback, which OBS
  and most others use), or belongs to a driver that simulates one (vivid).
- Windows: ``swd#vcamdevapi`` in its path is the system's own interface for such programs, and
  ``@device:sw:`` a software filter.
- Everywhere: its name, if a known program gives it or it says that it is virtual.

A driver of one's own, or a screen held before a lens, is not found like this.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cv2_enumerate_cameras import CameraInfo, enumerate_cameras, supported_backends

from app.capture.opencv import cv2
from app.capture.source import Cause, SourceError

PREFERRED_BACKENDS = {
    "linux": (cv2.CAP_V4L2,),
    "win32": (cv2.CAP_MSMF, cv2.CAP_DSHOW),
    "darwin": (cv2.CAP_AVFOUNDATION,),
}
"""By `sys.platform`, best first. Elsewhere the enumerator would open every device: none there."""

SYSFS = Path("/sys/class/video4linux")
"""Where Linux lists its video devices."""

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

    Its routes hold for now; look the camera up again by ``identity`` before opening it.
    """

    name: str  # unique in the list: the second of two alike ends in "(2)"
    routes: tuple[Route, ...]  # best first
    path: str = ""  # device node on Linux, device path on Windows, unique id on macOS
    usb: str = ""  # vendor and product as "046d:082d"; empty if unknown
    plug: str = ""  # the port it is plugged into; may be empty
    is_virtual: bool = False  # whether it is known to be a program

    @property
    def label(self) -> str:
        """The name, marked if it is a program."""
        return f"{self.name} (a program)" if self.is_virtual else self.name

    @property
    def identity(self) -> str:
        """Name with vendor and product: stays the same when numbers and nodes shift."""
        return f"{self.name} [{self.usb}]" if self.usb else self.name

    @property
    def remark(self) -> str:
        """The warning to show when a program is opened as a camera."""
        if not self.is_virtual:
            return ""
        return (
            f"{self.name} is a program that shows whatever it is given: a picture fed into it "
            "never passed a lens, so choose the real camera to test what is held before one."
        )


def list_cameras() -> list[Camera]:
    """Return the cameras of this machine without opening one.

    On Linux each node is queried, which starts no stream and lights no lamp.
    """
    preferred = PREFERRED_BACKENDS.get(sys.platform, ())
    usable = [backend for backend in preferred if backend in supported_backends]
    found = [info for backend in usable for info in enumerate_cameras(backend)]
    return distinct_cameras(found, usable)


def find_camera(name: str = "", cameras: Sequence[Camera] | None = None) -> Camera:
    """Return the camera of that name among those given or the machine's; the first for no name.

    A name is a camera's name, identity, device path or number, or a part that fits one only, in any
    case. Otherwise `SourceError` with cause ``NO_CAMERA`` names the cameras there are.
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
    # Namesakes are numbered in the order of their plugs, which outlives a restart.
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
    if path.startswith("/dev/") and _is_without_hardware(devices / os.path.basename(path)):
        return True
    if any(mark in path.casefold() for mark in _VIRTUAL_PATHS):
        return True
    return _VIRTUAL_NAMES.search(name) is not None


def _is_without_hardware(device: Path) -> bool:
    if "virtual" in Path(os.path.realpath(device)).parts:
        return True
    driver = os.path.basename(os.path.realpath(device / "device" / "driver"))
    return driver.casefold() in _VIRTUAL_DRIVERS


def _device_of(path: str | None) -> str:
    r"""Return the part of a device path that all backends share.

    Windows appends the interface: ``\\?\usb#vid_046d&pid_082d&mi_00#7&1a2b&0&0000#{65e8773d-...}``.
    """
    return re.split(r"#\{", path or "", maxsplit=1)[0].casefold()


def _plug_of(info: CameraInfo) -> tuple[str, str, int]:
    """Return the sort key of namesakes: their plug, else their path, then their number."""
    path = info.path or ""
    if not path.startswith("/dev/"):
        return "", path, info.index
    node = SYSFS / os.path.basename(path) / "device"
    return os.path.realpath(node) if node.exists() else "", "", info.index
