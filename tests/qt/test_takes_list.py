"""The list of takes: what it says, renaming, deleting; what they cover."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QProgressBar

from app.qt.pages.enrol.takes_list import CoverageMeter, TakesList
from app.session.takes import CoverageItem, TakeSummary

WINDOW, LAMP = TakeSummary("window", 36, 1, True), TakeSummary("lamp", 24, 2)


@pytest.fixture
def takes(qtbot):
    widget = TakesList()
    qtbot.addWidget(widget)
    widget.resize(420, 300)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.show_takes((WINDOW, LAMP))
    widget.table.setFocus()
    return widget


def words(takes, row):
    item = takes.table.topLevelItem(row)
    return [item.text(column) for column in range(4)]


def rename(takes, qtbot, row, text, key=Qt.Key.Key_Return):
    takes.table.setCurrentItem(takes.table.topLevelItem(row))
    qtbot.keyClick(takes.table, Qt.Key.Key_F2)
    editor = takes.table.viewport().findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, key)
    qtbot.waitUntil(lambda: takes.table.viewport().findChild(QLineEdit) is None)


def test_that_a_row_tells_name_frames_light_and_model(takes):
    assert words(takes, 0) == ["window", "36", "light 1", "in the model"]
    assert words(takes, 1) == ["lamp", "24", "light 2", "new"]


def test_that_rows_follow_their_takes(takes):
    takes.show_takes((WINDOW, LAMP), "lamp")
    assert words(takes, 1)[3] == "recording"
    takes.show_takes((LAMP, TakeSummary("dark", 1)))
    assert takes.table.topLevelItemCount() == 2
    assert [words(takes, row)[0] for row in range(2)] == ["lamp", "dark"]
    assert words(takes, 0)[3] == "new"
    assert words(takes, 1)[2] == "–"
    takes.show_takes((LAMP,))
    assert takes.table.topLevelItemCount() == 1


def test_that_f2_renames_and_the_row_waits_for_the_answer(takes, qtbot):
    with qtbot.waitSignal(takes.rename_requested) as asked:
        rename(takes, qtbot, 1, "  desk   lamp ")
    assert asked.args == ["lamp", "desk lamp"]
    assert words(takes, 1)[0] == "lamp"


def test_that_a_double_click_renames(takes, qtbot):
    place = takes.table.visualItemRect(takes.table.topLevelItem(1)).center()
    viewport = takes.table.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    editor = viewport.findChild(QLineEdit)
    assert editor.text() == "lamp"


def test_that_a_name_that_exists_is_refused_with_a_reason(takes, qtbot):
    with qtbot.assertNotEmitted(takes.rename_requested):
        rename(takes, qtbot, 1, "window")
    assert takes.message.text() == "There is a take of that name already: choose another one."


@pytest.mark.parametrize(
    ("text", "key"),
    [("   ", Qt.Key.Key_Return), ("lamp", Qt.Key.Key_Return), ("desk", Qt.Key.Key_Escape)],
)
def test_that_no_new_name_is_no_renaming(takes, qtbot, text, key):
    with qtbot.assertNotEmitted(takes.rename_requested):
        rename(takes, qtbot, 1, text, key)
    assert takes.message.text() == ""


def test_that_names_cannot_get_longer_than_the_enrolment_keeps(takes, qtbot):
    with qtbot.waitSignal(takes.rename_requested) as asked:
        rename(takes, qtbot, 1, "x" * 80)
    assert asked.args[1] == "x" * 60


def test_that_delete_removes_the_selected_take(takes, qtbot):
    takes.table.setCurrentItem(takes.table.topLevelItem(0))
    with qtbot.waitSignal(takes.remove_requested) as asked:
        qtbot.keyClick(takes.table, Qt.Key.Key_Delete)
    assert asked.args == ["window"]


def test_that_locked_takes_are_neither_renamed_nor_deleted(takes, qtbot):
    takes.set_locked(True, may_clear=False)
    takes.table.setCurrentItem(takes.table.topLevelItem(0))
    with qtbot.assertNotEmitted(takes.remove_requested):
        qtbot.keyClick(takes.table, Qt.Key.Key_Delete)
    qtbot.keyClick(takes.table, Qt.Key.Key_F2)
    assert takes.table.viewport().findChild(QLineEdit) is None


def test_that_the_table_is_as_high_as_its_rows_up_to_six(takes):
    heights = []
    for n_takes in (1, 2, 6, 9):
        takes.show_takes([TakeSummary(f"take {n}", 1) for n in range(n_takes)])
        heights.append(takes.table.sizeHint().height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_that_its_frames_can_be_asked_for(takes, qtbot):
    takes.table.setCurrentItem(takes.table.topLevelItem(1))
    action = next(a for a in takes.table.actions() if a.text() == "Show its frames")
    with qtbot.waitSignal(takes.frames_requested) as asked:
        action.trigger()
    assert asked.args == ["lamp"]


# ------------------------------------------------------------- people

PERSON = 4


def test_that_people_are_shown_where_there_are_several(takes):
    assert takes.table.isColumnHidden(PERSON)
    takes.show_takes((replace(WINDOW, person="Ann"), replace(LAMP, person="Ann")))
    assert takes.table.isColumnHidden(PERSON)
    takes.show_takes((replace(WINDOW, person="Ann"), LAMP))
    assert not takes.table.isColumnHidden(PERSON)
    assert [takes.table.topLevelItem(row).text(PERSON) for row in range(2)] == ["Ann", ""]


def test_that_a_double_click_on_the_person_says_whose_the_take_is(takes, qtbot):
    takes.show_takes((replace(WINDOW, person="Ann"), LAMP))
    item = takes.table.topLevelItem(1)
    takes.table.setCurrentItem(item)
    takes.table.itemDoubleClicked.emit(item, PERSON)
    editor = takes.table.viewport().findChild(QLineEdit)
    qtbot.keyClicks(editor, " Ben ")
    with qtbot.waitSignal(takes.assign_requested) as asked:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert asked.args == ["lamp", "Ben"]
    assert item.text(PERSON) == ""


def test_that_the_menu_says_whose_the_take_is_where_the_column_is_hidden(takes, qtbot):
    takes.table.setCurrentItem(takes.table.topLevelItem(0))
    (action,) = (each for each in takes.table.actions() if each.text() == "Whose face")
    action.trigger()
    editor = takes.table.viewport().findChild(QLineEdit)
    with qtbot.assertNotEmitted(takes.rename_requested):
        qtbot.keyClicks(editor, "Ann")
        qtbot.keyClick(editor, Qt.Key.Key_Return)


# ------------------------------------------------------------- coverage


@pytest.fixture
def meter(qtbot):
    widget = CoverageMeter()
    qtbot.addWidget(widget)
    widget.resize(420, 200)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.mark.parametrize(
    ("share", "advice", "word", "value"),
    [
        (1.0, "", "covered", 100),
        (0.999, "Nod.", "partly, 99 %", 99),
        (0.5, "Nod.", "partly, 50 %", 50),
        (0.33, "Nod.", "a little, 33 %", 33),
        (0.001, "Nod.", "missing", 0),
        (0.0, "Nod.", "missing", 0),
    ],
)
def test_that_words_and_bar_agree_and_only_what_is_complete_is_called_covered(
    meter, share, advice, word, value
):
    meter.show_coverage((CoverageItem("Nod", share, advice),))
    row = meter._rows[0]
    assert (row.name.text(), row.word.text(), row.advice.text()) == ("Nod", word, advice)
    assert meter.findChild(QProgressBar).value() == value


def test_that_advice_goes_when_it_was_followed(meter):
    meter.show_coverage((CoverageItem("Nod", 0.5, "Nod."),))
    height = meter.sizeHint().height()
    meter.show_coverage((CoverageItem("Nod", 1.0),))
    assert meter.sizeHint().height() < height


def test_that_a_bar_that_is_hardly_filled_is_still_seen(meter):
    meter.show_coverage((CoverageItem("Nod", 0.01, "Nod."),))
    bar = meter.findChild(QProgressBar)
    bar.resize(200, 10)
    hardly = bar.grab().toImage()
    meter.show_coverage((CoverageItem("Nod", 0.0, "Nod."),))
    assert bar.grab().toImage() != hardly


def test_that_fewer_items_hide_the_rows_that_are_left_over(meter):
    meter.show_coverage((CoverageItem("Nod", 1.0), CoverageItem("Turn", 1.0)))
    meter.show_coverage((CoverageItem("Nod", 1.0),))
    assert [bar.isVisible() for bar in meter.findChildren(QProgressBar)] == [True, False]
