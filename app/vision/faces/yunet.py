"""YuNet through OpenCV's ``FaceDetectorYN``: better on small faces, if its file is installed.

`lmkl-pad weights fetch yunet` downloads the file. YuNet takes BGR images of a size set beforehand.
It names landmarks from the person's point of view (right eye first), which is left first in the
image: the order of `app.types.LANDMARKS`.
"""

import hashlib
from pathlib import Path

import cv2
import numpy as np

from app.types import Face, Image
from app.vision.faces.alignment import (
    Matrix,
    apply,
    face_transform,
    reduce_to,
    resample,
    square_to_image,
)
from app.vision.faces.detector import LONGEST_SIDE, largest_first, working_size
from lmkl_core.errors import InvalidInputError

YUNET_FILE = "face_detection_yunet_2023mar.onnx"
YUNET_SHA256 = "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"

_MIN_CONFIDENCE = 0.7
_MAX_OVERLAP = 0.3
_MAX_FACES = 100
_COLUMNS = 15  # x, y, width, height, five landmarks, score

# The window of `refine`, in faces and in pixels: the face then has about 70 pixels, the best size
# for YuNet, and may move by half a face in every direction.
_WINDOW_SIDE, _WINDOW_PIXELS = 2.2, 160


class YuNetDetector:
    """Face detector with the YuNet network; raises `InvalidInputError` for any other file.

    It finds faces of at least about 10 pixels in the reduced image.
    """

    name = "yunet"

    def __init__(self, path: Path, sha256: str = YUNET_SHA256) -> None:
        content = _content(path, sha256)
        # One for frames and one for windows, because changing the input size rebuilds the network.
        self._whole = _detector(content, path, (LONGEST_SIDE, LONGEST_SIDE))
        self._window = _detector(content, path, (_WINDOW_PIXELS, _WINDOW_PIXELS))

    def detect(self, image: Image) -> list[Face]:
        width, height = working_size(image)
        self._whole.setInputSize((width, height))
        x, y = image.shape[1] / width, image.shape[0] / height
        to_image = np.array([[x, 0.0, 0.5 * x - 0.5], [0.0, y, 0.5 * y - 0.5]])
        return largest_first(_faces(self._whole, reduce_to(image, width, height), to_image))

    def refine(self, image: Image, face: Face) -> Face | None:
        transform = face_transform(face.landmarks)
        if transform is None:
            return None
        to_image = square_to_image(transform, (0.5, 0.55), _WINDOW_SIDE, _WINDOW_PIXELS)
        # Upright: only the position and size of the face come from the transform.
        middle = apply(to_image, np.full((1, 2), _WINDOW_PIXELS / 2 - 0.5))[0]
        step = float(np.hypot(*to_image[:, 0]))
        first = middle - step * (_WINDOW_PIXELS / 2 - 0.5)
        to_image = np.array([[step, 0.0, first[0]], [0.0, step, first[1]]])
        found = _faces(self._window, resample(image, to_image, _WINDOW_PIXELS), to_image)
        # The window may contain another face: the followed one moved least.
        moves = [np.linalg.norm((near.landmarks - face.landmarks).mean(axis=0)) for near in found]
        return found[int(np.argmin(moves))] if found else None


def _faces(detector: cv2.FaceDetectorYN, image: Image, to_image: Matrix) -> list[Face]:
    """Run the network; the map goes from pixels of this image to pixels of the frame."""
    _, rows = detector.detect(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    if rows is None:
        return []
    table = np.asarray(rows, dtype=np.float64).reshape(-1, _COLUMNS)
    faces = []
    for row in table[np.isfinite(table).all(axis=1)]:
        # YuNet counts from the corner of the image, half a pixel further left than our positions.
        corners = apply(to_image, np.array([row[:2], row[:2] + row[2:4]]) - 0.5) + 0.5
        width, height = corners[1] - corners[0]
        faces.append(
            Face(
                box=(float(corners[0, 0]), float(corners[0, 1]), float(width), float(height)),
                landmarks=apply(to_image, row[4:14].reshape(5, 2) - 0.5),
                confidence=float(np.clip(row[14], 0.0, 1.0)),
            )
        )
    return faces


def _content(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInputError(
            f"The YuNet file {path} cannot be read ({error.strerror}): get it with "
            "`lmkl-pad weights fetch yunet`, or choose the detector 'mtcnn'."
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise InvalidInputError(
            f"The file {path} is damaged or not YuNet's: its SHA-256 begins with {found[:12]} "
            f"instead of {sha256[:12]}; fetch it again or delete it."
        )
    return content


def _detector(content: bytes, path: Path, size: tuple[int, int]) -> cv2.FaceDetectorYN:
    """Build OpenCV's detector and run it on a grey image, which reveals bad outputs."""
    model, config = np.frombuffer(content, np.uint8), np.empty(0, np.uint8)
    try:
        limits = (_MIN_CONFIDENCE, _MAX_OVERLAP, _MAX_FACES)
        detector = cv2.FaceDetectorYN.create("onnx", model, config, size, *limits)
        detector.detect(np.full((size[1], size[0], 3), 127, np.uint8))
    except cv2.error as error:
        raise InvalidInputError(
            f"The file {path} is not a YuNet network that this OpenCV ({cv2.__version__}) can "
            f"run; fetch {YUNET_FILE} again or delete it."
        ) from error
    return detector
