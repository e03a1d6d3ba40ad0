"""Which source is open and what is told of it."""

import pytest

from app.capture.capture import CaptureState, Phase
from app.capture.source import Cause
from app.demo.source import DemoSource
from app.qt.controllers.source import REMARK_TOPIC, SourceController
from app.qt.state import Notice, SourceState
from app.settings import Settings
from tests.qt.driving import Pictures


@pytest.fixture
def told(qapp):
    """Return a control, and all that it has told, by the name of the signal."""
    control, said = SourceController(Settings(source="demo")), {}
    for name in (
        *("open_requested", "stream_begins", "source_changed", "message_changed", "notice"),
        *("interrupted", "finished"),
    ):
        said[name] = []
        getattr(control, name).connect(lambda *values, name=name: said[name].append(values))
    return control, said


def state(phase=Phase.RUNNING, cause=None, message=""):
    return CaptureState(phase, cause, message)


def test_that_a_source_is_asked_for_in_its_size_and_another_size_opens_only_a_camera_again(told):
    control, said = told
    control.open("demo")
    control.on_opened(DemoSource(), False)
    control.use(Settings(source="demo", width=1280, height=720))
    control.open("auto")
    control.on_opened(Pictures(), False)
    assert said["stream_begins"] == [(), ()]
    assert said["source_changed"][-1][0] == SourceState("camera:Pictures", "Pictures")
    control.use(Settings(source="demo", width=640, height=480))
    assert said["open_requested"] == [
        ("demo", 640, 480),
        ("auto", 1280, 720),
        ("camera:Pictures", 640, 480),
    ]


def test_that_the_demo_is_directed_and_the_direction_told(told):
    control, said = told
    demo = DemoSource()
    control.on_opened(demo, True)
    assert any(notice.text.startswith("No camera was found") for (notice,) in said["notice"])
    assert control.state.is_demo
    assert "print" in control.state.species
    control.present("print")
    assert demo.presenting == "print"
    assert said["source_changed"][-1][0].presenting == "print"
    control.present("")
    assert demo.presenting is None
    control.on_failed("There is no file gone.mp4.")
    assert said["notice"][-1][0].text == "There is no file gone.mp4."
    assert said["source_changed"][-1][0].text == "demo"  # what is still open
    control.on_opened(Pictures(), False)  # which cannot be directed
    n_told = len(said["source_changed"])
    control.present("print")
    assert len(said["source_changed"]) == n_told


def test_that_trouble_is_told_and_interrupts_until_it_is_over(told):
    control, said = told
    control.on_opened(Pictures(), False)
    for phase, cause in ((Phase.PAUSED, Cause.BUSY), (Phase.RUNNING, Cause.FROZEN)):
        control.on_state(state(phase, cause, cause.name))
        assert not control.is_running
        assert control.is_interrupted
        assert said["interrupted"][-1] == said["message_changed"][-1] == (cause.name,)
        notice = said["notice"][-1][0]
        assert (notice.text, notice.level) == (cause.name, "warning")
        control.on_state(state())
        assert control.is_running
        assert not control.is_interrupted
        assert said["notice"][-1][0].text == ""


def test_that_a_source_that_is_a_program_is_told_once_and_until_another_is_opened(told):
    control, said = told
    source = Pictures()
    control.on_opened(source, False)
    source.remark = "OBS is a program."  # known once it is open
    for phase in (Phase.OPENING, Phase.RUNNING, Phase.PAUSED, Phase.OPENING, Phase.RUNNING):
        control.on_state(state(phase))
    remarks = [notice for (notice,) in said["notice"] if notice.topic == REMARK_TOPIC]
    assert [notice.text for notice in remarks] == ["", "OBS is a program."]
    assert remarks[-1].level == "warning"
    control.on_opened(Pictures(), False)
    assert said["notice"][-1] == (Notice("", topic=REMARK_TOPIC),)


@pytest.mark.parametrize(
    ("ended", "level", "words"),
    [
        (state(Phase.FAILED, Cause.UNREADABLE, "The file is damaged."), "error", "is damaged."),
        (state(Phase.ENDED), "info", "has ended"),
    ],
    ids=["failed", "ended"],
)
def test_that_the_end_of_a_source_is_told_as_an_error_or_calmly(told, ended, level, words):
    control, said = told
    control.on_opened(Pictures(), False)
    control.on_state(ended)
    notice = said["notice"][-1][0]
    assert notice.level == level
    assert words in notice.text
    ((reason,),) = said["finished"]
    assert words in reason
    assert not control.is_running


def test_that_everything_is_repeated_for_a_window_that_was_made_later(told):
    control, said = told
    control.on_opened(DemoSource(), True)
    control.on_state(state(Phase.FAILED, Cause.UNREADABLE, "The file is damaged."))
    control.on_failed("There is no file gone.mp4.")
    first = {name: list(values) for name, values in said.items()}
    control.repeat()
    assert said == {name: 2 * values for name, values in first.items()}
