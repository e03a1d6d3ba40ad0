"""Webcams, with OpenCV replaced by the test."""

import errno
import os

import cv2
import pytest

from app.capture import webcam as webcam_module
from app.capture.source import Cause, SourceError
from app.capture.webcam import Camera, Route, Webcam, cause_on_linux
from app.cli import inputs
from app.settings import Settings
from tests.app.capture.media import picture

UNPLUGGED = pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
on_posix = pytest.mark.skipif(os.name != "posix", reason="device nodes")


class Device:
    """Stands in for the grabber of a camera; gives these images, then nothing."""

    def __init__(self, images):
        self.images = list(images)
        self.is_open = True
        self.size, self.rate, self.codec = (160, 120), 30.0, "YUYV"
        self.requested = {}

    def grab(self):
        return self.images.pop(0) if self.is_open and self.images else None

    def set(self, prop, value):
        self.requested[prop] = value

    def close(self):
        self.is_open = False


def camera(name, index=0, plug="", **options):
    route = Route(cv2.CAP_V4L2, index)
    return Camera(name, (route,), f"/dev/video{index}", "046d:082d", plug, **options)


def error_of(call):
    with pytest.raises(SourceError) as caught:
        call()
    return caught.value


@pytest.fixture
def plug_in(monkeypatch):
    """Return a function that plays a device, and what the system says if it gives no picture."""

    def plug_in(*images, why=lambda device: Cause.CANNOT_OPEN):
        device = Device(images or [picture(0)])
        monkeypatch.setattr(webcam_module, "Grabber", lambda *_: device)
        monkeypatch.setattr(webcam_module, "why_not_opened", lambda _: why(device))
        return device

    return plug_in


def test_that_size_and_rate_are_requested_from_the_camera(plug_in):
    device = plug_in()
    Webcam("A", 1280, 720, cameras=lambda: [camera("A")]).open()
    assert device.requested == {
        cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_FRAME_WIDTH: 1280,
        cv2.CAP_PROP_FRAME_HEIGHT: 720,
        cv2.CAP_PROP_FPS: 30.0,
    }


def test_that_results_name_the_camera_that_was_opened(plug_in, monkeypatch):
    plug_in()
    webcam = Webcam(cameras=lambda: [camera("HD Webcam")])
    monkeypatch.setattr(inputs, "source_from", lambda *_, **__: webcam)
    with inputs.opened("camera", Settings()) as reading:
        assert reading.name == "HD Webcam"


def test_that_a_silent_camera_is_not_called_busy_because_of_ourselves(plug_in):
    # Linux refuses a second user until the first, which is us, has released the camera.
    plug_in(why=lambda device: Cause.BUSY if device.is_open else Cause.CANNOT_OPEN)
    webcam = Webcam("A", cameras=lambda: [camera("A")])
    webcam.open()
    webcam.read()
    assert error_of(webcam.read).cause is Cause.STALLED


@UNPLUGGED
@pytest.mark.parametrize(
    ("later", "cause"),
    [
        ([camera("A", 1, "usb 1")], Cause.STALLED),
        ([camera("B", 0, "usb 2")], Cause.NO_CAMERA),
        ([], Cause.NO_CAMERA),
    ],
    ids=["number has shifted", "unplugged", "none left"],
)
def test_that_a_silent_camera_is_distinguished_from_an_unplugged_one(plug_in, later, cause):
    plug_in()
    lists = [[camera("A", 0, "usb 1")], later]
    webcam = Webcam("A", cameras=lambda: lists.pop(0))
    webcam.open()
    webcam.read()
    assert error_of(webcam.read).cause is cause


@UNPLUGGED
def test_that_the_second_of_two_equal_cameras_is_found_when_the_first_is_unplugged(plug_in):
    both = [camera("A", 0, "usb 1"), camera("A (2)", 2, "usb 2")]
    lists = [both, [camera("A", 2, "usb 2")]]
    webcam = Webcam("A (2)", cameras=lambda: lists.pop(0))
    for number in range(2):
        plug_in(picture(number))
        webcam.open()
        assert webcam.camera.plug == "usb 2"
        assert webcam.read().number == number


def test_that_a_virtual_camera_is_opened_with_a_remark(plug_in):
    for is_virtual in (True, False):
        plug_in()
        cameras = [camera("OBS", is_virtual=is_virtual)]
        with Webcam("OBS", cameras=lambda: cameras) as webcam:  # noqa: B023
            assert webcam.read() is not None
            assert ("OBS" in webcam.remark) == is_virtual


@pytest.mark.skipif(not hasattr(cv2, "CAP_V4L2") or os.name != "posix", reason="Linux only")
def test_that_a_camera_unplugged_after_listing_is_reported_as_missing(tmp_path):
    listed = [Camera("HD Webcam", (Route(cv2.CAP_V4L2, 9000),), str(tmp_path / "video9000"))]
    error = error_of(Webcam("HD Webcam", cameras=lambda: listed).open)
    assert error.cause is Cause.NO_CAMERA
    assert "HD Webcam" in str(error)


def test_that_a_webcam_keeps_to_the_camera_it_found_first():
    lists = [[camera("A", 9001), camera("B", 9002)], [camera("B", 9002)]]
    webcam = Webcam(cameras=lambda: lists.pop(0))
    error_of(webcam.open)
    assert "called A" in str(error_of(webcam.open))


@on_posix
def test_that_the_systems_error_gives_the_cause(tmp_path):
    def failing_with(number):
        def fail(*_):
            raise OSError(number, os.strerror(number))

        return fail

    node = tmp_path / "video0"
    assert cause_on_linux(str(node)) is Cause.NO_CAMERA
    node.touch()
    assert cause_on_linux(str(node)) is Cause.CANNOT_OPEN
    for number, cause in (
        (errno.ENODEV, Cause.NO_CAMERA),
        (errno.ENXIO, Cause.NO_CAMERA),
        (errno.EACCES, Cause.PERMISSION),
        (errno.EPERM, Cause.PERMISSION),
        (errno.EBUSY, Cause.BUSY),
        (errno.EIO, Cause.CANNOT_OPEN),
    ):
        assert cause_on_linux(str(node), open_node=failing_with(number)) is cause, number
        assert cause_on_linux(str(node), control=failing_with(number)) is cause, number
