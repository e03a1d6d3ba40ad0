"""Filters of grey pictures, without a border of their own making unless they say so."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float64]

SMOOTHING_SIGMA = 0.5
"""Width of the 3 x 3 Gaussian that makes the degraded picture, as Galbally et al. have it."""


def slightly_smoothed(picture: Picture) -> Picture:
    """Return a picture convolved with a 3 x 3 Gaussian of width 0.5, its border pixels repeated.

    Written as the pixel plus weighted differences from it, so that a flat area stays what it was
    to the last bit and measures of it are exactly those of an unchanged picture.
    """
    _, beside = _gaussian(1, SMOOTHING_SIGMA)
    for _ in range(2):
        padded = np.pad(picture, [(1, 1), (0, 0)], mode="edge")
        picture = picture + beside * ((padded[:-2] - picture) + (padded[2:] - picture))
        picture = picture.T
    return picture


def gaussian(picture: Picture, radius: int, sigma: float) -> Picture:
    """Return a picture convolved with a truncated Gaussian, where all of its window is inside."""
    weights = _gaussian(radius, sigma)
    return _along_rows(_along_rows(picture, weights).T, weights).T


def laplacian(picture: Picture) -> Picture:
    """Return ``I[i+1,j] + I[i-1,j] + I[i,j+1] + I[i,j-1] - 4 I[i,j]`` of all inner pixels."""
    vertical = picture[2:, 1:-1] + picture[:-2, 1:-1]
    horizontal = picture[1:-1, 2:] + picture[1:-1, :-2]
    return (vertical + horizontal) - 4.0 * picture[1:-1, 1:-1]


def sobel(picture: Picture) -> tuple[Picture, Picture]:
    """Return Sobel's differences across and down of all inner pixels."""
    steps = picture[:, 2:] - picture[:, :-2]
    across = steps[:-2] + 2.0 * steps[1:-1] + steps[2:]
    steps = picture[2:] - picture[:-2]
    down = steps[:, :-2] + 2.0 * steps[:, 1:-1] + steps[:, 2:]
    return across, down


@cache
def _gaussian(radius: int, sigma: float) -> tuple[float, ...]:
    """Return the weights of a Gaussian from its middle outwards; the whole of it sums to one."""
    weights = np.exp(-0.5 * (np.arange(radius + 1) / sigma) ** 2)
    weights /= weights[0] + 2.0 * weights[1:].sum()
    return tuple(weights.tolist())


def _along_rows(picture: Picture, weights: tuple[float, ...]) -> Picture:
    """Convolve columns' neighbours: shorter by the window along the second axis."""
    radius = len(weights) - 1
    length = picture.shape[1] - 2 * radius
    result = weights[0] * picture[:, radius : radius + length]
    for distance, weight in enumerate(weights[1:], start=1):
        left = picture[:, radius - distance : radius - distance + length]
        right = picture[:, radius + distance : radius + distance + length]
        result += weight * (left + right)
    return result
