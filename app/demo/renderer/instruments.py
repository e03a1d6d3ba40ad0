"""Presentation attack instruments: pictures of the genuine person, held up or worn."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, smoothstep, stack3
from app.demo.renderer.geometry import Relief, grid, head_field, head_relief, normals
from app.demo.renderer.people import CANVAS, EYE_DISTANCE, EYES, load_person
from app.demo.renderer.plates import (
    Plate,
    drawn_cut,
    glare,
    halftone,
    light_on_plate,
    mirrored_room,
    plate_layer,
    printed,
    subpixels,
    with_margin,
)
from app.demo.renderer.scene import Grating, Layer
from app.demo.renderer.setting import (
    Recording,
    Setting,
    footage,
    person_layer,
    photograph,
    shaded,
    somebody_else,
)


def paper_mask(place: Setting) -> list[Layer]:
    """A print of the face, cut out along its outline and at the eyes, worn in front of a face."""
    face = printed(
        _unrolled(photograph(place.person, place.rng, posed=True)), place.rng, glossy=False
    )
    relief = _curved_sheet(float(place.rng.uniform(0.1, 0.3)))
    shape = _face_shape(place.person, 0.01) * (1.0 - _eye_holes(0.3, 0.13, 0.02))
    return [*_wearer(place), _mask(shaded(face, relief, place.light), shape, relief, place)]


def soft_mask(place: Setting) -> list[Layer]:
    """A moulded mask: the shape of a head with painted, uniform and waxy skin."""
    mouth, rng = load_person(place.person).mouth, place.rng
    face = _unrolled(photograph(place.person, rng, posed=True))
    # Paint follows the features but not the pores, and is more uniform than skin; its mean matches
    # the colour of the person.
    shape = _face_shape(place.person, 0.05) * (1.0 - _eye_holes(0.27, 0.11, 0.03))
    blur = float(rng.uniform(0.008, 0.018)) * EYE_DISTANCE
    near, wide = (cv2.GaussianBlur(face, (0, 0), reach * blur) for reach in (1, 10))
    painted = f32(cv2.addWeighted(near, 0.82, wide, 0.18, 0.0))
    inside = (shape > 0.5).astype(np.uint8)
    wanted = np.array(cv2.mean(load_person(place.person).albedo, inside)[:3])
    found = np.array(cv2.mean(painted, inside)[:3])
    match = wanted / found * np.exp(rng.normal(0.0, 0.04, 3))
    painted = f32(cv2.transform(painted, np.diag(match).astype(np.float32)))
    relief = head_relief(mouth)
    lit = shaded(np.clip(painted, 0.0, 1.0), relief, place.light) + _wax(relief, place)
    return [*_wearer(place), _mask(lit, shape, relief, place)]


def _wearer(place: Setting) -> list[Layer]:
    other = load_person(somebody_else(place.person, place.rng))
    return [person_layer(other, place.light, place.motion, place.size, place.rng)]


def _mask(colour: F32, shape: F32, relief: Relief, place: Setting) -> Layer:
    mouth = load_person(place.person).mouth
    return Layer(
        colour=f32(cv2.multiply(np.ascontiguousarray(colour, np.float32), stack3(shape))),
        alpha=shape,
        origin=EYES,
        unit=EYE_DISTANCE,
        field=head_field(place.motion, relief, mouth, place.size, lively=False),
    )


def _unrolled(source: Recording) -> F32:
    """Return the face of a photograph in the canonical picture."""
    scale = source.unit / EYE_DISTANCE
    left, top = (source.origin[axis] - EYES[axis] * scale for axis in (0, 1))
    matrix = np.array([[scale, 0.0, left], [0.0, scale, top]])
    face = cv2.warpAffine(
        source.picture(0.0),
        matrix,
        (CANVAS[1], CANVAS[0]),
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.clip(f32(face), 0.0, 1.0)


def _face_shape(name: str, softness: float) -> F32:
    """Return the outline of a person's face from the hairline to the chin."""
    person = load_person(name)
    x, y = grid(1)
    chin, brow = person.mouth + 0.66, 1.05
    length = np.where(y > 0.2, chin - 0.2, brow + 0.2)
    radius = (np.abs(x) / 1.05) ** 2.4 + (np.abs(y - 0.2) / length) ** 2.4
    # Cut a little inside the outline, so that none of the background is left.
    inside = cv2.erode(person.alpha, np.ones((11, 11), np.uint8))
    return smoothstep(radius, 1.0 + softness, 1.0 - softness) * f32(inside)


def _eye_holes(wide: float, tall: float, softness: float) -> F32:
    x, y = grid(1)
    holes = np.zeros(CANVAS, np.float32)
    for side in (-0.5, 0.5):
        radius = np.hypot((x - side) / wide, (y - 0.01) / tall)
        holes = np.maximum(holes, smoothstep(radius, 1.0 + 4 * softness, 1.0 - 4 * softness))
    return holes


def _curved_sheet(depth: float) -> Relief:
    """Paper bent around a head: curved in one direction only."""
    x, y = grid()
    bent = (0.9 - depth * x * x + 0.0 * y).astype(np.float32)
    return Relief(bent, normals(bent, EYE_DISTANCE / 4), np.ones_like(bent))


def _wax(relief: Relief, place: Setting) -> F32:
    """Broad highlights of a smooth, slightly shiny surface."""
    aim = place.light.towards
    half = aim + np.array([0.0, 0.0, 1.0])
    shine = np.clip(relief.normal @ (half / np.linalg.norm(half)), 0.0, 1.0) ** 18
    strength = float(place.rng.uniform(0.04, 0.14)) * place.light.level * place.light.key
    large = cv2.resize(shine.astype(np.float32), (CANVAS[1], CANVAS[0]))
    colour = np.array(place.light.key_colour, np.float32) * np.float32(strength)
    return f32(cv2.merge([large * part for part in colour]))


Instrument = Callable[[Setting], list[Layer]]

_REPLAY_RATE = 15.0
_ON_A_STAND = 0.4


def _supported(place: Setting) -> Setting:
    """Put some plates on a stand; the others are hand-held."""
    return _on_a_stand(place) if place.rng.random() < _ON_A_STAND else place


def _on_a_stand(place: Setting) -> Setting:
    return replace(place, motion=place.motion.calmed(0.1))


def office_print(place: Setting) -> list[Layer]:
    """A matte sheet from an office printer, with a halftone screen in half of the takes."""
    place = _supported(place)
    rng = place.rng
    laser = bool(rng.integers(2))
    plate = Plate(place, photograph(place.person, rng), drawn_cut(rng, (1.9, 4.0), 1.3))
    sheet = printed(plate.texture(0.0), rng, glossy=False)
    return [_sheet(place, plate, sheet, halftone(rng) if laser else None, glossy=False)]


def photo_print(place: Setting) -> list[Layer]:
    """A glossy photograph: better colours and blacks, and a reflection of the lamp."""
    place = _supported(place)
    rng = place.rng
    plate = Plate(place, photograph(place.person, rng), drawn_cut(rng, (1.9, 3.4), 1.3))
    return [_sheet(place, plate, printed(plate.texture(0.0), rng, glossy=True), None, glossy=True)]


def _sheet(
    place: Setting, plate: Plate, sheet: F32, grating: Grating | None, *, glossy: bool
) -> Layer:
    rng = place.rng
    margin = round(float(rng.uniform(0.0, 0.35)) * plate.unit)
    framed = with_margin(sheet, margin, (0.84, 0.84, 0.82))
    bend = float(np.clip(rng.normal(0.0, 0.35 if glossy else 0.5), -0.8, 0.8))
    framed *= light_on_plate(place, framed.shape[:2], bend)[..., None]
    sheen = glare(place, (0.03, 0.3), (0.5, 2.2)) if glossy else None
    return plate_layer(plate, framed, place, margin, bend=bend, sheen=sheen, grating=grating)


def _screen(
    place: Setting,
    shot: Callable[[str, np.random.Generator], Recording],
    half: tuple[float, float],
    aspect: float,
    finest: float,
    bezel: tuple[float, float],
    *,
    plays: bool = False,
) -> list[Layer]:
    """A picture on a screen: its own light and white point, raised black, a bezel, reflections.

    ``half`` is a range of half widths in eye distances and ``aspect`` height over width;
    ``finest`` is the finest pitch of the pixels and ``bezel`` a range of the frame's width.
    """
    rng, light = place.rng, place.light
    cut = drawn_cut(rng, half, aspect)
    plate = Plate(place, shot(place.person, rng), cut)
    on_face = float(light.shade(np.array([0.0, 0.0, 1.0], np.float32)).mean())
    white = np.array([rng.uniform(0.88, 1.02), 1.0, rng.uniform(1.0, 1.2)])
    white = (white * on_face * float(rng.uniform(0.6, 1.2))).astype(np.float32)
    black = np.float32(rng.uniform(0.001, 0.006))
    power = float(rng.uniform(0.95, 1.25))
    leak = float(rng.uniform(-0.01, 0.04))
    mix = (np.eye(3) * (1.0 - 3.0 * leak) + leak).astype(np.float32)
    margin = round(float(rng.uniform(*bezel)) * plate.unit)

    def emitted(time: float) -> F32:
        """Return the light that the screen emits at a time of its video."""
        scaled = np.clip(plate.texture(time), 0.0, 1.0)
        lit = cv2.transform(cv2.pow(scaled, power), mix) + black
        return np.asarray(cv2.transform(lit, np.diag(white)), np.float32)

    @lru_cache(maxsize=1)
    def frame(number: int) -> F32:
        inside, picture = emitted(number / _REPLAY_RATE), layer.colour.copy()
        where = tuple(slice(margin, margin + n) for n in inside.shape[:2])
        picture[where] = inside * layer.alpha[where][..., None]
        return picture

    edge = np.array([0.02, 0.02, 0.022], np.float32) * np.float32(light.level)
    colour = with_margin(emitted(0.0), margin, edge)
    room = mirrored_room(place, float(rng.uniform(0.005, 0.03)))
    lamp = glare(place, (0.0, 0.12), (0.3, 1.5))
    layer = plate_layer(
        plate,
        colour,
        place,
        margin,
        radius=round(0.12 * plate.unit),
        lit=False,
        sheen=lambda time, x, y: room + lamp(time, x, y),
        grating=subpixels(rng, finest),
    )
    return [replace(layer, film=lambda time: frame(int(time * _REPLAY_RATE))) if plays else layer]


def phone(place: Setting) -> list[Layer]:
    """A photograph on a phone held upright."""
    return _screen(_supported(place), photograph, (1.45, 2.3), 1.8, 420.0, (0.06, 0.2))


def tablet(place: Setting) -> list[Layer]:
    """A photograph on a tablet or a monitor."""
    return _screen(_supported(place), photograph, (2.4, 4.2), 0.75, 330.0, (0.2, 0.5))


def monitor(place: Setting) -> list[Layer]:
    """A photograph on a monitor: larger than a tablet, with coarser pixels, on a stand."""
    return _screen(_on_a_stand(place), photograph, (3.2, 4.6), 0.62, 240.0, (0.12, 0.3))


def replay(place: Setting) -> list[Layer]:
    """A video of the person, played on a tablet."""
    place = _supported(place)
    return _screen(place, footage, (2.2, 3.8), 0.75, 330.0, (0.2, 0.5), plays=True)


INSTRUMENTS: dict[str, Instrument] = {
    "print": office_print,
    "photo": photo_print,
    "phone": phone,
    "tablet": tablet,
    "replay": replay,
    "paper-mask": paper_mask,
    "soft-mask": soft_mask,
}
"""The instruments by name."""
