"""How takes are recorded, and how well they cover pose, distance and light."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from app.types import Condition, Sample
from app.vision.conditions import condition_groups


@dataclass(frozen=True)
class Plan:
    """How a take is recorded."""

    frames: int = 35
    every: float = 0.25
    """Least seconds between kept frames."""
    at_least_every: float = 0.8
    """Seconds after which a frame is kept even if it hardly differs from the others."""


class Offer(Enum):
    """What a take did with a frame."""

    KEPT = "kept"
    FINISHED = "kept, and the take is complete"
    ALIKE = "too much like the others"
    UNUSABLE = "no usable face"
    REFUSED = "called an attack by the model it would be added to"
    IGNORED = "no take is being recorded"


@dataclass(frozen=True)
class CoverageItem:
    """How much of one kind of variety is enrolled, from 0 to 1, and how to add the rest."""

    name: str
    share: float
    advice: str = ""
    """Empty when nothing is missing."""


@dataclass(frozen=True)
class TakeSummary:
    """A take; takes with the same ``light`` were recorded under the same conditions."""

    name: str
    n_samples: int
    light: int = 0
    is_in_model: bool = False
    person: str = ""


@dataclass(frozen=True, eq=False)
class EnrolmentState:
    """The enrolment, for display."""

    takes: tuple[TakeSummary, ...] = ()
    samples: tuple[Sample, ...] = ()
    coverage: tuple[CoverageItem, ...] = ()
    collecting: str = ""
    """The take being recorded; may be empty."""
    n_wanted: int = 0
    n_collected: int = 0
    hint: str = ""
    """What to do now, or why the last frame was not kept."""
    can_fit: bool = False
    why_not: str = ""
    """What is missing before a model can be fitted."""
    can_undo: bool = False
    suggested_name: str = ""
    person: str = ""


# What full coverage needs: useful when enrolled, and comfortable in front of a webcam.
TURN = 16.0
NOD = 10.0
DISTANCE = 0.25
LIGHTS = 2
FRAMES = 60

# Single odd frames should not count as variety.
_ENDS = (0.05, 0.95)


def coverage(conditions: Sequence[Condition], takes: Sequence[str]) -> tuple[CoverageItem, ...]:
    """Return how well each kind of variety is covered; without conditions, frames only."""
    frames = _item("Frames", len(takes) / FRAMES, "Record more frames.")
    if takes and not conditions:
        return (frames,)
    if len(conditions) != len(takes):
        conditions = ()
    n_lights = len(set(condition_groups(conditions, takes))) if conditions else 0
    turn, nod, distance = (
        _span([getattr(each, name) for each in conditions]) for name in ("yaw", "pitch", "distance")
    )
    return (
        frames,
        _item("Lights", n_lights / LIGHTS, "Record a take in another light, such as a lamp."),
        _item("Turn of the head", turn / TURN, "Turn your head a little to both sides."),
        _item("Nod", nod / NOD, "Raise and lower your head a little."),
        _item("Distance", distance / DISTANCE, "Lean towards the camera and back."),
    )


def coverage_by_person(
    frames: Sequence[tuple[Condition | None, str, str]],
) -> tuple[CoverageItem, ...]:
    """Return each kind of variety for the person who has least of it.

    What one person enrols does not help another. ``frames`` are (condition, take, person).
    """
    covered = {
        person: coverage(
            [condition for condition, _, whose in frames if whose == person and condition],
            [take for _, take, whose in frames if whose == person],
        )
        for person in dict.fromkeys(whose for _, _, whose in frames)
    }
    if len(covered) < 2:
        return next(iter(covered.values()), coverage((), ()))
    named = (
        [
            replace(item, advice=f"{person}: {item.advice}") if person and item.advice else item
            for item in items
        ]
        for person, items in covered.items()
    )
    # A person without known conditions has one item only.
    return tuple(min(row, key=lambda item: item.share) for row in zip(*named, strict=False))


def _item(name: str, share: float, advice: str) -> CoverageItem:
    share = min(max(share, 0.0), 1.0)
    return CoverageItem(name, share, "" if share >= 1.0 else advice)


def _span(values: list[float]) -> float:
    return float(np.diff(np.quantile(values, _ENDS))[0]) if values else 0.0
