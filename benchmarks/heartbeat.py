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
"""Milliseconds between beats, at which a click would be noticed."""

LATE = 0.02
"""Seconds without a beat after which it is noted, again and again, what the main thread is at."""

ROOT = str(Path(__file__).resolve().parents[1])


class Heartbeat(QObject):
    """Beats on the main thread while the window works.

    Attributes
    ----------
    gaps : list of tuple
        Seconds between two beats, and where the main thread was in between, most often first.
        Nothing is subtracted: a beat that is in time gives a gap of 5 ms.
    most_work : float
        The most seconds of processor time that the main thread used between two beats. What a gap
        has beyond that it spent waiting, for the interpreter or for a free core.
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
        self._note(gap, places.most_common(1)[0][0] if places else "")

    def _note(self, gap, place):
        """Take a gap down; who beats for an hour keeps less than all of them."""
        self.gaps.append((gap, place))

    def _watch(self):
        with tempfile.TemporaryFile("w+") as file, traced(file) as trace:
            while not self._stop.wait(LATE / 4):
                if time.perf_counter() - self._last > LATE:
                    self._places[self._where(file, trace)] += 1

    def _where(self, file, trace):
        """Where the main thread is: the innermost line of ours, and from where it was called.

        Not from ``sys._current_frames``: whoever holds a frame keeps what is in it alive, and a
        painter that ends later, and on another thread, takes the process down.
        """
        file.seek(0)
        file.truncate()
        trace()
        file.seek(0)
        lines = [ours for ours in map(place_of, file.read().splitlines()) if ours]
        return " < ".join(lines[:2]) or "Qt itself"

    @property
    def longest(self):
        return max(self.gaps)

    def over(self, seconds):
        return sum(gap > seconds for gap, _ in self.gaps)


@contextlib.contextmanager
def traced(file):
    """Give a function that writes where the main thread is.

    By a signal that it answers itself: another thread that writes down all of them reads those
    that are just beginning or ending too, and after some minutes the process dies of that.
    """
    if not hasattr(faulthandler, "register"):
        yield lambda: None  # Windows knows no such signal: then it is not known
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
    os._exit(0)  # whoever asked is gone
threading.Thread(target=answer, daemon=True).start()
last = time.perf_counter()
while True:
    time.sleep({BEAT / 1e3})
    now = time.perf_counter()
    longest, last = max(longest, now - last), now
"""


class Control:
    """A process that does nothing but beat: where it is late too, the machine was busy."""

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
        """Seconds of its longest gap since this was last asked."""
        self._child.stdin.write("\n")
        return float(self._child.stdout.readline())


def place_of(line):
    """A line of a traceback in short, if it is of the app."""
    found = re.match(rf'  File "{re.escape(ROOT)}/(app/\S+)", line (\d+) in (\S+)', line)
    if found and found[1] == "app/qt/window_picture.py":
        return None  # the loop itself
    return found and f"{found[1].removeprefix('app/qt/')}:{found[2]} {found[3]}"
