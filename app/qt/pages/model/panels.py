"""Panels of the Model page: the threshold, and a table of details."""

from html import escape
from math import ceil, isfinite

from PySide6.QtCore import QSignalBlocker, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QFrame, QLabel, QTextBrowser, QWidget

from app.models.summary import Calibration, ModelSummary, PersonSummary
from app.qt.charts.format import decimals, number, percent, scientific
from app.qt.charts.histogram import ScoreHistogram
from app.qt.theme import set_class
from app.qt.widgets.inputs import CalmSpinBox
from app.qt.widgets.layout import (
    FlowRow,
    button,
    clear,
    grid,
    hbox,
    vbox,
)
from app.qt.widgets.texts import MarkedText, set_text, wrapped

AUTOMATIC, LOWEST, HIGHEST = 0.0, 0.1, 30.0
"""Value of the field without a target, and range of targets, in per cent."""

_SETTLING_MS = 300
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class ThresholdPanel(QWidget):
    """The target BPCER, the threshold in words, rates by person, and the histogram."""

    target_changed = Signal(object)
    """Proportion of genuine frames that may be refused, or None for the automatic threshold;
    emitted once the field has settled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._calibration: Calibration | None = None
        self.target = CalmSpinBox(self)
        self.target.setRange(AUTOMATIC, HIGHEST)
        self.target.setSpecialValueText("Automatic")
        self.target.setDecimals(1)
        self.target.setSingleStep(0.5)
        self.target.setSuffix(" %")
        self.target.setKeyboardTracking(False)
        self.target.setAccessibleName("Target BPCER in percent")
        self.target.setToolTip(
            "Proportion of genuine frames that may be refused. With a lower target, more attacks "
            "may pass. The threshold is recomputed from the same left-out scores."
        )
        label = QLabel("Target BPCER", self)
        label.setBuddy(self.target)
        target = FlowRow(self, gap=10)
        target.add(label, self.target)
        self._settling = QTimer(self, singleShot=True, interval=_SETTLING_MS)
        self._settling.timeout.connect(self._emit_target)
        self.target.valueChanged.connect(self._settling.start)
        self.histogram = ScoreHistogram(self)
        self._statement = MarkedText("genuine", "good", parent=self)
        self._origin, self._stress = wrapped("", "muted", self), wrapped("", "muted", self)
        self.people = PeopleTable(self)
        explanation = wrapped(
            "Automatic sets the threshold to a fraction of the usual score of genuine frames. "
            "A target limits how many of them may be refused: the lower it is, the more attacks "
            "may pass.",
            "muted",
            self,
        )
        texts = (explanation, self._statement, self._origin, self._stress)
        vbox(self, target, *texts, self.people, (self.histogram, 1), spacing=10)

    def show_calibration(self, calibration: Calibration | None) -> None:
        if calibration is self._calibration:
            return
        self._calibration = calibration
        self.histogram.show_calibration(calibration)
        if calibration is None:
            return
        if not self._settling.isActive():
            with QSignalBlocker(self.target):
                self.target.setValue(_field_value(calibration))
        self._statement.show_text(calibration.statement, *threshold_mark(calibration))
        set_text(self._origin, f"Set to {calibration.origin}.")
        set_text(self._stress, _stress_text(calibration))

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Emit a target that is still settling."""
        if self._settling.isActive():
            self._settling.stop()
            self._emit_target()
        super().hideEvent(event)

    @Slot()
    def _emit_target(self) -> None:
        value = self.target.value()
        if self._calibration is None or value != _field_value(self._calibration):
            self.target_changed.emit(None if value == AUTOMATIC else round(value / 100, 6))


def _field_value(calibration: Calibration) -> float:
    share = calibration.target_bpcer
    return AUTOMATIC if share is None else min(max(round(100 * share, 1), LOWEST), HIGHEST)


def _stress_text(calibration: Calibration) -> str:
    if not isfinite(calibration.stress_bpcer):
        return (
            "All takes share one light, so the rate in other light is unknown: record takes in "
            "other light to measure it."
        )
    low, high = map(percent, calibration.stress_interval)
    return (
        f"In light that was never enrolled, {percent(calibration.stress_bpcer)} of "
        f"{len(calibration.stress_scores)} frames would be refused (95 % interval {low} to "
        f"{high}), measured by leaving out each light in turn."
    )


def threshold_mark(calibration: Calibration) -> tuple[str, str]:
    """Return icon and colour for a target that is promised, one that is not, or no target."""
    if calibration.promised is None:
        return "info", "muted"
    return ("genuine", "good") if calibration.promised else ("warning", "caution")


def threshold_text(calibration: Calibration) -> str:
    """Describe the threshold, its rate of refused genuine frames, and how to lower the rate."""
    low, high = (decimals(100 * end, 1) for end in calibration.interval)
    n, rate = max(1, round(calibration.n_effective)), calibration.bpcer
    span = f"with about {n} independent frames, anything from {low} to {high} %"
    sentences = [f"{_proportion(rate)} genuine frames would be refused ({percent(rate)}; {span})."]
    if calibration.level > 0:
        share = round(100 * calibration.threshold / calibration.level)
        sentences.insert(0, f"The threshold is {share} % of the usual score of genuine frames.")
    target = calibration.target_bpcer
    if target is not None and not calibration.promised and rate > target:
        sentences.append(f"You asked for {percent(target)}: record more takes.")
    if isfinite(calibration.stress_bpcer):
        stress = percent(calibration.stress_bpcer)
        sentences.append(f"In light that was never enrolled, about {stress} would be refused.")
    return " ".join(sentences)


def _proportion(rate: float) -> str:
    """Describe a proportion in everyday words, such as *About 1 in 10*."""
    if rate < 0.005:
        return "Hardly any"
    return f"About {round(10 * rate)} in 10" if rate >= 0.5 else f"About 1 in {round(1 / rate)}"


class PeopleTable(QWidget):
    """Rates by person; hidden if there is only one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = grid(self, 16, 4, 1)
        self.setAccessibleName("People")
        self.hide()

    def show_people(self, people: tuple[PersonSummary, ...]) -> None:
        clear(self._grid)
        rows = [("Person", "Takes, frames", "Median score", "Frames refused (95 %)")]
        for person in people:
            low, high = map(percent, person.interval)
            takes, level = f"{person.n_takes}, {person.n_frames}", decimals(person.level, 3)
            refused = f"{percent(person.bpcer)} of {person.n_scores} ({low} to {high})"
            rows.append((person.name or "no name", takes, level, refused))
        has_several = len(people) > 1
        for index, row in enumerate(rows if has_several else ()):
            kind = "" if index else "muted"
            for column, text in enumerate(row):
                label = QLabel(text, self) if column else wrapped(text, kind, self)
                label.setTextFormat(Qt.TextFormat.PlainText)
                set_class(label, kind)
                align = _RIGHT if column else Qt.AlignmentFlag.AlignTop
                self._grid.addWidget(label, index, column, align)
                label.show()
        self.setVisible(has_several)


Section = tuple[str, tuple[tuple[str, str], ...]]
"""A heading, and pairs of name and value."""


class DetailsPanel(QWidget):
    """Parameters, fit, threshold, bounds, data, file and views of a model, as copyable text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sections: tuple[Section, ...] = ()
        self.text = QTextBrowser(self)
        self.text.setAccessibleName("Details of the model")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The text is as high as its content; the page around it scrolls.
        self.text.document().documentLayout().documentSizeChanged.connect(self._on_size)
        tip = "Copy all of this as text, with tabs between names and values."
        self.copy = button("Copy all", "copy", self._on_copy, tip=tip, parent=self)
        vbox(self, hbox(None, self.copy, 1), self.text, spacing=10)

    def show_model(self, model: ModelSummary | None) -> None:
        self._sections = () if model is None else _sections(model)
        self.text.setHtml("".join(map(_as_html, self._sections)))

    def as_text(self) -> str:
        return "".join(
            f"{heading}\n" + "".join(f"{name}\t{value}\n" for name, value in rows)
            for heading, rows in self._sections
        )

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())

    @Slot(QSizeF)
    def _on_size(self, size: QSizeF) -> None:
        self.text.setFixedHeight(ceil(size.height()))


def _as_html(section: Section) -> str:
    heading, rows = section
    cells = "".join(
        f"<tr><td width='34%'>{escape(name)}</td><td>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<h4>{escape(heading)}</h4><table width='100%' cellpadding='4'>{cells}</table>"


def _sections(model: ModelSummary) -> tuple[Section, ...]:
    calibration = model.calibration
    low, high = map(percent, calibration.interval)
    interval = f"(n = {calibration.n_scores}, 95 % interval {low} to {high})"
    target = calibration.target_bpcer
    fit = (
        ("certified", _yes(model.is_certified)),
        ("relative gap", scientific(model.gap)),
        ("stopped because", model.stop_reason),
        ("solves", str(model.n_solves)),
    )
    operating_point = (
        ("threshold", number(calibration.threshold, 6)),
        ("usual genuine score", number(calibration.level, 6)),
        ("target BPCER", "automatic" if target is None else percent(target)),
        ("BPCER", f"{percent(calibration.bpcer)} {interval}"),
        ("independent scores", f"about {calibration.n_effective:.0f}"),
    )
    data = (
        ("frames", str(model.n_samples)),
        ("takes", ", ".join(model.takes)),
        ("simulated", _yes(model.is_simulated)),
    )
    file = (
        ("file", model.path or "not exported yet"),
        ("protected", "by a passphrase" if model.is_protected else "no"),
        ("digest", model.digest or "none before it is exported"),
    )
    sections: tuple[Section, ...] = (
        ("Parameters", model.parameters),
        ("Fit", fit),
        ("Threshold", operating_point),
        ("Bounds", tuple((b.name, f"{number(b.value, 4)}: {b.meaning}") for b in model.bounds)),
        ("Data", data),
        ("File", file),
        (
            f"Views of the preset {model.preset}" if model.preset else "Views",
            tuple((str(i), name) for i, name in enumerate(model.view_names, start=1)),
        ),
    )
    return tuple(section for section in sections if section[1])


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
