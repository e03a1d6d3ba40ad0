"""The Test page."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QToolButton

from app.qt.pages.guided_test.tally import PresentationList, TallyTable
from app.qt.pages.guided_test.test_page import TestPage
from app.reports.guided_test import ReportSummary
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.plans import PlannedRow, PlanProgress
from app.session.guided_test.presentation import Presentation, Tally
from app.types import BONA_FIDE, SPECIES, ScoredFrame, Verdict
from tests.qt.driving import click, in_focus_order, named


def presentation(number, species, verdict, score=None):
    return Presentation(number, species, (ScoredFrame(verdict, score=score),) * 30, 0.6)


def tally(species, n_accepted, n_refused, n_no_response=0):
    return Tally(species, n_accepted, n_refused, n_unfamiliar=0, n_no_response=n_no_response)


GENUINE = presentation(1, BONA_FIDE, Verdict.GENUINE, 0.731)
REFUSED = presentation(2, BONA_FIDE, Verdict.ATTACK, 0.512)
PRINT = presentation(3, "print", Verdict.ATTACK, 0.312)
MASK = presentation(4, "silicone mask", Verdict.GENUINE, 0.655)
NO_FACE = presentation(5, "phone", Verdict.NO_FACE)
SESSION = GuidedTestState(
    presentations=(GENUINE, REFUSED, PRINT, MASK, NO_FACE),
    tally=(
        tally("print", 0, 1),
        tally("silicone mask", 1, 0),
        tally(BONA_FIDE, 1, 1),
        tally("phone", 0, 0, 1),
    ),
)
BEFORE_LAST = replace(SESSION, presentations=SESSION.presentations[:4])
REPORT = ReportSummary(
    figures=(("BPCER", "50 % (1.3 to 99 %, n = 2)"), ("EER", "12 %")),
    warnings=("Fewer than 10 presentations: the intervals are wide.",),
)


@pytest.fixture
def page(shown, controller):
    page = TestPage(controller)
    page.set_why_not("")
    shown(page, 460, 560)
    page.setFocus()
    return page


def choice(page, text):
    return named(page, text, QToolButton)


def visible_text(page):
    labels = page.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def lay_out():
    for _ in range(3):
        QApplication.processEvents()


def test_that_button_and_shortcut_present_the_chosen_species(qtbot, page):
    assert len(page.findChildren(QToolButton)) == len(SPECIES) + 2
    start = page._controller.guided_test.start
    for species, name in ((BONA_FIDE, "Genuine person"), ("phone", "Phone")):
        click(qtbot, choice(page, name))
        click(qtbot, named(page, f"Present: {name}"))
        start.assert_called_with(species)
    start.reset_mock()
    matt = choice(page, "Print (matt)")
    qtbot.keyClick(matt, Qt.Key.Key_Space)
    assert matt.isChecked()
    start.assert_not_called()
    qtbot.keyClick(matt, Qt.Key.Key_P)
    start.assert_called_once_with("print")


def test_that_a_typed_name_is_presented_or_refused_with_a_reason(qtbot, page):
    start = page._controller.guided_test.start
    click(qtbot, choice(page, "Other…"))
    field = page._picker._field
    assert field.hasFocus()
    for typed, reason in (("x" * 61, "61 characters"), ("Bona Fide", "not an attack"), (" ", "")):
        field.setText(typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert not named(page, "Present").isEnabled()
        assert reason in visible_text(page)
    field.clear()
    qtbot.keyClicks(field, "  paper   plane ")  # P is a shortcut, and Space presses buttons
    start.assert_not_called()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    start.assert_called_with("paper plane")
    page.show_guided_test(SESSION)
    assert page._picker._name.findText("silicone mask") >= 0
    field.setText("PRINT")
    click(qtbot, named(page, "Present: Print (matt)"))
    start.assert_called_with("print")


def test_that_without_a_model_nothing_can_be_presented_and_the_page_says_why(qtbot, page):
    page.set_why_not("Enrol a face and fit a model first.")
    qtbot.keyClick(page, Qt.Key.Key_P)
    click(qtbot, named(page, "Present: Genuine person"))
    assert "Enrol a face and fit a model first." in visible_text(page)
    page._controller.guided_test.start.assert_not_called()


def test_that_a_presentation_shows_its_progress_and_can_only_be_stopped(qtbot, page):
    stop = page._controller.guided_test.stop
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    stop.assert_not_called()
    click(qtbot, choice(page, "Phone"))
    named(page, "Present: Phone").setFocus()
    page.show_guided_test(
        GuidedTestState(presenting="phone", progress=0.4, hint="Hold the attack still.")
    )
    assert page._present.bar.value() == 40
    assert "Hold the attack still." in visible_text(page)
    assert choice(page, "Phone").isChecked()
    assert not choice(page, "Print (matt)").isEnabled()
    assert not named(page, "Present: Phone").isEnabled()
    assert named(page, "Stop").hasFocus()
    click(qtbot, named(page, "Stop"))
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert stop.call_count == 2
    page.show_guided_test(GuidedTestState(hint="done"))
    assert named(page, "Present: Phone").hasFocus()


def test_that_the_icon_beside_the_outcome_shows_whether_it_is_right(page):
    for newest, shape in ((PRINT, "check"), (MASK, "cross"), (NO_FACE, "dash")):
        page.show_guided_test(GuidedTestState(presenting=newest.species))
        page.show_guided_test(GuidedTestState(hint="It was judged.", presentations=(newest,)))
        assert "It was judged." in visible_text(page)
        assert page._present.hint.mark.name == shape
        page.show_guided_test(GuidedTestState(hint="Too short.", presentations=(newest,)))
        assert page._present.hint.mark.name == ""


def test_that_the_tally_shows_errors_and_rates_with_bounds_and_genuine_people_first(qtbot, page):
    page.show_guided_test(SESSION)
    table = page.findChild(TallyTable)
    columns = [[table.item(row, column).text() for row in range(4)] for column in range(5)]
    assert columns[0][0] == "Genuine person\n2 times"
    assert columns[1] == ["1", "0", "1\nerror", "0"]
    assert columns[2] == ["1\nerror", "1", "0", "0"]
    assert columns[4][:2] == ["BPCER 50.0 %\n1.3 to 98.7 %", "APCER 0.0 %\n0.0 to 97.5 %"]
    assert columns[4][3].endswith("no response")
    assert not table.isColumnHidden(3)
    page.show_guided_test(replace(SESSION, tally=(tally("print", 0, 10),)))
    click(qtbot, choice(page, "Print (matt)"))
    assert table.isColumnHidden(3)  # nothing was left without a response
    assert "0 errors in 10 still allow an error rate of up to 30.8 %." in visible_text(page)
    click(qtbot, choice(page, "Phone"))
    assert "Phone: not presented yet." in visible_text(page)


def test_that_presentations_are_listed_newest_first_with_verdict_and_score(page):
    simulated = replace(PRINT, is_simulated=True)
    page.show_guided_test(replace(SESSION, presentations=(GENUINE, simulated, MASK, NO_FACE)))
    presentations = page.findChild(PresentationList)
    assert [presentations.item(row).text() for row in range(4)] == [
        "No response: Phone, no face found\nNo. 5, no score, 0 frames",
        "Wrong: silicone mask was accepted\nNo. 4, score 0.655, 30 frames",
        "Right: Print (matt) was refused\nNo. 3, score 0.312, 30 frames, simulated",
        "Right: Genuine person was accepted\nNo. 1, score 0.731, 30 frames",
    ]


def test_that_presentations_stay_selected_and_are_removed_by_key_or_button(qtbot, page):
    remove = page._controller.guided_test.remove
    page.show_guided_test(BEFORE_LAST)
    assert not named(page, "Delete selected").isEnabled()
    presentations = page.findChild(PresentationList)
    presentations.setCurrentRow(0)
    page.show_guided_test(SESSION)
    presentations.setFocus()
    qtbot.keyClick(presentations, Qt.Key.Key_Delete)
    remove.assert_called_once_with(4)
    presentations.selectAll()
    click(qtbot, named(page, "Delete selected"))
    assert [call.args[0] for call in remove.call_args_list[1:]] == [5, 4, 3, 2, 1]


def test_that_the_demo_offers_its_whole_test_and_only_its_own_species(qtbot, page):
    run_all = named(page, "Run the whole demo test")
    assert not run_all.isVisible()
    click(qtbot, choice(page, "Other…"))
    page.set_simulated(True, ("print", "replay"))
    for name, is_enabled in (("Other…", False), ("Phone", False), ("Print (matt)", True)):
        assert choice(page, name).isEnabled() == is_enabled, name
    assert choice(page, "Genuine person").isChecked()
    click(qtbot, run_all)
    page._controller.guided_test.run_all.assert_called_once()
    page.set_simulated(False)
    assert choice(page, "Phone").isEnabled()


def test_that_figures_are_shown_until_presentations_change_and_a_saved_report_opens(qtbot, page):
    assert not named(page, "Save report…").isEnabled()
    page.show_guided_test(BEFORE_LAST)
    assert named(page, "Save report…").isEnabled()
    page._report.show_report(REPORT)
    lay_out()
    for text in (*REPORT.figures[0], *REPORT.figures[1], *REPORT.warnings):
        assert text in visible_text(page)
    page.show_guided_test(SESSION)
    assert "update the figures" in visible_text(page)
    click(qtbot, named(page, "Update"))
    page._controller.guided_test.build_report.assert_called_once()
    page._report.show_report(REPORT)
    assert not page._report.make_button.isVisible()
    open_button = named(page, "Open in browser")
    assert not open_button.isEnabled()
    page._report.show_report(replace(REPORT, html="/tmp/report.html"))
    with qtbot.waitSignal(page.report_open_requested):
        click(qtbot, open_button)
    page._report.show_report(None)
    assert "EER" not in visible_text(page)


def test_that_nothing_is_wider_than_the_page(page):
    page.show_guided_test(SESSION)
    page._report.show_report(REPORT)
    area, buttons = page.findChild(QScrollArea), page.findChildren(QToolButton)
    for width in (460, 1100):
        page.resize(width, 560)
        lay_out()
        assert area.widget().minimumSizeHint().width() <= area.viewport().width(), width
        assert all(button.width() >= button.sizeHint().width() for button in buttons), width


def test_that_the_tab_key_reaches_the_rows_of_a_plan_before_what_is_below(page):
    rows = tuple(PlannedRow(species, 5, 0, 0, 0.5) for species in ("print", "phone"))
    page.show_guided_test(replace(SESSION, plan=PlanProgress("Own", "", rows)))
    choosers = page._plan.findChildren(QToolButton)
    assert len(choosers) == 2
    order = [page._plan.open_button, *choosers, page._present.present_button]
    assert in_focus_order(order) == order
