"""The quality gate: each fault fails its own check and no other."""

import math

import cv2
import numpy as np
import pytest

from app.types import Pose
from app.vision.quality import ALIGNED_SIZE, Limits, condition_of, judge, sharpness, surroundings
from tests.app.pictures import skin


def quality_of(aligned=None, size=200.0, visible=1.0, pose=(0.0, 0.0, 0.0), motion=0.0):
    condition = condition_of(
        skin() if aligned is None else aligned,
        room=(100.0, 100.0, 100.0),
        size=size,
        frame_height=480,
        pose=Pose(*pose),
    )
    return judge(condition, Limits(), size=size, visible=visible, motion=motion)


def failed_checks(**changes):
    return [check.name for check in quality_of(**changes).checks if not check.passed]


@pytest.mark.parametrize(
    "change",
    [{}, {"aligned": skin(mean=25, spread=10)}, {"pose": (0.0, 35.0, 0.0)}],
    ids=["a good face", "in a dim room", "above the camera"],
)
def test_that_an_everyday_face_passes_without_a_reason(change):
    quality = quality_of(**change)
    assert quality.passed
    assert quality.reasons == ()


@pytest.mark.parametrize(
    ("change", "name", "words"),
    [
        ({"size": 40.0}, "size", "closer"),
        ({"visible": 8 / 9}, "visible", "cut off"),
        ({"aligned": skin(mean=8, spread=12)}, "brightness", "dark"),
        ({"aligned": skin(mean=240, spread=20)}, "brightness", "bright"),
        ({"aligned": skin(spread=6)}, "contrast", "little contrast"),
        ({"aligned": cv2.GaussianBlur(skin(), (0, 0), 4)}, "sharpness", "Blurred"),
        ({"pose": (50.0, 0.0, 0.0)}, "turn", "towards"),
        ({"pose": (0.0, -50.0, 0.0)}, "nod", "head"),
        ({"pose": (0.0, 0.0, 45.0)}, "tilt", "upright"),
        ({"motion": 3.0}, "motion", "still"),
    ],
)
def test_that_each_fault_fails_its_own_check_with_advice(change, name, words):
    assert failed_checks(**change) == [name]
    assert words in quality_of(**change).reasons[0]


@pytest.mark.parametrize("name", ["size", "visible", "motion"])
def test_that_a_value_that_is_not_a_number_fails_with_a_reason(name):
    quality = quality_of(**{name: math.nan})
    assert not quality.passed
    assert all(quality.reasons)


def test_that_a_uniform_face_fails_but_does_not_raise():
    flat = np.full((ALIGNED_SIZE, ALIGNED_SIZE, 3), 128, np.uint8)
    assert failed_checks(aligned=flat) == ["contrast", "sharpness"]


def test_that_sharpness_falls_with_blur_but_not_with_brightness_or_contrast():
    luma = cv2.cvtColor(skin(), cv2.COLOR_RGB2GRAY).astype(np.float32)
    values = [sharpness(cv2.GaussianBlur(luma, (0, 0), sigma)) for sigma in (0.5, 1, 2, 4)]
    assert [sharpness(luma), *values] == sorted([sharpness(luma), *values], reverse=True)
    assert sharpness(0.5 * luma + 20) == pytest.approx(sharpness(luma), abs=1e-4)


def test_that_the_surroundings_exclude_the_head():
    frame = np.full((480, 640, 3), (10, 20, 30), np.uint8)
    frame[120:360, 200:440] = 255
    assert surroundings(frame, (320.0, 240.0), 120.0) == (10.0, 20.0, 30.0)


def test_that_a_head_that_fills_the_frame_still_has_surroundings():
    frame = np.full((480, 640, 3), 200, np.uint8)
    frame[:8] = 40
    assert 40.0 < surroundings(frame, (320.0, 240.0), 600.0)[0] < 200.0
