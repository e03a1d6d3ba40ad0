"""Panels of the Model page: the threshold, and everything else as a table that can be copied."""

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QHideEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.models.summary import ModelSummary, PersonSummary, ThresholdSummary
from app.qt.charts.format import decimals, number, percent, scientific
from app.qt.charts.histogram import ScoreHistogram
from app.qt.theme import set_class
from app.qt.widgets.inputs import CalmSpinBox
from app.qt.widgets.layout import (
    FlowRow,
    add_action,
    as_high_as_rows,
    button,
    clear,
    grid,
    hbox,
    read_only,
    vbox,
)
from app.qt.widgets.rows import Index
from app.qt.widgets.texts import MarkedText, set_text, wrapped

AUTOMATIC, LOWEST, HIGHEST = 0.0, 0.1, 30.0
"""What stands for no target, and the targets that can be chosen, in percent."""

_SETTLING_MS = 300
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class ThresholdPanel(QWidget):
    """Histogram, target and sentences."""

    target_changed = Signal(object)
    """Share of genuine frames that may be refused, 0 to 1, or None for the automatic threshold;
    emitted once the field has settled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._threshold: ThresholdSummary | None = None
        self.target = CalmSpinBox(self)
        self.target.setRange(AUTOMATIC, HIGHEST)
        self.target.setSpecialValueText("Automatic")
        self.target.setDecimals(1)
        self.target.setSingleStep(0.5)
        self.target.setSuffix(" %")
        self.target.setKeyboardTracking(False)
        self.target.setAccessibleName("Target BPCER in percent")
        self.target.setToolTip(
            "A share of genuine frames. Lower: fewer genuine people are refused, but more "
            "attacks may pass. The threshold is set anew from the same left-out scores."
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
        explained = wrapped(
            "Automatic puts the threshold at a share of the usual score of genuine frames. "
            "A target says how many of them may be refused: the lower, the more attacks may "
            "pass.",
            "muted",
            self,
        )
        texts = (explained, self._statement, self._origin, self._stress)
        vbox(self, target, *texts, self.people, (self.histogram, 1), spacing=10)

    def show_threshold(self, threshold: ThresholdSummary | None) -> None:
        if threshold == self._threshold:
            return
        self._threshold = threshold
        self.histogram.show_threshold(threshold)
        if threshold is None:
            return
        if not self._settling.isActive():
            with QSignalBlocker(self.target):
                self.target.setValue(_field_value(threshold))
        self._statement.show_text(threshold.statement, *threshold_mark(threshold))
        set_text(self._origin, f"Set to {threshold.origin}.")
        set_text(self._stress, _stress_words(threshold))

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Emit a target that was chosen just before."""
        if self._settling.isActive():
            self._settling.stop()
            self._emit_target()
        super().hideEvent(event)

    @Slot()
    def _emit_target(self) -> None:
        value = self.target.value()
        if self._threshold is None or value != _field_value(self._threshold):
            self.target_changed.emit(None if value == AUTOMATIC else round(value / 100, 6))


def _field_value(threshold: ThresholdSummary) -> float:
    share = threshold.target_bpcer
    return AUTOMATIC if share is None else min(max(round(100 * share, 1), LOWEST), HIGHEST)


def _stress_words(threshold: ThresholdSummary) -> str:
    if threshold.stress_bpcer is None:
        return (
            "All takes share one light: how it does in another is not known. "
            "Takes in other light would tell."
        )
    low, high = map(percent, threshold.stress_interval)
    return (
        f"In light that was never enrolled, {percent(threshold.stress_bpcer)} of "
        f"{len(threshold.stress)} frames would be refused (95 % interval {low} to {high}): every "
        "light was left out in turn."
    )


def threshold_mark(threshold: ThresholdSummary) -> tuple[str, str]:
    """Return icon and colour: of a target that is promised, one that is not, none."""
    if threshold.promised is None:
        return "info", "muted"
    return ("genuine", "good") if threshold.promised else ("warning", "caution")


def threshold_words(threshold: ThresholdSummary) -> str:
    """Return where it stands, how many genuine frames may be refused, and what would help."""
    low, high = (decimals(100 * end, 1) for end in threshold.interval)
    n, rate = max(1, round(threshold.n_effective)), threshold.bpcer
    span = f"with about {n} independent frames, anything from {low} to {high} %"
    sentences = [f"{_share(rate)} genuine frames may be refused ({percent(rate)}; {span})."]
    if threshold.share_of_level is not None:
        share = round(100 * threshold.share_of_level)
        sentences.insert(0, f"The threshold is {share} % of the usual score of genuine frames.")
    target = threshold.target_bpcer
    if target is not None and not threshold.promised and rate > target:
        sentences.append(f"You asked for {percent(target)}: record more takes.")
    if threshold.stress_bpcer is not None:
        stress = percent(threshold.stress_bpcer)
        sentences.append(f"In a light that was never enrolled about {stress} would be refused.")
    return " ".join(sentences)


def _share(rate: float) -> str:
    """Return a share as a person would say it, such as *About 1 in 10*."""
    if rate < 0.005:
        return "Hardly any"
    return f"About {round(10 * rate)} in 10" if rate >= 0.5 else f"About 1 in {round(1 / rate)}"


class PeopleTable(QWidget):
    """What the threshold does to each of several people; hidden where there is only one."""

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
        for place, row in enumerate(rows if has_several else ()):
            kind = "" if place else "muted"
            for column, text in enumerate(row):
                label = QLabel(text, self) if column else wrapped(text, kind, self)
                label.setTextFormat(Qt.TextFormat.PlainText)
                set_class(label, kind)
                align = _RIGHT if column else Qt.AlignmentFlag.AlignTop
                self._grid.addWidget(label, place, column, align)
                label.show()
        self.setVisible(has_several)


_BREAK = "\N{ZERO WIDTH SPACE}"
_LONGEST_WORD = 16
_NAME_SHARE = 0.34
_PADDING = 16
"""Pixels that the style sheet leaves left and right of a cell's text, together."""

Section = tuple[str, tuple[tuple[str, str], ...]]
"""A heading, and names with values."""


class DetailsPanel(QWidget):
    """Parameters, bounds, threshold, data, views and file of a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = FactsTable(self)
        self.table.setAccessibleName("Details of the model")
        tip = "Copy this table as text; Ctrl+C in the table copies the chosen rows"
        self.copy = button("Copy all", "copy", self.table.copy_all, tip=tip, parent=self)
        vbox(self, hbox(None, self.copy, 1), self.table, 1, spacing=10)

    def show_model(self, model: ModelSummary | None) -> None:
        self.table.show_facts(() if model is None else _sections(model))


def _sections(model: ModelSummary) -> tuple[Section, ...]:
    threshold = model.threshold
    low, high = map(percent, threshold.interval)
    interval = f"(n = {threshold.n_scores}, 95 % interval {low} to {high})"
    target, level = threshold.target_bpcer, threshold.level
    usual = () if level is None else (("usual genuine score", number(level, 6)),)
    fit = (
        ("certified", _yes(model.is_certified)),
        ("relative gap", scientific(model.gap)),
        ("stopped because", model.stop_reason),
        ("solves", str(model.n_solves)),
    )
    operating_point = (
        ("threshold", number(threshold.value, 6)),
        *usual,
        ("target BPCER", "automatic" if target is None else percent(target)),
        ("BPCER", f"{percent(threshold.bpcer)} {interval}"),
        ("independent scores", f"about {threshold.n_effective:.0f}"),
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


class FactsTable(QTableWidget):
    """Two columns that wrap, without scroll bars of their own.

    Ctrl+C copies the selected rows, or all when none is, separated by tabs.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self._sections: tuple[Section, ...] = ()
        self.setItemDelegate(_WrappingDelegate(self))
        read_only(self)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        as_high_as_rows(self)
        header = self.horizontalHeader()
        header.hide()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(self.resizeRowsToContents)
        add_action(self, "Copy", self.copy_rows, QKeySequence.StandardKey.Copy)

    def show_facts(self, sections: tuple[Section, ...]) -> None:
        self._sections = sections
        self.clearSpans()
        self.setRowCount(sum(len(rows) + 1 for _, rows in sections))
        row = 0
        for heading, rows in sections:
            font = QFont(self.font())
            font.setBold(True)
            self._put(row, 0, heading).setFont(font)
            self.setSpan(row, 0, 1, 2)
            for name, value in rows:
                row += 1
                self._put(row, 0, name)
                self._put(row, 1, value)
            row += 1
        self._fit()

    def to_text(self) -> str:
        return "".join(
            f"{heading}\n" + "".join(f"{name}\t{value}\n" for name, value in rows)
            for heading, rows in self._sections
        )

    @Slot()
    def copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.to_text())

    @Slot()
    def copy_rows(self) -> None:
        chosen = {index.row() for index in self.selectedIndexes()}
        lines = self.to_text().splitlines()
        picked = [line for row, line in enumerate(lines) if row in chosen] or lines
        QGuiApplication.clipboard().setText("\n".join(picked) + "\n")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _put(self, row: int, column: int, text: str) -> QTableWidgetItem:
        item = QTableWidgetItem(_breakable(text))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
        item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setItem(row, column, item)
        return item

    def _fit(self) -> None:
        names = [name for _, rows in self._sections for name, _ in rows]
        widest = max(map(self.fontMetrics().horizontalAdvance, names), default=0) + 28
        self.setColumnWidth(0, min(int(self.viewport().width() * _NAME_SHARE), widest))
        self.updateGeometry()


class _WrappingDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        # Qt forgets the style sheet's padding when it wraps the text.
        option.rect = option.rect.adjusted(0, 0, -_PADDING, 0)
        return super().sizeHint(option, index)


def _breakable(text: str) -> str:
    """Let words that are longer than a line, such as digests, be broken."""
    return " ".join(
        word
        if len(word) <= _LONGEST_WORD
        else _BREAK.join(word[i : i + 8] for i in range(0, len(word), 8))
        for word in text.split(" ")
    )
