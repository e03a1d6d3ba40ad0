"""What is always in sight."""

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from app.qt.views.live_panel import LivePanel
from app.shown import Decision, Notice, Scored
from app.types import Frame, Verdict


@pytest.fixture
def panel(qtbot):
    panel = LivePanel()
    qtbot.addWidget(panel)
    panel.resize(620, 640)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def test_that_a_verdict_reaches_the_banner_and_the_picture(panel):
    frame = Frame(np.full((480, 640, 3), 90, np.uint8))
    panel.preview.show_frame(frame)
    panel.show_scored(Scored(frame, Verdict.GENUINE, box=(200.0, 100.0, 200.0, 200.0)))
    before = panel.preview.grab().toImage()
    panel.show_decision(Decision(Verdict.ATTACK))
    assert panel.banner.verdict is Verdict.ATTACK
    assert panel.preview.grab().toImage() != before


def test_that_the_timeline_comes_later_and_leaves_the_picture_most_of_the_room(panel, qtbot):
    timeline = QWidget()
    with qtbot.waitSignal(panel.timeline_added):
        panel.add_timeline(timeline)
    assert timeline.isVisible()
    assert panel.preview.height() > timeline.height()


def test_that_notices_push_the_picture_down_and_cover_nothing(panel, qtbot):
    panel.notices.show_notice(Notice("The camera is busy: close other programs.", "warning"))
    qtbot.waitUntil(lambda: panel.notices.height() > 0 and panel.notices.isVisible())
    notice = panel.notices.mapTo(panel, panel.notices.rect().bottomLeft()).y()
    qtbot.waitUntil(lambda: panel.preview.mapTo(panel, panel.preview.rect().topLeft()).y() > notice)
