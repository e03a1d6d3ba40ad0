"""The list of takes: its rows, renaming, deleting; what takes cover."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QProgressBar

from app.qt.pages.enrol.takes_list import CoverageMeter, TakesList
from app.session.takes import CoverageItem, TakeSummary

WINDOW, LAMP = TakeSummary("window", 36, 1, True), TakeSummary("lamp", 24, 2)


@pytest.fixture
def takes(shown):
    widget = shown(TakesList(), 420, 300)
    widget.show_takes((WINDOW, LAMP))
    widget.table.setFocus()
    return widget


def words(takes, row):
    item = takes.table.topLevelItem(row)
    return [item.text(column) for column in (0, 2, 3, 4)]


def rename(takes, qtbot, row, text, key=Qt.Key.Key_Return):
    takes.table.setCurrentItem(takes.table.topLevelItem(row))
    qtbot.keyClick(takes.table, Qt.Key.Key_F2)
    editor = takes.table.viewport().findChild(QLineEdit)
    assert editor.accessibleName() == "Name of the take"
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, key)
    qtbot.waitUntil(lambda: takes.table.viewport().findChild(QLineEdit) is None)


def test_that_rows_show_their_takes_and_follow_them(takes):
    assert words(takes, 0) == ["window", "36", "light 1", "in the model"]
    assert words(takes, 1) == ["lamp", "24", "light 2", "new"]
    takes.show_takes((WINDOW, LAMP), "lamp")
    assert words(takes, 1)[3] == "recording"
    takes.show_takes((TakeSummary("dark", 1),))
    assert words(takes, 0) == ["dark", "1", "–", "new"]
    assert takes.table.topLevelItemCount() == 1


def test_that_f2_renames_and_the_row_waits_for_the_answer(takes, qtbot):
    with qtbot.waitSignal(takes.rename_requested) as asked:
        rename(takes, qtbot, 1, "  desk   lamp ")
    assert asked.args == ["lamp", "desk lamp"]
    assert words(takes, 1)[0] == "lamp"


@pytest.mark.parametrize(
    ("text", "key", "told"),
    [
        ("   ", Qt.Key.Key_Return, ""),
        ("lamp", Qt.Key.Key_Return, ""),
        ("desk", Qt.Key.Key_Escape, ""),
        ("window", Qt.Key.Key_Return, "There is a take of that name already: choose another one."),
    ],
)
def test_that_only_a_new_free_name_renames(takes, qtbot, text, key, told):
    with qtbot.assertNotEmitted(takes.rename_requested):
        rename(takes, qtbot, 1, text, key)
    assert takes.message.text() == told


def test_that_the_selected_take_is_shown_or_deleted_unless_it_is_locked(takes, qtbot):
    takes.table.setCurrentItem(takes.table.topLevelItem(0))
    action = next(a for a in takes.table.actions() if a.text() == "Show its frames")
    with qtbot.waitSignal(takes.frames_requested) as asked:
        action.trigger()
    assert asked.args == ["window"]
    with qtbot.waitSignal(takes.remove_requested) as asked:
        qtbot.keyClick(takes.table, Qt.Key.Key_Delete)
    assert asked.args == ["window"]
    takes.set_locked(True, may_clear=False)
    with qtbot.assertNotEmitted(takes.remove_requested):
        qtbot.keyClick(takes.table, Qt.Key.Key_Delete)
    qtbot.keyClick(takes.table, Qt.Key.Key_F2)
    assert takes.table.viewport().findChild(QLineEdit) is None


PERSON = 1


def test_that_a_double_click_changes_the_person_where_several_are_shown(takes, qtbot):
    takes.show_takes((replace(WINDOW, person="Ann"), replace(LAMP, person="Ann")))
    assert takes.table.isColumnHidden(PERSON)
    takes.show_takes((replace(WINDOW, person="Ann"), LAMP))
    assert not takes.table.isColumnHidden(PERSON)
    item = takes.table.topLevelItem(1)
    takes.table.setCurrentItem(item)
    takes.table.itemDoubleClicked.emit(item, PERSON)
    editor = takes.table.viewport().findChild(QLineEdit)
    qtbot.keyClicks(editor, " Ben ")
    with qtbot.waitSignal(takes.assign_requested) as asked:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert asked.args == ["lamp", "Ben"]
    assert item.text(PERSON) == ""


def test_that_the_menu_assigns_a_take_while_the_column_is_hidden(takes, qtbot):
    takes.table.setCurrentItem(takes.table.topLevelItem(0))
    next(each for each in takes.table.actions() if each.text() == "Whose face").trigger()
    editor = takes.table.viewport().findChild(QLineEdit)
    qtbot.keyClicks(editor, "Ann")
    with qtbot.waitSignal(takes.assign_requested) as asked:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert asked.args == ["window", "Ann"]


def test_that_words_and_bar_agree_and_only_what_is_complete_is_called_covered(shown):
    meter = shown(CoverageMeter(), 420, 200)
    for share, advice, word, value in (
        (0.0, "Nod.", "missing", 0),
        (0.001, "Nod.", "missing", 0),
        (0.33, "Nod.", "33 %", 33),
        (0.999, "Nod.", "99 %", 99),
        (1.0, "", "covered", 100),
    ):
        meter.show_coverage((CoverageItem("Nod", share, advice), CoverageItem("Turn", 1.0)))
        row = meter._rows[0]
        assert (row.name.text(), row.advice.text()) == (f"Nod: {word}", advice)
        assert row.bar.value() == value
    meter.show_coverage((CoverageItem("Nod", 1.0),))
    assert [bar.isVisible() for bar in meter.findChildren(QProgressBar)] == [True, False]
