"""A guided test session: presentations, one after the other, and their counts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

import msgspec

from app.names import cleaned_name
from app.session.decision import ENOUGH_FRAMES
from app.session.guided_test.details import Details, details_from
from app.session.guided_test.plans import PlanProgress, TestPlan, plan_from
from app.session.guided_test.presentation import (
    LONGEST_SOURCE,
    Capture,
    GuidedTestError,
    Presentation,
    Tally,
    converted,
    kept_numbers,
    operating_system,
    presentation_from,
    processor,
    species_name,
)
from app.types import BONA_FIDE, SPECIES, Frame, ScoredFrame, Verdict

FRAMES_WANTED = 30
"""Scored frames after which a presentation ends."""

SECONDS_WANTED = 6.0
"""Frame time after which it ends anyway, as an attack may show no face."""

FORMAT = "lmkl-pad test session"
FORMAT_VERSION = 1
MOST_PRESENTATIONS = 10_000

IDLE = "Choose what you present, then start."


@dataclass(frozen=True)
class GuidedTestState:
    """A test session, for display; ``presenting`` is the species being presented, or empty."""

    presenting: str = ""
    progress: float = 0.0
    hint: str = ""
    presentations: tuple[Presentation, ...] = ()
    tally: tuple[Tally, ...] = ()
    plan: PlanProgress | None = None
    details: Details = field(default_factory=Details)


class _SessionFile(msgspec.Struct):
    """A session as stored in a file; earlier versions wrote neither plan nor details."""

    presentations: Annotated[list[Any], msgspec.Meta(max_length=MOST_PRESENTATIONS)]
    plan: Any = None
    details: Any = msgspec.field(default_factory=dict)


class _Running:
    """A presentation under way."""

    def __init__(self, species: str, is_simulated: bool, source: str, began: str) -> None:
        self.species = species
        self.is_simulated = is_simulated
        self._source, self._began = source, began
        self.begin_again()

    def begin_again(self) -> None:
        self.frames: list[ScoredFrame] = []
        self.threshold: float | None = None
        self.seconds = 0.0
        self._first: Frame | None = None
        self._last: Frame | None = None

    def add(self, scored: ScoredFrame, frame: Frame) -> None:
        self.frames.append(scored)
        self._first = self._first or frame
        # A reopened source may restart its clock: only steps forward count.
        if self._last is not None:
            self.seconds += max(frame.time - self._last.time, 0.0)
        self._last = frame

    @property
    def capture(self) -> Capture:
        assert self._first is not None
        assert self._last is not None
        height, width = (*getattr(self._first.image, "shape", ()), 0, 0)[:2]
        n_delivered = self._last.number - self._first.number
        rate = n_delivered / self.seconds if n_delivered > 0 < self.seconds else None
        machine = operating_system(), processor()
        return Capture(self._began, self._source, width, height, rate, *machine)

    @property
    def n_scored(self) -> int:
        return sum(frame.score is not None for frame in self.frames)

    @property
    def is_complete(self) -> bool:
        if self.n_scored >= FRAMES_WANTED:
            return True
        # A slow computer gets the time it needs.
        return self.seconds >= SECONDS_WANTED and len(self.frames) >= ENOUGH_FRAMES

    @property
    def progress(self) -> float:
        share = max(self.n_scored / FRAMES_WANTED, self.seconds / SECONDS_WANTED)
        return 1.0 if self.is_complete else min(share, 0.99)

    @property
    def hint(self) -> str:
        if self.is_simulated:
            action = "The demo presents it"
        elif self.species == BONA_FIDE:
            action = "Look into the camera"
        else:
            action = "Hold the attack in front of the camera"
        last = _MISSING.get(self.frames[-1].verdict, "") if self.frames else ""
        return f"{action}: {self.n_scored} of {FRAMES_WANTED} frames judged.{last}"


_MISSING = {
    Verdict.NO_FACE: " No face is found.",
    Verdict.POOR_QUALITY: " The picture is too poor.",
}


class GuidedTest:
    """Presentations with plan and details; ``clock`` returns an aware date and time."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self.plan: TestPlan | None = None
        self.details = Details()
        self.presentations: tuple[Presentation, ...] = ()
        """The finished presentations."""
        self._clock = clock
        self._running: _Running | None = None
        self._digest = ""
        self._next_number = 1
        self._hint = IDLE

    @property
    def is_presenting(self) -> bool:
        return self._running is not None

    def use_model(self, digest: str) -> None:
        """Set the model in use; a presentation under way begins again if it changes."""
        if self._running is not None and digest != self._digest and self._running.frames:
            self._running.begin_again()
        self._digest = digest

    def start(self, species: str, is_simulated: bool = False, source: str = "") -> None:
        """Begin a presentation, dropping the one under way; a bad name raises `GuidedTestError`."""
        known = (presentation.species for presentation in self.presentations)
        self._running = _Running(
            species_name(species, known),
            is_simulated,
            cleaned_name(source, LONGEST_SOURCE),
            self._clock().isoformat(timespec="seconds"),
        )
        self._hint = ""

    def offer(self, scored: ScoredFrame) -> bool:
        """Add a frame to the presentation under way; return whether this frame ended it."""
        running = self._running
        if running is None:
            return False
        if scored.verdict is Verdict.NO_MODEL:
            self._running = None
            self._hint = "There is no model to test yet: enrol a face and fit one first."
            return False
        frame = kept_numbers(scored)
        if frame.score is not None:
            if running.threshold is not None and running.threshold != scored.threshold:
                running.begin_again()
            running.threshold = scored.threshold
        running.add(frame, scored.frame)
        if running.is_complete:
            self._record(running)
        return running.is_complete

    def finish(self) -> bool:
        """End the presentation; keep it if enough frames have a score, or as many have none."""
        running, self._running = self._running, None
        if running is None:
            return False
        if max(running.n_scored, len(running.frames) - running.n_scored) < ENOUGH_FRAMES:
            self._hint = "That was too short to be judged: present it again for longer."
            return False
        self._record(running)
        return True

    def cancel(self) -> None:
        """Drop the presentation under way."""
        if self._running is not None:
            self._running = None
            self._hint = IDLE

    def remove(self, number: int) -> None:
        """Drop the finished presentation with this number, if there is one."""
        self.presentations = tuple(kept for kept in self.presentations if kept.number != number)

    def clear(self) -> None:
        """Drop all presentations; plan and details stay."""
        self.presentations, self._next_number = (), 1
        self._running, self._hint = None, IDLE

    def take_over(self, other: "GuidedTest") -> None:
        """Continue another session in place of this one."""
        self.presentations, self._next_number = other.presentations, other._next_number
        self.plan, self.details = other.plan, other.details
        self._running, self._hint = None, IDLE

    def _record(self, running: _Running) -> None:
        presentation = Presentation(
            self._next_number,
            running.species,
            tuple(running.frames),
            running.threshold,
            self._digest,
            running.is_simulated,
            running.capture,
        )
        self.presentations += (presentation,)
        self._next_number += 1
        self._running = None
        self._hint = outcome_sentence(presentation)

    @property
    def tally(self) -> tuple[Tally, ...]:
        """One for each species: bona fide first, then in order of appearance."""
        names = list(dict.fromkeys(kept.species for kept in self.presentations))
        names.sort(key=lambda name: name != BONA_FIDE)
        return tuple(
            Tally.of(name, [kept.verdict for kept in self.presentations if kept.species == name])
            for name in names
        )

    @property
    def state(self) -> GuidedTestState:
        running = self._running
        return GuidedTestState(
            presenting=running.species if running else "",
            progress=running.progress if running else 0.0,
            hint=running.hint if running else self._hint,
            presentations=self.presentations,
            tally=self.tally,
            plan=None if self.plan is None else self.plan.progress(self.presentations),
            details=self.details,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plan, details and presentations as JSON values."""
        return {**self.head(), "presentations": [kept.as_dict() for kept in self.presentations]}

    def head(self) -> dict[str, Any]:
        """Return plan and details as JSON values."""
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "plan": None if self.plan is None else self.plan.as_dict(),
            "details": self.details.as_dict(),
        }

    @classmethod
    def from_dict(cls, value: Any) -> "GuidedTest":
        """Read a session from untrusted JSON values, or raise `GuidedTestError`."""
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise GuidedTestError("This is not a test session of lmkl-pad: choose another file.")
        if value.get("version") != FORMAT_VERSION:
            version = cleaned_name(str(value.get("version")), 20)
            raise GuidedTestError(
                f"This test session has format version {version}, which is not {FORMAT_VERSION}: "
                "open it with the version of lmkl-pad that wrote it."
            )
        part, guided_test, found = "This test session", cls(), list[Presentation]()
        try:
            saved = converted(value, _SessionFile)
            part = "The plan of this test session"
            guided_test.plan = None if saved.plan is None else plan_from(saved.plan)
            part = "The details of this test session"
            guided_test.details = details_from(saved.details)
            for position, row in enumerate(saved.presentations, start=1):
                part = f"Presentation {position} of this test session"
                presentation = presentation_from(row)
                if presentation.number < guided_test._next_number:
                    raise GuidedTestError("its number is not larger than the one before")
                found.append(presentation)
                guided_test._next_number = presentation.number + 1
        except GuidedTestError as error:
            reason = str(error).rstrip(".")
            raise GuidedTestError(
                f"{part} cannot be read ({reason}): choose another file."
            ) from error
        guided_test.presentations = tuple(found)
        return guided_test


_OUTCOMES = {
    Verdict.GENUINE: "was accepted",
    Verdict.ATTACK: "was refused",
    Verdict.UNFAMILIAR: "was refused, in a light that was not enrolled",
    Verdict.NO_FACE: "was not judged, because no face was found",
    Verdict.POOR_QUALITY: "was not judged, because the picture was too poor",
}


def outcome_sentence(presentation: Presentation) -> str:
    """Return whether a presentation was judged correctly, and its score."""
    species, verdict = presentation.species, presentation.verdict
    if species == BONA_FIDE:
        what = "the genuine person"
    elif species in SPECIES:
        what = "the replayed video" if species == "replay" else f"the {species}"
    else:
        what = f"\N{LEFT DOUBLE QUOTATION MARK}{species}\N{RIGHT DOUBLE QUOTATION MARK}"
    judged = "Right" if presentation.is_attack == verdict.refuses else "Wrong"
    sentence = f"{judged if verdict.decides else 'No response'}: {what} {_OUTCOMES[verdict]}."
    if presentation.score is None or presentation.threshold is None:
        return sentence
    scores = f"Mean score {presentation.score:.3f}, threshold {presentation.threshold:.3f}."
    return f"{sentence} {scores}"
