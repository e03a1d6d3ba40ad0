"""From a protocol's split of recordings to the plans of models, by mode.

client-independent
    One model for all people: it learns from the bona fide recordings of training.
client-specific
    One model for each person of the test. It learns from that person's enrolment recordings or,
    without any, from the person's bona fide recordings in training; people with neither are left
    out. It scores only the person's own recordings of development and test.
one-against-rest
    One model for each class, each in a fold of its own.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from app.evaluation.protocols.folders import Copy, few, find_copy
from app.evaluation.protocols.types import (
    PARTS,
    Fold,
    Layout,
    Mode,
    Plan,
    ProtocolError,
    Recording,
    SplitCount,
    check_apart,
)
from app.names import counted, listed
from app.types import BONA_FIDE
from lmkl_core.features.presets import DEFAULT_PRESET

SPLITS = (*PARTS, "enrolment")
ALLOW_MISSING = "--allow-missing"


@dataclass(frozen=True)
class Division(Plan):
    """How a protocol splits recordings into one fold; ``train`` may hold attacks.

    ``enrolment`` holds bona fide recordings for models of single people; where these are also in
    ``test``, the models that learn from them are not tested on them.
    """

    enrolment: tuple[Recording, ...] = ()

    @property
    def recordings(self) -> list[tuple[str, Recording]]:
        """Every recording with its split."""
        return [(split, each) for split in SPLITS for each in getattr(self, split)]

    def counts(self) -> Counter[tuple[str, str]]:
        return Counter(
            (split, "attack" if each.is_attack else BONA_FIDE) for split, each in self.recordings
        )

    def without(self, names: set[str]) -> "Division":
        splits = (getattr(self, split) for split in SPLITS)
        kept = (tuple(each for each in split if each.name not in names) for split in splits)
        return Division(self.name, *kept)


Gathered: TypeAlias = tuple[Sequence[Division], Sequence[str]]
"""Divisions by the protocol, whether or not their files exist, and notes for the report."""


@dataclass(frozen=True)
class Database:
    """How to read a database, and what is known of it.

    ``name`` and ``title`` are for the command line and for tables. ``gather(copy, protocol,
    mode)`` lays a copy out, or raises `ProtocolError`. Files or patterns of one of the ``marks``
    tell the folder, which may lie in another called ``inner``; the demo has none. The paper's
    protocol and mode come first. ``preset`` is that of the paper's views, ``table`` the label of
    its table. ``published`` has the authors' numbers of recordings a fold by ``(protocol, split,
    kind)``. Where files are listed from the disk, none can be missing (``may_lack_files``).
    """

    name: str
    title: str
    gather: Callable[[Copy, str, Mode], Gathered]
    marks: tuple[tuple[str, ...], ...] = ()
    inner: str = ""
    protocols: tuple[str, ...] = ("",)
    modes: tuple[Mode, ...] = ("client-independent", "client-specific")
    preset: str = DEFAULT_PRESET
    table: str = ""
    published: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    reference: str = ""
    may_lack_files: bool = True

    def chosen(self, protocol: str, mode: str) -> tuple[str, Mode]:
        """Return the named protocol and mode, by default the paper's, or raise `ProtocolError`."""
        protocols = {each.casefold(): each for each in self.protocols}
        wanted = protocol.casefold() or self.protocols[0].casefold()
        if wanted not in protocols:
            known = ", ".join(filter(None, self.protocols))
            way = f"take one of {known}" if known else "leave out --protocol"
            raise ProtocolError(f"{self.title} has no protocol {protocol!r}: {way}.")
        modes: dict[str, Mode] = {each: each for each in self.modes}
        if mode and mode not in modes:
            raise ProtocolError(f"{self.title} has no mode {mode!r}: take {', '.join(modes)}.")
        return protocols[wanted], modes[mode] if mode else self.modes[0]

    def read(
        self, root: Path | None, protocol: str = "", mode: str = "", *, allow_missing: bool = False
    ) -> Layout:
        """Lay the database out, by `chosen` protocol and mode.

        Raises `ProtocolError` if the folder does not hold what the protocol needs.
        """
        protocol, chosen_mode = self.chosen(protocol, mode)
        copy = Copy(Path(), self.title)
        if self.marks:
            copy = find_copy(root, self.title, self.marks, self.inner)
        divisions, said = self.gather(copy, protocol, chosen_mode)
        for division in divisions:
            fold = f"fold {division.name} of " if division.name else ""
            check_apart(division, fold + self.title)
        missing = []
        if self.may_lack_files:
            missing = copy.missing(each.name for one in divisions for _, each in one.recordings)
        if not allow_missing:
            _refuse(copy, missing)
        # Reports may be published: they name places in the database, not on this disk.
        place = f"{copy.root}{os.sep}"
        there = tuple(division.without(set(missing)) for division in divisions)
        folds, notes = _folds(self.title, there, chosen_mode)
        return Layout(
            self.name,
            self.title,
            protocol,
            chosen_mode,
            folds,
            (*said, *notes),
            tuple(self._counts(divisions, there, protocol)),
            tuple(missing),
            tuple(str(each).replace(place, "") for each in copy.refused),
        )

    def _counts(
        self, named: Sequence[Division], there: Sequence[Division], protocol: str
    ) -> Iterator[SplitCount]:
        for whole, kept in zip(named, there, strict=True):
            expected, found = whole.counts(), kept.counts()
            for split, kind in product(SPLITS, (BONA_FIDE, "attack")):
                printed = self.published.get((protocol, split, kind))
                n_expected, n_found = expected[split, kind], found[split, kind]
                # Enrolment recordings may be a part of the test's, or not asked for.
                if split == "enrolment" and (printed is None or not n_expected):
                    continue
                if n_expected or printed is not None:
                    n_missing = n_expected - n_found
                    yield SplitCount(whole.name, split, kind, n_found, n_missing, printed)


def _refuse(copy: Copy, missing: list[str]) -> None:
    """Raise `ProtocolError` for an incomplete copy."""
    if copy.refused:
        more = len(copy.refused) - 1
        are = "is" if more == 1 else "are"
        also = f" There {are} {counted(more, 'more problem')} like this." if more else ""
        raise ProtocolError(
            f"{copy.refused[0]}{also} Get {copy.title} again, or use {ALLOW_MISSING} to skip "
            f"{'them' if more else 'it'}."
        )
    if missing:
        count = "a file is" if len(missing) == 1 else f"{len(missing)} files are"
        raise ProtocolError(
            f"{copy.title} in {copy.root} is not complete, {count} missing: {few(missing)}; unpack "
            f"all of its archives there, or measure on what is there with {ALLOW_MISSING}."
        )


def bona_fide(recordings: Iterable[Recording]) -> tuple[Recording, ...]:
    return tuple(recording for recording in recordings if not recording.is_attack)


def drawn(items: Sequence[Recording], count: int, *seed: int) -> tuple[Recording, ...]:
    """Draw recordings at random, in their order."""
    chosen = np.random.default_rng(seed).permutation(len(items))[:count]
    return tuple(items[place] for place in sorted(chosen.tolist()))


def halves(items: Sequence[Recording], *seed: int) -> tuple[tuple[Recording, ...], ...]:
    """Draw half of the recordings, rounded up; return these and the others."""
    first = drawn(items, (len(items) + 1) // 2, *seed)
    names = {recording.name for recording in first}
    return first, tuple(recording for recording in items if recording.name not in names)


def by_subject(recordings: Iterable[Recording]) -> dict[str, list[Recording]]:
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
    people = {
        name
        for fold in folds
        for plan in fold.plans
        for name in by_subject(plan.train).keys() & by_subject(plan.test)
    }
    if mode == "client-independent" and people:
        notes.append(
            f"People are both learnt from and tested ({few(sorted(people))}): the figures do not "
            "show how well unknown people are recognised as bona fide."
        )
    return tuple(folds), notes


def _plans_of_clients(division: Division) -> tuple[tuple[Plan, ...], list[str]]:
    enrolment = by_subject(division.enrolment)
    earlier = by_subject(bona_fide(division.train))
    development = by_subject(division.development)
    tests = by_subject(division.test)
    plans = []
    for subject, tested in tests.items():
        train = enrolment.get(subject) or earlier.get(subject, [])
        learnt = {recording.name for recording in train}
        kept = tuple(recording for recording in tested if recording.name not in learnt)
        if train and kept:
            plans.append(Plan(subject, tuple(train), tuple(development.get(subject, ())), kept))
    notes = []
    if any(subject in earlier and subject not in enrolment for subject in tests):
        notes.append("Each client's model learns from that client's bona fide training recordings.")
    if without := [each for each in tests if each not in enrolment and each not in earlier]:
        notes.append(
            "These clients have no bona fide recordings to learn from and are left out: "
            f"{listed(without)}."
        )
    return tuple(plans), notes


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
