"""The list of takes and the coverage of the enrolment."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QProgressBar

from app.qt.pages.enrol.takes_list import CoverageMeter, TakesList
from app.session.takes import CoverageItem, TakeSummary

WINDOW, LAMP = TakeSummary("window", 36, 1, True), TakeSummary("lamp", 24, 2)
PERSON = 1


@pytest.fixture
def takes(shown):
    widget = shown(TakesList(), 420, 300)
    widget.show_takes((WINDOW, LAMP))
    widget.table.setFocus()
    return widget


def row_texts(takes, row):
    item = takes.table.topLevelItem(row)
    return [item.text(column) for column in (0, 2, 3, 4)]


def select(takes, row):
    item = takes.table.topLevelItem(row)
    takes.table.setCurrentItem(item)
    return item


def trigger(takes, text):
    next(action for action in takes.table.actions() if action.text() == text).trigger()


def editor_of(takes):
    return takes.table.viewport().findChild(QLineEdit)


def type_into(takes, qtbot, text, key=Qt.Key.Key_Return):
    """Replace the edited text of the table."""
    editor = editor_of(takes)
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, key)
    qtbot.waitUntil(lambda: editor_of(takes) is None)


def test_that_rows_follow_the_takes(takes):
    assert row_texts(takes, 0) == ["window", "36", "light 1", "in the model"]
    assert row_texts(takes, 1) == ["lamp", "24", "light 2", "new"]
    takes.show_takes((WINDOW, LAMP), "lamp")
    assert row_texts(takes, 1)[3] == "recording"
    takes.show_takes((TakeSummary("dark", 1),))
    assert row_texts(takes, 0) == ["dark", "1", "–", "new"]
    assert takes.table.topLevelItemCount() == 1


@pytest.mark.parametrize(
    ("text", "key", "new_name", "is_refused"),
    [
        ("  desk   lamp ", Qt.Key.Key_Return, "desk lamp", False),
        ("   ", Qt.Key.Key_Return, None, False),
        ("lamp", Qt.Key.Key_Return, None, False),
        ("desk", Qt.Key.Key_Escape, None, False),
        ("window", Qt.Key.Key_Return, None, True),
    ],
)
def test_that_f2_requests_another_name_if_it_is_free(takes, qtbot, text, key, new_name, is_refused):
    requests = []
    takes.rename_requested.connect(lambda *names: requests.append(names))
    select(takes, 1)
    qtbot.keyClick(takes.table, Qt.Key.Key_F2)
    assert editor_of(takes).accessibleName()
    type_into(takes, qtbot, text, key)
    assert requests == ([("lamp", new_name)] if new_name else [])
    assert bool(takes.message.text()) == is_refused
    assert row_texts(takes, 1)[0] == "lamp"  # until the enrolment has changed


def test_that_the_selected_take_is_shown_or_deleted_unless_locked(takes, qtbot):
    select(takes, 0)
    with qtbot.waitSignal(takes.frames_requested) as asked:
        trigger(takes, "Show frames")
    assert asked.args == ["window"]
    with qtbot.waitSignal(takes.remove_requested) as asked:
        qtbot.keyClick(takes.table, Qt.Key.Key_Delete)
    assert asked.args == ["window"]
    takes.set_locked(True, may_clear=False)
    with qtbot.assertNotEmitted(takes.remove_requested):
        qtbot.keyClick(takes.table, Qt.Key.Key_Delete)
    qtbot.keyClick(takes.table, Qt.Key.Key_F2)
    assert editor_of(takes) is None


def test_that_a_take_is_assigned_to_a_person_by_double_click_or_menu(takes, qtbot):
    takes.show_takes((replace(WINDOW, person="Ann"), replace(LAMP, person="Ann")))
    assert takes.table.isColumnHidden(PERSON)
    select(takes, 0)
    trigger(takes, "Change person")
    with qtbot.waitSignal(takes.assign_requested) as asked:
        type_into(takes, qtbot, "Eve")
    assert asked.args == ["window", "Eve"]
    takes.show_takes((replace(WINDOW, person="Ann"), LAMP))
    assert not takes.table.isColumnHidden(PERSON)
    item = select(takes, 1)
    takes.table.itemDoubleClicked.emit(item, PERSON)
    with qtbot.waitSignal(takes.assign_requested) as asked:
        type_into(takes, qtbot, " Ben ")
    assert asked.args == ["lamp", "Ben"]
    assert item.text(PERSON) == ""


def test_that_only_complete_coverage_is_called_covered(shown):
    meter = shown(CoverageMeter(), 420, 200)
    for share, advice, word, value in (
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
