"""The step in which presentations are repeated: what they say so far, and each of them."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QWidget

from app.qt.pages.guided_test.present_card import MARGIN
from app.qt.pages.guided_test.presentation_list import PresentationList
from app.qt.pages.guided_test.species import NO_BREAK, bound_words, species_words
from app.qt.pages.guided_test.tally_table import TallyTable
from app.qt.theme import GRID, set_class
from app.qt.widgets.flow import FlowRow
from app.qt.widgets.layout import button, vbox
from app.qt.widgets.marks import StepHeading
from app.qt.widgets.texts import set_text, wrapped
from app.session.guided_test.guided_test import GuidedTestState

# Exact two-sided 95 % intervals of 0 errors, rounded: facts, not computed here.
_RULE = "10 presentations without an error still leave up to 31 % possible; 30: 12 %; 100: 3.6 %."


class TallyCard(QFrame):
    """A card with the bound on the error rate, the tally and the list of presentations."""

    removal_requested = Signal(int)
    """Number of a presentation that is to be dropped."""
    clear_requested = Signal()
    """All presentations are to be dropped; not confirmed yet."""
    close_requested = Signal()
    """The session is to be put away, for another day."""

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
        """Say what the presentations of one species allow to conclude."""
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
            "Drop what is selected in the list (Delete)."
            if n
            else "Select presentations in the list first."
        )

    def _show_parts(self) -> None:
        for widget in (self._table, self._list_title, self._list, self._buttons):
            widget.setVisible(bool(self._guided_test.presentations))
