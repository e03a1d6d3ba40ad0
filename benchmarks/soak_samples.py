"""What is counted during a long run: memory, threads, timers, files, and how long frames take."""

import contextlib
import ctypes
import gc
import logging
import os
import re
import sys
import threading
import time
from array import array
from collections import Counter
from pathlib import Path
from statistics import median

import numpy as np
import psutil
import shiboken6
from PySide6.QtCore import QAbstractAnimation, QAbstractItemModel, QObject, QThread, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLayout, QWidget

from benchmarks.heartbeat import Heartbeat

EVERY = 5.0
"""Seconds between samples of memory."""

BINS = (0.05, 0.1, 0.25, 1.0)
"""Seconds above which gaps of the event loop are counted."""

MOST_KEPT = 200
"""Messages and long gaps that are kept with their words; more are only counted."""


class CountingScorer:
    """The real scorer, and what it costs."""

    def __init__(self):
        self.n_scored = 0
        self._cpu, self._wall = array("d"), array("d")

    def __call__(self, pipeline, model, frame):
        from app.session.frame_scoring import observe

        began, cpu = time.perf_counter(), time.thread_time()
        seen = observe(pipeline, model, frame)
        self._cpu.append(time.thread_time() - cpu)
        self._wall.append(time.perf_counter() - began)
        self.n_scored += 1
        return seen

    def costs(self):
        """Median milliseconds of processor and of clock a frame since this was last asked."""
        cpu, self._cpu = self._cpu, array("d")
        wall, self._wall = self._wall, array("d")
        return [1e3 * median(taken) if taken else float("nan") for taken in (cpu, wall)]


class Gaps(Heartbeat):
    """Counts gaps in bins, and keeps the long ones with what was going on.

    Parameters
    ----------
    activity : callable
        Says what is going on.
    control : Control
        An idle process, asked how late it was at the same time.
    """

    def __init__(self, activity, control):
        super().__init__()
        self.counts = dict.fromkeys(BINS, 0)
        self.n_machine = 0
        self.long = []
        self.during, self.places = Counter(), Counter()
        """Gaps above 100 ms, by what was going on and by where the main thread was."""
        self.worst = 0.0
        self.excused = False
        """Whether the run measures itself, which no gap is counted for."""
        self._activity, self._control = activity, control
        self._began = time.perf_counter()

    def _note(self, gap, place):
        if gap <= BINS[0] or self.excused:
            self.excused = False
            return
        idle = self._control.longest()  # since the last long gap: an upper bound
        for least in BINS:
            self.counts[least] += gap > least
        self.n_machine += idle >= BINS[0]
        if gap > BINS[1]:
            self.during[self._activity()] += 1
            self.places[place or "Qt itself"] += 1
        if gap > self.worst or gap > BINS[2]:
            self.worst = max(gap, self.worst)
            row = {
                "at": round(time.perf_counter() - self._began, 1),
                "seconds": round(gap, 3),
                "idle_process": round(idle, 3),
                "during": self._activity(),
                "place": place,
            }
            self.long = sorted([*self.long, row], key=lambda one: -one["seconds"])[:MOST_KEPT]


class Messages(logging.Handler):
    """Counts what is logged at WARNING and above, what Qt says, and notices of errors."""

    IGNORED = ("This plugin does not support",)
    """Said by Qt of every window where there is no screen."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.counts = Counter()
        self.n = Counter()

    def emit(self, record):
        kind = "error" if record.levelno >= logging.ERROR else "warning"
        self._note(kind, f"{record.levelname} {record.name}: {record.getMessage()}")

    def on_qt(self, _kind, _context, message):
        """Handle a message of Qt's."""
        if not message.startswith(self.IGNORED):
            self._note("qt", f"Qt: {message}")

    def on_notice(self, notice):
        """Look at a notice that the window shows."""
        if notice.level == "error":
            self._note("notice", f"notice: {notice.text}")

    def on_exception(self, _kind, error, _trace):
        """Count an error that nobody caught, as the program itself would tell of it."""
        logging.getLogger("soak").error(
            "Uncaught", exc_info=(type(error), error, error.__traceback__)
        )
        self._note("error", f"uncaught {type(error).__name__}: {error}")

    def _note(self, kind, text):
        self.n[kind] += 1
        text = re.sub(r"0x[0-9a-f]+|\d+", "#", text)  # equal but for numbers is equal
        if text in self.counts or len(self.counts) < MOST_KEPT:
            self.counts[text] += 1


class Sampler(threading.Thread):
    """Takes down memory, threads and files every few seconds, on a thread of its own."""

    def __init__(self, activity):
        super().__init__(name="soak sampler", daemon=True)
        self.samples = []
        self._activity = activity
        self._process = psutil.Process()
        self._began = time.perf_counter()
        self._over = threading.Event()

    def run(self):
        while not self._over.wait(EVERY):
            self.samples.append(self._sample())

    def end(self):
        """Stop."""
        self._over.set()
        self.join()

    def _sample(self):
        memory = self._process.memory_full_info()
        return {
            "seconds": round(time.perf_counter() - self._began, 1),
            "rss": memory.rss,
            "uss": memory.uss,
            "threads": self._process.num_threads(),
            "fds": self._process.num_fds() if hasattr(self._process, "num_fds") else 0,
            "cpu": round(sum(self._process.cpu_times()[:2]), 2),
            "heap": heap_in_use(),
            "during": self._activity(),
        }


class Checkpoints:
    """What is there at the same point of every round.

    Parameters
    ----------
    window : MainWindow
        The program.
    scorer : CountingScorer
        Its scorer.
    folder, temporary : Path
        Where it keeps what is the person's, and where temporary files go.
    """

    def __init__(self, window, scorer, folder, temporary):
        self.all = []
        self.began = time.perf_counter()
        self._window, self._scorer = window, scorer
        self._folder, self._temporary = folder, temporary
        self._process = psutil.Process()
        self._start_round()

    def _start_round(self):
        self._at = time.perf_counter()
        self._cpu = sum(self._process.cpu_times()[:2])
        self._painted = self._window.live.preview.n_painted
        self._scored = self._scorer.n_scored

    def take(self):
        """Count everything now, after what is garbage has gone."""
        row = {"round": len(self.all) + 1, "seconds": time.perf_counter() - self.began}
        row |= self._pace()
        gc.collect()
        row |= {"reference": reference_work(), "python_objects": 0, "types": {}}
        memory = self._process.memory_full_info()
        row |= {"rss": memory.rss, "uss": memory.uss, "heap": heap_in_use()}
        row |= counted_qt(self._window.desk) | counted_process(self._process)
        row["temporary"] = dict(Counter(kind_of_file(path) for path in files_in(self._temporary)))
        stored = list(files_in(self._folder))
        row["stored_files"] = len(stored)
        row["stored_bytes"] = sum(size_of(path) for path in stored)
        types = counted_types()
        row["python_objects"] = sum(types.values())
        row["types"] = dict(types.most_common(400))
        self.all.append(row)
        self._start_round()
        return row

    def _pace(self):
        seconds = time.perf_counter() - self._at
        cpu = sum(self._process.cpu_times()[:2]) - self._cpu
        scored = self._scorer.n_scored - self._scored
        painted = self._window.live.preview.n_painted - self._painted
        thread_cpu, wall = self._scorer.costs()
        return {
            "round_seconds": seconds,
            "cpu_seconds": cpu,
            "scored": scored,
            "shown": painted,
            "scored_rate": scored / seconds,
            "shown_rate": painted / seconds,
            "cpu_per_scored": thread_cpu,
            "wall_per_scored": wall,
            "process_cpu_per_scored": 1e3 * cpu / max(scored, 1),
        }


class _MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def heap_in_use():
    """Bytes that were allocated and not freed, without what the allocator keeps for later.

    What grows while this stays the same is a heap with holes, not something left behind. 0 where
    the C library does not tell.
    """
    if not sys.platform.startswith("linux"):
        return 0
    info = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if info is None:
        return 0
    info.restype = _MallInfo
    found = info()
    return found.uordblks + found.hblkhd


def reference_work():
    """Milliseconds of processor that a fixed piece of work takes: the machine's own speed."""
    matrix = np.ones((160, 160), np.float32)
    taken = []
    for _ in range(5):
        began = time.thread_time()
        for _ in range(20):
            np.sort(np.sin(matrix), axis=0)
        taken.append(time.thread_time() - began)
    return 1e3 * min(taken)


@contextlib.contextmanager
def alone():
    """Keep other threads of Python's waiting.

    Whoever lists all objects also holds tuples that another thread is just filling, and Python
    refuses to go on with a tuple that two hold.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(60.0)
    time.sleep(0.02)  # those who wait by the old interval get their turn
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def counted_types():
    """Count the objects that Python's garbage collector tracks, by type."""
    counts = Counter()
    with alone():
        counts.update(map(type, gc.get_objects()))
    return Counter({kind.__qualname__: n for kind, n in counts.items()})


KINDS = (QWidget, QTimer, QThread, QAction, QLayout, QAbstractAnimation, QAbstractItemModel)
"""What is counted below windows. Not every QObject: to look at parts of a text makes wrappers."""


def counted_qt(desk):
    """Count Qt's objects: what hangs below windows, application and desk, and what has no parent.

    What has no parent is found by the garbage collector, which no longer looks at what was made
    before the program was warm; of that, the threads and those who work on them matter.
    """
    app = QApplication.instance()
    windows = QApplication.topLevelWidgets()
    made_early = [one for owner in desk._threads for one in (owner.thread, owner.worker)]
    roots = [app, desk, *made_early, *windows]
    found = {}
    for root in roots:
        children = (child for kind in KINDS for child in root.findChildren(kind))
        for one in (root, *children):
            found[shiboken6.getCppPointer(one)[0]] = one
    with alone():
        parentless = [one for one in gc.get_objects() if isinstance(one, QObject)]
    for one in parentless:
        if shiboken6.isValid(one):
            found.setdefault(shiboken6.getCppPointer(one)[0], one)
    everything = list(found.values())
    timers = [one for one in everything if isinstance(one, QTimer)]
    threads = [one for one in everything if isinstance(one, QThread)]
    active = sum(one.isActive() for one in timers)
    return {
        "qobjects": dict(Counter(one.metaObject().className() for one in everything)),
        "timers": {"active": active, "at rest": len(timers) - active},
        "qthreads": dict(Counter(one.objectName() or "without a name" for one in threads)),
        "windows": dict(Counter(type(one).__name__ for one in windows)),
    }


def counted_process(process):
    """Count threads, descriptors and child processes, by name or kind."""
    python = Counter(re.sub(r"\d+", "#", one.name) for one in threading.enumerate())
    children = []
    for child in process.children(recursive=True):
        try:
            children.append(child.name())
        except psutil.Error:
            continue  # it ended meanwhile
    return {
        "os_threads": dict(thread_names(process)),
        "python_threads": dict(python),
        "fds": dict(descriptors(process)),
        "children": dict(Counter(children)),
    }


def thread_names(process):
    """Count the system's threads by name where it tells them, else all as one."""
    tasks = Path("/proc/self/task")
    if not tasks.exists():
        return Counter({"thread": process.num_threads()})
    names = Counter()
    for task in tasks.iterdir():
        try:
            names[re.sub(r"\d+", "#", (task / "comm").read_text().strip())] += 1
        except OSError:
            continue  # it ended meanwhile
    return names


def descriptors(process):
    """Count open files by kind where the system tells them, else all as one."""
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        n = process.num_fds() if hasattr(process, "num_fds") else process.num_handles()
        return Counter({"descriptor": n})
    kinds = Counter()
    for number in os.listdir(folder):
        try:
            kinds[kind_of_descriptor(os.readlink(f"{folder}/{number}"))] += 1
        except OSError:
            continue  # the listing's own
    return kinds


def kind_of_descriptor(target):
    """Say what a descriptor stands for: its kind, or the ending of its file."""
    if not target.startswith("/"):
        return target.partition(":[")[0].strip("[]")
    if target.endswith("(deleted)"):
        return "deleted file"
    if target.startswith("/dev/"):
        return target
    return f"file {Path(target).suffix or Path(target).name}"


def files_in(folder):
    """Give all files below a folder."""
    for where, _, names in os.walk(folder):
        yield from (Path(where, name) for name in names)


def size_of(path):
    """Bytes of a file that may go meanwhile."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def kind_of_file(path):
    """Name a temporary file by what begins its name and by its ending."""
    return f"{re.split(r'[-_.]', path.name.lstrip('.'))[0][:12]}*{path.suffix}"
