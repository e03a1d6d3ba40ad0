"""The light a take is recorded in: named conditions, and what they do to a surface."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from app.demo.renderer.arrays import F32

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Light:
    """One key light and the light that comes from everywhere.

    Attributes
    ----------
    direction : tuple of float
        Where the key light stands: image right, image down, towards the camera.
    key, ambient : float
        Their strengths.
    key_colour, ambient_colour : tuple of float
        Red, green, blue; green is 1.
    level : float
        Brightness of the room; the camera makes up for little light by gain, which costs noise.
    backdrop : float
        How much brighter than the person the room behind is.
    """

    direction: tuple[float, float, float]
    key: float
    ambient: float
    key_colour: Colour
    ambient_colour: Colour
    level: float
    backdrop: float

    def shade(self, normal: F32) -> F32:
        """Light that falls on surfaces of these normals, (..., 3)."""
        towards = np.array(self.direction) / np.linalg.norm(self.direction)
        # A window or a lampshade is large: its light reaches a little round the corner.
        facing = np.clip((normal @ towards + 0.25) / 1.25, 0.0, None) ** 1.2
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

CONDITIONS: Mapping[str, Light] = MappingProxyType(
    {
        "office": Light((0.1, -0.8, 0.8), 0.55, 0.5, _NEUTRAL, _NEUTRAL, 0.9, 0.9),
        "window": Light((-0.9, -0.3, 0.7), 0.8, 0.3, _DAYLIGHT, _NEUTRAL, 1.0, 0.75),
        "lamp": Light((0.7, -0.5, 0.7), 0.75, 0.25, _WARM, (1.15, 1.0, 0.8), 0.45, 0.6),
        # One lamp beside the person, in a room that is dark otherwise.
        "side": Light((1.0, -0.1, 0.25), 1.1, 0.16, _NEUTRAL, _NEUTRAL, 0.8, 0.06),
        "dim": Light((0.3, -0.6, 0.8), 0.45, 0.5, _WARM, (1.1, 1.0, 0.85), 0.14, 0.8),
        "bright": Light((-0.2, -0.4, 1.0), 0.7, 0.5, _DAYLIGHT, _DAYLIGHT, 1.6, 1.0),
        "backlit": Light((-0.3, -0.6, 0.4), 0.35, 0.5, _OVERCAST, _NEUTRAL, 0.8, 1.9),
        "another day": Light((-0.6, -0.7, 0.6), 0.5, 0.5, _OVERCAST, _OVERCAST, 0.7, 1.0),
    }
)
"""The named conditions; all but their level stays with the room they belong to."""


def jittered(light: Light, rng: np.random.Generator) -> Light:
    """Return the same condition at another moment: a little stronger, from a little elsewhere."""
    x, y, z = (float(part + rng.normal(0.0, 0.06)) for part in light.direction)
    return replace(
        light,
        direction=(x, y, z),
        key=light.key * float(np.exp(rng.normal(0.0, 0.08))),
        ambient=light.ambient * float(np.exp(rng.normal(0.0, 0.08))),
        level=light.level * float(np.exp(rng.normal(0.0, 0.1))),
    )
