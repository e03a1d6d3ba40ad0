"""How far the circumstances of a frame are from the enrolled ones.

In a light that was never enrolled a person looks less familiar than an attack does in the enrolled
light. So each frame carries its circumstances (`Condition`), and the verdict says when a low score
comes in such a light.

A take spans a range in each dimension. The distance of a frame from a take is how far it lies
outside, in tolerances, in the worst dimension; from the enrolment, that of the nearest take. 0 is
inside, 1 the edge of the tolerances, and every distance has a name ("the light is warmer").
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
    """The tolerance of a dimension, and the words for lying outside a range."""

    tolerance: float
    below: str
    above: str


# Steps that a person hardly notices. Of real people's genuine frames in enrolled light 1 % (phone)
# and 7 % (webcam) lie outside, in another light all (`python -m benchmarks real --only verdicts`).
# The words finish "Compared with the nearest take, ...".
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
"""Dimensions of the light in the room, which a print or a screen does not bring along."""
PLACE = [NAMES.index(name) for name in ("distance", "yaw", "pitch", "roll")]
"""Dimensions of where the face is and where it looks."""

# The ends of a take's range: a few blinking or blurred frames do not stretch it.
RANGE_QUANTILES = (0.02, 0.98)


@dataclass(frozen=True, eq=False)
class EnrolledConditions:
    """The ranges of the enrolled takes: (takes, dimensions) ends in the order of `NAMES`."""

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
        """Return how far a frame's circumstances are from the enrolled ones, and in what."""
        value = np.array(astuple(condition))
        outside = self.outside(value)
        worst = outside.max(axis=1)
        nearest = int(worst.argmin())
        is_below = value < self.low[nearest]
        differences = tuple(
            DIMENSIONS[NAMES[k]].below if is_below[k] else DIMENSIONS[NAMES[k]].above
            for k in np.argsort(-outside[nearest])
            if outside[nearest, k] > 1.0
        )
        room, place = (float(outside[:, part].max(axis=1).min()) for part in (ROOM, PLACE))
        return Familiarity(float(worst[nearest]), self.takes[nearest], differences, room, place)

    def outside(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far values lie outside every take's range, in tolerances."""
        outside = np.maximum(np.maximum(self.low - values, values - self.high) / TOLERANCES, 0.0)
        outside[np.isnan(outside)] = math.inf  # an unmeasurable value is unfamiliar
        return outside


def shared_circumstances(conditions: Sequence[Condition], takes: Sequence[str]) -> list[int]:
    """Number every frame, equally where takes share circumstances.

    Two takes do when the typical frame of each lies within the tolerances of the other.
    """
    enrolled = EnrolledConditions.of(conditions, takes)
    values, member = np.array([astuple(condition) for condition in conditions]), np.array(takes)
    outside = [enrolled.outside(values[member == name][:, None, :]) for name in enrolled.takes]
    apart = np.array([np.median(each.max(axis=2), axis=0) for each in outside])
    number = list(range(len(outside)))
    for one, other in np.argwhere(np.triu(np.maximum(apart, apart.T) <= 1.0, 1)):
        number = [number[one] if here == number[other] else here for here in number]
    return [number[enrolled.takes.index(name)] for name in takes]
