"""Measures of edges, corners and gradients."""

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors.iqm.filters import Picture, gaussian, sobel
from lmkl_core.features.descriptors.iqm.pair import NOTHING, Pair, turns

EDGE_FACTOR = 4.0
"""An edge's squared gradient is more than this many times the picture's mean."""

HARRIS_SENSITIVITY, HARRIS_QUALITY = 0.04, 0.01
HARRIS_RADIUS, HARRIS_SIGMA = 2, 1.5


def ted(pair: Pair) -> float:
    """Total edge difference: the share of pixels that are an edge in one picture only.

    Edges are Sobel's, thinned (`edges`); each picture sets its own limit.
    """
    return float(np.mean(edges(pair.image) != edges(pair.degraded)))


def tcd(pair: Pair) -> float:
    """Total corner difference: ``|n - m| / max(n, m)`` of both numbers of corners; 0 if none.

    Corners are Harris's (`corners`).
    """
    n, m = (int(np.count_nonzero(corners(g))) for g in pair.gradients)
    return abs(n - m) / max(n, m, 1)


def gme(pair: Pair) -> float:
    """Gradient magnitude error: ``sum (|G| - |H|)^2 / N``, G and H the gradients."""
    first, second = pair.gradients
    return float(np.mean((np.abs(first) - np.abs(second)) ** 2))


def gpe(pair: Pair) -> float:
    """Gradient phase error: ``sum |arg G - arg H|^2 / N`` on the circle.

    Where a gradient vanishes it has no direction, and nothing is added.
    """
    return float(np.mean(turns(*pair.gradients, floor=NOTHING) ** 2))


def edges(picture: Picture) -> NDArray[np.bool_]:
    """Return where edges are, of all pixels at least two from the border.

    An edge is where Sobel's squared gradient exceeds four times its mean and is a ridge: no less
    than before and more than behind it, across or down, whichever way the gradient rather points.
    """
    across, down = sobel(picture)
    strength = across**2 + down**2
    here = strength[1:-1, 1:-1]
    is_ridge = np.where(
        np.abs(across[1:-1, 1:-1]) >= np.abs(down[1:-1, 1:-1]),
        (here >= strength[1:-1, :-2]) & (here > strength[1:-1, 2:]),
        (here >= strength[:-2, 1:-1]) & (here > strength[2:, 1:-1]),
    )
    return is_ridge & (here > max(EDGE_FACTOR * float(np.mean(strength)), NOTHING))


def corners(gradient: NDArray[np.complex128]) -> NDArray[np.bool_]:
    """Return where corners are, of all pixels at least three from the border.

    With ``A, B, C`` the 5 x 5 Gaussian means (width 1.5) of ``Gx^2, Gy^2, Gx Gy``, a corner is a
    maximum among its eight neighbours of ``A B - C^2 - 0.04 (A + B)^2`` that exceeds a hundredth
    of the picture's greatest.
    """
    across, down = gradient.real, gradient.imag
    a, b, c = (
        gaussian(product, HARRIS_RADIUS, HARRIS_SIGMA)
        for product in (across**2, down**2, across * down)
    )
    response = a * b - c**2 - HARRIS_SENSITIVITY * (a + b) ** 2
    wide = np.maximum(np.maximum(response[:, :-2], response[:, 1:-1]), response[:, 2:])
    around = np.maximum(np.maximum(wide[:-2], wide[1:-1]), wide[2:])
    here = response[1:-1, 1:-1]
    return (here == around) & (here > max(HARRIS_QUALITY * float(np.max(response)), NOTHING))
