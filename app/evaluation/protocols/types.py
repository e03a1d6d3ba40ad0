"""What a protocol says: which recordings a model learns from, and which it is measured on.

A recording is never split: it belongs as a whole to training, development or test.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from app.types import BONA_FIDE, Frame
from lmkl_core.errors import InvalidInputError

Mode: TypeAlias = Literal["client-independent", "client-specific", "one-against-rest"]
"""One model for all people; one for each; one for each class of objects."""

PARTS = ("train", "development", "test")


class ProtocolError(InvalidInputError):
    """A folder that does not hold what a protocol needs, with the paths that are missing."""


class FrameReader(Protocol):
    """Where a recording's frames come from."""

    def digest(self) -> str:
        """Return what changes whenever the content does, without decoding it."""

    def frames(self, n: int) -> Iterator[Frame]:
        """Yield up to ``n`` frames, spread evenly over the whole recording."""

    def count(self, n: int) -> int:
        """Return how many of ``n`` frames there may be, without decoding anything."""


@dataclass(frozen=True)
class Recording:
    """One presentation: a video, a picture, or a folder of pictures.

    Attributes
    ----------
    name : str
        Unique in its database: the path below the root, with slashes.
    subject : str
        The person, or the class of objects.
    species : str
        `app.types.BONA_FIDE`, or the attack instrument species.
    reader : FrameReader
        Reads its frames.
    condition : str
        Light, session or camera, where the database tells; empty otherwise.
    """

    name: str
    subject: str
    species: str
    reader: FrameReader = field(compare=False, repr=False)
    condition: str = ""

    @property
    def is_attack(self) -> bool:
        """Whether accepting it is an error."""
        return self.species != BONA_FIDE


@dataclass(frozen=True)
class Plan:
    """What one model learns from, and what it is measured on.

    Attributes
    ----------
    name : str
        The client or class it is for; empty when it is for all.
    train : tuple of Recording
        Bona fide alone.
    development : tuple of Recording
        Of both classes, for parameters and threshold; empty where the database has none.
    test : tuple of Recording
        Of both classes.
    """

    name: str
    train: tuple[Recording, ...]
    development: tuple[Recording, ...]
    test: tuple[Recording, ...]


@dataclass(frozen=True)
class Fold:
    """What is measured together: the test scores of all its models are pooled.

    Means and standard deviations of a table are taken over folds.
    """

    name: str
    plans: tuple[Plan, ...]


@dataclass(frozen=True)
class SplitCount:
    """How many recordings of one class a split has.

    ``missing`` are those that the protocol names and that are not there; ``published`` is the
    authors' number, None where they give none.
    """

    fold: str
    split: str
    kind: str
    found: int
    missing: int
    published: int | None


@dataclass(frozen=True)
class Layout:
    """A database read from disk, laid out by one of its protocols.

    Attributes
    ----------
    database, title : str
        Its name on the command line and in tables.
    protocol : str
        The protocol's name, such as ``IV``; empty where there is one only.
    mode : str
        Whom a model is for.
    folds : tuple of Fold
        At least one.
    notes : tuple of str
        Sentences that a report must say, such as how client-specific takes were divided.
    counts : tuple of SplitCount
        By fold, split and class, also of recordings that no model learns from.
    missing : tuple of str
        Names of recordings that are not there and were passed over.
    passed_over : tuple of str
        Lines of lists, and folders, that were passed over, a sentence each.
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
        """The plans of all folds."""
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
        """Raise `ProtocolError` for a layout on which figures would mean nothing.

        No model may be tested on what it has learnt from, or on what its parameters and threshold
        were chosen by, nor learn from attacks.
        """
        if not self.plans:
            raise ProtocolError(f"{self.title} was laid out without anything to measure.")
        if len({fold.name for fold in self.folds}) < len(self.folds):
            raise ProtocolError(f"Folds of {self.title} share a name: name each its own.")
        for fold in self.folds:
            place = f"fold {fold.name}" if fold.name else "the only fold"
            if len({plan.name for plan in fold.plans}) < len(fold.plans):
                raise ProtocolError(f"Plans of {place} share a name: name each its own.")
            for plan in fold.plans:
                _check(plan, f"{place}, {plan.name}" if plan.name else place)


def _check(plan: Plan, place: str) -> None:
    if not plan.train or not plan.test:
        missing = "learn from" if not plan.train else "test on"
        raise ProtocolError(f"There is nothing to {missing} in {place}: add recordings.")
    names = {part: {each.name for each in getattr(plan, part)} for part in PARTS}
    for one, other in (("train", "test"), ("development", "test"), ("train", "development")):
        if shared := sorted(names[one] & names[other]):
            raise ProtocolError(
                f"{shared[0]} is in {one} and in {other} of {place}: a recording belongs to one."
            )
    for recording in plan.train:
        if recording.is_attack:
            raise ProtocolError(
                f"{recording.name} is an attack in train of {place}: models learn from bona fide "
                "recordings alone."
            )
