"""The demo without a window: enrol a generated person, fit, and test on takes never seen.

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
"""Of a take every tenth frame is used: three a second."""

RECORDED_AHEAD = 2
"""Takes that are recorded while another one is processed."""

SPECIES = {chapter.take.instrument: chapter.key for chapter in window_script().attacks}
"""The window's name for each instrument's species."""

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and the current step."""


@dataclass(frozen=True)
class Size:
    """How many takes are recorded: enrolled, of the person tested, and of each species."""

    enrolled: int = 6
    """In each light, as are the next two."""
    again: int = 3
    another_day: int = 1
    new: int = 2
    """In a light that was never enrolled."""
    attacks: int = 5


FULL = Size()
SHORT = Size(enrolled=3, again=1, another_day=1, new=1, attacks=2)
"""In the place of the window, where there is no screen."""


@dataclass(frozen=True)
class Presented:
    """A presentation and its take; those of one group differ in nothing but the recording."""

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
        verdicts = [one.verdict for one in self.presentations]
        return Tally.of(self.name if self.is_attack else BONA_FIDE, verdicts)


@dataclass(frozen=True)
class DemoResult:
    """A fitted model and its verdicts on recordings it had not seen."""

    pad: PadModel
    guided_test: GuidedTest
    seed: int
    n_enrolled: int
    takes: tuple[str, ...]
    presented: tuple[Presented, ...]

    @property
    def results(self) -> tuple[GroupResult, ...]:
        """Every group, in the order of their first presentations."""
        groups: dict[str, list[Presented]] = {}
        for one in self.presented:
            groups.setdefault(one.group, []).append(one)
        return tuple(
            GroupResult(name, members[0].take.is_attack, tuple(one.presentation for one in members))
            for name, members in groups.items()
        )

    @property
    def model(self) -> LocalisedMKL:
        return self.pad.estimator

    @property
    def is_certified(self) -> bool:
        return bool(self.model.gap_ <= CERTIFIED_GAP)

    @property
    def conditions(self) -> str:
        """A sentence on what varied between the presentations."""
        groups = [item for item in self.results if not item.is_attack]
        genuine = "; ".join(f"{len(item.presentations)} × {item.name}" for item in groups)
        attacks = [one.take.condition for one in self.presented if one.take.is_attack]
        lights = ", ".join(dict.fromkeys(attacks))
        return f"Bona fide: {genuine}. Attacks: in {lights} light, in turn."


def script(seed: int, size: Size = FULL) -> tuple[dict[str, Take], list[tuple[str, Take]]]:
    """Return the takes to enrol by name, and those to test by group; a seed is a person."""
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
    """Record takes, fit the default model on the enrolled ones, test on the rest."""
    enrolled, tested = script(seed, size)
    takes = [*enrolled.values(), *(take for _, take in tested)]
    n_frames = sum(take.n_frames // EVERY for take in takes)
    done = 0

    def tell(text: str, n: int = 0) -> None:
        nonlocal done
        done += n
        if progress is not None:
            progress(done, n_frames, text)

    tell("preparing the networks")
    pipeline = make_pipeline(DEFAULT_PRESET)
    recordings = _recorded(takes)
    # Each take's frames are asked for in turn, so the next one's are recorded meanwhile.
    genuine = collect(
        pipeline,
        {name: chain.from_iterable(islice(recordings, 1)) for name in enrolled},
        is_simulated=True,
        progress=lambda name: tell(f"enrolling {name}", 1),
    )
    tell("fitting")
    model = fitted(genuine, Settings(), pipeline.extractor.fingerprint())
    guided_test, presented = GuidedTest(), []
    guided_test.use_model(model.digest)
    for group, take in tested:
        pipeline.reset()
        species = BONA_FIDE if take.instrument is None else SPECIES[take.instrument]
        guided_test.start(species, is_simulated=True)
        for frame in next(recordings):
            guided_test.offer(score_frame(pipeline, model, frame))
            tell(f"testing {group}", 1)
        guided_test.finish()
        presented.append(Presented(group, take, guided_test.presentations[-1]))
    return DemoResult(model, guided_test, seed, len(genuine), tuple(enrolled), tuple(presented))


def _recorded(takes: Sequence[Take]) -> Iterator[list[Frame]]:
    """Yield the frames of every take; the next are recorded meanwhile, mostly without the GIL."""
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
