"""What an enrolment covers of pose, distance and light, and what is still missing."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from app.conditions import shared_circumstances
from app.shown import CoverageItem
from app.types import Condition

# What a person can do comfortably before a webcam, and what brings most when it is enrolled.
TURN = 16.0
NOD = 10.0
DISTANCE = 0.25
LIGHTS = 2
TAKES_A_LIGHT = 4
FRAMES = 60

# Single odd frames should not count as variety.
_ENDS = (0.05, 0.95)


def coverage(conditions: Sequence[Condition], parts: Sequence[str]) -> tuple[CoverageItem, ...]:
    """Return how well each kind of variety is covered.

    Parameters
    ----------
    conditions : sequence of Condition
        Of every enrolled frame; empty for presets that look at no face, of which only the number
        of frames can be told.
    parts : sequence of str
        The part of a take that each frame belongs to.
    """
    frames = _item("Frames", len(parts) / FRAMES, "Record more frames.")
    if parts and not conditions:
        return (frames,)
    if not conditions or len(conditions) != len(parts):
        n_lights, share_of_repeats, turn, nod, distance = 0, 0.0, 0.0, 0.0, 0.0
    else:
        lights = shared_circumstances(conditions, parts)
        members = {(light, part) for light, part in zip(lights, parts, strict=True)}
        repeats = Counter(light for light, _ in members)
        n_lights = len(repeats)
        share_of_repeats = sum(
            min(count, TAKES_A_LIGHT) / TAKES_A_LIGHT for count in repeats.values()
        ) / len(repeats)
        turn = _span([each.yaw for each in conditions])
        nod = _span([each.pitch for each in conditions])
        distance = _span([each.distance for each in conditions])
    return (
        frames,
        _item("Lights", n_lights / LIGHTS, "Record a take in another light, such as a lamp."),
        _item(
            "Parts of each light",
            share_of_repeats,
            "Record each light whole: the threshold is set on parts that are left out.",
        ),
        _item("Turn of the head", turn / TURN, "Turn your head a little to both sides."),
        _item("Nod", nod / NOD, "Raise and lower your head a little."),
        _item("Distance", distance / DISTANCE, "Lean towards the camera and back."),
    )


def _item(name: str, share: float, advice: str) -> CoverageItem:
    share = min(max(share, 0.0), 1.0)
    return CoverageItem(name, share, "" if share >= 1.0 else advice)


def _span(values: list[float]) -> float:
    low, high = np.quantile(values, _ENDS)
    return float(high - low)
