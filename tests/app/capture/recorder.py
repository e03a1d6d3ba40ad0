"""A recorder of what a capture reports, and sources that follow a test's script."""

import threading
from itertools import groupby

from app.capture.capture import Capture
from app.capture.network import NetworkCamera
from app.capture.source import FrameSource, SourceInfo
from app.capture.watchdog import Limits
from tests.app.capture.media import picture

PATIENCE = 20.0
"""Seconds after which a test gives up; none needs a tenth of it."""

QUICK = Limits(
    black_after=0.05,
    frozen_after=0.1,
    frozen_frames=5,
    damaged_after=0.05,
    stalled_after=0.2,
    start_after=0.3,
)


class Recorder:
    """Collect what a capture reports, and wait for a report."""

    def __init__(self):
        self.frames, self.usable, self.states = [], [], []
        self._news = threading.Condition()

    def capture(self, source, **options):
        options = {"limits": QUICK, "pauses": (0.01, 0.02), "check_every": 0.01, **options}
        return Capture(
            source,
            lambda frame: self._add(self.frames, frame),
            lambda state: self._add(self.states, state),
            on_usable=lambda frame: self._add(self.usable, frame),
            **options,
        )

    def wait_for(self, condition):
        with self._news:
            assert self._news.wait_for(condition, PATIENCE), self.faults

    def wait_for_frames(self, n):
        self.wait_for(lambda: len(self.frames) >= n)

    def wait_for_usable(self, n):
        self.wait_for(lambda: len(self.usable) >= n)

    def wait_for_cause(self, cause):
        self.wait_for(lambda: cause in self.causes)

    def _add(self, reports, report):
        with self._news:
            reports.append(report)
            self._news.notify_all()

    @property
    def phases(self):
        return [phase for phase, _ in groupby(state.phase for state in self.states)]

    @property
    def faults(self):
        """Causes and messages in order, without repeats; None and "" where all is well."""
        faults = [(None, ""), *((state.cause, state.message) for state in self.states)]
        return [fault for fault, _ in groupby(faults)][1:]

    @property
    def causes(self):
        return [cause for cause, _ in self.faults]


def network_camera(server, script, **options):
    """Return a network camera that plays this script, with long timeouts."""
    options = {"open_timeout": 10.0, "read_timeout": 10.0, **options}
    return NetworkCamera(server.serve(script), **options)


class Scripted(FrameSource):
    """A live source whose openings and reads follow the test's script."""

    is_live = True

    def __init__(self, open_steps=(), read_step=picture):
        self.name = "scripted"
        self.threads = set()
        self.n_closed = 0
        self._open_steps = list(open_steps)
        self._read_step = read_step

    def open(self):
        self.threads.add(threading.current_thread().name)
        step = self._open_steps.pop(0) if self._open_steps else None
        if isinstance(step, Exception):
            raise step
        if step is not None:
            step()
        return SourceInfo(self.name, 160, 120, 30.0)

    def read(self):
        self.threads.add(threading.current_thread().name)
        image = self._read_step(self._n_delivered)
        return None if image is None else self._deliver(image, float(self._n_delivered))

    def close(self):
        self.n_closed += 1
