"""A picture and its degraded version, and what several measures need of both."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors.colour import luma
from lmkl_core.features.descriptors.iqm.filters import Picture, slightly_smoothed

NOTHING = 1e-9
"""A sum of squares or of absolute values below this is rounding: there is nothing to measure."""

MOST_DECIBELS = 100.0
"""What decibels say when nothing was lost, which would be infinitely many."""


class Pair:
    """A picture and its degraded version.

    Both are pictures of luma, 0 to 255, and what is computed of them is kept, so that each
    measure can be written as its formula.

    Parameters
    ----------
    colour, degraded : ndarray (rows, columns, 3)
        Red, green and blue on 0 to 255.
    """

    def __init__(self, colour: NDArray[Any], degraded: NDArray[Any]) -> None:
        self._colour, self._degraded_colour = _planes(colour), _planes(degraded)
        self.image, self.degraded = luma(colour), luma(degraded)

    @classmethod
    def of(cls, crop: NDArray[np.uint8]) -> "Pair":
        """Pair a crop with its slightly smoothed version."""
        planes = [slightly_smoothed(crop[..., k].astype(np.float64)) for k in range(3)]
        return cls(crop, np.stack(planes, axis=-1))

    @cached_property
    def error(self) -> Picture:
        """What was lost: image minus degraded image."""
        return self.image - self.degraded

    @cached_property
    def absolute_error(self) -> Picture:
        """Size of what was lost."""
        return np.abs(self.error)

    @cached_property
    def energy(self) -> float:
        """Sum of the image's squares."""
        return float(np.sum(self.image**2))

    @cached_property
    def error_energy(self) -> float:
        """Sum of the error's squares."""
        return float(np.sum(self.error**2))

    @cached_property
    def angle(self) -> Picture:
        """Angle between a pixel's two colours as vectors, over a right angle; 0 for black."""
        r, g, b = self._colour
        u, v, w = self._degraded_colour
        # By sine and cosine: the cosine alone is blind to small angles.
        across = np.sqrt((g * w - b * v) ** 2 + (b * u - r * w) ** 2 + (r * v - g * u) ** 2)
        return np.arctan2(across, r * u + g * v + b * w) * (2.0 / np.pi)

    @cached_property
    def distance(self) -> Picture:
        """Distance between a pixel's two colours, over that from black to white."""
        squares = np.sum((self._colour - self._degraded_colour) ** 2, axis=0)
        return np.sqrt(squares) / (255.0 * np.sqrt(3.0))

    @cached_property
    def gradients(self) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Central differences of both pictures, across as real part and down as imaginary."""
        return _gradient(self.image), _gradient(self.degraded)

    @cached_property
    def spectra(self) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Fourier transforms of both pictures."""
        return np.fft.fft2(self.image), np.fft.fft2(self.degraded)


def ratio(top: float, bottom: float, otherwise: float) -> float:
    """Return a quotient, or what stands for it where there is nothing to divide by."""
    return top / bottom if bottom > NOTHING else otherwise


def decibels(signal: float, noise: float) -> float:
    """Return ``10 log10(signal / noise)``, within +-`MOST_DECIBELS`."""
    if noise <= NOTHING:
        return MOST_DECIBELS
    value = 10.0 * np.log10(max(signal, NOTHING) / noise)
    return float(np.clip(value, -MOST_DECIBELS, MOST_DECIBELS))


def turns(first: NDArray[np.complex128], second: NDArray[np.complex128], floor: float) -> Picture:
    """Return the angles between complex numbers, 0 where one of them is no larger than a floor.

    Angles are taken on the circle: directions just above and just below the half turn are near
    each other, not almost a whole turn apart.
    """
    there = (np.abs(first) > floor) & (np.abs(second) > floor)
    return np.where(there, np.angle(second * np.conj(first)), 0.0)


def _planes(colour: NDArray[Any]) -> NDArray[np.float64]:
    return np.ascontiguousarray(np.moveaxis(colour, -1, 0), np.float64)


def _gradient(picture: Picture) -> NDArray[np.complex128]:
    result = np.empty(picture.shape, np.complex128)
    result.imag, result.real = np.gradient(picture)
    return result
