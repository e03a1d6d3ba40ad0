"""Face detectors: their interface, the choice of one, and arithmetic on boxes."""

import logging
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from app.settings import DETECTORS
from app.types import Face, Image
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.weights import weights_folder

LONGEST_SIDE = 320  # pixels: images are resized to this for detection

log = logging.getLogger(__name__)

Boxes = NDArray[np.float64]  # rows of left, top, right, bottom


class FaceDetector(Protocol):
    """Finds faces with five landmarks; not thread-safe, because the networks have buffers."""

    @property
    def name(self) -> str: ...

    def detect(self, image: Image) -> list[Face]:
        """Return all faces, largest first."""
        ...

    def refine(self, image: Image, face: Face) -> Face | None:
        """Look near the last position of a face; None if it is lost.

        Costs a fraction of `detect`; follows moves of up to about a fifth of the face.
        """
        ...


def make_detector(name: str = "auto") -> FaceDetector:
    """Return a detector by name, or raise `InvalidInputError`.

    ``"auto"`` is YuNet if its file is in the weights folder and usable, else MTCNN, whose files
    come with an installed package.
    """
    # Imported here, because both modules import this one.
    from app.vision.faces.mtcnn import MtcnnDetector
    from app.vision.faces.yunet import YUNET_FILE, YuNetDetector

    if name not in DETECTORS:
        raise InvalidInputError(
            f"Unknown face detector {name!r}: choose one of {', '.join(DETECTORS)}."
        )
    path = weights_folder() / YUNET_FILE
    if name == "yunet":
        return YuNetDetector(path)
    if name == "auto" and path.is_file():
        try:
            return YuNetDetector(path)
        except InvalidInputError as error:
            log.warning("%s MTCNN is used instead.", error)
    return MtcnnDetector()


def working_size(image: Image) -> tuple[int, int]:
    """Return width and height with `LONGEST_SIDE` as the longest side."""
    height, width = image.shape[:2]
    ratio = LONGEST_SIDE / max(height, width)
    return max(1, round(width * ratio)), max(1, round(height * ratio))


def largest_first(faces: list[Face]) -> list[Face]:
    return sorted(faces, key=lambda face: (-face.area, -face.confidence))


def edges(faces: list[Face]) -> Boxes:
    boxes = np.array([face.box for face in faces])
    boxes[:, 2:] += boxes[:, :2]
    return boxes


def overlaps(boxes: Boxes, others: Boxes, over: Literal["union", "smaller"] = "union") -> Boxes:
    """Return shared area over the area of the union or of the smaller box, (n, m)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=2)
    area = np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None), axis=1)[:, None]
    other_area = np.prod(np.clip(others[:, 2:] - others[:, :2], 0.0, None), axis=1)[None]
    whole = np.minimum(area, other_area) if over == "smaller" else area + other_area - shared
    return shared / np.maximum(whole, np.finfo(float).tiny)


def survivors(
    boxes: Boxes,
    scores: NDArray[np.float64],
    limit: float,
    over: Literal["union", "smaller"] = "union",
    at_most: int | None = None,
) -> NDArray[np.intp]:
    """Return the indices left by greedy non-maximum suppression, best score first.

    A box is dropped if it overlaps a better one by more than the limit.
    """
    order = np.argsort(-scores, kind="stable")
    clash = overlaps(boxes[order], boxes[order], over) > limit
    alive = np.ones(len(order), dtype=bool)
    for i in range(len(order)):
        if alive[i]:
            alive[i + 1 :] &= ~clash[i, i + 1 :]
    return order[alive][:at_most]
