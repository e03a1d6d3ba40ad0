"""People before a camera, and the pictures an attacker has of them."""

from dataclasses import dataclass, replace

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, generator, stack3, to_linear
from app.demo.renderer.camera import PHONE, WEBCAM, Camera, CameraModel, unpacked
from app.demo.renderer.geometry import HeadField, Relief, head_relief
from app.demo.renderer.motion import Motion
from app.demo.renderer.people import CANVAS, EYE_DISTANCE, EYES, PEOPLE, Person, load_person
from app.demo.renderer.room import CONDITIONS, Light, jittered, lit_room
from app.demo.renderer.scene import Layer, Scene

_FLATTERING = ("office", "window", "bright", "another day", "lamp")
"""Light in which the pictures attackers use were taken: nobody steals a photograph in the dark."""


@dataclass(frozen=True, eq=False)
class Setting:
    """Where and in what light a take is recorded.

    Attributes
    ----------
    person : str
        Who is there, or who is impersonated.
    light : Light
        This take's light.
    size : tuple of int
        Width and height of the camera's picture.
    motion : Motion
        Course of the face, live or pictured.
    rng : Generator
        Everything else is drawn here.
    session : int
        Takes of one session share the camera's focus and exposure, light, seat and clothes.
    """

    person: str
    light: Light
    size: tuple[int, int]
    motion: Motion
    rng: np.random.Generator
    session: int

    def camera(self, model: CameraModel) -> Camera:
        """Return the session's camera of that kind."""
        return Camera(model, generator("camera", self.person, self.session), self.rng)


def setting(
    person: str, condition: str, size: tuple[int, int], *seed: int | str, session: int = 0
) -> Setting:
    """Draw the setting of a take."""
    rng = generator("setting", person, condition, session, *seed)
    light = jittered(CONDITIONS[condition], generator("light", person, condition, session))
    seat = Motion(generator("seat", person, condition, session), *size).home
    return Setting(person, light, size, Motion(rng, *size).seated(seat), rng, session)


def room_of(place: Setting, condition: str) -> F32:
    """The room that a person and a condition share in all takes, in this take's light."""
    return lit_room(generator("room", place.person, condition), place.light, *place.size)


def shaded(colour: F32, relief: Relief, light: Light) -> F32:
    """Light a head's relief in the canonical picture."""
    size = (CANVAS[1], CANVAS[0])
    shade = cv2.resize(light.shade(relief.normal), size, interpolation=cv2.INTER_LINEAR)
    return f32(cv2.multiply(colour, shade))


def person_layer(
    person: Person, light: Light, motion: Motion, size: tuple[int, int], rng: np.random.Generator
) -> Layer:
    """A live person: a body with depth, a face that moves in itself, a shirt of some colour."""
    relief = head_relief(person.mouth)
    dye = np.clip(rng.uniform(0.06, 0.8) * np.exp(rng.normal(0.0, 0.22, 3)), 0.03, 0.9)
    dyed = f32(1.0 - person.cloth[..., None] * (1.0 - dye.astype(np.float32)))
    colour = shaded(f32(person.albedo * dyed), relief, light)
    return Layer(
        colour=f32(cv2.multiply(colour, stack3(person.alpha))),
        alpha=person.alpha,
        origin=EYES,
        unit=EYE_DISTANCE,
        field=HeadField(motion, relief, person.mouth, size, lively=True),
    )


def genuine_scene(place: Setting, room: F32) -> Scene:
    """The person themself before the camera."""
    person = load_person(place.person)
    clothes = generator("clothes", place.person, place.session)
    return Scene(room, [person_layer(person, place.light, place.motion, place.size, clothes)])


def somebody_else(person: str, rng: np.random.Generator) -> str:
    """Return who wears a mask of that person."""
    others = [name for name in PEOPLE if name != person]
    return others[int(rng.integers(len(others)))]


class Recording:
    """What an attacker has: pictures of the genuine person, taken elsewhere by another camera.

    Parameters
    ----------
    person : str
        Who is on them.
    rng : Generator
        Decides light, room, pose, focus.
    size : tuple of int
        Width and height of the pictures.
    model : CameraModel
        The camera they were taken with.
    posed : bool
        Whether the person looked straight into the camera in even light.
    """

    def __init__(
        self,
        person: str,
        rng: np.random.Generator,
        size: tuple[int, int],
        model: CameraModel,
        *,
        posed: bool = False,
    ) -> None:
        condition = "office" if posed else _FLATTERING[int(rng.integers(len(_FLATTERING)))]
        # Another day: nothing of it is shared with the session in which it is presented.
        session = int(rng.integers(1, 2**31))
        place = setting(person, condition, size, "source", session=session)
        self._place = replace(place, motion=place.motion.straightened()) if posed else place
        somewhere = generator("elsewhere", int(rng.integers(2**31)))
        room = lit_room(somewhere, self._place.light, *size)
        self._scene = genuine_scene(self._place, room)
        self._camera = self._place.camera(model)
        home = self._place.motion.pose(0.0)
        self.origin = (home.x, home.y)
        self.unit = home.eyes
        self.size = size

    def picture(self, time: float) -> F32:
        """Return the picture of a moment, as intensities."""
        return to_linear(unpacked(self._camera.shoot(self._scene.render(time), time)))


def photograph(person: str, rng: np.random.Generator, *, posed: bool = False) -> Recording:
    """A good picture of the person: twice the webcam's resolution."""
    return Recording(person, rng, (1280, 960), PHONE, posed=posed)


def footage(person: str, rng: np.random.Generator) -> Recording:
    """A video of the person by a camera such as this one."""
    return Recording(person, rng, (640, 480), WEBCAM)
