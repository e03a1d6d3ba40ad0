"""The plan of a test: which one, what is still to do, and what the finished test will say."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel, QToolButton, QWidget

from app.qt.pages.guided_test.present_card import MARGIN
from app.qt.pages.guided_test.species import percent, rate_name, species_words
from app.qt.theme import GRID, set_class
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import button, clear, grid, hbox, vbox
from app.qt.widgets.texts import set_text, wrapped
from app.session.guided_test.plans import PlannedRow, PlanProgress

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PlanCard(QFrame):
    """A card with the choice of a plan and a row for every species of it."""

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
        title = QLabel("Test &plan")
        set_class(title, "heading")
        self.choice = CalmComboBox()
        self.choice.setAccessibleName("Test plan")
        self.choice.keep_narrow(0)
        self.choice.activated.connect(self._on_chosen)
        title.setBuddy(self.choice)
        tip = "Use a plan of your own, a TOML file."
        self.open_button = button("Open...", "open", self.ask_for_file, tip=tip)
        self._note, self._left = wrapped("", "small"), wrapped()
        self._grid = grid(None, 2 * GRID, 2, 1)
        head = hbox(None, title, (self.choice, 1), self.open_button)
        vbox(self, head, self._note, self._left, self._grid, margins=MARGIN)
        self.show_plans(())
        self._refresh()

    def show_plans(self, names: tuple[str, ...]) -> None:
        self._names = names
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItem("None: present what you like", "")
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
        path, _ = QFileDialog.getOpenFileName(
            self, "Open a test plan", "", "Test plans (*.toml);;All files (*)"
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
        for each in rows:
            made, bound = self._rows[each.species]
            made.setText(f"{each.n_made} of {each.n_wanted}")
            bound.setText(f"at most {percent(each.bound)}")
            bound.setToolTip(
                f"Upper end of the exact 95 % interval of {rate_name(each.species)} once all are "
                f"made: {each.n_errors} errors so far, and none in the {each.n_left} to come."
            )
        set_text(self._note, plan.note if plan else "")
        left = ""
        if plan and plan.n_left:
            left = f"{plan.n_left} of {plan.n_wanted} presentations are still to do."
        elif plan:
            left = f"All {plan.n_wanted} presentations are made."
        set_text(self._left, left)

    def _make_rows(self, rows: tuple[PlannedRow, ...]) -> None:
        clear(self._grid)
        self._rows = {}
        titles = ("Present", "Made", "If no more errors") if rows else ()
        for place, text in enumerate(titles):
            heading = QLabel(text)
            set_class(heading, "small")
            self._grid.addWidget(heading, 0, place, _RIGHT if place else Qt.AlignmentFlag(0))
        metrics = self.fontMetrics()
        most = 26 * metrics.averageCharWidth()
        for number, each in enumerate(rows, start=1):
            what = species_words(each.species)
            chooser = QToolButton()
            chooser.setText(metrics.elidedText(what, Qt.TextElideMode.ElideRight, most))
            chooser.setToolTip(f"Choose this: {what}.")
            chooser.setProperty("species", each.species)
            chooser.clicked.connect(self._on_species)
            made, bound = self._rows[each.species] = QLabel(), QLabel()
            self._grid.addWidget(chooser, number, 0, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(made, number, 1, _RIGHT)
            self._grid.addWidget(bound, number, 2, _RIGHT)

    @Slot()
    def _on_species(self) -> None:
        self.species_chosen.emit(str(self.sender().property("species")))
