"""Enrolment: record named takes of genuine frames that differ by more than the camera's noise."""

import itertools
import math
import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median

import numpy as np
from numpy.typing import NDArray

from app.names import LONGEST_NAME, LONGEST_PERSON, TAKE_NAMES, cleaned_name
from app.session.scoring import thumbnail_of
from app.session.takes import (
    CoverageItem,
    EnrolmentState,
    Offer,
    Plan,
    TakeSummary,
    coverage_by_person,
)
from app.types import Sample, ScoredFrame, Verdict
from app.vision.conditions import condition_groups

FEWEST_SAMPLES = 12
"""Frames needed for a model."""

QUICK_SHARE = 0.8
"""Length of a quick take, relative to an ordinary one."""

_NUMBER = re.compile(r" \(\d+\)$")
_MOVE = "Turn, nod and lean a little while the ring fills."


@dataclass
class _Recording:
    """The take that is being recorded."""

    name: str
    n_frames: int
    is_quick: bool
    person: str
    last_kept: float = -math.inf


class Enrolment:
    """The recorded takes, and the one being recorded."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.plan = plan or Plan()
        self.samples: tuple[Sample, ...] = ()
        self.modelled: frozenset[int] = frozenset()
        """Numbers of the samples on which the current model was fitted."""
        self.person = ""
        """The person of the next take; may be empty."""
        self._undo: list[tuple[Sample, ...]] = []
        self._recording: _Recording | None = None
        self._next_number = 0
        self._hint = ""
        self._previous: NDArray[np.float32] | None = None
        self._previous_time = -math.inf
        self._steps: deque[float] = deque(maxlen=25)

    @property
    def is_recording(self) -> bool:
        return self._recording is not None

    @property
    def recording(self) -> str:
        """Name of the take being recorded; empty if there is none."""
        return "" if self._recording is None else self._recording.name

    def start(self, name: str, *, is_quick: bool = False) -> str:
        """Begin a take and return its name, cleaned and made unique.

        A quick take is added to the model without a review: it has fewer frames, and drops those
        that the model calls an attack.
        """
        self.stop()
        unique = free_name(cleaned_name(name, LONGEST_NAME) or self.suggested_name, self._taken)
        self._remember()
        n_frames = round(QUICK_SHARE * self.plan.frames) if is_quick else self.plan.frames
        # With several people, the one in front of the camera need not be the one recorded last.
        is_unsure = is_quick and len({sample.person for sample in self.samples}) > 1
        self._recording = _Recording(unique, n_frames, is_quick, "" if is_unsure else self.person)
        self._hint = "Look into the camera and move your head a little."
        return unique

    def stop(self) -> None:
        """End the take; what was kept so far stays."""
        if self._recording is not None and self._undo and self._undo[-1] is self.samples:
            self._undo.pop()  # nothing was recorded
        self._recording = None
        self._hint = ""

    def offer(self, scored: ScoredFrame) -> Offer:
        """Offer a frame to the take being recorded."""
        recording = self._recording
        if recording is None:
            return Offer.IGNORED
        row = None if scored.views is None else _row(scored.views)
        self._measure_noise(row, scored.frame.time)
        if row is None:
            self._hint = scored.reason
            return Offer.UNUSABLE
        if recording.is_quick and scored.verdict is Verdict.ATTACK:
            self._hint = "This looks like an attack and is not kept: record it on the Enrol page."
            return Offer.REFUSED
        if not self._differs(row, scored.frame.time, recording):
            self._hint = _MOVE
            return Offer.ALIKE
        return self._keep(scored, recording)

    def _measure_noise(self, row: NDArray[np.float32] | None, time: float) -> None:
        """Measure noise as the difference of consecutive frames that are close in time."""
        gap, self._previous_time = time - self._previous_time, time
        previous, self._previous = self._previous, row
        if row is None or previous is None or previous.shape != row.shape:
            return
        step = float(np.linalg.norm(row - previous))
        # A repeated picture says nothing about the noise.
        if step > 0.0 and gap < self.plan.at_least_every:
            self._steps.append(step)

    def _differs(self, row: NDArray[np.float32], time: float, recording: _Recording) -> bool:
        since = time - recording.last_kept
        if since < self.plan.every:
            return False
        others = [_row(s.views) for s in self.samples if s.take == recording.name]
        if not others:
            return True
        nearest = min(float(np.linalg.norm(row - other)) for other in others)
        noise = median(self._steps) if self._steps else 0.0
        if nearest >= noise and nearest > 0.0:
            return True
        return since >= self.plan.at_least_every and nearest > 0.5 * noise

    def _keep(self, scored: ScoredFrame, recording: _Recording) -> Offer:
        result, views = scored.result, scored.views
        assert result is not None
        assert views is not None
        sample = Sample(
            self._next_number,
            recording.name,
            dict(views),
            result.condition,
            thumbnail_of(result),
            bool(result.frame.caption),
            recording.person,
        )
        self._next_number += 1
        self.samples = (*self.samples, sample)
        recording.last_kept = result.frame.time
        self._hint = _MOVE
        if sum(s.take == recording.name for s in self.samples) < recording.n_frames:
            return Offer.KEPT
        self.stop()
        return Offer.FINISHED

    def remove_samples(self, numbers: Sequence[int]) -> None:
        removed = set(numbers)
        self._change(tuple(s for s in self.samples if s.number not in removed))

    def remove_take(self, name: str) -> None:
        """Remove a take; if it is being recorded, the recording ends."""
        self._change(tuple(s for s in self.samples if s.take != name))
        if self.recording == name:
            self.stop()

    def rename_take(self, name: str, new: str) -> None:
        """Rename a take, unless the new name is empty or taken."""
        new = cleaned_name(new, LONGEST_NAME)
        if not new or new in self._taken:
            return
        self._change(tuple(replace(s, take=new) if s.take == name else s for s in self.samples))
        if self._recording is not None and self._recording.name == name:
            self._recording.name = new

    def set_person(self, person: str) -> None:
        """Set the person of the next take, unless one is being recorded."""
        if self._recording is None:
            self.person = cleaned_name(person, LONGEST_PERSON)

    def assign_take(self, name: str, person: str) -> None:
        """Set the person of a take, unless it is being recorded."""
        person = cleaned_name(person, LONGEST_PERSON)
        if self.recording != name:
            self._change(
                tuple(
                    replace(s, person=person) if s.take == name and s.person != person else s
                    for s in self.samples
                )
            )

    def restore(self, samples: Sequence[Sample]) -> None:
        """Add samples of an earlier run, with numbers and names that are free here."""
        taken = self._taken
        names: dict[str, str] = {}
        restored = []
        for sample in samples:
            if sample.take not in names:
                clean = cleaned_name(sample.take, LONGEST_NAME) or self.suggested_name
                names[sample.take] = free_name(clean, taken | set(names.values()))
            take, person = names[sample.take], cleaned_name(sample.person, LONGEST_PERSON)
            restored.append(replace(sample, number=self._next_number, take=take, person=person))
            self._next_number += 1
        self._change((*self.samples, *restored))

    def undo(self) -> None:
        """Undo the last change: a recording, a removal, a renaming."""
        if self._undo:
            self._recording, self._hint = None, ""
            self.samples = self._undo.pop()

    def clear(self) -> None:
        """Forget everything, including the undo history."""
        self._recording = None
        self._undo.clear()
        self.samples, self.modelled, self._hint, self.person = (), frozenset(), "", ""

    def _change(self, samples: tuple[Sample, ...]) -> None:
        if samples != self.samples:  # samples are compared by identity
            self._remember()
            self.samples = samples

    def _remember(self) -> None:
        if not self._undo or self._undo[-1] is not self.samples:
            self._undo.append(self.samples)

    @property
    def suggested_name(self) -> str:
        """A name for the next take; another person may have a take of the same name."""
        taken = self._taken
        others = {sample.take for sample in self.samples if sample.person != self.person}
        own = {_NUMBER.sub("", name) for name in taken - others}
        numbered = (f"take {number}" for number in itertools.count(len(taken) + 1))
        free = (name for name in numbered if name not in taken)
        return next((name for name in TAKE_NAMES if name not in own), "") or next(free)

    @property
    def _taken(self) -> set[str]:
        """Names of all takes, including the one being recorded."""
        return {sample.take for sample in self.samples} | ({self.recording} - {""})

    @property
    def unmodelled(self) -> tuple[Sample, ...]:
        """Samples on which the current model was not fitted."""
        return tuple(s for s in self.samples if s.number not in self.modelled)

    def why_not(self) -> str:
        """Return what is missing before a model can be fitted; empty if nothing is."""
        if self.is_recording:
            return "A take is being recorded: wait until it is complete, or stop it."
        missing = FEWEST_SAMPLES - len(self.samples)
        return f"Record a take first: {missing} more frames are needed." if missing > 0 else ""

    @property
    def state(self) -> EnrolmentState:
        recording, lights = self._recording, _lights(self.samples)
        counts = Counter(sample.take for sample in self.samples)
        persons = {sample.take: sample.person for sample in self.samples}
        left = {sample.take for sample in self.unmodelled}
        takes = tuple(
            TakeSummary(name, n, lights.get(name, 0), name not in left, persons[name])
            for name, n in counts.items()
        )
        why_not = self.why_not()
        return EnrolmentState(
            takes=takes,
            samples=self.samples,
            coverage=_coverage(self.samples),
            collecting=self.recording,
            n_wanted=0 if recording is None else recording.n_frames,
            n_collected=0 if recording is None else counts[recording.name],
            hint=self._hint,
            can_fit=not why_not,
            why_not=why_not,
            can_undo=bool(self._undo),
            suggested_name=self.suggested_name,
            person=self.person,
        )


@lru_cache(maxsize=1)
def _coverage(samples: tuple[Sample, ...]) -> tuple[CoverageItem, ...]:
    """Return the coverage; cached, as views ask at every frame but samples change less often."""
    return coverage_by_person([(s.condition, s.take, s.person) for s in samples])


@lru_cache(maxsize=1)
def _lights(samples: tuple[Sample, ...]) -> dict[str, int]:
    """Number the lights of the takes from 1, in the order of the takes."""
    known = [(s.condition, s.take) for s in samples if s.condition is not None]
    if not known:
        return {}
    takes = [take for _, take in known]
    shared = condition_groups([condition for condition, _ in known], takes)
    order = {light: number for number, light in enumerate(dict.fromkeys(shared), start=1)}
    return {take: order[light] for take, light in zip(takes, shared, strict=True)}


def _row(views: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return a frame's views as one row."""
    return np.concatenate([view.ravel() for view in views.values()])


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with a number added if it is taken."""
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name} ({number})"
    return unique
