"""All keyboard shortcuts, read from the actions that have them, so that none is missing."""

from collections.abc import Sequence

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.qt.theme import GRID
from app.qt.views.dialogs.about_dialog import make_readable
from app.qt.views.dialogs.settings_fields import line


class ShortcutsDialog(QDialog):
    """A table of what the keys do.

    Parameters
    ----------
    actions : sequence of QAction
        In the order they are shown; those without a shortcut are left out.
    parent : QWidget, optional
        The window it belongs to.
    """

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        rows = [(plain_text(action), keys(action)) for action in actions if action.shortcuts()]
        rows.append((self.tr("Move between controls"), "Tab, Shift+Tab"))
        self.table = QTableWidget(len(rows), 2)
        self.table.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.table.setHorizontalHeaderLabels([self.tr("What it does"), self.tr("Keys")])
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                self.table.setItem(row, column, QTableWidgetItem(text))
        make_readable(self.table)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(line(self.tr("Keyboard shortcuts"), "heading"))
        layout.addWidget(self.table, 1)
        layout.addWidget(buttons)
        metrics = self.fontMetrics()
        height = min(len(rows) + 5, 20) * 2 * metrics.height()
        self.resize(72 * metrics.averageCharWidth(), height)


def plain_text(action: QAction) -> str:
    """Return an action's text without the mark of its letter and without trailing dots."""
    text = action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
    return text.removesuffix("...").removesuffix("\N{HORIZONTAL ELLIPSIS}")


def keys(action: QAction) -> str:
    """Return an action's shortcuts as they are written on this system."""
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(shortcut.toString(form) for shortcut in action.shortcuts())
