"""Frames with chosen views, and enrolments recorded from them."""

import itertools

import numpy as np

from app.session.enrolment import Enrolment
from app.session.takes import Offer, Plan
from app.types import Frame, Verdict
from tests.app.vision.test_conditions import HOME
from tests.scored_frames import scored_frame

PICTURE = np.zeros((2, 2, 3), np.uint8)
SHORT = Plan(frames=6, every=0.1, at_least_every=0.5)


def usable(time, eyes, skin, *, condition=HOME, caption=""):
    """Return a usable frame whose two views have these values."""
    views = {name: np.array([[x]], np.float32) for name, x in (("eyes", eyes), ("skin", skin))}
    frame = Frame(PICTURE, time=time, caption=caption)
    return scored_frame(frame, Verdict.NO_MODEL, views=views, condition=condition)


def unusable(time, reason="No face found."):
    return scored_frame(Frame(PICTURE, time=time), Verdict.NO_FACE, reason)


class Sitting:
    """A person in front of the camera: every frame shows something else, a moment later."""

    def __init__(self, plan=SHORT):
        self.enrolment = Enrolment(plan)
        self.time = 0.0
        self._values = itertools.count(10, 10)

    def frame(self, **options):
        self.time += 0.2
        return usable(self.time, next(self._values), 0.0, **options)

    def offer(self, **options):
        return self.enrolment.offer(self.frame(**options))

    def record(self, name, n_frames=None, **options):
        """Record a take, complete or with that many frames, and return its name."""
        name = self.enrolment.start(name)
        n_kept = 0
        while self.enrolment.is_recording and n_kept != n_frames:
            n_kept += self.offer(**options) in (Offer.KEPT, Offer.FINISHED)
        self.enrolment.stop()
        return name

    @property
    def takes(self):
        """The number of frames of every take."""
        return {take.name: take.n_samples for take in self.enrolment.state.takes}
