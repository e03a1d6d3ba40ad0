"""What smooth surfaces mirror: lamps, and the room in front of them."""

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32
from app.demo.renderer.fields import CELL, Sheen
from app.demo.renderer.room import room_albedo
from app.demo.renderer.setting import Setting

# A mirror turns what it shows by twice its own turn, over a distance of several face widths.
_LEVER = 9.0


def glare(place: Setting, strength: tuple[float, float], width: tuple[float, float]) -> Sheen:
    """The lamp or window itself, seen in a glossy sheet: a soft patch that wanders as it tilts.

    ``strength`` is a range relative to the room's level, ``width`` one in eye distances.
    """
    rng, motion, light = place.rng, place.motion, place.light
    peak = float(rng.uniform(*strength)) * light.level
    colour = np.array(light.key_colour, np.float32) * np.float32(peak)
    size_x, size_y = float(rng.uniform(*width)), float(rng.uniform(*width))
    home = motion.home
    aim = np.array(light.direction) / np.linalg.norm(light.direction)
    at_x = float(aim[0] * 1.8 + rng.normal(0.0, 0.8))
    at_y = float(aim[1] * 1.5 + 0.4 + rng.normal(0.0, 0.8))

    def sheen(time: float, x: F32, y: F32) -> F32:
        pose = motion.pose(time)
        dx = (x - np.float32(at_x + _LEVER * (pose.yaw - home.yaw))) / np.float32(size_x)
        dy = (y - np.float32(at_y + _LEVER * (pose.pitch - home.pitch))) / np.float32(size_y)
        # Flatter than a bell, as a lampshade or a window pane is.
        patch = cv2.exp(-((dx * dx + dy * dy) ** 2))
        return f32(cv2.merge([patch * part for part in colour]))

    return sheen


def mirrored_room(place: Setting, share: float) -> Sheen:
    """The room on the camera's side, faintly seen in a switched-on screen."""
    width, height = place.size[0] // CELL, place.size[1] // CELL
    seen = room_albedo(place.rng, width, height) * place.light.wall * np.float32(share)
    blurred = f32(cv2.GaussianBlur(seen, (0, 0), 4.0))

    def sheen(time: float, x: F32, y: F32) -> F32:
        return blurred

    return sheen


def both(first: Sheen, second: Sheen) -> Sheen:
    """Add two reflections."""

    def sheen(time: float, x: F32, y: F32) -> F32:
        return first(time, x, y) + second(time, x, y)

    return sheen
