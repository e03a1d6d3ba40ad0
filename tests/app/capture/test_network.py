import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from app.capture.network import NetworkCamera, parse_address, why_no_video
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from tests.app.capture.media import HEIGHT, WIDTH, bar_width
from tests.app.capture.mjpeg_server import moving
from tests.app.capture.recorder import network_camera

SECRETS = ("gandalf", "mellon", "token", "sesame")
NO_ANSWER = pytest.mark.fault("Camera", "a network camera that never answers", keeps="models")


def error_of(source):
    with pytest.raises(SourceError) as caught:
        source.open()
    return caught.value


def test_that_a_network_camera_gives_its_pictures_in_colour(camera_server):
    with network_camera(camera_server, moving) as source:
        info = source.open()
        frames = [source.read() for _ in range(5)]
    assert (info.width, info.height, info.n_frames) == (WIDTH, HEIGHT, None)
    assert [frame.number for frame in frames] == list(range(5))
    assert [bar_width(frame.image) for frame in frames] == pytest.approx(
        [4 * step + 4 for step in range(5)], abs=2
    )
    assert frames[0].image[60, 150] == pytest.approx([200, 0, 0], abs=12)


def test_that_closing_during_a_read_releases_the_camera_afterwards(camera_server):
    in_read, left = threading.Event(), threading.Event()

    def stalling(visit):
        moving(visit, 3)
        in_read.set()
        visit.wait_for_departure()
        left.set()
        visit.hang()

    source = network_camera(camera_server, stalling, read_timeout=0.6)
    source.open()
    reads = []
    reader = threading.Thread(target=lambda: reads.extend(source))
    reader.start()
    assert in_read.wait(10)
    source.close()
    reader.join(10)
    assert not reader.is_alive()
    assert len(reads) <= 3
    assert left.wait(10)


@NO_ANSWER
@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\nX-Camera: "])
def test_that_an_answer_that_trickles_in_forever_is_not_waited_for(camera_server, beginning):
    asked = threading.Event()

    def trickling(visit):
        visit.send(beginning)
        while not visit.over.is_set():
            visit.send(b"x")
            asked.set()
            visit.over.wait(0.02)

    address = parse_address(camera_server.serve(trickling))
    with ThreadPoolExecutor() as threads:
        probe = threads.submit(why_no_video, address, "It", 0.2)
        try:
            assert asked.wait(10)
            assert probe.result(10).cause is Cause.NO_ANSWER
        finally:
            camera_server.over.set()


@NO_ANSWER
def test_that_a_closed_port_gives_no_answer(attempt):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for scheme in ("http", "rtsp"):
        with attempt():
            camera = NetworkCamera(f"{scheme}://127.0.0.1:{port}/x", 10.0)
            assert error_of(camera).cause is Cause.NO_ANSWER


def test_that_a_host_without_rtsp_is_distinguished_from_a_silent_one(camera_server):
    url = camera_server.serve(lambda visit: None).replace("http://", "rtsp://")
    assert error_of(NetworkCamera(url, 10.0)).cause is Cause.UNREADABLE


@pytest.mark.parametrize(
    ("status", "kind", "cause", "words"),
    [
        (401, "text/html", Cause.PERMISSION, "password"),
        (403, "text/html", Cause.PERMISSION, "password"),
        (404, "text/html", Cause.NOT_FOUND, "path"),
        (503, "text/html", Cause.NO_ANSWER, "(503)"),
        (200, "text/html", Cause.UNREADABLE, "web page"),
        (200, "application/octet-stream", Cause.UNREADABLE, "other than video"),
        (200, None, Cause.UNREADABLE, "decoded"),
        (200, "image/jpeg", Cause.UNREADABLE, "decoded"),
        (200, "video/mp4", Cause.UNREADABLE, "decoded"),
    ],
)
def test_that_an_answer_without_video_is_explained(camera_server, status, kind, cause, words):
    def answer(visit):
        visit.head(status, kind)
        if words != "decoded":
            visit.send(b"<html>hello</html>" * 50)

    error = error_of(network_camera(camera_server, answer))
    assert error.cause is cause
    assert words in str(error)


@pytest.mark.fault("Camera", "a network camera that sends garbage", keeps="models")
def test_that_garbage_is_unreadable(camera_server):
    def garbage(visit):
        visit.head(kind="image/jpeg")
        visit.send(np.random.default_rng(0).bytes(30_000))

    assert error_of(network_camera(camera_server, garbage)).cause is Cause.UNREADABLE


def test_that_an_address_without_answer_does_not_delay_a_file(camera_server, videos):
    visited = threading.Event()

    def silent(visit):
        visited.set()
        visit.hang()

    def first_frame():
        with VideoFile(videos["mjpg.avi"], paced=False) as file:
            return file.read()

    source = network_camera(camera_server, silent, open_timeout=60.0)
    with ThreadPoolExecutor() as threads:
        opening = threads.submit(source.open)
        assert visited.wait(10)
        try:
            assert threads.submit(first_frame).result(10).number == 0
        finally:
            camera_server.over.set()
        assert isinstance(opening.exception(), SourceError)


def test_that_the_login_reaches_the_camera_and_nothing_else(camera_server, caplog):
    caplog.set_level(logging.DEBUG)
    seen = []

    def locked(visit):
        seen.append(visit.authorization)
        visit.head(401, "text/html")

    url = camera_server.serve(locked, login="gandalf:mellon@") + "?token=sesame"
    source = NetworkCamera(url, 10.0)
    error = error_of(source)
    assert any(header and header.startswith("Basic ") for header in seen)
    visible = f"{source.name} {source!r} {source.subject} {error!r} {caplog.text}"
    assert not [secret for secret in SECRETS if secret in visible]
    assert error.__cause__ is None


def test_that_an_address_is_shown_without_its_secrets():
    for url, label in (
        ("http://cam.local/video", "http://cam.local/video"),
        ("http://cam.local:8080/", "http://cam.local:8080"),
        ("RTSP://gandalf:mellon@10.0.0.7/stream1", "rtsp://10.0.0.7/stream1"),
        ("rtsp://gandalf:mell%2Fon@[fe80::1]:554/s", "rtsp://[fe80::1]:554/s"),
        ("http://cam/v?user=gandalf&pwd=mellon#token", "http://cam/v"),
        ("rtsp://cam/user=gandalf&password=mellon&channel=1", "rtsp://cam"),
        ("rtsp://cam/user%3Dgandalf_password%3Dmellon", "rtsp://cam"),
        ("http://cam/v?user=gandalf@cam&pwd=mellon", "http://cam/v"),
        ("  https://cam/v  ", "https://cam/v"),
    ):
        address = parse_address(url)
        assert str(address) == label
        assert not [secret for secret in SECRETS if secret in repr(address)]


def test_that_a_malformed_address_is_refused_without_being_quoted():
    for url in (
        "http://gandalf:mellon/sesame@cam/video",
        "http://gandalf:12/sesame@cam/video",
        "http://gandalf:12#sesame@cam/video",
        "http://gandalf:12?sesame@cam/video",
        "http://gandalf:12/mellon#sesame@cam/video",
        "http://gandalf:mellon",
        "http://gandalf:mellon@cam:99999/",
        "http:///sesame",
        "http://[gandalf/mellon",
        "http://cam/sesame\r\nHost: gandalf",
        "ftp://gandalf:mellon@cam/sesame",
    ):
        with pytest.raises(SourceError) as caught:
            NetworkCamera(url)
        assert caught.value.cause is Cause.UNKNOWN_FORM, url
        assert not [secret for secret in SECRETS if secret in repr(caught.value)], url
