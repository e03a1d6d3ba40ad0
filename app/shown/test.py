"""A test session, its tally and the headlines of its report."""

from dataclasses import dataclass

from app.shown.model import Interval
from app.types import Verdict

BONA_FIDE = "bona fide"

SPECIES = ("print", "photo", "phone", "tablet", "replay", "monitor", "paper mask", "3-D mask")
"""Attack instrument species that the guided test offers; a person may name others."""


@dataclass(frozen=True)
class PresentationShown:
    """One presentation of a test: what was presented and what the program said."""

    number: int
    species: str
    """`BONA_FIDE` or an attack's species."""
    verdict: Verdict
    score: float | None
    n_frames: int
    is_simulated: bool = False

    @property
    def is_attack(self) -> bool:
        """Whether accepting it is an error."""
        return self.species != BONA_FIDE


@dataclass(frozen=True)
class TallyRow:
    """What became of one species' presentations.

    ``rate`` is APCER for attacks and BPCER for bona fide, with its exact interval; None before
    there is a response.
    """

    species: str
    n: int
    n_accepted: int
    n_refused: int
    n_no_response: int
    rate: float | None
    interval: Interval


@dataclass(frozen=True)
class TrialShown:
    """A test session.

    ``presenting`` names the species that is being presented; empty when none is.
    """

    presenting: str = ""
    progress: float = 0.0
    hint: str = ""
    presentations: tuple[PresentationShown, ...] = ()
    tally: tuple[TallyRow, ...] = ()


@dataclass(frozen=True)
class ReportShown:
    """Headline figures of a report, each with what it is, and where its files are."""

    figures: tuple[tuple[str, str], ...] = ()
    """Names and values with n and interval, ready to be read."""
    warnings: tuple[str, ...] = ()
    html: str = ""
    """Path of the page; empty before it was saved."""
