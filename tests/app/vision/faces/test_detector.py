"""Which detector is taken."""

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


@pytest.mark.parametrize("name", ["auto", "mtcnn"])
def test_that_mtcnn_is_taken_where_there_is_no_other_file(name):
    assert make_detector(name).name == "mtcnn"


def test_that_yunet_is_taken_when_its_file_is_there(tmp_path, monkeypatch):
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
    assert "damaged or not YuNet's" in caplog.text
    with pytest.raises(InvalidInputError, match="damaged or not YuNet's") as refusal:
        make_detector("yunet")
    assert yunet.YUNET_SHA256[:12] in str(refusal.value)


def test_that_yunet_by_name_needs_its_file():
    with pytest.raises(InvalidInputError, match=r"cannot be read .*'mtcnn'"):
        make_detector("yunet")


def test_that_an_unknown_detector_is_refused_with_the_known_ones():
    with pytest.raises(InvalidInputError, match="auto, mtcnn, yunet"):
        make_detector("haar")
