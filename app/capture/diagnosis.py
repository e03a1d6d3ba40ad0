"""Why a camera that is listed does not open, as far as the system tells.

Only Linux tells a busy camera from a broken one. macOS and Windows tell whether the person has
forbidden cameras; beyond that the answer is `Cause.CANNOT_OPEN`, whose advice covers the rest.
"""

import errno
import importlib
import os
import struct
import sys
from collections.abc import Callable

from app.capture.cameras import Camera
from app.capture.source import Cause

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

Control = Callable[[int, int, bytearray], object]


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
    control: Control | None = None,
) -> Cause:
    """Return why a device node gives no picture.

    Any number of programs may open a node, but only one may stream: setting the format it already
    has changes nothing and is refused as busy while another program does.

    Parameters
    ----------
    node : str
        Such as ``/dev/video0``.
    open_node, control : callable
        `os.open` and `fcntl.ioctl`, or a test's own.
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
