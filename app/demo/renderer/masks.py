"""Worn instruments: another person behind a mask of the face, with their own eyes in its holes."""

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, smoothstep, stack3
from app.demo.renderer.fields import HeadField
from app.demo.renderer.geometry import Relief, grid, head_relief, normals
from app.demo.renderer.people import CANVAS, EYE_DISTANCE, EYES, load_person
from app.demo.renderer.plates import printed
from app.demo.renderer.scene import Layer
from app.demo.renderer.setting import (
    Recording,
    Setting,
    person_layer,
    photograph,
    shaded,
    somebody_else,
)


def paper_mask(place: Setting) -> list[Layer]:
    """A print of the face, cut out along its outline, eyes cut out, held before a face."""
    face = printed(
        _unrolled(photograph(place.person, place.rng, posed=True)), place.rng, glossy=False
    )
    relief = _curved_sheet(float(place.rng.uniform(0.1, 0.3)))
    shape = _face_shape(place.person, 0.01) * (1.0 - _eye_holes(0.3, 0.13, 0.02))
    return [*_wearer(place), _mask(shaded(face, relief, place.light), shape, relief, place)]


def soft_mask(place: Setting) -> list[Layer]:
    """A moulded mask: the shape of a head, but painted, even and waxy skin."""
    mouth, rng = load_person(place.person).mouth, place.rng
    face = _unrolled(photograph(place.person, rng, posed=True))
    # Paint follows the features but not the pores, and is more even than skin; its maker matched
    # the person's own colour.
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
        field=HeadField(place.motion, relief, mouth, place.size, lively=False),
    )


def _unrolled(source: Recording) -> F32:
    """The photograph's face in the canonical picture."""
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


def _full_grid() -> tuple[F32, F32]:
    x = (np.arange(CANVAS[1]) - EYES[0]) / EYE_DISTANCE
    y = (np.arange(CANVAS[0]) - EYES[1]) / EYE_DISTANCE
    return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]


def _face_shape(name: str, softness: float) -> F32:
    """Outline of a person's face from the hairline to the chin."""
    person = load_person(name)
    x, y = _full_grid()
    chin, brow = person.mouth + 0.66, 1.05
    length = np.where(y > 0.2, chin - 0.2, brow + 0.2)
    radius = (np.abs(x) / 1.05) ** 2.4 + (np.abs(y - 0.2) / length) ** 2.4
    # Scissors keep a little inside, so that nothing of the picture's background is left.
    inside = cv2.erode(person.alpha, np.ones((11, 11), np.uint8))
    return smoothstep(radius, 1.0 + softness, 1.0 - softness) * f32(inside)


def _eye_holes(wide: float, tall: float, softness: float) -> F32:
    x, y = _full_grid()
    holes = np.zeros(CANVAS, np.float32)
    for side in (-0.5, 0.5):
        radius = np.hypot((x - side) / wide, (y - 0.01) / tall)
        holes = np.maximum(holes, smoothstep(radius, 1.0 + 4 * softness, 1.0 - 4 * softness))
    return holes


def _curved_sheet(depth: float) -> Relief:
    """Paper bent round a head: curved one way only."""
    x, y = grid()
    bent = 0.9 - depth * x * x + 0.0 * y
    flat = bent.astype(np.float32)
    return Relief(flat, normals(flat, EYE_DISTANCE / 4), np.ones_like(flat))


def _wax(relief: Relief, place: Setting) -> F32:
    """Broad highlights of a smooth, slightly shiny surface."""
    aim = np.array(place.light.direction) / np.linalg.norm(place.light.direction)
    half = aim + np.array([0.0, 0.0, 1.0])
    shine = np.clip(relief.normal @ (half / np.linalg.norm(half)), 0.0, 1.0) ** 18
    strength = float(place.rng.uniform(0.04, 0.14)) * place.light.level * place.light.key
    large = cv2.resize(shine.astype(np.float32), (CANVAS[1], CANVAS[0]))
    colour = np.array(place.light.key_colour, np.float32) * np.float32(strength)
    return f32(cv2.merge([large * part for part in colour]))
