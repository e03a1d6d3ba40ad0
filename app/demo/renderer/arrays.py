"""Small array helpers for the renderer."""

import zlib
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.capture.opencv import cv2

F32: TypeAlias = NDArray[np.float32]

GAMMA = 2.2
"""Pictures store intensity to the power 1/GAMMA; light is additive only in intensities."""


def f32(values: ArrayLike) -> F32:
    """Return 32-bit floats, without a copy if possible (OpenCV's stubs do not give the type)."""
    return np.asarray(values, np.float32)


def generator(*parts: int | str) -> np.random.Generator:
    """Return a random generator that depends only on these parts."""
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in parts]
    return np.random.default_rng(words)


def to_linear(image: NDArray[np.uint8]) -> F32:
    """Return the intensities (0 to 1) of an 8-bit picture."""
    table = (np.arange(256) / 255.0) ** GAMMA
    return table.astype(np.float32)[image]


def smoothstep(values: NDArray[np.floating], low: float, high: float) -> F32:
    """Rise smoothly from 0 at ``low`` to 1 at ``high`` (which may be smaller)."""
    part = np.clip((values - low) / (high - low), 0.0, 1.0)
    return (part * part * (3.0 - 2.0 * part)).astype(np.float32)


def stack3(plane: F32) -> F32:
    """Repeat a plane for the three colours (multiplying is much faster than by broadcasting)."""
    return f32(cv2.merge([plane, plane, plane]))


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> F32:
    """Return noise of unit variance with blobs about ``scale`` pixels wide."""
    height, width = shape
    rows, columns = max(2, round(height / scale) + 2), max(2, round(width / scale) + 2)
    coarse = rng.standard_normal((rows, columns)).astype(np.float32)
    fine = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return (fine / max(float(fine.std()), 1e-6)).astype(np.float32)
