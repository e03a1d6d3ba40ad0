"""The live panel: picture, verdict and notices."""

import numpy as np
import pytest
from PySide6.QtWidgets import QToolButton

from app.qt.pages.live import live_panel as module
from app.qt.pages.live.live_panel import MAX_NOTICES, LivePanel, Notices
from app.qt.state import Choice, Notice
from app.types import Decision, Frame, Verdict
from tests.qt.driving import click, named
from tests.scored_frames import scored_frame

QUESTION = Notice("Restore takes?", "info", "recovery", (Choice("yes", "Yes"), Choice("no", "No")))


@pytest.fixture
def notices(shown, monkeypatch):
    monkeypatch.setattr(module, "READING_SECONDS", 0)
    return shown(Notices(), 500, 200)


def test_that_a_notice_replaces_those_with_its_topic_or_text(notices):
    for notice, texts in (
        (Notice("Busy.", "warning", "source"), ("Busy.",)),
        (Notice("Fitted.", "warning", "model"), ("Busy.", "Fitted.")),
        (Notice("Gone.", "error", "source"), ("Fitted.", "Gone.")),
        (Notice("Gone.", "error", "other"), ("Fitted.", "Gone.")),
        (Notice("", topic="model"), ("Gone.",)),
        (Notice("", topic="other"), ()),
    ):
        notices.show_notice(notice)
        assert notices.texts == texts
        assert notices.isVisible() == bool(texts)


def test_that_a_notice_can_be_dismissed(notices, qtbot):
    for text in ("First.", "Second."):
        notices.show_notice(Notice(text, "warning"))
    click(qtbot, notices.findChild(QToolButton))
    assert notices.texts == ("Second.",)


def test_that_only_information_disappears_by_itself_and_questions_stay_until_answered(
    notices, qtbot
):
    notices.show_notice(QUESTION)
    for number in range(MAX_NOTICES + 2):
        notices.show_notice(Notice(f"Number {number}.", "warning"))
    notices.show_notice(Notice("Exported."))
    assert "Exported." in notices.texts
    qtbot.waitUntil(lambda: "Exported." not in notices.texts)
    assert notices.texts[0] == QUESTION.text
    assert f"Number {MAX_NOTICES + 1}." in notices.texts
    with qtbot.waitSignal(notices.chosen) as chosen:
        click(qtbot, named(notices, "No"))
    assert chosen.args == ["recovery", "no"]
    assert QUESTION.text not in notices.texts


@pytest.fixture
def panel(shown, controller):
    return shown(LivePanel(controller), 620, 640)


def test_that_a_verdict_reaches_the_banner_and_the_picture(panel):
    frame = Frame(np.full((480, 640, 3), 90, np.uint8))
    panel.preview.show_frame(frame)
    panel.show_scored(scored_frame(frame, Verdict.GENUINE, box=(200.0, 100.0, 200.0, 200.0)))
    before = panel.preview.grab().toImage()
    panel.show_decision(Decision(Verdict.ATTACK))
    assert panel.banner.verdict is Verdict.ATTACK
    assert panel.preview.grab().toImage() != before
    assert panel.preview.height() > panel.timeline.height() > 0


def test_that_notices_overlay_the_bottom_of_the_picture_without_resizing_it(panel, qtbot):
    before = panel.preview.size()
    panel.notices.show_notice(Notice("The camera is busy: close other programs.", "warning"))
    qtbot.waitUntil(lambda: panel.notices.isVisible() and panel.notices.height() > 10)
    stage = panel.preview.parentWidget()
    assert panel.preview.size() == before
    assert stage.rect().contains(panel.notices.geometry())
    assert panel.notices.geometry().top() > stage.height() // 2
