r"""Cameras that are programs: recognised, said so, never refused.

A virtual camera shows what a program gives it: a recording, a face swap, the screen, or the picture
of a real camera passed on. Nothing of that shows in the frames, so the only honest thing is to say
which kind of device it is, as far as the system tells:

- Linux: a device without hardware behind it lies in the folder ``virtual`` of sysfs (v4l2loopback,
  which OBS and most others use), or belongs to a driver that simulates one (vivid).
- Windows: ``swd#vcamdevapi`` in its path is the system's own interface for such programs, and
  ``@device:sw:`` a filter in software.
- Everywhere: its name, where a known program gives it or where it says that it is virtual.

Whoever writes a driver of their own, or holds a screen before a lens, is not found like this.
"""

import os
import re
from pathlib import Path
from typing import Final

CLASS: Final = Path("/sys/class/video4linux")
"""Where Linux lists its video devices."""

_DRIVERS: Final = frozenset({"akvcam", "v4l2loopback", "v4l2 loopback", "vicodec", "vimc", "vivid"})
_PATHS: Final = ("swd#vcamdevapi", "@device:sw:")
_NAMES: Final = re.compile(
    r"\b(?:virtual|v4l2\s?loopback|dummy video device|obs[ -]?cam(?:era)?|vcam|unity video capture|"
    r"manycam|droidcam|snap camera|xsplit|splitcam|sparkocam|webcammax|youcam|altercam|chromacam|"
    r"fakecam|akvcam|webcamoid|mmhmm|camo|iriun|ivcam|epoccam|e2esoft|ndi|nvidia broadcast|"
    r"logi capture|vmix|wirecast|ecamm|camtwist|facerig|animaze|avatarify|prism live|streamlabs|"
    r"deepfacelive)\b",
    re.IGNORECASE,
)


def is_virtual(name: str, path: str = "", devices: Path = CLASS) -> bool:
    """Whether a camera is known to be a program.

    Parameters
    ----------
    name : str
        As the system gives it.
    path : str
        Device node on Linux, device path on Windows, unique id on macOS; may be empty.
    devices : Path
        Where Linux lists its video devices.
    """
    if path.startswith("/dev/") and _is_without_hardware(devices / os.path.basename(path)):
        return True
    if any(mark in path.casefold() for mark in _PATHS):
        return True
    return _NAMES.search(name) is not None


def remark_on(name: str) -> str:
    """Return the sentence that a person should read when such a camera is opened."""
    return (
        f"{name} is a program that shows whatever it is given: a picture fed into it never passed "
        "a lens, so choose the real camera to test what is held before one."
    )


def _is_without_hardware(device: Path) -> bool:
    """Ask sysfs: where the device lies, and which driver it belongs to."""
    if "virtual" in Path(os.path.realpath(device)).parts:
        return True
    driver = os.path.basename(os.path.realpath(device / "device" / "driver"))
    return driver.casefold() in _DRIVERS
