"""How the genuine score changes with the size of the face, which is how far away it is.

Frames are counted, not presentations: a person who steps back within one presentation gives many
sizes. Frames of one presentation resemble each other, so no interval is told.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from app.session.guided_test.presentation import Presentation

EDGES = (80, 100, 120, 140, 160, 180, 200, 240, 280, 320, 400, math.inf)
"""Pixels at which bands begin; smaller faces are not scored."""


@dataclass(frozen=True)
class Band:
    """Genuine frames whose face has a side of ``low`` pixels to less than ``high``.

    ``high`` is None for the last band, which is open.
    """

    low: int
    high: int | None
    n_presentations: int
    n_frames: int
    n_refused: int
    mean_score: float

    @property
    def refused(self) -> float:
        """Share of the frames that were refused."""
        return self.n_refused / self.n_frames

    @property
    def name(self) -> str:
        """The band in words."""
        return f"{self.low} and more" if self.high is None else f"{self.low} to {self.high}"

    def as_dict(self) -> dict[str, Any]:
        """Return the band as JSON values."""
        return {**asdict(self), "refused": self.refused}


def genuine_sizes(presentations: Iterable[Presentation]) -> list[tuple[float, float]]:
    """Return size and score of every genuine frame that has both."""
    return [
        (frame.size, frame.score)
        for one in presentations
        if not one.is_attack
        for frame in one.frames
        if frame.size is not None and frame.score is not None
    ]


def bands(presentations: Iterable[Presentation]) -> tuple[Band, ...]:
    """Return the bands of sizes in which there are genuine frames, the smallest first."""
    genuine = [one for one in presentations if not one.is_attack]
    found = []
    for low, high in pairwise(EDGES):
        frames = [
            (one.number, frame)
            for one in genuine
            for frame in one.frames
            if frame.score is not None and frame.size is not None and low <= frame.size < high
        ]
        if frames:
            scores = [frame.score for _, frame in frames if frame.score is not None]
            found.append(
                Band(
                    int(low),
                    None if math.isinf(high) else int(high),
                    len({number for number, _ in frames}),
                    len(frames),
                    sum(frame.verdict.refuses for _, frame in frames),
                    math.fsum(scores) / len(scores),
                )
            )
    return tuple(found)


def statement(found: tuple[Band, ...]) -> str:
    """Return in one sentence at which sizes most genuine frames are refused."""
    if not found:
        return ""
    flips = [
        f"{_answer(before)} at {before.name} pixels and {_answer(after)} at {after.name}"
        for before, after in pairwise(found)
        if _answer(before) != _answer(after)
    ]
    if flips:
        return f"Most genuine frames are {'; '.join(flips)}."
    where = f"at {found[0].name} pixels" if len(found) == 1 else "at every size that was seen"
    return f"Most genuine frames are {_answer(found[0])} {where}."


def _answer(band: Band) -> str:
    return "refused" if band.refused > 0.5 else "accepted"
