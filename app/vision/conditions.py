"""How far the conditions of a frame are from the enrolled ones.

In light that was never enrolled, a person may score lower than an attack in enrolled light. So each
frame carries its `Condition`, and the verdict says when a low score comes with unfamiliar light.

A take covers a range in each dimension. A frame's distance from a take is how far it lies outside,
in tolerances, in the worst dimension; its distance from the enrolment is that from the nearest
take, one in the same light of the room if there is any. 0 is inside, 1 the edge of the tolerances.
Every difference has a name ("the light is warmer").
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.types import Condition, Familiarity

NAMES = tuple(field.name for field in fields(Condition))


class Dimension(NamedTuple):
    """The tolerance of a dimension, and the words for values outside a range."""

    tolerance: float
    below: str
    above: str


# Steps that people hardly notice. In enrolled light, 1 % (phone) and 7 % (webcam) of real people's
# genuine frames are outside; in another light, all (`python -m benchmarks real --only verdicts`).
# The words complete "Compared with TAKE: ...".
DIMENSIONS = {
    "brightness": Dimension(18.0, "it is darker", "it is brighter"),
    "contrast": Dimension(12.0, "the contrast is lower", "the contrast is higher"),
    "warmth": Dimension(0.15, "the light is bluer", "the light is warmer"),
    "tint": Dimension(0.08, "the light is more magenta", "the light is greener"),
    "side_light": Dimension(
        0.20, "the light comes from the right", "the light comes from the left"
    ),
    "sharpness": Dimension(0.70, "the picture is softer", "the picture is noisier or sharper"),
    "room_brightness": Dimension(18.0, "the room is darker", "the room is brighter"),
    "room_warmth": Dimension(0.12, "the room's light is bluer", "the room's light is warmer"),
    "room_tint": Dimension(0.08, "the room's light is more magenta", "the room's light is greener"),
    "distance": Dimension(0.35, "the face is closer", "the face is further away"),
    "yaw": Dimension(10.0, "the head is turned to the left", "the head is turned to the right"),
    "pitch": Dimension(10.0, "the head is lowered", "the head is raised"),
    "roll": Dimension(10.0, "the head is tilted to the left", "the head is tilted to the right"),
}
TOLERANCES = np.array([DIMENSIONS[name].tolerance for name in NAMES])

ROOM = [NAMES.index(name) for name in ("room_brightness", "room_warmth", "room_tint")]
"""Dimensions of the light in the room, which a print or a screen cannot change."""
PLACE = [NAMES.index(name) for name in ("distance", "yaw", "pitch", "roll")]
"""Dimensions of the position and pose of the face."""

# The ends of a take's range, so that a few blinking or blurred frames do not widen it.
RANGE_QUANTILES = (0.02, 0.98)


@dataclass(frozen=True, eq=False)
class EnrolledConditions:
    """The ranges of the enrolled takes; ``low`` and ``high`` have a column per name in `NAMES`."""

    takes: tuple[str, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, conditions: Sequence[Condition], takes: Sequence[str]) -> "EnrolledConditions":
        """Compute the ranges from the enrolled frames and the take of each."""
        if not conditions or len(conditions) != len(takes):
            raise ValueError("Enrolled conditions need frames, each with the name of its take.")
        values = np.array([astuple(condition) for condition in conditions])
        if not np.isfinite(values).all():
            raise ValueError("An enrolled frame's condition is not finite; leave the frame out.")
        names = tuple(dict.fromkeys(takes))
        member = np.array(takes)
        ranges = [np.quantile(values[member == name], RANGE_QUANTILES, axis=0) for name in names]
        return cls(names, np.array([r[0] for r in ranges]), np.array([r[1] for r in ranges]))

    def familiarity(self, condition: Condition) -> Familiarity:
        """Return how far a condition is from the enrolled ones, and in what they differ."""
        value = np.array(astuple(condition))
        outside = self.outside(value)
        worst, rooms = outside.max(axis=1), outside[:, ROOM].max(axis=1)
        # First the takes in the same light: the verdict on a frame says whether there is one.
        nearest = int(np.lexsort((worst, rooms > 1.0))[0])
        is_below = value < self.low[nearest]
        differences = tuple(
            DIMENSIONS[NAMES[k]].below if is_below[k] else DIMENSIONS[NAMES[k]].above
            for k in np.argsort(-outside[nearest])
            if outside[nearest, k] > 1.0
        )
        room, place = float(rooms.min()), float(outside[:, PLACE].max(axis=1).min())
        return Familiarity(float(worst[nearest]), self.takes[nearest], differences, room, place)

    def outside(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far values lie outside every take's range, in tolerances."""
        outside = np.maximum(np.maximum(self.low - values, values - self.high) / TOLERANCES, 0.0)
        outside[np.isnan(outside)] = math.inf  # an unmeasurable value is unfamiliar
        return outside


def condition_groups(conditions: Sequence[Condition], takes: Sequence[str]) -> list[int]:
    """Return a group number for every frame; takes recorded in the same conditions share one.

    They do if the typical frame of each lies within the tolerances of the other, directly or
    through other takes.
    """
    enrolled = EnrolledConditions.of(conditions, takes)
    values, member = np.array([astuple(condition) for condition in conditions]), np.array(takes)
    outside = [enrolled.outside(values[member == name][:, None, :]) for name in enrolled.takes]
    apart = np.array([np.median(each.max(axis=2), axis=0) for each in outside])
    groups = list(range(len(outside)))
    for first, second in np.argwhere(np.triu(np.maximum(apart, apart.T) <= 1.0, 1)):
        groups = [groups[first] if group == groups[second] else group for group in groups]
    return [groups[enrolled.takes.index(name)] for name in takes]
