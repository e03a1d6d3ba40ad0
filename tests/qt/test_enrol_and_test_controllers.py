"""Takes and tests on the demo: what it presents, which frames count, and who goes first."""

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
from tests.qt.driving import PLAN, Pictures


class Stage:
    """A session on a demo that shows at once what it is asked for; frames come by hand."""

    def __init__(self, observations, model):
        self.session = Session(Settings(preset="tiny"), PLAN)
        self.source = SourceController(Settings(source="demo"))
        self.source.on_opened(DemoSource(), False)
        self.source.on_state(CaptureState(Phase.RUNNING))
        self.enrol = EnrolController(self.session, self.source)
        self.guided_test = GuidedTestController(self.session, self.source)
        self.told, self.jobs, self.complete = [], [], []
        for control in (self.enrol, self.guided_test):
            control.notice.connect(lambda notice: self.told.append(notice.text))
        self.guided_test.job_requested.connect(lambda job: self.jobs.append(job.text))
        self.enrol.take_complete.connect(self.complete.append)
        self.source.stream_begins.connect(self.session.begin_stream)
        self._observations, self._model = observations, model
        self._n_shown = 0

    @property
    def presenting(self):
        return self.source.demo.presenting

    def use_model(self):
        self.session.set_model(self._model, ())

    def show(self, caption=None, score=None, n=1):
        """Let frames come: of what is presented, or with another caption."""
        for _ in range(n):
            one = self._observations[self._n_shown % len(self._observations)]
            shown = caption_of(self.source.demo) if caption is None else caption
            frame = replace(one.frame, time=self._n_shown * 1.0, caption=shown)
            scored = replace(one, result=replace(one.result, frame=frame))
            model = self.session.model
            if model is not None:
                value = model.threshold + (0.1 if score is None else score)
                verdict = Verdict.GENUINE if value >= model.threshold else Verdict.ATTACK
                scored = replace(scored, score=value, threshold=model.threshold, verdict=verdict)
            digest = "" if model is None else model.digest
            self.session.observe(replace(scored, digest=digest))
            self._n_shown += 1


def caption_of(demo):
    chapter = next(c for c in demo.script.presentations if c.key == (demo.presenting or "window 6"))
    return chapter.frame_caption


@pytest.fixture
def stage(qapp, seen, model):
    return Stage([one for key in seen for one in seen[key]], model)


def finish_take(stage):
    for _ in range(200):
        if not stage.session.enrolment.is_recording:
            return
        stage.show()
    pytest.fail("the take does not end")


def test_that_a_take_presents_its_light_enrols_only_that_and_then_shows_what_was_before(stage):
    stage.source.present("print")
    stage.enrol.start("lamp light")
    stage.show("Simulated: A print of the person", n=5)
    assert stage.session.enrolment.samples == ()
    stage.show()
    assert len(stage.session.enrolment.samples) == 1
    stage.enrol.rename_take("lamp light", "candle")
    assert stage.presenting == "lamp 1"
    finish_take(stage)
    assert stage.presenting == "print"
    assert {sample.take for sample in stage.session.enrolment.samples} == {"candle"}


def test_that_suggested_takes_come_in_lights_of_their_own(stage):
    lights = []
    for _ in range(4):
        stage.enrol.start("")
        lights.append(stage.presenting)
        finish_take(stage)
    assert lights == ["window 1", "lamp 1", "office 1", "window 2"]


def test_that_only_a_quick_take_that_reached_its_end_is_complete(stage):
    darker = Decision(Verdict.UNFAMILIAR, differences=("it is darker",))
    stage.use_model()
    stage.enrol.start("")
    finish_take(stage)
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
    finish_take(stage)
    assert stage.complete == ["it is darker (2)"]


def test_that_another_source_ends_the_take_and_none_begins_without_a_picture(stage):
    stage.enrol.start("")
    stage.show(n=4)
    n_kept = len(stage.session.enrolment.samples)
    stage.source.on_opened(Pictures(), False)
    assert not stage.session.enrolment.is_recording
    assert len(stage.session.enrolment.samples) == n_kept > 0
    stage.source.on_state(CaptureState(Phase.PAUSED, Cause.BUSY, "The camera is busy."))
    stage.enrol.start("")
    assert not stage.session.enrolment.is_recording
    assert stage.told == ["There is no picture to record: choose a source that works."]


def test_that_nothing_is_tested_without_a_model_or_what_the_demo_cannot_present(stage):
    for start in (lambda: stage.guided_test.start("print"), stage.guided_test.run_all):
        start()
        assert not stage.session.guided_test.is_presenting
    assert any("fit a model first" in text for text in stage.told)
    stage.use_model()
    stage.guided_test.start("silicone mask")
    assert stage.told[-1] == "The demo cannot present silicone mask: choose another species."
    assert not stage.session.guided_test.is_presenting
    stage.guided_test.start(BONA_FIDE)
    stage.show(n=FRAMES_WANTED)
    assert not stage.session.guided_test.is_presenting  # and no plan goes on by itself


def test_that_a_presentation_is_shown_judged_and_reported(stage):
    stage.use_model()
    stage.guided_test.start("print")
    assert stage.presenting == "print"
    stage.show("Simulated: The person, by the window", n=3)  # not yet what was asked for
    stage.show(score=-0.1, n=FRAMES_WANTED)
    (presentation,) = stage.session.guided_test.presentations
    assert (presentation.species, presentation.verdict) == ("print", Verdict.ATTACK)
    assert presentation.is_simulated
    assert stage.presenting is None
    assert stage.jobs == ["Making the report"]


def test_that_the_whole_test_presents_the_person_before_each_attack_and_reports_once(stage):
    stage.use_model()
    stage.guided_test.run_all()
    while stage.session.guided_test.is_presenting:
        stage.show()
    species = [one.species for one in stage.session.guided_test.presentations]
    assert tuple(species) == stage.source.demo.script.test_plan
    assert set(species[::2]) == {BONA_FIDE}
    assert BONA_FIDE not in species[1::2]
    assert stage.jobs == ["Making the report"]
    n = len(species)
    assert stage.told == [
        f"Presentation {number} of {n}: {species[number - 1]}" for number in range(2, n + 1)
    ]


@pytest.mark.parametrize(
    "end",
    [
        lambda stage: stage.guided_test.stop(),
        lambda stage: stage.source.on_opened(Pictures(), False),
    ],
    ids=["stopped", "another source"],
)
def test_that_the_whole_test_can_be_broken_off(stage, end):
    stage.use_model()
    stage.guided_test.run_all()
    stage.show(n=3)
    end(stage)
    assert not stage.session.guided_test.is_presenting
    assert stage.session.guided_test.presentations == ()
    assert stage.jobs == []


def test_that_neither_a_take_nor_a_presentation_begins_during_the_other(stage):
    stage.use_model()
    stage.guided_test.start("print")
    stage.enrol.start("")
    stage.enrol.start_quick(Decision(Verdict.UNFAMILIAR))
    assert not stage.session.enrolment.is_recording
    assert stage.presenting == "print"
    assert "a presentation is under way" in stage.told[-1]
    stage.guided_test.stop()
    stage.enrol.start("")
    stage.guided_test.start("print")
    assert not stage.session.guided_test.is_presenting
    assert stage.presenting == "window 1"
    assert "a take is being recorded" in stage.told[-1]
