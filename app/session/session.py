"""The state of a running app: frames, takes, model and guided test; for the main thread."""

from collections import deque
from collections.abc import Callable, Collection
from enum import StrEnum
from time import monotonic

from app.capture.capture import rate_of
from app.models.model import PadModel
from app.models.summary import ModelSummary, describe
from app.session.decision import Decider
from app.session.enrolment import Enrolment
from app.session.guided_test.guided_test import GuidedTest
from app.session.takes import Offer, Plan
from app.settings import Settings
from app.types import Decision, Image, Sample, ScoredFrame, Throughput

RATE_WINDOW = 30
"""Frames over which the scoring rate is measured."""


class Topic(StrEnum):
    SCORED = "scored"
    DECISION = "decision"
    ENROLMENT = "enrolment"
    MODEL = "model"
    GUIDED_TEST = "guided_test"


Subscriber = Callable[[Topic], None]


class Session:
    """State of the app; subscribers are called with the topic that changed and read it here."""

    def __init__(
        self,
        settings: Settings,
        plan: Plan | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.settings = settings
        self.enrolment = Enrolment(plan)
        self.guided_test = GuidedTest()
        self.model: PadModel | None = None
        self.model_summary: ModelSummary | None = None
        self.scored: ScoredFrame | None = None
        self.last_offer = Offer.IGNORED
        """What the take being recorded did with the last frame."""
        self._decider = Decider()
        self._subscribers: list[Subscriber] = []
        self._clock = clock
        self._arrivals: deque[float] = deque(maxlen=RATE_WINDOW)
        self._latency = 0.0
        self._expected_caption = ""

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call a subscriber at every change, on the thread that makes the change."""
        self._subscribers.append(subscriber)

    def _notify(self, *topics: Topic) -> None:
        for topic in topics:
            for subscriber in self._subscribers:
                subscriber(topic)

    @property
    def decision(self) -> Decision:
        return self._decider.decision

    @property
    def has_unsaved_model(self) -> bool:
        return self.model is not None and not self.model.is_saved

    @property
    def would_lose_takes(self) -> bool:
        """Whether closing would lose takes of a real person."""
        return any(not sample.is_simulated for sample in self.enrolment.unmodelled)

    @property
    def unsaved_samples(self) -> tuple[Sample, ...]:
        """Samples of a real person that no saved model includes."""
        is_saved = self.model is not None and self.model.is_saved
        saved = self.enrolment.modelled if is_saved else frozenset()
        samples = self.enrolment.samples
        return tuple(s for s in samples if not s.is_simulated and s.number not in saved)

    def throughput(self, source_rate: float, n_dropped: int) -> Throughput:
        rate = rate_of(self._arrivals, self._clock())
        return Throughput(source_rate, rate, self._latency, n_dropped)

    def observe(self, scored: ScoredFrame) -> None:
        """Add a frame to the verdict, and to the take or test under way."""
        if scored.digest != ("" if self.model is None else self.model.digest):
            return  # judged by a previous model
        self.scored = scored
        self._arrivals.append(self._clock())
        self._latency = scored.seconds or 0.0
        before = self._decider.decision
        after = self._decider.update(scored)
        self._notify(Topic.SCORED)
        if after != before:
            self._notify(Topic.DECISION)
        if self._expected_caption not in ("", scored.frame.caption):
            return
        if self.enrolment.is_recording:
            self.last_offer = self.enrolment.offer(scored)
            self._notify(Topic.ENROLMENT)
        elif self.guided_test.is_presenting:
            self.guided_test.offer(scored)
            self._notify(Topic.GUIDED_TEST)

    def expect(self, caption: str) -> None:
        """Enrol and test only frames with this caption: the demo responds with a delay."""
        self._expected_caption = caption

    def begin_stream(self) -> None:
        """Begin another source: forget the last frames, end the take, drop the presentation."""
        self.scored = None
        self._decider.reset()
        self._arrivals.clear()
        self.last_offer = Offer.IGNORED
        if self.enrolment.is_recording:
            self.enrolment.stop()
        if self.guided_test.is_presenting:
            self.guided_test.cancel()
        self._notify(Topic.DECISION, Topic.ENROLMENT, Topic.GUIDED_TEST)

    def end_stream(self, reason: str = "") -> None:
        """End the take or presentation under way; drop a presentation that is too short."""
        self.interrupt(reason)
        if self.enrolment.is_recording:
            self.change_enrolment(lambda enrolment: enrolment.stop())
        if self.guided_test.is_presenting:
            self.change_guided_test(lambda guided_test: guided_test.finish())

    def interrupt(self, reason: str = "") -> None:
        """Forget the verdict, because frames have stopped coming."""
        self._decider.reset(reason)
        self._notify(Topic.DECISION)

    @property
    def occupied_by(self) -> str:
        """What frames are being gathered for, as a clause; may be empty."""
        if self.enrolment.is_recording:
            return "A take is being recorded"
        return "A presentation is under way" if self.guided_test.is_presenting else ""

    def change_enrolment(self, change: Callable[[Enrolment], object]) -> None:
        self.last_offer = Offer.IGNORED  # a stopped take is not complete
        change(self.enrolment)
        self._notify(Topic.ENROLMENT)

    def set_model(
        self,
        model: PadModel | None,
        numbers: tuple[int, ...] | None = None,
        summary: ModelSummary | None = None,
    ) -> None:
        """Use this model from now on.

        ``numbers`` are those of the samples it was fitted on (default: unchanged). ``summary`` is
        its description, which takes a while to compute for large models.
        """
        if numbers is not None or model is None:
            self.enrolment.modelled = frozenset(numbers or ())
        self.model = model
        if model is not None and summary is None:
            summary = describe(model, self.thumbnails(self.enrolment.modelled))
        self.model_summary = summary
        self._decider.reset()
        self.guided_test.use_model("" if model is None else model.digest)
        self._notify(Topic.MODEL, Topic.DECISION, Topic.ENROLMENT, Topic.GUIDED_TEST)

    def thumbnails(self, numbers: Collection[int]) -> list[Image | None]:
        """Return the thumbnails of samples, in the order of their rows."""
        wanted = set(numbers)
        return [s.thumbnail for s in self.enrolment.samples if s.number in wanted]

    def change_guided_test(self, change: Callable[[GuidedTest], object]) -> None:
        change(self.guided_test)
        self._notify(Topic.GUIDED_TEST)
