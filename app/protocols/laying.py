"""From a database's recordings to what each model learns from and is measured on.

Readers say which recordings a protocol puts into training, development and test. What a mode makes
of that is the same for all databases and told here:

client-independent
    One model for all people: it learns from the bona fide recordings of training.
client-specific
    One model for each person of the test. It learns from that person's enrolment recordings or,
    without any, from the person's bona fide recordings in training; people with neither are left
    out. Only the person's own recordings of development and test are scored by it.
one-against-rest
    One model for each class, and a fold of its own.

Recordings are moved as a whole, and none is both learnt from and tested.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from app.protocols.folders import listed
from app.protocols.types import Fold, Layout, Mode, Plan, ProtocolError, Recording
from app.shown import BONA_FIDE

Counts: TypeAlias = Mapping[tuple[str, str, str], int]


@dataclass(frozen=True)
class Division:
    """How a protocol divides recordings, all of both classes but `enrolment`, once.

    Attributes
    ----------
    name : str
        The fold's name.
    train, development, test : tuple of Recording
        As the protocol says.
    enrolment : tuple of Recording
        Bona fide recordings for models of single people. Those that are tested as well are not
        tested when they are learnt from.
    """

    name: str
    train: tuple[Recording, ...]
    development: tuple[Recording, ...]
    test: tuple[Recording, ...]
    enrolment: tuple[Recording, ...] = ()

    def counts(self) -> dict[tuple[str, str], int]:
        """Return how many recordings it has by split and kind."""
        found: dict[tuple[str, str], int] = {}
        for split in ("train", "development", "test", "enrolment"):
            for recording in getattr(self, split):
                key = (split, "attack" if recording.is_attack else BONA_FIDE)
                found[key] = found.get(key, 0) + 1
        return found


@dataclass(frozen=True)
class Material:
    """What a reader found: divisions, and sentences that a report must say."""

    divisions: tuple[Division, ...]
    notes: tuple[str, ...] = ()


Gather: TypeAlias = Callable[[Path | None, str, Mode], Material]


def reader(
    name: str,
    title: str,
    gather: Gather,
    *,
    protocols: tuple[str, ...],
    modes: tuple[Mode, ...],
    published: Counts,
) -> Callable[[Path | None, str, Mode], Layout]:
    """Return ``read(root, protocol, mode)`` of a database.

    Parameters
    ----------
    name, title : str
        On the command line, and in tables.
    gather : callable
        ``gather(root, protocol, mode)`` returns the material.
    protocols, modes : tuple of str
        What may be asked for; the first protocol stands for an empty name.
    published : mapping
        Numbers of recordings; the layout's notes tell where others were found.
    """

    def read(root: Path | None, protocol: str, mode: Mode) -> Layout:
        protocol = protocol or protocols[0]
        if protocol not in protocols:
            known = listed(protocols, most=len(protocols)) if any(protocols) else "none by name"
            raise ProtocolError(f"{title} has no protocol {protocol!r}: take {known}.")
        if mode not in modes:
            known = listed(modes, most=len(modes))
            raise ProtocolError(f"{title} cannot be read in the mode {mode!r}: take {known}.")
        material = gather(root, protocol, mode)
        notes = list(material.notes)
        for division in material.divisions:
            _check(title, division)
        notes += _differences(material.divisions, protocol, published)
        folds, more = _folds(title, material.divisions, mode)
        return Layout(name, title, protocol, mode, folds, (*notes, *more))

    return read


def bona_fide(recordings: Iterable[Recording]) -> tuple[Recording, ...]:
    """Return the recordings that are no attacks."""
    return tuple(recording for recording in recordings if not recording.is_attack)


def by_subject(recordings: Iterable[Recording]) -> dict[str, list[Recording]]:
    """Return the recordings of every subject, in their order."""
    found: dict[str, list[Recording]] = {}
    for recording in recordings:
        found.setdefault(recording.subject, []).append(recording)
    return found


def _folds(
    title: str, divisions: tuple[Division, ...], mode: Mode
) -> tuple[tuple[Fold, ...], list[str]]:
    notes: list[str] = []
    folds = []
    for division in divisions:
        if mode == "client-specific":
            plans, more = _plans_of_clients(division)
            notes += [note for note in more if note not in notes]
        else:
            name = division.name if mode == "one-against-rest" else ""
            train = bona_fide(division.train)
            plans = (Plan(name, train, division.development, division.test),)
        _check_plans(title, division, plans)
        folds.append(Fold(division.name, plans))
    if not any(plan.development for fold in folds for plan in fold.plans):
        whose = "clients" if mode == "client-specific" else "models"
        notes.append(f"{title}: there are no development recordings for these {whose}.")
    if mode == "client-independent" and (people := _in_both(folds)):
        notes.append(
            f"People are both learnt from and tested ({listed(people)}): the figures do not tell "
            "how well unknown people are recognised as bona fide."
        )
    return tuple(folds), notes


def _in_both(folds: list[Fold]) -> list[str]:
    """Return who is both learnt from and tested."""
    found: set[str] = set()
    for fold in folds:
        for plan in fold.plans:
            found |= set(by_subject(plan.train)) & set(by_subject(plan.test))
    return sorted(found)


def _plans_of_clients(division: Division) -> tuple[tuple[Plan, ...], list[str]]:
    enrolment = by_subject(division.enrolment)
    earlier = by_subject(bona_fide(division.train))
    development = by_subject(division.development)
    plans = []
    without: list[str] = []
    from_training = 0
    for subject, tested in by_subject(division.test).items():
        train = enrolment.get(subject, [])
        if not train and subject in earlier:
            train = earlier[subject]
            from_training += 1
        if not train:
            without.append(subject)
            continue
        learnt = {recording.name for recording in train}
        kept = tuple(recording for recording in tested if recording.name not in learnt)
        if kept:
            plans.append(Plan(subject, tuple(train), tuple(development.get(subject, ())), kept))
    notes = []
    if from_training:
        notes.append("Each client's model learns from that client's bona fide training recordings.")
    if without:
        notes.append(
            "These clients have no bona fide recordings to learn from and are left out: "
            f"{listed(without, most=len(without))}."
        )
    return tuple(plans), notes


def _check(title: str, division: Division) -> None:
    """No recording may be in two places."""
    place: dict[str, str] = {}
    for split in ("train", "development", "test"):
        for recording in getattr(division, split):
            other = place.get(recording.name)
            if other is not None:
                where = f"twice in {split}" if other == split else f"both in {other} and in {split}"
                raise ProtocolError(
                    f"{title} has the recording {recording.name} {where}: get its lists from the "
                    "database again."
                )
            place[recording.name] = split


def _check_plans(title: str, division: Division, plans: tuple[Plan, ...]) -> None:
    fold = f" in fold {division.name}" if division.name else ""
    tested = [recording for plan in plans for recording in plan.test]
    if not plans or not all(plan.train for plan in plans):
        problem = "has no bona fide recordings to learn from"
    elif not bona_fide(tested):
        problem = "has no bona fide recordings to test"
    elif not any(recording.is_attack for recording in tested):
        problem = "has no attacks to test"
    else:
        return
    raise ProtocolError(f"{title} {problem}{fold}: check that all of it is there.")


def _differences(
    divisions: tuple[Division, ...], protocol: str, published: Counts
) -> Iterable[str]:
    for division in divisions:
        counts = division.counts()
        differing = [
            f"{counts.get((split, kind), 0)} instead of {expected} ({split}, {kind})"
            for (name, split, kind), expected in published.items()
            if name == protocol
            and counts.get((split, kind), 0) != expected
            and (split != "enrolment" or division.enrolment)
        ]
        if differing:
            fold = f" in fold {division.name}" if division.name else ""
            yield (
                "The numbers of recordings are not the published ones"
                f"{fold}: {', '.join(differing)}."
            )
