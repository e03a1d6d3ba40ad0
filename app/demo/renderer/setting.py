"""The setting of a take: its light, room and people, and the attacker's pictures."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, generator, smooth_noise, stack3, to_linear
from app.demo.renderer.camera import PHONE, WEBCAM, Camera, CameraModel, unpacked
from app.demo.renderer.geometry import Motion, Relief, head_field, head_relief
from app.demo.renderer.people import CANVAS, EYE_DISTANCE, EYES, PEOPLE, Person, load_person
from app.demo.renderer.scene import SUPERSAMPLING, Layer, Scene

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Light:
    """One key light and ambient light.

    ``direction`` points to the key light: image right, image down, towards the camera. Colours are
    relative to green. ``level`` is the brightness of the room, ``backdrop`` the relative
    brightness of the room behind the person.
    """

    direction: tuple[float, float, float]
    key: float
    ambient: float
    key_colour: Colour
    ambient_colour: Colour
    level: float
    backdrop: float

    @property
    def towards(self) -> NDArray[np.float64]:
        return np.array(self.direction) / np.linalg.norm(self.direction)

    def shade(self, normal: F32) -> F32:
        """Return the light on surfaces with these normals, (..., 3)."""
        # Light from a large window or lampshade reaches slightly around the edge.
        facing = np.clip((normal @ self.towards + 0.25) / 1.25, 0.0, None) ** 1.2
        open_sky = 0.8 + 0.2 * np.clip(-normal[..., 1] + 0.3 * normal[..., 2], -1.0, 1.0)
        key = facing[..., None] * np.array(self.key_colour) * self.key
        ambient = open_sky[..., None] * np.array(self.ambient_colour) * self.ambient
        return ((key + ambient) * self.level).astype(np.float32)

    @property
    def wall(self) -> F32:
        """Light on the room behind the person."""
        mixed = np.array(self.key_colour) * self.key * 0.6
        mixed = mixed + np.array(self.ambient_colour) * self.ambient
        return (mixed * self.level * self.backdrop).astype(np.float32)


_DAYLIGHT: Colour = (0.92, 1.0, 1.12)
_NEUTRAL: Colour = (1.0, 1.0, 1.0)
_WARM: Colour = (1.28, 1.0, 0.62)
_OVERCAST: Colour = (0.88, 1.0, 1.2)

CONDITIONS = {
    "office": Light((0.1, -0.8, 0.8), 0.55, 0.5, _NEUTRAL, _NEUTRAL, 0.9, 0.9),
    "window": Light((-0.9, -0.3, 0.7), 0.8, 0.3, _DAYLIGHT, _NEUTRAL, 1.0, 0.75),
    "lamp": Light((0.7, -0.5, 0.7), 0.75, 0.25, _WARM, (1.15, 1.0, 0.8), 0.45, 0.6),
    # One lamp beside the person, in an otherwise dark room.
    "side": Light((1.0, -0.1, 0.25), 1.1, 0.16, _NEUTRAL, _NEUTRAL, 0.8, 0.06),
    "dim": Light((0.3, -0.6, 0.8), 0.45, 0.5, _WARM, (1.1, 1.0, 0.85), 0.14, 0.8),
    "bright": Light((-0.2, -0.4, 1.0), 0.7, 0.5, _DAYLIGHT, _DAYLIGHT, 1.6, 1.0),
    "backlit": Light((-0.3, -0.6, 0.4), 0.35, 0.5, _OVERCAST, _NEUTRAL, 0.8, 1.9),
    "another day": Light((-0.6, -0.7, 0.6), 0.5, 0.5, _OVERCAST, _OVERCAST, 0.7, 1.0),
}
"""The named conditions."""


def jittered(light: Light, rng: np.random.Generator) -> Light:
    """Return the light with a slightly different strength and direction."""
    x, y, z = (float(part + rng.normal(0.0, 0.06)) for part in light.direction)
    return replace(
        light,
        direction=(x, y, z),
        key=light.key * float(np.exp(rng.normal(0.0, 0.08))),
        ambient=light.ambient * float(np.exp(rng.normal(0.0, 0.08))),
        level=light.level * float(np.exp(rng.normal(0.0, 0.1))),
    )


def room_albedo(rng: np.random.Generator, width: int, height: int) -> F32:
    """Paint a room as (height, width, 3) reflectances; a window is brighter than 1."""
    wall = np.array([0.55, 0.53, 0.5]) * rng.uniform(0.55, 1.15) * rng.uniform(0.92, 1.08, 3)
    room = np.broadcast_to(wall, (height, width, 3)).astype(np.float32).copy()
    room *= np.linspace(rng.uniform(0.85, 1.15), 1.0, width, dtype=np.float32)[None, :, None]
    things = [_shelf, _window, _door, _frames, _sofa, _plant]
    for index in rng.permutation(len(things))[: int(rng.integers(2, 5))]:
        things[index](room, rng)
    grain = smooth_noise(rng, (height, width), 3.0) * np.float32(0.03)
    room *= (1.0 + grain)[..., None]
    blur = float(rng.uniform(2.0, 6.0)) * width / 640
    return f32(cv2.GaussianBlur(room, (0, 0), blur))


def lit_room(rng: np.random.Generator, light: Light, width: int, height: int) -> F32:
    """Return the light from a room to a camera of this size, at the renderer's resolution."""
    # The room is out of focus, so half the camera's resolution is enough.
    lit = room_albedo(rng, width // 2, height // 2) * light.wall
    large = (width * SUPERSAMPLING, height * SUPERSAMPLING)
    return f32(cv2.resize(lit, large, interpolation=cv2.INTER_LINEAR))


def _box(room: F32, left: float, top: float, right: float, bottom: float, colour: object) -> None:
    """Paint a rectangle given in shares of the picture."""
    height, width = room.shape[:2]
    rows = slice(round(np.clip(top, 0, 1) * height), round(np.clip(bottom, 0, 1) * height))
    columns = slice(round(np.clip(left, 0, 1) * width), round(np.clip(right, 0, 1) * width))
    room[rows, columns] = np.asarray(colour, np.float32)


def _paint(rng: np.random.Generator) -> F32:
    """Return a colour typical of household objects: seldom vivid."""
    mixed = rng.uniform(0.04, 0.5) * np.exp(rng.normal(0.0, 0.3, 3))
    return np.clip(mixed, 0.02, 0.8).astype(np.float32)


def _shelf(room: F32, rng: np.random.Generator) -> None:
    left = rng.uniform(-0.1, 0.8)
    wood = np.array([0.3, 0.2, 0.12]) * rng.uniform(0.6, 1.6)
    _box(room, left, 0.05, left + 0.32, 1.0, wood)
    for row in range(5):
        top, at = 0.08 + 0.19 * row, left + 0.01
        _box(room, left + 0.01, top, left + 0.31, top + 0.16, wood * 0.4)
        while at < left + 0.28:
            thick, tall = rng.uniform(0.008, 0.022), rng.uniform(0.1, 0.15)
            _box(room, at, top + 0.16 - tall, at + thick, top + 0.16, _paint(rng))
            at += thick + (0.03 if rng.random() < 0.1 else 0.001)


def _window(room: F32, rng: np.random.Generator) -> None:
    left, top = rng.uniform(-0.1, 0.75), rng.uniform(-0.1, 0.1)
    sky = np.array([0.9, 1.0, 1.1]) * rng.uniform(0.8, 1.8)
    _box(room, left - 0.02, top - 0.02, left + 0.3, top + 0.62, (0.75, 0.75, 0.73))
    for column in (0.0, 0.145):
        for row in (0.0, 0.3):
            x, y = left + column, top + row
            _box(room, x, y, x + 0.135, y + 0.285, sky * rng.uniform(0.85, 1.1))


def _door(room: F32, rng: np.random.Generator) -> None:
    left = rng.uniform(-0.05, 0.8)
    paint = np.array([0.5, 0.42, 0.33]) * rng.uniform(0.5, 1.4)
    _box(room, left, 0.08, left + 0.25, 1.0, paint * 0.6)
    _box(room, left + 0.015, 0.1, left + 0.235, 1.0, paint)
    _box(room, left + 0.2, 0.55, left + 0.22, 0.57, (0.6, 0.6, 0.55))


def _frames(room: F32, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 4))):
        left, top = rng.uniform(0.0, 0.85), rng.uniform(0.05, 0.4)
        wide, tall = rng.uniform(0.08, 0.2), rng.uniform(0.1, 0.25)
        _box(room, left, top, left + wide, top + tall, (0.08, 0.07, 0.06))
        inner = _paint(rng)
        _box(room, left + 0.01, top + 0.012, left + wide - 0.01, top + tall - 0.012, inner)


def _sofa(room: F32, rng: np.random.Generator) -> None:
    left, top = rng.uniform(-0.3, 0.5), rng.uniform(0.6, 0.75)
    cloth = rng.uniform(0.1, 0.5) * rng.uniform(0.8, 1.2, 3)
    _box(room, left, top, left + 0.7, 1.0, cloth)
    _box(room, left, top + 0.12, left + 0.7, 1.0, cloth * 1.15)
    _box(room, left + 0.34, top + 0.02, left + 0.35, 1.0, cloth * 0.5)


def _plant(room: F32, rng: np.random.Generator) -> None:
    height, width = room.shape[:2]
    x, y = rng.uniform(0.05, 0.95) * width, rng.uniform(0.5, 0.8) * height
    for _ in range(40):
        angle, long = rng.uniform(-np.pi, 0.0), rng.uniform(0.05, 0.2) * width
        tip = (int(x + np.cos(angle) * long), int(y + np.sin(angle) * long * 1.2))
        green = np.array([0.08, 0.22, 0.06]) * rng.uniform(0.4, 2.0)
        colour = tuple(float(part) for part in green)
        cv2.line(room, (int(x), int(y)), tip, colour, int(rng.integers(2, 9)))
    _box(room, x / width - 0.04, y / height, x / width + 0.04, y / height + 0.16, (0.4, 0.2, 0.12))


_FLATTERING = ("office", "window", "bright", "another day", "lamp")
"""Light of the pictures that attackers use; dark ones are of no use to them."""


@dataclass(frozen=True, eq=False)
class Setting:
    """The setting of a take; ``motion`` is that of the face, live or pictured."""

    person: str
    light: Light
    size: tuple[int, int]
    motion: Motion
    rng: np.random.Generator
    session: int

    def camera(self, model: CameraModel) -> Camera:
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
    """Return the room that all takes of a person and condition share, in this take's light."""
    return lit_room(generator("room", place.person, condition), place.light, *place.size)


def shaded(colour: F32, relief: Relief, light: Light) -> F32:
    """Return the canonical picture lit on a relief."""
    size = (CANVAS[1], CANVAS[0])
    shade = cv2.resize(light.shade(relief.normal), size, interpolation=cv2.INTER_LINEAR)
    return f32(cv2.multiply(colour, shade))


def person_layer(
    person: Person, light: Light, motion: Motion, size: tuple[int, int], rng: np.random.Generator
) -> Layer:
    """Return a live person: a body with depth, a face with expressions, a shirt of some colour."""
    relief = head_relief(person.mouth)
    dye = np.clip(rng.uniform(0.06, 0.8) * np.exp(rng.normal(0.0, 0.22, 3)), 0.03, 0.9)
    dyed = f32(1.0 - person.cloth[..., None] * (1.0 - dye.astype(np.float32)))
    colour = shaded(f32(person.albedo * dyed), relief, light)
    return Layer(
        colour=f32(cv2.multiply(colour, stack3(person.alpha))),
        alpha=person.alpha,
        origin=EYES,
        unit=EYE_DISTANCE,
        field=head_field(motion, relief, person.mouth, size, lively=True),
    )


def genuine_scene(place: Setting, room: F32) -> Scene:
    """Return the scene of the genuine person in front of the camera."""
    person = load_person(place.person)
    clothes = generator("clothes", place.person, place.session)
    return Scene(room, [person_layer(person, place.light, place.motion, place.size, clothes)])


def somebody_else(person: str, rng: np.random.Generator) -> str:
    """Return the name of another person, who wears the mask."""
    others = [name for name in PEOPLE if name != person]
    return others[int(rng.integers(len(others)))]


class Recording:
    """An attacker's pictures of a person; ``posed`` ones are frontal, in uniform light."""

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
        # Another day: it shares nothing with the session in which it is presented.
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
        return to_linear(unpacked(self._camera.shoot(self._scene.render(time), time)))


def photograph(person: str, rng: np.random.Generator, *, posed: bool = False) -> Recording:
    """Return a good picture of the person, at twice the webcam's resolution."""
    return Recording(person, rng, (1280, 960), PHONE, posed=posed)


def footage(person: str, rng: np.random.Generator) -> Recording:
    """Return a video of the person from a camera of the same kind as this one."""
    return Recording(person, rng, (640, 480), WEBCAM)
