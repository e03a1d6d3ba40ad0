"""Crops on which engines are compared, and how far apart two answers are."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LIMIT = 1e-4
"""Largest relative difference between an engine and torch in any view of any crop."""


def reference_crops(size: int) -> NDArray[np.uint8]:
    """Return crops that excite a network in different ways; always the same ones.

    Noise, smooth shading, fine stripes (what a screen leaves), and nearly black.
    """
    random = np.random.default_rng(20240)
    noise = random.integers(0, 256, (size, size, 3))
    y, x = np.mgrid[:size, :size] / size
    shading = np.stack([255 * x, 255 * y, 128 + 127 * np.sin(9 * (x + y))], axis=2)
    stripes = np.stack([127 + 120 * np.sin(k * size * (x + 0.3 * y)) for k in (1, 2, 3)], axis=2)
    dark = random.integers(0, 3, (size, size, 3))
    return np.stack([noise, shading, stripes, dark]).round().astype(np.uint8)


def relative_difference(
    found: Sequence[NDArray[np.float32]], expected: Sequence[NDArray[np.float32]]
) -> float:
    """Return the largest |found - expected| / |expected| over all rows of all views.

    Different shapes, or values that are not finite, are infinitely far apart.
    """
    if len(found) != len(expected):
        return float("inf")
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
            return float("inf")
        distance = np.linalg.norm(a.astype(np.float64) - b, axis=1)
        norm = np.linalg.norm(b.astype(np.float64), axis=1)
        worst = max(worst, float((distance / np.maximum(norm, 1e-30)).max(initial=0.0)))
    return worst
