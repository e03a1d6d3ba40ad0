"""A camera at this machine, without one: OpenCV's side is played by the test."""

import cv2
import pytest

from app.capture import webcam as webcam_module
from app.capture.cameras import Camera, Route
from app.capture.source import Cause, SourceError
from app.capture.webcam import Webcam
from tests.app.capture.material import picture


class Device:
    """Stand in for the grabber of a camera; every read is a step that the test wrote."""

    def __init__(self, steps):
        self.steps = list(steps)
        self.is_open = True
        self.size, self.rate, self.codec = (160, 120), 30.0, "YUYV"
        self.asked = {}

    def grab(self):
        return self.steps.pop(0) if self.is_open and self.steps else None

    def set(self, prop, value):
        self.asked[prop] = value

    def close(self):
        self.is_open = False


def camera(name, index=0, plug=""):
    return Camera(name, (Route(cv2.CAP_V4L2, index),), f"/dev/video{index}", "046d:082d", plug)


@pytest.fixture
def plugged_in(monkeypatch):
    """Return what plays a device, and what the system says when it is asked why it is silent."""

    def plug(steps, why=lambda device: Cause.CANNOT_OPEN):
        device = Device(steps)
        monkeypatch.setattr(webcam_module, "Grabber", lambda *_: device)
        monkeypatch.setattr(webcam_module, "why_not_opened", lambda _: why(device))
        return device

    return plug


def test_that_size_and_rate_are_asked_of_the_camera(plugged_in):
    device = plugged_in([picture(0)])
    Webcam("A", 1280, 720, cameras=lambda: [camera("A")]).open()
    assert device.asked == {
        cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_FRAME_WIDTH: 1280,
        cv2.CAP_PROP_FRAME_HEIGHT: 720,
        cv2.CAP_PROP_FPS: 30.0,
    }


def test_that_the_spoilt_pictures_a_webcam_begins_with_are_passed_over(plugged_in):
    plugged_in([None, None, picture(0), None, picture(1)])
    webcam = Webcam("A", cameras=lambda: [camera("A")])
    webcam.open()
    assert [webcam.read().number for _ in range(2)] == [0, 1]


def test_that_a_camera_that_falls_silent_is_not_called_busy_with_ourselves(plugged_in):
    # Linux refuses a second user for as long as the first, ours, has not let go.
    plugged_in([picture(0)], lambda device: Cause.BUSY if device.is_open else Cause.CANNOT_OPEN)
    webcam = Webcam("A", cameras=lambda: [camera("A")])
    webcam.open()
    webcam.read()
    with pytest.raises(SourceError) as caught:
        webcam.read()
    assert caught.value.cause is Cause.STALLED


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
@pytest.mark.parametrize(
    ("later", "cause"),
    [
        ([camera("A", 1, "usb 1")], Cause.STALLED),
        ([camera("B", 0, "usb 2")], Cause.NO_CAMERA),
        ([], Cause.NO_CAMERA),
    ],
    ids=["number has shifted", "unplugged", "none left"],
)
def test_that_a_silent_camera_is_told_from_one_that_was_unplugged(plugged_in, later, cause):
    plugged_in([picture(0)])
    lists = [[camera("A", 0, "usb 1")], later]
    webcam = Webcam("A", cameras=lambda: lists.pop(0))
    webcam.open()
    webcam.read()
    with pytest.raises(SourceError) as caught:
        webcam.read()
    assert caught.value.cause is cause


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_the_second_of_two_alike_is_found_again_when_the_first_is_unplugged(plugged_in):
    both = [camera("A", 0, "usb 1"), camera("A (2)", 2, "usb 2")]
    lists = [both, [camera("A", 2, "usb 2")]]
    webcam = Webcam("A (2)", cameras=lambda: lists.pop(0))
    for number in range(2):
        plugged_in([picture(number)])
        webcam.open()
        assert webcam.camera.plug == "usb 2"
        assert webcam.read().number == number
