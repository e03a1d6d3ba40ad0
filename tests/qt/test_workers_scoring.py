"""Scoring: the newest frame goes through, and whatever goes wrong is a sentence."""

import numpy as np
import pytest

from app.capture.capture import LatestFrame
from app.qt.workers.scoring import ScoringWorker
from app.types import Frame
from lmkl_core.errors import InvalidInputError


class Told:
    """A worker on this thread, and what it has said."""

    def __init__(self, observe=None):
        self.mailbox = LatestFrame()
        self.worker = ScoringWorker(self.mailbox, observe)
        self.said = []
        for name in ("prepared", "unprepared", "observed", "failed", "working"):
            signal = getattr(self.worker, name)
            signal.connect(lambda *values, name=name: self.said.append((name, *values)))

    def of(self, name):
        return [entry[1] for entry in self.said if entry[0] == name]

    def offer(self, number):
        self.mailbox.put(Frame(np.full((480, 640, 3), 90, np.uint8), number, number / 30))
        self.worker.on_frame_ready()


@pytest.fixture
def told(qapp):
    """Return a function that makes a worker ready to score."""

    def make(observe=None):
        told = Told(observe)
        told.worker.prepare("tiny", "auto")
        return told

    return make


def number_of(_pipeline, _model, frame):
    return frame.number


def test_that_before_the_networks_are_ready_nothing_is_scored(qapp):
    told = Told(number_of)
    told.offer(0)
    assert told.of("observed") == []


def test_that_the_frame_that_waited_is_scored_as_soon_as_the_networks_are_ready(qapp):
    told = Told(number_of)
    told.offer(4)
    told.worker.prepare("tiny", "auto")
    qapp.processEvents()
    assert told.of("observed") == [4]


def test_that_preparing_tells_its_end_and_the_fingerprint_of_the_views(told):
    ready = told()
    assert ready.of("prepared")[0]["preset"]["name"] == "tiny"
    assert ready.of("working")[0].text.startswith("Preparing the networks")
    assert ready.of("working")[-1].text == ""


def test_that_unknown_views_are_told_and_nothing_is_prepared(qapp):
    told = Told()
    told.worker.prepare("no-such-preset", "auto")
    assert "no-such-preset" in told.of("unprepared")[0]
    assert told.of("prepared") == []
    assert told.of("working")[-1].text == ""


def test_that_only_the_newest_frame_is_scored(told):
    ready = told(number_of)
    ready.mailbox.put(Frame(np.zeros((4, 4, 3), np.uint8), 0))
    ready.offer(1)
    ready.worker.on_frame_ready()  # a call too many finds nothing
    assert ready.of("observed") == [1]


def test_that_the_same_failure_is_told_once_and_another_one_again(told, expect_log):
    expect_log("A frame could not be scored")

    def fail(_pipeline, _model, frame):
        raise InvalidInputError("First." if frame.number < 2 else "Second.")

    ready = told(fail)
    for number in range(4):
        ready.offer(number)
    assert ready.of("failed") == ["First.", "Second."]


def test_that_another_stream_tells_its_failures_anew(told, expect_log):
    expect_log("A frame could not be scored")

    def fail(*_):
        raise InvalidInputError("First.")

    ready = told(fail)
    ready.offer(0)
    ready.worker.begin_stream()
    ready.offer(1)
    assert ready.of("failed") == ["First.", "First."]


def test_that_the_model_is_used_from_the_next_frame_on_and_goes_with_its_views(told):
    used = []
    ready = told(lambda _pipeline, model, _frame: used.append(model))
    ready.offer(0)
    ready.worker.set_model("a model")
    ready.offer(1)
    ready.worker.prepare("tiny", "mtcnn")  # the same views: another detector only
    ready.offer(2)
    ready.worker._features = {"of": "other views"}
    ready.worker.prepare("tiny", "auto")
    ready.offer(3)
    assert used == [None, "a model", "a model", None]


def test_that_after_a_stop_nothing_is_scored_and_the_networks_are_let_go(told):
    ready = told(number_of)
    ready.worker.ask_to_stop()
    ready.offer(0)
    assert ready.of("observed") == []
    ready.worker.finish()
    assert ready.worker._pipeline is None
