"""The page that explains a score, driven as the camera and a person would."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea

from app.qt.pages.why_page import PATIENCE, WhyPage
from app.types import Verdict
from tests.qt.model_values import (
    VIEWS,
    decision,
    model_summary,
    scored,
    unscored,
    usual_terms,
    with_term,
)

LOW_MOUTH = with_term(with_term(with_term(usual_terms(), 0, 9, 0.001), 1, 9, 0.001), 2, 9, 0.0)


@pytest.fixture
def page(qtbot, controller):
    page = WhyPage(controller)
    qtbot.addWidget(page)
    page.resize(460, 560)
    page.show()
    qtbot.waitExposed(page)
    return page


@pytest.fixture
def ready(page):
    page.show_model(model_summary())
    return page


def show(page, frame):
    page.show_scored(frame)
    page.refresh()


def sentences(page):
    return [label.text() for label in page.score.findChildren(QLabel) if label.text()]


def words(page):
    return " ".join(sentences(page))


def test_that_without_a_model_the_page_offers_enrolment(qtbot, page):
    assert page.empty.isVisible()
    assert page.empty.heading.text() == "No model yet"
    (enrol,) = [each for each in page.findChildren(QPushButton) if each.text() == "Enrol a face"]
    with qtbot.waitSignal(page.enrol_requested):
        qtbot.mouseClick(enrol, Qt.MouseButton.LeftButton)


def test_that_a_frame_without_a_face_is_named_with_its_reason(ready):
    show(ready, unscored(1, reason="No face is in view."))
    assert ready.empty.heading.text() == "Nothing to explain: no face"
    assert ready.empty.lines.text() == "No face is in view."
    assert not ready.hold.isEnabled()


def test_that_a_score_is_said_to_be_the_exact_sum_of_its_terms(ready):
    show(ready, scored(4))
    assert not ready.empty.isVisible()
    assert "0.800 is the exact sum of 36 terms: 12 views in 3 clusters." in sentences(ready)
    assert "No view contributes less" in words(ready)


def test_that_a_sum_that_is_not_the_score_is_not_called_exact(ready):
    show(ready, scored(4, score=0.7))
    assert "exact" not in words(ready)
    assert "not the score" in words(ready)


def test_that_the_lowest_view_is_named_with_what_is_usual(ready):
    assert VIEWS[9] == "mouth/efficientnet-lite0.block7"
    usual = sum(row[9] for row in usual_terms())
    show(ready, scored(4, terms=LOW_MOUTH))
    view = "mouth, middle layer (EfficientNet-Lite0 block7)"
    assert f"{view}, with 0.002 instead of {usual:.3f}." in words(ready)


@pytest.mark.parametrize(
    ("score", "word"), [(0.8, "Accepted"), (0.6935, "Accepted"), (0.69, "Refused")]
)
def test_that_a_score_at_the_threshold_is_accepted(ready, score, word):
    show(ready, scored(4, score=score, verdict=Verdict.ATTACK))
    assert word in words(ready)


def test_that_a_refusal_in_unfamiliar_light_says_what_differs(ready):
    frame = scored(4, score=0.5, verdict=Verdict.UNFAMILIAR, differences=("it is darker",))
    show(ready, frame)
    assert "in unfamiliar light" in words(ready)
    assert "Differs from the enrolment: it is darker." in words(ready)


def test_that_the_memberships_are_shown_as_words_too(ready):
    show(ready, scored(4))
    bar = ready.score.memberships
    assert bar.accessibleDescription() == (
        "Belongs 62 % to cluster 1, 31 % to cluster 2, 7 % to cluster 3"
    )


def test_that_the_verdict_over_the_window_stands_below(ready):
    ready.show_scored(scored(4))
    ready.show_decision(decision(Verdict.ATTACK, 0.55))
    ready.refresh()
    assert "Verdict over 15 frames: attack (mean score 0.550)." in sentences(ready)


def test_that_the_newest_of_many_frames_is_shown_after_a_while(qtbot, ready):
    show(ready, scored(1))
    for number in range(2, 40):
        ready.show_scored(scored(number))
    assert "frame 1" in words(ready)
    qtbot.waitUntil(lambda: "frame 39" in words(ready))


def test_that_a_hidden_page_does_nothing_and_catches_up_when_shown(ready):
    show(ready, scored(1))
    ready.show_decision(decision())
    assert ready._throttle.isActive()
    ready.hide()
    ready.show_scored(scored(2))
    assert not ready._throttle.isActive()
    assert "frame 1" in words(ready)
    ready.show()
    assert "frame 2" in words(ready)


def test_that_the_key_h_holds_the_frame_and_lets_it_go_again(qtbot, ready):
    show(ready, scored(1))
    ready.activateWindow()
    qtbot.keyClick(ready, Qt.Key.Key_H)
    assert ready.is_held
    assert ready.chart.is_held
    ready.show_scored(scored(2))
    ready.show_decision(decision(Verdict.ATTACK))
    ready.refresh()
    assert "Held: frame 1" in sentences(ready)
    assert "attack" not in words(ready)
    qtbot.keyClick(ready, Qt.Key.Key_H)
    show(ready, scored(3))
    assert not ready.chart.is_held
    assert "Live: frame 3" in sentences(ready)


def test_that_holding_takes_the_newest_frame_into_words_and_chart(qtbot, ready):
    show(ready, scored(1))
    ready.show_scored(scored(2, terms=LOW_MOUTH))
    qtbot.mouseClick(ready.hold, Qt.MouseButton.LeftButton)
    assert ready.hold.text() == "Go on"
    assert "Held: frame 2" in sentences(ready)
    assert f"{VIEWS[9]},mouth,EfficientNet-Lite0,block7,1,0.001," in ready.chart.to_csv()


def test_that_one_bad_frame_does_not_put_the_score_away(ready):
    ready.show_scored(scored(1, time=1.0))
    show(ready, unscored(2, time=1.0 + 0.5 * PATIENCE))
    assert ready.score.isVisible()
    show(ready, unscored(3, time=1.1 + PATIENCE))
    assert not ready.score.isVisible()
    assert ready.empty.isVisible()


def test_that_a_held_score_stays_when_the_face_is_gone(ready):
    show(ready, scored(1, time=1.0))
    ready.hold.setChecked(True)
    show(ready, unscored(2, time=60.0))
    assert ready.score.isVisible()


def test_that_another_model_forgets_the_score_of_the_one_before(ready):
    show(ready, scored(1))
    ready.hold.setChecked(True)
    ready.show_model(model_summary())
    assert not ready.is_held
    assert not ready.score.isVisible()
    assert ready.empty.heading.text() == "Waiting for a frame"
    ready.show_model(None)
    assert ready.empty.heading.text() == "No model yet"


def test_that_scores_without_enrolled_terms_are_explained_all_the_same(page):
    page.show_model(model_summary(typical_terms=()))
    show(page, scored(1))
    assert "exact sum" in words(page)
    assert "enrolled frames" not in words(page)


def test_that_the_chart_is_whole_and_nothing_scrolls_sideways(qtbot, ready):
    show(ready, scored(1, terms=LOW_MOUTH))
    (inner,) = ready.chart.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: inner.viewport().height() >= inner.widget().minimumHeight())
    (outer,) = [each for each in ready.findChildren(QScrollArea) if each is not inner]
    assert outer.horizontalScrollBar().maximum() == 0


def test_that_the_region_that_falls_short_is_named_plainly_before_the_figures(ready):
    show(ready, scored(4, terms=LOW_MOUTH, score=0.5, verdict=Verdict.ATTACK))
    plain = sentences(ready).index("Mostly the mouth looks unlike the enrolment.")
    assert "Furthest below the enrolled frames" in sentences(ready)[plain + 1]


def test_that_an_accepted_frame_is_not_called_unlike_the_enrolment(ready):
    show(ready, scored(4, terms=LOW_MOUTH, score=0.8))
    assert "Like the enrolment on the whole, least so the mouth." in sentences(ready)


def test_that_nothing_below_the_words_moves_when_they_get_shorter(ready):
    show(ready, scored(1, score=0.5, differences=("it is much darker than before",) * 4))
    QApplication.processEvents()
    show(ready, scored(2, score=0.5, differences=("it is much darker than before",) * 5))
    QApplication.processEvents()
    before = ready.chart.mapTo(ready, ready.chart.rect().topLeft())
    show(ready, scored(3, score=0.8))
    QApplication.processEvents()
    assert ready.chart.mapTo(ready, ready.chart.rect().topLeft()) == before
