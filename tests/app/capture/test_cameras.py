import errno
import os

import cv2
import pytest
from cv2_enumerate_cameras import CameraInfo

from app.capture.cameras import Camera, Route, distinct_cameras, find_camera, list_cameras
from app.capture.source import Cause, SourceError
from app.capture.webcam import Webcam, cause_on_linux

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


# ------------------------------------------------------------- listing


def test_that_listing_gives_unique_names_on_this_machine():
    names = [found.name for found in list_cameras()]
    assert len(names) == len(set(names))


def test_that_a_camera_listed_by_two_backends_appears_once_with_both_routes():
    found = [
        on_windows(0, "HD Webcam", cv2.CAP_DSHOW),
        on_windows(1, "HD Webcam", cv2.CAP_MSMF),
    ]
    (only,) = distinct_cameras(found, WINDOWS)
    assert only.name == "HD Webcam"
    assert only.routes == (Route(cv2.CAP_MSMF, 1), Route(cv2.CAP_DSHOW, 0))
    assert only.identity == "HD Webcam [046d:082d]"


def test_that_a_camera_only_the_second_backend_knows_is_kept():
    virtual = CameraInfo(1, "OBS Virtual Camera", None, None, None, cv2.CAP_DSHOW)
    found = [on_windows(0, "HD Webcam", cv2.CAP_MSMF), virtual]
    cameras = distinct_cameras(found, WINDOWS)
    assert {camera.name for camera in cameras} == {"HD Webcam", "OBS Virtual Camera"}


def test_that_cameras_without_a_path_are_matched_by_name_and_order():
    found = [
        CameraInfo(index, "Virtual", None, None, None, backend)
        for backend in WINDOWS
        for index in (0, 1)
    ]
    cameras = distinct_cameras(found, WINDOWS)
    assert [camera.name for camera in cameras] == ["Virtual", "Virtual (2)"]
    assert [len(camera.routes) for camera in cameras] == [2, 2]


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


def test_that_backends_that_do_not_count_are_left_out():
    found = [on_linux(0, "Cam", cv2.CAP_GSTREAMER), on_linux(0, "Cam")]
    (only,) = distinct_cameras(found, LINUX)
    assert only.routes == (Route(cv2.CAP_V4L2, 0),)


def test_that_cameras_keep_the_systems_order():
    found = [on_linux(10, "B"), on_linux(2, "A"), on_linux(0, "C")]
    assert [camera.name for camera in distinct_cameras(found, LINUX)] == ["C", "A", "B"]


@pytest.mark.parametrize("name", [None, "", "  "])
def test_that_a_nameless_camera_is_called_camera(name):
    assert distinct_cameras([on_linux(0, name)], LINUX)[0].name == "Camera"


def test_that_a_camera_without_usb_numbers_is_known_by_its_name():
    info = CameraInfo(0, "FaceTime HD", "0x8020000005ac8514", None, None, cv2.CAP_AVFOUNDATION)
    (only,) = distinct_cameras([info], (cv2.CAP_AVFOUNDATION,))
    assert (only.identity, only.usb) == ("FaceTime HD", "")


# ------------------------------------------------------------- finding

CAMERAS = [
    camera("HD Webcam", 0, "046d:082d", "/dev/video0"),
    camera("HD Webcam (2)", 2, "046d:082d", "/dev/video2"),
    camera("Integrated Camera", 4, "", "/dev/video4"),
]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("", 0),
        ("HD Webcam", 0),
        ("hd webcam (2)", 2),
        ("HD Webcam (2) [046d:082d]", 2),
        ("integrated", 4),
        ("/dev/video4", 4),
        ("2", 2),
    ],
)
def test_that_a_camera_is_found_by_what_people_call_it(name, index):
    assert find_camera(name, CAMERAS).routes[0].index == index


@pytest.mark.parametrize(
    ("name", "cameras", "words"),
    [
        ("", [], "No camera was found"),
        ("Logitech", [], "No camera was found"),
        (
            "Logitech",
            CAMERAS,
            "No camera is called Logitech: choose one of HD Webcam, HD Webcam (2)",
        ),
        ("webcam", CAMERAS, "Several cameras are called webcam: choose one of HD Webcam, "),
    ],
)
def test_that_a_camera_that_is_not_there_is_said_so(name, cameras, words):
    with pytest.raises(SourceError) as caught:
        find_camera(name, cameras)
    assert caught.value.cause is Cause.NO_CAMERA
    assert str(caught.value).startswith(words)


# ------------------------------------------------------------- opening


def test_that_a_webcam_without_any_camera_says_so():
    with pytest.raises(SourceError) as caught:
        Webcam(cameras=list).open()
    assert caught.value.cause is Cause.NO_CAMERA


@pytest.mark.skipif(not hasattr(cv2, "CAP_V4L2") or os.name != "posix", reason="Linux only")
def test_that_a_camera_that_was_unplugged_after_listing_is_not_there(tmp_path):
    listed = [camera("HD Webcam", 9000, path=str(tmp_path / "video9000"))]
    with pytest.raises(SourceError) as caught:
        Webcam("HD Webcam", cameras=lambda: listed).open()
    assert caught.value.cause is Cause.NO_CAMERA
    assert "HD Webcam" in str(caught.value)


def test_that_a_webcam_keeps_to_the_camera_it_first_found():
    lists = [[camera("A", 9001, path="/none/a"), camera("B", 9002)], [camera("B", 9002)]]
    webcam = Webcam(cameras=lambda: lists.pop(0))
    for _ in range(2):
        with pytest.raises(SourceError) as caught:
            webcam.open()
    assert str(caught.value).startswith("No camera is called A")


def test_that_a_webcam_that_is_not_open_gives_nothing_and_closes():
    webcam = Webcam("A", cameras=list)
    assert webcam.is_live
    assert webcam.read() is None
    webcam.close()


# ------------------------------------------------------------- why it does not open

on_posix = pytest.mark.skipif(os.name != "posix", reason="device nodes")


def failing_with(number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    return fail


@on_posix
@pytest.mark.parametrize(
    ("number", "cause"),
    [
        (errno.ENOENT, Cause.NO_CAMERA),
        (errno.ENODEV, Cause.NO_CAMERA),
        (errno.EACCES, Cause.PERMISSION),
        (errno.EPERM, Cause.PERMISSION),
        (errno.EBUSY, Cause.BUSY),
        (errno.EIO, Cause.CANNOT_OPEN),
    ],
)
def test_that_the_systems_refusal_tells_the_cause(tmp_path, number, cause):
    node = tmp_path / "video0"
    node.touch()
    assert cause_on_linux(str(node), open_node=failing_with(number)) is cause
    assert cause_on_linux(str(node), control=failing_with(number)) is cause


@on_posix
def test_that_a_node_that_is_gone_is_no_camera(tmp_path):
    assert cause_on_linux(str(tmp_path / "video0")) is Cause.NO_CAMERA


@on_posix
def test_that_a_node_that_is_no_video_device_only_cannot_be_opened(tmp_path):
    node = tmp_path / "video0"
    node.touch()
    assert cause_on_linux(str(node)) is Cause.CANNOT_OPEN


@on_posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may open everything")
def test_that_a_node_without_permission_is_told_from_a_missing_one(tmp_path):
    node = tmp_path / "video0"
    node.touch(mode=0o000)
    assert cause_on_linux(str(node)) is Cause.PERMISSION


@on_posix
def test_that_a_free_camera_is_asked_for_and_given_its_own_format(tmp_path):
    node = tmp_path / "video0"
    node.touch()
    asked = []

    def control(handle, request, data):
        asked.append((request, bytes(data[:4])))

    cause_on_linux(str(node), control=control)
    capture = (1).to_bytes(4, "little")
    assert asked == [(0xC0D05604, capture), (0xC0D05605, capture)]
