"""The live tally of a test: one row for every species, with its error rate and how sure that is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from app.qt.pages.guided_test.species import (
    NO_BREAK,
    percent,
    rate_name,
    species_icon_name,
    species_words,
)
from app.qt.widgets.layout import read_only
from app.qt.widgets.rows import CELL, Cell, Index, TwoLineDelegate
from app.qt.widgets.texts import plain_tip
from app.session.guided_test.tally import Tally
from app.types import BONA_FIDE

_NOWHERE = QModelIndex()
_ROLE = Qt.ItemDataRole

_COLUMNS = (
    ("Presented", "What was presented, and how often."),
    ("Accepted", "Taken for genuine: an error where it was an attack."),
    ("Refused", "Taken for an attack: an error where it was a genuine person."),
    ("No\nresponse", "Neither: no face or a poor picture."),
    (
        "Error rate\n(95 %)",
        "APCER is the share of attacks accepted, BPCER that of genuine presentations "
        "refused, both of those with a response; below it the exact 95 % interval.",
    ),
)
"""Titles, and what they count."""

_ROOM_FOR_ICONS = 18
"""Widths of an average letter that the first column needs to show pictures as well."""


class TallyModel(QAbstractTableModel):
    """The rows as `Cell` values, with every cell in words as well."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Tally] = []
        self._cells: list[tuple[Cell, ...]] = []

    def show_rows(self, rows: Sequence[Tally]) -> None:
        """Show a tally; only rows that changed are touched."""
        wanted = sorted(rows, key=lambda row: row.species != BONA_FIDE)
        if [row.species for row in wanted] != [row.species for row in self._rows]:
            self.beginResetModel()
            self._rows, self._cells = wanted, [_cells_of(row) for row in wanted]
            self.endResetModel()
            return
        for number, row in enumerate(wanted):
            if row != self._rows[number]:
                self._rows[number], self._cells[number] = row, _cells_of(row)
                last = self.index(number, len(_COLUMNS) - 1)
                self.dataChanged.emit(self.index(number, 0), last)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._cells[index.row()][index.column()]
        if role == CELL:
            return cell
        if role == _ROLE.DisplayRole:
            return f"{cell.text} {cell.below}".strip()
        if role == _ROLE.ToolTipRole:
            return plain_tip(cell.spoken)
        return cell.spoken if role == _ROLE.AccessibleTextRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        side = Qt.AlignmentFlag.AlignLeft if section == 0 else Qt.AlignmentFlag.AlignRight
        title, tip = _COLUMNS[section]
        if role == _ROLE.DisplayRole:
            return title
        if role == _ROLE.ToolTipRole:
            return tip
        return side | Qt.AlignmentFlag.AlignBottom if role == _ROLE.TextAlignmentRole else None


def _cells_of(row: Tally) -> tuple[Cell, ...]:
    name = species_words(row.species)
    times = "once" if row.n == 1 else f"{row.n} times"
    is_genuine = row.species == BONA_FIDE
    icon = species_icon_name(row.species)
    cells = (
        Cell(
            "Genuine" if is_genuine else name,
            times,
            icon,
            "muted",
            spoken=f"{name}, presented {times}",
        ),
        _count(row.n_accepted, "accepted", is_error=not is_genuine),
        _count(row.n_refused, "refused", is_error=is_genuine),
        _count(row.n_no_response, "without response", is_error=False),
        _rate(row),
    )
    return (cells[0], *(replace(cell, is_right=True) for cell in cells[1:]))


def _count(count: int, what: str, *, is_error: bool) -> Cell:
    if not count or not is_error:
        return Cell(str(count), role="text" if count else "faint", spoken=f"{count} {what}")
    below, spoken = "error" if count == 1 else "errors", f"{count} {what}: an error"
    return Cell(str(count), below, "error", "bad", "bad", is_marked=True, spoken=spoken)


def _rate(row: Tally) -> Cell:
    errors = row.errors
    if errors.value is None:
        spoken = "No response yet, so there is no error rate."
        return Cell("\N{EN DASH}", "no response", role="muted", spoken=spoken)
    low, high = (percent(end) for end in errors.interval)
    rate = f"{rate_name(row.species)} {percent(errors.value)}"
    spoken = f"{rate}: {errors.n_errors} of {errors.n}, exact 95 % interval {low} to {high}"
    # One sign of per cent for both ends keeps the column narrow.
    return Cell(rate, f"{low.removesuffix(NO_BREAK + '%')} to {high}", spoken=spoken)


class TallyTable(QTableView):
    """The tally, as high as its rows: it never scrolls by itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = TallyModel(self)
        self._delegate = TwoLineDelegate(self)
        self.setModel(self._model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Tally of the presentations")
        self.setFrameShape(QFrame.Shape.NoFrame)
        read_only(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(1)
        header.setStyleSheet("QHeaderView::section { padding: 4px 6px; font-weight: normal; }")
        # Flush with the card around it; only the keyboard's focus draws a frame.
        self.setStyleSheet(
            "QTableView { border: 2px solid transparent; }"
            "QTableView:focus { border-color: palette(highlight); }"
        )
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._fit()

    def show_rows(self, rows: Sequence[Tally]) -> None:
        """Show a tally; only rows that changed are touched."""
        self._model.show_rows(rows)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the pictures where the names need their room."""
        super().resizeEvent(event)
        room = self.fontMetrics().averageCharWidth() * _ROOM_FOR_ICONS
        self._delegate.first_has_icons = self.columnWidth(0) >= room

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        height = self._delegate.row_height(self.font())
        self.verticalHeader().setDefaultSectionSize(height)
        # Four pixels for the ring that shows the keyboard's focus.
        whole = self.horizontalHeader().sizeHint().height() + height * self._model.rowCount() + 4
        self.setFixedHeight(whole)
