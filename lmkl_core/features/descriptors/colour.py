r"""Colour spaces of crops, in floating point and, for patterns, in 256 levels.

With red, green and blue :math:`R, G, B` from 0 to 255:

Luma and chroma (ITU-R BT.601, full range, as in JPEG):

.. math::
    Y = 0.299 R + 0.587 G + 0.114 B, \quad
    C_b = 128 + \frac{B - Y}{1.772}, \quad C_r = 128 + \frac{R - Y}{1.402}.

Hue, saturation and value, with :math:`V = \max(R, G, B)` and :math:`D = V - \min(R, G, B)`: the
saturation is :math:`S = D / V` (0 for black) and the hue a position on the circle, starting at red,

.. math::
    H = \tfrac16 \cdot \begin{cases}
        (G - B) / D \bmod 6 & \text{if } V = R \\
        (B - R) / D + 2 & \text{if } V = G \ne R \\
        (R - G) / D + 4 & \text{otherwise}
    \end{cases}

and 0 for greys, which have no hue. Only sums, products and quotients of single pixels are used,
which IEEE 754 defines to the last bit, so a crop has the same levels on every machine.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CHANNELS = ("Y", "Cb", "Cr", "H", "S", "V")
"""The channels of `levels`, in order."""


def luma(crop: NDArray[Any]) -> NDArray[np.float64]:
    """Return luma, 0 to 255, in exact thousandths, so that equal colours have equal luma."""
    red, green, blue = planes(crop)
    return (299.0 * red + 587.0 * green + 114.0 * blue) / 1000.0


def ycbcr(crop: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return luma (0 to 255) and both chromas (128 +- 127.5), shape (3, rows, columns)."""
    red, _, blue = planes(crop)
    y = luma(crop)
    return np.stack([y, 128.0 + (blue - y) / 1.772, 128.0 + (red - y) / 1.402])


def hsv(crop: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return hue, saturation and value, each 0 to 1 (hue below 1), shape (3, rows, columns)."""
    red, green, blue = planes(crop)
    value = np.maximum(np.maximum(red, green), blue)
    span = value - np.minimum(np.minimum(red, green), blue)
    is_red = value == red
    is_green = value == green
    # One quotient for all three cases: its numerator, and where on the circle it starts.
    part = np.where(is_red, green - blue, np.where(is_green, blue - red, red - green))
    start = np.where(is_red, np.where(part < 0, 6.0, 0.0), np.where(is_green, 2.0, 4.0))
    hue = (part / np.maximum(span, 1.0) + start) / 6.0
    return np.stack([hue, span / np.maximum(value, 1.0), value / 255.0])


def levels(crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the six `CHANNELS` of a crop in 256 integer levels, shape (6, rows, columns)."""
    channels = np.concatenate([ycbcr(crop), 255.0 * hsv(crop)])
    # Pure blue and pure red have a chroma of 255.5, above the highest level.
    return np.minimum(np.rint(channels), 255.0).astype(np.uint8)


def planes(crop: NDArray[Any]) -> NDArray[np.float64]:
    """Return red, green and blue, shape (3, rows, columns)."""
    return np.ascontiguousarray(np.moveaxis(crop, -1, 0), np.float64)
