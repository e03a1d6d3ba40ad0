"""Whether a window can be shown here, told before Qt would abort the process over it."""

import ctypes
import os
import sys
from collections.abc import Mapping
from pathlib import Path

SOCKETS = Path("/tmp/.X11-unix")

_NEEDED = ("libxcb-cursor.so.0", "libxkbcommon-x11.so.0")
"""Without these Qt's plugin for X11 does not load, and not every distribution brings them."""


def why_no_screen(
    environment: Mapping[str, str] | None = None,
    platform: str = sys.platform,
    sockets: Path = SOCKETS,
) -> str:
    """Return one sentence that says why no window can be shown; empty where one can.

    Parameters
    ----------
    environment : mapping, optional
        In the place of the process's own.
    platform : str
        As in `sys.platform`.
    sockets : Path
        Where the X server's local sockets are.
    """
    known = os.environ if environment is None else environment
    wished = known.get("QT_QPA_PLATFORM", "")
    if not platform.startswith("linux") or (wished and not _is_x11_alone(wished)):
        return ""
    if known.get("WAYLAND_DISPLAY") and not wished:
        return ""
    display = known.get("DISPLAY", "")
    if not display and wished:
        return f"There is no screen here (DISPLAY is not set, and QT_QPA_PLATFORM is {wished})."
    if not display:
        return "There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set)."
    host, _, number = display.rpartition(":")
    local = sockets / f"X{number.partition('.')[0]}"
    if not host and sockets.is_dir() and not local.exists():
        return f"The screen {display} does not answer (DISPLAY names one that is not there)."
    for library in _NEEDED:
        try:
            ctypes.CDLL(library)
        except OSError:
            return (
                f"Qt cannot open a window because {library} is missing; on Debian: "
                "sudo apt-get install libxcb-cursor0 libxkbcommon-x11-0."
            )
    return ""


def _is_x11_alone(wished: str) -> bool:
    """Whether Qt is told to use X11 and nothing else, as in ``xcb`` or ``xcb:option``."""
    return all(name.partition(":")[0] == "xcb" for name in wished.split(";"))
