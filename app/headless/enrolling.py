"""Enrolment without a window: takes from sources, and the model fitted on them.

A live source is recorded as in the window, and the demo is rendered as the window presents it. From
a recording, evenly spaced frames are kept.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.capture.opening import source_from
from app.capture.source import FrameSource
from app.demo import director
from app.demo.source import DemoSource
from app.headless.errors import TooFewFramesError
from app.headless.reading import Opened, apart_in_time, opened, shown_name, spread
from app.models.fitting import Cancel, extended, fitted, recalibrated
from app.models.model import PadModel
from app.names import LONGEST_PERSON, cleaned_name
from app.session.enrolment import (
    FEWEST_SAMPLES,
    LONGEST_NAME,
    SUGGESTIONS,
    Enrolment,
    Offer,
    Plan,
    Sample,
    as_samples,
)
from app.session.frame_scoring import observe
from app.settings import Settings
from app.types import Frame
from app.vision.pipeline import Pipeline

LONGEST_TAKE = 180.0
"""Seconds after which a live take ends with what it has."""

ALIKE = "It is the same picture as one before."

Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class TakeWanted:
    """A take to record: where from, its name (empty: after its source), whose face (or empty)."""

    source: str
    name: str = ""
    person: str = ""


@dataclass
class TakeRecorded:
    """What became of a take.

    Attributes
    ----------
    name : str
        As enrolled.
    source : str
        Where it came from, fit to be shown.
    n_seen : int
        Frames that were looked at.
    samples : list of Sample
        Frames that were kept.
    refused : Counter
        How many frames were not usable, by reason.
    note : str
        What the person should know of how it was recorded; mostly empty.
    person : str
        Whose face it shows; empty where that was not said.
    """

    name: str
    source: str
    n_seen: int = 0
    samples: list[Sample] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    note: str = ""
    person: str = ""


class Recorder:
    """Record takes one after the other.

    Parameters
    ----------
    pipeline : Pipeline
        Gives the views.
    settings : Settings
        Frame size asked of a camera.
    n_frames : int, optional
        Frames kept of each take; those of the window's plan by default.
    every : float, optional
        Seconds between frames that are looked at, at least.
    base : PadModel, optional
        The model that the takes are for: its takes' names are taken, and its frames are known.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        settings: Settings,
        *,
        n_frames: int | None = None,
        every: float | None = None,
        base: PadModel | None = None,
    ) -> None:
        plan = Plan()
        if n_frames is not None:
            plan = replace(plan, frames=n_frames)
        if every is not None:
            plan = replace(plan, every=every, at_least_every=max(every, plan.at_least_every))
        self.plan = plan
        self.takes: list[TakeRecorded] = []
        self._every = every
        self._pipeline = pipeline
        self._settings = settings
        self._taken = set() if base is None else set(base.takes)
        self._known = set() if base is None else _contents(base)

    @property
    def samples(self) -> list[Sample]:
        """Frames kept of all takes."""
        return [sample for take in self.takes for sample in take.samples]

    def record(self, wanted: TakeWanted, tell: Tell | None = None) -> TakeRecorded:
        """Record a take from the source it names.

        Parameters
        ----------
        wanted : TakeWanted
            What to record.
        tell : callable, optional
            Told of frames kept, frames wanted, and what is being done or should be done.

        Raises
        ------
        app.capture.source.SourceError
            When the source cannot be read.
        """
        source = source_from(wanted.source)
        take = TakeRecorded(self._name_for(wanted, source), shown_name(wanted.source, source))
        take.person = cleaned_name(wanted.person, LONGEST_PERSON)
        if isinstance(source, DemoSource):
            self._record_demo(source, take, tell)
        else:
            with opened(wanted.source, self._settings) as reading:
                (self._record_live if source.is_live else self._read)(reading, take, tell)
        if not take.samples and not take.note:
            take.note = _nothing_of(take)
        self._taken.add(take.name)
        self.takes.append(take)
        return take

    def _name_for(self, wanted: TakeWanted, source: FrameSource) -> str:
        """Return a name that no other take has."""
        if isinstance(source, DemoSource):
            unsaid = next((name for name in SUGGESTIONS if name not in self._taken), "demo")
        else:
            unsaid = source.name if source.is_live else Path(source.name).stem
        clean = cleaned_name(wanted.name or unsaid, LONGEST_NAME) or "take"
        name, number = clean, 1
        while name in self._taken:
            number += 1
            name = f"{clean} ({number})"
        return name

    def _record_live(self, reading: Opened, take: TakeRecorded, tell: Tell | None) -> None:
        """Do what the window does while a take is recorded."""
        enrolment = Enrolment(self.plan)
        enrolment.set_person(take.person)
        enrolment.start(take.name)
        for frame in reading.frames(self._pipeline):
            seen = observe(self._pipeline, None, frame)
            take.n_seen += 1
            if enrolment.offer(seen) is Offer.UNUSABLE:
                take.refused[seen.scored.reason] += 1
            if tell is not None:
                hint = enrolment.shown.hint or f"recording {take.name}"
                tell(len(enrolment.samples), self.plan.frames, hint)
            if not enrolment.is_recording:
                break
            if frame.time >= LONGEST_TAKE:
                take.note = (
                    f"The take {take.name} ended after {LONGEST_TAKE:.0f} seconds with "
                    f"{len(enrolment.samples)} of {self.plan.frames} frames: "
                    "stay before the camera and move a little."
                )
                break
        take.samples = list(enrolment.samples)

    def _record_demo(self, demo: DemoSource, take: TakeRecorded, tell: Tell | None) -> None:
        """Enrol one of the demo's takes, rendering no more frames than are looked at."""
        from app.demo.renderer.takes import RATE, Take, frames

        n_takes = len(self.takes)
        light = director.light_of(take.name, n_takes)
        chapter = director.enrolment_take(demo, light, n_takes)
        every = max(1, math.ceil(self.plan.every * RATE))
        n_frames = every * self.plan.frames
        shot = Take(chapter.person, "bonafide", None, light, chapter.seed, n_frames)
        self._pipeline.reset()
        for frame in frames(shot, every):
            if tell is not None:
                tell(take.n_seen, self.plan.frames, f"recording {take.name}")
            self._keep(take, frame, is_simulated=True)

    def _keep(
        self, take: TakeRecorded, frame: Frame, *, is_simulated: bool = False
    ) -> Sample | None:
        """Add a frame to a take, or count why it is not usable."""
        take.n_seen += 1
        result = self._pipeline.process(frame)
        if result.views is None:
            take.refused[result.reason] += 1
            return None
        number, views = len(take.samples), dict(result.views)
        sample = Sample(number, take.name, views, result.condition, None, is_simulated, take.person)
        take.samples.append(sample)
        return sample

    def _read(self, reading: Opened, take: TakeRecorded, tell: Tell | None) -> None:
        """Read a whole recording and keep frames evenly over its length."""
        n_expected = 2 * self.plan.frames
        for frame in apart_in_time(reading.frames(self._pipeline), self._step(reading)):
            if tell is not None:
                tell(min(take.n_seen, n_expected), n_expected, f"looking at {take.source}")
            if (sample := self._keep(take, frame)) is None:
                continue
            # Over all takes: a recording that is named twice, or a copy of it, would be left out
            # while it is learnt from, and the threshold would ask for what only itself can reach.
            content = _content(sample.views)
            if content in self._known:
                take.refused[ALIKE] += 1
                take.samples.pop()
            self._known.add(content)
        places = sorted(spread(range(len(take.samples)), self.plan.frames))
        take.samples = [take.samples[place] for place in places]

    def _step(self, reading: Opened) -> float:
        """Return the seconds between frames: long recordings are looked at more sparsely."""
        if reading.has_stills:
            return self._every or 0.0
        every = self.plan.every if self._every is None else self._every
        n, rate = reading.info.n_frames, reading.info.rate
        if not n or rate <= 0:
            return every
        # Twice as many as are kept: some will not be usable.
        return max(every, n / rate / (2 * self.plan.frames))


def model_from(
    recorder: Recorder,
    settings: Settings,
    features: dict[str, object],
    *,
    base: PadModel | None = None,
    target_bpcer: float | None = None,
    cancel: Cancel | None = None,
) -> PadModel:
    """Fit a model on what was recorded, or fold it into one that is there.

    Parameters
    ----------
    recorder : Recorder
        Its takes.
    settings : Settings
        The parameters of a new model.
    features : dict
        Fingerprint of the views.
    base : PadModel, optional
        The model to fold the takes into; it stays as it is.
    target_bpcer : float, optional
        Another target for the grown model's threshold.
    cancel : callable, optional
        Asked now and then whether to stop.

    Raises
    ------
    TooFewFramesError
        When there is too little to learn from.
    """
    samples = recorder.samples
    if len(samples) < FEWEST_SAMPLES:
        raise TooFewFramesError(_too_few(recorder.takes, len(samples)))
    simulated = any(sample.is_simulated for sample in samples)
    rows = as_samples(samples)
    if base is None:
        return fitted(rows, settings, features, is_simulated=simulated, cancel=cancel)
    grown = extended(base, rows, is_simulated=simulated, cancel=cancel)
    return grown if target_bpcer is None else recalibrated(grown, target_bpcer)


def refused_in(takes: Iterable[TakeRecorded]) -> Counter[str]:
    """Return how many frames of all takes were refused, by reason."""
    total: Counter[str] = Counter()
    for take in takes:
        total += take.refused
    return total


def _content(views: Mapping[str, NDArray[Any]]) -> bytes:
    return b"".join(np.float32(views[name]).tobytes() for name in sorted(views))


def _contents(model: PadModel) -> set[bytes]:
    """Return the contents of the frames that a model rests on."""
    rows = model.estimator.support_views()
    n = len(next(iter(rows.values())))
    return {_content({name: array[row] for name, array in rows.items()}) for row in range(n)}


def _nothing_of(take: TakeRecorded) -> str:
    why = take.refused.most_common(1)
    reason = f" (“{why[0][0].rstrip('.')}”)" if why else ""
    return f"The take {take.name} is left out: none of its {take.n_seen} frames is usable{reason}."


def _too_few(takes: Sequence[TakeRecorded], n: int) -> str:
    n_seen = sum(take.n_seen for take in takes)
    refused = refused_in(takes)
    why = ""
    if refused:
        reason, count = refused.most_common(1)[0]
        total = refused.total()
        why = f" {total} were refused, {count} of them with: “{reason.rstrip('.')}”;"
    kept = "1 frame" if n == 1 else f"{n} frames"
    return (
        f"Only {kept} could be kept of the {n_seen} that were looked at, and {FEWEST_SAMPLES} "
        f"are needed:{why} record longer or better ones, or name more sources."
    )
