"""The demo as a database: AI-generated people, rendered on request.

By default each of four people has a model, which learns from two takes in each of three lights;
most attack species of the test are not in the development data. In the client-independent mode, one
model learns from four people, and development and test have others.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from importlib import metadata, resources
from itertools import islice

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.people import PEOPLE
from app.demo.renderer.takes import frames
from app.demo.script import RATE, Take
from app.evaluation.cache import add_code
from app.evaluation.protocols.folders import Copy
from app.evaluation.protocols.splits import Database, Division, Gathered
from app.evaluation.protocols.types import Mode, Recording
from app.evaluation.result import DEMO_NOTE
from app.types import BONA_FIDE, Frame

LIGHTS = ("office", "window", "lamp")
KNOWN = ("print", "phone")
"""Attack species of the development data."""

N_PEOPLE = 4
N_DEVELOPMENT = 2
N_FRAMES = int(6 * RATE)

ENROLMENT, TEST, DEVELOPMENT = 0, 1000, 3000
"""First seeds of the takes."""


@dataclass(frozen=True)
class DemoReader:
    """Renders a take of the demo on request."""

    take: Take

    def digest(self) -> str:
        """Return a digest of the take's values and of the renderer."""
        values = repr((astuple(self.take), _renderer_digest()))
        return hashlib.blake2b(values.encode(), digest_size=32).hexdigest()

    def frames(self, n: int) -> Iterator[Frame]:
        return islice(frames(self.take, max(1, self.take.n_frames // max(n, 1))), n)

    def count(self, n: int) -> int:
        return min(n, self.take.n_frames)


@lru_cache(maxsize=1)
def _renderer_digest() -> str:
    total = hashlib.blake2b(metadata.version("openpeople").encode(), digest_size=32)
    add_code(total, resources.files("app.demo.renderer"))
    return total.hexdigest()


def gather(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    if mode == "client-specific":
        people = PEOPLE[:N_PEOPLE]
        division = Division(
            "", (), _development(people), _test(people), _genuine(people, ENROLMENT)
        )
    else:
        last = N_PEOPLE + N_DEVELOPMENT
        train, development, test = PEOPLE[:N_PEOPLE], PEOPLE[N_PEOPLE:last], PEOPLE[last:]
        division = Division("", _genuine(train, ENROLMENT), _development(development), _test(test))
    return (division,), (DEMO_NOTE,)


def _development(people: Sequence[str]) -> tuple[Recording, ...]:
    return tuple(
        recording
        for person in people
        for light in LIGHTS
        for recording in (
            _recording(person, None, light, DEVELOPMENT),
            *(_recording(person, each, light, DEVELOPMENT + 500) for each in KNOWN),
        )
    )


def _test(people: Sequence[str]) -> tuple[Recording, ...]:
    attacks = [
        # Lights take turns, so that every species appears in every light.
        _recording(person, species, LIGHTS[(place + number) % len(LIGHTS)], TEST + 500)
        for number, person in enumerate(people)
        for place, species in enumerate(INSTRUMENTS)
    ]
    return (*_genuine(people, TEST), *attacks)


def _genuine(people: Sequence[str], first_seed: int) -> tuple[Recording, ...]:
    return tuple(
        _recording(person, None, light, seed)
        for person in people
        for light in LIGHTS
        for seed in (first_seed, first_seed + 1)
    )


def _recording(person: str, instrument: str | None, light: str, seed: int) -> Recording:
    take = Take(person, instrument, light, seed, N_FRAMES)
    species = BONA_FIDE if take.instrument is None else take.instrument.replace("-", " ")
    name = f"{take.person}/{take.label}/{take.name}"
    return Recording(name, take.person, species, DemoReader(take), take.condition)


DATABASE = Database(
    "demo",
    "Demo (simulated)",
    gather,
    modes=("client-specific", "client-independent"),
    may_lack_files=False,
)
