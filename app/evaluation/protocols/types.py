"""A database divided by a protocol: the training, development and test data of each model."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from app.types import BONA_FIDE, Frame
from lmkl_core.errors import InvalidInputError

Mode: TypeAlias = Literal["client-independent", "client-specific", "one-against-rest"]
"""One model for all people; one per person; one per class of objects."""

PARTS = ("train", "development", "test")


class ProtocolError(InvalidInputError):
    """A folder lacks what a protocol needs."""


class FrameReader(Protocol):
    """Where a recording's frames come from."""

    def digest(self) -> str:
        """Return a digest of the content, without decoding it."""

    def frames(self, n: int) -> Iterator[Frame]:
        """Yield up to ``n`` frames, spread evenly over the whole recording."""

    def count(self, n: int) -> int:
        """Return an upper bound on how many of ``n`` frames there are, without decoding."""


@dataclass(frozen=True)
class Recording:
    """One presentation: a video, a picture, or a folder of pictures; never split.

    ``name`` is unique in its database: the path below the root, with slashes. ``subject`` is the
    person or class of objects, ``species`` is `app.types.BONA_FIDE` or that of the attack
    instrument, and ``condition`` is the light, session or camera, if known.
    """

    name: str
    subject: str
    species: str
    reader: FrameReader = field(compare=False, repr=False)
    condition: str = ""

    @property
    def is_attack(self) -> bool:
        return self.species != BONA_FIDE


@dataclass(frozen=True)
class Plan:
    """The recordings of one model, which learns from ``train``: bona fide recordings only.

    ``name`` is the client or class of the model, or empty. ``development``, for parameters and
    threshold, may be empty.
    """

    name: str
    train: tuple[Recording, ...]
    development: tuple[Recording, ...]
    test: tuple[Recording, ...]


@dataclass(frozen=True)
class Fold:
    """Plans whose test scores are pooled; tables average over folds."""

    name: str
    plans: tuple[Plan, ...]


@dataclass(frozen=True)
class SplitCount:
    """The number of recordings of one class in a split.

    ``missing`` counts recordings that the protocol names but that do not exist; ``published`` is
    the authors' number, if they give one.
    """

    fold: str
    split: str
    kind: str
    found: int
    missing: int
    published: int | None


@dataclass(frozen=True)
class Layout:
    """A database read from disk and divided by one of its protocols.

    ``database`` and ``title`` name it on the command line and in tables; ``protocol`` is empty if
    there is only one. ``notes`` are sentences that a report must include. ``missing`` names missing
    recordings, and ``passed_over`` says which lines and folders were skipped.
    """

    database: str
    title: str
    protocol: str
    mode: Mode
    folds: tuple[Fold, ...]
    notes: tuple[str, ...] = ()
    counts: tuple[SplitCount, ...] = ()
    missing: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def plans(self) -> list[Plan]:
        return [plan for fold in self.folds for plan in fold.plans]

    @property
    def recordings(self) -> list[Recording]:
        """Every recording once, in the order in which they are needed."""
        found: dict[str, Recording] = {}
        for plan in self.plans:
            for recording in (*plan.train, *plan.development, *plan.test):
                found.setdefault(recording.name, recording)
        return list(found.values())

    def check(self) -> None:
        """Raise `ProtocolError` if the parts of a plan overlap or a model learns from attacks."""
        for plan in self.plans:
            check_apart(plan, plan.name or self.title)
            if attacks := [recording.name for recording in plan.train if recording.is_attack]:
                raise ProtocolError(
                    f"{attacks[0]} is an attack in train of {plan.name or self.title}: models "
                    "learn from bona fide recordings only."
                )


def check_apart(plan: Plan, place: str) -> None:
    """Raise `ProtocolError` if a recording is in two parts, or twice in one."""
    seen: dict[str, str] = {}
    for part in PARTS:
        for recording in getattr(plan, part):
            if (other := seen.get(recording.name)) is not None:
                where = f"twice in {part}" if other == part else f"both in {other} and in {part}"
                raise ProtocolError(
                    f"{recording.name} is {where} of {place}: keep it in one place, or get the "
                    "database's lists again."
                )
            seen[recording.name] = part
