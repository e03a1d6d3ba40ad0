"""A detector to share: it keeps no state between images."""

import pytest

from app.vision.faces.mtcnn import MtcnnDetector


@pytest.fixture(scope="session")
def mtcnn():
    return MtcnnDetector()
