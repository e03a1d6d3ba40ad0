"""The guided test on recordings: each is a presentation, judged as one before the camera would be.

Frames are looked at one every `EVERY` seconds from the beginning, until the presentation is
complete: 30 scored frames, or six seconds of which most may have shown no face
(`app.session.guided_test.trial`). Pictures of a folder are all looked at, in their order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.capture.source import SourceError
from app.headless.reading import apart_in_time, opened, shown_name
from app.models.model import PadModel
from app.session.frame_scoring import observe
from app.session.guided_test.trial import FRAMES_WANTED, SECONDS_WANTED, Trial
from app.settings import Settings
from app.vision.pipeline import Pipeline

EVERY = SECONDS_WANTED / FRAMES_WANTED


@dataclass(frozen=True)
class Planned:
    """A presentation to come: what is presented, and the recording of it."""

    species: str
    source: str


@dataclass
class Tested:
    """What became of a test.

    Attributes
    ----------
    trial : Trial
        The presentations that could be judged, those without a response included.
    too_short : list of str
        Recordings with too few frames.
    unreadable : list of str
        One sentence for each recording that could not be read.
    """

    trial: Trial = field(default_factory=Trial)
    too_short: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def run_test(
    pipeline: Pipeline,
    model: PadModel,
    plan: Sequence[Planned],
    *,
    every: float = EVERY,
    settings: Settings | None = None,
    tell: Callable[[int, int, str], None] | None = None,
) -> Tested:
    """Present recordings one after the other.

    Parameters
    ----------
    pipeline : Pipeline
        Of the model's views.
    model : PadModel
        Under test.
    plan : sequence of Planned
        What is presented.
    every : float
        Seconds between frames, at least.
    settings : Settings, optional
        Frame size asked of a camera.
    tell : callable, optional
        Told of presentations done, presentations in all, and what is presented.

    Raises
    ------
    app.session.guided_test.trial.TrialError
        For a species without a name.
    """
    tested = Tested()
    tested.trial.use_model(model.digest)
    for n_done, planned in enumerate(plan):
        if tell is not None:
            tell(n_done, len(plan), f"presenting {planned.species}: {planned.source}")
        try:
            was_kept = _present(pipeline, model, tested.trial, planned, every, settings)
        except SourceError as error:
            tested.trial.cancel()
            tested.unreadable.append(str(error))
            continue
        if not was_kept:
            tested.too_short.append(planned.source)
    return tested


def _present(
    pipeline: Pipeline,
    model: PadModel,
    trial: Trial,
    planned: Planned,
    every: float,
    settings: Settings | None,
) -> bool:
    """Present one recording; return whether it was kept."""
    with opened(planned.source, settings) as reading:
        name = Path(shown_name(planned.source, reading.source)).name
        is_first = True
        step = 0.0 if reading.has_stills else every
        for frame in apart_in_time(reading.frames(pipeline), step):
            if is_first:
                trial.start(planned.species, bool(frame.caption), name)
                is_first = False
            if trial.offer(observe(pipeline, model, frame).scored):
                return True
        return trial.finish()
