"""Flat instruments: a photograph as a printed sheet or on a lit screen."""

from collections.abc import Callable, Iterable

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, smooth_noise
from app.demo.renderer.geometry import CELL, Motion, Sheen, plate_field
from app.demo.renderer.scene import SUPERSAMPLING, Grating, Harmonic, Layer
from app.demo.renderer.setting import Light, Recording, Setting, room_albedo

# A mirror turns its image by twice its own turn, over a distance of several face widths.
_LEVER = 9.0


def glare(place: Setting, strength: tuple[float, float], width: tuple[float, float]) -> Sheen:
    """Reflect the lamp or window in a glossy sheet: a soft patch that moves as the sheet tilts.

    ``strength`` is a range relative to the room's level, ``width`` one in eye distances.
    """
    rng, motion, light = place.rng, place.motion, place.light
    peak = float(rng.uniform(*strength)) * light.level
    colour = np.array(light.key_colour, np.float32) * np.float32(peak)
    size_x, size_y = float(rng.uniform(*width)), float(rng.uniform(*width))
    home = motion.home
    aim = light.towards
    at_x = float(aim[0] * 1.8 + rng.normal(0.0, 0.8))
    at_y = float(aim[1] * 1.5 + 0.4 + rng.normal(0.0, 0.8))

    def sheen(time: float, x: F32, y: F32) -> F32:
        pose = motion.pose(time)
        dx = (x - np.float32(at_x + _LEVER * (pose.yaw - home.yaw))) / np.float32(size_x)
        dy = (y - np.float32(at_y + _LEVER * (pose.pitch - home.pitch))) / np.float32(size_y)
        # Flatter than a bell curve, like a lampshade or a window pane.
        patch = cv2.exp(-((dx * dx + dy * dy) ** 2))
        return f32(cv2.merge([patch * part for part in colour]))

    return sheen


def mirrored_room(place: Setting, share: float) -> F32:
    """Return the room on the camera's side as faintly reflected in a lit screen."""
    width, height = place.size[0] // CELL, place.size[1] // CELL
    seen = room_albedo(place.rng, width, height) * place.light.wall * np.float32(share)
    return f32(cv2.GaussianBlur(seen, (0, 0), 4.0))


Cut = tuple[float, float, float, float]
"""Left, top, right and bottom of a part of a photograph, in eye distances from between the eyes."""


def drawn_cut(rng: np.random.Generator, half: tuple[float, float], aspect: float) -> Cut:
    """Draw a cut with a half width in a range and a given aspect (height over width)."""
    wide = float(rng.uniform(*half))
    off = float(rng.normal(0.0, 0.12))
    tall = 2.0 * wide * aspect
    above = float(np.clip(tall * rng.uniform(0.36, 0.46), 1.7, 3.5))
    return (-wide + off, -above, wide + off, max(tall - above, 2.0))


class Plate:
    """A cut photograph at the renderer's resolution: finer would add moiré, coarser lose detail."""

    def __init__(self, place: Setting, source: Recording, cut: Cut) -> None:
        self.unit = unit = place.motion.home.eyes * SUPERSAMPLING * 1.05
        self._source = source
        (width, height), (x, y), rim = source.size, source.origin, 4.0
        # The photograph may be smaller than the cut.
        self._left = left = max(cut[0], (rim - x) / source.unit)
        self._top = top = max(cut[1], (rim - y) / source.unit)
        right = min(cut[2], (width - rim - x) / source.unit)
        bottom = min(cut[3], (height - rim - y) / source.unit)
        self._size = round((right - left) * unit), round((bottom - top) * unit)
        self.origin = (-left * unit, -top * unit)

    def texture(self, time: float) -> F32:
        """Return the cut picture at a time."""
        source = self._source
        picture, step = source.picture(time), 1.0
        scale = self.unit / source.unit
        if scale < 0.8:
            # Average areas first: interpolation alone cannot shrink this much.
            step = scale
            picture = f32(cv2.resize(picture, None, fx=step, fy=step, interpolation=cv2.INTER_AREA))
        pixel = source.unit * step / self.unit
        left = source.origin[0] * step + self._left * source.unit * step
        top = source.origin[1] * step + self._top * source.unit * step
        cut = cv2.warpAffine(
            picture,
            np.array([[pixel, 0.0, left], [0.0, pixel, top]]),
            self._size,
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT_101,
        )
        return np.maximum(f32(cut), 0.0)


def printed(texture: F32, rng: np.random.Generator, *, glossy: bool) -> F32:
    """Return the reflectance of a print: fewer colours, no true black, dots and paper."""
    ink = np.clip(texture / np.float32(rng.uniform(0.85, 1.1)), 0.0, 1.0)
    tone = np.power(ink, np.float32(rng.uniform(0.95, 1.25)))
    grey = f32(cv2.transform(tone, np.array([[0.25, 0.65, 0.1]] * 3, np.float32)))
    purity = np.float32(rng.uniform(0.9, 1.1) if glossy else rng.uniform(0.8, 1.0))
    tone = grey + (tone - grey) * purity
    black = np.float32(rng.uniform(0.008, 0.02) if glossy else rng.uniform(0.02, 0.05))
    paper = (0.86 * np.exp(rng.normal(0.0, 0.025, 3))).astype(np.float32)
    sheet = (black + (1.0 - black) * tone) * paper
    height, width = texture.shape[:2]
    # Thousands of dots of ink make up a pixel, which leaves a little grain in the midtones, and
    # lines along the movement of the print head.
    dots = cv2.GaussianBlur(rng.standard_normal(texture.shape, np.float32), (0, 0), 0.7)
    midtone = cv2.sqrt(np.clip(tone * (1.0 - tone), 0.0, 0.25))
    grain = np.float32(0.03 if glossy else 0.055) * np.float32(rng.uniform(0.5, 1.3))
    sheet += dots * midtone * grain
    lines = smooth_noise(rng, (height, 1), 3.0) * np.float32(0.006 if glossy else 0.012)
    fibre = smooth_noise(rng, (height, width), 5.0) * np.float32(0.003 if glossy else 0.012)
    sheet *= (1.0 + lines + fibre)[..., None]
    return np.clip(sheet, 0.0, 1.0)


# Angle of an ink's screen: how much red, green and blue it absorbs.
_INKS = {
    15.0: (0.3, 0.03, 0.0),
    75.0: (0.02, 0.3, 0.03),
    0.0: (0.0, 0.03, 0.25),
    45.0: (0.15, 0.15, 0.15),
}


def halftone(rng: np.random.Generator) -> Grating:
    """Return the halftone screen of a laser print, with each ink at its own angle."""
    ruling = float(np.exp(rng.uniform(np.log(70.0), np.log(260.0))))
    return Grating(
        tuple(
            Harmonic(ruling * np.cos(angle), ruling * np.sin(angle), amplitude)
            for degrees, amplitude in _INKS.items()
            for angle in np.radians([degrees, degrees + 90.0])
        )
    )


def subpixels(rng: np.random.Generator, finest: float) -> Grating:
    """Return the red, green and blue stripes of a screen and the dark rows between its pixels."""
    pitch = float(np.exp(rng.uniform(np.log(95.0), np.log(finest))))
    column, row = (2.0 * float(np.sinc(share)) for share in (rng.uniform(0.24, 0.32), 0.8))
    columns = Harmonic(pitch, 0.0, (column,) * 3, (-1.0 / 3.0, 0.0, 1.0 / 3.0))
    return Grating((columns, Harmonic(0.0, pitch, (row,) * 3)))


def with_margin(picture: F32, margin: int, colour: Iterable[float]) -> F32:
    """Add a margin of one colour around a picture."""
    edges, value = (margin,) * 4, [float(part) for part in colour]
    return f32(cv2.copyMakeBorder(picture, *edges, cv2.BORDER_CONSTANT, value=value))


def outline(size: tuple[int, int], radius: int) -> F32:
    """Return the alpha of a (width, height) plate with rounded corners and a soft edge."""
    width, height = size
    alpha: F32 = np.zeros((height, width), np.float32)
    inset = 2 + radius
    cv2.rectangle(alpha, (inset, inset), (width - inset, height - inset), 1.0, -1)
    if radius:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
        alpha = f32(cv2.dilate(alpha, kernel))
    return f32(cv2.GaussianBlur(alpha, (0, 0), 0.8))


def plate_layer(
    plate: Plate,
    colour: F32,
    place: Setting,
    margin: int,
    *,
    radius: int = 0,
    bend: float = 0.0,
    lit: bool = True,
    sheen: Sheen | None = None,
    grating: Grating | None = None,
) -> Layer:
    """Return the layer of a plate with these colours (with margin), lit by the room if ``lit``."""
    height, width = colour.shape[:2]
    alpha = outline((width, height), radius)
    distance = float(place.rng.uniform(6.0, 11.0))
    return Layer(
        colour=colour * alpha[..., None],
        alpha=alpha,
        origin=(plate.origin[0] + margin, plate.origin[1] + margin),
        unit=plate.unit,
        field=plate_field(place.motion, place.size, bend, distance),
        gain=_tilted(place.light, place.motion) if lit else None,
        sheen=sheen,
        grating=grating,
    )


def light_on_plate(place: Setting, shape: tuple[int, ...], bend: float) -> F32:
    """Return how unevenly light falls on a sheet that faces the camera: bent paper, a near lamp."""
    height, width = shape
    x = np.linspace(-1.0, 1.0, width, dtype=np.float32)[None, :]
    y = np.linspace(-1.0, 1.0, height, dtype=np.float32)[:, None]
    aim = place.light.towards
    slope = 0.12 + 0.25 * abs(bend)
    return (1.0 + slope * float(aim[0]) * x + 0.1 * float(aim[1]) * y).astype(np.float32)


def _tilted(light: Light, motion: Motion) -> Callable[[float], F32]:
    """Return the light on the plate as it tilts, as a function of time."""

    def gain(time: float) -> F32:
        pose = motion.pose(time)
        facing = np.array([[[np.sin(pose.yaw), np.sin(pose.pitch), 1.0]]], np.float32)
        return light.shade(facing / np.linalg.norm(facing))[0, 0]

    return gain
