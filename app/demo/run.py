"""The demo without a window: enrol a generated person, fit, and test on new takes.

It shows that the parts work together, not how well real attacks are detected.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.people import PEOPLE
from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.demo.script import script as window_script
from app.models.fitting import collect, fitted
from app.models.model import PadModel
from app.models.summary import CERTIFIED_GAP
from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.presentation import Presentation, Tally
from app.session.scoring import score_frame
from app.settings import Settings
from app.types import BONA_FIDE, Frame
from app.vision.pipeline import make_pipeline
from lmkl_core import LocalisedMKL
from lmkl_core.features.presets import DEFAULT_PRESET

ENROLLED = ("office", "window", "lamp")
NEW = "side"
TAKE_FRAMES = 90
EVERY = 10
"""Every tenth frame of a take is used: three per second."""

RECORDED_AHEAD = 2
"""Number of takes recorded while another one is processed."""

SPECIES = {chapter.take.instrument: chapter.key for chapter in window_script().attacks}
"""The species of each instrument, as named in the window."""

Progress = Callable[[int, int, str], None]
"""Called with the steps done, the total, and the name of the current step."""


@dataclass(frozen=True)
class Size:
    """Number of takes to record: to enrol, to test the person, and for each species of attack."""

    enrolled: int = 6
    """In each light, like the next two."""
    again: int = 3
    another_day: int = 1
    new: int = 2
    """In a light that was never enrolled."""
    attacks: int = 5


FULL = Size()
SHORT = Size(enrolled=3, again=1, another_day=1, new=1, attacks=2)
"""Used in place of the window where there is no screen."""


@dataclass(frozen=True)
class Presented:
    """A presentation and its take; presentations of one group differ only in the recording."""

    group: str
    take: Take
    presentation: Presentation


@dataclass(frozen=True)
class GroupResult:
    """The presentations of one light and session, or of one species of attack."""

    name: str
    is_attack: bool
    presentations: tuple[Presentation, ...]

    @property
    def tally(self) -> Tally:
        verdicts = [presentation.verdict for presentation in self.presentations]
        return Tally.of(self.name if self.is_attack else BONA_FIDE, verdicts)


@dataclass(frozen=True)
class DemoResult:
    """A fitted model and its verdicts on recordings that were not enrolled."""

    pad: PadModel
    guided_test: GuidedTest
    seed: int
    n_enrolled: int
    takes: tuple[str, ...]
    presented: tuple[Presented, ...]

    @property
    def results(self) -> tuple[GroupResult, ...]:
        """All groups, in the order of their first presentations."""
        groups: dict[str, list[Presented]] = {}
        for item in self.presented:
            groups.setdefault(item.group, []).append(item)
        return tuple(
            GroupResult(name, items[0].take.is_attack, tuple(item.presentation for item in items))
            for name, items in groups.items()
        )

    @property
    def model(self) -> LocalisedMKL:
        return self.pad.estimator

    @property
    def is_certified(self) -> bool:
        return bool(self.model.gap_ <= CERTIFIED_GAP)

    @property
    def conditions(self) -> str:
        """A description of the conditions of the presentations."""
        groups = [item for item in self.results if not item.is_attack]
        genuine = "; ".join(f"{len(item.presentations)} × {item.name}" for item in groups)
        attacks = [item.take.condition for item in self.presented if item.take.is_attack]
        lights = ", ".join(dict.fromkeys(attacks))
        return f"Bona fide: {genuine}. Attacks: in {lights} light, in turn."


def script(seed: int, size: Size = FULL) -> tuple[dict[str, Take], list[tuple[str, Take]]]:
    """Return the takes to enrol by name and those to test by group; a seed selects a person."""
    person = PEOPLE[seed % len(PEOPLE)]
    today, another_day = 2 * seed, 2 * seed + 1

    def take(condition: str, number: int, instrument: str | None = None) -> Take:
        return Take(person, instrument, condition, number, TAKE_FRAMES, today)

    enrolled = {
        f"{name} {number}": take(name, number)
        for name in ENROLLED
        for number in range(1, size.enrolled + 1)
    }
    tested = [
        (f"{name}, again", take(name, 11 + n)) for name in ENROLLED for n in range(size.again)
    ]
    tested += [
        ("another day", replace(take(name, 11 + n), session=another_day))
        for n in range(size.another_day)
        for name in ENROLLED
    ]
    tested += [("new light", take(NEW, 11 + n)) for n in range(size.new)]
    for place, instrument in enumerate(INSTRUMENTS):
        for number in range(size.attacks):
            light = ENROLLED[(place + number) % len(ENROLLED)]
            tested.append((SPECIES[instrument], take(light, 21 + number, instrument)))
    return enrolled, tested


def run(seed: int = 0, progress: Progress | None = None, size: Size = FULL) -> DemoResult:
    """Record takes, fit the default model to the enrolled ones and test it on the rest."""
    enrolled, tested = script(seed, size)
    takes = [*enrolled.values(), *(take for _, take in tested)]
    n_frames = sum(take.n_frames // EVERY for take in takes)
    done = 0

    def report(text: str, n: int = 0) -> None:
        nonlocal done
        done += n
        if progress is not None:
            progress(done, n_frames, text)

    report("preparing the networks")
    pipeline = make_pipeline(DEFAULT_PRESET)
    recordings = _recorded(takes)
    # Takes are consumed one at a time, so that the next ones are recorded meanwhile.
    genuine = collect(
        pipeline,
        {name: chain.from_iterable(islice(recordings, 1)) for name in enrolled},
        is_simulated=True,
        progress=lambda name: report(f"enrolling {name}", 1),
    )
    report("fitting")
    model = fitted(genuine, Settings(), pipeline.extractor.fingerprint())
    guided_test, presented = GuidedTest(), []
    guided_test.use_model(model.digest)
    for group, take in tested:
        pipeline.reset()
        species = BONA_FIDE if take.instrument is None else SPECIES[take.instrument]
        guided_test.start(species, is_simulated=True)
        for frame in next(recordings):
            guided_test.offer(score_frame(pipeline, model, frame))
            report(f"testing {group}", 1)
        guided_test.finish()
        presented.append(Presented(group, take, guided_test.presentations[-1]))
    return DemoResult(model, guided_test, seed, len(genuine), tuple(enrolled), tuple(presented))


def _recorded(takes: Sequence[Take]) -> Iterator[list[Frame]]:
    """Yield the frames of each take while the next ones are recorded, mostly without the GIL."""
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
