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


def on_windows(index, name, backend, instance="7&1a2b3c&0&0000"):
    interface = {cv2.CAP_MSMF: "e5323777-f976-4f5b", cv2.CAP_DSHOW: "65e8773d-8f56-11d0"}[backend]
    case = str.upper if backend == cv2.CAP_MSMF else str
    path = case(rf"\\?\usb#vid_046d&pid_082d&mi_00#{instance}") + f"#{{{interface}}}\\global"
    return CameraInfo(index, name, path, 0x046D, 0x082D, backend)


def on_linux(index, name, backend=cv2.CAP_V4L2):
    # Nodes beyond any that a machine running this test may have.
    return CameraInfo(index, name, f"/dev/video{9000 + index}", 0x046D, 0x082D, backend)


def test_that_a_camera_listed_by_two_backends_appears_once_with_both_routes():
    found = [
        on_windows(0, "HD Webcam", cv2.CAP_DSHOW),
        on_windows(1, "HD Webcam", cv2.CAP_MSMF),
    ]
    (only,) = distinct_cameras(found, WINDOWS)
    assert only.name == "HD Webcam"
    assert only.routes == (Route(cv2.CAP_MSMF, 1), Route(cv2.CAP_DSHOW, 0))
    assert only.identity == "HD Webcam [046d:082d]"


def test_that_virtual_cameras_are_marked_and_other_backends_left_out():
    found = [
        on_windows(0, "HD Webcam", cv2.CAP_MSMF),
        on_linux(0, "HD Webcam", cv2.CAP_GSTREAMER),
        CameraInfo(1, "OBS Virtual Camera", None, None, None, cv2.CAP_DSHOW),
    ]
    virtual, real = distinct_cameras(found, WINDOWS)
    assert real.routes == (Route(cv2.CAP_MSMF, 0),)
    assert (real.is_virtual, real.name, real.label) == (False, "HD Webcam", "HD Webcam")
    assert (virtual.is_virtual, virtual.name) == (True, "OBS Virtual Camera")
    assert virtual.label == "OBS Virtual Camera (virtual camera)"


def test_that_cameras_keep_the_systems_order_and_have_distinct_names():
    listed = {10: "B", 2: "A", 0: "C", 11: "  ", 12: None}
    found = [on_linux(index, name) for index, name in listed.items()]
    names = [camera.name for camera in distinct_cameras(found, (cv2.CAP_V4L2,))]
    assert names == ["C", "A", "B", "Camera", "Camera (2)"]
    names = [camera.name for camera in list_cameras()]
    assert len(names) == len(set(names))


def test_that_two_equal_cameras_are_numbered_by_their_ports_whatever_the_order():
    first = on_windows(0, "HD Webcam", cv2.CAP_MSMF, instance="7&aaa&0&0000")
    second = on_windows(1, "HD Webcam", cv2.CAP_MSMF, instance="7&bbb&0&0000")
    swapped = [
        CameraInfo(1 - info.index, info.name, info.path, info.vid, info.pid, info.backend)
        for info in (first, second)
    ]
    for found in ([first, second], [second, first], swapped):
        by_name = {camera.name: camera.path for camera in distinct_cameras(found, WINDOWS)}
        assert by_name == {"HD Webcam": first.path, "HD Webcam (2)": second.path}


CAMERAS = [
    Camera(name, (Route(cv2.CAP_V4L2, index),), f"/dev/video{index}", usb)
    for name, index, usb in (
        ("HD Webcam", 0, "046d:082d"),
        ("HD Webcam (2)", 2, "046d:082d"),
        ("Integrated Camera", 4, ""),
    )
]


def test_that_a_camera_is_found_by_name_path_number_or_a_unique_part():
    for name, index in (
        ("", 0),
        ("HD Webcam", 0),
        ("hd webcam (2)", 2),
        ("HD Webcam (2) [046d:082d]", 2),
        ("integrated", 4),
        ("/dev/video4", 4),
        ("2", 2),
    ):
        assert find_camera(name, CAMERAS).routes[0].index == index, name


def test_that_a_missing_or_ambiguous_camera_is_refused_with_the_choices():
    for name, cameras, words in (
        ("", [], "No camera was found"),
        ("Logitech", [], "No camera was found"),
        ("Logitech", CAMERAS, "choose one of HD Webcam, HD Webcam (2), Integrated Camera"),
        ("webcam", CAMERAS, "choose one of HD Webcam, HD Webcam (2)."),
    ):
        with pytest.raises(SourceError) as caught:
            find_camera(name, cameras)
        assert caught.value.cause is Cause.NO_CAMERA
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("place", "driver", "expected"),
    [
        ("virtual", "", True),
        ("platform/vivid.0", "vivid", True),
        ("pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0", "uvcvideo", False),
        ("platform/soc/fe801000.csi", "unicam", False),
    ],
    ids=["v4l2loopback", "vivid", "usb camera", "camera on the board"],
)
def test_that_linux_recognises_virtual_cameras_by_place_and_driver(
    tmp_path, place, driver, expected
):
    devices = tmp_path / "class" / "video4linux"
    device = tmp_path / "devices" / place / "video4linux" / "video2"
    for folder in (devices, device, tmp_path / "drivers" / driver):
        folder.mkdir(parents=True)
    (devices / "video2").symlink_to(device)
    if driver:
        (device.parents[1] / "driver").symlink_to(tmp_path / "drivers" / driver)
        (device / "device").symlink_to(device.parents[1])
    # The name proves nothing: it is chosen when the module is loaded.
    assert is_virtual("Integrated Camera", "/dev/video2", devices) is expected


def test_that_windows_recognises_virtual_cameras_by_the_path():
    for path, expected in (
        (r"\\?\SWD#VCAMDEVAPI#B486E21F1D4BC97087EA831093E840AD#{e5323777}\global", True),
        ("@device:sw:{860BB310-5D01-11D0}\\{A3FCE0F5-3493-419F}", True),
        (r"\\?\usb#vid_046d&pid_082d&mi_00#7&1a2b3c&0&0000#{65e8773d}\global", False),
        ("0x8020000005ac8514", False),
    ):
        assert is_virtual("Front Camera", path) is expected, path


def test_that_known_virtual_cameras_are_recognised_by_their_names():
    virtual = ["OBS-Camera", "Dummy video device (0x0000)", "ManyCam Virtual Webcam", "XSplit VCam"]
    virtual += ["Camo", "NDI Webcam Video 1", "e2eSoft iVCam", "v4l2loopback"]
    real = ["HD Pro Webcam C920", "Camera", "OBSBOT Tiny 2", "Camouflage Cam", ""]
    assert [name for name in (*virtual, *real) if is_virtual(name)] == virtual
