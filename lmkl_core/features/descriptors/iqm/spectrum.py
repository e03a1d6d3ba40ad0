"""Measures of Fourier spectra: ``F`` that of the image, ``E`` that of its degraded version."""

import numpy as np

from lmkl_core.features.descriptors.iqm.pair import Pair, ratio, turns

LOW_SHARE = 0.15
"""Frequencies below this share of a side are low."""

_ROUNDING = 1e-12


def sme(pair: Pair) -> float:
    """Spectral magnitude error: ``sum (|F| - |E|)^2 / N``."""
    first, second = pair.spectra
    return float(np.mean((np.abs(first) - np.abs(second)) ** 2))


def spe(pair: Pair) -> float:
    """Spectral phase error: ``sum |arg F - arg E|^2 / N`` on the circle.

    Coefficients that are rounding alone have no phase, and nothing is added.
    """
    floor = _ROUNDING * float(np.sum(pair.image))
    return float(np.mean(turns(*pair.spectra, floor=floor) ** 2))


def hlfi(pair: Pair) -> float:
    """High-low frequency index of the image: ``(sum_low |F| - sum_high |F|) / sum |F|``.

    Counted from zero frequency in either direction, low are those below 0.15 of the side both
    across and down, high those beyond in both. 0 for black.
    """
    magnitude = np.abs(pair.spectra[0])
    low_rows, low_columns = (_is_low(length) for length in magnitude.shape)
    low = float(np.sum(magnitude[np.ix_(low_rows, low_columns)]))
    high = float(np.sum(magnitude[np.ix_(~low_rows, ~low_columns)]))
    return ratio(low - high, float(np.sum(magnitude)), 0.0)


def _is_low(length: int) -> np.ndarray:
    place = np.arange(length)
    return np.minimum(place, length - place) < LOW_SHARE * length
