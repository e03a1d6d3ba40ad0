"""The live tally of a test: one row for every species, with its error rate and how sure that is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from app.qt.views.parts.texts import plain_tip
from app.qt.views.trial.species_icons import species_icon_name
from app.qt.views.trial.trial_words import (
    NO_BREAK,
    n_errors,
    n_responses,
    percent,
    rate_name,
    species_words,
)
from app.qt.views.trial.two_line_delegate import CELL, Cell, TwoLineDelegate
from app.session.guided_test.state import TallyRow
from app.types import BONA_FIDE

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

SPECIES_COLUMN, ACCEPTED_COLUMN, REFUSED_COLUMN, NO_RESPONSE_COLUMN, RATE_COLUMN = range(5)

_ROOM_FOR_ICONS = 18
"""Widths of an average letter that the first column needs to show pictures as well."""


class TallyModel(QAbstractTableModel):
    """The rows as `Cell` values, with every cell in words as well.

    Parameters
    ----------
    parent : QObject, optional
        Who owns it.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[TallyRow] = []
        self._cells: list[tuple[Cell, ...]] = []

    @property
    def rows(self) -> tuple[TallyRow, ...]:
        """What is shown."""
        return tuple(self._rows)

    def show_rows(self, rows: Sequence[TallyRow]) -> None:
        """Show a tally; only rows that changed are touched."""
        wanted = sorted(rows, key=lambda row: row.species != BONA_FIDE)
        if [row.species for row in wanted] != [row.species for row in self._rows]:
            self.beginResetModel()
            self._rows = wanted
            self._cells = [self._cells_of(row) for row in wanted]
            self.endResetModel()
            return
        for number, row in enumerate(wanted):
            if row != self._rows[number]:
                self._rows[number] = row
                self._cells[number] = self._cells_of(row)
                self.dataChanged.emit(self.index(number, 0), self.index(number, RATE_COLUMN))

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Return how many species there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else RATE_COLUMN + 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, its words, or the `Cell` itself."""
        if not index.isValid():
            return None
        cell = self._cells[index.row()][index.column()]
        if role == CELL:
            return cell
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{cell.text} {cell.below}".strip()
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            is_tip = role == Qt.ItemDataRole.ToolTipRole
            return plain_tip(cell.spoken) if is_tip else cell.spoken
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Return a column's title and what it counts."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                self.tr("Presented"),
                self.tr("Accepted"),
                self.tr("Refused"),
                self.tr("No\nresponse"),
                self.tr("Error rate\n(95 %)"),
            )[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return (
                self.tr("What was presented, and how often."),
                self.tr("Taken for genuine: an error where it was an attack."),
                self.tr("Taken for an attack: an error where it was a genuine person."),
                self.tr("Neither: no face or a poor picture."),
                self.tr(
                    "APCER is the share of attacks accepted, BPCER that of genuine presentations "
                    "refused, both of those with a response; below it the exact 95 % interval."
                ),
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == 0 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignBottom
        return None

    def _cells_of(self, row: TallyRow) -> tuple[Cell, ...]:
        name = species_words(row.species)
        times = self.tr("once") if row.n == 1 else self.tr("{n} times").format(n=row.n)
        is_genuine = row.species == BONA_FIDE
        short = self.tr("Genuine") if is_genuine else name
        accepted = self._count(row.n_accepted, is_error=not is_genuine)
        refused = self._count(row.n_refused, is_error=is_genuine)
        none = Cell(
            str(row.n_no_response),
            role="text" if row.n_no_response else "faint",
            is_right=True,
        )
        cells = (
            Cell(short, times, icon=species_icon_name(row.species), icon_role="muted"),
            accepted,
            refused,
            none,
            self._rate(row),
        )
        spoken = (
            self.tr("{name}, presented {times}").format(name=name, times=times),
            self._spoken_count(self.tr("accepted"), row.n_accepted, accepted.is_marked),
            self._spoken_count(self.tr("refused"), row.n_refused, refused.is_marked),
            self._spoken_count(self.tr("without response"), row.n_no_response, False),
            self._spoken_rate(row),
        )
        return tuple(replace(cell, spoken=words) for cell, words in zip(cells, spoken, strict=True))

    def _count(self, count: int, *, is_error: bool) -> Cell:
        if not count or not is_error:
            return Cell(str(count), role="text" if count else "faint", is_right=True)
        below = self.tr("error") if count == 1 else self.tr("errors")
        return Cell(str(count), below, "error", "bad", role="bad", is_marked=True, is_right=True)

    def _rate(self, row: TallyRow) -> Cell:
        if row.rate is None:
            return Cell("\N{EN DASH}", self.tr("no response"), role="muted", is_right=True)
        low, high = (percent(end) for end in row.interval)
        text = f"{rate_name(row)} {percent(row.rate)}"
        # One sign of per cent for both ends keeps the column narrow.
        below = self.tr("{low} to {high}").format(low=low.removesuffix(f"{NO_BREAK}%"), high=high)
        return Cell(text, below, is_right=True)

    def _spoken_count(self, what: str, count: int, is_error: bool) -> str:
        if not is_error:
            return f"{count} {what}"
        return self.tr("{count} {what}: an error").format(count=count, what=what)

    def _spoken_rate(self, row: TallyRow) -> str:
        if row.rate is None:
            return self.tr("No response yet, so there is no error rate.")
        low, high = (percent(end) for end in row.interval)
        told = self.tr("{rate}: {wrong} of {n}, exact 95 % interval {low} to {high}")
        return told.format(
            rate=f"{rate_name(row)} {percent(row.rate)}",
            wrong=n_errors(row),
            n=n_responses(row),
            low=low,
            high=high,
        )


class TallyTable(QTableView):
    """The tally, as high as its rows: it never scrolls by itself.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = TallyModel(self)
        self._delegate = TwoLineDelegate(self)
        self.setModel(self._model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(self.tr("Tally of the presentations"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(1)
        header.setStyleSheet("QHeaderView::section { padding: 4px 6px; font-weight: normal; }")
        # Flush with the card around it; only the keyboard's focus draws a frame.
        self.setStyleSheet(
            "QTableView { border: 2px solid transparent; }"
            "QTableView:focus { border-color: palette(highlight); }"
        )
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(SPECIES_COLUMN, QHeaderView.ResizeMode.Stretch)
        self._fit()

    def show_rows(self, rows: Sequence[TallyRow]) -> None:
        """Show a tally; only rows that changed are touched."""
        if tuple(rows) == self._model.rows:
            return
        n_before = self._model.rowCount()
        self._model.show_rows(rows)
        if self._model.rowCount() != n_before:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the pictures where the names need their room."""
        super().resizeEvent(event)
        room = self.fontMetrics().averageCharWidth() * _ROOM_FOR_ICONS
        self._delegate.first_has_icons = self.columnWidth(SPECIES_COLUMN) >= room

    def changeEvent(self, event: QEvent) -> None:
        """Fit the rows to another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        height = self._delegate.row_height(self.font())
        self.verticalHeader().setDefaultSectionSize(height)
        # Four pixels for the ring that shows the keyboard's focus.
        whole = self.horizontalHeader().sizeHint().height() + height * self._model.rowCount() + 4
        self.setFixedHeight(whole)
