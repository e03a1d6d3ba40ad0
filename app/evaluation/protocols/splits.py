"""From a protocol's split of recordings to the plans of models, by mode.

client-independent
    One model for all people, which learns from the bona fide training recordings.
client-specific
    One model per person of the test. It learns from the person's enrolment recordings or, without
    any, bona fide training recordings; people with neither are left out. It scores only the
    person's own development and test recordings.
one-against-rest
    One model per class, each in a fold of its own.
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
    """A protocol's split of the recordings of one fold; ``train`` may contain attacks.

    ``enrolment`` are bona fide recordings for models of single people; a model is not tested on
    those it learns from, even if they are in ``test``.
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
"""The protocol's divisions, whether or not their files exist, and notes for the report."""


@dataclass(frozen=True)
class Database:
    """How to read a database, and what is known about it.

    ``name`` and ``title`` are for the command line and for tables. ``gather(copy, protocol,
    mode)`` divides a copy, or raises `ProtocolError`. The folder is recognised by the files or
    patterns of one of the ``marks`` and may be inside another called ``inner``; the demo has none.
    The paper's protocol and mode come first. ``preset`` has the paper's views, ``table`` is the
    label of its table. ``published`` has the authors' numbers of recordings per fold, by
    ``(protocol, split, kind)``. ``may_lack_files`` is False if files are listed from the disk, so
    that none can be missing.
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
            way = f"choose from {known}" if known else "leave out --protocol"
            raise ProtocolError(f"{self.title} has no protocol {protocol!r}: {way}.")
        modes: dict[str, Mode] = {each: each for each in self.modes}
        if mode and mode not in modes:
            raise ProtocolError(
                f"{self.title} has no mode {mode!r}: choose from {', '.join(modes)}."
            )
        return protocols[wanted], modes[mode] if mode else self.modes[0]

    def read(
        self, root: Path | None, protocol: str = "", mode: str = "", *, allow_missing: bool = False
    ) -> Layout:
        """Read the database's folder into a layout, by `chosen` protocol and mode.

        Raises `ProtocolError` if the folder lacks what the protocol needs.
        """
        protocol, chosen_mode = self.chosen(protocol, mode)
        copy = Copy(Path(), self.title)
        if self.marks:
            copy = find_copy(root, self.title, self.marks, self.inner)
        divisions, gather_notes = self.gather(copy, protocol, chosen_mode)
        for division in divisions:
            fold = f"fold {division.name} of " if division.name else ""
            check_apart(division, fold + self.title)
        missing = []
        if self.may_lack_files:
            missing = copy.missing(
                recording.name for division in divisions for _, recording in division.recordings
            )
        if not allow_missing:
            _refuse(copy, missing)
        # Reports may be published, so they name paths below the root only.
        prefix = f"{copy.root}{os.sep}"
        existing = tuple(division.without(set(missing)) for division in divisions)
        folds, notes = _folds(self.title, existing, chosen_mode)
        return Layout(
            self.name,
            self.title,
            protocol,
            chosen_mode,
            folds,
            (*gather_notes, *notes),
            tuple(self._counts(divisions, existing, protocol)),
            tuple(missing),
            tuple(str(each).replace(prefix, "") for each in copy.refused),
        )

    def _counts(
        self, divisions: Sequence[Division], existing: Sequence[Division], protocol: str
    ) -> Iterator[SplitCount]:
        for division, kept in zip(divisions, existing, strict=True):
            expected, found = division.counts(), kept.counts()
            for split, kind in product(SPLITS, (BONA_FIDE, "attack")):
                published = self.published.get((protocol, split, kind))
                n_expected, n_found = expected[split, kind], found[split, kind]
                # Enrolment recordings may be part of the test, or not needed.
                if split == "enrolment" and (published is None or not n_expected):
                    continue
                if n_expected or published is not None:
                    n_missing = n_expected - n_found
                    yield SplitCount(division.name, split, kind, n_found, n_missing, published)


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
            f"{copy.title} in {copy.root} is incomplete, {count} missing: {few(missing)}; unpack "
            f"all of its archives there, or use {ALLOW_MISSING} to go on without."
        )


def bona_fide(recordings: Iterable[Recording]) -> tuple[Recording, ...]:
    return tuple(recording for recording in recordings if not recording.is_attack)


def drawn(items: Sequence[Recording], count: int, *seed: int) -> tuple[Recording, ...]:
    """Draw recordings at random, and keep their order."""
    chosen = np.random.default_rng(seed).permutation(len(items))[:count]
    return tuple(items[place] for place in sorted(chosen.tolist()))


def halves(items: Sequence[Recording], *seed: int) -> tuple[tuple[Recording, ...], ...]:
    """Draw half of the recordings, rounded up; return the drawn ones and the others."""
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
        notes.append(f"{title} has no development recordings for these {whose}.")
    people = {
        name
        for fold in folds
        for plan in fold.plans
        for name in by_subject(plan.train).keys() & by_subject(plan.test)
    }
    if mode == "client-independent" and people:
        notes.append(
            f"Training and test share people ({few(sorted(people))}): the figures do not show how "
            "well unknown people are recognised as bona fide."
        )
    return tuple(folds), notes


def _plans_of_clients(division: Division) -> tuple[tuple[Plan, ...], list[str]]:
    enrolment = by_subject(division.enrolment)
    training = by_subject(bona_fide(division.train))
    development = by_subject(division.development)
    tests = by_subject(division.test)
    plans = []
    for subject, tested in tests.items():
        train = enrolment.get(subject) or training.get(subject, [])
        train_names = {recording.name for recording in train}
        kept = tuple(recording for recording in tested if recording.name not in train_names)
        if train and kept:
            plans.append(Plan(subject, tuple(train), tuple(development.get(subject, ())), kept))
    notes = []
    if any(subject in training and subject not in enrolment for subject in tests):
        notes.append("Each client's model learns from that client's bona fide training recordings.")
    if without := [each for each in tests if each not in enrolment and each not in training]:
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
    raise ProtocolError(f"{title} {problem}{fold}: check that it is complete.")
