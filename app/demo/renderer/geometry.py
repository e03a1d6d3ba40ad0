"""The shape of a head: a smooth relief that makes a portrait turn and take light as a body does.

Lengths are in eye distances; x points to the image's right, y down, z to the camera, and the
origin lies between the eyes.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, smoothstep
from app.demo.renderer.people import CANVAS, EYE_DISTANCE, EYES

STEP = 4
"""Reliefs are kept at every fourth pixel of the canonical picture: they are smooth."""


@dataclass(frozen=True, eq=False)
class Relief:
    """Depth and what follows from it, at every `STEP`-th canonical pixel.

    Attributes
    ----------
    depth : ndarray
        (rows, columns) towards the camera.
    normal : ndarray
        (rows, columns, 3) unit vectors away from the surface.
    turns : ndarray
        (rows, columns) how much a point follows the head: 1 on the face, 0 on the shoulders.
    """

    depth: F32
    normal: F32
    turns: F32


def grid() -> tuple[F32, F32]:
    """Coordinates of the relief's points, as a row and a column."""
    height, width = CANVAS
    x = (np.arange(0, width, STEP) - EYES[0]) / EYE_DISTANCE
    y = (np.arange(0, height, STEP) - EYES[1]) / EYE_DISTANCE
    return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]


def _bump(x: F32, y: F32, at: tuple[float, float], size: tuple[float, float]) -> F32:
    return np.exp(-(((x - at[0]) / size[0]) ** 2) - ((y - at[1]) / size[1]) ** 2)


@lru_cache(maxsize=16)
def head_relief(mouth: float) -> Relief:
    """Relief of a head and shoulders whose mouth lies ``mouth`` below the eyes."""
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
    """Unit normals of a depth map."""
    slope_y, slope_x = np.gradient(depth * points_per_unit)
    normal = np.dstack([-slope_x, -slope_y, np.ones_like(depth)])
    return (normal / np.linalg.norm(normal, axis=2, keepdims=True)).astype(np.float32)
