"""Cut a square out of an image under a similarity transform, without aliasing.

Shrinking by plain bilinear interpolation skips pixels: fine texture then turns into moiré, which
is just what a detector of screens and prints must not be shown. So the part of the image that is
needed is blurred first, by a Gaussian of

    sigma^2 = 0.4^2 (f^2 - 1)    pixels, when f > 1 pixels of the image go into one of the crop,

which is nothing at f = 1 and grows from there without a step: a face that slowly comes closer
changes its texture slowly. Where f is large the image is halved first, as often as needed; the law
above holds for halves of halves too, so that makes no step either.

Outside the frame the image is continued by reflection: no black edge that would be texture of our
own making. Whether enough of the face lies inside is for the quality gate to say.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import Image

Matrix = NDArray[np.float64]
"""2 x 3: a linear map and a shift of pixel positions."""

_BLUR = 0.4
_MIN_SIGMA = 0.15  # below this a Gaussian on whole pixels does nothing
_MAX_SHRINKING = 4.0  # beyond it the image is halved first, which keeps the Gaussian small
# Averaging pairs of pixels is itself a blur, of variance 1/4; the rest of what f = 2 needs:
_HALVING_SIGMA = math.sqrt(_BLUR**2 * 3.0 - 0.25)


def invert(matrix: Matrix) -> Matrix:
    """Return the 2 x 3 matrix of the inverse map."""
    linear = np.linalg.inv(matrix[:, :2])
    return np.column_stack([linear, -linear @ matrix[:, 2]])


def apply(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map (n, 2) points."""
    return points @ matrix[:, :2].T + matrix[:, 2]


def scale_of(matrix: Matrix) -> float:
    """How many times longer a length becomes under a similarity transform."""
    return math.sqrt(abs(float(np.linalg.det(matrix[:, :2]))))


def square_to_image(matrix: Matrix, centre: tuple[float, float], side: float, size: int) -> Matrix:
    """Return the map from pixel positions of a crop to pixel positions of the image.

    Parameters
    ----------
    matrix : ndarray
        From image positions to the coordinates in which the square is given.
    centre, side : tuple of float, float
        The square.
    size : int
        Pixels of the crop along a side.
    """
    step = side / size
    offset = np.asarray(centre) + (0.5 / size - 0.5) * side
    to_square = np.array([[step, 0.0, offset[0]], [0.0, step, offset[1]]])
    back = invert(matrix)
    return np.column_stack([back[:, :2] @ to_square[:, :2], apply(back, to_square[None, :, 2])[0]])


def resample(image: Image, crop_to_image: Matrix, size: int) -> Image:
    """Cut ``size`` x ``size`` pixels; the map goes from the crop's pixels to the image's."""
    shrinking = scale_of(crop_to_image)
    # Blurs reach three sigma, interpolation and halving a few pixels of their own size.
    margin = 2.0 * max(shrinking, 1.0) + 2.0
    part, matrix = _needed_part(image, crop_to_image, size, margin)
    while shrinking > _MAX_SHRINKING and min(part.shape[:2]) > 1:
        part, matrix = _halved(_blurred(part, _HALVING_SIGMA), matrix)
        shrinking = scale_of(matrix)
    part = _blurred(part, _BLUR * math.sqrt(max(shrinking**2 - 1.0, 0.0)))
    crop = cv2.warpAffine(
        part,
        matrix,
        (size, size),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REFLECT_101,
    )
    return np.asarray(crop, dtype=np.uint8)


def reduce_to(image: Image, width: int, height: int) -> Image:
    """Resize the whole image: by area when it shrinks, bilinearly when it grows."""
    shrinks = width * height < image.shape[0] * image.shape[1]
    interpolation = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=interpolation), np.uint8)


def _needed_part(
    image: Image, crop_to_image: Matrix, size: int, margin: float
) -> tuple[Image, Matrix]:
    """Return the part of the image that a crop is made of, and the map into it."""
    last = size - 1.0
    corners = apply(crop_to_image, np.array([(0, 0), (last, 0), (0, last), (last, last)]))
    low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
    x, y = (
        _needed_range(float(low[axis]), float(high[axis]), image.shape[1 - axis]) for axis in (0, 1)
    )
    matrix = crop_to_image.copy()
    matrix[:, 2] -= [x.start, y.start]
    return image[y, x], matrix


def _needed_range(low: float, high: float, length: int) -> slice:
    """Pixels from low to high, and those that reflection puts outside the frame."""
    last = length - 1
    start = min(low, 2 * last - high)
    stop = max(high, -low)
    if start < -last or stop > 2 * last:
        return slice(0, length)  # reflected more than once: all of it
    return slice(max(math.floor(start), 0), min(math.ceil(stop), last) + 1)


def _blurred(image: Image, sigma: float) -> Image:
    if sigma < _MIN_SIGMA:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), dtype=np.uint8)


def _halved(image: Image, crop_to_image: Matrix) -> tuple[Image, Matrix]:
    """Return the image at half its size, and the map into it."""
    height, width = image.shape[:2]
    half = reduce_to(image, (width + 1) // 2, (height + 1) // 2)
    ratio = np.array([half.shape[1] / width, half.shape[0] / height])
    matrix = crop_to_image * ratio[:, None]
    matrix[:, 2] += 0.5 * ratio - 0.5
    return half, matrix
