"""The Enrol page, driven as a person would drive it."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.qt.pages.enrol.enrol_page import EnrolPage
from app.session.takes import CoverageItem, EnrolmentState, TakeSummary
from app.types import Sample
from tests.qt.driving import wheel_over

COVERAGE = (
    CoverageItem("Frames", 1.0),
    CoverageItem("Lights", 0.5, "Record a take in another light, such as a lamp."),
)


def enrolment(sizes, **more):
    """Return an enrolment of takes with so many frames each."""
    samples = [name for name, size in sizes.items() for _ in range(size)]
    values = {
        "takes": tuple(TakeSummary(name, size, 1) for name, size in sizes.items()),
        "samples": tuple(
            Sample(number, name, {}, None, None) for number, name in enumerate(samples)
        ),
        "coverage": COVERAGE,
        "suggested_name": "lamp light",
    }
    return EnrolmentState(**(values | more))


READY = {"can_fit": True, "can_undo": True}


@pytest.fixture
def page(qtbot, controller):
    page = EnrolPage(controller)
    qtbot.addWidget(page)
    page.resize(460, 560)
    with qtbot.waitExposed(page):
        page.show()
    page.show_enrolment(EnrolmentState(suggested_name="window light", why_not="Record a take."))
    return page


def click(qtbot, button):
    QApplication.processEvents()  # cards that have just been shown get their places first
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


# ------------------------------------------------------------- recording


def test_that_the_steps_are_shown_until_something_is_recorded(page):
    assert page.guidance.is_open
    page.show_enrolment(EnrolmentState(collecting="window light", n_wanted=36))
    assert not page.guidance.is_open


def test_that_the_steps_can_be_unfolded_later_and_then_stay(page, qtbot):
    page.show_enrolment(enrolment({"window light": 3}))
    click(qtbot, page.guidance.button)
    page.show_enrolment(enrolment({"window light": 4}))
    assert page.guidance.is_open


def test_that_record_without_a_name_asks_for_the_suggested_one(page, qtbot):
    assert page.record.name.lineEdit().placeholderText() == "window light"
    click(qtbot, page.record.button)
    page._controller.enrol.start.assert_called_once_with("")


def test_that_return_in_the_name_starts_a_take_of_exactly_that_name(page, qtbot):
    qtbot.keyClicks(page.record.name.lineEdit(), " lamp ")
    qtbot.keyClick(page.record.name.lineEdit(), Qt.Key.Key_Return)
    page._controller.enrol.start.assert_called_with("lamp")


def test_that_whose_face_it_is_is_told_as_it_is_typed(page, qtbot):
    told = []
    page.record.person_changed.connect(told.append)
    page.record.person_changed.connect(
        lambda person: page.show_enrolment(enrolment({"lamp": 3}, person=person))
    )
    qtbot.keyClicks(page.record.person, "An n ")
    assert told == ["A", "An", "An n"]
    assert page.record.person.text() == "An n "


def test_that_the_person_stays_for_the_next_take_and_goes_with_the_takes(page):
    page.show_enrolment(enrolment({"a": 1}, person="Ann", collecting="a", n_wanted=36))
    assert not page.record.person.isEnabled()
    page.show_enrolment(enrolment({"a": 36}, person="Ann"))
    assert page.record.person.isEnabled()
    assert page.record.person.text() == "Ann"
    page.show_enrolment(EnrolmentState())
    assert page.record.person.text() == ""


def test_that_known_people_are_offered(page):
    takes = tuple(TakeSummary(n, 36, person=p) for n, p in (("a", "Ben"), ("b", "Ann"), ("c", "")))
    page.show_enrolment(EnrolmentState(takes=takes))
    assert page.record.person.completer().model().stringList() == ["Ann", "Ben"]


def test_that_recommended_takes_are_counted_by_person(page):
    takes = tuple(
        TakeSummary(n, 36, person=p) for n, p in zip("abc", ("Ann", "Ann", "Ben"), strict=True)
    )
    page.show_enrolment(EnrolmentState(takes=takes, suggested_name="lamp light", person="Ben"))
    assert page.record.note.text().startswith("1 of 2 recommended takes. Next: lamp light")
    page.show_enrolment(EnrolmentState(takes=takes, person="Ann"))
    assert page.record.note.text().startswith("2 takes")


def test_that_the_name_is_empty_again_for_the_next_take(page):
    page.record.name.setEditText("glasses")
    page.show_enrolment(enrolment({"glasses": 1}, collecting="glasses", n_wanted=36))
    page.show_enrolment(enrolment({"glasses": 36}))
    assert page.record.name.currentText() == ""


def test_that_the_button_stops_a_take_while_one_is_recorded(page, qtbot):
    page.show_enrolment(enrolment({"lamp": 2}, collecting="lamp", n_wanted=36, n_collected=2))
    assert page.record.button.text() == "Stop"
    click(qtbot, page.record.button)
    page._controller.enrol.stop.assert_called_once()
    page._controller.enrol.start.assert_not_called()


def test_that_recording_shows_count_ring_and_hint(page):
    page.show_enrolment(
        enrolment(
            {"lamp": 14}, collecting="lamp", n_wanted=36, n_collected=14, hint="Nod a little."
        )
    )
    assert page.record.ring.count == "14 / 36"
    assert page.record.ring.share == pytest.approx(14 / 36)
    assert page.record.hint.isVisible()
    assert page.record.hint.text() == "Nod a little."


def test_that_a_finished_take_is_told_with_its_frames(page):
    page.show_enrolment(enrolment({"lamp": 35}, collecting="lamp", n_wanted=36, n_collected=35))
    page.show_enrolment(enrolment({"lamp": 36}))
    assert page.record.note.text().startswith("“lamp” has 36 frames. 1 of 2 ")
    ring = page.record.ring
    assert (ring.count, ring.is_complete, ring.share) == ("36 frames", True, 1.0)


def test_that_a_take_that_was_stopped_early_has_no_tick(page):
    page.show_enrolment(enrolment({"lamp": 9}, collecting="lamp", n_wanted=36, n_collected=9))
    page.show_enrolment(enrolment({"lamp": 9}))
    assert not page.record.ring.is_complete
    assert page.record.ring.share == pytest.approx(9 / 36)


def test_that_what_was_told_of_a_take_goes_with_it(page):
    page.show_enrolment(enrolment({"lamp": 35}, collecting="lamp", n_wanted=36, n_collected=35))
    page.show_enrolment(enrolment({"lamp": 36}))
    page.show_enrolment(EnrolmentState())
    assert "lamp" not in page.record.note.text()
    assert page.record.ring.share == 0.0


def test_that_a_model_from_a_file_is_met_with_its_own_words(page):
    page.show_enrolment(EnrolmentState(), 0)
    assert not page.guidance.is_open
    (told,) = [label.text() for label in page.guidance.findChildren(QLabel) if label.isVisible()]
    assert "pictures are not kept in files" in told
    page.show_enrolment(EnrolmentState())
    assert page.guidance.is_open


def test_that_a_take_without_frames_is_told(page):
    page.show_enrolment(EnrolmentState(collecting="lamp", n_wanted=36))
    page.show_enrolment(EnrolmentState())
    assert page.record.note.text().startswith("Nothing was kept.")


# ------------------------------------------------------------- fitting and undo


def test_that_fit_is_disabled_with_the_reason_in_plain_sight(page, qtbot):
    bar = page.fit_bar
    assert not bar.fit_button.isEnabled()
    assert bar.words.isVisible()
    assert bar.words.text() == bar.fit_button.toolTip() == "Record a take."
    click(qtbot, bar.fit_button)
    page._controller.model.fit.assert_not_called()


def test_that_fit_is_primary_when_there_are_frames_to_learn_from(page, qtbot):
    page.show_enrolment(enrolment({"lamp": 36}, **READY))
    assert page.fit_bar.fit_button.property("class") == "primary"
    click(qtbot, page.fit_bar.fit_button)
    page._controller.model.fit.assert_called_once()


@pytest.mark.parametrize(
    ("n_new", "kind", "words"),
    [(0, "", "knows all frames"), (1, "primary", "1 frame yet"), (14, "primary", "14 frames yet")],
)
def test_that_fit_again_is_primary_only_when_frames_are_new(page, n_new, kind, words):
    page.show_enrolment(enrolment({"lamp": 36}, **READY), n_new)
    assert page.fit_bar.fit_button.text() == "Fit again"
    assert page.fit_bar.fit_button.property("class") == kind
    assert words in page.fit_bar.words.text()


def test_that_nothing_is_fitted_or_cleared_during_a_fit(page, qtbot):
    page.show_enrolment(enrolment({"lamp": 36}, **READY))
    page.set_fitting(True)
    assert not page.fit_bar.fit_button.isEnabled()
    assert not page.takes.clear_button.isEnabled()
    page.set_fitting(False)
    assert page.fit_bar.fit_button.isEnabled()
    assert page.takes.clear_button.isEnabled()


def test_that_undo_asks_only_when_there_is_something_to_undo(page, qtbot):
    assert not page.fit_bar.undo_button.isEnabled()
    page.show_enrolment(enrolment({"lamp": 36}, can_undo=True))
    click(qtbot, page.fit_bar.undo_button)
    page._controller.enrol.undo.assert_called_once()


def test_that_takes_are_left_alone_while_one_is_recorded(page):
    page.show_enrolment(enrolment({"window": 36}, **READY))
    page.takes.table.topLevelItem(0).setSelected(True)
    page.gallery.view.selectAll()
    assert page.takes.remove_button.isEnabled()
    page.show_enrolment(
        enrolment({"window": 36, "lamp": 1}, collecting="lamp", n_wanted=36, **READY)
    )
    for button in (
        page.takes.remove_button,
        page.takes.rename_button,
        page.takes.clear_button,
        page.gallery.remove_button,
        page.fit_bar.undo_button,
        page.fit_bar.fit_button,
    ):
        assert not button.isEnabled(), button.text()


# ------------------------------------------------------------- deleting everything


def answer(page, role):
    box = page.findChild(QMessageBox)
    next(button for button in box.buttons() if box.buttonRole(button) == role).click()


@pytest.mark.parametrize(
    ("role", "n_cleared"),
    [(QMessageBox.ButtonRole.DestructiveRole, 1), (QMessageBox.ButtonRole.RejectRole, 0)],
)
def test_that_takes_are_cleared_only_after_a_yes(page, qtbot, role, n_cleared):
    page.show_enrolment(enrolment({"lamp": 36}))
    click(qtbot, page.takes.clear_button)
    answer(page, role)
    assert page._controller.enrol.clear.call_count == n_cleared


# ------------------------------------------------------------- wiring and layout


def test_that_the_page_passes_on_what_is_done_to_takes_and_frames(page, qtbot):
    page.show_enrolment(enrolment({"window": 2, "lamp": 2}))
    page.takes.table.setCurrentItem(page.takes.table.topLevelItem(1))
    click(qtbot, page.takes.remove_button)
    page._controller.enrol.remove_take.assert_called_once_with("lamp")
    page.gallery.view.selectAll()
    click(qtbot, page.gallery.remove_button)
    page._controller.enrol.remove_samples.assert_called_once_with([0, 1, 2, 3])


def test_that_cards_without_content_take_no_room(page):
    assert not page.takes.isVisible()
    assert not page.coverage.isVisible()
    assert not page.gallery.isVisible()
    page.show_enrolment(enrolment({"lamp": 1}))
    assert page.takes.isVisible()
    assert page.coverage.isVisible()
    assert page.gallery.isVisible()


@pytest.mark.parametrize(("width", "height"), [(460, 560), (620, 600), (1100, 900), (1900, 2000)])
def test_that_nothing_is_wider_than_the_page(page, width, height):
    page.show_enrolment(enrolment({"a long name " * 5: 40, "lamp": 60}, **READY))
    page.resize(width, height)
    QApplication.sendPostedEvents()
    area = page.findChild(QScrollArea)
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    for widget in page.findChildren(QPushButton):
        assert widget.width() >= widget.sizeHint().width(), widget.text()


def test_that_wide_pages_have_two_columns_and_narrow_ones_one(page):
    page.show_enrolment(enrolment({"lamp": 6}))

    def left(widget):
        return widget.mapTo(page, QPoint()).x()

    page.resize(1300, 800)
    QApplication.processEvents()
    assert left(page.quality) > left(page.record) + page.record.width()
    page.resize(460, 800)
    QApplication.processEvents()
    assert left(page.quality) < page.record.width()


def test_that_the_wheel_over_the_pictures_scrolls_the_page_to_its_end_first(page):
    page.show_enrolment(enrolment({"lamp": 72}))
    QApplication.processEvents()
    bar = page.findChild(QScrollArea).verticalScrollBar()
    pictures = page.gallery.view.verticalScrollBar()
    bar.setValue(bar.maximum() - 1)
    for _ in range(2):
        place = QPointF(page.gallery.view.mapTo(page, QPoint(40, 40)))
        QTest.wheelEvent(page.windowHandle(), place, QPoint(0, -120))
        if bar.value() < bar.maximum():
            assert pictures.value() == 0
    assert bar.value() == bar.maximum()
    assert pictures.value() > 0


def test_that_scrolling_over_the_name_does_not_change_it(page):
    page.record.name.setCurrentIndex(1)
    wheel_over(page.record.name)
    assert page.record.name.currentText() == "lamp light"


def test_that_the_tab_key_goes_from_top_to_bottom(page):
    page.show_enrolment(enrolment({"lamp": 6}, **READY))
    chain, widget = [], page.guidance.button
    while widget not in chain:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    order = [
        page.guidance.button,
        page.record.name,
        page.record.person,
        page.record.button,
        page.takes.table,
        page.takes.clear_button,
        page.gallery.filter,
        page.gallery.view,
        page.fit_bar.undo_button,
        page.fit_bar.fit_button,
    ]
    assert [widget for widget in chain if widget in order] == order


def test_that_everything_operable_has_a_name_for_screen_readers(page):
    page.show_enrolment(enrolment({"lamp": 6}, **READY))
    for widget in page.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            named = widget if widget.parent() is not page.record.name else page.record.name
            text = named.text() if isinstance(named, QPushButton) else ""
            assert named.accessibleName() or text, widget


def test_that_a_page_that_goes_away_leaves_no_timer_running(page):
    page.show_enrolment(enrolment({"lamp": 3}, collecting="lamp", n_wanted=36, n_collected=3))
    page.quality.show_quality(None, "No face.")
    page.hide()
    assert not page.quality._throttle.isActive()
    assert page.record.ring._motion.state() == page.record.ring._motion.State.Stopped
