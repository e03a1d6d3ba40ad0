"""Observed frames made by hand, and enrolments recorded from them."""

import itertools

import numpy as np

from app.session.enrolment import Enrolment
from app.session.takes import Offer, Plan
from app.types import Frame, Verdict
from tests.app.vision.test_conditions import HOME
from tests.scored_frames import scored_frame

PICTURE = np.zeros((2, 2, 3), np.uint8)
SHORT = Plan(frames=6, every=0.1, at_least_every=0.5)


def views_at(*places):
    """Two views whose rows side by side are these numbers."""
    row = np.array([places], np.float32)
    return {"eyes": row[:, :1], "skin": row[:, 1:]}


def seen(time, *places, condition=HOME, caption="", number=0):
    """A usable frame."""
    frame = Frame(PICTURE, number, time, caption)
    return scored_frame(frame, Verdict.NO_MODEL, views=views_at(*places), condition=condition)


def unusable(time, reason="No face found."):
    return scored_frame(Frame(PICTURE, time=time), Verdict.NO_FACE, reason)


class Sitting:
    """A person before the camera: every frame is another picture, a moment later."""

    def __init__(self, plan=SHORT):
        self.enrolment = Enrolment(plan)
        self.time = 0.0
        self._places = itertools.count(1)

    def frame(self, **more):
        self.time += 0.2
        place = next(self._places)
        return seen(self.time, 10.0 * place, 0.0, number=place, **more)

    def offer(self, **more):
        return self.enrolment.offer(self.frame(**more))

    def record(self, name, n_frames=None, **more):
        """Record a take, all of it or so many frames, and return its name."""
        name = self.enrolment.start(name)
        n_kept = 0
        while self.enrolment.is_recording and n_kept != n_frames:
            offer = self.offer(**more)
            n_kept += offer in (Offer.KEPT, Offer.FINISHED)
        self.enrolment.stop()
        return name

    @property
    def takes(self):
        return {take.name: take.n_samples for take in self.enrolment.state.takes}
