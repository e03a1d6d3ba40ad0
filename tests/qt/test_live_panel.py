"""What is always in sight: the picture, the verdict, and notices."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QToolButton

from app.qt.pages.live import live_panel as module
from app.qt.pages.live.live_panel import MOST, LivePanel, Notices
from app.qt.state import Choice, Notice
from app.types import Decision, Frame, Verdict
from tests.scored_frames import scored_frame


@pytest.fixture
def notices(qtbot):
    notices = Notices()
    qtbot.addWidget(notices)
    notices.resize(500, 200)
    return notices


def test_that_a_topic_has_its_last_notice_a_sentence_is_shown_once_and_none_takes_no_room(notices):
    assert notices.isHidden()
    for notice, texts in (
        (Notice("Busy.", "warning", "source"), ("Busy.",)),
        (Notice("Fitted.", topic="model"), ("Busy.", "Fitted.")),
        (Notice("Gone.", "error", "source"), ("Fitted.", "Gone.")),
        (Notice("Gone.", "error", "other"), ("Fitted.", "Gone.")),
        (Notice("", topic="model"), ("Gone.",)),
    ):
        notices.show_notice(notice)
        assert notices.texts == texts
        assert not notices.isHidden()
    for topic in ("other", "source"):
        notices.show_notice(Notice("", topic=topic))
    assert notices.texts == ()
    assert notices.isHidden()


def test_that_a_click_puts_a_notice_away(notices, qtbot):
    for text in ("One.", "Two."):
        notices.show_notice(Notice(text, "warning"))
    qtbot.mouseClick(notices.findChild(QToolButton), Qt.MouseButton.LeftButton)
    assert notices.texts == ("Two.",)


QUESTION = Notice(
    "Bring takes back?", "info", "recovery", (Choice("yes", "Yes"), Choice("no", "No"))
)


def answer(notices, text):
    return next(one for one in notices.findChildren(QPushButton) if one.text() == text)


def test_that_only_what_asks_for_nothing_goes_by_itself_and_a_question_with_its_answer(
    qtbot, monkeypatch
):
    monkeypatch.setattr(module, "READING_SECONDS", 0)
    notices = Notices()
    qtbot.addWidget(notices)
    notices.show_notice(QUESTION)
    for number in range(MOST + 2):
        notices.show_notice(Notice(f"Number {number}.", "warning"))
    notices.show_notice(Notice("Exported."))
    assert "Exported." in notices.texts
    qtbot.waitUntil(lambda: "Exported." not in notices.texts)
    assert notices.texts[0] == QUESTION.text
    assert f"Number {MOST + 1}." in notices.texts
    with qtbot.waitSignal(notices.chosen) as told:
        qtbot.mouseClick(answer(notices, "No"), Qt.MouseButton.LeftButton)
    assert told.args == ["recovery", "no"]
    assert QUESTION.text not in notices.texts


@pytest.fixture
def panel(shown, controller):
    return shown(LivePanel(controller), 620, 640)


def test_that_a_verdict_reaches_the_banner_and_the_picture_which_has_most_of_the_room(panel):
    frame = Frame(np.full((480, 640, 3), 90, np.uint8))
    panel.preview.show_frame(frame)
    panel.show_scored(scored_frame(frame, Verdict.GENUINE, box=(200.0, 100.0, 200.0, 200.0)))
    before = panel.preview.grab().toImage()
    panel.show_decision(Decision(Verdict.ATTACK))
    assert panel.banner.verdict is Verdict.ATTACK
    assert panel.preview.grab().toImage() != before
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
