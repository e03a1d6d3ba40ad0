r"""Local binary patterns in colour: the frequency of each small pattern of light and dark.

Eight points :math:`p = 0, \dots, 7` lie on a circle of radius 1 around a pixel :math:`g_c`, the
first to its right, the others counter-clockwise. The pattern of the pixel is (Ojala, Pietikäinen
and Mäenpää 2002)

.. math::
    \mathrm{LBP}_{8,1} = \sum_{p=0}^{7} s(g_p - g_c)\, 2^p,
    \qquad s(x) = 1 \text{ if } x \ge 0 \text{ else } 0 .

Four of the points are pixels. The diagonal ones are interpolated between the centre, its two axial
neighbours :math:`a, b` and the diagonal one :math:`d`, which leaves the sign of

.. math::
    (\sqrt 2 - 1)\,\bigl((a - g_c) + (b - g_c)\bigr) + (d - g_c).

For integer levels this is zero or at least :math:`1 / (2\sqrt 2 \cdot 510 + 1) > 6 \cdot 10^{-4}`
away from zero, far more than the error of single precision, so every pattern is the same on every
machine.

A pattern is *uniform* if its circle changes between 0 and 1 at most twice, as 58 of the 256 do.
Each uniform pattern has its own bin, in the order of the numbers; the others share the last one.
Border pixels are left out. The view concatenates the histograms of Y, Cb, Cr, H, S and V
(`colour`), each divided by its number of pixels: 354 columns.

Which variant the paper used is not public; this is the colour texture descriptor of the face
literature (Boulkenafet, Komulainen and Hadid 2015, 2016). As there, hue is compared as a number,
although both ends of its range are red.

References
----------
Ojala, Pietikäinen, Mäenpää: Multiresolution gray-scale and rotation invariant texture
classification with local binary patterns. TPAMI 24 (2002).

Boulkenafet, Komulainen, Hadid: Face anti-spoofing based on color texture analysis. ICIP 2015;
Face spoofing detection using colour texture analysis. TIFS 11 (2016).
"""

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors.colour import CHANNELS, levels

VERSION = 1
"""Increased when a crop would give other values than before."""

POINTS = 8
SMALLEST = 32
"""Smallest side of a crop in pixels; in smaller crops most bins would be empty."""


def transitions(pattern: int) -> int:
    """Return how often a pattern changes between 0 and 1 around its circle."""
    rotated = (pattern >> 1) | ((pattern & 1) << (POINTS - 1))
    return (pattern ^ rotated).bit_count()


UNIFORM = tuple(pattern for pattern in range(2**POINTS) if transitions(pattern) <= 2)
"""The uniform patterns in the order of their bins."""

BINS = len(UNIFORM) + 1
COLUMNS = BINS * len(CHANNELS)

_BIN_OF = np.full(2**POINTS, BINS - 1, dtype=np.int64)
_BIN_OF[list(UNIFORM)] = np.arange(len(UNIFORM))

_AXIAL = ((0, 1), (-1, 0), (0, -1), (1, 0))
"""Offsets (rows, columns) of the points 0, 2, 4 and 6 from the centre."""

_AXIAL_WEIGHT = np.float32(np.sqrt(2.0) - 1.0)


def lbp(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the histograms of a crop's patterns: `COLUMNS` shares that sum to 1 per channel."""
    counts = [
        np.bincount(_BIN_OF[patterns(channel)].ravel(), minlength=BINS) for channel in levels(crop)
    ]
    n_pixels = (crop.shape[0] - 2) * (crop.shape[1] - 2)
    return (np.concatenate(counts) / n_pixels).astype(np.float32)


def patterns(channel: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the pattern of every pixel except those of the border."""
    # Small integers are exact in single precision, and twice as many fit into a register.
    values = channel.astype(np.float32)
    rows, columns = values.shape
    centre = values[1:-1, 1:-1]

    def difference(down: int, across: int) -> NDArray[np.float32]:
        return values[1 + down : rows - 1 + down, 1 + across : columns - 1 + across] - centre

    axial = [difference(*step) for step in _AXIAL]
    codes = np.zeros(centre.shape, np.uint8)
    for number, (here, step) in enumerate(zip(axial, _AXIAL, strict=True)):
        following = (number + 1) % len(_AXIAL)
        diagonal = difference(step[0] + _AXIAL[following][0], step[1] + _AXIAL[following][1])
        diagonal += _AXIAL_WEIGHT * (here + axial[following])
        codes |= (here >= 0).view(np.uint8) << np.uint8(2 * number)
        codes |= (diagonal >= 0).view(np.uint8) << np.uint8(2 * number + 1)
    return codes
