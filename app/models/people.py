"""What the threshold does to each person of a model.

Left-out scores are compared by whose takes they belong to. A verdict never says who it is.
"""

from dataclasses import dataclass

import numpy as np

from app.models.model import PadModel
from app.types import Interval
from lmkl_core.calibration.blocks import block_numbers, time_blocks
from lmkl_core.calibration.threshold import clopper_pearson, effective_number

MOST = 0.5
"""Anyone with more than this share of left-out frames refused should be recorded again."""


@dataclass(frozen=True)
class PersonSummary:
    """What the threshold does to one of several people.

    Attributes
    ----------
    name : str
        As said at enrolment; empty for takes that do not say whose they are.
    level : float
        Median left-out score.
    bpcer, interval : float, tuple of float
        Share of left-out scores that the threshold refuses, and its exact interval at
        ``n_effective``.
    """

    name: str
    n_takes: int
    n_frames: int
    level: float
    bpcer: float
    interval: Interval
    n_scores: int
    n_effective: float


def people_of(model: PadModel) -> tuple[PersonSummary, ...]:
    """Return each person of a model, in the order of their first takes.

    Takes that do not say whose they are belong to one person without a name.
    """
    estimator, persons = model.estimator, np.array(model.persons or ("",) * len(model.takes))
    calibration, takes = estimator.calibration_, np.asarray(estimator.calibration_takes_)
    if len(takes) != len(calibration.scores):
        return ()  # a file made by hand: whose scores they are is not known
    blocks = block_numbers(time_blocks(takes, calibration.block_length), len(takes))
    people = []
    for name in dict.fromkeys(persons.tolist()):
        own = persons[takes] == name
        if not own.any():
            continue  # of thousands of takes not all are left out
        scores = calibration.scores[own]
        bpcer = float(np.mean(scores < calibration.threshold))
        n_effective = effective_number(scores, blocks[own], takes[own])
        people.append(
            PersonSummary(
                name,
                n_takes=int(np.sum(persons == name)),
                n_frames=int(np.sum(persons[estimator.takes_] == name)),
                level=float(np.median(scores)),
                bpcer=bpcer,
                interval=clopper_pearson(bpcer * n_effective, n_effective, calibration.confidence),
                n_scores=len(scores),
                n_effective=n_effective,
            )
        )
    return tuple(people)


def refused_people(people: tuple[PersonSummary, ...]) -> tuple[PersonSummary, ...]:
    """Return those of several people whom the threshold refuses in most frames."""
    return tuple(one for one in people if one.bpcer > MOST) if len(people) > 1 else ()


def refusal_of(person: PersonSummary) -> str:
    """Say who would be refused and what to do."""
    if not person.name:
        return (
            "Takes without a person would be refused in most frames: record them once more, in the "
            "light of the test."
        )
    return (
        f"“{person.name}” would be refused in most frames: record {person.name} once more, in the "
        "light of the test."
    )
