"""Convert an array to RGB, or say why it is not a picture."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.types import Image

MIN_SIDE = 64
MAX_PIXELS = 1 << 26
"""Larger frames (more than 8192 x 8192) are refused before decoding; 8K video passes."""
# Sensors show a few levels of noise behind a closed shutter.
BLACK_LEVEL = 12
# Every eighth pixel in both directions is enough to see whether there is a picture.
STEP = 8
# Least share of the height that is missing from a half-decoded picture.
MISSING_SHARE = 1 / 8
# Colours that decoders leave where data are missing: mid-grey, or the green of zero luma and
# chroma. Sensor noise keeps a real wall of that colour from being perfectly uniform.
GREY_FILL, GREEN_FILL = (126, 132), (70, 140)
# Side of a JPEG block in pixels, and by how many levels colours bleed over its edges.
BLOCK, FILL_BLUR = 8, 3


def as_rgb(pixels: NDArray[Any]) -> tuple[Image | None, str]:
    """Return the picture as (height, width, 3) of uint8, or None and the reason.

    Grey is repeated in three channels, a fourth channel is dropped, and of 16 bits the upper 8 are
    kept; anything else is refused. The result shares memory with the input if nothing changed.
    """
    if not isinstance(pixels, np.ndarray):
        return None, f"The frame is {type(pixels).__name__}, not an array of pixels."
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3, 4)):
        return None, f"The frame has shape {pixels.shape}; height x width x 1, 3 or 4 is needed."
    if pixels.dtype.kind != "u" or pixels.dtype.itemsize > 2:
        return None, f"The frame's pixels are {pixels.dtype}; unsigned 8 or 16 bits are needed."
    # Matrices and masked arrays are arrays too, but have their own arithmetic.
    image = np.asarray(pixels)
    height, width = image.shape[:2]
    if min(height, width) < MIN_SIDE:
        return None, f"The frame is {width} x {height}; at least {MIN_SIDE} x {MIN_SIDE} is needed."
    if height * width > MAX_PIXELS:
        return None, f"The frame is {width} x {height}; choose a smaller resolution."
    if image.dtype.itemsize == 2:  # in either byte order
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        image = np.repeat(image.reshape(height, width, 1), 3, axis=2)
    image = np.ascontiguousarray(image[:, :, :3])
    sample = image[::STEP, ::STEP]
    darkest, brightest = sample.min(axis=(0, 1)), sample.max(axis=(0, 1))
    if brightest.max() <= BLACK_LEVEL:
        return None, "The image is black: open the camera's shutter or turn on a light."
    if (darkest == brightest).all():  # of any hue: a camera without data is often all green
        return None, "The image is a single colour: the camera sends no picture."
    if lacks_lower_part(image) and not _is_padded(image):
        return None, "The lower part of the image is missing: it arrived damaged."
    return image, ""


def lacks_lower_part(image: Image) -> bool:
    """Whether a decoder ran out of data and filled the last rows with one colour.

    A border all around does not count: the first row has that colour too. Rows filled from an older
    picture are not detected here.
    """
    if image.ndim != 3 or image.shape[2] != 3 or not image.size:
        return False
    colour = image[-1, -1]
    if not _is_fill(*map(int, colour)) or not (image[-1] == colour).all():
        return False
    n_rows = max(1, int(len(image) * MISSING_SHARE))
    return bool((image[-n_rows:] == colour).all() and not (image[0] == colour).all())


def _is_padded(image: Image) -> bool:
    """Whether the grey below a picture begins in a straight line, as padding does.

    Truncated data end within a row of blocks, so the grey begins a block higher on the right. Green
    is never padding.
    """
    colour = image[-1, -1]
    if np.ptp(colour.astype(int)) > GREY_FILL[1] - GREY_FILL[0]:
        return False
    begins = len(image) - int(np.argmin((image == colour).all(axis=(1, 2))[::-1]))
    corner = image[max(0, begins - BLOCK) : begins, -BLOCK:].astype(int)
    return bool((np.abs(corner - colour) > FILL_BLUR).any())


def _is_fill(red: int, green: int, blue: int) -> bool:
    low, high = GREY_FILL
    is_grey = all(low <= value <= high for value in (red, green, blue))
    return is_grey or (max(red, blue) <= 2 and GREEN_FILL[0] <= green <= GREEN_FILL[1])
