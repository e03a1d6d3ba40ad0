"""A camera at this machine, without one: OpenCV's side is played by the test."""

import errno
import os

import cv2
import pytest

from app.capture import webcam as webcam_module
from app.capture.source import Cause, SourceError
from app.capture.webcam import Camera, Route, Webcam, cause_on_linux
from app.cli import inputs
from app.settings import Settings
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


def test_that_results_name_the_camera_that_was_opened(plugged_in, monkeypatch):
    plugged_in([picture(0)])
    webcam = Webcam(cameras=lambda: [camera("HD Webcam")])
    monkeypatch.setattr(inputs, "source_from", lambda *_, **__: webcam)
    with inputs.opened("camera", Settings()) as reading:
        assert reading.name == "HD Webcam"


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


def test_that_a_program_is_opened_like_any_camera_and_told_of_in_one_sentence(plugged_in):
    for is_program in (True, False):
        plugged_in([picture(0)])
        cameras = [Camera("OBS", (Route(cv2.CAP_V4L2, 0),), is_virtual=is_program)]
        with Webcam("OBS", cameras=lambda: cameras) as webcam:  # noqa: B023
            assert webcam.read() is not None
            assert webcam.remark.startswith("OBS is a virtual camera" if is_program else "")
            assert webcam.remark.count(".") == is_program


@pytest.mark.skipif(not hasattr(cv2, "CAP_V4L2") or os.name != "posix", reason="Linux only")
def test_that_a_camera_that_was_unplugged_after_listing_is_not_there(tmp_path):
    listed = [Camera("HD Webcam", (Route(cv2.CAP_V4L2, 9000),), str(tmp_path / "video9000"))]
    with pytest.raises(SourceError) as caught:
        Webcam("HD Webcam", cameras=lambda: listed).open()
    assert caught.value.cause is Cause.NO_CAMERA
    assert "HD Webcam" in str(caught.value)


def test_that_a_webcam_keeps_to_the_camera_it_first_found():
    lists = [[camera("A", 9001), camera("B", 9002)], [camera("B", 9002)]]
    webcam = Webcam(cameras=lambda: lists.pop(0))
    for _ in range(2):
        with pytest.raises(SourceError) as caught:
            webcam.open()
    assert str(caught.value).startswith("No camera is called A")


on_posix = pytest.mark.skipif(os.name != "posix", reason="device nodes")


def failing_with(number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    return fail


@on_posix
def test_that_the_systems_refusal_tells_the_cause(tmp_path):
    for number, cause in (
        (errno.ENOENT, Cause.NO_CAMERA),
        (errno.ENODEV, Cause.NO_CAMERA),
        (errno.EACCES, Cause.PERMISSION),
        (errno.EPERM, Cause.PERMISSION),
        (errno.EBUSY, Cause.BUSY),
        (errno.EIO, Cause.CANNOT_OPEN),
    ):
        node = tmp_path / "video0"
        node.touch()
        assert cause_on_linux(str(node), open_node=failing_with(number)) is cause
        assert cause_on_linux(str(node), control=failing_with(number)) is cause


@on_posix
def test_that_a_node_that_is_gone_is_told_from_one_that_is_no_video_device(tmp_path):
    node = tmp_path / "video0"
    assert cause_on_linux(str(node)) is Cause.NO_CAMERA
    node.touch()
    assert cause_on_linux(str(node)) is Cause.CANNOT_OPEN
