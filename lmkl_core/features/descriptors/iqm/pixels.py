"""Measures that compare a picture with its degraded version pixel by pixel.

``I`` is the image, ``J`` its degraded version, both of ``N`` pixels; sums are over pixels.
"""

import numpy as np

from lmkl_core.features.descriptors.iqm.filters import laplacian
from lmkl_core.features.descriptors.iqm.pair import Pair, decibels, ratio

LARGEST_DIFFERENCES = 10
"""How many of the largest differences `ramd` takes."""


def mse(pair: Pair) -> float:
    """Mean squared error: ``sum (I - J)^2 / N``."""
    return pair.error_energy / pair.image.size


def psnr(pair: Pair) -> float:
    """Peak signal to noise: ``10 log10(max I^2 / MSE)`` decibels, 100 when nothing was lost."""
    return decibels(float(np.max(pair.image**2)), mse(pair))


def snr(pair: Pair) -> float:
    """Signal to noise: ``10 log10(sum I^2 / sum (I - J)^2)`` decibels, 100 at most."""
    return decibels(pair.energy, pair.error_energy)


def sc(pair: Pair) -> float:
    """Structural content: ``sum I^2 / sum J^2``; 1 for black."""
    return ratio(pair.energy, float(np.sum(pair.degraded**2)), 1.0)


def md(pair: Pair) -> float:
    """Maximum difference: ``max |I - J|``."""
    return float(np.max(pair.absolute_error))


def nae(pair: Pair) -> float:
    """Normalised absolute error: ``sum |I - J| / sum |I|``; 0 for black."""
    return ratio(float(np.sum(pair.absolute_error)), float(np.sum(pair.image)), 0.0)


def ramd(pair: Pair) -> float:
    """R-averaged maximum difference: the mean of the 10 largest ``|I - J|``."""
    ordered = np.partition(pair.absolute_error, -LARGEST_DIFFERENCES, axis=None)
    return float(np.mean(ordered[-LARGEST_DIFFERENCES:]))


def lmse(pair: Pair) -> float:
    """Laplacian error: ``sum (h(I) - h(J))^2 / sum h(I)^2``, h the Laplacian; 0 without detail."""
    detail = laplacian(pair.image)
    lost = float(np.sum((detail - laplacian(pair.degraded)) ** 2))
    return ratio(lost, float(np.sum(detail**2)), 0.0)


def nxc(pair: Pair) -> float:
    """Normalised cross-correlation: ``sum I J / sum I^2``; 1 for black."""
    return ratio(float(np.sum(pair.image * pair.degraded)), pair.energy, 1.0)


def mas(pair: Pair) -> float:
    """Mean angle similarity: ``1 - sum a / N``, a the angle between colours over a right angle.

    Avcibas, Memon and Sankur define it for pixels that are vectors. In a grey picture all angles
    are zero, so it is taken of red, green and blue.
    """
    return 1.0 - float(np.mean(pair.angle))


def mams(pair: Pair) -> float:
    """Mean angle-magnitude similarity: ``sum (1 - (1 - a)(1 - |c - d| / (255 sqrt 3))) / N``.

    a is the angle of `mas` and ``|c - d|`` the distance between a pixel's two colours.
    """
    return float(np.mean(1.0 - (1.0 - pair.angle) * (1.0 - pair.distance)))
