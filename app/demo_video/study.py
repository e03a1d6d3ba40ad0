"""Which takes an experiment records: splits are made of whole takes, never of frames."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.demo_video.instruments import INSTRUMENTS
from app.demo_video.people import PEOPLE
from app.demo_video.takes import Take
from lmkl_core.errors import InvalidInputError


@dataclass(frozen=True)
class Study:
    """The takes of an experiment by the role they play.

    Attributes
    ----------
    enrol : tuple of Take
        Genuine takes to learn from, one or more per person and enrolled condition.
    genuine : tuple of Take
        Other genuine takes in the enrolled conditions, of the same session.
    later : tuple of Take
        Genuine takes in the enrolled conditions on another day: other clothes, focus, exposure.
    new : tuple of Take
        Genuine takes of the same session in conditions that were not enrolled.
    attacks : tuple of Take
        Attacks of every instrument in the enrolled conditions.
    attacks_new : tuple of Take
        Attacks of every instrument in the new conditions.
    """

    enrol: tuple[Take, ...]
    genuine: tuple[Take, ...]
    later: tuple[Take, ...]
    new: tuple[Take, ...]
    attacks: tuple[Take, ...]
    attacks_new: tuple[Take, ...]

    def roles(self) -> Iterator[tuple[str, Take]]:
        """All takes with the name of their role."""
        for role in ("enrol", "genuine", "later", "new", "attacks", "attacks_new"):
            for take in getattr(self, role):
                yield role, take


def study(
    people: Sequence[str] = PEOPLE,
    *,
    enrolled: Sequence[str] = ("office", "window", "lamp"),
    new: Sequence[str] = ("side", "another day"),
    instruments: Sequence[str] = tuple(INSTRUMENTS),
    takes_per_condition: int = 1,
    n_frames: int = 30,
    seed: int = 0,
) -> Study:
    """Lay out an experiment.

    Parameters
    ----------
    people : sequence of str
        Who takes part.
    enrolled, new : sequence of str
        Conditions that are enrolled, and conditions that only appear in tests.
    instruments : sequence of str
        Species of attacks.
    takes_per_condition : int
        Takes of each role in each condition.
    n_frames : int
        Length of every take, genuine or not.
    seed : int
        Another seed, other takes.

    Raises
    ------
    InvalidInputError
        When a condition is both enrolled and new.
    """
    if both := set(enrolled) & set(new):
        raise InvalidInputError(
            f"The condition {sorted(both)[0]!r} cannot be both enrolled and new; leave one out."
        )

    def genuine(conditions: Sequence[str], part: int, session: int = 0) -> tuple[Take, ...]:
        number = 2 * seed + session
        return tuple(
            Take(person, "bonafide", None, condition, _number(part, repeat), n_frames, number)
            for person in people
            for condition in conditions
            for repeat in range(takes_per_condition)
        )

    def attacks(conditions: Sequence[str]) -> tuple[Take, ...]:
        return tuple(
            Take(person, "attack", instrument, condition, _number(2, repeat), n_frames, 2 * seed)
            for person in people
            for instrument in instruments
            for condition in conditions
            for repeat in range(takes_per_condition)
        )

    return Study(
        enrol=genuine(enrolled, 0),
        genuine=genuine(enrolled, 1),
        later=genuine(enrolled, 1, session=1),
        new=genuine(new, 1),
        attacks=attacks(enrolled),
        attacks_new=attacks(new),
    )


def _number(part: int, repeat: int) -> int:
    """Seed of a take: no two parts of a study share one."""
    return part * 1000 + repeat
