"""The verdict banner."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from app.qt.pages.live.verdict_banner import VerdictBanner
from app.qt.widgets.texts import Mark
from app.session.takes import EnrolmentState
from app.types import Decision, Verdict
from tests.qt.driving import apply_theme, click

GENUINE = Decision(Verdict.GENUINE, "It reaches the threshold.", "The rule.", 0.4123, 0.3, 15)


@pytest.fixture
def banner(shown):
    banner = VerdictBanner()
    return shown(banner, 600, banner.sizeHint().height())


def icon_of(banner):
    return banner.findChild(Mark).grab().toImage()


def test_that_every_verdict_has_its_own_text_and_the_main_ones_their_own_icon(banner):
    texts, icons = set(), []
    for verdict in Verdict:
        banner.show_decision(Decision(verdict))
        assert banner.verdict is verdict
        texts.add(banner.text)
        if verdict in (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR, Verdict.NO_FACE):
            icons.append(icon_of(banner))
    assert len(texts) == len(Verdict)
    apply_theme("dark")
    icons.append(icon_of(banner))
    assert all(icon not in icons[:i] for i, icon in enumerate(icons))


def test_that_a_verdict_is_shown_at_once_and_new_figures_later_and_not_while_hidden(banner, qtbot):
    banner.show_decision(Decision(Verdict.ATTACK, score=0.1, threshold=0.3))
    assert "0.100 < 0.300" in banner.text
    banner.show_decision(GENUINE)
    banner.show_decision(replace(GENUINE, score=0.5))
    assert "0.412 ≥ 0.300" in banner.text
    assert banner.accessibleName() == f"Verdict: {banner.text}"
    qtbot.waitUntil(lambda: "0.500" in banner.text)
    banner.show_decision(replace(GENUINE, score=0.6))
    banner.hide()
    assert not banner._throttle.isActive()
    banner.show()
    assert "0.600" in banner.text


def test_that_unfamiliar_conditions_offer_a_take_and_a_missing_model_enrolment(banner, qtbot):
    decision = Decision(Verdict.UNFAMILIAR, differences=("it is darker",))
    assert not banner._add.isVisible()
    banner.show_decision(decision)
    with qtbot.waitSignal(banner.take_requested) as asked:
        click(qtbot, banner._add)
    assert asked.args == [decision]
    banner.show_decision(Decision(Verdict.NO_MODEL))
    assert not banner._add.isVisible()
    with qtbot.waitSignal(banner.enrol_button.clicked):
        click(qtbot, banner.enrol_button)


def test_that_a_button_has_its_final_place_when_it_appears(banner):
    banner.show_decision(Decision(Verdict.NO_MODEL))
    banner.show_enrolment(EnrolmentState(collecting="lamp"))
    QApplication.processEvents()
    banner.show_enrolment(EnrolmentState(can_fit=True))
    before = banner.fit_button.geometry()
    QApplication.processEvents()
    assert banner.fit_button.geometry() == before
