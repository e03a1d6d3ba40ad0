"""Judged frames, presentations and whole sessions with chosen scores."""

import numpy as np

from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE, Frame, Verdict
from tests.scored_frames import scored_frame

PICTURE = np.zeros((2, 2, 3), dtype=np.uint8)
THRESHOLD = 0.5


def scored(score=None, *, threshold=THRESHOLD, verdict=None, time=0.0):
    """Return a frame judged by its score, unless there is a ``verdict``."""
    if verdict is None:
        verdict = Verdict.GENUINE if score >= threshold else Verdict.ATTACK
    threshold = None if score is None else threshold
    return scored_frame(Frame(PICTURE, time=time), verdict, score=score, threshold=threshold)


def present(guided_test, species, scores, *, is_simulated=False, threshold=THRESHOLD, verdict=None):
    """Present frames with these scores (None: no face) and end the presentation."""
    guided_test.start(species, is_simulated)
    for score in scores:
        missing = Verdict.NO_FACE if score is None else verdict
        guided_test.offer(scored(score, threshold=threshold, verdict=missing))
    if guided_test.is_presenting:
        guided_test.finish()


def session(n_bona_fide=12, n_attacks=12, species=("print", "phone"), **options):
    """Return a session with overlapping scores, the same every time."""
    generator, guided_test = np.random.default_rng(3), GuidedTest()
    guided_test.use_model("a1" * 32)
    for name, n, mean in [(BONA_FIDE, n_bona_fide, 0.7), *((s, n_attacks, 0.25) for s in species)]:
        for level in generator.normal(mean, 0.12, size=n):
            present(guided_test, name, generator.normal(level, 0.05, size=30).tolist(), **options)
    return guided_test
