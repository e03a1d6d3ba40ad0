"""What views show: frozen values of plain numbers and words, made for them by the layers below.

A view imports nothing of ours but this module, `app.types` and `app.qt`; so it cannot compute, and
what it shows can be made by hand in a test.
"""

from dataclasses import dataclass, field

from app.types import Frame, Image, Quality, Verdict

Point = tuple[float, float]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Region:
    """A crop that the networks look at: its name and its corners in pixels of the frame."""

    name: str
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, eq=False)
class Scored:
    """A frame with all that was found out about it.

    Attributes
    ----------
    frame : Frame
        The frame.
    verdict : Verdict
        Of this frame alone; the window's verdict is a `Decision`.
    reason : str
        One sentence.
    note : str
        What a person should know beside that, such as that other faces are in view.
    box : tuple of float or None
        x, y, width, height of the face.
    regions : tuple of Region
        What the networks looked at; empty without a usable face.
    quality : Quality or None
        The checks of the gate, where there is a face.
    score, threshold : float or None
        None without a model or without a usable face. Accepted when ``score >= threshold``.
    terms : tuple of tuple of float
        Contribution of every cluster (outer) and view (inner); they sum to the score.
    memberships : tuple of float
        How much the frame belongs to each cluster; sums to 1.
    differences : tuple of str
        What lies outside the enrolled circumstances, worst first, as half sentences.
    face_changed : bool
        Whether this is another face than before.
    seconds : float
        From taking the frame to this value.
    """

    frame: Frame
    verdict: Verdict
    reason: str = ""
    note: str = ""
    box: tuple[float, float, float, float] | None = None
    regions: tuple[Region, ...] = ()
    quality: Quality | None = None
    score: float | None = None
    threshold: float | None = None
    terms: tuple[tuple[float, ...], ...] = ()
    memberships: tuple[float, ...] = ()
    differences: tuple[str, ...] = ()
    face_changed: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Decision:
    """The verdict over a short window of frames.

    Attributes
    ----------
    verdict : Verdict
        What the person is told.
    reason : str
        Why, in one sentence.
    rule : str
        How it was decided, in one sentence.
    score, threshold : float or None
        Mean score of the window and what it is held against.
    n_frames : int
        Scored frames in the window.
    differences : tuple of str
        What is unfamiliar, where the verdict is that.
    """

    verdict: Verdict
    reason: str = ""
    rule: str = ""
    score: float | None = None
    threshold: float | None = None
    n_frames: int = 0
    differences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Throughput:
    """How fast things go: rates in frames a second, latency in seconds, frames dropped so far."""

    source_rate: float = 0.0
    scoring_rate: float = 0.0
    latency: float = 0.0
    n_dropped: int = 0


# ---------------------------------------------------------------- enrolment


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


# ---------------------------------------------------------------- model


@dataclass(frozen=True)
class Bound:
    """A figure of the theory: its name, its value and what it says."""

    name: str
    value: float
    meaning: str


@dataclass(frozen=True)
class ThresholdShown:
    """The threshold, where it comes from and how sure it is.

    ``left_out`` are the scores that set it; ``stress`` those with whole conditions left out (empty
    with a single condition).
    """

    value: float
    target_bpcer: float
    bpcer: float
    interval: Interval
    n_scores: int
    n_effective: float
    promised: bool
    origin: str
    statement: str
    stress_bpcer: float | None = None
    stress_interval: Interval = (0.0, 1.0)
    left_out: tuple[float, ...] = ()
    stress: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class ModelShown:
    """A fitted model in numbers and words.

    Attributes
    ----------
    weights : tuple of tuple of float
        Kernel weights, clusters (outer) by views (inner).
    cluster_sizes : tuple of int
        Enrolled frames that belong mostly to each cluster.
    typical_faces : tuple of Image or None
        A small picture of each cluster's most typical frame, where one is in memory.
    gap : float
        Certified relative gap to the optimum.
    gap_history, objective_history : tuple of float
        One entry an iteration.
    parameters : tuple of (str, str)
        Names and values of what it was fitted with, fit to be shown.
    typical_terms : tuple of tuple of float
        Mean contribution of every cluster and view over the enrolled frames.
    path : str
        File it was exported to or loaded from; empty when it is in memory only.
    is_simulated : bool
        Whether frames of the demo were enrolled.
    notes : tuple of str
        What the person should know of how it was fitted, one sentence each.
    """

    view_names: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    cluster_sizes: tuple[int, ...]
    typical_faces: tuple[Image | None, ...]
    gap: float
    is_certified: bool
    stop_reason: str
    n_solves: int
    gap_history: tuple[float, ...]
    objective_history: tuple[float, ...]
    threshold: ThresholdShown
    bounds: tuple[Bound, ...]
    parameters: tuple[tuple[str, str], ...]
    takes: tuple[str, ...]
    n_samples: int
    preset: str
    typical_terms: tuple[tuple[float, ...], ...] = ()
    path: str = ""
    digest: str = ""
    is_simulated: bool = False
    notes: tuple[str, ...] = ()

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.weights)


# ---------------------------------------------------------------- test


BONA_FIDE = "bona fide"

SPECIES = ("print", "photo", "phone", "tablet", "monitor", "paper mask", "3-D mask")
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


# ---------------------------------------------------------------- notices


@dataclass(frozen=True)
class Notice:
    """One sentence for the person, and how urgent it is.

    Attributes
    ----------
    text : str
        Names the problem and the way out.
    level : {"info", "warning", "error"}
        How it is shown.
    topic : str
        A later notice of the same topic takes its place; an empty text takes it away.
    """

    text: str
    level: str = "info"
    topic: str = ""


@dataclass(frozen=True)
class Working:
    """A long piece of work: what, how far (None: not known), and whether it can be cancelled."""

    text: str = ""
    """Empty: nothing is being done."""
    done: int = 0
    total: int = 0
    can_cancel: bool = True
    details: tuple[str, ...] = field(default=())

    @property
    def share(self) -> float | None:
        """How far it is, 0 to 1; None where that is not known."""
        return self.done / self.total if self.total else None


# ---------------------------------------------------------------- source


@dataclass(frozen=True)
class Choice:
    """Something that can be chosen: what the program calls it, and what people read."""

    key: str
    text: str


@dataclass(frozen=True)
class SourceShown:
    """Where frames come from.

    Attributes
    ----------
    text : str
        As a person would type it: ``demo``, ``camera:NAME``, a path, an address without
        credentials.
    name : str
        Fit to be shown.
    is_demo : bool
        Whether everything it shows is simulated.
    presentations : tuple of Choice
        What the demo can present; empty for other sources.
    presenting : str
        Key of what the demo was asked to present; empty is everything in turn.
    """

    text: str = ""
    name: str = ""
    is_demo: bool = False
    presentations: tuple[Choice, ...] = ()
    presenting: str = ""
