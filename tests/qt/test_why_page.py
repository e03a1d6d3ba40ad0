"""The Why page."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from app.qt.pages.why_page import PATIENCE, WhyPage
from app.types import Verdict
from tests.qt.charts.chart_values import VIEWS
from tests.qt.driving import click, named, texts_of
from tests.qt.model_values import USUAL_TERMS, decision, model_summary, scored, unscored

MOUTH = 9
LOW_MOUTH = tuple(
    (*row[:MOUTH], value, *row[MOUTH + 1 :])
    for row, value in zip(USUAL_TERMS, (0.001, 0.001, 0.0), strict=True)
)


@pytest.fixture
def page(shown, controller):
    return shown(WhyPage(controller), 460, 560)


@pytest.fixture
def ready(page):
    page.show_model(model_summary())
    return page


def show(page, frame):
    page.show_scored(frame)
    page.refresh()


def text(page):
    return " ".join(texts_of(page.score))


def test_that_without_a_model_or_a_face_the_page_says_what_to_do(qtbot, page):
    assert page.empty.isVisible()
    assert page.empty.heading.text() == "No model yet"
    with qtbot.waitSignal(page.enrol_requested):
        click(qtbot, named(page, "Enrol a face"))
    page.show_model(model_summary())
    show(page, unscored(1, reason="No face is in view."))
    assert page.empty.lines.text() == "No face is in view."
    assert not page.hold.isEnabled()


def test_that_a_score_is_shown_as_the_sum_of_its_terms_with_memberships_and_verdict(page):
    page.show_model(model_summary(typical_terms=()))
    show(page, scored(1))
    assert "exact sum" in text(page)
    assert "enrolled frames" not in text(page)  # no usual terms are known
    page.show_model(model_summary())
    page.show_decision(decision(Verdict.ATTACK, 0.55))
    show(page, scored(4))
    assert not page.empty.isVisible()
    assert "0.800 is the exact sum of 36 terms: 12 views in 3 clusters." in text(page)
    assert "Verdict over 15 frames: attack (mean score 0.550)." in text(page)
    assert "62 % to cluster 1, 31 % to cluster 2, 7 % to cluster 3" in text(page)
    show(page, scored(4, score=0.7))
    assert "not the score" in text(page)


def test_that_the_region_and_view_furthest_below_usual_are_named(ready):
    usual = sum(row[MOUTH] for row in USUAL_TERMS)
    show(ready, scored(4, terms=LOW_MOUTH, score=0.5, verdict=Verdict.ATTACK))
    assert "The mouth differs most from the enrolment." in text(ready)
    view = "mouth, middle layer (EfficientNet-Lite0 block7)"
    assert f"{view}, with 0.002 instead of {usual:.3f}." in text(ready)
    show(ready, scored(4, terms=LOW_MOUTH, score=0.8))
    assert "least so in the mouth." in text(ready)


def test_that_a_score_at_the_threshold_is_accepted_and_differences_are_named(ready):
    for score, word in ((0.8, "Accepted"), (0.6935, "Accepted"), (0.69, "Refused")):
        show(ready, scored(4, score=score, verdict=Verdict.ATTACK))
        assert word in text(ready), score
    differences = {"verdict": Verdict.UNFAMILIAR, "differences": ("it is darker",)}
    show(ready, scored(4, score=0.5, **differences))
    assert "unfamiliar conditions" in text(ready)
    assert "Compared with window 1: it is darker." in text(ready)


def test_that_the_key_h_holds_the_newest_frame_and_resumes(qtbot, ready):
    show(ready, scored(0))
    ready.show_scored(scored(1, terms=LOW_MOUTH))
    qtbot.keyClick(ready, Qt.Key.Key_H)
    assert ready.is_held
    assert f"{VIEWS[MOUTH]},mouth,EfficientNet-Lite0,block7,1,0.001," in ready.chart.to_csv()
    ready.show_scored(scored(2))
    ready.show_decision(decision(Verdict.ATTACK))
    ready.refresh()
    assert "Held: frame 1" in text(ready)
    assert "attack" not in text(ready)
    show(ready, unscored(3, time=60.0))
    assert ready.score.isVisible()
    qtbot.keyClick(ready, Qt.Key.Key_H)
    show(ready, scored(4))
    assert "Live: frame 4" in text(ready)


def test_that_the_score_is_hidden_only_after_a_while_without_a_score(ready):
    ready.show_scored(scored(1, time=1.0))
    show(ready, unscored(2, time=1.0 + 0.5 * PATIENCE))
    assert ready.score.isVisible()
    show(ready, unscored(3, time=1.1 + PATIENCE))
    assert not ready.score.isVisible()
    assert ready.empty.isVisible()


def test_that_another_model_clears_the_score(ready):
    show(ready, scored(1))
    ready.hold.setChecked(True)
    ready.show_model(model_summary())
    assert not ready.is_held
    assert not ready.score.isVisible()
    assert ready.empty.heading.text() == "Waiting for a frame"


def test_that_the_page_does_not_scroll_sideways(ready):
    show(ready, scored(2, score=0.5, differences=("it is much darker than before",) * 5))
    assert ready.findChild(QScrollArea).horizontalScrollBar().maximum() == 0
