"""The parts of a pipeline by the names that settings hold."""

import pytest

from app.vision.factory import detector_from, extractor_from
from lmkl_core.errors import Cancelled, InvalidInputError


def test_that_an_extractor_is_found_by_name_and_is_the_same_each_time(tiny_extractor):
    extractor = extractor_from("tiny")
    assert extractor.fingerprint() == tiny_extractor.fingerprint()


def test_that_an_unknown_preset_is_told():
    with pytest.raises(InvalidInputError, match="no-such-views"):
        extractor_from("no-such-views")


def test_that_preparing_can_be_cancelled(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path))  # nothing is prepared there
    with pytest.raises(Cancelled):
        extractor_from("tiny", cancel=lambda: True)


def test_that_detectors_are_found_by_name():
    assert detector_from("mtcnn").name == "mtcnn"
    assert detector_from("auto") is not None


def test_that_an_unknown_detector_is_told():
    with pytest.raises(InvalidInputError, match="no-such-detector"):
        detector_from("no-such-detector")
