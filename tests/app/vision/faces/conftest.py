"""The detector that most tests here share; it keeps no state from image to image."""

import pytest

from app.vision.faces.mtcnn import MtcnnDetector


@pytest.fixture(scope="session")
def mtcnn():
    return MtcnnDetector()
