"""The live checklist of the quality gate: one sentence, and below it what fails or every check."""

import math

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import button, grid, vbox
from app.qt.widgets.texts import Mark, MarkedText, wrapped
from app.qt.widgets.throttle import Throttle
from app.types import Check, Quality

NAMES = {
    "size": "Size of the face",
    "visible": "Face in the picture",
    "brightness": "Brightness",
    "contrast": "Contrast",
    "sharpness": "Sharpness",
    "turn": "Turn to the side",
    "nod": "Up or down",
    "tilt": "Tilt",
    "motion": "Movement",
}
"""In the order of their rows; a check that is not among them comes after these."""

_MOST_DECIMALS = 3
_SHARES = ("visible",)
"""Checks whose values are shares, shown in per cent."""

INTERVAL_MS = 200
"""Text that changes more often than this cannot be read."""

_CALM = 8
"""Refreshes without a failure after which a check's row folds away."""


class QualityList(QWidget):
    """What the gate says of the newest frame.

    Values may come at any rate: they are shown at most every `INTERVAL_MS`.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Quality of the picture")
        self._newest: tuple[Quality | None, str] = (None, "")
        self._rows: dict[str, _Row] = {}
        self._throttle = Throttle(self, INTERVAL_MS, self._refresh)
        self.summary = MarkedText("no-face", "muted", parent=self)
        # Room for two lines, so that nothing jumps.
        self.summary.label.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.summary.label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        layout = self.summary.layout()
        assert layout is not None
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setAlignment(self.summary.mark, Qt.AlignmentFlag.AlignVCenter)
        self._is_open = False
        self._calm: dict[str, int] = {}
        self.fold_button = button("", slot=self._on_fold, kind="quiet", parent=self)
        self._body = QWidget(self)
        self._grid = grid(self._body, 10, 6, 0, 3, 2, 3)
        folding = (self.fold_button, 0, Qt.AlignmentFlag.AlignLeft)
        vbox(self, self.summary, self._body, folding, spacing=12)
        for name in NAMES:
            self._row(name)
        self._show_fold()
        self._refresh()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return (self.fold_button,)

    def show_quality(self, quality: Quality | None, reason: str) -> None:
        """Take the checks of the newest frame, or none without a face.

        ``reason`` says why the frame is of no use; empty when it is.
        """
        self._newest = quality, reason
        self._throttle.mark_stale()

    @Slot()
    def _refresh(self) -> None:
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
        self.fold_button.setText("Hide the checks" if is_open else "All checks")
        self.fold_button.setIcon(icon("chevron-down" if is_open else "chevron-right"))
        self.fold_button.setToolTip(
            "Show only the checks that fail."
            if is_open
            else "Show every check with its value and its limits."
        )

    def _summarise(self, quality: Quality | None, reason: str) -> None:
        if quality is None:
            kind, mark, words = "banner-info", ("no-face", "muted"), reason
            words = words or "Waiting for a picture."
        elif not quality.passed:
            kind, mark = "banner-bad", ("attack", "bad")
            words = " ".join(filter(None, quality.reasons)) or reason
            words = words or "A check fails: see its row."
        elif reason:
            kind, mark, words = "banner-info", ("info", "accent"), reason
        else:
            kind, mark = "banner-good", ("genuine", "good")
            words = f"All {len(quality.checks)} checks pass: this picture can be kept."
        set_class(self.summary, kind)
        self.summary.show_text(words, *mark)
        self.summary.setAccessibleDescription(words)

    def _row(self, name: str) -> "_Row":
        if name not in self._rows:
            self._rows[name] = _Row(name, self._grid, len(self._rows), self._body)
        return self._rows[name]


class _Row(QObject):
    """The widgets of one check in the grid."""

    def __init__(self, name: str, layout: QGridLayout, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.mark = Mark("dash", "faint", parent)
        self.name = wrapped(name_in_words(name), parent=parent)
        self.value = QLabel(parent)
        self.limits = wrapped(kind="muted", parent=parent)
        for label in (self.name, self.value, self.limits):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, widget in enumerate((self.mark, self.name, self.value, self.limits)):
            layout.addWidget(widget, number, column)
        self.show_check(None)

    def set_visible(self, is_visible: bool) -> None:
        for widget in (self.mark, self.name, self.value, self.limits):
            if widget.isHidden() == is_visible:
                widget.setVisible(is_visible)

    def show_check(self, check: Check | None) -> None:
        # Without a face the limits stay: they are what the next one will be held against.
        shape, role, kind, verdict = "dash", "faint", "", ""
        value, limits, reason = "", self.limits.text(), ""
        if check is not None:
            passed = ("check", "good", "", "passes")
            shape, role, kind, verdict = (
                passed if check.passed else ("cross", "bad", "bad", "fails")
            )
            value, limits, reason = value_in_words(check), limits_in_words(check), check.reason
        self.mark.set_shape(shape, role)
        set_class(self.name, kind)
        set_class(self.value, kind)
        self.value.setText(value)
        self.limits.setText(limits)
        words = ", ".join(filter(None, (self.name.text(), verdict, value, limits)))
        self.mark.setAccessibleName(f"{words}. {reason}".strip())
        for widget in (self.mark, self.name, self.value, self.limits):
            widget.setToolTip(reason)


def name_in_words(name: str) -> str:
    """Return what a check looks at; an unknown one keeps its name."""
    return NAMES.get(name) or name[:1].upper() + name[1:]


def value_in_words(check: Check) -> str:
    """Return the value with its unit, with as many digits as its verdict needs.

    A value that fails is never rounded onto its limit, where it would seem to pass.
    """
    value = abs(check.value) if _is_either_way(check) else check.value
    if not math.isfinite(value):
        return "not measurable"
    for decimals in range(_decimals(check), _MOST_DECIMALS):
        rounded = round(value, decimals + 2 * (check.name in _SHARES))
        seems = check.low <= rounded <= check.high
        if seems == check.passed:
            return _with_unit(value, check, decimals)
    return _with_unit(value, check, _MOST_DECIMALS)


def limits_in_words(check: Check) -> str:
    """Return between what the value must lie."""
    low, high = (_with_unit(limit, check, _decimals(check)) for limit in (check.low, check.high))
    if math.isfinite(check.high):
        if _is_either_way(check) or check.low in (0.0, -math.inf):
            return f"at most {high}"
        return f"{_number(check.low, check, _decimals(check))} to {high}"
    return f"at least {low}" if math.isfinite(check.low) else "any"


def _is_either_way(check: Check) -> bool:
    return check.low < 0.0 and check.low == -check.high and math.isfinite(check.high)


def _decimals(check: Check) -> int:
    if check.name in _SHARES:
        return 0
    limits = [abs(limit) for limit in (check.low, check.high) if math.isfinite(limit)]
    return 0 if max(limits, default=0.0) >= 10.0 else 1


def _number(value: float, check: Check, decimals: int) -> str:
    if check.name in _SHARES:
        value *= 100.0
    # Adding zero turns a negative zero into a plain one.
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _with_unit(value: float, check: Check, decimals: int) -> str:
    unit = "%" if check.name in _SHARES else check.unit
    gap = "" if unit in ("", "°") else " "
    return _number(value, check, decimals) + gap + unit
