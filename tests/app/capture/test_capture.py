import logging
import threading

import numpy as np
import pytest

from app.capture.capture import Capture, LatestFrame, Phase
from app.capture.network import NetworkCamera
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from app.types import Frame
from tests.app.capture.capturing import PATIENCE, Scripted
from tests.app.capture.material import N_FRAMES, FakeClock, noise, picture

# ------------------------------------------------------------- recordings


def test_that_a_recording_is_read_to_its_end(videos, said):
    capture = said.capture(VideoFile(videos["mp4v.mp4"], paced=False))
    with capture:
        assert capture.wait(PATIENCE)
    assert [frame.number for frame in said.frames] == list(range(N_FRAMES))
    assert said.phases == [Phase.OPENING, Phase.RUNNING, Phase.ENDED]
    state = capture.state
    assert (state.phase, state.n_frames, state.n_openings) == (Phase.ENDED, N_FRAMES, 1)
    assert state.message == ""


def test_that_a_file_that_does_not_open_fails_once_with_its_reason(tmp_path, said):
    capture = said.capture(VideoFile(tmp_path / "gone.mp4"))
    with capture:
        assert capture.wait(PATIENCE)
    assert said.phases == [Phase.OPENING, Phase.FAILED]
    assert capture.state.cause is Cause.NOT_FOUND
    assert said.faults == [(Cause.NOT_FOUND, capture.state.message)]
    assert "gone.mp4" in capture.state.message


# ------------------------------------------------------------- a real camera in the network


def network_camera(server, script, **options):
    options = {"open_timeout": 10.0, "read_timeout": 10.0, **options}
    return NetworkCamera(server.serve(script), **options)


@pytest.mark.fault("Camera", "a network camera that drops the connection", keeps="models")
def test_that_a_camera_that_drops_the_connection_is_opened_again(camera_server, said):
    def dropping(visit):
        visit.head()
        visit.pictures(picture, 8 if visit.count < 3 else None)

    with said.capture(network_camera(camera_server, dropping)) as capture:
        said.wait_for(lambda said: capture.state.n_openings == 3 and len(said.frames) > 30)
        assert capture.state.phase is Phase.RUNNING
    assert said.phases[:4] == [Phase.OPENING, Phase.RUNNING, Phase.PAUSED, Phase.OPENING]
    assert [frame.number for frame in said.frames] == list(range(len(said.frames)))
    assert np.all(np.diff([frame.time for frame in said.frames]) >= 0)


@pytest.mark.fault("Camera", "a network camera that stalls", keeps="models")
def test_that_a_camera_that_falls_silent_is_noticed_and_opened_again(camera_server, said):
    def stalling(visit):
        visit.head()
        visit.pictures(picture, 8 if visit.count == 1 else None)
        visit.hang()

    with said.capture(network_camera(camera_server, stalling, read_timeout=0.6)) as capture:
        said.wait_for_cause(Cause.STALLED)
        said.wait_for(lambda said: capture.state.n_openings == 2)
        said.wait_for(lambda said: said.faults[-1][0] is None)


@pytest.mark.fault("Camera", "a network camera that never answers", keeps="models")
def test_that_a_camera_that_answers_late_is_waited_for(camera_server, said):
    def starting(visit):
        if visit.count <= 4:
            visit.head(503, "text/html")
        else:
            visit.head()
            visit.pictures(picture)

    with said.capture(network_camera(camera_server, starting)):
        said.wait_for(lambda said: len(said.frames) > 3)
    cause, message = said.faults[0]
    assert cause is Cause.NO_ANSWER
    assert "(503)" in message


@pytest.mark.fault("Camera", "black frames", keeps="models")
def test_that_a_black_picture_is_told_with_advice(camera_server, said):
    def black(visit):
        visit.head()
        visit.pictures(lambda step: noise(step, 6, 2.0))

    with said.capture(network_camera(camera_server, black)) as capture:
        said.wait_for_cause(Cause.BLACK)
        assert capture.state.cause is Cause.BLACK
    assert "black image" in said.faults[-1][1]
    assert "turn on a light" in said.faults[-1][1]


@pytest.mark.fault("Camera", "frozen: the same frame again and again", keeps="models")
def test_that_a_frozen_camera_is_opened_again_once_and_recovers(camera_server, said):
    moves = threading.Event()

    def frozen(visit):
        visit.head()
        visit.pictures(lambda step: picture(step if moves.is_set() else 0))

    with said.capture(network_camera(camera_server, frozen)) as capture:
        said.wait_for(lambda said: [cause for cause, _ in said.faults].count(Cause.FROZEN) == 2)
        n_frames = capture.state.n_frames
        said.wait_for(lambda said: len(said.frames) > n_frames + 20)
        assert capture.state.n_openings == 2
        assert capture.state.cause is Cause.FROZEN
        moves.set()
        said.wait_for(lambda said: said.faults[-1][0] is None)


def test_that_stopping_in_the_middle_ends_the_thread(camera_server, said):
    def moving(visit):
        visit.head()
        visit.pictures(picture)

    capture = said.capture(network_camera(camera_server, moving))
    capture.start()
    said.wait_for(lambda said: len(said.frames) > 3)
    assert capture.stop(PATIENCE)
    assert capture.state.phase is Phase.STOPPED
    n_frames = len(said.frames)
    assert capture.stop(PATIENCE)
    assert len(said.frames) == n_frames


# ------------------------------------------------------------- what cameras do


def test_that_the_source_is_opened_and_read_on_the_captures_own_thread(said):
    source = Scripted([])
    with said.capture(source):
        said.wait_for(lambda said: len(said.frames) > 3)
    assert source.threads == {"capture"}
    assert source.n_closed >= 1


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_a_camera_is_looked_for_until_it_is_there_with_growing_pauses(said):
    missing = SourceError(Cause.NO_CAMERA, "The camera X")
    clock = FakeClock()
    with said.capture(Scripted([missing] * 5), pauses=(1.0, 2.0, 4.0), clock=clock):
        said.wait_for(lambda said: len(said.frames) > 3)
    assert clock.waits == [1.0, 2.0, 4.0, 4.0, 4.0]
    assert [cause for cause, _ in said.faults[:2]] == [Cause.NO_CAMERA, None]
    assert said.faults[0][1] == str(missing)
    assert said.states[1].cause is Cause.NO_CAMERA


def test_that_pauses_begin_small_again_after_a_frame(said):
    clock = FakeClock()
    broken = SourceError(Cause.STALLED, "The camera X")

    def read(number):
        if (number, len(clock.waits)) in ((3, 2), (6, 3)):
            raise broken
        return picture(number)

    source = Scripted([broken, broken], read)
    with said.capture(source, pauses=(1.0, 2.0, 4.0), clock=clock):
        said.wait_for(lambda said: len(said.frames) > 8)
    assert clock.waits == [1.0, 2.0, 1.0, 1.0]


def test_that_a_programming_error_in_a_source_is_told_and_does_not_end_the_thread(said, caplog):
    with said.capture(Scripted([ZeroDivisionError("secret")])) as capture:
        said.wait_for(lambda said: len(said.frames) > 3)
        assert capture.state.n_openings == 1
    assert "broke down (ZeroDivisionError)" in said.faults[0][1]
    assert "broke down" in caplog.text


def test_that_a_live_source_that_ends_is_opened_again(said):
    reads = iter([picture(0), None, *(picture(n) for n in range(1, 1000))])
    with said.capture(Scripted([], lambda _: next(reads))) as capture:
        said.wait_for(lambda said: len(said.frames) > 3)
        assert capture.state.n_openings == 2


def test_that_a_failing_callback_stops_nothing_and_is_logged_once(caplog):
    seen = threading.Semaphore(0)

    def fail(frame):
        seen.release()
        raise ValueError("no")

    with Capture(Scripted([]), on_frame=fail, on_state=lambda _: 1 / 0):
        for _ in range(5):
            assert seen.acquire(timeout=PATIENCE)
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(errors) == 1


# ------------------------------------------------------------- mailboxes


def frame(number):
    return Frame(np.zeros((2, 2, 3), np.uint8), number)


def test_that_the_newest_frame_wins_and_the_others_are_counted():
    mailbox = LatestFrame()
    for number in range(5):
        mailbox.put(frame(number))
    assert mailbox.take().number == 4
    assert mailbox.n_dropped == 4


def test_that_taking_leaves_the_place_empty():
    mailbox = LatestFrame()
    mailbox.put(frame(0))
    assert mailbox.take() is not None
    assert mailbox.take() is None
    mailbox.put(frame(1))
    assert mailbox.n_dropped == 0


def test_that_waiting_gives_up_without_a_frame():
    assert LatestFrame().wait(timeout=0.0) is None


def test_that_a_frame_wakes_a_waiting_reader():
    mailbox = LatestFrame()
    got = []
    reader = threading.Thread(target=lambda: got.append(mailbox.wait(10)))
    reader.start()
    mailbox.put(frame(7))
    reader.join(10)
    assert got[0].number == 7
    assert mailbox.take() is None


def test_that_a_slow_reader_sees_frames_in_order_and_none_twice():
    mailbox = LatestFrame()
    seen = []
    n_frames = 2000

    def read():
        while not seen or seen[-1] != n_frames - 1:
            got = mailbox.wait(10)
            assert got is not None
            seen.append(got.number)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(n_frames):
        mailbox.put(frame(number))
    reader.join(10)
    assert seen == sorted(set(seen))
    assert len(seen) + mailbox.n_dropped == n_frames
