"""The real pipeline with real detector and networks, and generated recordings."""

import pytest

from app.demo import run
from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from tests.app.evaluation.example_layouts import record


@pytest.fixture(scope="session")
def tiny_extractor():
    """Return the extractor of the smallest preset, with real weights."""
    return Extractor(load_preset("tiny"))


@pytest.fixture
def pipeline(tiny_extractor):
    return Pipeline(tiny_extractor, FaceTracker(make_detector()))


@pytest.fixture(scope="session")
def genuine_take():
    """Return a few frames of a live person."""
    return list(frames(Take("P001", n_frames=12)))


@pytest.fixture(scope="session")
def demo_result():
    """Return the result of a small demo, which takes a while and is run once."""
    return run.run(size=run.Size(enrolled=2, again=1, another_day=1, new=1, attacks=1))


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """Return a folder with videos of two people in the plain layout, recorded once."""
    folder = tmp_path_factory.mktemp("recorded")
    record(folder)
    return folder
