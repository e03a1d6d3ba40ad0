"""The about box and the table of shortcuts."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QTableWidget

from app.qt.dialogs.help_dialogs import PARTS, AboutDialog, ShortcutsDialog
from tests.qt.driving import texts_of

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_that_every_dependency_is_named_with_its_licence():
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["torch"]
    names = {re.match(r"[\w.-]+", line)[0].casefold() for line in wanted}
    assert names == {part.package.casefold() for part in PARTS}
    assert all(part.licence for part in PARTS)


def test_that_the_about_box_shows_versions_and_licences(qtbot):
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    table = dialog.findChild(QTableWidget)
    row = table.findItems("NumPy", Qt.MatchFlag.MatchExactly)[0].row()
    cells = [table.item(row, column).text() for column in (1, 2)]
    assert cells == [version("numpy"), "BSD-3-Clause"]
    assert version("lmkl-pad") in " ".join(texts_of(dialog))


def test_that_the_table_lists_actions_with_shortcuts_in_order(qtbot):
    actions = []
    for text, *keys in (("&Open model…", "Ctrl+O"), ("About",), ("Re&do && more", "F2", "F3")):
        action = QAction(text)
        action.setShortcuts([QKeySequence(key) for key in keys])
        actions.append(action)
    dialog = ShortcutsDialog(actions)
    qtbot.addWidget(dialog)
    table = dialog.table
    rows = [[table.item(row, column).text() for column in (0, 1)] for row in range(2)]
    assert rows == [["Open model", "Ctrl+O"], ["Redo & more", "F2, F3"]]
