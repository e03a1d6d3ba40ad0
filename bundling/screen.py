"""A screen for the smoke test: Xvfb, pictures of it, and the click that closes a window."""

import ctypes
import ctypes.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = (1280, 800)

_GRAB = """\
import sys
from PySide6.QtGui import QGuiApplication
app = QGuiApplication([])
sys.exit(not app.primaryScreen().grabWindow(0).save(sys.argv[1]))
"""


@contextmanager
def virtual_screen() -> Iterator[str]:
    """Run Xvfb and yield the name of its display."""
    size = f"{SIZE[0]}x{SIZE[1]}x24"
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    try:
        yield f":{server.stdout.readline().strip()}"
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def take_picture(display: str, path: Path) -> None:
    """Save what a display shows."""
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    command = [sys.executable, "-c", _GRAB, str(path)]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)


def n_colours(path: Path) -> int:
    """Return how many different colours a picture has: photographs have thousands."""
    import cv2
    import numpy as np

    image = cv2.imread(str(path))
    assert image is not None, path
    return len(np.unique(image.reshape(-1, 3), axis=0))


def content(path: Path) -> float:
    """Return how much of the right half of a picture is not of its commonest colour, 0 to 1.

    There the window has its pages, and "Loading…" before that.
    """
    import cv2
    import numpy as np

    image = cv2.imread(str(path))
    assert image is not None, path
    height, width = image.shape[:2]
    pixels = image[height // 10 : 8 * height // 10, 6 * width // 10 :].reshape(-1, 3)
    _, counts = np.unique(pixels, axis=0, return_counts=True)
    return float(1.0 - counts.max() / len(pixels))


class _ClientMessage(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 24),  # an event has room for the largest of all kinds
    )


def close_windows(display: str) -> int:
    """Send every window of a display what a click on its cross sends; return how many."""
    x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
    x11.XInternAtom.restype = x11.XDefaultRootWindow.restype = ctypes.c_ulong
    opened = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    protocols = x11.XInternAtom(opened, b"WM_PROTOCOLS", 0)
    delete = x11.XInternAtom(opened, b"WM_DELETE_WINDOW", 0)
    root, parent = ctypes.c_ulong(), ctypes.c_ulong()
    children, count = ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
    top = ctypes.c_ulong(x11.XDefaultRootWindow(opened))
    x11.XQueryTree(opened, top, *(ctypes.byref(each) for each in (root, parent, children, count)))
    for window in children[: count.value]:
        event = _ClientMessage(type=33, window=window, message_type=protocols, format=32)
        event.data[0] = delete
        x11.XSendEvent(opened, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
    x11.XSync(opened, 0)
    x11.XCloseDisplay(opened)
    return int(count.value)
