"""What a take is made of, and how one is recorded."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from app.names import PART_MARK
from app.types import Condition, Image


@dataclass(frozen=True)
class Plan:
    """How a take is recorded.

    Attributes
    ----------
    parts : int
        Parts of a take.
    frames : int
        Frames kept in each part.
    every : float
        Seconds between kept frames, at least.
    at_least_every : float
        Seconds after which a frame is kept though it hardly differs from the others.
    pause : float
        Seconds between parts.
    """

    parts: int = 5
    frames: int = 7
    every: float = 0.25
    at_least_every: float = 0.8
    pause: float = 1.2


@dataclass(frozen=True, eq=False)
class Sample:
    """One enrolled frame: its views, its circumstances, a small picture; never the frame itself."""

    number: int
    take: str
    part: int
    views: dict[str, NDArray[np.float32]]
    condition: Condition | None
    thumbnail: Image | None
    is_simulated: bool = False

    @property
    def part_name(self) -> str:
        """Name of what is left out together."""
        return f"{self.take}{PART_MARK}{self.part + 1}"


class Offer(Enum):
    """What became of a frame that was offered."""

    KEPT = "kept"
    FINISHED = "kept, and the take is complete"
    NEXT_PART = "kept, and the next part begins after a pause"
    PAUSED = "between parts"
    ALIKE = "too much like the others"
    UNUSABLE = "no usable face"
    REFUSED = "called an attack by the model it would be folded into"
    IGNORED = "no take is being recorded"
