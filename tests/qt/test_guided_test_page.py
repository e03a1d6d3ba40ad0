"""The Test page, driven by clicks and keys and fed with values made by hand."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QToolButton,
)

from app.qt.pages.guided_test.tally import PresentationList, TallyTable
from app.qt.pages.guided_test.test_page import TestPage
from app.reports.guided_test import ReportSummary
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.plans import PlannedRow, PlanProgress
from app.session.guided_test.presentation import Presentation, Tally
from app.types import BONA_FIDE, SPECIES, ScoredFrame, Verdict
from tests.qt.driving import click


def presented(number, species, verdict, score=None):
    return Presentation(number, species, (ScoredFrame(verdict, score=score),) * 30, 0.6)


GENUINE = presented(1, BONA_FIDE, Verdict.GENUINE, 0.731)
REFUSED = presented(2, BONA_FIDE, Verdict.ATTACK, 0.512)
PRINT = presented(3, "print", Verdict.ATTACK, 0.312)
MASK = presented(4, "silicone mask", Verdict.GENUINE, 0.655)
UNSEEN = presented(5, "phone", Verdict.NO_FACE)

TALLY = (
    Tally(BONA_FIDE, n_accepted=1, n_refused=1, n_unfamiliar=0, n_no_response=0),
    Tally("print", n_accepted=0, n_refused=1, n_unfamiliar=0, n_no_response=0),
    Tally("silicone mask", n_accepted=1, n_refused=0, n_unfamiliar=0, n_no_response=0),
    Tally("phone", n_accepted=0, n_refused=0, n_unfamiliar=0, n_no_response=1),
)
SESSION = GuidedTestState(presentations=(GENUINE, REFUSED, PRINT, MASK, UNSEEN), tally=TALLY)
REPORT = ReportSummary(
    figures=(("BPCER", "50 % (1.3 to 99 %, n = 2)"), ("EER", "12 %")),
    warnings=("Fewer than 10 presentations: the intervals are wide.",),
)


@pytest.fixture
def page(shown, controller):
    page = TestPage(controller)
    page.set_why_not("")
    shown(page, 460, 560)
    page.activateWindow()
    page.setFocus()
    return page


def choice(page, text):
    return next(each for each in page.findChildren(QToolButton) if each.text() == text)


def button(page, text):
    return next(each for each in page.findChildren(QPushButton) if each.text() == text)


def texts(page):
    return "\n".join(each.text() for each in page.findChildren(QLabel) if each.isVisible())


def settle():
    """Let layouts that wait for the event loop be done."""
    for _ in range(3):
        QApplication.processEvents()


def cell(page, row, column):
    return page.findChild(TallyTable).item(row, column).text()


def row(page, number):
    return page.findChild(PresentationList).item(number).text()


def test_that_button_and_keys_present_what_is_chosen(qtbot, page):
    assert len(page.findChildren(QToolButton)) == len(SPECIES) + 2
    asked = page._controller.guided_test.start
    for species, name in ((BONA_FIDE, "Genuine person"), ("phone", "Phone")):
        click(qtbot, choice(page, name))
        click(qtbot, button(page, f"Present: {name}"))
        asked.assert_called_with(species)
    asked.reset_mock()
    matt = choice(page, "Print (matt)")
    qtbot.keyClick(matt, Qt.Key.Key_Space)  # chooses it
    assert matt.isChecked()
    asked.assert_not_called()
    qtbot.keyClick(matt, Qt.Key.Key_P)
    asked.assert_called_once_with("print")


def test_that_a_name_of_ones_own_is_presented_or_told_why_not(qtbot, page):
    asked = page._controller.guided_test.start
    click(qtbot, choice(page, "Other..."))
    field = page._picker._field
    assert field.hasFocus()
    for typed, told in (("x" * 61, "61 characters"), ("Bona Fide", "not an attack"), ("   ", "")):
        field.setText(typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert not button(page, "Present").isEnabled()
        assert told in texts(page)
    field.clear()
    qtbot.keyClicks(field, "  paper   plane ")  # P is a shortcut, and Space presses buttons
    asked.assert_not_called()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    asked.assert_called_with("paper plane")
    page.show_guided_test(SESSION)
    assert page._picker._name.findText("silicone mask") >= 0  # was presented before
    field.setText("PRINT")
    click(qtbot, button(page, "Present: Print (matt)"))
    asked.assert_called_with("print")


def test_that_without_a_model_nothing_is_presented_and_the_way_out_is_shown(qtbot, page):
    page.set_why_not("Enrol a face and fit a model first.")
    qtbot.keyClick(page, Qt.Key.Key_P)
    click(qtbot, button(page, "Present: Genuine person"))
    assert "Enrol a face and fit a model first." in texts(page)
    page._controller.guided_test.start.assert_not_called()


def test_that_a_presentation_shows_its_progress_and_can_only_be_stopped(qtbot, page):
    stopped = page._controller.guided_test.stop
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    stopped.assert_not_called()
    click(qtbot, choice(page, "Phone"))
    button(page, "Present: Phone").setFocus()
    page.show_guided_test(
        GuidedTestState(presenting="phone", progress=0.4, hint="Hold the attack still.")
    )
    assert page._present.bar.value() == 40
    assert "Hold the attack still." in texts(page)
    assert choice(page, "Phone").isChecked()
    assert not choice(page, "Print (matt)").isEnabled()
    assert not button(page, "Present: Phone").isEnabled()
    assert button(page, "Stop").hasFocus()
    click(qtbot, button(page, "Stop"))
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert stopped.call_count == 2
    page.show_guided_test(GuidedTestState(hint="done"))
    assert button(page, "Present: Phone").hasFocus()


def test_that_the_shape_beside_the_outcome_means_right_or_wrong(page):
    for newest, shape in ((PRINT, "check"), (MASK, "cross"), (UNSEEN, "dash")):
        page.show_guided_test(GuidedTestState(presenting=newest.species))
        page.show_guided_test(GuidedTestState(hint="It was judged.", presentations=(newest,)))
        assert "It was judged." in texts(page)
        assert page._present.hint.mark.name == shape
        page.show_guided_test(GuidedTestState(hint="Too short.", presentations=(newest,)))
        assert page._present.hint.mark.name == ""


def test_that_rates_and_errors_are_shown_with_bounds_and_the_genuine_row_first(qtbot, page):
    page.show_guided_test(replace(SESSION, tally=(*TALLY[1:3], TALLY[0], TALLY[3])))
    assert cell(page, 0, 0) == "Genuine person\n2 times"
    assert cell(page, 0, 4) == "BPCER 50.0 %\n1.3 to 98.7 %"
    assert cell(page, 1, 4) == "APCER 0.0 %\n0.0 to 97.5 %"
    assert cell(page, 3, 4).endswith("no response")
    counts = [(cell(page, number, 1), cell(page, number, 2)) for number in range(3)]
    assert counts == [("1", "1\nerror"), ("0", "1"), ("1\nerror", "0")]
    zero_of_ten = Tally("print", n_accepted=0, n_refused=10, n_unfamiliar=0, n_no_response=0)
    page.show_guided_test(replace(SESSION, tally=(zero_of_ten,)))
    click(qtbot, choice(page, "Print (matt)"))
    assert "0 errors in 10 still allow an error rate of up to 30.8 %." in texts(page)
    click(qtbot, choice(page, "Phone"))
    assert "Phone: not presented yet." in texts(page)


def test_that_presentations_are_listed_newest_first_with_verdict_and_score(page):
    simulated = replace(PRINT, is_simulated=True)
    presentations = (GENUINE, REFUSED, simulated, MASK, UNSEEN)
    page.show_guided_test(replace(SESSION, presentations=presentations))
    assert row(page, 2).endswith("simulated")
    assert row(page, 0) == "No response: Phone, no face found\nNo. 5, no score, 0 frames"
    assert row(page, 1) == "Wrong: silicone mask was accepted\nNo. 4, score 0.655, 30 frames"
    assert row(page, 4) == "Right: Genuine person was accepted\nNo. 1, score 0.731, 30 frames"


def test_that_what_is_selected_stays_selected_and_is_removed_by_key_or_button(qtbot, page):
    removed = page._controller.guided_test.remove
    page.show_guided_test(replace(SESSION, presentations=SESSION.presentations[:4]))
    assert not button(page, "Remove selected").isEnabled()
    shown = page.findChild(PresentationList)
    shown.setCurrentIndex(shown.model().index(0, 0))
    page.show_guided_test(SESSION)
    assert [index.row() for index in shown.selectedIndexes()] == [1]
    shown.setFocus()
    qtbot.keyClick(shown, Qt.Key.Key_Delete)
    removed.assert_called_once_with(4)
    shown.selectAll()
    click(qtbot, button(page, "Remove selected"))
    assert [call.args[0] for call in removed.call_args_list[1:]] == [5, 4, 3, 2, 1]


def test_that_a_session_is_cleared_only_after_a_yes(qtbot, page):
    page.show_guided_test(SESSION)
    for n_cleared, answer in enumerate(("Keep", "Drop")):
        click(qtbot, button(page, "New session..."))
        box = page.findChildren(QMessageBox)[-1]
        assert "all 5 presentations" in box.text()
        click(qtbot, button(box, answer))
        assert page._controller.guided_test.clear.call_count == n_cleared


def test_that_the_demo_offers_its_whole_test_and_only_what_it_can_present(qtbot, page):
    auto = button(page, "Run the whole demo test")
    assert not auto.isVisible()
    click(qtbot, choice(page, "Other..."))
    page.set_simulated(True, ("print", "replay"))
    assert "Simulated" in texts(page)
    assert not choice(page, "Other...").isEnabled()
    assert not choice(page, "Phone").isEnabled()
    assert choice(page, "Print (matt)").isEnabled()
    assert choice(page, "Genuine person").isChecked()
    click(qtbot, auto)
    page._controller.guided_test.run_all.assert_called_once()
    page.set_simulated(False)
    assert choice(page, "Phone").isEnabled()


def test_that_figures_and_warnings_are_shown_until_they_are_old(qtbot, page):
    assert not button(page, "Save report...").isEnabled()
    page.show_guided_test(replace(SESSION, presentations=SESSION.presentations[:4]))
    assert button(page, "Save report...").isEnabled()
    page._report.show_report(REPORT)
    settle()
    for words in (*REPORT.figures[0], *REPORT.figures[1], *REPORT.warnings):
        assert words in texts(page)
    page.show_guided_test(SESSION)
    assert "Presentations changed since" in texts(page)
    click(qtbot, button(page, "Update"))
    page._controller.guided_test.build_report.assert_called_once()
    page._report.show_report(REPORT)
    assert "Presentations changed since" not in texts(page)
    page._report.show_report(None)
    assert "EER" not in texts(page)


def test_that_a_report_can_be_opened_only_after_it_was_saved(qtbot, page):
    page.show_guided_test(SESSION)
    page._report.show_report(REPORT)
    opener = button(page, "Open in browser")
    assert not opener.isEnabled()
    page._report.show_report(replace(REPORT, html="/tmp/report.html"))
    with qtbot.waitSignal(page.report_open_requested):
        click(qtbot, opener)


def test_that_the_page_never_needs_more_width_than_it_has(page):
    page.show_guided_test(SESSION)
    page._report.show_report(REPORT)
    area = page.findChild(QScrollArea)
    names = page.findChildren(QToolButton)
    for width in (460, 1100):
        page.resize(width, 560)
        settle()
        assert area.widget().minimumSizeHint().width() <= area.viewport().width(), width
        assert all(each.width() >= each.sizeHint().width() for each in names), width


def test_that_the_tab_key_reaches_the_rows_of_a_plan_before_what_is_below_it(page):
    rows = tuple(PlannedRow(species, 5, 0, 0, 0.5) for species in ("print", "phone"))
    page.show_guided_test(replace(SESSION, plan=PlanProgress("Own", "", rows)))
    choosers = page._plan.findChildren(QToolButton)
    expected = [page._plan.open_button, *choosers, page._present.present_button]
    chain, widget = [], page._plan.choice
    while widget not in chain:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    assert len(choosers) == 2
    assert [widget for widget in chain if widget in expected] == expected
