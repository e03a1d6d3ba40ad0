"""Record takes from sources and fit a model on them."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.capture.opening import source_from
from app.capture.source import FrameSource
from app.cli.console import ProgressCallback
from app.cli.inputs import Opened, apart_in_time, opened, shown_name
from app.demo.renderer.takes import frames as rendered
from app.demo.script import RATE, light_of
from app.demo.source import DemoSource
from app.evaluation.protocols.recordings import spread
from app.models.fitting import extended, fitted, recalibrated
from app.models.model import PadModel
from app.names import LONGEST_NAME, LONGEST_PERSON, TAKE_NAMES, cleaned_name, counted
from app.session.enrolment import FEWEST_SAMPLES, Enrolment, free_name
from app.session.scoring import score_frame
from app.session.takes import Offer, Plan
from app.settings import Settings
from app.types import Frame, Sample
from app.vision.pipeline import Pipeline
from lmkl_core.errors import InvalidInputError

LONGEST_TAKE = 180.0  # seconds after which a live take ends

DUPLICATE = "The picture is the same as an earlier one."


class TooFewFramesError(InvalidInputError):
    """The sources have too few frames with a usable face."""


@dataclass(frozen=True)
class TakeWanted:
    """A take to record; without a ``name``, the source gives it; ``person`` may be empty."""

    source: str
    name: str = ""
    person: str = ""


@dataclass
class TakeRecorded:
    """A recorded take: the frames examined, kept, and refused by reason."""

    name: str
    source: str
    person: str
    n_seen: int = 0
    samples: list[Sample] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    note: str = ""


class Recorder:
    """Record takes one after the other; ``n_frames`` and ``every`` replace the window's plan.

    Names and frames of ``base``, the model to extend, are not used again.
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
        plan = Plan() if n_frames is None else Plan(frames=n_frames)
        if every is not None:
            plan = replace(plan, every=every, at_least_every=max(every, plan.at_least_every))
        self.plan = plan
        self.takes: list[TakeRecorded] = []
        self._pipeline, self._settings = pipeline, settings
        self._every, self._base = every, base
        self._taken = set() if base is None else set(base.takes)
        self._known = set() if base is None else _contents(base)

    @property
    def samples(self) -> list[Sample]:
        return [sample for take in self.takes for sample in take.samples]

    @property
    def refused(self) -> Counter[str]:
        return sum((take.refused for take in self.takes), Counter())

    def record(
        self, wanted: TakeWanted, progress: ProgressCallback = lambda *_: None
    ) -> TakeRecorded:
        """Record a take; raises `SourceError` if its source cannot be read."""
        source = source_from(wanted.source)
        take = TakeRecorded(
            self._name_for(wanted, source),
            shown_name(wanted.source, source),
            cleaned_name(wanted.person, LONGEST_PERSON),
        )
        if isinstance(source, DemoSource):
            self._record_demo(source, take, progress)
        else:
            with opened(wanted.source, self._settings) as reading:
                (self._record_live if source.is_live else self._read)(reading, take, progress)
        if not take.samples and not take.note:
            why = take.refused.most_common(1)
            reason = f" (“{why[0][0].rstrip('.')}”)" if why else ""
            take.note = (
                f"The take {take.name} is left out: none of its {take.n_seen} frames is "
                f"usable{reason}."
            )
        self._taken.add(take.name)
        self.takes.append(take)
        return take

    def _name_for(self, wanted: TakeWanted, source: FrameSource) -> str:
        if isinstance(source, DemoSource):
            default = next((name for name in TAKE_NAMES if name not in self._taken), "demo")
        else:
            default = source.name if source.is_live else Path(source.name).stem
        clean = cleaned_name(wanted.name or default, LONGEST_NAME) or "take"
        return free_name(clean, self._taken)

    def _record_live(self, reading: Opened, take: TakeRecorded, progress: ProgressCallback) -> None:
        enrolment = Enrolment(self.plan)
        enrolment.set_person(take.person)
        enrolment.start(take.name)
        for frame in reading.frames(self._pipeline):
            scored = score_frame(self._pipeline, None, frame)
            take.n_seen += 1
            if enrolment.offer(scored) is Offer.UNUSABLE:
                take.refused[scored.reason] += 1
            hint = enrolment.state.hint or f"recording {take.name}"
            progress(len(enrolment.samples), self.plan.frames, hint)
            if not enrolment.is_recording:
                break
            if frame.time >= LONGEST_TAKE:
                take.note = (
                    f"The take {take.name} ended after {LONGEST_TAKE:.0f} seconds with "
                    f"{len(enrolment.samples)} of {self.plan.frames} frames: "
                    "stay in front of the camera and move a little."
                )
                break
        take.samples = list(enrolment.samples)

    def _record_demo(
        self, demo: DemoSource, take: TakeRecorded, progress: ProgressCallback
    ) -> None:
        """Record one of the demo's takes, rendering only the frames that are used."""
        n_takes = len(self.takes)
        light = light_of(take.name, n_takes)
        chapter = demo.script.enrolment_take(light, n_takes)
        every = max(1, math.ceil(self.plan.every * RATE))
        shortened = replace(chapter.take, n_frames=every * self.plan.frames)
        self._pipeline.reset()
        for frame in rendered(shortened, every):
            progress(take.n_seen, self.plan.frames, f"recording {take.name}")
            self._keep(take, frame, is_simulated=True)

    def _keep(self, take: TakeRecorded, frame: Frame, *, is_simulated: bool = False) -> None:
        take.n_seen += 1
        result = self._pipeline.process(frame)
        if result.views is None:
            take.refused[result.reason] += 1
            return
        # Compare with all takes: if a recording is given twice, one copy is left out while the
        # other is learnt from, and the threshold becomes too high. The demo is exempt: it has few
        # takes, and a model may be extended by one that it has already.
        content = _content(result.views)
        if content in self._known and not is_simulated:
            take.refused[DUPLICATE] += 1
            return
        self._known.add(content)
        take.samples.append(
            Sample(
                number=len(take.samples),
                take=take.name,
                views=result.views,
                condition=result.condition,
                thumbnail=None,
                is_simulated=is_simulated,
                person=take.person,
            )
        )

    def _read(self, reading: Opened, take: TakeRecorded, progress: ProgressCallback) -> None:
        """Read a whole recording and keep evenly spread frames."""
        n_expected = 2 * self.plan.frames
        for frame in apart_in_time(reading.frames(self._pipeline), self._step(reading)):
            progress(min(take.n_seen, n_expected), n_expected, f"reading {take.source}")
            self._keep(take, frame)
        take.samples = [take.samples[k] for k in spread(len(take.samples), self.plan.frames)]

    def _step(self, reading: Opened) -> float:
        """Return the seconds between frames; long recordings are sampled more sparsely."""
        if reading.has_stills:
            return self._every or 0.0
        every = self.plan.every if self._every is None else self._every
        n, rate = reading.info.n_frames, reading.info.rate
        if not n or rate <= 0:
            return every
        # Twice as many as are kept, because some will not be usable.
        return max(every, n / rate / (2 * self.plan.frames))

    def fit(self, features: dict[str, object], target_bpcer: float | None = None) -> PadModel:
        """Fit a model on all takes, or extend the base; ``target_bpcer`` changes its threshold."""
        samples = self.samples
        if (n := len(samples)) < FEWEST_SAMPLES:
            n_seen = sum(take.n_seen for take in self.takes)
            why = ""
            for reason, count in self.refused.most_common(1):
                n_refused, quoted = self.refused.total(), reason.rstrip(".")
                why = f" {n_refused} were refused, {count} of them with the reason “{quoted}”;"
            raise TooFewFramesError(
                f"Only {n} of {counted(n_seen, 'frame')} could be kept, and {FEWEST_SAMPLES} are "
                f"needed:{why} make longer or better recordings, or name more sources."
            )
        if self._base is None:
            return fitted(samples, self._settings, features)
        grown = extended(self._base, samples)
        return grown if target_bpcer is None else recalibrated(grown, target_bpcer)


def _content(views: Mapping[str, NDArray[Any]]) -> bytes:
    return b"".join(np.float32(views[name]).tobytes() for name in sorted(views))


def _contents(model: PadModel) -> set[bytes]:
    rows = model.estimator.support_views()
    n = len(next(iter(rows.values())))
    return {_content({name: array[row] for name, array in rows.items()}) for row in range(n)}
