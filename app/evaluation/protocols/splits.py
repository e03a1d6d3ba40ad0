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

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from app.evaluation.protocols.folders import incomplete, listed, missing_files
from app.evaluation.protocols.types import (
    Fold,
    Layout,
    Mode,
    Plan,
    ProtocolError,
    Recording,
    SplitCount,
)
from app.types import BONA_FIDE

Counts: TypeAlias = Mapping[tuple[str, str, str], int]

SPLITS = ("train", "development", "test", "enrolment")
ALLOW_MISSING = "--allow-missing"


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
        for split in SPLITS:
            for recording in getattr(self, split):
                key = (split, "attack" if recording.is_attack else BONA_FIDE)
                found[key] = found.get(key, 0) + 1
        return found

    def without(self, names: set[str]) -> "Division":
        """Return it without some recordings."""
        return Division(
            self.name,
            *(tuple(each for each in getattr(self, split) if each.name not in names)
              for split in SPLITS),
        )  # fmt: skip


@dataclass(frozen=True)
class Material:
    """What a reader found.

    Attributes
    ----------
    divisions : tuple of Division
        As the protocol says, whether or not the files are there.
    notes : tuple of str
        Sentences that a report must say.
    root : Path, optional
        Folder that recordings are looked for in; None where they were found by looking.
    refused : sequence of ProtocolError
        What is wrong with the copy and can be passed over.
    """

    divisions: tuple[Division, ...]
    notes: tuple[str, ...] = ()
    root: Path | None = None
    refused: Sequence[ProtocolError] = ()


Gather: TypeAlias = Callable[[Path | None, str, Mode], Material]


def reader(
    name: str,
    title: str,
    gather: Gather,
    *,
    protocols: tuple[str, ...],
    modes: tuple[Mode, ...],
    published: Counts,
) -> Callable[..., Layout]:
    """Return ``read(root, protocol, mode, allow_missing=False)`` of a database.

    Parameters
    ----------
    name, title : str
        On the command line, and in tables.
    gather : callable
        ``gather(root, protocol, mode)`` returns the material.
    protocols, modes : tuple of str
        What may be asked for; the first protocol stands for an empty name.
    published : mapping
        Numbers of recordings.
    """

    def read(
        root: Path | None, protocol: str, mode: Mode, *, allow_missing: bool = False
    ) -> Layout:
        protocol = protocol or protocols[0]
        if protocol not in protocols:
            known = listed(protocols, most=len(protocols)) if any(protocols) else "none by name"
            raise ProtocolError(f"{title} has no protocol {protocol!r}: take {known}.")
        if mode not in modes:
            known = listed(modes, most=len(modes))
            raise ProtocolError(f"{title} cannot be read in the mode {mode!r}: take {known}.")
        material = gather(root, protocol, mode)
        for division in material.divisions:
            _check(title, division)
        missing = _missing(title, material)
        if not allow_missing:
            _refuse(title, material, missing)
        # Reports may be published: they say where in the database, not where on this disk.
        place = f"{material.root}{os.sep}"
        there = tuple(division.without(set(missing)) for division in material.divisions)
        folds, notes = _folds(title, there, mode)
        return Layout(
            name,
            title,
            protocol,
            mode,
            folds,
            (*material.notes, *notes),
            tuple(_counted(material.divisions, there, protocol, published)),
            tuple(missing),
            tuple(str(each).replace(place, "") for each in material.refused),
        )

    return read


def _missing(title: str, material: Material) -> list[str]:
    if material.root is None:
        return []
    names = {
        recording.name: None
        for division in material.divisions
        for split in SPLITS
        for recording in getattr(division, split)
    }
    return missing_files(material.root, title, names)


def _refuse(title: str, material: Material, missing: list[str]) -> None:
    """Raise `ProtocolError` for a copy that is not whole, with the way to go on."""
    if material.refused:
        more = len(material.refused) - 1
        also = f" So {'is' if more == 1 else 'are'} {more} more." if more else ""
        raise ProtocolError(
            f"{material.refused[0]}{also} Get {title} again, or pass over what is wrong with "
            f"{ALLOW_MISSING}."
        )
    if missing:
        assert material.root is not None
        remedy = (
            f"unpack all of its archives there, or measure on what is there with {ALLOW_MISSING}"
        )
        raise incomplete(material.root, title, missing, remedy)


def _counted(
    named: tuple[Division, ...], there: tuple[Division, ...], protocol: str, published: Counts
) -> Iterator[SplitCount]:
    for whole, kept in zip(named, there, strict=True):
        expected, found = whole.counts(), kept.counts()
        for split in SPLITS:
            for kind in (BONA_FIDE, "attack"):
                printed = published.get((protocol, split, kind))
                n_expected, n_found = (each.get((split, kind), 0) for each in (expected, found))
                # Enrolment recordings may be a part of the test's, or not asked for.
                if split == "enrolment" and (printed is None or not n_expected):
                    continue
                if n_expected or printed is not None:
                    yield SplitCount(
                        whole.name, split, kind, n_found, n_expected - n_found, printed
                    )


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
