"""A guided test session: presentations one after the other, and their tally.

Used by one thread. `Trial.start` names what is presented, `Trial.offer` takes every judged frame
until there are enough, and `Trial.shown` is what a view shows of it all.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from app.names import cleaned_name
from app.session.decision import ENOUGH_FRAMES
from app.session.guided_test.details import as_dict as details_as_dict
from app.session.guided_test.details import details_from
from app.session.guided_test.machine import operating_system, processor
from app.session.guided_test.outcome import outcome_sentence, tally_row
from app.session.guided_test.plans import TestPlan, plan_from
from app.session.guided_test.presentation import (
    LONGEST_SOURCE,
    Capture,
    Presentation,
    TrialError,
    kept_numbers,
    presentation_from,
    species_name,
)
from app.session.guided_test.state import Details, TallyRow, TrialState
from app.types import BONA_FIDE, Frame, ScoredFrame, Verdict

__all__ = ["FRAMES_WANTED", "SECONDS_WANTED", "Presentation", "Trial", "TrialError"]

FRAMES_WANTED = 30
"""Scored frames after which a presentation ends."""

SECONDS_WANTED = 6.0
"""Frame time after which it ends too, so that an attack without a face to see ends as well."""

FORMAT = "lmkl-pad test session"
FORMAT_VERSION = 1
MOST_PRESENTATIONS = 10_000
_LONGEST_SHOWN = 20

IDLE = "Choose what you present, then start."


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
        # A source that is opened again starts its clock anew: only steps forward count.
        if self._last is not None:
            self.seconds += max(frame.time - self._last.time, 0.0)
        self._last = frame

    @property
    def capture(self) -> Capture:
        width = height = 0
        rate = None
        if self._first is not None and self._last is not None:
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
        # A slow machine gets the time it needs: its few frames are no missing response.
        return self.seconds >= SECONDS_WANTED and len(self.frames) >= ENOUGH_FRAMES

    @property
    def progress(self) -> float:
        share = max(self.n_scored / FRAMES_WANTED, self.seconds / SECONDS_WANTED)
        return 1.0 if self.is_complete else min(share, 0.99)


def _now() -> datetime:
    return datetime.now().astimezone()


class Trial:
    """The presentations of a test session, with its plan and its details.

    Parameters
    ----------
    clock : callable
        Returns the date and time, with its offset.

    Attributes
    ----------
    plan : TestPlan or None
        How many presentations are wanted of what.
    details : Details
        What the people say about the test.
    """

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self.plan: TestPlan | None = None
        self.details = Details()
        self._clock = clock
        self._presentations: list[Presentation] = []
        self._running: _Running | None = None
        self._digest = ""
        self._next_number = 1
        self._hint = IDLE

    @property
    def presentations(self) -> tuple[Presentation, ...]:
        """All presentations that have ended, in their order."""
        return tuple(self._presentations)

    @property
    def is_presenting(self) -> bool:
        """Whether frames are being gathered."""
        return self._running is not None

    def use_model(self, digest: str) -> None:
        """Tell which model judges from now on.

        A presentation that is under way begins again, for its frames must not come from two
        models.

        Parameters
        ----------
        digest : str
            Of the model; empty when it is not known.
        """
        if self._running is not None and digest != self._digest and self._running.frames:
            self._running.begin_again()
        self._digest = digest

    def start(self, species: str, is_simulated: bool = False, source: str = "") -> None:
        """Begin a presentation; one that is under way is dropped.

        Parameters
        ----------
        species : str
            `app.types.BONA_FIDE`, one of `app.types.SPECIES`, or a name of the person's own.
        is_simulated : bool
            Whether it is generated and not held before a camera.
        source : str
            Name of the camera, file or demo.

        Raises
        ------
        TrialError
            When the name is empty or too long.
        """
        known = (presentation.species for presentation in self._presentations)
        self._running = _Running(
            species_name(species, known),
            is_simulated,
            cleaned_name(source, LONGEST_SOURCE),
            self._clock().isoformat(timespec="seconds"),
        )
        self._hint = ""

    def offer(self, scored: ScoredFrame) -> bool:
        """Take a frame, if a presentation is under way.

        Parameters
        ----------
        scored : ScoredFrame
            The frame, judged.

        Returns
        -------
        bool
            Whether the presentation ended with it.
        """
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
            return True
        return False

    def finish(self) -> bool:
        """End the presentation now, and keep it if it can be judged.

        Returns
        -------
        bool
            Whether it was kept: `ENOUGH_FRAMES` frames with a score are needed, or as many
            without one.
        """
        running, self._running = self._running, None
        if running is None:
            return False
        n_unscored = len(running.frames) - running.n_scored
        if max(running.n_scored, n_unscored) < ENOUGH_FRAMES:
            self._hint = "That was too short to be judged: present it again for a little longer."
            return False
        self._record(running)
        return True

    def cancel(self) -> None:
        """Drop the presentation that is under way."""
        if self._running is not None:
            self._running = None
            self._hint = IDLE

    def remove(self, number: int) -> None:
        """Drop a presentation that has ended; nothing happens when there is none such."""
        self._presentations = [kept for kept in self._presentations if kept.number != number]

    def clear(self) -> None:
        """Drop all presentations and begin a new session; plan and details stay."""
        self._presentations = []
        self._running = None
        self._next_number = 1
        self._hint = IDLE

    def take_over(self, other: "Trial") -> None:
        """Go on with another session, in the place of this one."""
        self._presentations = list(other.presentations)
        self._next_number = other._next_number
        self.plan, self.details = other.plan, other.details
        self._running = None
        self._hint = IDLE

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
        self._presentations.append(presentation)
        self._next_number += 1
        self._running = None
        self._hint = outcome_sentence(presentation)

    @property
    def tally(self) -> tuple[TallyRow, ...]:
        """One row for every species, bona fide first, then in the order of their appearance."""
        names = list(dict.fromkeys(kept.species for kept in self._presentations))
        names.sort(key=lambda name: name != BONA_FIDE)
        return tuple(
            tally_row(name, [kept for kept in self._presentations if kept.species == name])
            for name in names
        )

    @property
    def shown(self) -> TrialState:
        """The session as a view shows it."""
        running = self._running
        return TrialState(
            presenting=running.species if running else "",
            progress=running.progress if running else 0.0,
            hint=_running_hint(running) if running else self._hint,
            presentations=tuple(kept.shown for kept in self._presentations),
            tally=self.tally,
            plan=None if self.plan is None else self.plan.shown(self._presentations),
            details=self.details,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plan, details and the ended presentations as JSON values."""
        return {**self.head(), "presentations": [kept.as_dict() for kept in self._presentations]}

    def head(self) -> dict[str, Any]:
        """Return the same without the presentations."""
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "plan": None if self.plan is None else self.plan.as_dict(),
            "details": details_as_dict(self.details),
        }

    @classmethod
    def from_dict(cls, value: Any) -> "Trial":
        """Read a session from what `as_dict` returned, or from anything else.

        Parameters
        ----------
        value : object
            JSON values; nothing about them is trusted.

        Raises
        ------
        TrialError
            One sentence that says what is wrong.
        """
        if not isinstance(value, Mapping) or value.get("format") != FORMAT:
            raise TrialError("This is no test session of lmkl-pad: choose another file.")
        if value.get("version") != FORMAT_VERSION:
            raise TrialError(
                f"This test session has format version {_shown(value.get('version'))}, which "
                f"is not {FORMAT_VERSION}: open it with the version of lmkl-pad that wrote it."
            )
        rows = value.get("presentations")
        if not isinstance(rows, list) or len(rows) > MOST_PRESENTATIONS:
            raise TrialError(
                f"This test session has no list of at most {MOST_PRESENTATIONS} presentations: "
                "choose another file."
            )
        trial = cls()
        trial._read_head(value)
        for place, row in enumerate(rows, start=1):
            try:
                presentation = presentation_from(row)
                if presentation.number < trial._next_number:
                    raise TrialError("its number is not above the one before")
            except TrialError as error:
                reason = str(error).rstrip(".")
                raise TrialError(
                    f"Presentation {place} of this test session cannot be read ({reason}): "
                    "choose another file."
                ) from error
            trial._presentations.append(presentation)
            trial._next_number = presentation.number + 1
        return trial

    def _read_head(self, value: Mapping[str, Any]) -> None:
        """Read plan and details, which earlier versions did not write."""
        what = "plan"
        try:
            plan = value.get("plan")
            self.plan = None if plan is None else plan_from(plan)
            what = "details"
            self.details = details_from(value.get("details", {}))
        except TrialError as error:
            reason = str(error).rstrip(".")
            raise TrialError(
                f"The {what} of this test session cannot be read ({reason}): choose another file."
            ) from error


def _shown(value: Any) -> str:
    return cleaned_name(str(value), _LONGEST_SHOWN)


_MISSING = {
    Verdict.NO_FACE: " No face is found.",
    Verdict.POOR_QUALITY: " The picture is too poor.",
}


def _running_hint(running: _Running) -> str:
    if running.is_simulated:
        what = "The simulation presents it"
    elif running.species == BONA_FIDE:
        what = "Look into the camera"
    else:
        what = "Hold the attack before the camera"
    last = _MISSING.get(running.frames[-1].verdict, "") if running.frames else ""
    return f"{what}: {running.n_scored} of {FRAMES_WANTED} frames judged.{last}"
