import cv2
import pytest
from cv2_enumerate_cameras import CameraInfo

from app.capture.source import Cause, SourceError
from app.capture.webcam import (
    Camera,
    Route,
    distinct_cameras,
    find_camera,
    is_virtual,
    list_cameras,
)

WINDOWS = (cv2.CAP_MSMF, cv2.CAP_DSHOW)
LINUX = (cv2.CAP_V4L2,)


def on_windows(index, name, backend, instance="7&1a2b3c&0&0000", usb="vid_046d&pid_082d"):
    interface = {cv2.CAP_MSMF: "e5323777-f976-4f5b", cv2.CAP_DSHOW: "65e8773d-8f56-11d0"}[backend]
    case = str.upper if backend == cv2.CAP_MSMF else str
    path = case(f"\\\\?\\usb#{usb}&mi_00#{instance}") + f"#{{{interface}}}\\global"
    return CameraInfo(index, name, path, 0x046D, 0x082D, backend)


def on_linux(index, name, backend=cv2.CAP_V4L2):
    # Nodes beyond any that a machine running this test may have.
    return CameraInfo(index, name, f"/dev/video{9000 + index}", 0x046D, 0x082D, backend)


def camera(name, index=0, usb="", path=""):
    return Camera(name, (Route(cv2.CAP_V4L2, index),), path, usb)


def test_that_a_camera_listed_by_two_backends_appears_once_with_both_routes():
    found = [
        on_windows(0, "HD Webcam", cv2.CAP_DSHOW),
        on_windows(1, "HD Webcam", cv2.CAP_MSMF),
    ]
    (only,) = distinct_cameras(found, WINDOWS)
    assert only.name == "HD Webcam"
    assert only.routes == (Route(cv2.CAP_MSMF, 1), Route(cv2.CAP_DSHOW, 0))
    assert only.identity == "HD Webcam [046d:082d]"


def test_that_programs_are_marked_and_other_backends_left_out():
    found = [
        on_windows(0, "HD Webcam", cv2.CAP_MSMF),
        on_linux(0, "HD Webcam", cv2.CAP_GSTREAMER),
        CameraInfo(1, "OBS Virtual Camera", None, None, None, cv2.CAP_DSHOW),
    ]
    program, real = distinct_cameras(found, WINDOWS)
    assert real.routes == (Route(cv2.CAP_MSMF, 0),)
    assert (real.is_virtual, real.name, real.label) == (False, "HD Webcam", "HD Webcam")
    assert (program.is_virtual, program.name) == (True, "OBS Virtual Camera")
    assert program.label == "OBS Virtual Camera (virtual camera)"


def test_that_cameras_keep_the_systems_order_and_have_distinct_names():
    listed = {10: "B", 2: "A", 0: "C", 11: "  ", 12: None}
    found = [on_linux(index, name) for index, name in listed.items()]
    names = [camera.name for camera in distinct_cameras(found, LINUX)]
    assert names == ["C", "A", "B", "Camera", "Camera (2)"]
    names = [camera.name for camera in list_cameras()]
    assert len(names) == len(set(names))


def test_that_two_cameras_alike_are_numbered_by_their_plugs_whatever_the_order():
    first = on_windows(0, "HD Webcam", cv2.CAP_MSMF, instance="7&aaa&0&0000")
    second = on_windows(1, "HD Webcam", cv2.CAP_MSMF, instance="7&bbb&0&0000")
    swapped = [
        CameraInfo(1 - info.index, info.name, info.path, info.vid, info.pid, info.backend)
        for info in (first, second)
    ]
    for found in ([first, second], [second, first], swapped):
        cameras = distinct_cameras(found, WINDOWS)
        by_name = {camera.name: camera.path for camera in cameras}
        assert by_name == {"HD Webcam": first.path, "HD Webcam (2)": second.path}


CAMERAS = [
    camera("HD Webcam", 0, "046d:082d", "/dev/video0"),
    camera("HD Webcam (2)", 2, "046d:082d", "/dev/video2"),
    camera("Integrated Camera", 4, "", "/dev/video4"),
]


def test_that_a_camera_is_found_by_what_people_call_it():
    for name, index in (
        ("", 0),
        ("HD Webcam", 0),
        ("hd webcam (2)", 2),
        ("HD Webcam (2) [046d:082d]", 2),
        ("integrated", 4),
        ("/dev/video4", 4),
        ("2", 2),
    ):
        assert find_camera(name, CAMERAS).routes[0].index == index


def test_that_a_camera_that_is_not_there_is_said_so():
    for name, cameras, words in (
        ("", [], "No camera was found"),
        ("Logitech", [], "No camera was found"),
        (
            "Logitech",
            CAMERAS,
            "No camera is called Logitech: choose one of HD Webcam, HD Webcam (2)",
        ),
        ("webcam", CAMERAS, "Several cameras are called webcam: choose one of HD Webcam, "),
    ):
        with pytest.raises(SourceError) as caught:
            find_camera(name, cameras)
        assert caught.value.cause is Cause.NO_CAMERA
        assert str(caught.value).startswith(words)


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


PROGRAMS = (
    *("OBS Virtual Camera", "OBS-Camera", "obs camera", "Dummy video device (0x0000)"),
    *("ManyCam Virtual Webcam", "ManyCam", "DroidCam Source 3", "Snap Camera", "XSplit VCam"),
    *("Iriun Webcam", "Camo", "NVIDIA Broadcast", "mmhmm Camera", "NDI Webcam Video 1"),
    *("Unity Video Capture", "e2eSoft iVCam", "Logi Capture", "v4l2loopback"),
)
DEVICES = (
    *("HD Pro Webcam C920", "Integrated Camera", "FaceTime HD Camera", "USB2.0 HD UVC WebCam"),
    *("Logitech BRIO", "HP TrueVision", "EasyCamera", "Camera", "Surface Camera Front"),
    *("Canon EOS Webcam", "Insta360 Link", "OBSBOT Tiny 2", "Camouflage Cam", ""),
)


def test_that_known_programs_are_told_by_their_names():
    assert [name for name in (*PROGRAMS, *DEVICES) if is_virtual(name)] == list(PROGRAMS)


def test_that_windows_tells_by_the_path():
    for path, is_program in (
        (r"\\?\SWD#VCAMDEVAPI#B486E21F1D4BC97087EA831093E840AD#{e5323777}\global", True),
        ("@device:sw:{860BB310-5D01-11D0}\\{A3FCE0F5-3493-419F}", True),
        (r"\\?\usb#vid_046d&pid_082d&mi_00#7&1a2b3c&0&0000#{65e8773d}\global", False),
        ("0x8020000005ac8514", False),
    ):
        assert is_virtual("Front Camera", path) is is_program
