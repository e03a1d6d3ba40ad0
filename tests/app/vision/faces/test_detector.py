"""The choice of a detector."""

import hashlib
import logging

import pytest

from app.vision.faces import yunet
from app.vision.faces.detector import make_detector
from lmkl_core.errors import InvalidInputError
from tests.app.vision.faces.yunet_model import write_yunet


@pytest.fixture(autouse=True)
def _weights(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path))


def test_that_yunet_is_used_if_its_file_is_there_and_mtcnn_otherwise(tmp_path, monkeypatch):
    assert make_detector("auto").name == "mtcnn"
    path = write_yunet(tmp_path / yunet.YUNET_FILE)
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(yunet.YuNetDetector.__init__, "__defaults__", (checksum,))
    assert make_detector("auto").name == "yunet"
    assert make_detector("yunet").name == "yunet"
    assert make_detector("mtcnn").name == "mtcnn"


def test_that_a_damaged_yunet_file_is_reported_and_mtcnn_used(tmp_path, caplog):
    (tmp_path / yunet.YUNET_FILE).write_bytes(b"half a download")
    with caplog.at_level(logging.WARNING):
        assert make_detector("auto").name == "mtcnn"
    assert "damaged" in caplog.text
    with pytest.raises(InvalidInputError, match=yunet.YUNET_SHA256[:12]):
        make_detector("yunet")


def test_that_a_missing_file_or_an_unknown_detector_is_refused():
    with pytest.raises(InvalidInputError, match=yunet.YUNET_FILE):
        make_detector("yunet")
    with pytest.raises(InvalidInputError, match="auto, mtcnn, yunet"):
        make_detector("haar")
