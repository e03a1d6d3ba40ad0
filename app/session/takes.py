"""What a take is made of, and how one is recorded."""

from dataclasses import dataclass
from enum import Enum

from app.session.coverage import CoverageItem
from app.types import Sample

SUGGESTIONS = ("window light", "lamp light", "ceiling light", "glasses", "further away", "evening")
"""Names offered for takes, in this order."""


@dataclass(frozen=True)
class Plan:
    """How a take is recorded."""

    frames: int = 35
    every: float = 0.25
    """Seconds between kept frames, at least."""
    at_least_every: float = 0.8
    """Seconds after which a frame is kept though it hardly differs from the others."""


class Offer(Enum):
    """What became of a frame that was offered."""

    KEPT = "kept"
    FINISHED = "kept, and the take is complete"
    ALIKE = "too much like the others"
    UNUSABLE = "no usable face"
    REFUSED = "called an attack by the model it would be folded into"
    IGNORED = "no take is being recorded"


@dataclass(frozen=True)
class TakeSummary:
    """One take: its name, how many frames it has, and the light it shares with other takes."""

    name: str
    n_samples: int
    light: int = 0
    """Takes with the same number were recorded in the same circumstances."""
    is_in_model: bool = False
    person: str = ""
    """Whose face it shows; empty where that was not said."""


@dataclass(frozen=True, eq=False)
class EnrolmentState:
    """The whole enrolment."""

    takes: tuple[TakeSummary, ...] = ()
    samples: tuple[Sample, ...] = ()
    coverage: tuple[CoverageItem, ...] = ()
    collecting: str = ""
    """Name of the take that is being recorded; empty when none is."""
    n_wanted: int = 0
    n_collected: int = 0
    hint: str = ""
    """What to do now, or why the last frame was not kept."""
    can_fit: bool = False
    why_not: str = ""
    """What is missing before a model can be fitted; empty when nothing is."""
    can_undo: bool = False
    suggested_name: str = ""
    person: str = ""
