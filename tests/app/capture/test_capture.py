import logging
import threading

import numpy as np
import pytest

from app.capture.capture import Capture, LatestFrame, Phase
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from app.types import Frame
from tests.app.capture.capturing import PATIENCE, Scripted, network_camera
from tests.app.capture.material import N_FRAMES, FakeClock, picture


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


def frame(number):
    return Frame(np.zeros((2, 2, 3), np.uint8), number)


def test_that_the_newest_frame_wins_and_the_others_are_counted():
    mailbox = LatestFrame()
    for number in range(5):
        mailbox.put(frame(number))
    assert mailbox.take().number == 4
    assert mailbox.take() is None
    assert mailbox.n_dropped == 4
