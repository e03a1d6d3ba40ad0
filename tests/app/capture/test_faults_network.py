"""A network camera that misbehaves, through the whole capture: told in a sentence, and survived."""

import struct
import threading

import numpy as np
import pytest

from app.capture.capture import Phase
from app.capture.network import NetworkCamera, parse_address, redirected
from app.capture.source import Cause, SourceError
from tests.app.capture.capturing import PATIENCE, network_camera
from tests.app.capture.material import WIDTH, bar_width, jpeg, noise, picture
from tests.app.capture.mjpeg_server import BOUNDARY, running_server


def moving(visit, n=None):
    visit.head()
    visit.pictures(picture, n)


def recovers_from(said, server, fault, words, **options):
    """Play a fault at the first visit; return the capture's state when the next one is fine."""

    def script(visit):
        if visit.count <= n_faulty:
            fault(visit)
        else:
            moving(visit)

    n_faulty = options.pop("n_faulty", 1)
    with said.capture(network_camera(server, script, **options)) as capture:
        said.wait_for(lambda said: any(words in message for _, message in said.faults))
        n_sights = len(said.sights)
        said.wait_for(lambda said: len(said.sights) > n_sights + 5)
        state = capture.state
        server.over.set()
    assert state.message == ""
    numbers = [frame.number for frame in said.frames]
    assert numbers == list(range(len(numbers)))
    return state


@pytest.mark.fault("Camera", "a network camera that stalls", keeps="models")
def test_that_a_camera_that_stalls_in_the_middle_of_a_picture_is_opened_again(camera_server, said):
    def half(visit):
        moving(visit, 8)
        data = jpeg(picture(0))
        visit.send(f"--{BOUNDARY}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data[:300])
        visit.hang()

    recovers_from(said, camera_server, half, "stopped sending frames", read_timeout=0.5)


@pytest.mark.fault("Camera", "a network camera that stalls", keeps="models")
def test_that_nothing_is_judged_while_a_camera_is_silent(camera_server, said):
    go_on = threading.Event()

    def stalling(visit):
        moving(visit, 8)
        go_on.wait(PATIENCE)
        visit.pictures(picture)

    with said.capture(network_camera(camera_server, stalling)) as capture:
        said.wait_for_cause(Cause.STALLED)
        assert len(said.sights) <= 8
        assert capture.state.phase is Phase.RUNNING
        go_on.set()
        said.wait_for(lambda said: len(said.sights) > 12)
        assert capture.state.n_openings == 1
        camera_server.over.set()


@pytest.mark.fault("Camera", "a network camera that drops the connection", keeps="models")
def test_that_a_connection_may_break_within_anything_it_sends(camera_server, said, attempt):
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

    with said.capture(network_camera(camera_server, dropping)) as capture:
        for n_cuts in range(1, len(cuts) + 1):
            with attempt():
                said.wait_for(lambda said: capture.state.n_openings > n_cuts)  # noqa: B023
        said.wait_for(lambda said: said.faults[-1][0] is None)
        camera_server.over.set()
    assert said.phases[:4] == [Phase.OPENING, Phase.RUNNING, Phase.PAUSED, Phase.OPENING]
    assert Cause.STALLED in [cause for cause, _ in said.faults]
    assert [frame.number for frame in said.frames] == list(range(len(said.frames)))
    assert np.all(np.diff([frame.time for frame in said.frames]) >= 0)


@pytest.mark.fault("Camera", "a network camera that sends garbage", keeps="models")
@pytest.mark.parametrize("kind", ["noise", "text", "pictures of nothing", "boundaries"])
def test_that_garbage_in_the_middle_of_a_stream_is_told_and_recovered_from(
    camera_server, said, kind
):
    rubbish = {
        "noise": noise(0).tobytes(),
        "text": b"<html>Please log in</html>\r\n" * 500,
        "pictures of nothing": b"",
        "boundaries": f"--{BOUNDARY}\r\n".encode() * 500,
    }[kind]

    def spoilt(visit):
        moving(visit, 6)
        while not visit.over.is_set():
            if kind == "pictures of nothing":
                visit.part(b"\xff\xd8\xff\xe0 no picture \xff\xd9")
            else:
                visit.send(rubbish)

    recovers_from(said, camera_server, spoilt, "stopped sending frames", read_timeout=0.3)


@pytest.mark.fault("Camera", "a network camera that never answers", keeps="models")
@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["nothing", "half a head"])
def test_that_a_camera_that_never_answers_is_told_and_asked_again(camera_server, said, beginning):
    def silent(visit):
        visit.send(beginning)
        visit.over.wait(1.0)

    # FFmpeg asks once, and we once more to find out why.
    state = recovers_from(
        said, camera_server, silent, "does not answer", n_faulty=2, open_timeout=0.2
    )
    assert state.n_openings == 1
    assert said.phases[:3] == [Phase.OPENING, Phase.PAUSED, Phase.OPENING]


def declared(width, height, n_padding=0):
    """Return a JPEG whose header announces this size, whatever it holds."""
    data = bytearray(jpeg(picture(0)))
    struct.pack_into(">HH", data, data.index(b"\xff\xc0") + 5, height, width)
    return bytes(data[:-2]) + b"\xa5" * n_padding + b"\xff\xd9"


def endless_head(visit):
    visit.send(b"HTTP/1.1 200 OK\r\n")
    while not visit.over.is_set():
        visit.send(b"X-Camera: " + b"x" * 1000 + b"\r\n")


def endless_line(visit):
    visit.send(b"HTTP/1.1 200 OK\r\nX-Camera: ")
    while not visit.over.is_set():
        visit.send(b"x" * 10_000)


@pytest.mark.fault("Camera", "a network camera that answers with something huge")
@pytest.mark.parametrize("head", [endless_head, endless_line])
def test_that_a_head_without_an_end_is_not_read_to_it(camera_server, said, head):
    recovers_from(said, camera_server, head, "does not answer", n_faulty=2, open_timeout=0.3)


@pytest.mark.fault("Camera", "a network camera that answers with something huge")
@pytest.mark.parametrize("n_padding", [0, 2_000_000], ids=["hollow", "stuffed"])
@pytest.mark.parametrize("size", [(20_000, 20_000), (65_500, 65_500)])
def test_that_a_picture_that_is_declared_gigantic_is_passed_over(camera_server, size, n_padding):
    def giant(visit):
        moving(visit, 6)
        visit.part(declared(*size, n_padding))
        visit.pictures(picture)

    with network_camera(camera_server, giant) as source:
        images = [source.read().image for _ in range(12)]
        camera_server.over.set()
    assert {image.shape[1] for image in images} == {WIDTH}
    assert bar_width(images[-1]) > 0


@pytest.mark.fault("Camera", "a network camera that answers with something huge")
def test_that_a_part_that_is_declared_endless_is_given_up_in_time(camera_server, said):
    def endless_part(visit):
        moving(visit, 6)
        visit.send(f"--{BOUNDARY}\r\nContent-Length: {2**62}\r\n\r\n".encode())
        while not visit.over.wait(0.001):
            visit.send(bytes(1000))

    recovers_from(said, camera_server, endless_part, "stopped sending frames", read_timeout=0.3)


@pytest.fixture
def stranger():
    """Return a second machine, as far as its name tells."""
    with running_server() as server:
        yield server


@pytest.mark.fault("Camera", "a network camera that redirects elsewhere")
def test_that_a_camera_may_not_send_us_on_to_another_machine(camera_server, stranger, attempt):
    url = stranger.serve(moving).replace("127.0.0.1", "localhost")
    words = f"redirects to {url}: open that address if you trust it."
    for status in (301, 302, 303, 307, 308):
        source = network_camera(camera_server, lambda visit: visit.head(status, location=url))  # noqa: B023
        with attempt():
            with pytest.raises(SourceError) as caught:
                source.open()
            assert caught.value.cause is Cause.UNREADABLE
            assert str(caught.value).endswith(words)
            assert not stranger.visits


@pytest.mark.fault("Camera", "a network camera that redirects elsewhere")
def test_that_a_camera_may_send_us_on_to_another_path_of_its_own(camera_server, said):
    camera_server.serve(moving, "/real/video")
    url = camera_server.serve(lambda visit: visit.head(302, location="/real/video"))
    with said.capture(NetworkCamera(url)):
        said.wait_for(lambda said: len(said.sights) > 3)
        camera_server.over.set()
    assert camera_server.visits["/real/video"]


@pytest.mark.fault("Camera", "a network camera that redirects elsewhere")
@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("/video", "sends us round in circles"),
        ("", "redirects to an invalid address"),
        ("file:///etc/passwd", "redirects to an invalid address"),
        ("http://[", "redirects to an invalid address"),
        ("gopher://127.0.0.1/", "redirects to an invalid address"),
        ("http://gandalf:mellon@cam.example/?token=sesame", "redirects to http://cam.example:"),
    ],
)
def test_that_a_redirection_to_nowhere_is_told_without_secrets(camera_server, location, words):
    source = network_camera(camera_server, lambda visit: visit.head(302, location=location))
    with pytest.raises(SourceError) as caught:
        source.open()
    message = str(caught.value)
    assert words in message
    assert not [secret for secret in ("gandalf", "mellon", "sesame") if secret in message]


@pytest.mark.fault("Camera", "a network camera that redirects elsewhere")
def test_that_the_login_goes_along_to_the_same_machine_only():
    camera = parse_address("https://gandalf:mellon@cam/video")
    assert redirected(camera, "/other").url == "https://gandalf:mellon@cam/other"
    assert redirected(camera, "https://cam:8443/x").url == "https://gandalf:mellon@cam:8443/x"
    assert redirected(camera, "https://elsewhere/x").url == "https://elsewhere/x"
    with pytest.raises(SourceError):
        redirected(camera, "http://cam/video")  # in the clear
