"""The source controller: which source is open, and what it reports."""

import pytest

from app.capture.capture import CaptureState, Phase
from app.capture.source import Cause
from app.demo.source import DemoSource
from app.qt.controllers.source import REMARK_TOPIC, SourceController
from app.qt.state import Notice, SourceState
from app.settings import Settings
from tests.qt.driving import Pictures, recorded

SIGNALS = (
    *("open_requested", "stream_begins", "source_changed", "message_changed", "notice"),
    *("interrupted", "finished"),
)
DAMAGED = CaptureState(Phase.FAILED, Cause.UNREADABLE, "The file is damaged.")


@pytest.fixture
def source(qapp):
    return SourceController(Settings(source="demo"))


@pytest.fixture
def emitted(source):
    """Return what the controller has emitted, by the name of the signal."""
    return {name: recorded(getattr(source, name)) for name in SIGNALS}


def test_that_a_source_is_requested_in_its_size_and_another_size_reopens_only_a_camera(
    source, emitted
):
    source.open("demo")
    source.on_opened(DemoSource(), False)
    source.use(Settings(source="demo", width=1280, height=720))
    source.open("auto")
    source.on_opened(Pictures(), False)
    assert len(emitted["stream_begins"]) == 2
    assert emitted["source_changed"][-1] == SourceState("camera:Pictures", "Pictures")
    source.use(Settings(source="demo", width=640, height=480))
    assert emitted["open_requested"] == [
        ("demo", 640, 480),
        ("auto", 1280, 720),
        ("camera:Pictures", 640, 480),
    ]


def test_that_the_demo_presents_what_is_chosen_and_stays_when_another_source_fails(source, emitted):
    demo = DemoSource()
    source.on_opened(demo, True)
    assert any(notice.text.startswith("No camera was found") for notice in emitted["notice"])
    assert source.state.is_demo
    assert "print" in source.state.species
    source.present("print")
    assert demo.presenting == emitted["source_changed"][-1].presenting == "print"
    source.present("")
    assert demo.presenting is None
    source.on_failed("There is no file gone.mp4.")
    assert emitted["notice"][-1].text == "There is no file gone.mp4."
    assert emitted["source_changed"][-1].text == "demo"
    source.on_opened(Pictures(), False)
    n_changes = len(emitted["source_changed"])
    source.present("print")  # only the demo can
    assert len(emitted["source_changed"]) == n_changes


@pytest.mark.parametrize(
    ("phase", "cause"), [(Phase.PAUSED, Cause.BUSY), (Phase.RUNNING, Cause.FROZEN)]
)
def test_that_trouble_interrupts_until_it_is_over(source, emitted, phase, cause):
    source.on_opened(Pictures(), False)
    source.on_state(CaptureState(phase, cause, "The camera is in trouble."))
    assert emitted["notice"][-1] == Notice("The camera is in trouble.", "warning", "source")
    assert emitted["interrupted"] == emitted["message_changed"] == ["The camera is in trouble."]
    assert (source.is_running, source.is_interrupted) == (False, True)
    source.on_state(CaptureState(Phase.RUNNING))
    assert emitted["notice"][-1].text == ""
    assert (source.is_running, source.is_interrupted) == (True, False)


def test_that_a_remark_on_a_source_is_shown_once_until_another_is_opened(source, emitted):
    pictures = Pictures()
    source.on_opened(pictures, False)
    pictures.remark = "OBS is a program."  # known once it is open
    for phase in (Phase.OPENING, Phase.RUNNING, Phase.PAUSED, Phase.OPENING, Phase.RUNNING):
        source.on_state(CaptureState(phase))
    source.on_opened(Pictures(), False)
    remarks = [notice for notice in emitted["notice"] if notice.topic == REMARK_TOPIC]
    assert [notice.text for notice in remarks] == ["", "OBS is a program.", ""]
    assert remarks[1].level == "warning"


@pytest.mark.parametrize(
    ("state", "level"), [(DAMAGED, "error"), (CaptureState(Phase.ENDED), "info")]
)
def test_that_a_failure_is_an_error_and_the_end_is_not(source, emitted, state, level):
    source.on_opened(Pictures(), False)
    source.on_state(state)
    assert emitted["notice"][-1].level == level
    assert state.message in emitted["notice"][-1].text
    (reason,) = emitted["finished"]
    assert state.message in reason
    assert not source.is_running


def test_that_everything_is_repeated_for_a_window_made_later(source, emitted):
    source.on_opened(DemoSource(), True)
    source.on_state(DAMAGED)
    source.on_failed("There is no file gone.mp4.")
    first = {name: list(values) for name, values in emitted.items()}
    source.repeat()
    assert emitted == {name: 2 * values for name, values in first.items()}
