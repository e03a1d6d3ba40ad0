"""Sources, closings and callbacks that do not return."""

import subprocess
import sys
import threading

import pytest

from app.capture.capture import Capture, Phase
from app.capture.source import Cause, SourceError
from tests.app.capture.capturing import PATIENCE, Scripted
from tests.app.capture.material import picture


@pytest.fixture
def release():
    """Return an event that lets blocked sources go at the end of a test."""
    event = threading.Event()
    yield event
    event.set()


def stuck(release):
    """Return a source whose fourth read does not return before it is released."""

    def read(number):
        if number == 3:
            release.wait()
        return picture(number)

    return Scripted([], read)


def ended(capture):
    capture._reader.join(PATIENCE)
    return not capture._reader.is_alive()


@pytest.mark.fault("Camera", "a driver that hangs while opening, reading or closing")
def test_that_a_blocked_read_is_noticed_from_outside(said, release):
    with said.capture(stuck(release)) as capture:
        said.wait_for_cause(Cause.STALLED)
        assert capture.state.phase is Phase.RUNNING
        assert "stopped sending frames" in capture.state.message
        release.set()
        said.wait_for(lambda said: said.faults[-1][0] is None)
        assert capture.state.message == ""


@pytest.mark.fault("Camera", "a driver that hangs while opening, reading or closing")
def test_that_a_blocked_opening_is_noticed_from_outside(said, release):
    with said.capture(Scripted([release.wait])) as capture:
        said.wait_for_cause(Cause.SLOW_TO_OPEN)
        state = capture.state
        assert (state.phase, state.cause) == (Phase.OPENING, Cause.SLOW_TO_OPEN)
        assert "is slow to open" in state.message
        assert said.faults[-1] == (Cause.SLOW_TO_OPEN, state.message)
        release.set()
        said.wait_for(lambda said: len(said.frames) > 3)


@pytest.mark.fault("Camera", "a driver that hangs while opening, reading or closing")
def test_that_stopping_leaves_a_blocked_read_behind_and_says_so(said, release, caplog):
    capture = said.capture(stuck(release))
    capture.start()
    said.wait_for(lambda said: len(said.frames) == 3)
    assert not capture.stop(0.05)
    assert capture.state.phase is Phase.ABANDONED
    assert capture.wait(0)
    assert "left behind" in caplog.text
    release.set()
    assert ended(capture)
    assert len(said.frames) == 3
    assert said.phases[-1] is Phase.ABANDONED


@pytest.mark.fault("Camera", "a driver that hangs while opening, reading or closing")
def test_that_stopping_leaves_a_blocked_opening_behind_and_closes_it_later(said, release):
    source = Scripted([release.wait])
    capture = said.capture(source)
    capture.start()
    said.wait_for(lambda said: said.phases == [Phase.OPENING])
    assert not capture.stop(0.05)
    n_closed = source.n_closed
    release.set()
    assert ended(capture)
    assert source.n_closed > n_closed
    assert said.frames == []


@pytest.mark.fault("Camera", "a driver that hangs while opening, reading or closing")
def test_that_a_close_that_blocks_does_not_hold_up_the_stop(said, release):
    source = Scripted([])
    source.close = release.wait
    capture = said.capture(source)
    capture.start()
    said.wait_for(lambda said: len(said.frames) > 3)
    assert not capture.stop(0.05)
    release.set()
    assert ended(capture)


def test_that_a_callback_that_blocks_does_not_hold_up_the_stop(release):
    in_callback = threading.Event()

    def on_state(state):
        in_callback.set()
        release.wait()

    capture = Capture(Scripted([]), on_state=on_state)
    capture.start()
    assert in_callback.wait(PATIENCE)
    assert not capture.stop(0.05)
    assert capture.wait(0)
    assert capture.state.phase is Phase.ABANDONED
    release.set()
    assert ended(capture)
    assert capture.state.phase is Phase.ABANDONED


def test_that_stopping_interrupts_the_pause_between_attempts(said):
    missing = SourceError(Cause.NO_CAMERA, "The camera X")
    capture = said.capture(Scripted([missing]), pauses=(3600.0,))
    capture.start()
    said.wait_for(lambda said: Phase.PAUSED in said.phases)
    assert capture.stop(PATIENCE)
    assert capture.state.phase is Phase.STOPPED


def test_that_a_callback_may_stop_the_capture(said):
    captures = []
    stopped = threading.Event()

    def on_frame(frame):
        assert captures[0].stop(PATIENCE)
        stopped.set()

    captures.append(Capture(Scripted([]), on_frame))
    captures[0].start()
    assert stopped.wait(PATIENCE)
    assert captures[0].wait(PATIENCE)
    assert captures[0].state.phase is Phase.STOPPED
    assert captures[0].state.n_frames == 1


def test_that_a_program_may_end_while_a_capture_runs(videos):
    script = (
        "import atexit, sys, threading\n"
        "from app.capture.opening import source_from\n"
        "begun = threading.Event()\n"
        "atexit.register(lambda: print(capture.state.phase))\n"
        "from app.capture.capture import Capture\n"
        "source = source_from(sys.argv[1])\n"
        "capture = Capture(source, lambda frame: begun.set())\n"
        "capture.start()\n"
        "begun.wait()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(videos["mjpg.avi"])],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "stopped", "")
