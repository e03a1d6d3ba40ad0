"""Cards of the Test page: the plan, the current presentation, and the report."""

from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel, QProgressBar, QToolButton, QWidget

from app.names import counted
from app.qt.charts.format import percent
from app.qt.pages.guided_test.species import MARGIN, judgement, rate_name, species_title
from app.qt.theme import GRID, set_class
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import FlowRow, button, clear, grid, hbox, vbox
from app.qt.widgets.texts import (
    ElidedLabel,
    MarkedText,
    StepHeading,
    caution,
    plain_caption,
    plain_tip,
    set_text,
    wrapped,
)
from app.reports.guided_test import ReportSummary
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.plans import PlannedRow, PlanProgress

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PlanCard(QFrame):
    """A card to choose a plan, with a row for each of its species."""

    plan_chosen = Signal(str)
    """Name of a plan; empty for none."""
    plan_opened = Signal(str)
    """Path of a plan file."""
    species_chosen = Signal(str)
    """The species to present next."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._plan: PlanProgress | None = None
        title = QLabel("Test &plan")
        set_class(title, "heading")
        self.choice = CalmComboBox()
        self.choice.setAccessibleName("Test plan")
        self.choice.keep_narrow(0)
        self.choice.activated.connect(self._on_chosen)
        title.setBuddy(self.choice)
        tip = "Use your own plan from a TOML file."
        self.open_button = button("Open…", "open", self.ask_for_file, tip=tip)
        self._note, self._remaining = wrapped("", "small"), wrapped()
        self._grid = grid(None, 2 * GRID, 2, 1)
        head = hbox(None, title, (self.choice, 1), self.open_button)
        vbox(self, head, self._note, self._remaining, self._grid, margins=MARGIN)
        self.show_plans(())
        self._refresh()

    @Slot(object)
    def show_plans(self, names: tuple[str, ...]) -> None:
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItem("None: present what you like", "")
            for name in names:
                self.choice.addItem(name, name)
        self._show_chosen()

    def show_plan(self, plan: PlanProgress | None) -> None:
        if plan == self._plan:
            return
        self._plan = plan
        self._show_chosen()
        self._refresh()

    def next_species(self, species: str) -> str:
        """Return the species to present next: the same one until the plan has enough of it."""
        left = [] if self._plan is None else [row for row in self._plan.rows if row.n_left]
        if not left or species in [row.species for row in left]:
            return species
        return min(left, key=lambda row: row.n_made / row.n_wanted).species

    @Slot()
    def ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self, "Open a test plan", "", "Test plans (*.toml);;All files (*)"
        )
        if path:
            self.plan_opened.emit(path)

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        self.plan_chosen.emit(str(self.choice.itemData(index)))

    def _show_chosen(self) -> None:
        name = self._plan.name if self._plan else ""
        with QSignalBlocker(self.choice):
            if name and self.choice.findData(name) < 0:
                self.choice.addItem(name, name)
            self.choice.setCurrentIndex(self.choice.findData(name))

    def _refresh(self) -> None:
        plan = self._plan
        set_text(self._note, plan.note if plan else "")
        remaining = ""
        if plan and plan.n_left:
            remaining = f"{plan.n_left} of {plan.n_wanted} presentations remain."
        elif plan:
            remaining = f"All {plan.n_wanted} presentations are done."
        set_text(self._remaining, remaining)
        clear(self._grid)
        if plan:
            for column, text in enumerate(("Present", "Done", "If no more errors")):
                align = _RIGHT if column else Qt.AlignmentFlag.AlignLeft
                self._grid.addWidget(QLabel(text), 0, column, align)
            last: QWidget = self.open_button
            for number, row in enumerate(plan.rows, start=1):
                chooser = self._add_row(number, row)
                QWidget.setTabOrder(last, chooser)
                last = chooser

    def _add_row(self, number: int, row: PlannedRow) -> QWidget:
        """Add a row to the plan; return the button that chooses its species."""
        title = species_title(row.species)
        metrics = self.fontMetrics()
        room = 26 * metrics.averageCharWidth()
        chooser = QToolButton()
        short = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
        chooser.setText(plain_caption(short))
        chooser.setToolTip(plain_tip(f"Choose this: {title}."))
        chooser.clicked.connect(partial(self.species_chosen.emit, row.species))
        bound = QLabel(f"at most {percent(row.bound)}")
        bound.setToolTip(
            f"Upper end of the exact 95 % interval of {rate_name(row.species)} when all are "
            f"done, with {counted(row.n_errors, 'error')} so far and none in the {row.n_left} left."
        )
        done = QLabel(f"{row.n_made} of {row.n_wanted}")
        self._grid.addWidget(chooser, number, 0, Qt.AlignmentFlag.AlignLeft)
        self._grid.addWidget(done, number, 1, _RIGHT)
        self._grid.addWidget(bound, number, 2, _RIGHT)
        return chooser


class PresentCard(QFrame):
    """A card with the buttons Present and Stop, a progress bar and a hint."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._newest = 0
        self._outcome = ""
        self._heading = StepHeading(2)
        self.present_button = button("Present", "play", kind="primary")
        tip = "End the presentation now; it counts if it can already be judged (Esc)."
        self.stop_button = button("Stop", "stop", tip=tip)
        self.stop_button.setEnabled(False)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName("Progress of the presentation")
        self.hint = MarkedText()
        buttons = hbox(None, (self.present_button, 1), self.stop_button)
        parts = (self._heading, buttons, self.bar, self.hint)
        vbox(self, *parts, margins=MARGIN, spacing=MARGIN)
        self.set_simulated(False)

    def show_guided_test(self, guided_test: GuidedTestState) -> None:
        """Show the progress of the presentation, or the outcome of the last one."""
        is_presenting = bool(guided_test.presenting)
        self.bar.setValue(round(100 * guided_test.progress) if is_presenting else 0)
        newest = guided_test.presentations[-1] if guided_test.presentations else None
        number = newest.number if newest else 0
        if newest is not None and number > self._newest and not is_presenting:
            self._outcome = guided_test.hint
            self.hint.set_icon(*judgement(newest))
        elif guided_test.hint != self._outcome or number < self._newest:
            self._outcome = ""
            self.hint.set_icon("")
        self.hint.show_text(guided_test.hint)
        self._newest = number
        # Move the focus to the enabled button, for use by keyboard alone.
        had_focus = self.present_button.hasFocus() or self.stop_button.hasFocus()
        self.stop_button.setEnabled(is_presenting)
        self.present_button.setEnabled(not is_presenting)
        if had_focus:
            (self.stop_button if is_presenting else self.present_button).setFocus()

    def set_simulated(self, is_simulated: bool) -> None:
        self._heading.set_text(
            "Press Present: the demo shows it"
            if is_simulated
            else "Hold it in front of the camera, then press Present"
        )

    def set_possible(self, why_not: str, species: str) -> None:
        """Enable the presentation of a species, or show why it is not possible."""
        self.present_button.setEnabled(not why_not and not self.stop_button.isEnabled())
        text = f"Present: {species_title(species)}" if species else "Present"
        # A long typed name must not make the page wider than the window.
        room = self.fontMetrics().averageCharWidth() * 26
        text = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        self.present_button.setText(plain_caption(text))
        self.present_button.setToolTip(
            why_not or "Start judging what is in front of the camera (P)."
        )


class ReportPanel(QFrame):
    """A card with the figures of a report, and buttons to save and open it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._report: ReportSummary | None = None
        self._why_not = ""
        self._is_stale = False

        self._note = MarkedText(kind="muted")
        self._figures = grid(None, 2 * GRID, 6, 2, 3)
        self._warnings = vbox(None)
        self._missing = MarkedText("info", "accent")
        self._path = ElidedLabel()
        set_class(self._path, "small")
        self.make_button = button("Show figures", "report")
        self.save_button = button("Save report…", "save")
        self.open_button = button("Open in browser", "open")
        tip = "Enter who tested, with which instruments, and other details for evaluators."
        self.details_button = button("Details…", "enrol", tip=tip)
        buttons = FlowRow(gap=GRID)
        buttons.add(self.make_button, self.details_button, self.save_button, self.open_button)
        vbox(
            self,
            StepHeading(4, "Read and save the report"),
            self._note,
            self._figures,
            self._warnings,
            self._missing,
            self._path,
            buttons,
            margins=MARGIN,
            spacing=MARGIN,
        )
        self._refresh()

    @Slot(object)
    def show_report(self, report: ReportSummary | None) -> None:
        """Show a report of the current presentations, None for no report."""
        if report == self._report and not self._is_stale:
            return
        self._report, self._is_stale = report, False
        clear(self._figures)
        for row, figure in enumerate(report.figures if report else ()):
            for column, (text, kind) in enumerate(zip(figure, ("muted", ""), strict=True)):
                self._figures.addWidget(wrapped(text, kind), row, column)
        clear(self._warnings)
        for text in report.warnings if report else ():
            self._warnings.addWidget(caution(text, self))
        self._refresh()

    def set_stale(self) -> None:
        if self._report is not None and not self._is_stale:
            self._is_stale = True
            self._refresh()

    def set_why_not(self, why: str) -> None:
        """Set the reason why no report can be made; empty if one can."""
        if why != self._why_not:
            self._why_not = why
            self._refresh()

    def _refresh(self) -> None:
        report, why_not = self._report, self._why_not
        self.make_button.setVisible(report is None or self._is_stale)
        self.make_button.setText("Show figures" if report is None else "Update")
        self.make_button.setToolTip(why_not or "Compute the figures from all presentations.")
        for each in (self.make_button, self.save_button):
            each.setEnabled(not why_not)
        as_page = "Save the report as an HTML page, with JSON and CSV files beside it."
        self.save_button.setToolTip(why_not or as_page)
        html = report.html if report else ""
        self.open_button.setEnabled(bool(html))
        saved, unsaved = "Open the saved page in your browser.", "Save the report first."
        self.open_button.setToolTip(saved if html else unsaved)
        self._path.set_whole(f"Saved as {html}" if html else "")
        self._path.setToolTip(html)
        self._path.setVisible(bool(html))
        n = report.n_missing if report else 0
        self._missing.show_text(
            f"Missing: {counted(n, 'detail')} that evaluators expect." * (n > 0)
        )
        text, shape, role = "", "", "muted"
        if why_not:
            text, shape = why_not, "info"
        elif self._is_stale:
            shape, role = "warning", "caution"
            again = " and save the report again" if html else ""
            text = f"The presentations have changed: update the figures{again}."
        elif report is None:
            text = "Error rates with their intervals, and notes on their reliability."
        self._note.set_icon(shape, role)
        self._note.show_text(text)
