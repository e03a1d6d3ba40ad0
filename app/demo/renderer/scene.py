"""A room, layers that move in front of it, and the fine structure of their surfaces.

Rendered at twice the camera's resolution in linear intensities, before lens and sensor.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, stack3
from app.demo.renderer.geometry import Field, Sheen

PHOTOSITE = 0.5
"""Width of a photosite in camera pixels."""

# Red and blue photosites are in opposite corners of a pixel; green is the mean of the other two.
_SITES = (-0.25, 0.0, 0.25)
_INVISIBLE = 2e-3


@dataclass(frozen=True)
class Harmonic:
    """One wave on a plate, in cycles per eye distance along its axes.

    Amplitudes are relative to the local mean and phases in cycles, both for red, green and blue.
    """

    across: float
    down: float
    amplitude: tuple[float, float, float]
    phase: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Grating:
    """Fine periodic structure (subpixels of a screen, halftone of a print) as a camera samples it.

    It is finer than the camera's pixels, so it appears as moiré or not at all. Each harmonic is
    attenuated by lens and photosite and evaluated at the photosites, aliasing included. Each colour
    has its own photosites, half a pixel wide: hence the colours of moiré.
    """

    harmonics: tuple[Harmonic, ...]

    def modulation(self, x: F32, y: F32, blur: float) -> F32 | None:
        """Return the relative change of each camera pixel, (height, width, 3); None if invisible.

        x and y are points on the plate in eye distances, ``blur`` is the lens's, in camera pixels.
        """
        rows, columns = x.shape
        middle = (slice(rows // 2 - 1, rows // 2 + 2), slice(columns // 2 - 1, columns // 2 + 2))
        to_x, to_y = _slopes(x[middle]), _slopes(y[middle])
        total: F32 | None = None
        for wave in self.harmonics:
            # Cycles per camera pixel along the picture's axes.
            frequency = wave.across * to_x + wave.down * to_y
            seen = _transfer(frequency, blur)
            if seen * max(map(abs, wave.amplitude)) < _INVISIBLE:
                continue
            if total is None:
                total = np.zeros((rows, columns, 3), np.float32)
            turns = x * np.float32(wave.across) + y * np.float32(wave.down)
            for colour, site in enumerate(_SITES):
                offset = wave.phase[colour] + site * float(frequency.sum())
                strength = wave.amplitude[colour] * seen
                if colour == 1:
                    # Two green photosites on the other diagonal: their mean.
                    strength *= float(np.cos(np.pi * 0.5 * (frequency[0] - frequency[1])))
                total[..., colour] += _cosine(turns, offset) * np.float32(strength)
        return total


def _slopes(values: F32) -> np.ndarray:
    """Return the change of a field per camera pixel: along x, along y."""
    return np.array([values[1, 2] - values[1, 0], values[2, 1] - values[0, 1]]) / 2.0


def _transfer(frequency: np.ndarray, blur: float) -> float:
    """Return how much of a wave passes lens and photosite (in cycles per camera pixel)."""
    lens = np.exp(-2.0 * (np.pi * blur) ** 2 * float(frequency @ frequency))
    return float(lens * np.abs(np.prod(np.sinc(PHOTOSITE * frequency))))


def _cosine(turns: F32, offset: float) -> F32:
    """Return the cosine of an angle in turns, with OpenCV's table (several times faster)."""
    angle = ((turns + np.float32(offset)) % 1.0) * np.float32(2 * np.pi)
    return f32(cv2.polarToCart(np.ones_like(angle), angle)[0])


SUPERSAMPLING = 2
"""Rendered pixels per camera pixel, along each axis."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A moving picture with a shape; at most one layer of a scene has a ``grating``.

    ``colour`` is the light it sends to the camera, already multiplied by its coverage ``alpha``;
    ``origin`` is the point between the eyes and ``unit`` the eye distance, in its pixels. ``gain``
    is a colour factor over time (a tilted plate catches more or less light), and ``film`` replaces
    ``colour`` over time.
    """

    colour: F32
    alpha: F32
    origin: tuple[float, float]
    unit: float
    field: Field
    gain: Callable[[float], F32] | None = None
    sheen: Sheen | None = None
    film: Callable[[float], F32] | None = None
    grating: Grating | None = None


@dataclass(frozen=True, eq=False)
class View:
    """A rendered picture, and how fine structure changes the camera's pixels at a lens blur."""

    image: F32
    structure: Callable[[float], F32 | None] | None


class Scene:
    """A room and the layers in front of it, back to front."""

    def __init__(self, room: F32, layers: list[Layer]) -> None:
        self._room, self._layers = room, layers
        height, width = room.shape[:2]
        self._large = (width, height)
        self._small = (width // SUPERSAMPLING, height // SUPERSAMPLING)

    def render(self, time: float) -> View:
        image = self._room
        structure: Callable[[float], F32 | None] | None = None
        for layer in self._layers:
            x, y = layer.field(time)
            maps = self._maps(layer, x, y)
            alpha = _sample(layer.alpha, maps)
            picture = layer.colour if layer.film is None else layer.film(time)
            colour = _sample(picture, maps)
            if layer.gain is not None:
                colour = f32(cv2.transform(colour, np.diag(layer.gain(time))))
            if layer.sheen is not None:
                mirrored = cv2.resize(layer.sheen(time, x, y), self._large)
                colour = f32(cv2.add(colour, cv2.multiply(mirrored, stack3(alpha))))
            behind = cv2.multiply(image, stack3(1.0 - alpha))
            image = f32(cv2.add(behind, colour, dst=behind))
            if layer.grating is not None:
                structure = partial(self._structure, layer.grating, x, y, alpha)
        return View(image, structure)

    def _maps(self, layer: Layer, x: F32, y: F32) -> tuple[F32, F32]:
        """Return the visible pixels of the layer at full resolution."""
        unit = np.float32(layer.unit)
        at_x = cv2.resize(x * unit + np.float32(layer.origin[0]), self._large)
        at_y = cv2.resize(y * unit + np.float32(layer.origin[1]), self._large)
        return f32(at_x), f32(at_y)

    def _structure(self, grating: Grating, x: F32, y: F32, alpha: F32, blur: float) -> F32 | None:
        fine_x, fine_y = f32(cv2.resize(x, self._small)), f32(cv2.resize(y, self._small))
        change = grating.modulation(fine_x, fine_y, blur)
        if change is None:
            return None
        cover = f32(cv2.resize(alpha, self._small, interpolation=cv2.INTER_AREA))
        return f32(cv2.multiply(change, stack3(cover)))


def _sample(picture: F32, maps: tuple[F32, F32]) -> F32:
    return f32(cv2.remap(picture, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT))
