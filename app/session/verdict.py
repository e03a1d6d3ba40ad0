"""From a score and its circumstances to what a person is told."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Protocol

from app.types import ALL_FAMILIAR, Familiarity, FrameResult, Status, Verdict

__all__ = ["Evidence", "Judgement", "Means", "Verdict", "judge", "means_of", "unscored"]

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
    light = "in a light that was not enrolled"
    if what := " and ".join(familiarity.differences[:2]):
        light += f" (compared with {familiarity.nearest_take}, {what})"
    if liveness is None:
        return Judgement(
            Verdict.UNFAMILIAR,
            f"Refused: unlike the enrolment, {light}. Add it only if this is the live person.",
        )
    needed = min(LEAST_LIVENESS + LIVENESS_STEP * familiarity.place, SURELY_LIVE)
    share = f"{100 * liveness:.0f} %"
    if liveness >= needed:
        return Judgement(
            Verdict.UNFAMILIAR,
            f"Refused: it looks live ({share}), but {light}. Add it only if this is the live "
            "person.",
        )
    return Judgement(
        Verdict.ATTACK,
        f"It does not look live enough ({share}, and it takes {100 * needed:.0f} %), {light}.",
    )


class Evidence(Protocol):
    """What a frame contributes to the verdict over several frames."""

    @property
    def score(self) -> float | None:
        """None where the frame could not be scored."""

    @property
    def familiarity(self) -> Familiarity | None:
        """None where its circumstances are not known."""

    @property
    def liveness(self) -> float | None:
        """None where it was not measured."""


@dataclass(frozen=True)
class Means:
    """What scored frames come to together."""

    score: float
    familiarity: Familiarity
    liveness: float | None

    def leaning(self) -> "Means":
        """Return them a little stranger and more live, for a verdict that should not flicker."""
        familiarity = replace(self.familiarity, room=self.familiarity.room + 0.1)
        liveness = None if self.liveness is None else min(self.liveness + 0.05, 1.0)
        return replace(self, familiarity=familiarity, liveness=liveness)

    def judged(self, threshold: float) -> Judgement:
        """Judge them like one frame."""
        return judge(self.score, threshold, self.familiarity, self.liveness)


def means_of(frames: Iterable[Evidence]) -> Means:
    """Return the means over the frames with a score, of which there is at least one.

    The circumstances are in the words of the frame in the strangest light.
    """
    scored = [frame for frame in frames if frame.score is not None]
    scores = [frame.score for frame in scored if frame.score is not None]
    known = [frame.familiarity or ALL_FAMILIAR for frame in scored]
    live = [frame.liveness for frame in scored if frame.liveness is not None]
    familiarity = replace(
        max(known, key=lambda one: one.room),
        room=fmean(one.room for one in known),
        place=fmean(one.place for one in known),
    )
    # Rounding must not put the mean of equal scores on either side of them.
    score = min(max(sum(scores) / len(scores), min(scores)), max(scores))
    return Means(score, familiarity, fmean(live) if live else None)
