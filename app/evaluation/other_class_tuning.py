"""Parameters by other classes: problems of the same kind, made of what is not the target.

On objects the paper sets parameters "using the data from classes other than the target class". A
class that lends itself is divided: a model learns from every other of its training images and is
held against the rest of these, with training images of further classes as the novel ones. So only
training images of other classes are looked at, never an image of the target, and never a score of
the target's model. Where a protocol also tests that model on these very images, as novel ones,
those that it does not test come first; where too few are left this is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.evaluation.protocols.types import Plan, Recording

CLASSES = 3
"""Other classes whose problems are solved for every cell."""

LEAST = 4
"""Training images that a class must have to lend itself."""

NOVEL_EACH = 2
"""Images of further classes, for each image held against."""

_NOVEL = "another class"


def others_of(plan: Plan, plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Return problems of other classes; none where there are too few classes.

    Parameters
    ----------
    plan : Plan
        The target's.
    plans : sequence of Plan
        Of all classes.
    """
    tested = {recording.name for recording in plan.test}
    own = {recording.subject for recording in plan.train}
    classes = {
        other.name: [each for each in other.train if each.subject not in own]
        for other in plans
        if other.name != plan.name
    }
    untested = {
        name: [each for each in found if each.name not in tested] for name, found in classes.items()
    }
    if len(_able(untested)) >= min(CLASSES, len(_able(classes))):
        classes = untested
    able = _able(classes)
    if len(able) < 2:
        return ()
    count = min(CLASSES, len(able))
    return tuple(_problem(able[k * len(able) // count], classes) for k in range(count))


def _able(classes: Mapping[str, Sequence[Recording]]) -> list[str]:
    return [name for name, found in classes.items() if len(found) >= LEAST]


def _problem(name: str, classes: Mapping[str, Sequence[Recording]]) -> Plan:
    train, genuine = classes[name][0::2], classes[name][1::2]
    further = [each for other, found in classes.items() if other != name for each in found]
    count = min(NOVEL_EACH * len(genuine), len(further))
    novel = [replace(further[k * len(further) // count], species=_NOVEL) for k in range(count)]
    return Plan(name, tuple(train), (*genuine, *novel), ())


def remarks_on_others(plans: Sequence[Plan], others: Sequence[Sequence[Plan]]) -> list[str]:
    """Return what must be said about how parameters were chosen by other classes."""
    if not any(others):
        return []
    said = [
        "Parameters are chosen as in the paper by data of other classes: the largest mean AUC of "
        f"models of up to {CLASSES} other classes on their training images."
    ]
    for plan, problems in zip(plans, others, strict=True):
        tested = {recording.name for recording in plan.test}
        for problem in problems:
            if any(each.name in tested for each in (*problem.train, *problem.development)):
                said.append(
                    "In this protocol these images are also presented to the target's model, as "
                    "novel ones."
                )
                return said
    return said
