"""From a score and its circumstances to what a person is told."""

from dataclasses import dataclass

from app.conditions import Familiarity
from app.types import FrameResult, Status, Verdict

__all__ = ["EXPLAINED_BY_CIRCUMSTANCES", "Judgement", "Verdict", "judge", "unscored"]

EXPLAINED_BY_CIRCUMSTANCES = 0.5
"""Share of the threshold that genuine frames in circumstances that were not enrolled mostly reach
and attacks mostly do not. Chosen on generated takes, checked on others: ``python -m benchmarks
conditions``."""


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


def judge(score: float, threshold: float, familiarity: Familiarity) -> Judgement:
    """Judge a scored frame: accept when ``score >= threshold``.

    Unfamiliar circumstances never let a frame in: they only change what a refusal is called,
    because the person in another light scores low too. But seldom as low as an attack does, and
    attacks bring light of their own: below `EXPLAINED_BY_CIRCUMSTANCES` of the threshold a frame
    is called an attack in any circumstances.
    """
    if score >= threshold:
        return Judgement(Verdict.GENUINE, "The score reaches the threshold.")
    if familiarity.is_familiar:
        return Judgement(
            Verdict.ATTACK,
            "It does not look like the enrolled face, although light and distance do.",
        )
    what = " and ".join(familiarity.differences[:2])
    if not score >= EXPLAINED_BY_CIRCUMSTANCES * threshold:
        return Judgement(
            Verdict.ATTACK,
            f"Far below the threshold. It also differs from what was enrolled: {what}.",
        )
    return Judgement(
        Verdict.UNFAMILIAR,
        f"Not sure: compared with {familiarity.nearest_take}, {what}. Add it only if this "
        "is the live person.",
    )
