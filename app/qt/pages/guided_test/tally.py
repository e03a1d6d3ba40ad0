"""The tally of a test: the error rates by species, and every presentation."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.names import counted
from app.qt.pages.guided_test.cards import MARGIN
from app.qt.pages.guided_test.species import (
    NO_BREAK,
    bound_words,
    is_error,
    judgement,
    outcome_words,
    percent,
    rate_name,
    species_icon_name,
    species_words,
)
from app.qt.theme import GRID, set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import FlowRow, add_action, as_high_as_rows, button, read_only, vbox
from app.qt.widgets.rows import CELL, KEY, Cell, TwoLineDelegate, update_items
from app.qt.widgets.texts import StepHeading, plain_tip, set_text, wrapped
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.presentation import Presentation, Tally
from app.types import BONA_FIDE

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


class TallyTable(QTableWidget):
    """The tally, as high as its rows: it never scrolls by itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_COLUMNS), parent)
        self._rows: list[Tally] = []
        self._delegate = TwoLineDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Tally of the presentations")
        self.setFrameShape(QFrame.Shape.NoFrame)
        read_only(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        as_high_as_rows(self)
        for column, (title, tip) in enumerate(_COLUMNS):
            head = QTableWidgetItem(title)
            head.setToolTip(tip)
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            head.setTextAlignment(side | Qt.AlignmentFlag.AlignBottom)
            self.setHorizontalHeaderItem(column, head)
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

    def show_rows(self, rows: Sequence[Tally]) -> None:
        """Show a tally, genuine presentations first; only rows that changed are touched."""
        before, self._rows = self._rows, sorted(rows, key=lambda row: row.species != BONA_FIDE)
        self.setRowCount(len(rows))
        for number, row in enumerate(self._rows):
            if before[number : number + 1] != [row]:
                for column, cell in enumerate(_cells_of(row)):
                    item = QTableWidgetItem(f"{cell.text} {cell.below}".strip())
                    _describe(item, cell)
                    self.setItem(number, column, item)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the pictures where the names need their room."""
        super().resizeEvent(event)
        room = self.fontMetrics().averageCharWidth() * _ROOM_FOR_ICONS
        self._delegate.first_has_icons = self.columnWidth(0) >= room


ROWS_SHOWN = 6
"""With more presentations than these the list scrolls."""


def _cell_of(presentation: Presentation) -> Cell:
    score, n = presentation.score, len(presentation.scores)
    parts = [
        f"No. {presentation.number}",
        "no score" if score is None else f"score {score:.3f}",
        counted(n, "frame"),
        *(["simulated"] if presentation.is_simulated else []),
    ]
    role = "bad" if is_error(presentation) else "text"
    text, below = outcome_words(presentation), ", ".join(parts)
    return Cell(text, below, *judgement(presentation), role, spoken=f"{text}. {below}")


def _describe(item: QTableWidgetItem | QListWidgetItem, cell: Cell) -> None:
    item.setData(CELL, cell)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, cell.spoken)
    item.setToolTip(plain_tip(cell.spoken))


class PresentationList(QListWidget):
    """Presentations, newest first; Delete or the menu removes the selected ones."""

    removal_requested = Signal(int)
    """Number of a presentation."""

    selected = Signal(int)
    """How many presentations are selected now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presentations: Sequence[Presentation] = ()
        """Kept alive, because their ids are in the keys of the items."""
        self.setItemDelegate(TwoLineDelegate(self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Presentations, newest first")
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        self._remove = add_action(self, "Remove", self.remove_selected, *keys)
        self._remove.setIcon(icon("delete"))
        self.itemSelectionChanged.connect(self._on_selected)
        self.model().rowsRemoved.connect(self._on_selected)
        self._on_selected()

    def show_presentations(self, presentations: Sequence[Presentation]) -> None:
        """Show presentations, given oldest first; rows that stay are left alone."""
        newest_first = presentations[::-1]

        def make(row: int) -> QListWidgetItem:
            cell = _cell_of(newest_first[row])
            item = QListWidgetItem(cell.spoken)
            _describe(item, cell)
            return item

        # By identity: comparing presentations would go through all of their frames.
        self._presentations = presentations
        update_items(self, [(one.number, id(one)) for one in newest_first], make)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        # Four pixels for the ring that shows the keyboard's focus.
        return QSize(120, min(self.count(), ROWS_SHOWN) * self.sizeHintForRow(0) + 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @Slot()
    def remove_selected(self) -> None:
        numbers = [item.data(KEY)[0] for item in self.selectedItems()]
        for number in sorted(numbers, reverse=True):
            self.removal_requested.emit(number)

    @Slot()
    def _on_selected(self) -> None:
        n_selected = len(self.selectedItems())
        self._remove.setEnabled(n_selected > 0)
        self.selected.emit(n_selected)


# Exact two-sided 95 % intervals of 0 errors, rounded: facts, not computed here.
_RULE = "10 presentations without an error still leave up to 31 % possible; 30: 12 %; 100: 3.6 %."


class TallyCard(QFrame):
    """A card with the bound on the error rate, the tally and the list of presentations."""

    removal_requested = Signal(int)
    """Number of a presentation to drop."""
    clear_requested = Signal()
    """Drop all presentations; not confirmed yet."""
    close_requested = Signal()
    """Put the session away, for another day."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._guided_test = GuidedTestState()
        self._bound = wrapped()
        rule = _RULE.replace(" %", f"{NO_BREAK}%").replace(": ", f":{NO_BREAK}")
        self._table = TallyTable()
        self._list_title = wrapped("Presentations, newest first", "muted")
        self._list = PresentationList()
        self._list.removal_requested.connect(self.removal_requested)
        self._list.selected.connect(self._on_selected)
        self._remove = button("Remove selected", "delete", self._list.remove_selected)
        self._close = button(
            "Continue another day",
            "save",
            self.close_requested,
            tip="Put this session away on disk and begin another; it can be continued.",
        )
        self._clear = button(
            "New session...",
            slot=self.clear_requested,
            tip="Drop all presentations and begin again; asks first.",
        )
        self._buttons = FlowRow(gap=GRID)
        self._buttons.add(self._remove, self._close, self._clear)
        vbox(
            self,
            StepHeading(3, "Repeat: the more presentations, the surer"),
            self._bound,
            wrapped(rule, "small"),
            self._table,
            self._list_title,
            self._list,
            self._buttons,
            margins=MARGIN,
            spacing=MARGIN,
        )
        self._on_selected(0)
        self._show_parts()

    def show_guided_test(self, guided_test: GuidedTestState) -> None:
        before, self._guided_test = self._guided_test, guided_test
        if guided_test.tally != before.tally:
            self._table.show_rows(guided_test.tally)
        if guided_test.presentations != before.presentations:
            self._list.show_presentations(guided_test.presentations)
            self._show_parts()

    def show_species(self, species: str) -> None:
        """Show the bound on the error rate of one species."""
        rows = [row for row in self._guided_test.tally if row.species == species]
        if rows:
            text = bound_words(rows[0])
        elif species:
            text = f"{species_words(species)}: not presented yet."
        else:
            text = "Nothing of this kind was presented yet."
        set_text(self._bound, text)

    @Slot(int)
    def _on_selected(self, n: int) -> None:
        self._remove.setEnabled(n > 0)
        self._remove.setToolTip(
            "Drop the presentations selected in the list (Delete)."
            if n
            else "Select presentations in the list first."
        )

    def _show_parts(self) -> None:
        for widget in (self._table, self._list_title, self._list, self._buttons):
            widget.setVisible(bool(self._guided_test.presentations))
