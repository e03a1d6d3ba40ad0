"""Network cameras that misbehave, through the whole capture: reported and survived."""

import struct
import threading

import numpy as np
import pytest

from app.capture.capture import Phase
from app.capture.network import NetworkCamera, parse_address, redirected
from app.capture.source import Cause, SourceError
from tests.app.capture.media import WIDTH, bar_width, jpeg, noise, picture
from tests.app.capture.mjpeg_server import BOUNDARY, moving, running_server
from tests.app.capture.recorder import PATIENCE, network_camera

STALLS = pytest.mark.fault("Camera", "a network camera that stalls", keeps="models")
HUGE = pytest.mark.fault("Camera", "a network camera that answers with something huge")
REDIRECTS = pytest.mark.fault("Camera", "a network camera that redirects elsewhere")


@pytest.fixture
def recovers_from(recorder, camera_server):
    """Return a function that plays a fault at the first visits and waits for the recovery."""

    def recovers_from(fault, cause, n_faulty=1, **options):
        def script(visit):
            (fault if visit.count <= n_faulty else moving)(visit)

        with recorder.capture(network_camera(camera_server, script, **options)) as capture:
            recorder.wait_for_cause(cause)
            recorder.wait_for_usable(len(recorder.usable) + 5)
            # On a busy machine it may stall once more.
            recorder.wait_for(lambda: capture.state.message == "")
            state = capture.state
            camera_server.over.set()
        numbers = [frame.number for frame in recorder.frames]
        assert numbers == list(range(len(numbers)))
        return state

    return recovers_from


@STALLS
def test_that_a_camera_that_stalls_in_the_middle_of_a_picture_is_opened_again(recovers_from):
    def half(visit):
        moving(visit, 8)
        data = jpeg(picture(0))
        visit.send(f"--{BOUNDARY}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data[:300])
        visit.hang()

    recovers_from(half, Cause.STALLED, read_timeout=0.5)


@STALLS
def test_that_no_frame_is_usable_while_a_camera_is_silent(camera_server, recorder):
    go_on = threading.Event()

    def stalling(visit):
        moving(visit, 8)
        go_on.wait(PATIENCE)
        visit.pictures(picture)

    with recorder.capture(network_camera(camera_server, stalling)) as capture:
        recorder.wait_for_cause(Cause.STALLED)
        assert len(recorder.usable) <= 8
        assert capture.state.phase is Phase.RUNNING
        go_on.set()
        recorder.wait_for_usable(13)
        assert capture.state.n_openings == 1
        camera_server.over.set()


@pytest.mark.fault("Camera", "a network camera that drops the connection", keeps="models")
def test_that_the_connection_may_break_at_any_byte(camera_server, recorder, attempt):
    data = jpeg(picture(0))
    part = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
    whole = part.encode() + data + b"\r\n"
    cuts = [0, 3, len(part) - 2, len(part) + 1, len(part) + 500, len(whole) - 1]

    def dropping(visit):
        moving(visit, 6)
        if visit.count <= len(cuts):
            visit.send(whole[: cuts[visit.count - 1]])
        else:
            visit.pictures(picture)

    with recorder.capture(network_camera(camera_server, dropping)) as capture:
        for n_cuts in range(1, len(cuts) + 1):
            with attempt():
                recorder.wait_for(lambda: capture.state.n_openings > n_cuts)  # noqa: B023
        recorder.wait_for(lambda: recorder.causes[-1] is None)
        camera_server.over.set()
    assert recorder.phases[:4] == [Phase.OPENING, Phase.RUNNING, Phase.PAUSED, Phase.OPENING]
    assert Cause.STALLED in recorder.causes
    assert [frame.number for frame in recorder.frames] == list(range(len(recorder.frames)))
    assert np.all(np.diff([frame.time for frame in recorder.frames]) >= 0)


@pytest.mark.fault("Camera", "a network camera that sends garbage", keeps="models")
@pytest.mark.parametrize("kind", ["noise", "text", "pictures of nothing", "boundaries"])
def test_that_garbage_in_the_middle_of_a_stream_is_survived(recovers_from, kind):
    rubbish = {
        "noise": noise(0).tobytes(),
        "text": b"<html>Please log in</html>\r\n" * 500,
        "boundaries": f"--{BOUNDARY}\r\n".encode() * 500,
    }

    def spoilt(visit):
        moving(visit, 6)
        while not visit.over.is_set():
            if kind == "pictures of nothing":
                visit.part(b"\xff\xd8\xff\xe0 no picture \xff\xd9")
            else:
                visit.send(rubbish[kind])

    recovers_from(spoilt, Cause.STALLED, read_timeout=0.3)


@pytest.mark.fault("Camera", "a network camera that never answers", keeps="models")
@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["nothing", "half a head"])
def test_that_a_camera_that_never_answers_is_tried_again(recovers_from, recorder, beginning):
    def silent(visit):
        visit.send(beginning)
        visit.over.wait(1.0)

    # FFmpeg asks once, and our probe for the reason asks again.
    state = recovers_from(silent, Cause.NO_ANSWER, n_faulty=2, open_timeout=0.2)
    assert state.n_openings == 1
    assert recorder.phases[:3] == [Phase.OPENING, Phase.PAUSED, Phase.OPENING]


def endless_head(visit):
    visit.send(b"HTTP/1.1 200 OK\r\n")
    while not visit.over.is_set():
        visit.send(b"X-Camera: " + b"x" * 1000 + b"\r\n")


def endless_line(visit):
    visit.send(b"HTTP/1.1 200 OK\r\nX-Camera: ")
    while not visit.over.is_set():
        visit.send(b"x" * 10_000)


@HUGE
@pytest.mark.parametrize("head", [endless_head, endless_line])
def test_that_endless_headers_are_not_read_to_the_end(recovers_from, head):
    recovers_from(head, Cause.NO_ANSWER, n_faulty=2, open_timeout=0.3)


@HUGE
@pytest.mark.parametrize("n_padding", [0, 2_000_000], ids=["hollow", "stuffed"])
@pytest.mark.parametrize("size", [(20_000, 20_000), (65_500, 65_500)])
def test_that_a_picture_that_claims_to_be_gigantic_is_skipped(camera_server, size, n_padding):
    data = bytearray(jpeg(picture(0)))
    struct.pack_into(">HH", data, data.index(b"\xff\xc0") + 5, *size)

    def giant(visit):
        moving(visit, 6)
        visit.part(bytes(data[:-2]) + b"\xa5" * n_padding + b"\xff\xd9")
        visit.pictures(picture)

    with network_camera(camera_server, giant) as source:
        images = [source.read().image for _ in range(12)]
        camera_server.over.set()
    assert {image.shape[1] for image in images} == {WIDTH}
    assert bar_width(images[-1]) > 0


@HUGE
def test_that_a_part_that_claims_to_be_endless_is_given_up(recovers_from):
    def endless_part(visit):
        moving(visit, 6)
        visit.send(f"--{BOUNDARY}\r\nContent-Length: {2**62}\r\n\r\n".encode())
        while not visit.over.wait(0.001):
            visit.send(bytes(1000))

    recovers_from(endless_part, Cause.STALLED, read_timeout=0.3)


@REDIRECTS
def test_that_a_redirect_to_another_host_is_not_followed(camera_server, attempt):
    with running_server() as other:
        url = other.serve(moving).replace("127.0.0.1", "localhost")
        for status in (301, 302, 303, 307, 308):
            source = network_camera(camera_server, lambda visit: visit.head(status, location=url))  # noqa: B023
            with attempt():
                with pytest.raises(SourceError, match=f"redirects to {url}:") as caught:
                    source.open()
                assert caught.value.cause is Cause.UNREADABLE
                assert not other.visits


@REDIRECTS
def test_that_a_redirect_to_the_same_host_is_followed(camera_server, recorder):
    camera_server.serve(moving, "/real/video")
    url = camera_server.serve(lambda visit: visit.head(302, location="/real/video"))
    with recorder.capture(NetworkCamera(url)):
        recorder.wait_for_usable(4)
        camera_server.over.set()
    assert camera_server.visits["/real/video"]


@REDIRECTS
@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("/video", "in a loop"),
        ("", "an invalid address"),
        ("file:///etc/passwd", "an invalid address"),
        ("http://[", "an invalid address"),
        ("gopher://127.0.0.1/", "an invalid address"),
        ("http://gandalf:mellon@cam.example/?token=sesame", "to http://cam.example:"),
    ],
)
def test_that_a_useless_redirect_is_reported_without_secrets(camera_server, location, words):
    source = network_camera(camera_server, lambda visit: visit.head(302, location=location))
    with pytest.raises(SourceError, match=words) as caught:
        source.open()
    message = str(caught.value)
    assert not [secret for secret in ("gandalf", "mellon", "sesame") if secret in message]


@REDIRECTS
def test_that_the_login_is_sent_to_the_same_host_only():
    camera = parse_address("https://gandalf:mellon@cam/video")
    assert redirected(camera, "/other").url == "https://gandalf:mellon@cam/other"
    assert redirected(camera, "https://cam:8443/x").url == "https://gandalf:mellon@cam:8443/x"
    assert redirected(camera, "https://elsewhere/x").url == "https://elsewhere/x"
    with pytest.raises(SourceError):
        redirected(camera, "http://cam/video")  # without encryption
