"""The plan of a test: which one, what is still to do, and what the finished test will say."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.qt.icons import icon
from app.qt.theme import GRID, set_class
from app.qt.views.dialogs.settings_fields import CalmComboBox
from app.qt.views.trial.step_heading import MARGIN
from app.qt.views.trial.trial_words import percent, species_words
from app.session.guided_test.state import PlannedRow, PlanProgress
from app.types import BONA_FIDE


class PlanCard(QFrame):
    """A card with the choice of a plan and a row for every species of it.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

    plan_chosen = Signal(str)
    """Name of a plan; empty for none."""
    plan_opened = Signal(str)
    """Path of a plan's file."""
    species_chosen = Signal(str)
    """A species of the plan that is to be presented next."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._plan: PlanProgress | None = None
        self._names: tuple[str, ...] = ()
        self._rows: dict[str, tuple[QLabel, QLabel]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GRID)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        column.addLayout(row)
        title = QLabel(self.tr("Test &plan"))
        set_class(title, "heading")
        row.addWidget(title)
        self.choice = CalmComboBox()
        self.choice.setAccessibleName(self.tr("Test plan"))
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.choice.activated.connect(self._on_chosen)
        title.setBuddy(self.choice)
        row.addWidget(self.choice, 1)
        self.open_button = QPushButton(icon("open"), self.tr("Open..."))
        self.open_button.setToolTip(self.tr("Use a plan of your own, a TOML file."))
        self.open_button.clicked.connect(self.ask_for_file)
        row.addWidget(self.open_button)
        self._note = QLabel()
        self._note.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        set_class(self._note, "small")
        column.addWidget(self._note)
        self._left = QLabel()
        self._left.setWordWrap(True)
        column.addWidget(self._left)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        column.addLayout(self._grid)
        self.show_plans(())
        self._refresh()

    def show_plans(self, names: tuple[str, ...]) -> None:
        """Offer these plans."""
        self._names = names
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItem(self.tr("None: present what you like"), "")
            for name in names:
                self.choice.addItem(name, name)
        self._show_chosen()

    def show_plan(self, plan: PlanProgress | None) -> None:
        """Show how far a plan is; cheap when nothing changed."""
        if plan == self._plan:
            return
        self._plan = plan
        self._show_chosen()
        self._refresh()

    @property
    def next_species(self) -> str:
        """What the plan wants next: of what is still to do, that with the smallest share made."""
        rows = [] if self._plan is None else [row for row in self._plan.rows if row.n_left]
        return min(rows, key=lambda row: row.n_made / row.n_wanted).species if rows else ""

    def is_wanted(self, species: str) -> bool:
        """Whether the plan still wants presentations of a species."""
        rows = () if self._plan is None else self._plan.rows
        return any(row.species == species and row.n_left for row in rows)

    @Slot()
    def ask_for_file(self) -> None:
        """Ask for a plan's file."""
        path, _ = QFileDialog.getOpenFileName(
            self, self.tr("Open a test plan"), "", self.tr("Test plans (*.toml);;All files (*)")
        )
        if path:
            self.plan_opened.emit(path)

    @Slot(int)
    def _on_chosen(self, place: int) -> None:
        self.plan_chosen.emit(str(self.choice.itemData(place)))

    def _show_chosen(self) -> None:
        name = self._plan.name if self._plan else ""
        with QSignalBlocker(self.choice):
            if name and name not in self._names:
                self._names = (*self._names, name)
                self.choice.addItem(name, name)
            self.choice.setCurrentIndex(self.choice.findData(name))

    def _refresh(self) -> None:
        plan = self._plan
        rows = plan.rows if plan else ()
        if tuple(self._rows) != tuple(row.species for row in rows):
            self._make_rows(rows)
        for row in rows:
            made, bound = self._rows[row.species]
            made.setText(self.tr("{made} of {wanted}").format(made=row.n_made, wanted=row.n_wanted))
            bound.setText(self.tr("at most {bound}").format(bound=percent(row.bound)))
            bound.setToolTip(self._promise(row))
        self._note.setText(plan.note if plan else "")
        self._note.setVisible(bool(plan and plan.note))
        self._left.setVisible(plan is not None)
        if plan is None:
            return
        if plan.n_left:
            text = self.tr("{left} of {all} presentations are still to do.")
        else:
            text = self.tr("All {all} presentations are made.")
        self._left.setText(text.format(left=plan.n_left, all=plan.n_wanted))

    def _promise(self, row: PlannedRow) -> str:
        rate = "BPCER" if row.species == BONA_FIDE else "APCER"
        text = self.tr(
            "Upper end of the exact 95 % interval of {rate} once all are made: {errors} errors so "
            "far, and none in the {left} to come."
        )
        return text.format(rate=rate, errors=row.n_errors, left=row.n_left)

    def _make_rows(self, rows: tuple[PlannedRow, ...]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._rows = {}
        if not rows:
            return
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        titles = (self.tr("Present"), self.tr("Made"), self.tr("If no more errors"))
        for column, text in enumerate(titles):
            heading = QLabel(text)
            set_class(heading, "small")
            self._grid.addWidget(heading, 0, column, right if column else Qt.AlignmentFlag(0))
        for number, row in enumerate(rows, start=1):
            what = species_words(row.species)
            button = QToolButton()
            most = 26 * self.fontMetrics().averageCharWidth()
            button.setText(self.fontMetrics().elidedText(what, Qt.TextElideMode.ElideRight, most))
            button.setToolTip(self.tr("Choose this: {what}.").format(what=what))
            button.setProperty("species", row.species)
            button.clicked.connect(self._on_species)
            made, bound = QLabel(), QLabel()
            self._grid.addWidget(button, number, 0, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(made, number, 1, right)
            self._grid.addWidget(bound, number, 2, right)
            self._rows[row.species] = (made, bound)

    @Slot()
    def _on_species(self) -> None:
        self.species_chosen.emit(str(self.sender().property("species")))
