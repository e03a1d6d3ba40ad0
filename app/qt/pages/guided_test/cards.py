"""Cards of the Test page: the plan, the presentation under way, and the report."""

from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel, QProgressBar, QToolButton, QWidget

from app.names import counted
from app.qt.charts.format import percent
from app.qt.pages.guided_test.species import MARGIN, judgement, rate_name, species_words
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

    def after(self, species: str) -> str:
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
    def _on_chosen(self, place: int) -> None:
        self.plan_chosen.emit(str(self.choice.itemData(place)))

    def _show_chosen(self) -> None:
        name = self._plan.name if self._plan else ""
        with QSignalBlocker(self.choice):
            if name and self.choice.findData(name) < 0:
                self.choice.addItem(name, name)
            self.choice.setCurrentIndex(self.choice.findData(name))

    def _refresh(self) -> None:
        plan = self._plan
        set_text(self._note, plan.note if plan else "")
        left = ""
        if plan and plan.n_left:
            left = f"{plan.n_left} of {plan.n_wanted} presentations are still to do."
        elif plan:
            left = f"All {plan.n_wanted} presentations are made."
        set_text(self._left, left)
        clear(self._grid)
        if plan:
            for column, text in enumerate(("Present", "Made", "If no more errors")):
                align = _RIGHT if column else Qt.AlignmentFlag.AlignLeft
                self._grid.addWidget(QLabel(text), 0, column, align)
            last: QWidget = self.open_button
            for number, row in enumerate(plan.rows, start=1):
                chooser = self._add_row(number, row)
                QWidget.setTabOrder(last, chooser)
                last = chooser

    def _add_row(self, number: int, row: PlannedRow) -> QWidget:
        """Add a row to the plan; return the button that chooses its species."""
        what = species_words(row.species)
        metrics = self.fontMetrics()
        room = 26 * metrics.averageCharWidth()
        chooser = QToolButton()
        short = metrics.elidedText(what, Qt.TextElideMode.ElideRight, room)
        chooser.setText(plain_caption(short))
        chooser.setToolTip(plain_tip(f"Choose this: {what}."))
        chooser.clicked.connect(partial(self.species_chosen.emit, row.species))
        bound = QLabel(f"at most {percent(row.bound)}")
        bound.setToolTip(
            f"Upper end of the exact 95 % interval of {rate_name(row.species)} once all are "
            f"made: {row.n_errors} errors so far, and none in the {row.n_left} to come."
        )
        made = QLabel(f"{row.n_made} of {row.n_wanted}")
        self._grid.addWidget(chooser, number, 0, Qt.AlignmentFlag.AlignLeft)
        self._grid.addWidget(made, number, 1, _RIGHT)
        self._grid.addWidget(bound, number, 2, _RIGHT)
        return chooser


class PresentCard(QFrame):
    """A card with the buttons Present and Stop, a bar and a sentence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._newest = 0
        self._outcome = ""
        self._heading = StepHeading(2)
        self.present_button = button("Present", "play", kind="primary")
        tip = "End the presentation now; it counts if it can be judged already (Esc)."
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
        # The focus goes with what can be pressed, so that the keyboard alone suffices.
        had_focus = self.present_button.hasFocus() or self.stop_button.hasFocus()
        self.stop_button.setEnabled(is_presenting)
        self.present_button.setEnabled(not is_presenting)
        if had_focus:
            (self.stop_button if is_presenting else self.present_button).setFocus()

    def set_simulated(self, is_simulated: bool) -> None:
        self._heading.set_text(
            "Press Present: the demo holds it up"
            if is_simulated
            else "Hold it before the camera, then press Present"
        )

    def set_possible(self, why_not: str, species: str) -> None:
        """Allow a presentation of a species, or show why there cannot be one."""
        self.present_button.setEnabled(not why_not and not self.stop_button.isEnabled())
        text = f"Present: {species_words(species)}" if species else "Present"
        # A long typed name must not make the page wider than the window.
        room = self.fontMetrics().averageCharWidth() * 26
        text = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        self.present_button.setText(plain_caption(text))
        self.present_button.setToolTip(
            why_not or "Begin to judge what stands before the camera (P)."
        )


class ReportPanel(QFrame):
    """A card with the figures of a report and the ways to keep it."""

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
        self.save_button = button("Save report...", "save")
        self.open_button = button("Open in browser", "open")
        tip = "Say who tested, with what instruments, and what else an evaluator asks."
        self.details_button = button("Details...", "enrol", tip=tip)
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
        """Show a report that fits the presentations as they are, or that there is none."""
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
        """Set why no report can be made; empty when one can."""
        if why != self._why_not:
            self._why_not = why
            self._refresh()

    def _refresh(self) -> None:
        report, why_not = self._report, self._why_not
        self.make_button.setVisible(report is None or self._is_stale)
        self.make_button.setText("Show figures" if report is None else "Update")
        self.make_button.setToolTip(why_not or "Work out the figures from all presentations.")
        for each in (self.make_button, self.save_button):
            each.setEnabled(not why_not)
        as_page = "Save the report as a page that opens anywhere, with JSON and CSV beside it."
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
            f"Missing: {counted(n, 'detail')} that an evaluator expects." * (n > 0)
        )
        text, shape, role = "", "", "muted"
        if why_not:
            text, shape = why_not, "info"
        elif self._is_stale:
            shape, role = "warning", "caution"
            again = " and save them again" if html else ""
            text = f"Presentations changed since: update the figures{again}."
        elif report is None:
            text = "Error rates with their intervals, and what to bear in mind with them."
        self._note.set_icon(shape, role)
        self._note.show_text(text)
