"""The quality checks of the live picture: a summary, and all checks on request."""

import math

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel, QWidget

from app.qt.charts.format import decimals
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
"""Titles of the checks, in the order of their rows."""

_MOST_DECIMALS = 3

INTERVAL_MS = 200
"""Minimum time between updates, so that the text can be read."""


class QualityList(QWidget):
    """The quality checks of the newest frame, updated at most every `INTERVAL_MS`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Quality of the picture")
        self._newest: tuple[Quality | None, str] = (None, "")
        self._throttle = Throttle(self, INTERVAL_MS, self._refresh)
        self.summary = MarkedText("no-face", "muted", parent=self)
        # Reserve two lines, so that the layout does not jump.
        self.summary.label.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.summary.setContentsMargins(12, 8, 12, 8)
        if (layout := self.summary.layout()) is not None:
            layout.setAlignment(self.summary.mark, Qt.AlignmentFlag.AlignVCenter)
        tip = "Show every check with its value and its limits."
        self.fold_button = button("All checks", tip=tip, kind="quiet", parent=self)
        self.fold_button.setCheckable(True)
        self.fold_button.toggled.connect(self._on_fold)
        self._body = QWidget(self)
        rows = grid(self._body, 10, 6, 0, 3, 2, 3)
        self._rows: dict[str, tuple[Mark, QLabel, QLabel, QLabel]] = {}
        for number, (name, title) in enumerate(NAMES.items()):
            row = Mark("dash", "faint"), wrapped(title), QLabel(), wrapped(kind="muted")
            row[2].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column, widget in enumerate(row):
                rows.addWidget(widget, number, column)
            self._rows[name] = row
        folding = (self.fold_button, 0, Qt.AlignmentFlag.AlignLeft)
        vbox(self, self.summary, self._body, folding, spacing=12)
        self._on_fold(False)
        self._refresh()

    def show_quality(self, quality: Quality | None, reason: str) -> None:
        """Show the checks of the newest frame, None without a face.

        ``reason`` says why the frame cannot be used; empty if it can.
        """
        self._newest = quality, reason
        self._throttle.mark_stale()

    @Slot()
    def _refresh(self) -> None:
        quality, reason = self._newest
        checks = {} if quality is None else {check.name: check for check in quality.checks}
        for name in NAMES:
            self._show_check(name, checks.get(name))
        if quality is None:
            kind, mark = "banner-info", ("no-face", "muted")
            text = reason or "Waiting for a picture."
        elif not quality.passed:
            kind, mark, text = "banner-bad", ("attack", "bad"), " ".join(quality.reasons)
        elif reason:
            kind, mark, text = "banner-info", ("info", "accent"), reason
        else:
            kind, mark = "banner-good", ("genuine", "good")
            text = f"All {len(quality.checks)} checks pass: this picture can be kept."
        set_class(self.summary, kind)
        self.summary.show_text(text, *mark)

    def _show_check(self, name: str, check: Check | None) -> None:
        mark, title, value, limits = self._rows[name]
        if check is None:
            # The limits stay, because they apply to the next face too.
            mark.set_shape("dash", "faint")
            mark.setAccessibleName(f"{title.text()}: not measured")
            value.clear()
            return
        mark.set_shape(*(("check", "good") if check.passed else ("cross", "bad")))
        value_text, limits_text = describe_check(check)
        value.setText(value_text)
        limits.setText(limits_text)
        for label in (title, value):
            set_class(label, "" if check.passed else "bad")
        verdict = "passes" if check.passed else "fails"
        mark.setAccessibleName(f"{title.text()} {verdict}: {value_text}, {limits_text}")

    @Slot(bool)
    def _on_fold(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self.fold_button.setIcon(icon("chevron-down" if is_open else "chevron-right"))


def describe_check(check: Check) -> tuple[str, str]:
    """Return the value and its limits, with units.

    A failing value gets more decimals if rounding would make it appear to pass.
    """
    value, low, high, unit = check.value, check.low, check.high, check.unit
    if check.name == "visible":  # a share
        value, low, high, unit = 100 * value, 100 * low, 100 * high, "%"
    if low == -high:  # an angle to either side
        value, low = abs(value), 0.0
    unit = unit if unit in ("", "°") else f" {unit}"
    largest = max(abs(limit) for limit in (low, high) if math.isfinite(limit))
    places = 0 if largest >= 10 else 1
    if math.isinf(high):
        limits = f"at least {decimals(low, places)}{unit}"
    elif low == 0:
        limits = f"at most {decimals(high, places)}{unit}"
    else:
        limits = f"{decimals(low, places)} to {decimals(high, places)}{unit}"
    if not math.isfinite(value):
        return "not measurable", limits
    while places < _MOST_DECIMALS and (low <= round(value, places) <= high) != check.passed:
        places += 1
    return f"{decimals(value, places)}{unit}", limits
