"""Values of a guided test: its details, plan, tally, presentations and report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.types import BONA_FIDE, Interval, Verdict

LONGEST_DETAIL = 200
"""Characters of an answer."""

LARGEST_COUNT = 100_000
"""Of people or instruments."""


@dataclass(frozen=True)
class Detail:
    """A question: its key in files, its label, an example, and what answers it takes."""

    key: str
    label: str
    hint: str = ""
    kind: Literal["text", "number"] = "text"
    choices: tuple[str, ...] = ()


DETAILS = (
    Detail("tester", "Tested by", "Who is responsible for the test"),
    Detail("organisation", "Organisation", "Laboratory, company or university"),
    Detail("potential", "Attack potential or level", "For example: level A, or basic"),
    Detail("n_subjects", "Test subjects", "How many people", "number"),
    Detail("consent", "Consent of the subjects", choices=("noted", "not noted")),
    Detail("distance", "Distance to the camera", "For example: 40 to 60 cm"),
    Detail("light", "Light at the face", "In lux, if known: 300 lx"),
)
"""Asked once for a test."""

SPECIES_DETAILS = (
    Detail("made", "How it is made"),
    Detail("n_instruments", "Instruments", "How many", "number"),
)
"""Asked for every attack instrument species."""

_MADE = {
    "Printer, paper, resolution": ("print", "photo"),
    "Screen model, resolution, brightness": ("phone", "tablet", "replay", "monitor"),
    "Material and how it was shaped": ("paper mask", "3-D mask"),
}


def made_hint(species: str) -> str:
    """Return what to say about how an instrument of a species is made."""
    for hint, names in _MADE.items():
        if species in names:
            return hint
    return "Material, device, resolution"


@dataclass(frozen=True)
class Details:
    """The answers, by key; those of a species by its name. What is not known is left out."""

    values: Mapping[str, str] = field(default_factory=dict)
    species: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, species: str) -> Mapping[str, str]:
        """Return what is said about a species."""
        return self.species.get(species, {})


@dataclass(frozen=True)
class PresentationSummary:
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
class PlanProgress:
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
class TrialState:
    """A test session.

    ``presenting`` names the species that is being presented; empty when none is.
    """

    presenting: str = ""
    progress: float = 0.0
    hint: str = ""
    presentations: tuple[PresentationSummary, ...] = ()
    tally: tuple[TallyRow, ...] = ()
    plan: PlanProgress | None = None
    details: Details = field(default_factory=Details)


@dataclass(frozen=True)
class ReportSummary:
    """Headline figures of a report, each with what it is, and where its files are."""

    figures: tuple[tuple[str, str], ...] = ()
    """Names and values with n and interval, ready to be read."""
    warnings: tuple[str, ...] = ()
    n_missing: int = 0
    """Details that an evaluator expects and nobody gave."""
    html: str = ""
    """Path of the page; empty before it was saved."""
