"""A fitted model in numbers and words."""

from dataclasses import dataclass

from app.types import Image

Interval = tuple[float, float]


@dataclass(frozen=True)
class Bound:
    """A figure of the theory: its name, its value and what it says."""

    name: str
    value: float
    meaning: str


@dataclass(frozen=True)
class ThresholdShown:
    """The threshold, where it comes from and how sure it is.

    Attributes
    ----------
    target_bpcer : float or None
        The share of genuine frames that may be refused, where one was asked for.
    promised : bool or None
        Whether the enrolment suffices to promise the target; None without one.
    left_out, stress : tuple of float
        The scores that set it, and those with whole conditions left out (empty with a single
        condition).
    level : float or None
        The usual score of genuine frames: the median left-out score, where it is known.
    """

    value: float
    target_bpcer: float | None
    bpcer: float
    interval: Interval
    n_scores: int
    n_effective: float
    promised: bool | None
    origin: str
    statement: str
    stress_bpcer: float | None = None
    stress_interval: Interval = (0.0, 1.0)
    left_out: tuple[float, ...] = ()
    stress: tuple[float, ...] = ()
    level: float | None = None

    @property
    def share_of_level(self) -> float | None:
        """The threshold over the usual score of genuine frames, where that is known."""
        return self.value / self.level if self.level is not None and self.level > 0 else None


@dataclass(frozen=True)
class PersonShown:
    """What the threshold does to one of several people.

    Attributes
    ----------
    name : str
        As said at enrolment; empty for takes that do not say whose they are.
    level : float
        Median left-out score.
    bpcer, interval : float, tuple of float
        Share of left-out scores that the threshold refuses, and its exact interval at
        ``n_effective``.
    """

    name: str
    n_takes: int
    n_frames: int
    level: float
    bpcer: float
    interval: Interval
    n_scores: int
    n_effective: float


@dataclass(frozen=True)
class PassphraseAsked:
    """A protected model that opens with its passphrase only.

    ``was_wrong`` says that one was given and did not open it.
    """

    path: str
    name: str
    was_wrong: bool = False


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
    takes : tuple of str
        Names of the takes, as recorded.
    people : tuple of PersonShown
        Whose takes they are; one person, without a name, where no take says.
    typical_terms : tuple of tuple of float
        Mean contribution of every cluster and view over the enrolled frames.
    path : str
        File it was exported to or loaded from; empty when it is in memory only.
    is_protected : bool
        Whether that file opens with a passphrase only.
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
    is_protected: bool = False
    digest: str = ""
    is_simulated: bool = False
    notes: tuple[str, ...] = ()
    people: tuple[PersonShown, ...] = ()

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.weights)
