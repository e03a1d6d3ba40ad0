"""From a score and its circumstances to what a person is told."""

from dataclasses import dataclass

from app.conditions import Familiarity
from app.types import FrameResult, Status, Verdict

__all__ = ["Judgement", "Verdict", "judge", "unscored"]

LEAST_LIVENESS = 0.55
"""Liveness from which a refusal in an unknown light is put down to the light."""
LIVENESS_STEP = 0.6
"""How much more it takes for each tolerance that distance and pose lie outside every take."""
SURELY_LIVE = 0.99
"""Enough wherever the face is. All three were chosen on real people (``python -m benchmarks real
--only verdicts``)."""


@dataclass(frozen=True)
class Judgement:
    """A verdict with the sentence that explains it."""

    verdict: Verdict
    reason: str


_UNSCORED = {
    Status.NO_FACE: Verdict.NO_FACE,
    Status.POOR_QUALITY: Verdict.POOR_QUALITY,
    Status.BAD_FRAME: Verdict.BAD_FRAME,
}


def unscored(result: FrameResult) -> Judgement:
    """Judge a frame that never reached the model.

    Parameters
    ----------
    result : FrameResult
        Any but a READY one.
    """
    return Judgement(_UNSCORED[result.status], result.reason)


def judge(
    score: float, threshold: float, familiarity: Familiarity, liveness: float | None = None
) -> Judgement:
    """Judge a scored frame, or the means of a window: accept when ``score >= threshold``.

    A light that no take knows never lets a frame in. It only changes what a refusal is called,
    because the person in another light scores as low as an attack does. Where the room is lit as in
    a take, a low score is an attack. Elsewhere the liveness networks decide; without them the two
    cannot be told apart, and the reason says so.

    Parameters
    ----------
    score, threshold : float
        Of the model.
    familiarity : Familiarity
        Of the circumstances.
    liveness : float, optional
        Probability that the face is live (`lmkl_core.features.liveness`).
    """
    if score >= threshold:
        return Judgement(Verdict.GENUINE, "The score reaches the threshold.")
    if familiarity.knows_light:
        return Judgement(
            Verdict.ATTACK, "It does not look like the enrolled face, in a light that was enrolled."
        )
    what = " and ".join(familiarity.differences[:2])
    light = f"in a light that was not enrolled (compared with {familiarity.nearest_take}, {what})"
    if liveness is None:
        return Judgement(
            Verdict.UNFAMILIAR,
            f"Refused: unlike the enrolment, {light}. Add it only if this is the live person.",
        )
    if liveness >= min(LEAST_LIVENESS + LIVENESS_STEP * familiarity.place, SURELY_LIVE):
        return Judgement(
            Verdict.UNFAMILIAR,
            f"Refused: it looks live, but {light}. Add it only if this is the live person.",
        )
    return Judgement(Verdict.ATTACK, f"It does not look live, {light}.")
