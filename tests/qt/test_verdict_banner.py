"""The verdict: at once in words, colour and shape; figures at a rate that can be read."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.qt.pages.live.verdict_banner import VerdictBanner
from app.qt.widgets.texts import Mark
from app.types import Decision, Verdict
from tests.qt.driving import apply_theme

GENUINE = Decision(Verdict.GENUINE, "It reaches the threshold.", "The rule.", 0.4123, 0.3, 15)


@pytest.fixture
def banner(shown):
    apply_theme("light")
    banner = VerdictBanner()
    return shown(banner, 600, banner.sizeHint().height())


def icon_of(banner):
    return banner.findChild(Mark).grab().toImage()


def test_that_every_verdict_has_its_own_words_and_shapes_tell_acceptance_in_either_theme(banner):
    told, shapes = set(), []
    for verdict in Verdict:
        banner.show_decision(Decision(verdict))
        assert banner.verdict is verdict
        told.add(banner.text)
    assert len(told) == len(Verdict)
    for verdict in (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR, Verdict.NO_FACE):
        banner.show_decision(Decision(verdict))
        shapes.append(icon_of(banner))
    apply_theme("dark")
    shapes.append(icon_of(banner))
    apply_theme("light")
    assert all(one != other for i, one in enumerate(shapes) for other in shapes[:i])
    assert icon_of(banner) == shapes[3]


def test_that_another_verdict_is_shown_at_once(banner):
    banner.show_decision(GENUINE)
    assert "0.412 ≥ 0.300" in banner.text
    assert banner.accessibleName() == f"Verdict: {banner.text}"
    banner.show_decision(Decision(Verdict.ATTACK, score=0.1, threshold=0.3))
    assert "0.100 < 0.300" in banner.text


def test_that_figures_alone_wait_for_their_turn_and_rest_while_hidden(banner, qtbot):
    banner.show_decision(GENUINE)
    banner.show_decision(replace(GENUINE, score=0.5))
    assert "0.412" in banner.text
    qtbot.waitUntil(lambda: "0.500" in banner.text)
    banner.show_decision(replace(GENUINE, score=0.6))
    assert banner._throttle.isActive()
    banner.hide()
    assert not banner._throttle.isActive()
    banner.show()
    assert "0.600" in banner.text


def test_that_unfamiliar_conditions_offer_a_take_and_nobody_enrolled_to_enrol(banner, qtbot):
    decision = Decision(Verdict.UNFAMILIAR, differences=("it is darker",))
    assert not banner._add.isVisible()
    banner.show_decision(decision)
    with qtbot.waitSignal(banner.take_requested) as asked:
        qtbot.mouseClick(banner._add, Qt.MouseButton.LeftButton)
    assert asked.args == [decision]
    banner.show_decision(Decision(Verdict.NO_MODEL))
    assert not banner._add.isVisible()
    with qtbot.waitSignal(banner.enrol_button.clicked):
        qtbot.mouseClick(banner.enrol_button, Qt.MouseButton.LeftButton)
