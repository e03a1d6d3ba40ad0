"""One presentation of a test: its judged frames, and what they make of it together.

The outcome is never stored, only worked out from the frames and the threshold they were held
against, so that a presentation cannot contradict itself.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from app.names import LONGEST_NAME, cleaned_name
from app.session.decision import decide
from app.session.guided_test.state import PresentationSummary
from app.types import BONA_FIDE, SPECIES, Decision, Familiarity, ScoredFrame, Verdict

LONGEST_SOURCE = 200
LARGEST_SIDE = 1 << 16
"""Pixels of a frame or a face."""

LARGEST_NUMBER = 1e300
"""Of scores and thresholds that are read: sums of more overflow."""

_SCORED = (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR)
_UNSCORED = (Verdict.NO_FACE, Verdict.POOR_QUALITY)


class TrialError(ValueError):
    """What a test session cannot take, told in one sentence."""


def kept_numbers(scored: ScoredFrame) -> ScoredFrame:
    """Return the numbers of a frame that a presentation keeps.

    Its verdict is one of genuine, attack, unfamiliar (with a score) and no face, poor quality
    (without): a picture that could not be read counts as poor quality.
    """
    numbers = scored.numbers()
    if scored.score is None or scored.threshold is None or not math.isfinite(scored.score):
        is_missing = scored.verdict is Verdict.NO_FACE
        verdict = Verdict.NO_FACE if is_missing else Verdict.POOR_QUALITY
        return ScoredFrame(verdict, size=scored.size, seconds=scored.seconds)
    return replace(numbers, reason="", threshold=None, digest="")


@dataclass(frozen=True)
class Capture:
    """When and with what a presentation was captured, as far as the program can tell.

    Attributes
    ----------
    began : str
        Date and time with its offset, as ISO 8601 has it; empty when not known.
    source : str
        Name of the camera, file or demo.
    width, height : int
        Of the first frame, in pixels; 0 when not known.
    rate : float or None
        Frames that the source delivered in a second.
    system, processor : str
        Of the computer.
    """

    began: str = ""
    source: str = ""
    width: int = 0
    height: int = 0
    rate: float | None = None
    system: str = ""
    processor: str = ""


@dataclass(frozen=True)
class Presentation:
    """A presentation that has ended.

    Attributes
    ----------
    number : int
        Counts from 1 in a session and is never given twice.
    species : str
        `app.types.BONA_FIDE` or an attack's species.
    frames : tuple of ScoredFrame
        In their order.
    threshold : float or None
        In force when they were judged; None when no frame has a score.
    digest : str
        Of the model that judged them; empty when it is not known.
    is_simulated : bool
        Whether it was generated and not held before a camera.
    capture : Capture
        When and with what.
    """

    number: int
    species: str
    frames: tuple[ScoredFrame, ...]
    threshold: float | None
    digest: str = ""
    is_simulated: bool = False
    capture: Capture = Capture()

    @property
    def is_attack(self) -> bool:
        """Whether accepting it is an error."""
        return self.species != BONA_FIDE

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """Scores of the frames that have one."""
        return tuple(frame.score for frame in self.frames if frame.score is not None)

    @cached_property
    def decision(self) -> Decision:
        """The verdict on its frames together; without enough scored ones, what was missing."""
        decision = decide(self.frames, self.threshold)
        is_known = all(frame.familiarity for frame in self.frames if frame.score is not None)
        # A session of an earlier version tells of the light only what each frame was called.
        if decision.verdict.refuses and not is_known:
            called = Counter(frame.verdict for frame in self.frames)
            most = called[Verdict.UNFAMILIAR] > called[Verdict.ATTACK]
            verdict = Verdict.UNFAMILIAR if most else Verdict.ATTACK
            reason = "Most of its refused frames have this verdict."
            return replace(decision, verdict=verdict, reason=reason)
        return decision

    @property
    def score(self) -> float | None:
        """Mean score; None with fewer than `app.session.decision.ENOUGH_FRAMES` scored frames."""
        return self.decision.score

    @property
    def liveness(self) -> float | None:
        """Mean liveness, where there is a mean score and it was measured."""
        return self.decision.liveness

    @property
    def verdict(self) -> Verdict:
        return self.decision.verdict

    @property
    def reason(self) -> str:
        return self.decision.reason

    @property
    def seconds(self) -> float | None:
        """Processing time: the sum over its frames; None when it was not measured."""
        times = [frame.seconds for frame in self.frames if frame.seconds is not None]
        return sum(times) if times else None

    @property
    def size(self) -> float | None:
        """Mean side of the face in pixels, over the frames in which one was measured."""
        sizes = [frame.size for frame in self.frames if frame.size is not None]
        return sum(sizes) / len(sizes) if sizes else None

    @property
    def shown(self) -> PresentationSummary:
        """The presentation as a view shows it."""
        return PresentationSummary(
            self.number,
            self.species,
            self.verdict,
            self.score,
            len(self.scores),
            self.is_simulated,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the presentation as JSON values."""
        return {
            "number": self.number,
            "species": self.species,
            "is_simulated": self.is_simulated,
            "threshold": self.threshold,
            "model_digest": self.digest,
            "verdicts": [frame.verdict.value for frame in self.frames],
            "scores": [frame.score for frame in self.frames],
            "liveness": [frame.liveness for frame in self.frames],
            "room": [_distance(frame, "room") for frame in self.frames],
            "place": [_distance(frame, "place") for frame in self.frames],
            "sizes": [frame.size for frame in self.frames],
            "seconds": [frame.seconds for frame in self.frames],
            "capture": asdict(self.capture),
        }


def _distance(frame: ScoredFrame, name: str) -> float | None:
    """Return a distance of its circumstances as JSON has it: what was not measured is infinite."""
    if frame.familiarity is None:
        return None
    return min(float(getattr(frame.familiarity, name)), LARGEST_NUMBER)


def species_name(typed: str, known: Iterable[str] = ()) -> str:
    """Return a species' name as it is kept: one line, of bounded length, spelt as before.

    Parameters
    ----------
    typed : str
        What a person typed.
    known : iterable of str
        Names in use: one that differs only in case is taken instead.
    """
    name = cleaned_name(typed, len(typed))
    if not name:
        raise TrialError("The attack has no name: type what is presented, such as print.")
    if len(name) > LONGEST_NAME:
        raise TrialError(
            f"The name of the attack has {len(name)} characters: use at most {LONGEST_NAME}."
        )
    for other in (BONA_FIDE, *SPECIES, *known):
        if other.casefold() == name.casefold():
            return other
    return name


def presentation_from(value: Any) -> Presentation:
    """Read a presentation from JSON values, checking everything.

    Raises
    ------
    TrialError
        In one half sentence that says what is wrong.
    """
    if not isinstance(value, Mapping):
        raise TrialError("it must be an object")
    number, species = value.get("number"), value.get("species")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise TrialError("its number is not a whole number from 1")
    if not isinstance(species, str) or not _is_plain(species):
        raise TrialError("its species is not a plain name")
    is_simulated, digest = value.get("is_simulated"), value.get("model_digest")
    if not isinstance(is_simulated, bool) or not isinstance(digest, str):
        raise TrialError("is_simulated must be true or false and model_digest a text")
    threshold = value.get("threshold")
    if threshold is not None:
        threshold = _finite(threshold, "its threshold")
    frames = _frames_from(value, threshold)
    capture = _capture_from(value.get("capture", {}))
    return Presentation(number, species, frames, threshold, digest, is_simulated, capture)


_TEXTS = ("began", "source", "system", "processor")


def _capture_from(value: Any) -> Capture:
    known = Capture.__dataclass_fields__
    if not isinstance(value, Mapping) or not set(value) <= set(known):
        raise TrialError("its capture has other fields than " + ", ".join(known))
    capture = Capture(**value)
    for name in _TEXTS:
        if not isinstance(getattr(capture, name), str):
            raise TrialError(f"its capture's {name} must be text")
    for side in (capture.width, capture.height):
        if not isinstance(side, int) or isinstance(side, bool) or not 0 <= side <= LARGEST_SIDE:
            raise TrialError("its capture's width and height must be whole numbers of pixels")
    if capture.rate is not None and _finite(capture.rate, "its capture's rate") <= 0:
        raise TrialError("its capture's rate is not above 0")
    if capture.began:
        try:
            datetime.fromisoformat(capture.began)
        except ValueError:
            raise TrialError("its capture's began must be a date") from None
    texts: dict[str, Any] = {
        name: cleaned_name(getattr(capture, name), LONGEST_SOURCE) for name in _TEXTS
    }
    return replace(capture, **texts)


def _is_plain(species: str) -> bool:
    try:
        return species == species_name(species)
    except TrialError:
        return False


def _frames_from(value: Mapping[str, Any], threshold: float | None) -> tuple[ScoredFrame, ...]:
    verdicts = value.get("verdicts")
    if not isinstance(verdicts, list) or not isinstance(value.get("scores"), list):
        raise TrialError("verdicts and scores must be lists")
    # Earlier versions wrote only verdicts and scores.
    optional = ("liveness", "room", "place", "sizes", "seconds")
    columns = [verdicts, value["scores"]]
    columns += [value.get(name, [None] * len(verdicts)) for name in optional]
    for column in columns:
        if not isinstance(column, list) or not 0 < len(column) == len(verdicts):
            raise TrialError("it needs one verdict and one score for every frame")
    return tuple(_frame_from(threshold, *row) for row in zip(*columns, strict=True))


def _frame_from(threshold: float | None, verdict: Any, score: Any, *measured: Any) -> ScoredFrame:
    *about_score, size, seconds = measured
    frame = _judged_from(threshold, verdict, score, *about_score)
    if size is not None and not 0 < (size := _finite(size, "a size")) <= LARGEST_SIDE:
        raise TrialError("a size must be a number of pixels")
    if seconds is not None and (seconds := _finite(seconds, "a time")) < 0:
        raise TrialError("a time is negative")
    return replace(frame, size=size, seconds=seconds)


def _judged_from(
    threshold: float | None, verdict: Any, score: Any, liveness: Any, room: Any, place: Any
) -> ScoredFrame:
    if verdict not in (*_SCORED, *_UNSCORED):
        raise TrialError("a frame has a verdict that does not exist")
    verdict = Verdict(verdict)
    if verdict in _UNSCORED:
        if (score, liveness, room, place) != (None,) * 4:
            raise TrialError("a frame that could not be judged has a score")
        return ScoredFrame(verdict)
    value = _finite(score, "a score")
    if threshold is None or (value >= threshold) is not verdict.accepts:
        raise TrialError("a frame's verdict does not follow from its score and the threshold")
    if liveness is not None and not 0 <= (liveness := _finite(liveness, "a liveness")) <= 1:
        raise TrialError("a liveness is not a probability")
    familiarity = None
    if (room, place) != (None, None):
        room, place = _finite(room, "a distance"), _finite(place, "a distance")
        if min(room, place) < 0:
            raise TrialError("a distance is negative")
        familiarity = Familiarity(max(room, place), "", (), room, place)
    return ScoredFrame(verdict, score=value, liveness=liveness, familiarity=familiarity)


def _finite(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TrialError(f"{what} must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not abs(number) <= LARGEST_NUMBER:
        raise TrialError(f"{what} is not finite")
    return number
