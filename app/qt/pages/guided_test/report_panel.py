"""The report of a test: its headline figures, its warnings, and where its page is."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.qt.pages.guided_test.present_card import MARGIN
from app.qt.pages.guided_test.species import NO_BREAK
from app.qt.theme import GRID, set_class
from app.qt.widgets.flow import FlowRow
from app.qt.widgets.layout import button, clear, grid, vbox
from app.qt.widgets.marks import MarkedText, StepHeading, caution
from app.qt.widgets.texts import ElidedLabel, wrapped
from app.reports.guided_test import ReportSummary


class ReportPanel(QFrame):
    """A card with the figures of a report and the ways to keep it."""

    made = Signal()
    """The figures are asked for."""
    saved = Signal()
    """The report is to be saved."""
    opened = Signal()
    """The saved page is to be opened in a browser."""
    details_asked = Signal()
    """The details of the test are to be filled in."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._report: ReportSummary | None = None
        self._why_not = ""
        self._is_stale = False

        self._note = MarkedText(kind="muted")
        self._figures = grid(None, 2 * GRID, 6, 2, 3)
        self._values: dict[str, QLabel] = {}
        self._warnings = vbox(None)
        self._missing = MarkedText("info", "accent")
        self._path = ElidedLabel()
        set_class(self._path, "small")
        self.make_button = button("Show figures", "report", self.made)
        self.save_button = button("Save report...", "save", self.saved)
        self.open_button = button("Open in browser", "open", self.opened)
        tip = "Say who tested, with what instruments, and what else an evaluator asks."
        self.details_button = button("Details...", "enrol", self.details_asked, tip=tip)
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

    def show_report(self, report: ReportSummary | None) -> None:
        """Show a report that fits the presentations as they are, or that there is none."""
        is_same = report == self._report and not self._is_stale
        if is_same:
            return
        self._report = report
        self._is_stale = False
        self._show_figures(report.figures if report else ())
        self._show_warnings(report.warnings if report else ())
        self._refresh()

    def set_stale(self) -> None:
        """Say that presentations came or went since the report was made."""
        if self._report is not None and not self._is_stale:
            self._is_stale = True
            self._refresh()

    def set_why_not(self, why: str) -> None:
        """Say why no report can be made; empty when one can."""
        if why != self._why_not:
            self._why_not = why
            self._refresh()

    def _refresh(self) -> None:
        report, can = self._report, not self._why_not
        self.make_button.setVisible(report is None or self._is_stale)
        self.make_button.setText("Show figures" if report is None else "Update")
        self.make_button.setEnabled(can)
        self.save_button.setEnabled(can)
        html = report.html if report else ""
        self.open_button.setEnabled(bool(html))
        self._path.set_whole(f"Saved as {html}" if html else "")
        self._path.setToolTip(html)
        self._path.setVisible(bool(html))
        n = report.n_missing if report else 0
        missing = "1 detail that an evaluator expects is missing."
        if n != 1:
            missing = f"{n} details that an evaluator expects are missing." if n else ""
        self._missing.show_text(missing)
        self.make_button.setToolTip(self._why_not or "Work out the figures from all presentations.")
        self.save_button.setToolTip(
            self._why_not
            or "Save the report as a page that opens anywhere, with JSON and CSV beside it."
        )
        self.open_button.setToolTip(
            "Open the saved page in your browser."
            if html
            else "Save the report first, then it can be opened."
        )
        self._say(html)

    def _say(self, html: str) -> None:
        text, shape, role = "", "", "muted"
        if self._why_not:
            text, shape = self._why_not, "info"
        elif self._is_stale:
            shape, role = "warning", "caution"
            again = " and save them again" if html else ""
            text = f"Presentations changed since: update the figures{again}."
        elif self._report is None:
            text = "Error rates with their intervals, and what to bear in mind with them."
        self._note.set_icon(shape, role)
        self._note.show_text(text)

    def _show_figures(self, figures: tuple[tuple[str, str], ...]) -> None:
        if [name for name, _ in figures] != list(self._values):
            clear(self._figures)
            self._values = {}
            for number, (name, _) in enumerate(figures):
                value = self._values[name] = wrapped()
                value.setAccessibleName(name)
                top = Qt.AlignmentFlag.AlignTop
                self._figures.addWidget(wrapped(name, "muted"), number, 0, top)
                self._figures.addWidget(value, number, 1, top)
        for name, text in figures:
            self._values[name].setText(text.replace(" %", f"{NO_BREAK}%"))

    def _show_warnings(self, warnings: tuple[str, ...]) -> None:
        clear(self._warnings)
        for text in warnings:
            self._warnings.addWidget(caution(text, self))
