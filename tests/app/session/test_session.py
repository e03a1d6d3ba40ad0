"""The state of the app: which frames and models reach what, and which changes are announced."""

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
    """A session with a clock, which records the topics that the session announces."""

    def __init__(self):
        self.now = 100.0
        self.time = 0.0
        self.session = Session(Settings(), SHORT, clock=lambda: self.now)
        self._topics = []
        self.session.subscribe(self._topics.append)

    def topics(self):
        """Return the topics announced since the last call."""
        topics, self._topics[:] = list(self._topics), []
        return topics

    def score(self, score, *, caption="", seconds=0.05, n_frames=1):
        """Observe scored frames and return the topics announced."""
        for _ in range(n_frames):
            self.now += 0.1
            self.time += 0.1
            verdict = Verdict.GENUINE if score >= 0.5 else Verdict.ATTACK
            frame = Frame(PICTURE, time=self.time, caption=caption)
            fields = {"score": score, "threshold": 0.5, "digest": self.digest, "seconds": seconds}
            self.session.observe(scored_frame(frame, verdict, **fields))
        return self.topics()

    @property
    def digest(self):
        return "" if self.session.model is None else self.session.model.digest

    def usable(self, caption=""):
        """Observe a frame that can be enrolled and return the topics announced."""
        self.time += 0.2
        frame = usable(self.time, 100.0 * self.time, 0.0, caption=caption)
        self.session.observe(replace(frame, digest=self.digest))
        return self.topics()

    def start_take(self, name="a"):
        self.session.change_enrolment(lambda enrolment: enrolment.start(name))
        return self.topics()

    def start_presentation(self, species="print"):
        self.session.change_guided_test(lambda guided_test: guided_test.start(species))
        return self.topics()

    def record(self, name="a", n_frames=SHORT.frames):
        self.start_take(name)
        for _ in range(n_frames):
            self.usable()
        if self.session.enrolment.is_recording:
            self.session.change_enrolment(Enrolment.stop)
        self.topics()


@pytest.fixture
def stage():
    return Stage()


def test_that_a_decision_is_announced_exactly_when_it_changes(stage):
    for _ in range(WINDOW):
        assert stage.score(0.75) == [Topic.SCORED, Topic.DECISION]
    assert stage.score(0.75) == [Topic.SCORED]
    assert stage.score(0.5) == [Topic.SCORED, Topic.DECISION]


def test_that_frames_reach_the_take_being_recorded(stage):
    assert stage.usable() == [Topic.SCORED, Topic.DECISION]
    assert stage.session.last_offer is Offer.IGNORED
    assert stage.start_take() == [Topic.ENROLMENT]
    assert stage.usable() == [Topic.SCORED, Topic.ENROLMENT]
    assert stage.session.last_offer is Offer.KEPT
    assert stage.session.enrolment.state.n_collected == 1


def test_that_frames_reach_the_presentation_under_way(stage):
    assert stage.start_presentation(BONA_FIDE) == [Topic.GUIDED_TEST]
    assert stage.score(0.9) == [Topic.SCORED, Topic.DECISION, Topic.GUIDED_TEST]
    assert stage.session.guided_test.state.progress > 0
    stage.session.change_guided_test(lambda guided_test: guided_test.cancel())
    stage.topics()
    assert Topic.GUIDED_TEST not in stage.score(0.9)


def test_that_the_completion_of_a_take_is_announced_with_its_last_frame(stage):
    offers = []
    stage.session.subscribe(lambda topic: offers.append((topic, stage.session.last_offer)))
    stage.record()
    assert offers[-1] == (Topic.ENROLMENT, Offer.FINISHED)


@pytest.mark.parametrize(
    "end",
    [lambda session: session.change_enrolment(Enrolment.stop), Session.begin_stream],
    ids=["stopped", "another source"],
)
def test_that_an_interrupted_take_is_not_reported_as_complete(stage, end):
    stage.record("a")
    assert stage.session.last_offer is Offer.FINISHED
    stage.start_take("b")
    end(stage.session)
    assert stage.session.last_offer is not Offer.FINISHED


def test_that_only_frames_with_the_expected_caption_are_enrolled_and_tested(stage):
    stage.session.expect("Simulated: a person")
    stage.start_take()
    for caption in ("", "Simulated: a print", "Simulated: a person again"):
        assert Topic.ENROLMENT not in stage.usable(caption)
    assert stage.session.enrolment.samples == ()
    assert Topic.ENROLMENT in stage.usable("Simulated: a person")
    assert len(stage.session.enrolment.samples) == 1
    stage.session.change_enrolment(Enrolment.stop)
    stage.start_presentation()
    topics = stage.score(0.9, caption="Simulated: a print", n_frames=ENOUGH)
    assert Topic.GUIDED_TEST not in topics
    assert stage.session.decision.verdict is Verdict.GENUINE  # they count for the verdict
    assert Topic.GUIDED_TEST in stage.score(0.1, caption="Simulated: a person")


def test_that_the_rate_is_that_of_the_last_frames_and_drops_to_zero_without_any(stage):
    stage.score(0.9, seconds=0.03, n_frames=2 * RATE_WINDOW)
    throughput = stage.session.throughput(30.0, 7)
    assert throughput.scoring_rate == pytest.approx(10.0)
    assert (throughput.source_rate, throughput.n_dropped, throughput.latency) == (30.0, 7, 0.03)
    stage.now += 1.9
    assert stage.session.throughput(30.0, 0).scoring_rate > 0
    stage.now += 0.2
    assert stage.session.throughput(30.0, 0).scoring_rate == 0.0
    stage.score(0.9)
    assert stage.session.throughput(30.0, 0).scoring_rate > 0


def test_that_another_source_forgets_the_frames_before_it(stage):
    stage.score(0.9, n_frames=WINDOW)
    stage.session.begin_stream()
    assert stage.topics() == [Topic.DECISION, Topic.ENROLMENT, Topic.GUIDED_TEST]
    assert stage.session.scored is None
    assert stage.session.decision.verdict is Verdict.LOOKING
    assert stage.session.throughput(30.0, 0).scoring_rate == 0.0


def test_that_another_source_ends_the_take_and_drops_the_presentation(stage):
    stage.record("a", 2)
    stage.start_take("b")
    stage.usable()
    stage.start_presentation()
    stage.session.begin_stream()
    assert not stage.session.enrolment.is_recording
    assert not stage.session.guided_test.is_presenting
    assert len(stage.session.enrolment.samples) == 3
    assert stage.session.guided_test.presentations == ()


def test_that_the_end_of_a_stream_keeps_the_frames_of_a_take(stage):
    stage.start_take()
    stage.usable()
    stage.session.end_stream()
    assert not stage.session.enrolment.is_recording
    assert len(stage.session.enrolment.samples) == 1


def test_that_the_end_of_a_stream_keeps_a_presentation_that_can_be_judged(stage):
    stage.start_presentation("print")
    stage.score(0.1, n_frames=6)
    stage.session.end_stream()
    assert not stage.session.guided_test.is_presenting
    assert [each.species for each in stage.session.guided_test.presentations] == ["print"]


def test_that_a_verdict_ends_when_frames_stop_coming(stage):
    stage.score(0.9, n_frames=6)
    assert stage.session.decision.verdict is Verdict.GENUINE
    stage.session.interrupt()
    assert stage.session.decision.verdict is Verdict.LOOKING
    assert stage.topics() == [Topic.DECISION]


def test_that_a_new_model_is_announced_and_begins_a_new_window(stage):
    model = window_model()
    stage.score(0.9, n_frames=WINDOW)
    stage.session.set_model(model)
    assert stage.topics() == [Topic.MODEL, Topic.DECISION, Topic.ENROLMENT, Topic.GUIDED_TEST]
    assert stage.session.model is model
    assert stage.session.model_summary.digest == model.digest
    assert (stage.session.decision.verdict, stage.session.decision.score) == (Verdict.LOOKING, None)
    stage.score(0.9)
    assert stage.session.decision.n_frames == 1


def test_that_a_frame_judged_by_another_model_is_ignored(stage):
    stage.session.set_model(window_model())
    stage.topics()
    fields = {"score": 0.9, "threshold": 0.5, "digest": "of another model"}
    stage.session.observe(scored_frame(Frame(PICTURE, time=1.0), Verdict.GENUINE, **fields))
    assert stage.topics() == []
    assert stage.session.scored is None


def test_that_a_model_without_a_file_is_unsaved(stage):
    assert not stage.session.has_unsaved_model
    stage.session.set_model(window_model())
    assert stage.session.has_unsaved_model
    stage.session.set_model(replace(window_model(), path="/somewhere/m"))
    assert not stage.session.has_unsaved_model


def test_that_the_samples_of_a_model_stay_known_until_others_are_given(stage):
    stage.record("a", 3)
    stage.session.set_model(window_model(), (0, 1))
    stage.session.set_model(window_model())
    assert stage.session.enrolment.modelled == {0, 1}
    assert stage.session.would_lose_takes
    stage.session.set_model(window_model(), (0, 1, 2))
    assert not stage.session.would_lose_takes
    stage.session.set_model(window_model(), ())
    assert stage.session.enrolment.modelled == frozenset()


def test_that_typical_faces_are_shown_if_all_frames_of_the_model_are_in_memory(stage):
    n = len(samples_of(*TAKES))
    while len(stage.session.enrolment.samples) < n:
        stage.record()
    samples = stage.session.enrolment.samples
    stage.session.enrolment.samples = tuple(replace(s, thumbnail=PICTURE) for s in samples)
    stage.session.set_model(window_model(), tuple(range(n)))
    assert all(face is not None for face in stage.session.model_summary.typical_faces)
    stage.session.set_model(window_model(), tuple(range(n - 1)))
    assert stage.session.model_summary.typical_faces == (None, None)
