"""What the tests of the capture share: someone who listens, and sources that obey."""

import threading
from itertools import groupby

from app.capture.capture import Capture
from app.capture.network import NetworkCamera
from app.capture.source import FrameSource, SourceInfo
from app.capture.watchdog import Limits
from tests.app.capture.material import picture

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
    """Remember what a capture says, and wait for it to say something."""

    def __init__(self):
        self.frames, self.sights, self.states = [], [], []
        self._news = threading.Condition()

    def capture(self, source, **options):
        options = {"limits": QUICK, "pauses": (0.01, 0.02), "look_every": 0.01, **options}
        return Capture(
            source,
            lambda frame: self._note(self.frames, frame),
            lambda state: self._note(self.states, state),
            on_sight=lambda frame: self._note(self.sights, frame),
            **options,
        )

    def wait_for(self, condition):
        with self._news:
            assert self._news.wait_for(lambda: condition(self), PATIENCE), self.faults

    def wait_for_cause(self, cause):
        self.wait_for(lambda self: cause in [said for said, _ in self.faults])

    def _note(self, where, what):
        with self._news:
            where.append(what)
            self._news.notify_all()

    @property
    def phases(self):
        return [phase for phase, _ in groupby(state.phase for state in self.states)]

    @property
    def faults(self):
        faults = [(None, ""), *((state.cause, state.message) for state in self.states)]
        return [fault for fault, _ in groupby(faults)][1:]


def network_camera(server, script, **options):
    """Return a camera in the network that plays this script, and is waited for patiently."""
    options = {"open_timeout": 10.0, "read_timeout": 10.0, **options}
    return NetworkCamera(server.serve(script), **options)


class Scripted(FrameSource):
    """A live source whose every opening and read is a step that the test wrote."""

    is_live = True

    def __init__(self, open_steps, read_step=None):
        self.name = "scripted"
        self.threads = set()
        self.n_closed = 0
        self._open_steps = list(open_steps)
        self._read_step = read_step or (lambda number: picture(number))

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
