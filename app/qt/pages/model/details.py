"""Everything else about a model, as a table that can be copied."""

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.models.summary import ModelSummary
from app.qt.charts.format import number, percent, scientific
from app.qt.widgets.layout import add_action, button, hbox, read_only, vbox

_BREAK = "\N{ZERO WIDTH SPACE}"
_LONGEST_WORD = 16
_NAME_SHARE = 0.34
_PADDING = 13
"""Pixels left and right of a cell's text: the style sheet's and Qt's own."""

Section = tuple[str, tuple[tuple[str, str], ...]]
"""A heading, and names with values."""


class DetailsPanel(QWidget):
    """Parameters, bounds, threshold, data, views and file of a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = FactsTable(self)
        self.table.setAccessibleName("Details of the model")
        tip = "Copy this table as text; Ctrl+C in the table copies the chosen rows"
        self.copy = button("Copy all", "copy", self.table.copy_all, tip=tip, parent=self)
        vbox(self, hbox(None, self.copy, 1), self.table, 1, spacing=10)

    def show_model(self, model: ModelSummary | None) -> None:
        self.table.show_facts(() if model is None else _sections(model))


def _sections(model: ModelSummary) -> tuple[Section, ...]:
    threshold = model.threshold
    low, high = map(percent, threshold.interval)
    interval = f"(n = {threshold.n_scores}, 95 % interval {low} to {high})"
    target, level = threshold.target_bpcer, threshold.level
    usual = () if level is None else (("usual genuine score", number(level, 6)),)
    sections: tuple[Section, ...] = (
        ("Parameters", model.parameters),
        (
            "Fit",
            (
                ("certified", _yes(model.is_certified)),
                ("relative gap", scientific(model.gap)),
                ("stopped because", model.stop_reason),
                ("solves", str(model.n_solves)),
            ),
        ),
        (
            "Threshold",
            (
                ("threshold", number(threshold.value, 6)),
                *usual,
                ("target BPCER", "automatic" if target is None else percent(target)),
                ("BPCER", f"{percent(threshold.bpcer)} {interval}"),
                ("independent scores", f"about {threshold.n_effective:.0f}"),
            ),
        ),
        (
            "Bounds",
            tuple((one.name, f"{number(one.value, 4)}: {one.meaning}") for one in model.bounds),
        ),
        (
            "Data",
            (
                ("frames", str(model.n_samples)),
                ("takes", ", ".join(model.takes)),
                ("simulated", _yes(model.is_simulated)),
            ),
        ),
        (
            "File",
            (
                ("file", model.path or "not exported yet"),
                ("protected", "by a passphrase" if model.is_protected else "no"),
                ("digest", model.digest or "none before it is exported"),
            ),
        ),
        (
            f"Views of the preset {model.preset}" if model.preset else "Views",
            tuple((str(i), name) for i, name in enumerate(model.view_names, start=1)),
        ),
    )
    return tuple(section for section in sections if section[1])


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


class FactsTable(QTableWidget):
    """Two columns that wrap, without scroll bars of their own.

    Ctrl+C copies the selected rows, or all when none is, separated by tabs.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self._shown: tuple[Section, ...] = ()
        self.horizontalHeader().hide()
        read_only(self)
        self.setWordWrap(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setMinimumSectionSize(40)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        add_action(self, "Copy", self.copy_rows, QKeySequence.StandardKey.Copy)

    def show_facts(self, facts: tuple[Section, ...]) -> None:
        self._shown = facts
        self.clearSpans()
        self.setRowCount(sum(len(rows) + 1 for _, rows in facts))
        row = 0
        for heading, rows in facts:
            font = QFont(self.font())
            font.setBold(True)
            self._put(row, 0, heading).setFont(font)
            self.setSpan(row, 0, 1, 2)
            for name, value in rows:
                row += 1
                self._put(row, 0, name)
                self._put(row, 1, value)
            row += 1
        self._fit()

    def to_text(self) -> str:
        return "".join(
            f"{heading}\n" + "".join(f"{name}\t{value}\n" for name, value in rows)
            for heading, rows in self._shown
        )

    @Slot()
    def copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.to_text())

    @Slot()
    def copy_rows(self) -> None:
        """Put the selected rows on the clipboard, or everything when none is selected."""
        chosen = {index.row() for index in self.selectedIndexes()}
        lines = self.to_text().splitlines()
        picked = [line for row, line in enumerate(lines) if row in chosen] or lines
        QGuiApplication.clipboard().setText("\n".join(picked) + "\n")

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._content_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 24, self._content_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

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
        names = [name for _, rows in self._shown for name, _ in rows]
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
