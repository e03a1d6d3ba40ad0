"""What is always in sight."""

import numpy as np
import pytest

from app.qt.pages.live.live_panel import LivePanel
from app.qt.state import Notice
from app.types import Decision, Frame, Verdict
from tests.scored_frames import scored_frame


@pytest.fixture
def panel(qtbot, controller):
    panel = LivePanel(controller)
    qtbot.addWidget(panel)
    panel.resize(620, 640)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def test_that_a_verdict_reaches_the_banner_and_the_picture(panel):
    frame = Frame(np.full((480, 640, 3), 90, np.uint8))
    panel.preview.show_frame(frame)
    panel.show_scored(scored_frame(frame, Verdict.GENUINE, box=(200.0, 100.0, 200.0, 200.0)))
    before = panel.preview.grab().toImage()
    panel.show_decision(Decision(Verdict.ATTACK))
    assert panel.banner.verdict is Verdict.ATTACK
    assert panel.preview.grab().toImage() != before


def test_that_the_timeline_leaves_the_picture_most_of_the_room(panel):
    assert panel.timeline.isVisible()
    assert panel.preview.height() > panel.timeline.height()


def test_that_notices_lie_over_the_foot_of_the_picture_and_do_not_resize_it(panel, qtbot):
    before = panel.preview.size()
    panel.notices.show_notice(Notice("The camera is busy: close other programs.", "warning"))
    qtbot.waitUntil(lambda: panel.notices.isVisible() and panel.notices.height() > 10)
    stage = panel.preview.parentWidget()
    assert panel.preview.size() == before
    assert stage.rect().contains(panel.notices.geometry())
    assert panel.notices.geometry().top() > stage.height() // 2
