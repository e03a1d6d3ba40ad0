"""Names and values in sections: a table as tall as its content, to be read and copied."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Slot
from PySide6.QtGui import QAction, QFont, QFontMetrics, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

_BREAK = "\N{ZERO WIDTH SPACE}"
_LONGEST_WORD = 16
_NAME_SHARE = 0.34
_PADDING = 13
"""Pixels left and right of a cell's text: the style sheet's and Qt's own."""


@dataclass(frozen=True)
class Facts:
    """A section: its heading, and names with values."""

    heading: str
    rows: tuple[tuple[str, str], ...]


class FactsTable(QTableWidget):
    """Two columns that wrap, without scroll bars of their own.

    Ctrl+C copies the selected rows, or all when none is, separated by tabs.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self._shown: tuple[Facts, ...] = ()
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setMinimumSectionSize(40)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        copy = QAction(self.tr("Copy"), self)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_rows)
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def show_facts(self, facts: tuple[Facts, ...]) -> None:
        """Show sections; costs nothing when they are shown already."""
        if facts == self._shown:
            return
        self._shown = facts
        self.clearSpans()
        self.setRowCount(sum(len(section.rows) + 1 for section in facts))
        row = 0
        for section in facts:
            self._put_heading(row, section.heading)
            row += 1
            for name, value in section.rows:
                self._put(row, 0, name)
                self._put(row, 1, value)
                row += 1
        self._fit()

    def to_text(self) -> str:
        """Return everything as lines, names and values separated by a tab."""
        lines = []
        for section in self._shown:
            lines.append(section.heading)
            lines.extend(f"{name}\t{value}" for name, value in section.rows)
        return "\n".join(lines) + "\n" if lines else ""

    @Slot()
    def copy_all(self) -> None:
        """Put everything on the clipboard."""
        QGuiApplication.clipboard().setText(self.to_text())

    @Slot()
    def copy_rows(self) -> None:
        """Put the selected rows on the clipboard, or everything when none is selected."""
        chosen = {index.row() for index in self.selectedIndexes()}
        lines = self.to_text().splitlines()
        picked = [line for row, line in enumerate(lines) if row in chosen] or lines
        QGuiApplication.clipboard().setText("\n".join(picked) + "\n")

    # ------------------------------------------------------------ Qt

    def sizeHint(self) -> QSize:
        """Return the room of all rows."""
        return QSize(super().sizeHint().width(), self._content_height())

    def minimumSizeHint(self) -> QSize:
        """Return the room of all rows, at the least width."""
        return QSize(self.fontMetrics().averageCharWidth() * 24, self._content_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew with another font or theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    # ------------------------------------------------------------ own

    def _put_heading(self, row: int, text: str) -> None:
        item = self._put(row, 0, text)
        font = QFont(self.font())
        font.setBold(True)
        item.setFont(font)
        self.setSpan(row, 0, 1, 2)

    def _put(self, row: int, column: int, text: str) -> QTableWidgetItem:
        item = QTableWidgetItem(_breakable(text))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        item.setTextAlignment(top)
        self.setItem(row, column, item)
        return item

    def _fit(self) -> None:
        if not hasattr(self, "_shown"):
            return  # Qt resizes and styles before the constructor is through
        width = self.viewport().width()
        names = min(int(width * _NAME_SHARE), max(40, self._widest_name()))
        self.setColumnWidth(0, names)
        self.setColumnWidth(1, max(40, width - names))
        for row in range(self.rowCount()):
            self.setRowHeight(row, self._row_height(row))
        height = self._content_height()
        if self.height() != height:
            self.setFixedHeight(height)

    def _row_height(self, row: int) -> int:
        """Return the height of the wrapped text; Qt's own estimate forgets the sheet's padding."""
        is_heading = self.columnSpan(row, 0) > 1
        height = 0
        for column in range(1 if is_heading else 2):
            item = self.item(row, column)
            if item is not None:
                width = self.viewport().width() if is_heading else self.columnWidth(column)
                room = QRect(0, 0, max(20, width - 2 * _PADDING), 10_000)
                metrics = QFontMetrics(item.font(), self) if is_heading else self.fontMetrics()
                text = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, item.text())
                height = max(height, text.height())
        return height + (14 if is_heading else 9)

    def _widest_name(self) -> int:
        names = [name for section in self._shown for name, _ in section.rows]
        metrics = self.fontMetrics()
        return max((metrics.horizontalAdvance(name) for name in names), default=0) + 28

    def _content_height(self) -> int:
        return self.verticalHeader().length() + 2 * self.frameWidth() + 2


def _breakable(text: str) -> str:
    """Let words that are longer than a line, such as digests, be broken."""
    return " ".join(
        word
        if len(word) <= _LONGEST_WORD
        else _BREAK.join(word[i : i + 8] for i in range(0, len(word), 8))
        for word in text.split(" ")
    )
