"""The Enrol page."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QScrollArea, QWidget

from app.qt.pages.enrol.enrol_page import EnrolPage
from app.session.takes import CoverageItem, EnrolmentState, TakeSummary
from app.types import Sample
from tests.qt.driving import click, in_focus_order, wheel_over

COVERAGE = (
    CoverageItem("Frames", 1.0),
    CoverageItem("Lights", 0.5, "Record a take in another light, such as a lamp."),
)
READY = {"can_fit": True, "can_undo": True}


def enrolment(sizes, **more):
    """Return an enrolment of takes with these numbers of frames."""
    names = [name for name, size in sizes.items() for _ in range(size)]
    values = {
        "takes": tuple(TakeSummary(name, size, 1) for name, size in sizes.items()),
        "samples": tuple(Sample(number, name, {}, None, None) for number, name in enumerate(names)),
        "coverage": COVERAGE,
        "suggested_name": "lamp light",
    }
    return EnrolmentState(**(values | more))


def recording(n, **more):
    """Return an enrolment that is recording the take "lamp" of 36 frames."""
    return enrolment({"lamp": n}, collecting="lamp", n_wanted=36, n_collected=n, **more)


@pytest.fixture
def page(shown, controller):
    page = shown(EnrolPage(controller), 460, 560)
    page.show_enrolment(EnrolmentState(suggested_name="window light", why_not="Record a take."))
    return page


def test_that_the_steps_are_replaced_by_cards_once_something_is_recorded(page):
    cards = (page.takes, page.coverage, page.gallery)
    assert page.guidance.isVisible()
    assert not any(card.isVisible() for card in cards)
    page.show_enrolment(enrolment({"lamp": 6}))
    assert not page.guidance.isVisible()
    assert all(card.isVisible() for card in cards)


def test_that_a_take_gets_the_typed_name_or_the_suggested_one(page, qtbot):
    start, field = page._controller.enrol.start, page.record.name.lineEdit()
    assert field.placeholderText() == "window light"
    click(qtbot, page.record.button)
    start.assert_called_once_with("")
    qtbot.keyClicks(field, " lamp ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    start.assert_called_with("lamp")
    page.show_enrolment(recording(1))
    page.show_enrolment(enrolment({"lamp": 36}))
    assert page.record.name.currentText() == ""


def test_that_the_person_is_emitted_while_typing(page, qtbot):
    emitted = []
    page.record.person_changed.connect(emitted.append)
    page.record.person_changed.connect(
        lambda person: page.show_enrolment(enrolment({"lamp": 3}, person=person))
    )
    qtbot.keyClicks(page.record.person, "An n ")
    assert emitted == ["A", "An", "An n"]
    assert page.record.person.text() == "An n "


def test_that_people_are_suggested_and_takes_are_counted_by_person(page):
    takes = (TakeSummary("a", 36, person="Ben"), TakeSummary("b", 36, person="Ann"))
    page.show_enrolment(EnrolmentState(takes=takes, suggested_name="lamp light", person="Ben"))
    assert page.record.person.completer().model().stringList() == ["Ann", "Ben"]
    assert page.record.note.text().startswith("1 of 2 recommended takes. Next: lamp light")
    page.show_enrolment(recording(1, person="Ann"))
    assert not page.record.person.isEnabled()
    page.show_enrolment(enrolment({"lamp": 36}, person="Ann"))
    assert page.record.person.isEnabled()
    assert page.record.person.text() == "Ann"


def test_that_a_recording_shows_its_progress_and_outcome_and_can_be_stopped(page, qtbot):
    ring, note = page.record.ring, page.record.note
    page.show_enrolment(recording(14, hint="Nod a little."))
    assert ring.count == "14 / 36"
    assert page.record.hint.text() == "Nod a little."
    click(qtbot, page.record.button)
    page._controller.enrol.stop.assert_called_once()
    page._controller.enrol.start.assert_not_called()
    page.show_enrolment(enrolment({"lamp": 36}))
    assert note.text().startswith("“lamp” has 36 frames. 1 of 2 ")
    assert (ring.count, ring.is_complete, ring.share) == ("36", True, 1.0)
    page.show_enrolment(EnrolmentState())
    assert "lamp" not in note.text()
    assert ring.share == 0.0
    page.show_enrolment(EnrolmentState(collecting="lamp", n_wanted=36))
    page.show_enrolment(EnrolmentState())
    assert note.text().startswith("No frame was kept")


def test_that_fit_and_undo_are_enabled_if_possible(page, qtbot):
    bar = page.fit_bar
    assert not bar.undo_button.isEnabled()
    assert not bar.fit_button.isEnabled()
    assert bar.status.text() == bar.fit_button.toolTip() == "Record a take."
    page.show_enrolment(enrolment({"lamp": 36}, **READY))
    assert bar.fit_button.width() >= bar.fit_button.sizeHint().width()  # before any event
    click(qtbot, bar.fit_button)
    page._controller.model.fit.assert_called_once()
    click(qtbot, bar.undo_button)
    page._controller.enrol.undo.assert_called_once()
    for is_fitting in (True, False):
        page.set_fitting(is_fitting)
        assert bar.fit_button.isEnabled() is not is_fitting
        assert page.takes.clear_button.isEnabled() is not is_fitting
    for n_new, kind in ((0, ""), (1, "primary")):
        page.show_enrolment(enrolment({"lamp": 36}, **READY), n_new)
        assert bar.fit_button.text() == "Fit again"
        assert bar.fit_button.property("class") == kind


def test_that_takes_cannot_be_changed_during_a_recording(page):
    page.show_enrolment(enrolment({"window": 36}, **READY))
    page.takes.table.topLevelItem(0).setSelected(True)
    page.gallery.view.selectAll()
    assert page.takes.remove_button.isEnabled()
    page.show_enrolment(
        enrolment({"window": 36, "lamp": 1}, collecting="lamp", n_wanted=36, **READY)
    )
    takes, gallery, bar = page.takes, page.gallery, page.fit_bar
    buttons = (takes.remove_button, takes.rename_button, takes.clear_button)
    for button in (*buttons, gallery.remove_button, bar.undo_button, bar.fit_button):
        assert not button.isEnabled(), button.text()


def test_that_takes_are_cleared_only_after_confirmation(page, qtbot):
    page.show_enrolment(enrolment({"lamp": 36}))
    roles = QMessageBox.ButtonRole
    for n_cleared, role in enumerate((roles.RejectRole, roles.DestructiveRole)):
        click(qtbot, page.takes.clear_button)
        box = page.findChildren(QMessageBox)[-1]
        next(button for button in box.buttons() if box.buttonRole(button) == role).click()
        assert page._controller.enrol.clear.call_count == n_cleared


def test_that_deleted_takes_and_frames_are_passed_to_the_controller(page, qtbot):
    page.show_enrolment(enrolment({"window": 2, "lamp": 2}))
    page.takes.table.setCurrentItem(page.takes.table.topLevelItem(1))
    click(qtbot, page.takes.remove_button)
    page._controller.enrol.remove_take.assert_called_once_with("lamp")
    page.gallery.view.selectAll()
    click(qtbot, page.gallery.remove_button)
    page._controller.enrol.remove_samples.assert_called_once_with([0, 1, 2, 3])


def test_that_nothing_is_wider_than_the_page(page):
    page.show_enrolment(enrolment({"a long name " * 5: 40, "lamp": 60}, **READY))
    area = page.findChild(QScrollArea)
    for size in ((460, 560), (1100, 900)):
        page.resize(*size)
        QApplication.sendPostedEvents()
        assert area.widget().minimumSizeHint().width() <= area.viewport().width(), size
        for widget in page.findChildren(QPushButton):
            assert widget.width() >= widget.sizeHint().width(), widget.text()


def test_that_the_wheel_scrolls_the_page_before_the_gallery_and_changes_no_name(page):
    page.show_enrolment(enrolment({"lamp": 72}))
    page.resize(500, 500)
    QApplication.processEvents()
    bar, gallery = page.findChild(QScrollArea).verticalScrollBar(), page.gallery.view
    page.record.name.setCurrentIndex(1)
    assert not wheel_over(page.record.name)
    assert page.record.name.currentText() == "lamp light"
    bar.setValue(bar.maximum() - 1)
    assert not wheel_over(gallery.viewport())
    bar.setValue(bar.maximum())
    assert wheel_over(gallery.viewport())
    assert gallery.verticalScrollBar().value() > 0


def test_that_the_tab_key_goes_from_top_to_bottom_and_every_stop_has_a_name(page):
    page.show_enrolment(enrolment({"lamp": 6}, **READY))
    order = [
        *(page.record.name, page.record.person, page.record.button),
        *(page.takes.table, page.takes.clear_button),
        *(page.gallery.filter, page.gallery.view),
        *(page.fit_bar.undo_button, page.fit_bar.fit_button),
    ]
    assert in_focus_order(order) == order
    for widget in page.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            named = widget if widget.parent() is not page.record.name else page.record.name
            text = named.text() if isinstance(named, QPushButton) else ""
            assert named.accessibleName() or text, widget
