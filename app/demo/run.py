"""The headless demo: enrol a generated person, fit, and test on takes and attacks never seen.

The recordings are generated (`app.demo.renderer`), everything after them is what the window does:
the detector, the quality gate, the CNN views, the model and its threshold, the test and its report.
What it shows is that the parts work together; how well real attacks are told apart is another
question.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.people import PEOPLE
from app.demo.renderer.takes import Take, frames
from app.demo.result import DemoResult, Presented
from app.demo.script import script as window_script
from app.models.fitting import fitted
from app.models.model import PadModel
from app.models.samples import collect
from app.session.guided_test.presentation import Presentation
from app.session.guided_test.trial import Trial
from app.session.scoring import score_frame
from app.settings import Settings
from app.types import BONA_FIDE, Frame
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import DEFAULT_PRESET, load_preset

ENROLLED = ("office", "window", "lamp")
NEW = "side"
# Frames of a take, of which every tenth is looked at: three a second.
TAKE_FRAMES = 90
EVERY = 10

RECORDED_AHEAD = 2
"""Takes that are recorded while another one is looked at."""

SPECIES = {
    chapter.instrument: chapter.species
    for chapter in window_script().presentations
    if chapter.instrument is not None and chapter.species is not None
}
"""What the window calls each instrument's species."""

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being done."""


@dataclass(frozen=True)
class Size:
    """How many takes are recorded.

    Attributes
    ----------
    enrolled : int
        Of the person, in each light.
    again, another_day : int
        Of the person, tested in each of these lights: in the same session, and on another day.
    new : int
        Of the person, tested in a light that was never enrolled.
    attacks : int
        Of each species.
    """

    enrolled: int = 6
    again: int = 3
    another_day: int = 1
    new: int = 2
    attacks: int = 5


FULL = Size()
SHORT = Size(enrolled=3, again=1, another_day=1, new=1, attacks=2)
"""For whoever wanted the window and has no screen."""


def script(seed: int, size: Size = FULL) -> tuple[dict[str, Take], list[tuple[str, Take]]]:
    """Return the takes that are enrolled, by name, and those that are tested, with their group.

    Parameters
    ----------
    seed : int
        Another seed, another person and other takes.
    size : Size
        How many takes there are.
    """
    person = PEOPLE[seed % len(PEOPLE)]
    today, another_day = 2 * seed, 2 * seed + 1

    def take(condition: str, number: int, instrument: str | None = None) -> Take:
        kind: Literal["bonafide", "attack"] = "bonafide" if instrument is None else "attack"
        return Take(person, kind, instrument, condition, number, TAKE_FRAMES, today)

    enrolled = {
        f"{name} {number}": take(name, number)
        for name in ENROLLED
        for number in range(1, size.enrolled + 1)
    }
    tested = [
        (f"{name}, again", take(name, 11 + number))
        for name in ENROLLED
        for number in range(size.again)
    ]
    tested += [
        ("another day", replace(take(name, 11 + number), session=another_day))
        for number in range(size.another_day)
        for name in ENROLLED
    ]
    tested += [("new light", take(NEW, 11 + number)) for number in range(size.new)]
    for place, instrument in enumerate(INSTRUMENTS):
        tested += [
            (
                SPECIES[instrument],
                take(ENROLLED[(place + number) % len(ENROLLED)], 21 + number, instrument),
            )
            for number in range(size.attacks)
        ]
    return enrolled, tested


def run(seed: int = 0, progress: Progress | None = None, size: Size = FULL) -> DemoResult:
    """Record takes, fit the default model on the enrolled ones, test on the rest.

    Parameters
    ----------
    seed : int
        Seed of the recordings and of the model.
    progress : callable, optional
        Told of every step.
    size : Size
        How many takes there are.

    Returns
    -------
    DemoResult
        The model and what it called every presentation.
    """
    enrolled, tested = script(seed, size)
    takes = [*enrolled.values(), *(take for _, take in tested)]
    n_frames = sum(take.n_frames // EVERY for take in takes)
    done = 0

    def tell(text: str) -> None:
        if progress is not None:
            progress(done, n_frames, text)

    def step(text: str) -> None:
        nonlocal done
        done += 1
        tell(text)

    tell("preparing the networks")
    extractor = Extractor(load_preset(DEFAULT_PRESET))
    pipeline = Pipeline(extractor, FaceTracker(make_detector()))
    recordings = _recorded(takes)
    genuine = collect(
        pipeline,
        {name: _next(recordings) for name in enrolled},
        progress=lambda _, name: step(f"enrolling {name}"),
    )
    tell("fitting")
    model = fitted(genuine, Settings(), extractor.fingerprint(), is_simulated=True)
    trial, presented = Trial(), []
    trial.use_model(model.digest)
    for group, take in tested:
        species = BONA_FIDE if take.instrument is None else SPECIES[take.instrument]
        told = partial(step, f"testing {group}")
        presentation = _test(pipeline, model, trial, species, _next(recordings), told)
        presented.append(Presented(group, take, presentation))
    return DemoResult(
        pad=model,
        trial=trial,
        seed=seed,
        n_enrolled=len(genuine),
        takes=tuple(enrolled),
        presented=tuple(presented),
    )


def _recorded(takes: Sequence[Take]) -> Iterator[list[Frame]]:
    """Yield the frames of every take; the next ones are recorded meanwhile.

    Recording takes longer than looking, and much of it is spent in OpenCV without the interpreter.
    """
    pool = ThreadPoolExecutor(RECORDED_AHEAD, "recorder")
    under_way: deque[Future[list[Frame]]] = deque()
    try:
        for take in takes:
            under_way.append(pool.submit(lambda take: list(frames(take, EVERY)), take))
            if len(under_way) > RECORDED_AHEAD:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _next(recordings: Iterator[list[Frame]]) -> Iterator[Frame]:
    """Yield the frames of the next take, once somebody asks for them."""
    yield from next(recordings)


def _test(
    pipeline: Pipeline,
    model: PadModel,
    trial: Trial,
    species: str,
    recording: Iterable[Frame],
    step: Callable[[], None],
) -> Presentation:
    """Present a take as the window's guided test would."""
    pipeline.reset()
    trial.start(species, is_simulated=True)
    for frame in recording:
        trial.offer(score_frame(pipeline, model, frame))
        step()
    trial.finish()
    return trial.presentations[-1]
