"""The enrolment: takes, their frames, what they cover."""

from dataclasses import dataclass

from app.types import Image


@dataclass(frozen=True, eq=False)
class SampleShown:
    """One enrolled frame: its number, and a small picture where one is in memory."""

    number: int
    take: str
    thumbnail: Image | None = None


@dataclass(frozen=True)
class TakeShown:
    """One take: its name, how many frames it has, and the light it shares with other takes."""

    name: str
    n_samples: int
    light: int = 0
    """Takes with the same number were recorded in the same circumstances."""
    is_in_model: bool = False
    person: str = ""
    """Whose face it shows; empty where that was not said."""


@dataclass(frozen=True)
class CoverageItem:
    """How well one kind of variety is enrolled: 0 to 1, and what to do about the rest."""

    name: str
    share: float
    advice: str = ""
    """Empty when nothing is missing."""


@dataclass(frozen=True, eq=False)
class EnrolmentShown:
    """The whole enrolment.

    Attributes
    ----------
    collecting : str
        Name of the take that is being recorded; empty when none is.
    n_wanted, n_collected : int
        Frames wanted in that take, and there so far.
    person : str
        Whose face the next take shows; may be empty.
    hint : str
        What to do now, or why the last frame was not kept.
    """

    takes: tuple[TakeShown, ...] = ()
    samples: tuple[SampleShown, ...] = ()
    coverage: tuple[CoverageItem, ...] = ()
    collecting: str = ""
    n_wanted: int = 0
    n_collected: int = 0
    hint: str = ""
    can_fit: bool = False
    why_not: str = ""
    """What is missing before a model can be fitted; empty when nothing is."""
    can_undo: bool = False
    suggested_name: str = ""
    person: str = ""
