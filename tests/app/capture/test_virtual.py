"""Cameras that are programs: named as such, and never refused."""

import cv2
import pytest
from cv2_enumerate_cameras import CameraInfo

from app.capture import opencv
from app.capture.cameras import Camera, Route, distinct_cameras, is_virtual
from app.capture.webcam import Webcam
from tests.app.capture.material import picture


@pytest.fixture
def sysfs(tmp_path):
    """Return a function that adds a video device to folders laid out as Linux does."""
    listed = tmp_path / "class" / "video4linux"
    listed.mkdir(parents=True)

    def add(node, place, driver=""):
        device = tmp_path / "devices" / place / "video4linux" / node
        device.mkdir(parents=True)
        (listed / node).symlink_to(device)
        if driver:
            drivers = tmp_path / "bus" / "drivers" / driver
            drivers.mkdir(parents=True, exist_ok=True)
            (device.parents[1] / "driver").symlink_to(drivers)
            (device / "device").symlink_to(device.parents[1])
        return listed

    return add


@pytest.mark.parametrize(
    ("place", "driver", "is_program"),
    [
        ("virtual", "", True),
        ("platform/vivid.0", "vivid", True),
        ("pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0", "uvcvideo", False),
        ("platform/soc/fe801000.csi", "unicam", False),
    ],
    ids=["v4l2loopback", "vivid", "usb camera", "camera at the board"],
)
def test_that_linux_tells_by_place_and_driver(sysfs, place, driver, is_program):
    devices = sysfs("video2", place, driver)
    # The name says nothing: whoever loads the module chooses it.
    assert is_virtual("Integrated Camera", "/dev/video2", devices) is is_program


def test_that_a_node_that_is_gone_is_judged_by_its_name(sysfs):
    devices = sysfs("video2", "virtual")
    assert not is_virtual("Integrated Camera", "/dev/video7", devices)
    assert is_virtual("OBS Virtual Camera", "/dev/video7", devices)


@pytest.mark.parametrize(
    "name",
    [
        *("OBS Virtual Camera", "OBS-Camera", "obs camera", "Dummy video device (0x0000)"),
        *("ManyCam Virtual Webcam", "ManyCam", "DroidCam Source 3", "Snap Camera", "XSplit VCam"),
        *("Iriun Webcam", "Camo", "NVIDIA Broadcast", "mmhmm Camera", "NDI Webcam Video 1"),
        *("Unity Video Capture", "e2eSoft iVCam", "Logi Capture", "v4l2loopback"),
    ],
)
def test_that_known_programs_are_told_by_their_names(name):
    assert is_virtual(name)


@pytest.mark.parametrize(
    "name",
    [
        *("HD Pro Webcam C920", "Integrated Camera", "FaceTime HD Camera", "USB2.0 HD UVC WebCam"),
        *("Logitech BRIO", "HP TrueVision", "EasyCamera", "Camera", "Surface Camera Front"),
        *("Canon EOS Webcam", "Insta360 Link", "OBSBOT Tiny 2", "Camouflage Cam", ""),
    ],
)
def test_that_ordinary_cameras_are_not_suspected(name):
    assert not is_virtual(name)


@pytest.mark.parametrize(
    ("path", "is_program"),
    [
        (r"\\?\SWD#VCAMDEVAPI#B486E21F1D4BC97087EA831093E840AD#{e5323777}\global", True),
        ("@device:sw:{860BB310-5D01-11D0}\\{A3FCE0F5-3493-419F}", True),
        (r"\\?\usb#vid_046d&pid_082d&mi_00#7&1a2b3c&0&0000#{65e8773d}\global", False),
        ("0x8020000005ac8514", False),
    ],
)
def test_that_windows_tells_by_the_path(path, is_program):
    assert is_virtual("Front Camera", path) is is_program


def test_that_a_list_marks_programs_and_keeps_their_names():
    found = [
        CameraInfo(0, "HD Webcam", None, None, None, cv2.CAP_MSMF),
        CameraInfo(1, "OBS Virtual Camera", None, None, None, cv2.CAP_MSMF),
    ]
    real, program = distinct_cameras(found, (cv2.CAP_MSMF,))
    assert (real.is_virtual, real.label) == (False, "HD Webcam")
    assert (program.is_virtual, program.label) == (True, "OBS Virtual Camera (a program)")
    assert program.name == "OBS Virtual Camera"


def test_that_a_program_is_opened_like_any_camera_and_told_of_in_one_sentence(monkeypatch):
    class Device:
        def __init__(self, *_):
            pass

        def isOpened(self):
            return True

        def read(self):
            return True, picture(0)

        def get(self, prop):
            return 0.0

        def set(self, prop, value):
            return False

        def release(self):
            pass

    monkeypatch.setattr(opencv.cv2, "VideoCapture", Device)
    route = (Route(cv2.CAP_V4L2, 0),)
    for is_program in (True, False):
        cameras = [Camera("OBS", route, is_virtual=is_program)]
        with Webcam("OBS", cameras=lambda: cameras) as webcam:  # noqa: B023
            assert webcam.read() is not None
            assert webcam.remark.startswith("OBS is a program that" if is_program else "")
            assert webcam.remark.count(".") == is_program
