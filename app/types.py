"""The immutable values that are passed between the parts of the program.

``Frame`` (a picture) -> ``FrameResult`` (face, quality and views found by the pipeline) ->
``ScoredFrame`` (the model's score and verdict) -> ``Decision`` (verdict over a window of frames).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image: TypeAlias = NDArray[np.uint8]
else:
    # NumPy takes as long to import as Qt, and commands such as --help do not need it.
    Image = Any
"""Height x width x 3, 8 bits, RGB: sources convert OpenCV's BGR."""

Interval: TypeAlias = tuple[float, float]

BONA_FIDE = "bona fide"

SPECIES = ("print", "photo", "phone", "tablet", "replay", "monitor", "paper mask", "3-D mask")
"""Attack instrument species suggested by the guided test; others can be typed."""

LANDMARKS = ("left eye", "right eye", "nose", "left mouth corner", "right mouth corner")
"""Order of the five landmarks, left and right as seen in the image."""

Box = tuple[float, float, float, float]
"""x, y, width, height in pixels of the frame."""
Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture from a source."""

    image: NDArray[Any]
    """An `Image` from our own sources; the pipeline checks it."""
    number: int = 0
    """Counts from 0 and continues when the source is reopened."""
    time: float = 0.0
    """Monotonic seconds: media time for files, time since opening for live sources."""
    caption: str = ""
    """What is presented; set by the demo only."""


@dataclass(frozen=True, eq=False)
class Face:
    """A face in a frame; its box may extend beyond the frame, landmarks are (5, 2) in pixels."""

    box: Box
    landmarks: NDArray[np.float64]
    confidence: float

    @property
    def area(self) -> float:
        return self.box[2] * self.box[3]


class Status(StrEnum):
    """The outcome of the pipeline for a frame."""

    READY = "ready"
    BAD_FRAME = "bad frame"
    NO_FACE = "no face"
    POOR_QUALITY = "poor quality"


class Verdict(StrEnum):
    """The verdict on a frame or a window of frames."""

    GENUINE = "genuine"
    ATTACK = "attack"
    UNFAMILIAR = "unfamiliar conditions"
    NO_FACE = "no face"
    POOR_QUALITY = "poor quality"
    BAD_FRAME = "bad frame"
    LOOKING = "looking"
    """Too few frames in the window yet."""
    NO_MODEL = "no model"
    """A usable face, but no model to judge it."""

    @property
    def accepts(self) -> bool:
        return self is Verdict.GENUINE

    @property
    def refuses(self) -> bool:
        return self in (Verdict.ATTACK, Verdict.UNFAMILIAR)

    @property
    def decides(self) -> bool:
        """Whether it accepts or refuses; the other verdicts say why neither is possible."""
        return self.accepts or self.refuses


@dataclass(frozen=True)
class Check:
    """A measured quality with its limits; ``reason`` says what to do when it fails."""

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    reason: str = ""

    @property
    def passed(self) -> bool:
        return self.low <= self.value <= self.high


@dataclass(frozen=True)
class Quality:
    """All checks of one face, most important first."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(check.reason for check in self.checks if not check.passed)

    def __getitem__(self, name: str) -> Check:
        return {check.name: check for check in self.checks}[name]


@dataclass(frozen=True)
class Pose:
    """Head pose in degrees: yaw > 0 to the image's right, pitch > 0 up, roll > 0 clockwise."""

    yaw: float
    pitch: float
    roll: float


@dataclass(frozen=True)
class Condition:
    """The conditions of one face: what may be unfamiliar without being an attack.

    The room is what surrounds the head: a print or a screen changes the light on the face but not
    in the room.
    """

    brightness: float  # mean luma of the face, 0 to 255
    contrast: float  # standard deviation of its luma
    warmth: float  # colour cast: log ratio of red to blue
    tint: float  # log ratio of green to the mean of both
    side_light: float  # log ratio of the mean luma of the face's left half to its right half
    sharpness: float  # `app.vision.quality.sharpness` of the aligned face
    room_brightness: float
    room_warmth: float
    room_tint: float
    distance: float  # log2 of the frame's height over the face's side: one more is twice as far
    yaw: float  # head pose in degrees
    pitch: float
    roll: float


@dataclass(frozen=True)
class Familiarity:
    """How far a frame's conditions are from the enrolled ones, in tolerances; 0 is inside.

    ``room`` is the distance for the light of the room alone, ``place`` for distance and pose alone.
    ``differences`` are phrases for a sentence, largest first.
    """

    distance: float
    nearest_take: str
    differences: tuple[str, ...]
    room: float
    place: float

    @property
    def knows_light(self) -> bool:
        """Whether the room is lit as in one of the takes."""
        return self.room <= 1.0


ALL_FAMILIAR = Familiarity(0.0, "", (), 0.0, 0.0)
"""For frames without measured conditions."""


@dataclass(frozen=True, eq=False)
class FrameResult:
    """The pipeline's result for one frame.

    If ``status`` is READY there are ``views`` (rows of shape (1, columns) by name); otherwise there
    is a ``reason``. ``face`` is the tracked one of the ``n_faces`` found by the last full
    detection. ``image`` is the frame as RGB, None for a bad frame; ``transform`` maps its pixels to
    face coordinates (2 x 3), None without a usable face.
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
    """Time per stage: detect, quality, crops, views, liveness."""
    face_changed: bool = False
    """Whether this is a new face, for which earlier frames do not count."""
    image: Image | None = None
    transform: NDArray[np.float64] | None = None
    liveness: float | None = None
    """Probability that the face is live; None without the liveness networks or without views."""


@dataclass(frozen=True)
class Throughput:
    """Rates in frames per second, latency in seconds, and frames dropped so far."""

    source_rate: float = 0.0
    scoring_rate: float = 0.0
    latency: float = 0.0
    n_dropped: int = 0


@dataclass(frozen=True)
class Region:
    """The corners, in pixels of the frame, of a crop for the networks."""

    name: str
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, eq=False)
class Sample:
    """An enrolled frame; ``condition`` is None for presets that do not use a face."""

    number: int
    take: str
    views: Mapping[str, NDArray[np.float32]]
    condition: Condition | None
    thumbnail: Image | None
    is_simulated: bool = False
    person: str = ""


@dataclass(frozen=True)
class ScoredFrame:
    """A frame judged by a model; the verdict is on this frame alone."""

    verdict: Verdict
    reason: str = ""
    score: float | None = None
    """None without a model or a usable face; accepted when ``score >= threshold``."""
    threshold: float | None = None
    liveness: float | None = None
    familiarity: Familiarity | None = None
    size: float | None = None
    """Side of the face in pixels."""
    seconds: float | None = None
    """Processing time."""
    terms: tuple[tuple[float, ...], ...] = ()
    """Contributions by cluster (outer) and view (inner), which sum to the score."""
    memberships: tuple[float, ...] = ()
    """Share of each cluster; the shares sum to 1."""
    regions: tuple[Region, ...] = ()
    digest: str = ""
    """Digest of the model; empty without one."""
    result: FrameResult | None = None
    """None if only the numbers were kept."""

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
        """Its views; None if it cannot be enrolled, because no model can score it."""
        if self.result is None or self.verdict is Verdict.BAD_FRAME:
            return None
        return self.result.views


@dataclass(frozen=True)
class Decision:
    """The verdict over several frames, with the mean score and liveness of the scored ones.

    ``rule`` says in one sentence how it was reached, ``differences`` what is unfamiliar.
    """

    verdict: Verdict
    reason: str = ""
    rule: str = ""
    score: float | None = None
    threshold: float | None = None
    n_frames: int = 0
    differences: tuple[str, ...] = ()
    liveness: float | None = None
