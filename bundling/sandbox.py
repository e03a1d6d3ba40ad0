"""Simulate a machine without Python: an empty environment, with all Pythons hidden.

On Linux a build runs in a mount namespace that hides this project, its environment and every Python
of the system, and in a network namespace without a network. On other systems only its environment
variables are cleared. The module also runs Xvfb, takes screenshots and closes windows.
"""

import ctypes
import ctypes.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_PLACES = ("/usr/bin", "/usr/local/bin", "/usr/lib", "/usr/local/lib", "/opt")
_SYSTEM = ("/usr/", "/lib", "/etc/", "/var/cache/", "/dev/", "/memfd:", "/SYSV", "/run/", "/proc/")
_COVER = """\
for path in $HIDDEN_FOLDERS; do mount -t tmpfs none "$path" || exit 121; done
for path in $HIDDEN_FILES; do mount --bind /dev/null "$path" || exit 121; done
exec "$@"
"""


def pythons(places: Iterable[str] = _PLACES) -> list[Path]:
    """Return every file and folder of a Python: the system's, ours, and the base of ours."""
    found = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
    for place in places:
        found |= {path.resolve() for path in Path(place).glob("python*") if path.exists()}
    return sorted(found)


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the paths that are not inside another one: a hidden folder hides its content."""
    found = sorted(set(paths))
    return tuple(
        path
        for path in found
        if not any(path != other and path.is_relative_to(other) for other in found)
    )


def foreign_files(mapped: Iterable[str], own: Iterable[Path]) -> list[str]:
    """Return the mapped files that belong neither to the build nor to the system."""
    folders = [f"{folder}{os.sep}" for folder in own]
    foreign = []
    for path in mapped:
        if any(path.startswith(folder) for folder in folders):
            continue
        if not path.startswith(_SYSTEM) or "python" in path.lower():
            foreign.append(path)
    return foreign


def mapped_files(pid: int) -> list[str]:
    """Return the files that are mapped into a process's memory (Linux)."""
    lines = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    names = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) == 6}
    return sorted(name for name in names if name.startswith("/"))


@dataclass(frozen=True)
class Sandbox:
    """A new folder with a home to test a build in, with paths hidden if the system allows it."""

    folder: Path
    hidden: tuple[Path, ...] = ()
    prefix: list[str] = field(default_factory=list)

    @classmethod
    def make(cls, folder: Path, hidden: Iterable[Path]) -> "Sandbox":
        """Make the folders, and find out whether this system allows hiding paths."""
        for name in ("home", "runtime", "work", "empty"):
            (folder / name).mkdir(parents=True, mode=0o700)
        paths = outermost(path for path in hidden if path.exists())
        for how in (["--mount", "--net"], ["--map-root-user", "--user", "--mount", "--net"]):
            if sys.platform != "linux" or shutil.which("unshare") is None:
                break
            made = cls(folder, paths, _covering(how, paths))
            if subprocess.run([*made.prefix, "/bin/true"], capture_output=True).returncode == 0:
                return made
        return cls(folder)

    @property
    def hides(self) -> bool:
        """Whether Pythons are really hidden."""
        return bool(self.prefix)

    def command(self, program: Path, *arguments: str, **variables: str) -> list[str]:
        """Return the command that runs a program here."""
        environment = [f"{name}={value}" for name, value in self.environment(**variables).items()]
        if sys.platform == "win32":
            return [str(program), *arguments]
        return [*self.prefix, "/usr/bin/env", "-i", *environment, str(program), *arguments]

    def environment(self, **variables: str) -> dict[str, str]:
        """Return the program's environment variables."""
        home = str(self.folder / "home")
        kept = {
            name: os.environ[name]
            for name in ("SYSTEMROOT", "WINDIR")  # Windows programs do not start without them
            if name in os.environ
        }
        folders = {"HOME": home, "XDG_RUNTIME_DIR": str(self.folder / "runtime")}
        if sys.platform == "win32":
            folders = dict.fromkeys(("USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"), home)
        return {**kept, **folders, "PATH": str(self.folder / "empty"), **variables}

    def start(self, program: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Start a program here."""
        return subprocess.Popen(
            self.command(program, *arguments, **variables),
            cwd=self.folder / "work",
            env=self.environment(**variables) if sys.platform == "win32" else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )


def _covering(how: list[str], paths: Iterable[Path]) -> list[str]:
    """Return the start of a command that hides paths; none of them may contain a space."""
    spaced = [path for path in paths if " " in str(path)]
    if spaced:
        raise ValueError(f"{spaced[0]} has a space in its name and cannot be hidden.")
    folders = " ".join(str(path) for path in paths if path.is_dir())
    files = " ".join(str(path) for path in paths if not path.is_dir())
    variables = ["/usr/bin/env", f"HIDDEN_FOLDERS={folders}", f"HIDDEN_FILES={files}"]
    return [str(shutil.which("unshare")), *how, *variables, "/bin/sh", "-c", _COVER, "sh"]


# ---------------------------------------------------------------- the screen

SIZE = (1280, 800)

_GRAB = """\
import sys
from PySide6.QtGui import QGuiApplication
app = QGuiApplication([])
sys.exit(not app.primaryScreen().grabWindow(0).save(sys.argv[1]))
"""


@contextmanager
def virtual_screen(size: tuple[int, int] = SIZE) -> Iterator[str]:
    """Run Xvfb and yield the name of its display."""
    screen = f"{size[0]}x{size[1]}x24"
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    try:
        number = server.stdout.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start: run it by hand to see why.")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def take_picture(display: str, path: Path) -> None:
    """Save a screenshot of a display."""
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    command = [sys.executable, "-c", _GRAB, str(path)]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)


def n_colours(path: Path) -> int:
    """Return the number of different colours in a picture; photographs have thousands."""
    return len(np.unique(_pixels(path).reshape(-1, 3), axis=0))


def content(path: Path) -> float:
    """Return the share of the right half of a picture that is not of its most common colour.

    The window shows its pages there, and "Loading…" before.
    """
    image = _pixels(path)
    height, width = image.shape[:2]
    pixels = image[height // 10 : 8 * height // 10, 6 * width // 10 :].reshape(-1, 3)
    _, counts = np.unique(pixels, axis=0, return_counts=True)
    return float(1.0 - counts.max() / len(pixels))


def _pixels(path: Path) -> NDArray[np.uint8]:
    # OpenCV sets environment variables of Qt, which `benchmarks.launch` would pass to its windows.
    import cv2

    image = cv2.imread(str(path))
    assert image is not None, path
    return np.asarray(image, np.uint8)


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
        ("rest", ctypes.c_long * 24),  # padding to the size of the largest kind of event
    )


def close_windows(display: str) -> int:
    """Close every window of a display as its close button does; return their number."""
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
