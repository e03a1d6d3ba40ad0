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
        for name in ("prepared", "notice", "observed", "working"):
            signal = getattr(self.worker, name)
            signal.connect(lambda *values, name=name: self.said.append((name, *values)))

    def of(self, name):
        return [entry[1] for entry in self.said if entry[0] == name]

    @property
    def errors(self):
        return [notice.text for notice in self.of("notice") if notice.level == "error"]

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


def test_that_the_newest_frame_is_scored_from_when_networks_are_ready_until_the_stop(qapp):
    told = Told(number_of)
    told.offer(4)
    assert told.of("observed") == []
    told.worker.prepare("tiny", "auto")
    assert told.of("prepared")[0]["preset"]["name"] == "tiny"
    assert told.of("working")[0].text.startswith("Preparing the networks")
    assert told.of("working")[-1].text == ""
    qapp.processEvents()
    assert told.of("observed") == [4]
    told.mailbox.put(Frame(np.zeros((4, 4, 3), np.uint8), 5))
    told.offer(6)
    told.worker.on_frame_ready()  # a call too many finds nothing
    assert told.of("observed") == [4, 6]
    told.worker.ask_to_stop()
    told.offer(7)
    assert told.of("observed") == [4, 6]
    told.worker.finish()
    assert told.worker._pipeline is None


def test_that_the_same_failure_is_told_once_in_a_stream_and_another_one_again(told, expect_log):
    expect_log("A frame could not be scored")

    def fail(_pipeline, _model, frame):
        raise InvalidInputError("First." if frame.number < 2 else "Second.")

    ready = told(fail)
    for number in range(4):
        ready.offer(number)
    assert ready.errors == ["First.", "Second."]
    ready.worker.begin_stream()
    ready.offer(5)
    assert ready.errors == ["First.", "Second.", "Second."]


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
