"""The parts of a pipeline from the names that settings hold."""

from collections.abc import Callable

from app.vision.faces.detector import FaceDetector, make_detector
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from lmkl_core.features.weights import weights_folder

Progress = Callable[[int, int, str], None]


def extractor_from(
    preset: str, *, progress: Progress | None = None, cancel: Callable[[], bool] | None = None
) -> Extractor:
    """Return the extractor of a preset, by its name or by the path of its file."""
    return Extractor(load_preset(preset), progress=progress, cancel=cancel)


def detector_from(name: str) -> FaceDetector:
    """Return a face detector by name; YuNet's file is looked for among the weights."""
    return make_detector(name, weights_folder())
