"""The scoring worker takes the newest frame, and errors become notices."""

import numpy as np
import pytest

from app.capture.capture import LatestFrame
from app.qt.workers.scoring import ScoringWorker
from app.types import Frame
from lmkl_core.errors import InvalidInputError
from tests.qt.driving import recorded

pytestmark = pytest.mark.usefixtures("qapp")


class Bench:
    """A worker on this thread, and what it has emitted."""

    def __init__(self, observe):
        self.mailbox = LatestFrame()
        self.worker = ScoringWorker(self.mailbox, observe)
        self.observed, self.working = recorded(self.worker.observed), recorded(self.worker.working)
        self.prepared, self.notices = recorded(self.worker.prepared), recorded(self.worker.notice)

    @property
    def errors(self):
        return [notice.text for notice in self.notices if notice.level == "error"]

    def prepare(self, detector="auto"):
        self.worker.prepare("tiny", detector)
        return self

    def offer(self, number):
        self.mailbox.put(Frame(np.full((480, 640, 3), 90, np.uint8), number, number / 30))
        self.worker.on_frame_ready()


def test_that_the_newest_frame_is_scored_from_the_preparation_to_the_stop(qapp):
    bench = Bench(lambda _pipeline, _model, frame: frame.number)
    bench.offer(4)
    assert bench.observed == []
    bench.prepare()
    assert bench.prepared[0]["preset"]["name"] == "tiny"
    assert bench.working[0].text.startswith("Preparing the networks")
    assert bench.working[-1].text == ""
    qapp.processEvents()
    assert bench.observed == [4]
    bench.mailbox.put(Frame(np.zeros((4, 4, 3), np.uint8), 5))
    bench.offer(6)
    bench.worker.on_frame_ready()  # the mailbox is empty
    assert bench.observed == [4, 6]
    bench.worker.ask_to_stop()
    bench.offer(7)
    assert bench.observed == [4, 6]
    bench.worker.finish()
    assert bench.worker._pipeline is None


def test_that_an_error_is_shown_once_per_stream_and_another_one_again(expect_log):
    expect_log("A frame could not be scored")

    def fail(_pipeline, _model, frame):
        raise InvalidInputError("First." if frame.number < 2 else "Second.")

    bench = Bench(fail).prepare()
    for number in range(4):
        bench.offer(number)
    assert bench.errors == ["First.", "Second."]
    bench.worker.begin_stream()
    bench.offer(5)
    assert bench.errors == ["First.", "Second.", "Second."]


def test_that_a_model_is_used_from_the_next_frame_until_the_views_change():
    used = []
    bench = Bench(lambda _pipeline, model, _frame: used.append(model)).prepare()
    bench.offer(0)
    bench.worker.set_model("a model")
    bench.offer(1)
    bench.prepare("mtcnn")  # the same views, another detector
    bench.offer(2)
    bench.worker._features = {"of": "other views"}
    bench.prepare()
    bench.offer(3)
    assert used == [None, "a model", "a model", None]
