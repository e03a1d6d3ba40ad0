"""The live checklist of the quality gate: one sentence, and below it what fails or every check."""

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.qt.icons import icon
from app.qt.theme import set_class
from app.qt.views.enrol.check_words import limits_in_words, name_in_words, value_in_words
from app.qt.views.parts.shape_mark import ShapeMark
from app.qt.views.parts.texts import wrapped
from app.types import Check, Quality

USUAL_CHECKS = (
    "size",
    "visible",
    "brightness",
    "contrast",
    "sharpness",
    "turn",
    "nod",
    "tilt",
    "motion",
)
"""Rows in their order; a check that is not among them comes after these."""

INTERVAL_MS = 200
"""Text that changes more often than this cannot be read."""

_CALM = 8
"""Refreshes without a failure after which a check's row folds away."""


class QualityList(QWidget):
    """What the gate says of the newest frame.

    Values may come at any rate: they are shown at most every `INTERVAL_MS`, and only while the list
    can be seen.

    Parameters
    ----------
    parent : QWidget, optional
        Its owner.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Quality of the picture"))
        self._newest: tuple[Quality | None, str] = (None, "")
        self._is_stale = True
        self._rows: dict[str, _Row] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._on_due)

        self._summary = _Summary(self)
        self._is_open = False
        self._calm: dict[str, int] = {}
        self.fold_button = QPushButton(self)
        self.fold_button.setProperty("class", "quiet")
        self.fold_button.clicked.connect(self._on_fold)
        self._body = QWidget(self)
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 3)
        self._grid.setColumnStretch(2, 2)
        self._grid.setColumnStretch(3, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._summary)
        column.addWidget(self._body)
        column.addWidget(self.fold_button, 0, Qt.AlignmentFlag.AlignLeft)
        for name in USUAL_CHECKS:
            self._row(name)
        self._show_fold()
        self._refresh()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """What the tab key stops at, in order."""
        return (self.fold_button,)

    @property
    def rows_shown(self) -> tuple[str, ...]:
        """Names of the checks whose rows can be seen."""
        return tuple(name for name, row in self._rows.items() if not row.name.isHidden())

    @property
    def summary(self) -> str:
        """The sentence above the checks."""
        return self._summary.text

    def row_words(self, name: str) -> tuple[str, str, str]:
        """Return the shape, the value and the limits that a check's row shows."""
        row = self._rows[name]
        return row.mark.name, row.value.text(), row.limits.text()

    def show_quality(self, quality: Quality | None, reason: str) -> None:
        """Take the checks of the newest frame.

        Parameters
        ----------
        quality : Quality or None
            None when there is no face to check.
        reason : str
            Why the frame is of no use; empty when it is.
        """
        self._newest = quality, reason
        self._is_stale = True
        if self.isVisible() and not self._timer.isActive():
            self._refresh()
            self._timer.start()

    def showEvent(self, event: QShowEvent, /) -> None:
        """Catch up with what came while hidden."""
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Stop the clock."""
        self._timer.stop()
        super().hideEvent(event)

    @Slot()
    def _on_due(self) -> None:
        if self._is_stale:
            self._refresh()
            self._timer.start()

    def _refresh(self) -> None:
        self._is_stale = False
        quality, reason = self._newest
        checks = {} if quality is None else {check.name: check for check in quality.checks}
        for name in checks:
            self._row(name)
        for name, row in self._rows.items():
            row.show_check(checks.get(name))
            has_failed = name in checks and not checks[name].passed
            self._calm[name] = 0 if has_failed else self._calm.get(name, _CALM) + 1
        self._summarise(quality, reason)
        self._show_rows()

    def _show_rows(self) -> None:
        """Show all checks, or those that fail or did so a moment ago: rows must not flicker."""
        shown = [name for name in self._rows if self._is_open or self._calm[name] < _CALM]
        for name, row in self._rows.items():
            row.set_visible(name in shown)
        self._body.setVisible(bool(shown))

    @Slot()
    def _on_fold(self) -> None:
        self._is_open = not self._is_open
        self._show_fold()
        self._show_rows()

    def _show_fold(self) -> None:
        is_open = self._is_open
        self.fold_button.setText(self.tr("Hide the checks") if is_open else self.tr("All checks"))
        self.fold_button.setIcon(icon("chevron-down" if is_open else "chevron-right"))
        self.fold_button.setToolTip(
            self.tr("Show only the checks that fail.")
            if is_open
            else self.tr("Show every check with its value and its limits.")
        )

    def _summarise(self, quality: Quality | None, reason: str) -> None:
        if quality is None:
            self._summary.show_words(
                "banner-info", "no-face", "muted", reason or self.tr("Waiting for a picture.")
            )
        elif not quality.passed:
            reasons = " ".join(filter(None, quality.reasons)) or reason
            words = reasons or self.tr("A check fails: see its row.")
            self._summary.show_words("banner-bad", "attack", "bad", words)
        elif reason:
            self._summary.show_words("banner-info", "info", "accent", reason)
        else:
            words = self.tr("All {n} checks pass: this picture can be kept.")
            self._summary.show_words(
                "banner-good", "genuine", "good", words.format(n=len(quality.checks))
            )

    def _row(self, name: str) -> "_Row":
        if name not in self._rows:
            self._rows[name] = _Row(name, self._grid, len(self._rows), self._body)
        return self._rows[name]


class _Summary(QFrame):
    """One sentence on a coloured ground, with room for two lines so that nothing jumps."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._mark = ShapeMark("no-face", "muted", self, 1.3)
        self._label = wrapped(parent=self)
        self._label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self._label.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(10)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._label, 1)

    @property
    def text(self) -> str:
        return self._label.text()

    def show_words(self, ground: str, shape: str, role: str, words: str) -> None:
        set_class(self, ground)
        self._mark.set_shape(shape, role)
        if words != self._label.text():
            self._label.setText(words)
            self.setAccessibleDescription(words)


class _Row(QObject):
    """The widgets of one check in the grid."""

    def __init__(self, name: str, grid: QGridLayout, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: tuple[str, ...] = ()
        self.mark = ShapeMark("dash", "faint", parent)
        self.name = wrapped(name_in_words(name), parent=parent)
        self.value = QLabel(parent)
        self.limits = wrapped(kind="muted", parent=parent)
        for label in (self.name, self.value, self.limits):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, widget in enumerate((self.mark, self.name, self.value, self.limits)):
            grid.addWidget(widget, number, column)
        self.show_check(None)

    def set_visible(self, is_visible: bool) -> None:
        for widget in (self.mark, self.name, self.value, self.limits):
            if widget.isHidden() == is_visible:
                widget.setVisible(is_visible)

    def show_check(self, check: Check | None) -> None:
        if check is None:
            # The limits stay: they are what the next face will be held against.
            self._show("dash", "faint", "", "", self.limits.text(), "")
            return
        shape, role, kind = ("check", "good", "") if check.passed else ("cross", "bad", "bad")
        value, limits = value_in_words(check), limits_in_words(check)
        self._show(shape, role, kind, value, limits, check.reason)

    def _show(self, shape: str, role: str, kind: str, value: str, limits: str, reason: str) -> None:
        shown = (shape, role, kind, value, limits, reason)
        if shown == self._shown:
            return
        self._shown = shown
        self.mark.set_shape(shape, role)
        set_class(self.name, kind)
        set_class(self.value, kind)
        self.value.setText(value)
        self.limits.setText(limits)
        verdict = {"check": self.tr("passes"), "cross": self.tr("fails")}.get(shape, "")
        words = ", ".join(filter(None, (self.name.text(), verdict, value, limits)))
        self.mark.setAccessibleName(f"{words}. {reason}".strip())
        for widget in (self.mark, self.name, self.value, self.limits):
            widget.setToolTip(reason)
