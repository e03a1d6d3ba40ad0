"""The step in which presentations are repeated: what they say so far, and each of them."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.theme import GRID, set_class
from app.qt.views.trial.choice_grid import ButtonRow
from app.qt.views.trial.presentation_list import PresentationList
from app.qt.views.trial.step_heading import MARGIN, StepHeading
from app.qt.views.trial.tally_table import TallyTable
from app.qt.views.trial.trial_words import NO_BREAK, bound_words, species_words
from app.session.guided_test.state import TrialState


class TallyCard(QFrame):
    """A card with the bound on the error rate, the tally and the list of presentations.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

    removal_requested = Signal(int)
    """Number of a presentation that is to be dropped."""
    clear_requested = Signal()
    """All presentations are to be dropped; not confirmed yet."""
    close_requested = Signal()
    """The session is to be put away, for another day."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._trial = TrialState()
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GRID + 4)
        column.addWidget(StepHeading(3, self.tr("Repeat: the more presentations, the surer")))
        self._bound = QLabel()
        self._bound.setWordWrap(True)
        column.addWidget(self._bound)
        # Exact two-sided 95 % intervals of 0 errors, rounded: facts, not computed here.
        rule = QLabel(
            self.tr(
                "10 presentations without an error still leave up to 31 % possible; "
                "30: 12 %; 100: 3.6 %."
            )
            .replace(" %", f"{NO_BREAK}%")
            .replace(": ", f":{NO_BREAK}")
        )
        rule.setWordWrap(True)
        set_class(rule, "small")
        column.addWidget(rule)
        self._table = TallyTable()
        column.addWidget(self._table)
        self._list_title = QLabel(self.tr("Presentations, newest first"))
        set_class(self._list_title, "muted")
        column.addWidget(self._list_title)
        self._list = PresentationList()
        self._list.removal_requested.connect(self.removal_requested)
        self._list.selected.connect(self._on_selected)
        column.addWidget(self._list)
        self._remove = QPushButton(icon("delete"), self.tr("Remove selected"))
        self._remove.clicked.connect(self._list.remove_selected)
        self._close = QPushButton(icon("save"), self.tr("Continue another day"))
        self._close.setToolTip(
            self.tr("Put this session away on disk and begin another; it can be continued.")
        )
        self._close.clicked.connect(self.close_requested)
        self._clear = QPushButton(self.tr("New session..."))
        self._clear.setToolTip(self.tr("Drop all presentations and begin again; asks first."))
        self._clear.clicked.connect(self.clear_requested)
        buttons = ButtonRow(GRID)
        buttons.set_members([self._remove, self._close, self._clear])
        column.addWidget(buttons)
        self._on_selected(0)
        self._show_parts()

    def show_trial(self, trial: TrialState) -> None:
        """Show a session's tally and presentations."""
        before, self._trial = self._trial, trial
        if trial.tally != before.tally:
            self._table.show_rows(trial.tally)
        if trial.presentations != before.presentations:
            self._list.show_presentations(trial.presentations)
            self._show_parts()

    def show_species(self, species: str) -> None:
        """Say what the presentations of one species allow to conclude."""
        rows = [row for row in self._trial.tally if row.species == species]
        if rows:
            told = bound_words(rows[0])
        elif species:
            told = self.tr("{what}: not presented yet.").format(what=species_words(species))
        else:
            told = self.tr("Nothing of this kind was presented yet.")
        if self._bound.text() != told:
            self._bound.setText(told)

    @Slot(int)
    def _on_selected(self, n: int) -> None:
        self._remove.setEnabled(n > 0)
        self._remove.setToolTip(
            self.tr("Drop what is selected in the list (Delete).")
            if n
            else self.tr("Select presentations in the list first.")
        )

    def _show_parts(self) -> None:
        is_there = bool(self._trial.presentations)
        buttons = (self._remove, self._close, self._clear)
        for widget in (self._table, self._list_title, self._list, *buttons):
            widget.setVisible(is_there)
