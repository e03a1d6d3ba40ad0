"""Find where a picture goes on with rows of the one before."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 8
"""Side in pixels of what JPEG compresses together."""

STEP = 2
"""Distance of the rows of a block that are compared."""

MOST_BLOCKS = 2
"""Height of a seam: pictures with colours at half the resolution end in steps of two blocks."""

SHARE = 0.9
"""Share of a picture's columns through which a seam goes; the others repeat by chance."""

EXCEPTIONS = 0.02
"""Share of the columns that may be on the wrong side of a step."""


class Seam(NamedTuple):
    """A line from side to side, below which a picture repeats the one before.

    Attributes
    ----------
    block : int
        Where it is at its lowest, in blocks from the top.
    is_straight : bool
        Whether it is a single line, rather than one with the step at which data ended.
    """

    block: int
    is_straight: bool


def seam_between(image: NDArray[Any], previous: NDArray[Any]) -> Seam | None:
    """Return where a picture begins to repeat the one before down to its end, from side to side.

    Parameters
    ----------
    image, previous : ndarray
        (height, width, channels), two of the same shape.

    Returns
    -------
    Seam or None
        None where none goes through: what repeats has another shape, or the picture as a whole
        does.
    """
    n_high, n_wide = image.shape[0] // BLOCK, image.shape[1] // BLOCK
    if n_high <= MOST_BLOCKS or not n_wide:
        return None
    # Blocks are counted from the top, where those of JPEG begin; a rest below does not matter.
    height, width = n_high * BLOCK, n_wide * BLOCK
    shape = (n_high, BLOCK, width, -1)
    now, then = (one[:height, :width].reshape(shape)[:, ::STEP] for one in (image, previous))
    rows = (now != then).any(axis=1)  # down the rows first: much the quicker way
    changed = rows.reshape(n_high, n_wide, -1).any(axis=2)
    # The block after the last that changed, for every column; 0 where none did.
    begins = np.where(changed.any(axis=0), n_high - np.argmax(changed[::-1], axis=0), 0)
    lowest = int(begins.max())
    if lowest <= MOST_BLOCKS:
        return None
    # What is of one colour, such as a black border, tells nothing of its column.
    row = lowest - MOST_BLOCKS - 1
    strip = image[row * BLOCK : (row + 1) * BLOCK, :width].reshape(BLOCK, n_wide, BLOCK, -1)
    telling = changed[row] | np.any(strip != strip[:1, :, :1], axis=(0, 2, 3))
    begins = begins[telling]
    if not begins.size or np.mean(begins >= lowest - MOST_BLOCKS) < SHARE:
        return None
    # Colours of half the resolution blur the line by a block.
    return Seam(lowest, not (_steps(begins == lowest) or _steps(begins >= lowest - 1)))


def _steps(is_low: NDArray[np.bool_]) -> bool:
    """Whether columns are low up to some place and high from there on, with hardly an exception."""
    n_low, n_few = np.count_nonzero(is_low), (1 - SHARE) * len(is_low)
    n_low_left = np.cumsum(is_low)
    n_wrong = np.arange(1, len(is_low) + 1) - n_low_left + (n_low - n_low_left)
    return bool(n_few < n_low < len(is_low) - n_few and n_wrong.min() <= EXCEPTIONS * len(is_low))
