"""The foot of the window: figures, and long work."""

import pytest
from PySide6.QtCore import Qt

from app.qt.pages.live.bars import StatusLine
from app.qt.state import Working
from app.types import Throughput


@pytest.fixture
def line(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    with qtbot.waitExposed(line):
        line.show()
    return line


def test_that_figures_name_source_rates_latency_and_skipped_frames(line):
    line.show_throughput("Webcam", Throughput(30.2, 24.6, 0.0312, 7))
    for part in ("Webcam", "camera 30 /s", "judged 25 /s", "latency 31 ms", "skipped 7"):
        assert part in line.text


def test_that_before_anything_is_judged_no_rate_is_claimed(line):
    line.show_throughput("Webcam", Throughput(30.0))
    assert "judged" not in line.text
    assert "latency" not in line.text


def test_that_work_shows_what_and_how_far_and_goes_at_its_end(line):
    assert not line._bar.isVisible()
    line.show_working(Working("Preparing the networks", 3, 12))
    assert "Preparing the networks" in line.text
    assert (line._bar.isVisible(), line._bar.value(), line._bar.maximum()) == (True, 3, 12)
    line.show_working(Working())
    assert not line._bar.isVisible()
    assert not line._cancel.isVisible()


def test_that_work_of_unknown_length_runs_to_and_fro(line):
    line.show_working(Working("Fitting on 36 frames"))
    assert (line._bar.minimum(), line._bar.maximum()) == (0, 0)


def test_that_only_what_can_be_cancelled_offers_it(line, qtbot):
    line.show_working(Working("Exporting the model", can_cancel=False))
    assert not line._cancel.isVisible()
    line.show_working(Working("Fitting on 36 frames"))
    with qtbot.waitSignal(line.cancel_requested):
        qtbot.mouseClick(line._cancel, Qt.MouseButton.LeftButton)
