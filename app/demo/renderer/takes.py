"""Takes: what is recorded, told in a few words, and its frames."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.demo.renderer.camera import WEBCAM, Camera, unpacked
from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.light import CONDITIONS
from app.demo.renderer.people import PEOPLE
from app.demo.renderer.scene import Scene
from app.demo.renderer.setting import genuine_scene, room_of, setting
from app.types import Frame
from lmkl_core.errors import InvalidInputError

SIZE = (640, 480)
"""Width and height of every frame."""

RATE = 30.0
"""Frames a second."""


@dataclass(frozen=True)
class Take:
    """One uninterrupted recording; equal takes give equal frames.

    Attributes
    ----------
    person : str
        Who is before the camera or, in an attack, impersonated: one of `PEOPLE`.
    kind : {"bonafide", "attack"}
        What is presented.
    instrument : str or None
        Species of the attack, one of `INSTRUMENTS`; None exactly for genuine takes.
    condition : str
        The light, one of `CONDITIONS`. A person has one room for each.
    seed : int
        Tells apart takes that are otherwise alike: pose, distance, motion, expression.
    n_frames : int
        Its length.
    session : int
        The sitting it belongs to. Takes of one share the camera's focus and exposure, the light
        and the seat of each condition and the person's clothes; another one is another day.
    """

    person: str
    kind: Literal["bonafide", "attack"] = "bonafide"
    instrument: str | None = None
    condition: str = "office"
    seed: int = 0
    n_frames: int = 60
    session: int = 0

    def __post_init__(self) -> None:
        _check("person", self.person, PEOPLE)
        _check("kind", self.kind, ("bonafide", "attack"))
        _check("condition", self.condition, tuple(CONDITIONS))
        if self.kind == "attack":
            _check("instrument", self.instrument, tuple(INSTRUMENTS))
        elif self.instrument is not None:
            raise InvalidInputError("A genuine take has no instrument; leave it out.")
        if self.n_frames < 1 or self.seed < 0 or self.session < 0:
            raise InvalidInputError(
                "A take needs at least one frame, and a seed and a session of 0 or more."
            )

    @property
    def label(self) -> str:
        """Folder of its class: ``bonafide`` or ``attack-<species>``."""
        return self.kind if self.instrument is None else f"attack-{self.instrument}"

    @property
    def name(self) -> str:
        """Name that tells it from every other take of its person and class."""
        return f"{self.condition.replace(' ', '-')}-{self.session}-{self.seed:04d}"


def packed_frames(take: Take, every: int = 1) -> Iterator[bytes]:
    """Record a take: the compressed pictures the camera sends, one after the other."""
    seeds = (take.seed, take.label)
    place = setting(take.person, take.condition, SIZE, *seeds, session=take.session)
    room = room_of(place, take.condition)
    if take.instrument is None:
        scene = genuine_scene(place, room)
    else:
        scene = Scene(room, INSTRUMENTS[take.instrument](place))
    return _film(scene, place.camera(WEBCAM), take.n_frames, every)


def frames(take: Take, every: int = 1) -> Iterator[Frame]:
    """Record a take: its frames, numbered from 0 at `RATE`.

    Parameters
    ----------
    take : Take
        What to record.
    every : int
        Only every so many frames are recorded; they keep their numbers and times.
    """
    for place, packed in enumerate(packed_frames(take, every)):
        number = place * every
        yield Frame(unpacked(packed), number, number / RATE)


def packed_empty_room(person: str, condition: str, n_frames: int, seed: int) -> Iterator[bytes]:
    """Record the room in which a person's takes are made, with nobody in it."""
    place = setting(person, condition, SIZE, seed, "nobody")
    scene = Scene(room_of(place, condition), [])
    return _film(scene, place.camera(WEBCAM), n_frames)


def _film(scene: Scene, camera: Camera, n_frames: int, every: int = 1) -> Iterator[bytes]:
    for number in range(0, n_frames, every):
        time = number / RATE
        yield camera.shoot(scene.render(time), time)


def _check(what: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInputError(
            f"{what.capitalize()} {value!r} is unknown; choose one of {', '.join(known)}."
        )
