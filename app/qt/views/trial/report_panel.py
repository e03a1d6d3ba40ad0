"""The report of a test: its headline figures, its warnings, and where its page is."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.theme import GRID, set_class
from app.qt.views.trial.choice_grid import ButtonRow
from app.qt.views.trial.step_heading import MARGIN, Note, StepHeading
from app.qt.views.trial.trial_words import NO_BREAK
from app.session.guided_test.state import ReportSummary


class ReportPanel(QFrame):
    """A card with the figures of a report and the ways to keep it.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

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

        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GRID + 4)
        column.addWidget(StepHeading(4, self.tr("Read and save the report")))
        self._note = Note()
        set_class(self._note.label, "muted")
        column.addWidget(self._note)
        self._figures = QGridLayout()
        self._figures.setHorizontalSpacing(2 * GRID)
        self._figures.setVerticalSpacing(6)
        self._figures.setColumnStretch(0, 2)
        self._figures.setColumnStretch(1, 3)
        column.addLayout(self._figures)
        self._values: dict[str, QLabel] = {}
        self._warnings = QVBoxLayout()
        self._warnings.setSpacing(GRID)
        column.addLayout(self._warnings)
        self._missing = Note("info", "accent")
        column.addWidget(self._missing)
        self._path = _PathLabel()
        column.addWidget(self._path)

        self.make_button = QPushButton(icon("report"), self.tr("Show figures"))
        self.save_button = QPushButton(icon("save"), self.tr("Save report..."))
        self.open_button = QPushButton(icon("open"), self.tr("Open in browser"))
        self.details_button = QPushButton(icon("enrol"), self.tr("Details..."))
        self.details_button.setToolTip(
            self.tr("Say who tested, with what instruments, and what else an evaluator asks.")
        )
        for button, slot in (
            (self.make_button, self.made),
            (self.save_button, self.saved),
            (self.open_button, self.opened),
            (self.details_button, self.details_asked),
        ):
            button.clicked.connect(slot)
        buttons = ButtonRow(GRID)
        buttons.set_members(
            [self.make_button, self.details_button, self.save_button, self.open_button]
        )
        column.addWidget(buttons)
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
        is_wanted = report is None or self._is_stale
        self.make_button.setVisible(is_wanted)
        self.make_button.setText(self.tr("Show figures") if report is None else self.tr("Update"))
        self.make_button.setEnabled(can)
        self.save_button.setEnabled(can)
        html = report.html if report else ""
        self.open_button.setEnabled(bool(html))
        self._path.show_path(html)
        n_missing = report.n_missing if report else 0
        if n_missing == 1:
            self._missing.set_text(self.tr("1 detail that an evaluator expects is missing."))
        else:
            text = self.tr("{n} details that an evaluator expects are missing.")
            self._missing.set_text(text.format(n=n_missing))
        self._missing.setVisible(n_missing > 0)
        self.make_button.setToolTip(
            self._why_not or self.tr("Work out the figures from all presentations.")
        )
        self.save_button.setToolTip(
            self._why_not
            or self.tr(
                "Save the report as a page that opens anywhere, with JSON and CSV beside it."
            )
        )
        self.open_button.setToolTip(
            self.tr("Open the saved page in your browser.")
            if html
            else self.tr("Save the report first, then it can be opened.")
        )
        self._say(html)

    def _say(self, html: str) -> None:
        told, shape, role = "", "", "muted"
        if self._why_not:
            told, shape = self._why_not, "info"
        elif self._is_stale:
            shape, role = "warning", "caution"
            told = (
                self.tr("Presentations changed since: update the figures and save them again.")
                if html
                else self.tr("Presentations changed since: update the figures.")
            )
        elif self._report is None:
            told = self.tr("Error rates with their intervals, and what to bear in mind with them.")
        self._note.set_text(told)
        self._note.set_icon(shape, role)
        self._note.setVisible(bool(told))

    def _show_figures(self, figures: tuple[tuple[str, str], ...]) -> None:
        if [name for name, _ in figures] != list(self._values):
            while (item := self._figures.takeAt(0)) is not None:
                if (widget := item.widget()) is not None:
                    widget.hide()
                    widget.deleteLater()
            self._values = {}
            for row, (name, _) in enumerate(figures):
                title, value = QLabel(name), QLabel()
                title.setWordWrap(True)
                value.setWordWrap(True)
                value.setAccessibleName(name)
                set_class(title, "muted")
                value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._figures.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
                self._figures.addWidget(value, row, 1, Qt.AlignmentFlag.AlignTop)
                self._values[name] = value
        for name, told in figures:
            text = told.replace(" %", f"{NO_BREAK}%")
            if self._values[name].text() != text:
                self._values[name].setText(text)

    def _show_warnings(self, warnings: tuple[str, ...]) -> None:
        while (item := self._warnings.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for text in warnings:
            note = Note("warning", "caution")
            note.set_text(text)
            banner = QFrame()
            set_class(banner, "banner-caution")
            inside = QVBoxLayout(banner)
            inside.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID)
            inside.addWidget(note)
            self._warnings.addWidget(banner)


class _PathLabel(QLabel):
    """Where the page was saved, cut in the middle so that its ends can be read."""

    def __init__(self) -> None:
        super().__init__()
        self._saved_as = ""
        set_class(self, "small")
        self.setMinimumWidth(1)
        self.hide()

    def show_path(self, path: str) -> None:
        self._saved_as = path
        self.setToolTip(path)
        self.setAccessibleName(self.tr("Saved as {path}").format(path=path) if path else "")
        self.setVisible(bool(path))
        self._cut()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._cut()

    def _cut(self) -> None:
        told = self.tr("Saved as {path}").format(path=self._saved_as)
        middle = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(told, middle, max(self.width(), 1)))
