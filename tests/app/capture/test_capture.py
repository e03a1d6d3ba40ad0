import logging
import threading

import pytest

from app.capture.capture import Capture, Phase
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from tests.app.capture.media import N_FRAMES, FakeClock, picture
from tests.app.capture.mjpeg_server import moving
from tests.app.capture.recorder import PATIENCE, Scripted, network_camera

MISSING = SourceError(Cause.NO_CAMERA, "The camera X")


def test_that_a_recording_is_read_to_its_end(videos, recorder):
    with recorder.capture(VideoFile(videos["mp4v.mp4"], paced=False)) as capture:
        assert capture.wait(PATIENCE)
    assert [frame.number for frame in recorder.frames] == list(range(N_FRAMES))
    assert recorder.phases == [Phase.OPENING, Phase.RUNNING, Phase.ENDED]
    state = capture.state
    assert (state.n_frames, state.n_openings, state.message) == (N_FRAMES, 1, "")


def test_that_a_file_that_does_not_open_fails_once_with_its_reason(tmp_path, recorder):
    with recorder.capture(VideoFile(tmp_path / "gone.mp4")) as capture:
        assert capture.wait(PATIENCE)
    assert recorder.phases == [Phase.OPENING, Phase.FAILED]
    assert recorder.faults == [(Cause.NOT_FOUND, capture.state.message)]
    assert "gone.mp4" in capture.state.message


def test_that_stopping_in_the_middle_ends_the_thread(camera_server, recorder):
    capture = recorder.capture(network_camera(camera_server, moving))
    capture.start()
    recorder.wait_for_frames(4)
    assert capture.stop(PATIENCE)
    assert capture.state.phase is Phase.STOPPED
    n_frames = len(recorder.frames)
    assert capture.stop(PATIENCE)
    assert len(recorder.frames) == n_frames


def test_that_the_source_is_opened_and_read_on_the_captures_own_thread(recorder):
    source = Scripted()
    with recorder.capture(source):
        recorder.wait_for_frames(4)
    assert source.threads == {"capture"}
    assert source.n_closed >= 1


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_a_missing_camera_is_looked_for_with_growing_pauses(recorder):
    clock = FakeClock()
    with recorder.capture(Scripted([MISSING] * 5), pauses=(1.0, 2.0, 4.0), clock=clock):
        recorder.wait_for_frames(4)
    assert clock.waits == [1.0, 2.0, 4.0, 4.0, 4.0]
    assert recorder.faults[:2] == [(Cause.NO_CAMERA, str(MISSING)), (None, "")]
    assert recorder.states[1].cause is Cause.NO_CAMERA


def test_that_pauses_start_small_again_after_a_frame(recorder):
    clock = FakeClock()
    broken = SourceError(Cause.STALLED, "The camera X")

    def read(number):
        if (number, len(clock.waits)) in ((3, 2), (6, 3)):
            raise broken
        return picture(number)

    source = Scripted([broken, broken], read)
    with recorder.capture(source, pauses=(1.0, 2.0, 4.0), clock=clock):
        recorder.wait_for_frames(9)
    assert clock.waits == [1.0, 2.0, 1.0, 1.0]


def test_that_a_programming_error_in_a_source_is_reported_and_survived(recorder, caplog):
    with recorder.capture(Scripted([ZeroDivisionError("secret")])) as capture:
        recorder.wait_for_frames(4)
        assert capture.state.n_openings == 1
    assert "ZeroDivisionError" in recorder.faults[0][1]
    assert "ZeroDivisionError" in caplog.text
    assert "secret" not in caplog.text


def test_that_a_live_source_that_ends_is_opened_again(recorder):
    reads = iter([picture(0), None, *(picture(n) for n in range(1, 1000))])
    with recorder.capture(Scripted(read_step=lambda _: next(reads))) as capture:
        recorder.wait_for_frames(4)
        assert capture.state.n_openings == 2


def test_that_a_failing_callback_stops_nothing_and_is_logged_once(caplog):
    seen = threading.Semaphore(0)

    def fail(frame):
        seen.release()
        raise ValueError("no")

    with Capture(Scripted(), on_frame=fail, on_state=lambda _: 1 / 0):
        for _ in range(5):
            assert seen.acquire(timeout=PATIENCE)
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(errors) == 1


def test_that_stopping_interrupts_the_pause_between_attempts(recorder):
    capture = recorder.capture(Scripted([MISSING]), pauses=(3600.0,))
    capture.start()
    recorder.wait_for(lambda: Phase.PAUSED in recorder.phases)
    assert capture.stop(PATIENCE)
    assert capture.state.phase is Phase.STOPPED


def test_that_a_callback_may_stop_the_capture():
    stopped = threading.Event()

    def on_frame(frame):
        assert capture.stop(PATIENCE)
        stopped.set()

    capture = Capture(Scripted(), on_frame)
    capture.start()
    assert stopped.wait(PATIENCE)
    assert capture.wait(PATIENCE)
    assert (capture.state.phase, capture.state.n_frames) == (Phase.STOPPED, 1)
