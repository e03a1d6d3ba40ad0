"""One presentation of a test; its verdict is always computed from its frames."""

import math
import os
import platform
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from app.names import LONGEST_NAME, cleaned_name
from app.session.decision import decide
from app.types import BONA_FIDE, SPECIES, Decision, Familiarity, ScoredFrame, Verdict
from lmkl_core.metrics import Rate

LONGEST_SOURCE = 200
LARGEST_SIDE = 1 << 16
"""Pixels of a frame or a face."""
LARGEST_NUMBER = 1e300
"""Limit of scores and thresholds in files: sums of larger ones overflow."""

_UNSCORED = (Verdict.NO_FACE, Verdict.POOR_QUALITY)

T = TypeVar("T")


class GuidedTestError(ValueError):
    """Invalid input to a test session; the message is one sentence."""


def converted(value: Any, schema: type[T], key: str = "") -> T:
    """Convert values of a file to a type, or raise `GuidedTestError` naming the wrong key."""
    try:
        return msgspec.convert(value, schema)
    except UnicodeEncodeError:  # a lone surrogate
        raise GuidedTestError("it contains text that is not valid Unicode") from None
    except (msgspec.ValidationError, OverflowError) as error:
        what, _, path = str(error).partition(" - at `$")
        where = cleaned_name(key or path.strip(".`"), 40)
        raise GuidedTestError(f"{where}: {what}" if where else what) from None


_Real = Annotated[float, msgspec.Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Positive = Annotated[float, msgspec.Meta(ge=0, le=LARGEST_NUMBER)]
_Side = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_SIDE)]
_FaceSize = Annotated[float, msgspec.Meta(gt=0, le=LARGEST_SIDE)]
_Rate = Annotated[float, msgspec.Meta(gt=0, le=LARGEST_NUMBER)]


@dataclass(frozen=True)
class Capture:
    """When and with what a presentation was captured; empty or 0 if unknown."""

    began: str = ""
    """ISO 8601, with the time zone's offset."""
    source: str = ""
    width: _Side = 0
    height: _Side = 0
    """Both sizes are those of the first frame, in pixels."""
    rate: _Rate | None = None
    """Frames per second that the source delivered."""
    system: str = ""
    processor: str = ""

    def __post_init__(self) -> None:
        if self.began:
            datetime.fromisoformat(self.began)
        for name in ("began", "source", "system", "processor"):
            object.__setattr__(self, name, cleaned_name(getattr(self, name), LONGEST_SOURCE))


class _Saved(msgspec.Struct):
    """A presentation in a file: one list entry per frame; old files have the first two lists."""

    number: Annotated[int, msgspec.Meta(ge=1)]
    species: str
    is_simulated: bool
    threshold: _Real | None
    model_digest: str
    verdicts: Annotated[list[Verdict], msgspec.Meta(min_length=1)]
    scores: list[_Real | None]
    liveness: list[_Share | None] | None = None
    room: list[_Positive | None] | None = None
    place: list[_Positive | None] | None = None
    sizes: list[_FaceSize | None] | None = None
    seconds: list[_Positive | None] | None = None
    capture: Capture = Capture()

    def frames(self) -> tuple[ScoredFrame, ...]:
        unknown = [None] * len(self.verdicts)
        optional = (self.liveness, self.room, self.place, self.sizes, self.seconds)
        columns: list[list[Any]] = [self.verdicts, self.scores]
        columns += [unknown if column is None else column for column in optional]
        if any(len(column) != len(unknown) for column in columns):
            raise GuidedTestError("its lists do not have one entry per frame")
        return tuple(self._frame(*row) for row in zip(*columns, strict=True))

    def _frame(self, verdict: Verdict, score: float | None, *more: float | None) -> ScoredFrame:
        liveness, room, place, size, seconds = more
        if score is None:
            if verdict not in _UNSCORED or (liveness, room, place) != (None,) * 3:
                raise GuidedTestError("a frame without a score has a verdict that needs one")
            return ScoredFrame(verdict, size=size, seconds=seconds)
        follows = self.threshold is not None and (score >= self.threshold) is verdict.accepts
        if not verdict.decides or not follows:
            raise GuidedTestError(
                "a frame's verdict does not follow from its score and the threshold"
            )
        familiarity = None
        if room is not None and place is not None:
            familiarity = Familiarity(max(room, place), "", (), room, place)
        elif room is not None or place is not None:
            raise GuidedTestError("a distance is missing")
        return ScoredFrame(
            verdict, "", score, None, liveness, familiarity, size=size, seconds=seconds
        )


@dataclass(frozen=True)
class Presentation:
    """A finished presentation."""

    number: int
    """Counts from 1 in a session and is never reused."""
    species: str
    frames: tuple[ScoredFrame, ...]
    """Frames reduced to their numbers (`kept_numbers`)."""
    threshold: float | None
    """None if no frame has a score."""
    digest: str = ""
    """Digest of the model; empty if unknown."""
    is_simulated: bool = False
    capture: Capture = Capture()

    @property
    def is_attack(self) -> bool:
        return self.species != BONA_FIDE

    @cached_property
    def scores(self) -> tuple[float, ...]:
        return tuple(frame.score for frame in self.frames if frame.score is not None)

    @cached_property
    def decision(self) -> Decision:
        """The verdict on its frames; without enough scored ones it says what was missing."""
        decision = decide(self.frames, self.threshold)
        is_known = all(frame.familiarity for frame in self.frames if frame.score is not None)
        # Sessions of earlier versions record the light only in the frames' verdicts.
        if decision.verdict.refuses and not is_known:
            counts = Counter(frame.verdict for frame in self.frames)
            is_unfamiliar = counts[Verdict.UNFAMILIAR] > counts[Verdict.ATTACK]
            verdict = Verdict.UNFAMILIAR if is_unfamiliar else Verdict.ATTACK
            reason = "Most of its refused frames have this verdict."
            return replace(decision, verdict=verdict, reason=reason)
        return decision

    @property
    def verdict(self) -> Verdict:
        return self.decision.verdict

    @property
    def score(self) -> float | None:
        """Mean score; None with fewer than `app.session.decision.ENOUGH_FRAMES` scored frames."""
        return self.decision.score

    @property
    def seconds(self) -> float | None:
        """Processing time of its frames, if measured."""
        times = [frame.seconds for frame in self.frames if frame.seconds is not None]
        return sum(times) if times else None

    @property
    def size(self) -> float | None:
        """Mean side of the face in pixels, if measured."""
        sizes = [frame.size for frame in self.frames if frame.size is not None]
        return sum(sizes) / len(sizes) if sizes else None

    def as_dict(self) -> dict[str, Any]:
        frames = self.frames
        saved = _Saved(
            self.number,
            self.species,
            self.is_simulated,
            self.threshold,
            self.digest,
            verdicts=[frame.verdict for frame in frames],
            scores=[frame.score for frame in frames],
            liveness=[frame.liveness for frame in frames],
            room=[_distance(frame, "room") for frame in frames],
            place=[_distance(frame, "place") for frame in frames],
            sizes=[frame.size for frame in frames],
            seconds=[frame.seconds for frame in frames],
            capture=self.capture,
        )
        document: dict[str, Any] = msgspec.to_builtins(saved)
        return document


def _distance(frame: ScoredFrame, name: str) -> float | None:
    """Return a distance for JSON, which has no infinity."""
    if frame.familiarity is None:
        return None
    return min(float(getattr(frame.familiarity, name)), LARGEST_NUMBER)


def presentation_from(value: Any) -> Presentation:
    """Read a presentation from JSON values, or raise `GuidedTestError` with part of a message."""
    saved = converted(value, _Saved)
    if saved.species != species_name(saved.species):
        raise GuidedTestError("its species is not a plain name")
    return Presentation(
        saved.number,
        saved.species,
        saved.frames(),
        saved.threshold,
        saved.model_digest,
        saved.is_simulated,
        saved.capture,
    )


def kept_numbers(scored: ScoredFrame) -> ScoredFrame:
    """Return what a presentation keeps of a frame; a bad frame counts as one of poor quality."""
    if scored.score is None or scored.threshold is None or not math.isfinite(scored.score):
        is_missing = scored.verdict is Verdict.NO_FACE
        verdict = Verdict.NO_FACE if is_missing else Verdict.POOR_QUALITY
        return ScoredFrame(verdict, size=scored.size, seconds=scored.seconds)
    kept = (scored.liveness, scored.familiarity, scored.size, scored.seconds)
    return ScoredFrame(scored.verdict, "", scored.score, None, *kept)


def species_name(typed: str, known: Iterable[str] = ()) -> str:
    """Return the name of a species, cleaned, and spelt like a known one if it is one."""
    name = cleaned_name(typed, len(typed))
    if not name:
        raise GuidedTestError("The attack has no name: type what is presented, such as print.")
    if len(name) > LONGEST_NAME:
        raise GuidedTestError(
            f"The name of the attack has {len(name)} characters: use at most {LONGEST_NAME}."
        )
    for other in (BONA_FIDE, *SPECIES, *known):
        if other.casefold() == name.casefold():
            return other
    return name


@dataclass(frozen=True)
class Tally:
    """Counts of presentations, or frames, of one species by outcome."""

    species: str
    n_accepted: int
    n_refused: int
    n_unfamiliar: int
    """Refused in a light that was not enrolled."""
    n_no_response: int
    """Neither accepted nor refused: no face or poor quality."""

    @classmethod
    def of(cls, species: str, verdicts: Sequence[Verdict]) -> "Tally":
        n_accepted = sum(verdict.accepts for verdict in verdicts)
        n_refused = sum(verdict.refuses for verdict in verdicts)
        n_unfamiliar = verdicts.count(Verdict.UNFAMILIAR)
        n_no_response = len(verdicts) - n_accepted - n_refused
        return cls(species, n_accepted, n_refused, n_unfamiliar, n_no_response)

    @property
    def n(self) -> int:
        return self.n_accepted + self.n_refused + self.n_no_response

    @property
    def is_attack(self) -> bool:
        return self.species != BONA_FIDE

    @property
    def errors(self) -> Rate:
        """APCER of an attack, BPCER of bona fide: the share of errors among responses."""
        n_errors = self.n_accepted if self.is_attack else self.n_refused
        return Rate(n_errors, self.n_accepted + self.n_refused)

    @property
    def non_response(self) -> Rate:
        """APNRR of an attack, BPNRR of bona fide."""
        return Rate(self.n_no_response, self.n)


@cache
def operating_system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)
    return f"{name}, {platform.system()} {platform.release()}"


@cache
def processor() -> str:
    name = _model_name() or platform.processor() or platform.machine()
    n_cores = os.cpu_count()
    return f"{name}, {n_cores} cores" if n_cores else name


def _model_name() -> str:
    """Return the processor's name on Linux; empty elsewhere."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"^(?:model name|Hardware)\s*:(.*)", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""
