"""Takes and guided tests on the demo: what it presents and which frames count."""

import itertools
from dataclasses import replace

import pytest

from app.capture.capture import CaptureState, Phase
from app.capture.source import Cause
from app.demo.source import DemoSource
from app.qt.controllers.enrolment import EnrolController
from app.qt.controllers.guided_test import GuidedTestController
from app.qt.controllers.source import SourceController
from app.session.guided_test.guided_test import FRAMES_WANTED
from app.session.session import Session
from app.settings import Settings
from app.types import BONA_FIDE, Decision, Verdict
from tests.qt.driving import PLAN, Pictures, recorded


class Stage:
    """A session on the demo, whose frames the test delivers."""

    def __init__(self, scored_frames, model):
        self.session = Session(Settings(preset="tiny"), PLAN)
        self.source = SourceController(Settings(source="demo"))
        self.source.on_opened(DemoSource(), False)
        self.source.on_state(CaptureState(Phase.RUNNING))
        self.enrol = EnrolController(self.session, self.source)
        self.guided_test = GuidedTestController(self.session, self.source)
        self.notices = []
        for controller in (self.enrol, self.guided_test):
            controller.notice.connect(lambda notice: self.notices.append(notice.text))
        self.jobs = recorded(self.guided_test.job_requested)
        self.complete = recorded(self.enrol.take_complete)
        self.source.stream_begins.connect(self.session.begin_stream)
        self._scored_frames, self._model = itertools.cycle(scored_frames), model
        self._time = itertools.count(0.0)

    @property
    def presenting(self):
        return self.source.demo.presenting

    def use_model(self):
        self.session.set_model(self._model, ())

    def show(self, caption="", score=0.1, n=1):
        """Deliver frames, by default of what is presented; the score is relative."""
        for _ in range(n):
            scored, model = next(self._scored_frames), self.session.model
            frame = replace(scored.frame, time=next(self._time), caption=caption or self._caption)
            scored = replace(scored, result=replace(scored.result, frame=frame), digest="")
            if model is not None:
                verdict = Verdict.GENUINE if score >= 0 else Verdict.ATTACK
                value, threshold = model.threshold + score, model.threshold
                scored = replace(scored, score=value, threshold=threshold, verdict=verdict)
                scored = replace(scored, digest=model.digest)
            self.session.observe(scored)

    @property
    def _caption(self):
        key, script = self.presenting or "window 6", self.source.demo.script
        return next(c.frame_caption for c in script.presentations if c.key == key)

    def finish_take(self):
        for _ in range(200):
            if not self.session.enrolment.is_recording:
                return
            self.show()
        pytest.fail("the take does not end")


@pytest.fixture
def stage(qapp, seen, model):
    return Stage([scored for frames in seen.values() for scored in frames], model)


def test_that_a_take_enrols_only_its_own_light_and_restores_what_was_presented_before(stage):
    stage.source.present("print")
    stage.enrol.start("lamp light")
    stage.show("Simulated: A print of the person", n=5)
    assert stage.session.enrolment.samples == ()
    stage.show()
    assert len(stage.session.enrolment.samples) == 1
    stage.enrol.rename_take("lamp light", "candle")
    assert stage.presenting == "lamp 1"
    stage.finish_take()
    assert stage.presenting == "print"
    assert {sample.take for sample in stage.session.enrolment.samples} == {"candle"}


def test_that_suggested_takes_present_different_lights(stage):
    lights = []
    for _ in range(4):
        stage.enrol.start("")
        lights.append(stage.presenting)
        stage.finish_take()
    assert lights == ["window 1", "lamp 1", "office 1", "window 2"]


def test_that_only_a_quick_take_that_reached_its_end_is_complete(stage):
    darker = Decision(Verdict.UNFAMILIAR, differences=("it is darker",))
    stage.use_model()
    stage.enrol.start("")
    stage.finish_take()
    n_samples = len(stage.session.enrolment.samples)
    stage.enrol.start_quick(darker)
    stage.enrol.stop()
    stage.enrol.start_quick(darker)
    stage.show(score=-0.1, n=10)  # called an attack
    assert len(stage.session.enrolment.samples) == n_samples
    stage.show()
    stage.enrol.stop()
    assert stage.complete == []
    stage.enrol.start_quick(darker)
    stage.finish_take()
    assert stage.complete == ["it is darker (2)"]


def test_that_another_source_ends_the_take_and_none_starts_without_a_picture(stage):
    stage.enrol.start("")
    stage.show(n=4)
    n_kept = len(stage.session.enrolment.samples)
    stage.source.on_opened(Pictures(), False)
    assert not stage.session.enrolment.is_recording
    assert len(stage.session.enrolment.samples) == n_kept > 0
    stage.source.on_state(CaptureState(Phase.PAUSED, Cause.BUSY, "The camera is busy."))
    stage.enrol.start("")
    assert not stage.session.enrolment.is_recording
    assert len(stage.notices) == 1


def test_that_only_frames_of_the_requested_species_count_and_only_with_a_model(stage):
    for start in (lambda: stage.guided_test.start("print"), stage.guided_test.run_all):
        start()
        assert not stage.session.guided_test.is_presenting
    assert "fit a model first" in stage.notices[-1]
    stage.use_model()
    stage.guided_test.start("silicone mask")
    assert "silicone mask" in stage.notices[-1]
    assert not stage.session.guided_test.is_presenting
    stage.guided_test.start("print")
    assert stage.presenting == "print"
    stage.show("Simulated: The person, by the window", n=FRAMES_WANTED)
    assert stage.session.guided_test.is_presenting
    stage.show(score=-0.1, n=FRAMES_WANTED)
    (presentation,) = stage.session.guided_test.presentations
    assert (presentation.species, presentation.verdict) == ("print", Verdict.ATTACK)
    assert not stage.session.guided_test.is_presenting  # no plan continues by itself
    assert stage.presenting is None


def test_that_the_whole_test_presents_the_person_before_each_attack_and_reports_once(stage):
    stage.use_model()
    stage.guided_test.run_all()
    while stage.session.guided_test.is_presenting:
        stage.show()
    species = [each.species for each in stage.session.guided_test.presentations]
    assert tuple(species) == stage.source.demo.script.test_plan
    assert set(species[::2]) == {BONA_FIDE}
    assert BONA_FIDE not in species[1::2]
    assert [job.text for job in stage.jobs] == ["Making the report"]
    n = len(species)
    assert stage.notices == [f"Presentation {i} of {n}: {species[i - 1]}" for i in range(2, n + 1)]


@pytest.mark.parametrize(
    "end",
    [
        lambda stage: stage.guided_test.stop(),
        lambda stage: stage.source.on_opened(Pictures(), False),
    ],
    ids=["stopped", "another source"],
)
def test_that_the_whole_test_can_be_stopped(stage, end):
    stage.use_model()
    stage.guided_test.run_all()
    stage.show(n=3)
    end(stage)
    assert not stage.session.guided_test.is_presenting
    assert stage.session.guided_test.presentations == ()
    assert stage.jobs == []


def test_that_neither_a_take_nor_a_presentation_starts_during_the_other(stage):
    stage.use_model()
    stage.guided_test.start("print")
    stage.enrol.start("")
    stage.enrol.start_quick(Decision(Verdict.UNFAMILIAR))
    assert not stage.session.enrolment.is_recording
    assert stage.presenting == "print"
    assert "A presentation" in stage.notices[-1]
    stage.guided_test.stop()
    stage.enrol.start("")
    stage.guided_test.start("print")
    assert not stage.session.guided_test.is_presenting
    assert stage.presenting == "window 1"
    assert "A take" in stage.notices[-1]
