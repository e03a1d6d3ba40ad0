"""The state of the app: what is told, when, and what is not."""

from dataclasses import replace

import pytest

from app.session.decision import ENOUGH_FRAMES as ENOUGH
from app.session.decision import WINDOW
from app.session.enrolment import Enrolment
from app.session.session import RATE_WINDOW, Session, Topic
from app.session.takes import Offer
from app.settings import Settings
from app.types import BONA_FIDE, Frame, Verdict
from tests.app.enrolments import PICTURE, SHORT, usable
from tests.app.models.small_models import WINDOW as TAKES
from tests.app.models.small_models import samples_of, window_model
from tests.scored_frames import scored_frame


class Stage:
    """A session with a clock in hand and an ear on everything it tells."""

    def __init__(self):
        self.now = 100.0
        self.session = Session(Settings(), SHORT, clock=lambda: self.now)
        self.told = []
        self.session.subscribe(self.told.append)
        self.time = 0.0

    def heard(self):
        told, self.told[:] = list(self.told), []
        return told

    def score(self, score, *, threshold=0.5, caption="", seconds=0.05):
        self.time += 0.1
        verdict = Verdict.GENUINE if score >= threshold else Verdict.ATTACK
        frame = Frame(PICTURE, time=self.time, caption=caption)
        about = {"score": score, "threshold": threshold, "digest": self.digest}
        self.session.observe(scored_frame(frame, verdict, seconds=seconds, **about))
        return self.heard()

    @property
    def digest(self):
        return "" if self.session.model is None else self.session.model.digest

    def usable(self, caption=""):
        self.time += 0.2
        frame = usable(self.time, 100.0 * self.time, 0.0, caption=caption)
        self.session.observe(replace(frame, digest=self.digest))
        return self.heard()

    def record(self, name="a", n_frames=3):
        self.session.change_enrolment(lambda enrolment: enrolment.start(name))
        for _ in range(n_frames):
            self.usable()
        self.session.change_enrolment(lambda enrolment: enrolment.stop())
        self.heard()


@pytest.fixture
def stage():
    return Stage()


def test_that_a_verdict_is_told_exactly_when_it_changed(stage):
    for _ in range(WINDOW):
        assert stage.score(0.75) == [Topic.SCORED, Topic.DECISION]
    assert stage.score(0.75) == [Topic.SCORED]
    assert stage.score(0.5) == [Topic.SCORED, Topic.DECISION]


def test_that_frames_go_to_the_take_that_is_recorded_and_to_none_other(stage):
    assert stage.usable() == [Topic.SCORED, Topic.DECISION]
    assert stage.session.last_offer is Offer.IGNORED
    stage.session.change_enrolment(lambda enrolment: enrolment.start("a"))
    assert stage.heard() == [Topic.ENROLMENT]
    assert stage.usable() == [Topic.SCORED, Topic.ENROLMENT]
    assert stage.session.last_offer is Offer.KEPT
    assert stage.session.enrolment.state.n_collected == 1


def test_that_a_take_that_completes_is_told_with_its_last_frame(stage):
    stage.session.change_enrolment(lambda enrolment: enrolment.start("a"))
    offers = []
    stage.session.subscribe(lambda topic: offers.append((topic, stage.session.last_offer)))
    while stage.session.enrolment.is_recording:
        stage.usable()
    assert offers[-1] == (Topic.ENROLMENT, Offer.FINISHED)


@pytest.mark.parametrize(
    "end",
    [lambda session: session.change_enrolment(Enrolment.stop), Session.begin_stream],
    ids=["stopped", "another source"],
)
def test_that_a_take_that_is_broken_off_is_not_taken_for_one_that_is_complete(stage, end):
    stage.session.change_enrolment(lambda enrolment: enrolment.start("a"))
    while stage.session.enrolment.is_recording:
        stage.usable()
    assert stage.session.last_offer is Offer.FINISHED
    stage.session.change_enrolment(lambda enrolment: enrolment.start("b"))
    end(stage.session)
    assert stage.session.last_offer is not Offer.FINISHED


def test_that_frames_go_to_the_presentation_that_is_tested(stage):
    stage.session.change_guided_test(lambda guided_test: guided_test.start(BONA_FIDE))
    assert stage.heard() == [Topic.GUIDED_TEST]
    assert stage.score(0.9) == [Topic.SCORED, Topic.DECISION, Topic.GUIDED_TEST]
    assert stage.session.guided_test.state.progress > 0
    stage.session.change_guided_test(lambda guided_test: guided_test.cancel())
    stage.heard()
    assert Topic.GUIDED_TEST not in stage.score(0.9)


def test_that_only_frames_with_the_expected_caption_are_enrolled(stage):
    stage.session.expect("Simulated: the person")
    stage.session.change_enrolment(lambda enrolment: enrolment.start("a"))
    stage.heard()
    for caption in ("", "Simulated: a print", "Simulated: the person again"):
        assert Topic.ENROLMENT not in stage.usable(caption)
    assert stage.session.enrolment.samples == ()
    assert Topic.ENROLMENT in stage.usable("Simulated: the person")
    assert len(stage.session.enrolment.samples) == 1


def test_that_only_frames_with_the_expected_caption_are_tested(stage):
    stage.session.expect("Simulated: a print")
    stage.session.change_guided_test(lambda guided_test: guided_test.start("print"))
    stage.heard()
    assert Topic.GUIDED_TEST not in stage.score(0.9, caption="Simulated: the person")
    assert Topic.GUIDED_TEST in stage.score(0.1, caption="Simulated: a print")


def test_that_unexpected_frames_still_count_for_the_verdict(stage):
    stage.session.expect("Simulated: a print")
    for _ in range(ENOUGH):
        stage.score(0.9, caption="Simulated: the person")
    assert stage.session.decision.verdict is Verdict.GENUINE


def test_that_the_rate_is_that_of_the_last_frames(stage):
    for _ in range(2 * RATE_WINDOW):
        stage.now += 0.1
        stage.score(0.9, seconds=0.03)
    told = stage.session.throughput(30.0, 7)
    assert told.scoring_rate == pytest.approx(10.0)
    assert (told.source_rate, told.n_dropped, told.latency) == (30.0, 7, 0.03)


def test_that_the_rate_falls_to_zero_when_nothing_arrives(stage):
    for _ in range(10):
        stage.now += 0.1
        stage.score(0.9)
    stage.now += 1.9
    assert stage.session.throughput(30.0, 0).scoring_rate > 0
    stage.now += 0.2
    assert stage.session.throughput(30.0, 0).scoring_rate == 0.0
    stage.score(0.9)
    assert stage.session.throughput(30.0, 0).scoring_rate > 0


def test_that_another_source_begins_with_nothing(stage):
    for _ in range(WINDOW):
        stage.now += 0.1
        stage.score(0.9)
    stage.session.begin_stream()
    assert stage.session.scored is None
    assert stage.session.decision.verdict is Verdict.LOOKING
    assert stage.session.throughput(30.0, 0).scoring_rate == 0.0
    assert stage.heard() == [Topic.DECISION, Topic.ENROLMENT, Topic.GUIDED_TEST]


def test_that_another_source_ends_take_and_presentation_and_keeps_what_is_there(stage):
    stage.record("a", 2)
    stage.session.change_enrolment(lambda enrolment: enrolment.start("b"))
    stage.usable()
    stage.session.change_guided_test(lambda guided_test: guided_test.start("print"))
    stage.session.begin_stream()
    assert not stage.session.enrolment.is_recording
    assert not stage.session.guided_test.is_presenting
    assert len(stage.session.enrolment.samples) == 3
    assert stage.session.guided_test.presentations == ()


def test_that_a_model_is_told_with_everything_that_depends_on_it(stage):
    model = window_model()
    stage.session.set_model(model)
    assert stage.heard() == [Topic.MODEL, Topic.DECISION, Topic.ENROLMENT, Topic.GUIDED_TEST]
    assert stage.session.model is model
    assert stage.session.model_summary.digest == model.digest


def test_that_a_new_model_begins_a_new_window(stage):
    for _ in range(WINDOW):
        stage.score(0.9)
    stage.session.set_model(window_model())
    assert stage.session.decision.verdict is Verdict.LOOKING
    assert stage.session.decision.score is None
    stage.score(0.9)
    assert stage.session.decision.n_frames == 1


def test_that_a_model_without_a_file_is_unsaved(stage):
    assert not stage.session.has_unsaved_model
    stage.session.set_model(window_model())
    assert stage.session.has_unsaved_model
    stage.session.set_model(replace(window_model(), path="/somewhere/m"))
    assert not stage.session.has_unsaved_model


def test_that_the_frames_a_model_was_fitted_on_stay_known_until_told_otherwise(stage):
    stage.record("a", 3)
    stage.session.set_model(window_model(), (0, 1))
    stage.session.set_model(window_model())
    assert stage.session.enrolment.modelled == {0, 1}
    stage.session.set_model(window_model(), ())
    assert stage.session.enrolment.modelled == frozenset()


def test_that_typical_faces_are_shown_when_all_frames_of_the_model_are_here(stage):
    n = len(samples_of(*TAKES))
    while len(stage.session.enrolment.samples) < n:
        stage.record("a", 3)
    samples = stage.session.enrolment.samples
    stage.session.enrolment.samples = tuple(replace(s, thumbnail=PICTURE) for s in samples)
    stage.session.set_model(window_model(), tuple(range(n)))
    assert all(face is not None for face in stage.session.model_summary.typical_faces)
    stage.session.set_model(window_model(), tuple(range(n - 1)))
    assert stage.session.model_summary.typical_faces == (None, None)


def test_that_a_frame_judged_by_another_model_is_passed_over(stage):
    stage.session.set_model(window_model())
    stage.heard()
    about = {"score": 0.9, "threshold": 0.5, "digest": "of another model"}
    stage.session.observe(scored_frame(Frame(PICTURE, time=1.0), Verdict.GENUINE, **about))
    assert stage.heard() == []
    assert stage.session.scored is None


def test_that_the_end_of_a_stream_ends_a_take_and_keeps_its_frames(stage):
    stage.session.change_enrolment(lambda enrolment: enrolment.start("a"))
    stage.usable()
    stage.session.end_stream()
    assert not stage.session.enrolment.is_recording
    assert len(stage.session.enrolment.samples) == 1


def test_that_the_end_of_a_stream_keeps_a_presentation_that_can_be_judged(stage):
    stage.session.change_guided_test(lambda guided_test: guided_test.start("print"))
    for _ in range(6):
        stage.score(0.1)
    stage.session.end_stream()
    assert not stage.session.guided_test.is_presenting
    assert [each.species for each in stage.session.guided_test.presentations] == ["print"]


def test_that_no_verdict_outlives_its_frames(stage):
    for _ in range(6):
        stage.score(0.9)
    assert stage.session.decision.verdict is Verdict.GENUINE
    stage.session.interrupt()
    assert stage.session.decision.verdict is Verdict.LOOKING
    assert Topic.DECISION in stage.heard()


def test_that_takes_of_a_real_person_that_no_model_holds_are_precious(stage):
    stage.record()
    assert stage.session.has_precious_takes
    numbers = tuple(sample.number for sample in stage.session.enrolment.samples)
    stage.session.set_model(window_model(), numbers)
    assert not stage.session.has_precious_takes
