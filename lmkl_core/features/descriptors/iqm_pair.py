"""A picture and its degraded version, with the quantities that several measures share."""

from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors.colour import luma, planes

Picture = NDArray[np.float64]
Spectrum = NDArray[np.complex128]

SMOOTHING_SIGMA = 0.5
"""Width of the 3 x 3 Gaussian that makes the degraded picture, as in Galbally et al."""

NEGLIGIBLE = 1e-9
"""A sum of squares or of absolute values below this is rounding."""

MOST_DECIBELS = 100.0
"""The value for an unchanged picture, instead of infinity."""


class Pair:
    """A picture and its degraded version, as luma from 0 to 255.

    The constructor takes both as RGB, (rows, columns, 3), from 0 to 255.
    """

    def __init__(self, colour: NDArray[Any], degraded: NDArray[Any]) -> None:
        self._colour, self._degraded_colour = planes(colour), planes(degraded)
        self.image, self.degraded = luma(colour), luma(degraded)

    @classmethod
    def of(cls, crop: NDArray[np.uint8]) -> "Pair":
        """Pair a crop with its slightly smoothed version."""
        planes = [slightly_smoothed(crop[..., k].astype(np.float64)) for k in range(3)]
        return cls(crop, np.stack(planes, axis=-1))

    @cached_property
    def absolute_error(self) -> Picture:
        """Absolute difference of image and degraded image."""
        return np.abs(self.image - self.degraded)

    @cached_property
    def energy(self) -> float:
        """Sum of the image's squares."""
        return float(np.sum(self.image**2))

    @cached_property
    def error_energy(self) -> float:
        """Sum of the error's squares."""
        return float(np.sum(self.absolute_error**2))

    @cached_property
    def angle(self) -> Picture:
        """Angle between a pixel's two colours, divided by a right angle; 0 for black."""
        r, g, b = self._colour
        u, v, w = self._degraded_colour
        # From sine and cosine: the cosine alone loses small angles.
        across = np.sqrt((g * w - b * v) ** 2 + (b * u - r * w) ** 2 + (r * v - g * u) ** 2)
        return np.arctan2(across, r * u + g * v + b * w) * (2.0 / np.pi)

    @cached_property
    def distance(self) -> Picture:
        """Distance between a pixel's two colours, divided by that of black and white."""
        squares = np.sum((self._colour - self._degraded_colour) ** 2, axis=0)
        return np.sqrt(squares) / (255.0 * np.sqrt(3.0))

    @cached_property
    def gradients(self) -> tuple[Spectrum, Spectrum]:
        """Central differences of both pictures: across as real part, down as imaginary part."""
        return _gradient(self.image), _gradient(self.degraded)

    @cached_property
    def spectra(self) -> tuple[Spectrum, Spectrum]:
        """Fourier transforms of both pictures."""
        return np.fft.fft2(self.image), np.fft.fft2(self.degraded)


def ratio(top: float, bottom: float, otherwise: float) -> float:
    """Return a quotient, or ``otherwise`` if the divisor vanishes."""
    return top / bottom if bottom > NEGLIGIBLE else otherwise


def decibels(signal: float, noise: float) -> float:
    """Return ``10 log10(signal / noise)``, within +-`MOST_DECIBELS`."""
    if noise <= NEGLIGIBLE:
        return MOST_DECIBELS
    value = 10.0 * np.log10(max(signal, NEGLIGIBLE) / noise)
    return float(np.clip(value, -MOST_DECIBELS, MOST_DECIBELS))


def phase_differences(first: Spectrum, second: Spectrum, floor: float) -> Picture:
    """Return the angles between complex numbers on the circle, 0 where one is below a floor."""
    have_phase = (np.abs(first) > floor) & (np.abs(second) > floor)
    return np.where(have_phase, np.angle(second * np.conj(first)), 0.0)


def _gradient(picture: Picture) -> Spectrum:
    result = np.empty(picture.shape, np.complex128)
    result.imag, result.real = np.gradient(picture)
    return result


# ------------------------------------------------- filters
# Without padding unless they say so.


def slightly_smoothed(picture: Picture) -> Picture:
    """Return a picture convolved with a 3 x 3 Gaussian of width 0.5, padded by its border pixels.

    Weighted differences are added to each pixel, so a flat area is unchanged to the last bit.
    """
    _, beside = _gaussian(1, SMOOTHING_SIGMA)
    for _ in range(2):
        padded = np.pad(picture, [(1, 1), (0, 0)], mode="edge")
        picture = picture + beside * ((padded[:-2] - picture) + (padded[2:] - picture))
        picture = picture.T
    return picture


def gaussian(picture: Picture, radius: int, sigma: float) -> Picture:
    """Return a picture convolved with a truncated Gaussian, where the window fits."""
    weights = _gaussian(radius, sigma)
    return _along_rows(_along_rows(picture, weights).T, weights).T


def laplacian(picture: Picture) -> Picture:
    """Return ``I[i+1,j] + I[i-1,j] + I[i,j+1] + I[i,j-1] - 4 I[i,j]`` for all inner pixels."""
    vertical = picture[2:, 1:-1] + picture[:-2, 1:-1]
    horizontal = picture[1:-1, 2:] + picture[1:-1, :-2]
    return (vertical + horizontal) - 4.0 * picture[1:-1, 1:-1]


def sobel(picture: Picture) -> tuple[Picture, Picture]:
    """Return Sobel differences across and down for all inner pixels."""
    steps = picture[:, 2:] - picture[:, :-2]
    across = steps[:-2] + 2.0 * steps[1:-1] + steps[2:]
    steps = picture[2:] - picture[:-2]
    down = steps[:, :-2] + 2.0 * steps[:, 1:-1] + steps[:, 2:]
    return across, down


@cache
def _gaussian(radius: int, sigma: float) -> tuple[float, ...]:
    """Return the weights of a normalised Gaussian from its centre outwards."""
    weights = np.exp(-0.5 * (np.arange(radius + 1) / sigma) ** 2)
    weights /= weights[0] + 2.0 * weights[1:].sum()
    return tuple(weights.tolist())


def _along_rows(picture: Picture, weights: tuple[float, ...]) -> Picture:
    """Convolve every row, without padding."""
    radius = len(weights) - 1
    length = picture.shape[1] - 2 * radius
    result = weights[0] * picture[:, radius : radius + length]
    for distance, weight in enumerate(weights[1:], start=1):
        left = picture[:, radius - distance : radius - distance + length]
        right = picture[:, radius + distance : radius + distance + length]
        result += weight * (left + right)
    return result
