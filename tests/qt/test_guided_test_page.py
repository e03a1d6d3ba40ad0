"""The Test page, driven by clicks and keys and fed with values made by hand."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QScrollArea,
)

from app.qt.pages.guided_test.species import ChoiceButton
from app.qt.pages.guided_test.tally import PresentationList, TallyTable
from app.qt.pages.guided_test.test_page import TestPage
from app.reports.guided_test import ReportSummary
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.presentation import Presentation, Tally
from app.types import BONA_FIDE, SPECIES, ScoredFrame, Verdict

NAMES = {BONA_FIDE: "Genuine person", "print": "Print (matt)", "phone": "Phone"}


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
def page(qtbot, controller):
    page = TestPage(controller)
    qtbot.addWidget(page)
    page.set_why_not("")
    page.resize(460, 560)
    page.show()
    qtbot.waitExposed(page)
    page.activateWindow()
    page.setFocus()
    return page


def choice(page, text):
    return next(each for each in page.findChildren(ChoiceButton) if each.text() == text)


def button(page, text):
    return next(each for each in page.findChildren(QPushButton) if each.text() == text)


def texts(page):
    return "\n".join(each.text() for each in page.findChildren(QLabel) if each.isVisible())


def settle():
    """Let layouts that wait for the event loop be done."""
    for _ in range(3):
        QApplication.processEvents()


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def cell(page, row, column):
    model = page.findChild(TallyTable).model()
    return model.data(model.index(row, column))


def row(page, number):
    model = page.findChild(PresentationList).model()
    return model.data(model.index(number, 0))


# ---------------------------------------------------------------- choosing and presenting


@pytest.mark.parametrize("species", [BONA_FIDE, "phone"])
def test_that_present_asks_for_what_is_chosen(qtbot, page, species):
    click(qtbot, choice(page, NAMES[species]))
    click(qtbot, button(page, f"Present: {NAMES[species]}"))
    page._controller.guided_test.start.assert_called_once_with(species)


def test_that_every_species_has_a_button_with_a_name_and_a_tooltip(page):
    buttons = page.findChildren(ChoiceButton)
    assert len(buttons) == len(SPECIES) + 2
    assert all(each.accessibleName() and each.toolTip() for each in buttons)


@pytest.mark.parametrize("key", [Qt.Key.Key_P, Qt.Key.Key_Space])
def test_that_a_key_presents_what_is_chosen_from_its_button(qtbot, page, key):
    click(qtbot, choice(page, "Print (matt)"))
    qtbot.keyClick(choice(page, "Print (matt)"), key)
    page._controller.guided_test.start.assert_called_once_with("print")


def test_that_space_on_another_species_chooses_it_and_presents_nothing(qtbot, page):
    asked = page._controller.guided_test.start
    qtbot.keyClick(choice(page, "Phone"), Qt.Key.Key_Space)
    assert choice(page, "Phone").isChecked()
    assert asked.call_count == 0


def test_that_a_name_of_ones_own_is_stripped_and_presented_with_enter(qtbot, page):
    click(qtbot, choice(page, "Other..."))
    field = page.findChild(QLineEdit)
    assert field.isVisible()
    qtbot.keyClicks(field, "  latex   mask ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    page._controller.guided_test.start.assert_called_with("latex mask")


@pytest.mark.parametrize(
    ("typed", "told"),
    [("x" * 61, "61 characters"), ("Bona Fide", "not an attack"), ("   ", "")],
)
def test_that_a_name_that_cannot_be_used_is_told_and_not_presented(qtbot, page, typed, told):
    asked = page._controller.guided_test.start
    click(qtbot, choice(page, "Other..."))
    page.findChild(QLineEdit).setText(typed)
    qtbot.keyClick(page.findChild(QLineEdit), Qt.Key.Key_Return)
    assert not button(page, "Present").isEnabled()
    assert told in texts(page)
    assert asked.call_count == 0


def test_that_a_typed_name_of_the_list_is_that_species(qtbot, page):
    click(qtbot, choice(page, "Other..."))
    page.findChild(QLineEdit).setText("PRINT")
    click(qtbot, button(page, "Present: Print (matt)"))
    page._controller.guided_test.start.assert_called_once_with("print")


def test_that_typing_the_letter_of_the_shortcut_presents_nothing(qtbot, page):
    asked = page._controller.guided_test.start
    click(qtbot, choice(page, "Other..."))
    qtbot.keyClicks(page.findChild(QLineEdit), "paper plane")
    assert page.findChild(QLineEdit).text() == "paper plane"
    assert asked.call_count == 0


def test_that_a_name_of_ones_own_gets_a_button_once_it_was_presented(page):
    page.show_guided_test(SESSION)
    assert choice(page, "silicone mask").isVisible()
    page.show_guided_test(replace(SESSION, tally=TALLY[:2]))
    assert "silicone mask" not in [
        each.text() for each in page.findChildren(ChoiceButton) if each.isVisible()
    ]


def test_that_without_a_model_nothing_is_presented_and_the_way_out_is_shown(qtbot, page):
    asked = page._controller.guided_test.start
    page.set_why_not("Enrol a face and fit a model first.")
    qtbot.keyClick(page, Qt.Key.Key_P)
    click(qtbot, button(page, "Present: Genuine person"))
    assert "Enrol a face and fit a model first." in texts(page)
    assert asked.call_count == 0


# ---------------------------------------------------------------- while presenting


def test_that_a_presentation_shows_its_progress_and_can_only_be_stopped(qtbot, page):
    page.show_guided_test(
        GuidedTestState(presenting="phone", progress=0.4, hint="Hold the attack still.")
    )
    assert page._present.bar.value() == 400
    assert "Hold the attack still." in texts(page)
    assert choice(page, "Phone").isChecked()
    assert not choice(page, "Print (matt)").isEnabled()
    assert not button(page, "Present: Phone").isEnabled()
    click(qtbot, button(page, "Stop"))
    page._controller.guided_test.stop.assert_called_once()


def test_that_escape_stops_only_what_is_under_way(qtbot, page):
    stopped = page._controller.guided_test.stop
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert stopped.call_count == 0
    page.show_guided_test(GuidedTestState(presenting="phone"))
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert stopped.call_count == 1


def test_that_the_focus_goes_from_present_to_stop_and_back(qtbot, page):
    button(page, "Present: Genuine person").setFocus()
    page.show_guided_test(GuidedTestState(presenting=BONA_FIDE))
    assert button(page, "Stop").hasFocus()
    page.show_guided_test(GuidedTestState(hint="done"))
    assert button(page, "Present: Genuine person").hasFocus()


@pytest.mark.parametrize(("newest", "shape"), [(PRINT, "check"), (MASK, "cross"), (UNSEEN, "dash")])
def test_that_the_shape_beside_the_outcome_means_right_or_wrong(page, newest, shape):
    page.show_guided_test(GuidedTestState(presenting=newest.species))
    page.show_guided_test(GuidedTestState(hint="It was judged.", presentations=(newest,)))
    assert "It was judged." in texts(page)
    assert page._present.hint.mark.name == shape


def test_that_the_outcome_goes_when_something_else_is_said(page):
    page.show_guided_test(GuidedTestState(hint="It was judged.", presentations=(PRINT,)))
    page.show_guided_test(GuidedTestState(hint="Too short.", presentations=(PRINT,)))
    assert page._present.hint.mark.name == ""


# ---------------------------------------------------------------- tally and list


def test_that_rates_are_shown_with_name_and_interval_and_the_genuine_row_first(page):
    page.show_guided_test(replace(SESSION, tally=(*TALLY[1:3], TALLY[0], TALLY[3])))
    assert cell(page, 0, 0) == "Genuine 2 times"
    assert cell(page, 0, 4) == "BPCER 50.0\N{NO-BREAK SPACE}% 1.3 to 98.7\N{NO-BREAK SPACE}%"
    assert cell(page, 1, 4) == "APCER 0.0\N{NO-BREAK SPACE}% 0.0 to 97.5\N{NO-BREAK SPACE}%"
    assert cell(page, 3, 4).endswith("no response")


def test_that_errors_are_marked_by_a_word_on_the_side_where_they_are_errors(page):
    page.show_guided_test(SESSION)
    assert (cell(page, 0, 1), cell(page, 0, 2)) == ("1", "1 error")
    assert (cell(page, 1, 1), cell(page, 1, 2)) == ("0", "1")
    assert (cell(page, 2, 1), cell(page, 2, 2)) == ("1 error", "0")


def test_that_the_bound_of_the_chosen_species_is_told(qtbot, page):
    zero_of_ten = Tally("print", n_accepted=0, n_refused=10, n_unfamiliar=0, n_no_response=0)
    page.show_guided_test(replace(SESSION, tally=(zero_of_ten,)))
    click(qtbot, choice(page, "Print (matt)"))
    told = (
        "Print (matt): 0 errors in 10 still allow an error rate of up to 30.8\N{NO-BREAK SPACE}%."
    )
    assert told in texts(page)
    click(qtbot, choice(page, "Phone"))
    assert "Phone: not presented yet." in texts(page)


def test_that_presentations_are_listed_newest_first_with_verdict_and_score(page):
    simulated = replace(PRINT, is_simulated=True)
    presentations = (GENUINE, REFUSED, simulated, MASK, UNSEEN)
    page.show_guided_test(replace(SESSION, presentations=presentations))
    assert row(page, 2).endswith("simulated")
    assert row(page, 0) == "No response: the phone, no face found. No. 5, no score, 0 frames"
    assert row(page, 1) == "Wrong: “silicone mask” was accepted. No. 4, score 0.655, 30 frames"
    assert row(page, 4) == "Right: the genuine person was accepted. No. 1, score 0.731, 30 frames"


def test_that_delete_asks_to_remove_what_is_selected(qtbot, page):
    page.show_guided_test(SESSION)
    shown = page.findChild(PresentationList)
    shown.setCurrentIndex(shown.model().index(1, 0))
    shown.setFocus()
    qtbot.keyClick(shown, Qt.Key.Key_Delete)
    page._controller.guided_test.remove.assert_called_once_with(4)


def test_that_the_remove_button_waits_for_a_selection(qtbot, page):
    page.show_guided_test(SESSION)
    remove = button(page, "Remove selected")
    assert not remove.isEnabled()
    page.findChild(PresentationList).selectAll()
    removed = page._controller.guided_test.remove
    click(qtbot, remove)
    assert [call.args[0] for call in removed.call_args_list] == [5, 4, 3, 2, 1]


def test_that_a_selection_stays_when_another_presentation_is_added(page):
    page.show_guided_test(replace(SESSION, presentations=SESSION.presentations[:4]))
    shown = page.findChild(PresentationList)
    shown.setCurrentIndex(shown.model().index(0, 0))
    page.show_guided_test(SESSION)
    assert [index.row() for index in shown.selectedIndexes()] == [1]


def test_that_frames_of_a_presentation_leave_tally_and_list_alone(page):
    page.show_guided_test(SESSION)
    touched = [
        QSignalSpy(signal)
        for view in (page.findChild(TallyTable), page.findChild(PresentationList))
        for signal in (view.model().modelReset, view.model().dataChanged)
    ]
    page.show_guided_test(replace(SESSION, presenting="print", progress=0.1))
    page.show_guided_test(replace(SESSION, presenting="print", progress=0.2))
    assert [spy.count() for spy in touched] == [0, 0, 0, 0]


def test_that_a_new_count_touches_only_its_row(page):
    page.show_guided_test(SESSION)
    changed = QSignalSpy(page.findChild(TallyTable).model().dataChanged)
    newer = replace(TALLY[1], n_refused=2)
    page.show_guided_test(replace(SESSION, tally=(TALLY[0], newer, *TALLY[2:])))
    assert {changed.at(number)[0].row() for number in range(changed.count())} == {1}


@pytest.mark.parametrize(("answer", "n_cleared"), [("Drop", 1), ("Keep", 0)])
def test_that_a_session_is_cleared_only_after_a_yes(qtbot, page, answer, n_cleared):
    page.show_guided_test(SESSION)
    cleared = page._controller.guided_test.clear
    click(qtbot, button(page, "New session..."))
    box = page.findChild(QMessageBox)
    assert "all 5 presentations" in box.text()
    click(qtbot, button(box, answer))
    assert cleared.call_count == n_cleared


# ---------------------------------------------------------------- the demo


def test_that_the_whole_demo_test_is_offered_only_on_the_demo(qtbot, page):
    auto = button(page, "Run the whole demo test")
    assert not auto.isVisible()
    page.set_simulated(True)
    assert "Simulated" in texts(page)
    click(qtbot, auto)
    page._controller.guided_test.run_all.assert_called_once()


def test_that_the_demo_is_not_asked_for_what_it_cannot_present(qtbot, page):
    click(qtbot, choice(page, "Other..."))
    page.set_simulated(True, ("print", "replay"))
    assert not choice(page, "Other...").isEnabled()
    assert not choice(page, "Phone").isEnabled()
    assert choice(page, "Print (matt)").isEnabled()
    assert choice(page, "Genuine person").isChecked()
    page.set_simulated(False)
    assert choice(page, "Phone").isEnabled()


# ---------------------------------------------------------------- the report


def test_that_there_is_no_report_of_nothing_and_the_reason_is_shown(page):
    assert not button(page, "Save report...").isEnabled()
    assert "There is nothing to report yet" in texts(page)
    page.show_guided_test(SESSION)
    assert button(page, "Save report...").isEnabled()
    assert "There is nothing to report yet" not in texts(page)


def test_that_figures_and_warnings_are_shown_as_they_are(page):
    page.show_guided_test(SESSION)
    page._report.show_report(REPORT)
    settle()
    for words in (*REPORT.figures[0], *REPORT.figures[1], *REPORT.warnings):
        assert words in texts(page).replace("\xa0", " ")
    page._report.show_report(None)
    assert "EER" not in texts(page)
    assert button(page, "Show figures").isVisible()


def test_that_an_older_report_says_so_and_can_be_updated(qtbot, page):
    page.show_guided_test(replace(SESSION, presentations=SESSION.presentations[:4]))
    page._report.show_report(REPORT)
    page.show_guided_test(SESSION)
    assert "Presentations changed since" in texts(page)
    click(qtbot, button(page, "Update"))
    page._controller.guided_test.build_report.assert_called_once()
    page._report.show_report(REPORT)
    assert "Presentations changed since" not in texts(page)


def test_that_a_report_can_be_opened_only_after_it_was_saved(qtbot, page):
    page.show_guided_test(SESSION)
    page._report.show_report(REPORT)
    opener = button(page, "Open in browser")
    assert not opener.isEnabled()
    with qtbot.waitSignal(page.report_save_requested):
        click(qtbot, button(page, "Save report..."))
    page._report.show_report(replace(REPORT, html="/tmp/report.html"))
    assert "Saved as /tmp/report.html" in texts(page)
    with qtbot.waitSignal(page.report_open_requested):
        click(qtbot, opener)


# ---------------------------------------------------------------- room


@pytest.mark.parametrize("width", [460, 620, 1100, 1920])
def test_that_the_page_never_needs_more_width_than_it_has(page, width):
    page.show_guided_test(SESSION)
    page._report.show_report(REPORT)
    page.resize(width, 560)
    settle()
    area = page.findChild(QScrollArea)
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    names = [each for each in page.findChildren(ChoiceButton) if each.text() != "silicone mask"]
    assert all(each.width() >= each.sizeHint().width() for each in names)


def test_that_a_wide_page_has_the_tally_beside_the_steps(page):
    page.resize(1200, 700)
    settle()
    assert page._tally.x() > page._present.x()
    page.resize(460, 700)
    settle()
    assert page._tally.x() == page._present.x()
