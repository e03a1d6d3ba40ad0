"""What is always in sight: the picture, the verdict, and notices."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QToolButton

from app.qt.pages.live import live_panel as module
from app.qt.pages.live.live_panel import MOST, LivePanel, Notices
from app.qt.state import Choice, Notice
from app.qt.widgets.texts import Mark
from app.types import Decision, Frame, Verdict
from tests.scored_frames import scored_frame


@pytest.fixture
def notices(qtbot):
    notices = Notices()
    qtbot.addWidget(notices)
    notices.resize(500, 200)
    return notices


def test_that_without_a_notice_it_takes_no_room(notices):
    assert notices.isHidden()
    notices.show_notice(Notice("Something happened."))
    assert not notices.isHidden()


def test_that_a_later_notice_of_a_topic_takes_the_place_of_the_earlier(notices):
    notices.show_notice(Notice("Busy.", "warning", "source"))
    notices.show_notice(Notice("Fitted.", topic="model"))
    notices.show_notice(Notice("Gone.", "error", "source"))
    assert notices.texts == ("Fitted.", "Gone.")


def test_that_an_empty_notice_takes_its_topic_away(notices):
    notices.show_notice(Notice("Busy.", "warning", "source"))
    notices.show_notice(Notice("", topic="source"))
    assert notices.texts == ()
    assert notices.isHidden()


def test_that_the_same_sentence_is_shown_once(notices):
    for topic in ("one", "two"):
        notices.show_notice(Notice("The disk is full.", "error", topic))
    assert notices.texts == ("The disk is full.",)


def test_that_the_oldest_goes_when_there_are_too_many(notices):
    for number in range(MOST + 1):
        notices.show_notice(Notice(f"Number {number}.", "warning"))
    assert notices.texts == tuple(f"Number {number}." for number in range(1, MOST + 1))


def test_that_a_click_puts_a_notice_away(notices, qtbot):
    notices.show_notice(Notice("One.", "warning"))
    notices.show_notice(Notice("Two.", "warning"))
    close = next(
        button
        for button in notices.findChildren(QToolButton)
        if button.accessibleName() == "Put away: One."
    )
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert notices.texts == ("Two.",)


def test_that_what_asks_for_nothing_goes_by_itself_and_what_matters_stays(qtbot, monkeypatch):
    monkeypatch.setattr(module, "READING_SECONDS", 0)
    notices = Notices()
    qtbot.addWidget(notices)
    notices.show_notice(Notice("The camera is busy.", "warning"))
    notices.show_notice(Notice("Exported."))
    assert len(notices.texts) == 2
    qtbot.waitUntil(lambda: notices.texts == ("The camera is busy.",))


def test_that_levels_differ_in_shape_and_not_only_in_colour(notices):
    for level in ("info", "warning"):
        notices.show_notice(Notice(f"Of level {level}.", level))
    info, warning = (line.findChild(Mark).name for line in notices._lines)
    assert info != warning


# ------------------------------------------------------------- questions

QUESTION = Notice(
    "Bring takes back?", "info", "recovery", (Choice("yes", "Yes"), Choice("no", "No"))
)


def answer(notices, text):
    return next(one for one in notices.findChildren(QPushButton) if one.text() == text)


def test_that_an_answer_is_told_with_its_topic_and_puts_the_question_away(notices, qtbot):
    notices.show_notice(QUESTION)
    with qtbot.waitSignal(notices.chosen) as told:
        qtbot.mouseClick(answer(notices, "No"), Qt.MouseButton.LeftButton)
    assert told.args == ["recovery", "no"]
    assert notices.texts == ()


def test_that_a_question_is_neither_read_away_nor_pushed_out(qtbot, monkeypatch):
    monkeypatch.setattr(module, "READING_SECONDS", 0)
    notices = Notices()
    qtbot.addWidget(notices)
    notices.show_notice(QUESTION)
    for number in range(MOST + 2):
        notices.show_notice(Notice(f"Number {number}.", "warning"))
    notices.show_notice(Notice("Exported."))
    qtbot.waitUntil(lambda: "Exported." not in notices.texts)
    assert notices.texts[0] == QUESTION.text


# ------------------------------------------------------------- the panel


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


def test_that_a_question_below_another_notice_has_room_for_its_answers(panel, qtbot):
    panel.notices.show_notice(Notice("The takes are back."))
    panel.notices.show_notice(QUESTION)
    button = answer(panel.notices, "Yes")
    qtbot.waitUntil(lambda: button.height() >= button.sizeHint().height())
    assert panel.notices.rect().contains(button.mapTo(panel.notices, button.rect().bottomRight()))
