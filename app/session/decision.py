"""Verdicts on one score, on several frames together, and on a window of the last frames."""

import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from app.types import ALL_FAMILIAR, Decision, Familiarity, ScoredFrame, Verdict

# Chosen on real people (``python -m benchmarks real --only verdicts``).
LEAST_LIVENESS = 0.55
"""Liveness from which a refusal in unfamiliar light is attributed to the light."""
LIVENESS_STEP = 0.6
"""Added to it for each tolerance by which distance and pose lie outside every take."""
SURELY_LIVE = 0.99
"""Liveness that is enough at any distance and pose."""

ENOUGH_FRAMES = 5
"""Scored frames needed for a verdict."""
WINDOW = 15
"""Scored frames in a window."""
PATIENCE = 5
"""Frames without a usable face that end the window."""
LONGEST_GAP = 2.5
"""Most seconds between frames of one window."""
BREAK = 3
"""Frames on the other side of the threshold, far from those before, that begin a new window."""

RULE = (
    f"The mean score of the last {WINDOW} usable frames is compared with the threshold; "
    f"{ENOUGH_FRAMES} are needed."
)


def judge(
    score: float, threshold: float, familiarity: Familiarity, liveness: float | None = None
) -> tuple[Verdict, str]:
    """Return the verdict on a score or mean score, accepted at the threshold, and the reason.

    A person in unfamiliar light can score as low as an attack. So a low score means attack if the
    room is lit as in a take; otherwise the liveness networks decide what the refusal is called.
    """
    if score >= threshold:
        return Verdict.GENUINE, "The score reaches the threshold."
    if familiarity.knows_light:
        reason = "It does not look like the enrolled face, although the room is lit as in a take."
        return Verdict.ATTACK, reason
    light = "in a light that was not enrolled"
    if differences := " and ".join(familiarity.differences[:2]):
        light += f" (compared with {familiarity.nearest_take}, {differences})"
    advice = "Add it only if this is the live person."
    if liveness is None:
        return Verdict.UNFAMILIAR, f"Refused: unlike the enrolment, {light}. {advice}"
    needed = min(LEAST_LIVENESS + LIVENESS_STEP * familiarity.place, SURELY_LIVE)
    share = f"{100 * liveness:.0f} %"
    if liveness >= needed:
        return Verdict.UNFAMILIAR, f"Refused: it looks live ({share}), but {light}. {advice}"
    return (
        Verdict.ATTACK,
        f"It does not look live enough ({share}, below the {100 * needed:.0f} % needed), {light}.",
    )


def decide(
    frames: Sequence[ScoredFrame],
    threshold: float | None,
    *,
    enough: int = ENOUGH_FRAMES,
    lean: bool = False,
) -> Decision:
    """Judge frames together, by their mean score, light and liveness.

    With fewer than ``enough`` scored frames the verdict says what was missing. ``lean`` favours
    `Verdict.UNFAMILIAR` near the limits, so that a verdict does not flicker.
    """
    scored = [frame for frame in frames if frame.score is not None]
    if threshold is None or not scored or len(scored) < enough:
        counts = Counter(frame.verdict for frame in frames)
        missing = max((Verdict.NO_FACE, Verdict.POOR_QUALITY), key=lambda verdict: counts[verdict])
        reason = f"Fewer than {ENOUGH_FRAMES} frames show a usable face."
        return Decision(missing, reason, n_frames=len(scored))
    familiarities = [frame.familiarity or ALL_FAMILIAR for frame in scored]
    familiarity = replace(
        max(familiarities, key=lambda each: each.room),
        room=fmean(each.room for each in familiarities) + (0.1 if lean else 0.0),
        place=fmean(each.place for each in familiarities),
    )
    live = [frame.liveness for frame in scored if frame.liveness is not None]
    liveness = fmean(live) if live else None
    judged = min(liveness + 0.05, 1.0) if lean and liveness is not None else liveness
    scores = [frame.score for frame in scored if frame.score is not None]
    # Rounding must not move the mean of equal scores away from them.
    score = min(max(sum(scores) / len(scores), min(scores)), max(scores))
    verdict, reason = judge(score, threshold, familiarity, judged)
    differences = familiarity.differences if verdict is Verdict.UNFAMILIAR else ()
    return Decision(verdict, reason, "", score, threshold, len(scored), differences, liveness)


class Decider:
    """The verdict over a window of the last frames.

    Another face or threshold, a long gap, or several frames without a usable face begin a new
    window: a face is never accepted because of another face's or model's frames.
    """

    def __init__(self) -> None:
        self._window: deque[ScoredFrame] = deque(maxlen=WINDOW)
        self._n_unusable = 0
        self.decision = Decision(Verdict.LOOKING, rule=RULE)

    def reset(self, reason: str = "") -> None:
        """Forget all frames; ``reason`` says why no more are coming."""
        self._window.clear()
        verdict = Verdict.BAD_FRAME if reason else Verdict.LOOKING
        self.decision = Decision(verdict, reason, RULE)

    def update(self, scored: ScoredFrame) -> Decision:
        """Add a frame and return the verdict on the window."""
        if self._window and not 0 <= scored.frame.time - self._window[-1].frame.time <= LONGEST_GAP:
            self._window.clear()
        if scored.face_changed:
            self._window.clear()
        if scored.verdict is Verdict.NO_MODEL:
            self.reset()
            self.decision = Decision(Verdict.NO_MODEL, scored.reason)
        elif scored.score is None or scored.threshold is None:
            self._n_unusable += 1
            if self._n_unusable >= PATIENCE or not self._window:
                self._window.clear()
                self.decision = Decision(scored.verdict, scored.reason, RULE)
        else:
            # A frame scored with the previous model may arrive after `reset`.
            if self._window and self._window[-1].threshold != scored.threshold:
                self._window.clear()
            self._n_unusable = 0
            self._window.append(scored)
            if self._is_cut(scored.threshold):
                for _ in range(len(self._window) - BREAK):
                    self._window.popleft()
            self.decision = self._decided(scored.threshold)
        return self.decision

    def _is_cut(self, threshold: float) -> bool:
        """Whether the last frames are across the threshold and far from the others."""
        scores = [frame.score for frame in self._window if frame.score is not None]
        before, after = scores[:-BREAK], scores[-BREAK:]
        mean = sum(before) / len(before) if before else math.nan
        apart = all((score >= threshold) != (mean >= threshold) for score in after)
        return apart and math.isfinite(mean) and abs(sum(after) / BREAK - mean) > threshold / 2

    def _decided(self, threshold: float) -> Decision:
        frames = tuple(self._window)
        found = replace(decide(frames, threshold, enough=1), rule=RULE)
        if len(frames) < ENOUGH_FRAMES:
            looking = f"Looking: {len(frames)} of {ENOUGH_FRAMES} frames."
            return replace(
                found, verdict=Verdict.LOOKING, reason=looking, differences=(), liveness=None
            )
        if found.verdict is Verdict.ATTACK and self.decision.verdict is Verdict.UNFAMILIAR:
            # Near the limit, a refusal keeps its verdict.
            leaning = decide(frames, threshold, lean=True)
            if leaning.verdict is Verdict.UNFAMILIAR:
                return replace(leaning, reason=self.decision.reason, rule=RULE)
        return found
