"""The verdict over a short window of frames: what a person is told."""

import math
from collections import deque

from app.session.verdict import Judgement, means_of
from app.shown.frames import Decision, Scored
from app.types import Verdict

WINDOW = 15
"""Scored frames that are looked at together."""

ENOUGH = 5
"""Scored frames from which on a verdict is given."""

PATIENCE = 5
"""Frames without a usable face after which that is told instead of the last verdict."""

LONGEST_GAP = 2.5
"""Seconds between frames beyond which they no longer belong together."""

BREAK = 3
"""Frames on the other side of the threshold, far from those before, that begin a new window."""

RULE = (
    f"The mean score of the last {WINDOW} usable frames is held against the threshold; "
    f"{ENOUGH} are needed."
)


class Decider:
    """Gather scored frames and decide on them together (`app.session.verdict.means_of`).

    Another face, another threshold, a long gap or some frames without a usable face begin a new
    window: one face is never accepted on frames of another, or of another model.
    """

    def __init__(self) -> None:
        self._window: deque[Scored] = deque(maxlen=WINDOW)
        self._unusable: deque[Scored] = deque(maxlen=PATIENCE)
        self.decision = Decision(Verdict.LOOKING, rule=RULE)

    def reset(self, reason: str = "") -> None:
        """Forget all frames: the model or the source is another, or there are none to look at.

        Parameters
        ----------
        reason : str
            Why there is nothing to look at; empty where frames will follow.
        """
        self._window.clear()
        self._unusable.clear()
        verdict = Verdict.BAD_FRAME if reason else Verdict.LOOKING
        self.decision = Decision(verdict, reason, RULE)

    def update(self, scored: Scored) -> Decision:
        """Take in the next frame and return the verdict of the window that it ends."""
        if scored.face_changed or self._is_apart(scored):
            self._window.clear()
        if scored.verdict is Verdict.NO_MODEL:
            self.reset()
            self.decision = Decision(Verdict.NO_MODEL, scored.reason)
        elif scored.score is None or scored.threshold is None:
            self._unusable.append(scored)
            if len(self._unusable) == PATIENCE or not self._window:
                self._window.clear()
                self.decision = Decision(scored.verdict, scored.reason, RULE)
        else:
            # A frame that was under way when the model changed comes after `reset`.
            if self._window and self._window[-1].threshold != scored.threshold:
                self._window.clear()
            self._unusable.clear()
            self._window.append(scored)
            if self._is_cut(scored.threshold):
                for _ in range(len(self._window) - BREAK):
                    self._window.popleft()
            self.decision = self._judged(scored.threshold)
        return self.decision

    def _is_apart(self, scored: Scored) -> bool:
        if not self._window:
            return False
        return not 0 <= scored.frame.time - self._window[-1].frame.time <= LONGEST_GAP

    def _is_cut(self, threshold: float) -> bool:
        """Whether the last frames show something else than those before, with one face for both.

        They all lie on the other side of the threshold, and far from where the others lay.
        """
        scores = [frame.score for frame in self._window if frame.score is not None]
        before, after = scores[:-BREAK], scores[-BREAK:]
        if not before:
            return False
        mean = sum(before) / len(before)
        if not math.isfinite(mean):
            return False
        apart = all((score >= threshold) != (mean >= threshold) for score in after)
        return apart and abs(sum(after) / BREAK - mean) > threshold / 2

    def _judged(self, threshold: float) -> Decision:
        n, means = len(self._window), means_of(self._window)
        seen = (RULE, means.score, threshold, n)
        if n < ENOUGH:
            return Decision(Verdict.LOOKING, f"Looking: {n} of {ENOUGH} frames.", *seen)
        judgement = means.judged(threshold)
        if judgement.verdict is Verdict.ATTACK and self.decision.verdict is Verdict.UNFAMILIAR:
            # Not to and fro: a refusal stays what it was called while it is near the limit.
            if means.leaning().judged(threshold).verdict is Verdict.UNFAMILIAR:
                judgement = Judgement(Verdict.UNFAMILIAR, self.decision.reason)
        is_unfamiliar = judgement.verdict is Verdict.UNFAMILIAR
        return Decision(
            judgement.verdict,
            judgement.reason,
            *seen,
            differences=means.familiarity.differences if is_unfamiliar else (),
            liveness=means.liveness,
        )
