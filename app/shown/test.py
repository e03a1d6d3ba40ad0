"""A test session, its tally and the headlines of its report."""

from dataclasses import dataclass, field

from app.shown.details import Details
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
class PlannedRow:
    """What a plan wants of one species, and what its presentations will be able to say.

    ``bound`` is the upper end of the exact interval of the error rate once all are made, if those
    to come make no error.
    """

    species: str
    n_wanted: int
    n_made: int
    n_errors: int
    bound: float

    @property
    def n_left(self) -> int:
        """Presentations that are still to do."""
        return max(self.n_wanted - self.n_made, 0)


@dataclass(frozen=True)
class PlanShown:
    """A test plan and how far it is."""

    name: str
    note: str
    rows: tuple[PlannedRow, ...]

    @property
    def n_wanted(self) -> int:
        """Presentations of the plan."""
        return sum(row.n_wanted for row in self.rows)

    @property
    def n_left(self) -> int:
        """Presentations that are still to do."""
        return sum(row.n_left for row in self.rows)


@dataclass(frozen=True)
class KeptTest:
    """A session on disk: its file, when it was last changed, and what it holds."""

    path: str
    when: str
    n_presentations: int


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
    plan: PlanShown | None = None
    details: Details = field(default_factory=Details)


@dataclass(frozen=True)
class ReportShown:
    """Headline figures of a report, each with what it is, and where its files are."""

    figures: tuple[tuple[str, str], ...] = ()
    """Names and values with n and interval, ready to be read."""
    warnings: tuple[str, ...] = ()
    n_missing: int = 0
    """Details that an evaluator expects and nobody gave."""
    html: str = ""
    """Path of the page; empty before it was saved."""
