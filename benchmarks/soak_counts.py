"""Counts for a soak (memory, objects, threads, files), and whether they grow."""

import ctypes
import gc
import os
import re
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psutil

CONFIDENCE = 0.95
FEWEST = 6
"""With fewer checkpoints after the warm-up, growth is not judged."""
MEMORY_LIMIT = 16.0
"""MiB per hour: largest allowed lower end of the interval of the slope."""
OBJECTS_LIMIT = 1000.0
"""Python objects per hour, likewise."""
MIB = 2**20


@dataclass(frozen=True)
class Growth:
    """First and last value, and the slope per hour of a Theil-Sen line with its interval."""

    name: str
    first: float
    last: float
    slope: float
    low: float
    high: float
    grows: bool | None
    """None if there are too few checkpoints."""


def growth(name, hours, values, limit):
    """Fit a robust line.

    Memory grows if the interval of the slope lies above the limit. A count must also be higher in
    all of the last third of the run than in the first: a library that once starts another thread
    does not leak, but one that does so every ten rounds does.
    """
    from scipy.stats import theilslopes  # not at the top: the program starts without SciPy

    if len(values) < 2:
        only = values[0] if values else 0.0
        return Growth(name, only, only, 0.0, 0.0, 0.0, None)
    slope, _, low, high = map(float, theilslopes(values, hours, CONFIDENCE))
    grows = None
    if len(values) >= FEWEST:
        third = len(values) // 3
        rises = min(values[-third:]) > max(values[:third])
        grows = low > limit and (rises or name.startswith("memory"))
    return Growth(name, values[0], values[-1], slope, low, high, grows)


def growths(checkpoints):
    """Return the growth of everything counted at the checkpoints."""
    hours = [one["seconds"] / 3600 for one in checkpoints]
    names = sorted({name for one in checkpoints for name in one["counts"]})
    return [
        growth(name, hours, [one["counts"].get(name, 0) for one in checkpoints], limit_of(name))
        for name in names
    ]


def limit_of(name):
    if name.startswith("memory"):
        return MEMORY_LIMIT
    return OBJECTS_LIMIT if name == "Python objects" else 0.0


# ---------------------------------------------------------------- counting


def count_everything(roots, stored, temporary):
    """Count memory, objects, threads, descriptors, processes and files, by name.

    Parameters
    ----------
    roots : list of QObject
        Objects whose children are counted.
    stored, temporary : Path
        Folders whose files are counted.
    """
    gc.collect()
    process = psutil.Process()
    memory = process.memory_full_info()
    counts = Counter(
        {
            "memory: RSS, MiB": memory.rss / MIB,
            "memory: USS, MiB": memory.uss / MIB,
            "memory: allocated, MiB": allocated() / MIB,
            "Python objects": len(gc.get_objects()),
            "stored bytes": sum(path.stat().st_size for path in files_in(stored)),
        }
    )
    names = {
        "Qt object": qt_objects(roots),
        "thread": [one.name for one in threading.enumerate()] + system_threads(),
        "descriptor": descriptors(process),
        "process": [""] * len(process.children(recursive=True)),
        "stored file": [path.suffix for path in files_in(stored)],
        "temporary file": [path.suffix for path in files_in(temporary)],
    }
    for kind, found in names.items():
        counts[f"{kind}s"] = len(found)
        counts.update(f"{kind}: " + re.sub(r"\d+", "#", name) for name in found)
    return dict(counts)


class _MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def allocated():
    """Bytes allocated and not freed; 0 if the C library does not report them.

    Memory that grows while this does not is a fragmented heap, not a leak.
    """
    info = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform == "linux" else None
    if info is None:
        return 0
    info.restype = _MallInfo
    found = info()
    return found.uordblks + found.hblkhd


def qt_objects(roots):
    """Class names of the widgets, timers, threads and actions below the roots and all windows.

    Other objects are left out: looking at the parts of a text document creates wrappers.
    """
    from PySide6.QtCore import QThread, QTimer
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QApplication, QWidget

    found = {}
    for root in (*roots, *QApplication.topLevelWidgets()):
        for kind in (QWidget, QTimer, QThread, QAction):
            for one in root.findChildren(kind):
                found[id(one)] = one
    return [one.metaObject().className() for one in found.values()]


def system_threads():
    """Names of all threads of the process, on Linux only."""
    names = []
    for task in Path("/proc/self/task").glob("*/comm"):
        try:
            names.append(f"system {task.read_text().strip()}")
        except OSError:
            continue  # the thread has ended
    return names


def descriptors(process):
    """Kinds of open files; empty texts on systems that only count them."""
    folder = Path("/proc/self/fd")
    if not folder.exists():
        return [""] * (process.num_fds() if hasattr(process, "num_fds") else process.num_handles())
    kinds = []
    for link in folder.iterdir():
        try:
            target = os.readlink(link)
        except OSError:
            continue  # the descriptor of the listing itself
        kinds.append(Path(target).suffix if target.startswith("/") else target.partition(":")[0])
    return kinds


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]
