"""Sources, closings and callbacks that do not return."""

import subprocess
import sys
import threading

import pytest

from app.capture.capture import Capture, Phase
from app.capture.source import Cause
from tests.app.capture.media import picture
from tests.app.capture.recorder import PATIENCE, Scripted

HANGING = pytest.mark.fault("Camera", "a driver that hangs while opening, reading or closing")


@pytest.fixture
def release():
    """Return an event that releases blocked sources, at the latest when the test ends."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def blocked(release):
    """Return a source whose fourth read does not return before it is released."""

    def read(number):
        if number == 3:
            release.wait()
        return picture(number)

    return Scripted(read_step=read)


def has_ended(capture):
    capture._reader.join(PATIENCE)
    return not capture._reader.is_alive()


@HANGING
def test_that_a_blocked_read_is_reported_until_it_returns(recorder, blocked, release):
    with recorder.capture(blocked) as capture:
        recorder.wait_for_cause(Cause.STALLED)
        assert capture.state.phase is Phase.RUNNING
        release.set()
        recorder.wait_for(lambda: recorder.causes[-1] is None)
        assert capture.state.message == ""


@HANGING
def test_that_a_blocked_opening_is_reported(recorder, release):
    with recorder.capture(Scripted([release.wait])) as capture:
        recorder.wait_for_cause(Cause.SLOW_TO_OPEN)
        state = capture.state
        assert (state.phase, state.cause) == (Phase.OPENING, Cause.SLOW_TO_OPEN)
        assert recorder.faults[-1] == (Cause.SLOW_TO_OPEN, state.message)
        release.set()
        recorder.wait_for_frames(4)


@HANGING
def test_that_stopping_abandons_a_blocked_read_and_logs_it(recorder, blocked, release, caplog):
    capture = recorder.capture(blocked)
    capture.start()
    recorder.wait_for_frames(3)
    assert not capture.stop(0.05)
    assert capture.state.phase is Phase.ABANDONED
    assert capture.wait(0)
    assert "abandoned" in caplog.text
    release.set()
    assert has_ended(capture)
    assert len(recorder.frames) == 3
    assert recorder.phases[-1] is Phase.ABANDONED


@HANGING
def test_that_stopping_abandons_a_blocked_opening_and_closes_it_later(recorder, release):
    source = Scripted([release.wait])
    capture = recorder.capture(source)
    capture.start()
    recorder.wait_for(lambda: recorder.phases == [Phase.OPENING])
    assert not capture.stop(0.05)
    n_closed = source.n_closed
    release.set()
    assert has_ended(capture)
    assert source.n_closed > n_closed
    assert recorder.frames == []


@HANGING
def test_that_a_blocked_close_does_not_delay_the_stop(recorder, release):
    source = Scripted()
    source.close = release.wait
    capture = recorder.capture(source)
    capture.start()
    recorder.wait_for_frames(4)
    assert not capture.stop(0.05)
    release.set()
    assert has_ended(capture)


def test_that_a_blocked_callback_does_not_delay_the_stop(release):
    in_callback = threading.Event()

    def on_state(state):
        in_callback.set()
        release.wait()

    capture = Capture(Scripted(), on_state=on_state)
    capture.start()
    assert in_callback.wait(PATIENCE)
    assert not capture.stop(0.05)
    assert capture.wait(0)
    release.set()
    assert has_ended(capture)
    assert capture.state.phase is Phase.ABANDONED


def test_that_a_program_may_end_while_a_capture_runs(videos):
    script = (
        "import atexit, sys, threading\n"
        "from app.capture.opening import source_from\n"
        "begun = threading.Event()\n"
        "atexit.register(lambda: print(capture.state.phase))\n"
        "from app.capture.capture import Capture\n"
        "capture = Capture(source_from(sys.argv[1]), lambda frame: begun.set())\n"
        "capture.start()\n"
        "begun.wait()\n"
    )
    command = [sys.executable, "-c", script, str(videos["mjpg.avi"])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "stopped", "")
