"""The tally of a test: error rates by species, and the list of presentations."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.names import counted
from app.qt.charts.format import decimals, percent
from app.qt.pages.guided_test.species import (
    MARGIN,
    bound_text,
    judgement,
    outcome_text,
    rate_name,
    species_icon_name,
    species_title,
)
from app.qt.theme import GRID, set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import FlowRow, add_action, as_high_as_rows, button, read_only, vbox
from app.qt.widgets.rows import KEY, update_items
from app.qt.widgets.texts import StepHeading, plain_tip, set_text, wrapped
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.presentation import Presentation, Tally
from app.types import BONA_FIDE

_COLUMNS = (
    ("Presented", "What was presented, and how often."),
    ("Accepted", "Judged genuine: an error for an attack."),
    ("Refused", "Judged an attack: an error for a genuine person."),
    ("No\nresponse", "Not judged: no face or a poor picture."),
    (
        "Error rate\n(95 %)",
        "APCER is the proportion of attacks accepted, BPCER that of genuine presentations "
        "refused, among those with a response; below is the exact 95 % interval.",
    ),
)
"""Title and tool tip of each column."""

_N_SHOWN = 6
"""Visible rows in the list of presentations."""

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _cells(row: Tally) -> tuple[tuple[str, str], ...]:
    """Return text and icon of each cell."""
    times = "once" if row.n == 1 else f"{row.n} times"
    accepted, refused = str(row.n_accepted), str(row.n_refused)
    errors = f"{row.errors.n_errors}\n{'error' if row.errors.n_errors == 1 else 'errors'}"
    has_errors = row.errors.n_errors > 0
    rate = "\N{EN DASH}\nno response"
    if row.errors.value is not None:
        low, high = row.errors.interval
        rate = f"{rate_name(row.species)} {percent(row.errors.value)}"
        rate += f"\n{decimals(100 * low, 1)} to {percent(high)}"
    return (
        (f"{species_title(row.species)}\n{times}", species_icon_name(row.species)),
        (errors, "error") if has_errors and row.is_attack else (accepted, ""),
        (errors, "error") if has_errors and not row.is_attack else (refused, ""),
        (str(row.n_no_response), ""),
        (rate, ""),
    )


class TallyTable(QTableWidget):
    """The tally, as high as its rows, so that it never scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_COLUMNS), parent)
        self.setAccessibleName("Tally of the presentations")
        read_only(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        as_high_as_rows(self)
        for column, (title, tip) in enumerate(_COLUMNS):
            head = QTableWidgetItem(title)
            head.setToolTip(tip)
            head.setTextAlignment(_RIGHT if column else _LEFT)
            self.setHorizontalHeaderItem(column, head)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def show_rows(self, rows: Sequence[Tally]) -> None:
        """Show a tally, genuine presentations first."""
        self.setRowCount(len(rows))
        # In a narrow window its place is needed for the names.
        self.setColumnHidden(3, not any(row.n_no_response for row in rows))
        for number, row in enumerate(sorted(rows, key=lambda row: row.species != BONA_FIDE)):
            for column, (text, shape) in enumerate(_cells(row)):
                item = QTableWidgetItem(text)
                item.setToolTip(plain_tip(text))
                if shape:
                    item.setIcon(icon(shape, "bad" if column else "muted"))
                if column:
                    item.setTextAlignment(_RIGHT)
                self.setItem(number, column, item)


class PresentationList(QListWidget):
    """Presentations, newest first; the Del key or the menu deletes selected ones."""

    removal_requested = Signal(int)
    """Number of a presentation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presentations: Sequence[Presentation] = ()
        """Referenced, because the keys of the items contain their ids."""
        self.setAccessibleName("Presentations, newest first")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        add_action(self, "Delete", self.remove_selected, *keys)

    def show_presentations(self, presentations: Sequence[Presentation]) -> None:
        """Show presentations, given oldest first; unchanged items are kept."""
        newest_first = presentations[::-1]
        # Keys use the identity, because comparing presentations compares all their frames.
        self._presentations = presentations
        keys = [(presentation.number, id(presentation)) for presentation in newest_first]
        update_items(self, keys, lambda row: _item_of(newest_first[row]))
        height = min(self.count(), _N_SHOWN) * self.sizeHintForRow(0) + 2 * self.frameWidth()
        self.setFixedHeight(height)

    @Slot()
    def remove_selected(self) -> None:
        numbers = [item.data(KEY)[0] for item in self.selectedItems()]
        for number in sorted(numbers, reverse=True):
            self.removal_requested.emit(number)


def _item_of(presentation: Presentation) -> QListWidgetItem:
    score, n = presentation.score, len(presentation.scores)
    parts = [
        f"No. {presentation.number}",
        "no score" if score is None else f"score {score:.3f}",
        counted(n, "frame"),
        *(["simulated"] if presentation.is_simulated else []),
    ]
    text = f"{outcome_text(presentation)}\n{', '.join(parts)}"
    item = QListWidgetItem(icon(*judgement(presentation)), text)
    item.setToolTip(plain_tip(text))
    return item


# Upper ends of exact two-sided 95 % intervals for 0 errors, rounded.
_RULE = (
    "Without an error, 10 presentations still allow an error rate of up to 31 %, 30 of up to 12 %, "
    "100 of up to 3.6 %."
)


class TallyCard(QFrame):
    """A card with the bound on the error rate, the tally and the list of presentations."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._guided_test = GuidedTestState()
        self._bound = wrapped()
        self._table = TallyTable()
        self._list_title = wrapped("Presentations, newest first", "muted")
        self._list = PresentationList()
        self._list.itemSelectionChanged.connect(self._on_selected)
        self.removal_requested = self._list.removal_requested
        tip = "Delete the selected presentations (Del)."
        self._remove = button("Delete selected", "delete", self._list.remove_selected, tip=tip)
        tip = "Save this session to continue it later, and start another."
        self.close_button = button("Save for later", "save", tip=tip)
        tip = "Discard all presentations and start again."
        self.clear_button = button("New session…", tip=tip)
        self._buttons = FlowRow(gap=GRID)
        self._buttons.add(self._remove, self.close_button, self.clear_button)
        vbox(
            self,
            StepHeading(3, "Repeat: more presentations, more certainty"),
            self._bound,
            wrapped(_RULE, "small"),
            self._table,
            self._list_title,
            self._list,
            self._buttons,
            margins=MARGIN,
            spacing=MARGIN,
        )
        self._on_selected()
        self._show_parts()

    def show_guided_test(self, guided_test: GuidedTestState) -> None:
        before, self._guided_test = self._guided_test, guided_test
        if guided_test.tally != before.tally:
            self._table.show_rows(guided_test.tally)
        if guided_test.presentations != before.presentations:
            self._list.show_presentations(guided_test.presentations)
            self._show_parts()

    def show_species(self, species: str) -> None:
        """Show the bound on the error rate of a species."""
        text = f"{species_title(species)}: not presented yet." if species else ""
        for row in self._guided_test.tally:
            if row.species == species:
                text = bound_text(row)
        set_text(self._bound, text)

    @Slot()
    def _on_selected(self) -> None:
        self._remove.setEnabled(bool(self._list.selectedItems()))

    def _show_parts(self) -> None:
        for widget in (self._table, self._list_title, self._list, self._buttons):
            widget.setVisible(bool(self._guided_test.presentations))
