"""The values that travel through the program: frozen, and free of behaviour that needs a library.

One direction: ``Frame`` (a picture) -> ``FrameResult`` (what the pipeline found in it) ->
``ScoredFrame`` (what the model says of it) -> ``Decision`` (over a window of frames). Failure is a
value too (`Status` with a reason), because "no face" is an ordinary answer to a frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image: TypeAlias = NDArray[np.uint8]
else:
    # Loading NumPy takes as long as loading Qt, and commands such as --help do without it.
    Image = Any
"""Height x width x 3, 8 bits, red-green-blue. Everywhere after a source: never blue-green-red."""

Interval: TypeAlias = tuple[float, float]

BONA_FIDE = "bona fide"

SPECIES = ("print", "photo", "phone", "tablet", "replay", "monitor", "paper mask", "3-D mask")
"""Attack instrument species that the guided test offers; a person may name others."""

LANDMARKS = ("left eye", "right eye", "nose", "left mouth corner", "right mouth corner")
"""Order of the five landmarks, left and right as seen in the image."""

Box = tuple[float, float, float, float]
"""x, y, width, height in pixels of the frame."""
Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a source."""

    image: NDArray[Any]
    """RGB, uint8, (height, width, 3), where it comes from a source of ours. The pipeline checks."""
    number: int = 0
    """Counts the frames of a source from 0, and goes on when it is opened again."""
    time: float = 0.0
    """Seconds that never run backwards: media time for files, since opening for live sources."""
    caption: str = ""
    """What is presented, where the source knows: only the simulated demo does."""


@dataclass(frozen=True, eq=False)
class Face:
    """A face found in a frame."""

    box: Box
    """May reach over the border of the frame."""
    landmarks: NDArray[np.float64]
    """(5, 2) pixel positions in the order of `LANDMARKS`."""
    confidence: float
    """The detector's own, 0 to 1."""

    @property
    def area(self) -> float:
        return self.box[2] * self.box[3]


class Status(StrEnum):
    """What became of a frame on its way to views."""

    READY = "ready"
    BAD_FRAME = "bad frame"
    NO_FACE = "no face"
    POOR_QUALITY = "poor quality"


class Verdict(StrEnum):
    """What a frame, or a window of frames, is called."""

    GENUINE = "genuine"
    ATTACK = "attack"
    UNFAMILIAR = "unfamiliar conditions"
    NO_FACE = "no face"
    POOR_QUALITY = "poor quality"
    BAD_FRAME = "bad frame"
    LOOKING = "looking"
    """A window with too few frames yet."""
    NO_MODEL = "no model"
    """A face that could be judged, if a model had been fitted."""

    @property
    def accepts(self) -> bool:
        """Whether it is let through: only what is genuine is."""
        return self is Verdict.GENUINE

    @property
    def decides(self) -> bool:
        """Whether it accepts or refuses; the others say why neither can be done."""
        return self in (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR)

    @property
    def refuses(self) -> bool:
        """Whether it is refused, as an attack or because its light was never enrolled."""
        return self.decides and not self.accepts


@dataclass(frozen=True)
class Check:
    """One named value of the quality gate, with its limits and, when it fails, the reason."""

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    reason: str = ""
    """Empty when the check passed; otherwise one sentence that tells the person what to do."""

    @property
    def passed(self) -> bool:
        """Whether the value lies within its limits (NaN does not)."""
        return self.low <= self.value <= self.high


@dataclass(frozen=True)
class Quality:
    """All checks of one face; it passes when every check does."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons of the failed checks, most important first (the order of the checks)."""
        return tuple(check.reason for check in self.checks if not check.passed)

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)


@dataclass(frozen=True)
class Pose:
    """Head pose in degrees: yaw > 0 to the image's right, pitch > 0 up, roll > 0 clockwise."""

    yaw: float
    pitch: float
    roll: float


@dataclass(frozen=True)
class Condition:
    """The circumstances of one face: what can be unfamiliar without being an attack.

    Attributes
    ----------
    brightness : float
        Mean luma of the face, 0 to 255.
    contrast : float
        Standard deviation of the face's luma.
    warmth, tint : float
        Colour cast: log ratios of red to blue and of green to the mean of both.
    side_light : float
        Log ratio of the mean luma of the face's left half to its right half.
    sharpness : float
        Log of fine detail over coarse structure (`app.vision.quality.sharpness`) of the aligned
        face, at one size for every distance.
    distance : float
        Log2 of the frame's height over the aligned face's side: one more is twice as far.
    room_brightness, room_warmth, room_tint : float
        The same measures of what surrounds the head: a print or a screen brings its own light to
        the face, but leaves the room as it is.
    yaw, pitch, roll : float
        Head pose in degrees.
    """

    brightness: float
    contrast: float
    warmth: float
    tint: float
    side_light: float
    sharpness: float
    room_brightness: float
    room_warmth: float
    room_tint: float
    distance: float
    yaw: float
    pitch: float
    roll: float


@dataclass(frozen=True)
class Familiarity:
    """How far a frame's circumstances lie from those enrolled."""

    distance: float
    """In tolerances, 0 inside an enrolled take's range."""
    nearest_take: str
    differences: tuple[str, ...]
    """What lies outside that take by more than its tolerance, worst first, as half sentences."""
    room: float
    """The same distance in the light of the room alone."""
    place: float
    """The same in distance and pose alone."""

    @property
    def knows_light(self) -> bool:
        """Whether the room is lit as in one of the takes."""
        return self.room <= 1.0


ALL_FAMILIAR = Familiarity(0.0, "", (), 0.0, 0.0)
"""Of frames whose circumstances are not measured."""


@dataclass(frozen=True, eq=False)
class FrameResult:
    """Everything the pipeline says of one frame.

    ``views`` is there exactly when ``status`` is READY: each maps a view's name to a row of
    shape (1, columns). ``reason`` is empty exactly then.

    ``face`` is the one that is followed, of the ``n_faces`` that the last full detection saw.
    ``image`` is the frame as RGB, None of a bad frame; ``transform`` maps its pixels
    to face coordinates (2 x 3), None without a usable face.
    """

    frame: Frame
    status: Status
    reason: str = ""
    face: Face | None = None
    n_faces: int = 0
    quality: Quality | None = None
    condition: Condition | None = None
    views: Mapping[str, NDArray[np.float32]] | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time spent in each stage: detect, quality, crops, views, liveness."""
    face_changed: bool = False
    """Whether this face does not continue the last one: the first, or another than before. What
    was gathered over earlier frames is then about somebody else."""
    image: Image | None = None
    transform: NDArray[np.float64] | None = None
    liveness: float | None = None
    """Probability that the face is live, as liveness networks see it; None where they are not on
    this computer, or the frame has no views."""


@dataclass(frozen=True)
class Throughput:
    """How fast things go: rates in frames a second, latency in seconds, frames dropped so far."""

    source_rate: float = 0.0
    scoring_rate: float = 0.0
    latency: float = 0.0
    n_dropped: int = 0


@dataclass(frozen=True)
class Region:
    """A crop that the networks look at: its name and its corners in pixels of the frame."""

    name: str
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, eq=False)
class Sample:
    """One kept frame; ``person`` says whose face it shows, empty where that was not said."""

    number: int
    take: str
    views: Mapping[str, NDArray[np.float32]]
    condition: Condition | None
    """None for presets that look at no face."""
    thumbnail: Image | None
    is_simulated: bool = False
    person: str = ""


@dataclass(frozen=True)
class ScoredFrame:
    """A frame as judged by a model (`app.session.scoring.score_frame`).

    Attributes
    ----------
    verdict, reason : Verdict, str
        Of this frame alone; the verdict over a window is a `Decision`.
    score, threshold : float or None
        The score is None without a model or a usable face, the threshold without a model.
        Accepted when ``score >= threshold``.
    liveness : float or None
        Probability that the face is live, where the networks are there.
    familiarity : Familiarity or None
        How its circumstances differ from those enrolled, where it has a score.
    size : float or None
        Side of the face in pixels.
    seconds : float or None
        Time from taking the frame to this value.
    terms : tuple of tuple of float
        Contribution of every cluster (outer) and view (inner); they sum to the score.
    memberships : tuple of float
        How much the frame belongs to each cluster; sums to 1.
    regions : tuple of Region
        What the networks looked at; empty without a usable face.
    digest : str
        Of the model; empty without one.
    result : FrameResult or None
        The picture and what was found in it; None where only the numbers are kept.
    """

    verdict: Verdict
    reason: str = ""
    score: float | None = None
    threshold: float | None = None
    liveness: float | None = None
    familiarity: Familiarity | None = None
    size: float | None = None
    seconds: float | None = None
    terms: tuple[tuple[float, ...], ...] = ()
    memberships: tuple[float, ...] = ()
    regions: tuple[Region, ...] = ()
    digest: str = ""
    result: FrameResult | None = None

    @property
    def frame(self) -> Frame:
        assert self.result is not None, "only the numbers of this frame were kept"
        return self.result.frame

    @property
    def box(self) -> Box | None:
        face = None if self.result is None else self.result.face
        return None if face is None else face.box

    @property
    def quality(self) -> Quality | None:
        return None if self.result is None else self.result.quality

    @property
    def face_changed(self) -> bool:
        return self.result is not None and self.result.face_changed

    @property
    def views(self) -> Mapping[str, NDArray[np.float32]] | None:
        """Its views, where it can be enrolled: a frame that no model can score cannot."""
        if self.result is None or self.verdict is Verdict.BAD_FRAME:
            return None
        return self.result.views

    @property
    def differences(self) -> tuple[str, ...]:
        """What lies outside the enrolled circumstances, worst first, as half sentences."""
        return () if self.familiarity is None else self.familiarity.differences

    def numbers(self) -> ScoredFrame:
        """Return the frame without its picture and terms, as tests of many frames keep it."""
        return replace(self, result=None, terms=(), memberships=(), regions=())


@dataclass(frozen=True)
class Decision:
    """The verdict over several frames.

    Attributes
    ----------
    rule : str
        How it was decided, in one sentence.
    score, threshold : float or None
        Mean score of the ``n_frames`` scored frames, and the threshold.
    differences : tuple of str
        What is unfamiliar, where the verdict is that.
    liveness : float or None
        Mean probability that the face is live, where the networks are there.
    """

    verdict: Verdict
    reason: str = ""
    rule: str = ""
    score: float | None = None
    threshold: float | None = None
    n_frames: int = 0
    differences: tuple[str, ...] = ()
    liveness: float | None = None
