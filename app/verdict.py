"""From a score and its circumstances to what a person is told."""

from dataclasses import dataclass
from enum import StrEnum

from app.conditions import Familiarity
from app.types import FrameResult, Status


class Verdict(StrEnum):
    """What a frame is called."""

    GENUINE = "genuine"
    ATTACK = "attack"
    UNFAMILIAR = "unfamiliar conditions"
    NO_FACE = "no face"
    POOR_QUALITY = "poor quality"
    BAD_FRAME = "bad frame"

    @property
    def accepts(self) -> bool:
        """Whether the frame is let through: only a genuine one is."""
        return self is Verdict.GENUINE


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
    because an attack in the enrolled light and the person in another light both score low.
    """
    if score >= threshold:
        return Judgement(Verdict.GENUINE, "The score reaches the threshold.")
    if familiarity.is_familiar:
        return Judgement(
            Verdict.ATTACK, "The score is below the threshold in circumstances that were enrolled."
        )
    what = ", ".join(familiarity.differences[:2])
    return Judgement(
        Verdict.UNFAMILIAR,
        f"Compared with the nearest take ({familiarity.nearest_take}), {what}: add a take.",
    )
