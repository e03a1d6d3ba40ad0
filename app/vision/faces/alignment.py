"""From landmarks to face coordinates, and from face coordinates to crops.

A similarity transform (rotation, one scale, shift) maps the five landmarks to `TEMPLATE` in the
least-squares sense. With points as complex numbers the optimum of Umeyama (1991) is a quotient: for
centred landmarks p and centred template q,

    a = sum(conj(p) q) / sum(|p|^2),        face = a (z - mean z) + mean template,

which is never a mirror image, because multiplication by a complex number does not reflect.

Shrinking by plain bilinear interpolation would turn fine texture into moiré, the very sign of
screens and prints. So the image is blurred first, by a Gaussian of

    sigma^2 = 0.4^2 (f^2 - 1)    pixels, when f > 1 pixels of the image go into one of the crop,

and halved first where f is large; the formula also holds for repeated halving.

Resampled crops that extend beyond the frame are continued by reflection, since a black edge would
add texture. Native crops are moved inside the frame, and reflected only if the frame is smaller.
Boxes are shrunk to the frame and moved inside it.
"""

import math
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import LANDMARKS, Box, Image
from lmkl_core.features.presets.preset import TEMPLATE, Crop

Matrix = NDArray[np.float64]  # 2 x 3: linear map and shift of pixel positions

BROW = (0.5, 0.355)
CHIN = (0.5, 1.005)
CHEEKS = ((0.25, 0.64), (0.75, 0.64))
"""Further points of a face in face coordinates, from the proportions of a face.

The brows lie a third of the eye distance above the eyes, the chin half as far below the mouth as
the mouth below the eyes. Each cheek's point lies halfway between eye and edge, so up to a seventh
of the width may be missing on a side.
"""

_TEMPLATE = np.array(TEMPLATE)
_CENTRE = (0.5, 0.5)

# Landmarks are refused if their spread is below this many pixels, their shape has less than this
# correlation with a face's, or they lie beyond any picture.
_MIN_SPREAD = 1.0
_FARTHEST = 1e6
_MIN_CORRELATION = 0.3

_BLUR = 0.4
_MIN_SIGMA = 0.15  # below this a Gaussian on whole pixels does nothing
_MAX_SHRINKING = 4.0  # above it the image is halved first, which keeps the Gaussian small
# Averaging pairs of pixels is itself a blur of variance 1/4; this is the rest of what f = 2 needs.
_HALVING_SIGMA = math.sqrt(_BLUR**2 * 3.0 - 0.25)


def face_transform(landmarks: NDArray[np.float64]) -> Matrix | None:
    """Map image positions to face coordinates.

    None if the (5, 2) landmarks are not finite, coincide or do not resemble a face.
    """
    points = np.asarray(landmarks, dtype=np.float64)
    if points.shape != (len(LANDMARKS), 2) or not (np.abs(points) < _FARTHEST).all():
        return None  # includes NaN, which compares false
    source, target = points @ [1, 1j], _TEMPLATE @ [1, 1j]
    p, q = source - source.mean(), target - target.mean()
    spread = float(np.vdot(p, p).real)
    if spread < _MIN_SPREAD**2 * len(p):
        return None
    product = np.vdot(p, q)
    if abs(product) < _MIN_CORRELATION * np.sqrt(spread * np.vdot(q, q).real):
        return None
    a = product / spread
    shift = target.mean() - a * source.mean()
    return np.array([[a.real, -a.imag, shift.real], [a.imag, a.real, shift.imag]])


def face_side(transform: Matrix) -> float:
    """Return the side of the tight face square in pixels of the image."""
    return 1.0 / scale_of(transform)


def cut(image: Image, transform: Matrix | None, crop: Crop, box: Box | None = None) -> Image:
    """Cut one crop, ``crop.size`` pixels square: of the image, of the box or of the face."""
    if crop.of == "image":
        return reduce_to(image, crop.size, crop.size)
    if crop.of == "box":
        assert box is not None, f"crop {crop.name!r} lies on a face's box"
        return _scaled_box(image, box, crop)
    assert transform is not None, f"crop {crop.name!r} lies on a face"
    if crop.side is None:
        return _native(image, transform, crop)
    to_image = square_to_image(transform, crop.centre, crop.side, crop.size)
    return resample(image, to_image, crop.size)


def cut_all(
    image: Image, transform: Matrix | None, crops: Iterable[Crop], box: Box | None = None
) -> dict[str, Image]:
    return {crop.name: cut(image, transform, crop, box) for crop in crops}


def square_corners(
    transform: Matrix, centre: tuple[float, float] = _CENTRE, side: float = 1.0
) -> NDArray[np.float64]:
    """Return the (4, 2) image positions of a square given in face coordinates."""
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * side + centre
    return apply(invert(transform), corners)


def visible_share(
    landmarks: NDArray[np.float64], transform: Matrix, shape: tuple[int, ...]
) -> float:
    """Share of nine points (landmarks, `BROW`, `CHIN`, `CHEEKS`) that lie inside the frame.

    If all are inside, enough of the face is visible, although the tight face square, which is wider
    than a face, may extend beyond the frame.
    """
    height, width = shape[:2]
    points = np.vstack([landmarks, apply(invert(transform), np.array([BROW, CHIN, *CHEEKS]))])
    # Pixels are squares about their centres, so the frame ends half a pixel beyond the last centre.
    inside = (points >= -0.5) & (points <= np.array([width, height]) - 0.5)
    return float(inside.all(axis=1).mean())


def _scaled_box(image: Image, box: Box, crop: Crop) -> Image:
    """Cut the scaled box, resized bilinearly without blur, as in the networks' training."""
    last = np.array(image.shape[1::-1]) - 1.0
    corner, sides = np.clip(np.nan_to_num(box), -_FARTHEST, _FARTHEST).reshape(2, 2)
    sides = np.maximum(sides, 1.0)
    scaled = sides * min(crop.scale, *(last / sides))
    low = corner + sides / 2 - scaled / 2
    high = low + scaled
    shift = np.maximum(-low, 0.0) - np.maximum(high - last, 0.0)
    (left, top), (right, bottom) = (low + shift).astype(int), (high + shift).astype(int)
    part = image[top : bottom + 1, left : right + 1]
    return np.asarray(cv2.resize(part, (crop.size, crop.size)), dtype=np.uint8)


def _native(image: Image, transform: Matrix, crop: Crop) -> Image:
    """Cut an upright window of unchanged pixels about the crop's centre."""
    size, lengths = crop.size, np.array(image.shape[1::-1])
    centre = apply(invert(transform), np.array([crop.centre]))[0]
    # The window's first pixel, chosen so that its middle is nearest to the centre.
    x, y = np.clip(np.floor(centre - size / 2 + 1.0).astype(int), 0, np.maximum(lengths - size, 0))
    window = image[y : y + size, x : x + size]
    if (missing := np.maximum(size - lengths, 0)).any():
        # As little reflection as possible, equally on both sides.
        left, top = (int(n) for n in missing // 2)
        right, bottom = (int(n) for n in missing - missing // 2)
        border = cv2.BORDER_REFLECT_101
        window = np.asarray(cv2.copyMakeBorder(window, top, bottom, left, right, border), np.uint8)
    return window.copy()


def invert(matrix: Matrix) -> Matrix:
    linear = np.linalg.inv(matrix[:, :2])
    return np.column_stack([linear, -linear @ matrix[:, 2]])


def apply(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    return points @ matrix[:, :2].T + matrix[:, 2]


def scale_of(matrix: Matrix) -> float:
    """Return the factor by which a similarity transform scales lengths."""
    return math.sqrt(abs(float(np.linalg.det(matrix[:, :2]))))


def square_to_image(matrix: Matrix, centre: tuple[float, float], side: float, size: int) -> Matrix:
    """Return the map from pixels of a crop of ``size`` to pixels of the image.

    ``centre`` and ``side`` are in the coordinates to which ``matrix`` maps image positions.
    """
    step = side / size
    offset = np.asarray(centre) + (0.5 / size - 0.5) * side
    to_square = np.array([[step, 0.0, offset[0]], [0.0, step, offset[1]]])
    back = invert(matrix)
    return np.column_stack([back[:, :2] @ to_square[:, :2], apply(back, to_square[None, :, 2])[0]])


def resample(image: Image, crop_to_image: Matrix, size: int) -> Image:
    """Cut ``size`` x ``size`` pixels; the map goes from the crop's pixels to the image's."""
    shrinking = scale_of(crop_to_image)
    # Blurs need three sigma; interpolation and halving need a few pixels of their own size.
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
    """Resize the whole image: by area to shrink it, bilinearly to enlarge it."""
    shrinks = width * height < image.shape[0] * image.shape[1]
    interpolation = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=interpolation), np.uint8)


def _needed_part(
    image: Image, crop_to_image: Matrix, size: int, margin: float
) -> tuple[Image, Matrix]:
    last = size - 1.0
    corners = apply(crop_to_image, np.array([(0, 0), (last, 0), (0, last), (last, last)]))
    low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
    x, y = map(_needed_range, low.tolist(), high.tolist(), image.shape[1::-1])
    matrix = crop_to_image.copy()
    matrix[:, 2] -= [x.start, y.start]
    return image[y, x], matrix


def _needed_range(low: float, high: float, length: int) -> slice:
    """Return the pixels from low to high, and those that reflection repeats outside the frame."""
    last = length - 1
    start = min(low, 2 * last - high)
    stop = max(high, -low)
    if start < -last or stop > 2 * last:
        return slice(0, length)  # reflected more than once
    return slice(max(math.floor(start), 0), min(math.ceil(stop), last) + 1)


def _blurred(image: Image, sigma: float) -> Image:
    if sigma < _MIN_SIGMA:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), dtype=np.uint8)


def _halved(image: Image, crop_to_image: Matrix) -> tuple[Image, Matrix]:
    height, width = image.shape[:2]
    half = reduce_to(image, (width + 1) // 2, (height + 1) // 2)
    ratio = np.array([half.shape[1] / width, half.shape[0] / height])
    matrix = crop_to_image * ratio[:, None]
    matrix[:, 2] += 0.5 * ratio - 0.5
    return half, matrix
