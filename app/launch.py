"""``lmkl-pad`` without a command: open the window, or run a short demo if there is no screen."""

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

SOCKETS = Path("/tmp/.X11-unix")

_X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Libraries that Qt's X11 plugin needs and some systems lack, with their Debian packages."""


def launch(source: str = "", model: str = "", on_shown: Callable[[], None] | None = None) -> int:
    """Show the window, or without a screen a short demo; return the exit code.

    Parameters
    ----------
    source : str
        Source to use instead of the one in the settings.
    model : str
        Model file to open.
    on_shown : callable, optional
        Called once the first frame is on the screen.
    """
    if sentence := why_no_screen():
        return _without_screen(sentence, needs_window=bool(source or model))
    return open_window(source, model, on_shown)


def open_window(
    source: str = "", model: str = "", on_shown: Callable[[], None] | None = None
) -> int:
    """Show the window on a screen that is known to work; see `launch`."""
    # An exception while Qt loads would crash or get lost, so until the window handles Ctrl-C it
    # ends the process at once.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Imports create many objects and hardly any garbage, so the collector pauses until they are
    # done. Qt comes last because PySide inspects the source of every module imported after it:
    # NumPy alone would take half as long again.
    gc.disable()
    if hasattr(sys, "setdlopenflags"):
        sys.setdlopenflags(os.RTLD_LAZY)  # most symbols are never used
    from app import settings, types  # noqa: F401
    from app.capture import capture, opencv  # noqa: F401
    from app.demo import source as demo_source  # noqa: F401

    from app.qt.app import run  # isort: skip

    return run(source, model, on_shown)


def _without_screen(sentence: str, *, needs_window: bool) -> int:
    from app.cli import demo  # not needed by the window
    from app.cli.console import ExitCode, say, stop

    if needs_window:
        stop(
            f"{sentence} Only the window has --source and --model: use lmkl-pad score MODEL INPUT.",
            ExitCode.FAILED,
        )
    say(f"{sentence} Here is a short demo without a window; lmkl-pad demo runs all of it.")
    demo.run_and_print(output=demo.DEFAULT_OUTPUT, as_json=False, is_short=True)
    return 0


def why_no_screen(
    environment: Mapping[str, str] | None = None,
    platform: str = sys.platform,
    sockets: Path = SOCKETS,
) -> str:
    """Return why Qt would abort instead of showing a window; empty if it would not.

    ``sockets`` is the folder of the X server's local sockets.
    """
    variables = os.environ if environment is None else environment
    platforms = variables.get("QT_QPA_PLATFORM", "")
    is_x11_alone = all(name.partition(":")[0] == "xcb" for name in platforms.split(";"))
    if not platform.startswith("linux") or (platforms and not is_x11_alone):
        return ""
    if variables.get("WAYLAND_DISPLAY") and not platforms:
        return ""
    display = variables.get("DISPLAY", "")
    if not display and platforms:
        return f"There is no screen here (DISPLAY is not set, and QT_QPA_PLATFORM is {platforms})."
    if not display:
        return "There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set)."
    host, _, number = display.rpartition(":")
    local = sockets / f"X{number.partition('.')[0]}"
    if not host and sockets.is_dir() and not local.exists():
        return f"The screen {display} does not answer (DISPLAY is set, but no such display exists)."
    missing = [library for library in _X11_LIBRARIES if not _loads(library)]
    if not missing:
        return ""
    packages = " ".join(_X11_LIBRARIES[library] for library in missing)
    return (
        f"Qt cannot open a window without {', '.join(missing)}; on Debian: "
        f"sudo apt-get install {packages}."
    )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
