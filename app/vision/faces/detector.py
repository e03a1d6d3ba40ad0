"""What every face detector can do, and which one is taken."""

import logging
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.types import Face, Image
from lmkl_core.errors import InvalidInputError

LONGEST_SIDE = 320
"""Pixels: a detector looks at the image at this size, whatever its own."""

NAMES = ("auto", "yunet", "mtcnn")

log = logging.getLogger(__name__)


class FaceDetector(Protocol):
    """Finds faces with five landmarks.

    A detector holds networks with buffers of their own: it belongs to one thread. Threads that
    run at the same time need a detector each.
    """

    @property
    def name(self) -> str:
        """Name shown to people and written to reports."""
        ...

    def detect(self, image: Image) -> list[Face]:
        """Return all faces of the image, largest first, in its own coordinates."""
        ...

    def refine(self, image: Image, face: Face) -> Face | None:
        """Look again near where the face was; None when it is lost.

        It costs a fraction of `detect` and finds the face after a move of up to about a fifth of
        its size.
        """
        ...


def make_detector(name: str = "auto", folder: Path | None = None) -> FaceDetector:
    """Return a detector by name.

    Parameters
    ----------
    name : {"auto", "yunet", "mtcnn"}
        ``"auto"`` takes YuNet when its file lies in the folder and can be used, else MTCNN, whose
        files come with an installed package.
    folder : Path or None
        Where YuNet's file may lie.

    Raises
    ------
    InvalidInputError
        For an unknown name, or when the named detector's files are missing or damaged.
    """
    # Imported here, so that naming detectors does not load OpenCV.
    from app.vision.faces.mtcnn import MtcnnDetector
    from app.vision.faces.yunet import YUNET_FILE, YuNetDetector

    if name not in NAMES:
        raise InvalidInputError(f"There is no face detector {name!r}: take {_listed(NAMES)}.")
    path = None if folder is None else folder / YUNET_FILE
    if name == "yunet":
        if path is None:
            raise InvalidInputError(f"YuNet needs the folder that holds {YUNET_FILE}.")
        return YuNetDetector(path)
    if name == "auto" and path is not None and path.is_file():
        try:
            return YuNetDetector(path)
        except InvalidInputError as error:
            log.warning("%s MTCNN is used instead.", error)
    return MtcnnDetector()


def check_image(image: NDArray[np.generic]) -> None:
    """Refuse what is not an RGB image of 8 bits with at least one pixel."""
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or image.size == 0:
        raise InvalidInputError(
            f"A face detector takes RGB images of 8 bits (height, width, 3), "
            f"not {image.dtype} {image.shape}."
        )


def working_size(image: Image, longest: int) -> tuple[int, int]:
    """Return width and height of the image when its longest side is brought to ``longest``."""
    height, width = image.shape[:2]
    ratio = longest / max(height, width)
    return max(1, round(width * ratio)), max(1, round(height * ratio))


def largest_first(faces: list[Face]) -> list[Face]:
    """Sort by area of the box; of equals the more confident one comes first."""
    return sorted(faces, key=lambda face: (-face.area, -face.confidence))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names[:-1]) + f" or {names[-1]!r}"
