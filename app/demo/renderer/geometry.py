"""The motion and shape of a face, and which point of a head or plate each pixel sees.

Lengths are in eye distances; x points to the image's right, y down, z towards the camera, and the
origin is between the eyes. A genuine head and a held-up print move in the same way.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, smoothstep
from app.demo.renderer.people import CANVAS, EYE_DISTANCE, EYES

# ------------------------------------------------------------- motion

_SWAY = (0.13, 0.27, 0.45, 0.8)
_TREMOR = (3.1, 5.3, 7.7)

_ELSEWHERE = 0.25
"""How much a take's own position counts beside its session's seat: face sizes then differ by 4 %
between takes, about as in real recordings of one sitting."""


@dataclass(frozen=True)
class Pose:
    """Where a face is, in camera pixels and radians; ``eyes`` is the distance between the eyes."""

    x: float
    y: float
    eyes: float
    roll: float
    yaw: float
    pitch: float


class Wave:
    """A smooth random function of time with a given standard deviation."""

    def __init__(self, rng: np.random.Generator, spread: float, tremor: float = 0.0) -> None:
        sway = rng.normal(0.0, 1.0, len(_SWAY)) / np.arange(1, len(_SWAY) + 1)
        shake = rng.normal(0.0, 1.0, len(_TREMOR)) / np.sqrt(len(_TREMOR) / 2.0)
        self._amplitude = np.concatenate([sway * spread * 1.2, shake * tremor])
        self._frequency = np.array(_SWAY + _TREMOR) * rng.uniform(0.85, 1.15, 7)
        self._phase = rng.uniform(0.0, 2 * np.pi, 7)

    def scaled(self, share: float) -> "Wave":
        smaller = copy(self)
        smaller._amplitude = self._amplitude * share
        return smaller

    def __call__(self, time: float) -> float:
        return float(self._amplitude @ np.sin(2 * np.pi * self._frequency * time + self._phase))


class Motion:
    """Position, size, tilt and expression of a face over time, about the pose ``home``."""

    def __init__(self, rng: np.random.Generator, width: int, height: int) -> None:
        unit = width / 640.0
        self.home = Pose(
            x=width / 2 + float(np.clip(rng.normal(0.0, 26.0), -60, 60)) * unit,
            y=height * 0.44 + float(np.clip(rng.normal(0.0, 14.0), -30, 30)) * unit,
            eyes=float(rng.uniform(66.0, 98.0)) * unit,
            roll=float(rng.normal(0.0, 0.03)),
            yaw=float(rng.normal(0.0, 0.05)),
            pitch=float(rng.normal(0.0, 0.04)),
        )
        self._x = Wave(rng, 7.0 * unit, 0.25 * unit)
        self._y = Wave(rng, 4.0 * unit, 0.25 * unit)
        self._size, self._roll = Wave(rng, 0.025), Wave(rng, 0.025, 0.001)
        self._yaw, self._pitch = Wave(rng, 0.09), Wave(rng, 0.05)
        self._smile, self._brows = Wave(rng, 0.5), Wave(rng, 0.4)
        self._talk = Wave(rng, 0.25, 0.25)
        gaps = rng.uniform(1.2, 4.5, 64)
        self._blinks = np.cumsum(gaps) - float(rng.uniform(0.0, 1.0))

    def seated(self, seat: Pose) -> "Motion":
        """Return the same motion near a seat; the angles of the head do not change."""
        near, own, there = copy(self), vars(self.home), vars(seat)
        place = {
            name: there[name] * (own[name] / there[name]) ** _ELSEWHERE
            for name in ("x", "y", "eyes")
        }
        near.home = replace(self.home, **place)
        return near

    def straightened(self) -> "Motion":
        """Return the same motion of a face that looks straight into the camera."""
        still = copy(self)
        still.home = replace(self.home, roll=0.0, yaw=0.0, pitch=0.0)
        still._roll = still._yaw = still._pitch = Wave(np.random.default_rng(0), 0.0)
        still._smile = still._talk = still._brows = still._roll
        return still

    def calmed(self, share: float) -> "Motion":
        """Return the same motion, reduced to a share."""
        calm = copy(self)
        for name in ("_x", "_y", "_size", "_roll", "_yaw", "_pitch"):
            setattr(calm, name, getattr(self, name).scaled(share))
        return calm

    def pose(self, time: float) -> Pose:
        home = self.home
        return Pose(
            x=home.x + self._x(time),
            y=home.y + self._y(time),
            eyes=home.eyes * float(np.exp(self._size(time))),
            roll=home.roll + self._roll(time),
            yaw=home.yaw + self._yaw(time),
            pitch=home.pitch + self._pitch(time),
        )

    def expression(self, time: float) -> dict[str, float]:
        """Return how the face differs from the portrait, each value about 0 to 1."""
        # Blinks repeat after a few minutes.
        since = np.abs(time % float(self._blinks[-1]) - self._blinks).min()
        return {
            "blink": float(np.clip(1.35 - since / 0.075, 0.0, 1.0)),
            "smile": float(np.clip(0.25 + self._smile(time), -0.3, 1.2)),
            "jaw": float(np.clip(self._talk(time), 0.0, 1.0)),
            "brows": float(np.clip(self._brows(time), -0.4, 1.0)),
        }


# ------------------------------------------------------------- shape

STEP = 4
"""Reliefs are smooth, so every fourth pixel of the canonical picture is enough."""


@dataclass(frozen=True, eq=False)
class Relief:
    """Depth towards the camera and unit normals, at every `STEP`-th canonical pixel.

    ``turns`` is how far a point turns with the head: 1 on the face, 0 on the shoulders.
    """

    depth: F32
    normal: F32
    turns: F32


def grid(step: int = STEP) -> tuple[F32, F32]:
    """Return coordinates of every ``step``-th canonical pixel, as a row and a column."""
    height, width = CANVAS
    x = (np.arange(0, width, step) - EYES[0]) / EYE_DISTANCE
    y = (np.arange(0, height, step) - EYES[1]) / EYE_DISTANCE
    return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]


def _bump(x: F32, y: F32, at: tuple[float, float], size: tuple[float, float]) -> F32:
    return np.exp(-(((x - at[0]) / size[0]) ** 2) - ((y - at[1]) / size[1]) ** 2)


@lru_cache(maxsize=16)
def head_relief(mouth: float) -> Relief:
    """Return the relief of head and shoulders, with the mouth ``mouth`` below the eyes."""
    x, y = grid()
    radius = (x / 1.45) ** 2 + ((y - 0.25) / 2.1) ** 2
    skull = 1.35 * np.sqrt(np.maximum(1.0 - radius, 0.0) + 0.03)
    nose_y = 0.52 * mouth
    face = (
        0.34 * _bump(x, y, (0.0, nose_y + 0.05), (0.19, 0.2))
        + 0.16 * _bump(x, y, (0.0, nose_y * 0.5), (0.14, 0.35))
        - 0.13 * (_bump(x, y, (-0.5, 0.0), (0.26, 0.16)) + _bump(x, y, (0.5, 0.0), (0.26, 0.16)))
        + 0.06 * _bump(x, y, (0.0, -0.33), (0.75, 0.14))
        + 0.07 * _bump(x, y, (0.0, mouth), (0.3, 0.14))
        + 0.10 * _bump(x, y, (0.0, mouth + 0.5), (0.3, 0.2))
        + 0.08 * (_bump(x, y, (-0.7, 0.5), (0.3, 0.3)) + _bump(x, y, (0.7, 0.5), (0.3, 0.3)))
    )
    chest = 0.1 + 0.5 * (1.0 - (x / 3.4) ** 2) - 0.05 * np.maximum(y - 3.0, 0.0)
    low = smoothstep(y, mouth + 0.7, mouth + 1.3)
    depth = (skull + face) * (1.0 - low) + (chest - 0.2 * _bump(x, y, (0, 2.0), (1.2, 0.5))) * low
    depth = cv2.GaussianBlur(depth.astype(np.float32), (0, 0), 0.05 * EYE_DISTANCE / STEP)
    turns = np.broadcast_to(smoothstep(y, mouth + 1.3, mouth + 0.45), depth.shape)
    return Relief(depth, normals(depth, EYE_DISTANCE / STEP), np.ascontiguousarray(turns))


def normals(depth: F32, points_per_unit: float) -> F32:
    """Return the unit normals of a depth map."""
    slope_y, slope_x = np.gradient(depth * points_per_unit)
    normal = np.dstack([-slope_x, -slope_y, np.ones_like(depth)])
    return (normal / np.linalg.norm(normal, axis=2, keepdims=True)).astype(np.float32)


CELL = 2
"""Camera pixels between grid points."""


Field = Callable[[float], tuple[F32, F32]]
"""Maps a time to the points of a layer seen by a coarse grid over the picture, in eye distances
from between the eyes. A coarse grid is exact enough: fields are smooth, and the layer's picture is
sampled at full resolution afterwards."""

Sheen = Callable[[float, F32, F32], F32]
"""Light that a surface reflects: time, x, y on the layer -> (rows, columns, 3)."""


def camera_grid(width: int, height: int) -> tuple[F32, F32]:
    """Return x (a row) and y (a column) of the grid points in camera pixels."""
    x = (np.arange(width // CELL) + 0.5) * CELL - 0.5
    y = (np.arange(height // CELL) + 0.5) * CELL - 0.5
    return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]


@lru_cache(maxsize=16)
def _face_moves(mouth: float) -> tuple[F32, dict[str, F32]]:
    """Return how far a full smile moves the face sideways, and full expressions vertically."""
    x, y = grid()
    eye = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.float32)
    for side in (-0.5, 0.5):
        # The upper lid comes down: skin from above the eye, with the eye squeezed to a line.
        lid = smoothstep(y, -0.27, -0.02) * smoothstep(y, 0.12, 0.05)
        eye += lid * np.exp(-(((x - side) / 0.27) ** 4))
    corner_left, corner_right = (_bump(x, y, (side, mouth), (0.24, 0.24)) for side in (-0.42, 0.42))
    chin = smoothstep(y, mouth - 0.03, mouth + 0.12) * smoothstep(y, mouth + 1.2, mouth + 0.5)
    chin = chin * smoothstep(np.abs(x), 1.0, 0.3)
    brows = np.exp(-((x / 0.9) ** 4) - ((y + 0.36) / 0.2) ** 2)
    return f32(0.06 * (corner_right - corner_left)), {
        "blink": 0.155 * eye,
        "smile": f32(-0.06 * (corner_left + corner_right)),
        "jaw": 0.07 * chin,
        "brows": f32(-0.06 * brows),
    }


def head_field(
    motion: Motion, relief: Relief, mouth: float, size: tuple[int, int], *, lively: bool
) -> Field:
    """Return the field of a head that turns, and changes its expression if ``lively``.

    ``mouth`` is in eye distances below the eyes, ``size`` is that of the camera's picture.
    """
    sideways, moves = _face_moves(mouth)
    deep = relief.depth * relief.turns
    columns, rows = camera_grid(*size)

    def field(time: float) -> tuple[F32, F32]:
        pose = motion.pose(time)
        expression = motion.expression(time) if lively else {}
        # How far each point of the head has moved from its position in the portrait.
        smile = np.float32(expression.get("smile", 0.0))
        shift_x = deep * np.float32(np.sin(pose.yaw)) + sideways * smile
        shift_y = deep * np.float32(np.sin(pose.pitch))
        for name, strength in expression.items():
            if strength:
                shift_y += moves[name] * np.float32(strength)
        # Undo position, size and roll.
        cos, sin = np.float32(np.cos(pose.roll)), np.float32(np.sin(pose.roll))
        dx, dy = (columns - np.float32(pose.x)), (rows - np.float32(pose.y))
        eyes = np.float32(pose.eyes)
        x, y = f32((cos * dx + sin * dy) / eyes), f32((cos * dy - sin * dx) / eyes)
        at_x, at_y = ((at * EYE_DISTANCE + EYES[axis]) / STEP for axis, at in enumerate((x, y)))
        shift = cv2.merge([shift_x, shift_y])
        moved = cv2.remap(shift, at_x, at_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return x - moved[..., 0], y - moved[..., 1]

    return field


def plate_field(motion: Motion, size: tuple[int, int], bend: float, distance: float) -> Field:
    """Return the field of a plate in a hand, in perspective; its face is where a live one would be.

    ``bend`` curves a sheet about its vertical axis; ``distance`` is in eye distances.
    """
    columns, rows = camera_grid(*size)

    def field(time: float) -> tuple[F32, F32]:
        inverse = np.linalg.inv(_plate_homography(motion.pose(time), distance)).astype(np.float32)
        x, y, below = (row[0] * columns + row[1] * rows + row[2] for row in inverse)
        x, y = x / below, y / below
        if bend:
            curve = np.minimum(x * x, 5.0)
            x, y = x * (1.0 + 0.03 * bend * curve), y + 0.02 * bend * curve
        return x.astype(np.float32), y.astype(np.float32)

    return field


def _plate_homography(pose: Pose, distance: float) -> np.ndarray:
    """Map homogeneous plate coordinates (in eye distances) to camera pixels."""
    yaw, pitch, roll = pose.yaw, pose.pitch, pose.roll
    cos_y, sin_y, cos_p, sin_p = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    turn = np.array([[cos_y, sin_y * sin_p], [0.0, cos_p]])
    tilt = np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])
    depth = np.array([-sin_y, cos_y * sin_p]) / distance
    flat = tilt @ turn * pose.eyes
    centre = np.array([pose.x, pose.y])
    # A point nearer to the camera by z appears larger by 1 / (1 - z / distance).
    matrix = np.eye(3)
    matrix[:2, :2] = flat - np.outer(centre, depth)
    matrix[:2, 2] = centre
    matrix[2, :2] = -depth
    return matrix
