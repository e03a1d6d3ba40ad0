"""Measure gaps of the event loop with a timer, and record what ran during them."""

import contextlib
import faulthandler
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer

BEAT = 5
"""Milliseconds between two beats of the timer."""

LATE = 0.02
"""After this many seconds without a beat, the main thread is sampled until the next one."""

ROOT = str(Path(__file__).resolve().parents[1])


class Heartbeat(QObject):
    """A timer on the main thread, and what delayed it.

    Attributes
    ----------
    gaps : list of tuple
        Seconds between two beats, and the place in the code where the main thread was found most
        often in between. A beat that is on time has a gap of 5 ms.
    most_work : float
        Largest processor time of the main thread between two beats, in seconds. The rest of a gap
        was spent waiting for the interpreter or for a free core.
    """

    def __init__(self):
        super().__init__()
        self.gaps = []
        self.most_work = 0.0
        self._last = self._worked = 0.0
        self._places = Counter()
        self._timer = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer.start()
        self._watcher.start()
        return self

    def __exit__(self, *_):
        self._beat()
        self._timer.stop()
        self._stop.set()
        self._watcher.join()

    def _beat(self):
        now, worked = time.perf_counter(), time.thread_time()
        self.most_work = max(self.most_work, worked - self._worked)
        self._worked = worked
        places, self._places = self._places, Counter()
        gap, self._last = now - self._last, now
        self.gaps.append((gap, places.most_common(1)[0][0] if places else ""))

    def _watch(self):
        with tempfile.TemporaryFile("w+") as file, traced(file) as trace:
            while not self._stop.wait(LATE / 4):
                if time.perf_counter() - self._last > LATE:
                    self._places[self._where(file, trace)] += 1

    def _where(self, file, trace):
        """Return the innermost line of the app that the main thread runs, and its caller.

        `sys._current_frames` is not used: a frame keeps its variables alive, and a QPainter that is
        destroyed later and on another thread crashes the process.
        """
        file.seek(0)
        file.truncate()
        trace()
        file.seek(0)
        lines = list(filter(None, map(place_of, file.read().splitlines())))
        return " < ".join(lines[:2]) or "Qt itself"

    @property
    def longest(self):
        return max(self.gaps)

    def over(self, seconds):
        return sum(gap > seconds for gap, _ in self.gaps)


@contextlib.contextmanager
def traced(file):
    """Yield a function that writes the main thread's traceback into a file.

    The main thread writes it itself, in a signal handler. Dumping all threads from another thread
    would also read those that are starting or ending, which crashes the process after some minutes.
    """
    if not hasattr(faulthandler, "register"):
        yield lambda: None  # Windows has no such signal
        return

    def trace():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
        ends = time.perf_counter() + LATE
        while not os.fstat(file.fileno()).st_size and time.perf_counter() < ends:
            time.sleep(LATE / 100)

    faulthandler.register(signal.SIGUSR1, file, all_threads=False)
    try:
        yield trace
    finally:
        faulthandler.unregister(signal.SIGUSR1)


CONTROL = f"""
import os, sys, threading, time
longest = 0.0
def answer():
    global longest
    for _ in sys.stdin:
        print(longest, flush=True)
        longest = 0.0
    os._exit(0)  # the parent process has ended
threading.Thread(target=answer, daemon=True).start()
last = time.perf_counter()
while True:
    time.sleep({BEAT / 1e3})
    now = time.perf_counter()
    longest, last = max(longest, now - last), now
"""


class Control:
    """An idle process with the same timer: if it is late as well, the machine is busy."""

    def __enter__(self):
        self._child = subprocess.Popen(
            [sys.executable, "-c", CONTROL],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        return self

    def __exit__(self, *_):
        self._child.kill()
        self._child.communicate()

    def longest(self):
        """Longest gap since the last call, in seconds."""
        self._child.stdin.write("\n")
        return float(self._child.stdout.readline())


def place_of(line):
    """Return a short form of a traceback's line, or None if it is not in the app."""
    found = re.match(rf'  File "{re.escape(ROOT)}/(app/\S+)", line (\d+) in (\S+)', line)
    if found and found[1] == "app/qt/window_picture.py":
        return None  # runs the event loop
    return found and f"{found[1].removeprefix('app/qt/')}:{found[2]} {found[3]}"
