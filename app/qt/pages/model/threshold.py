"""The threshold: the scores that set it, what it promises, and another target for it."""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.models.summary import PersonSummary, ThresholdSummary
from app.qt.charts.format import decimals, percent
from app.qt.charts.histogram import ScoreHistogram
from app.qt.theme import set_class
from app.qt.widgets.inputs import CalmSpinBox
from app.qt.widgets.layout import FlowRow, Unscrolled, clear, grid, vbox
from app.qt.widgets.texts import MarkedText, set_text, wrapped

AUTOMATIC, LOWEST, HIGHEST = 0.0, 0.1, 30.0
"""What stands for no target, and the targets that can be chosen, in percent."""

_SETTLING_MS = 300
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class ThresholdPanel(QWidget):
    """Histogram, target and sentences."""

    target_changed = Signal(object)
    """Share of genuine frames that may be refused, 0 to 1, or None for the automatic threshold;
    emitted once the person has settled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ThresholdSummary | None = None
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
        self._settling.timeout.connect(self._tell)
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
        Unscrolled(self.histogram)

    def show_threshold(self, threshold: ThresholdSummary | None) -> None:
        """Show a threshold; costs nothing when it is shown already."""
        if threshold == self._shown:
            return
        self._shown = threshold
        self.histogram.show_threshold(threshold)
        if threshold is None:
            return
        if not self._settling.isActive():
            with QSignalBlocker(self.target):
                self.target.setValue(_field_value(threshold))
        self._statement.show_text(threshold.statement, *threshold_mark(threshold))
        set_text(self._origin, f"Set to {threshold.origin}.")
        set_text(self._stress, _stress_words(threshold))

    @property
    def sentences(self) -> tuple[str, ...]:
        texts = (self._statement.text(), self._origin.text(), self._stress.text())
        return tuple(text for text in texts if text)

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Tell a target that was just chosen before the timer stops."""
        if self._settling.isActive():
            self._settling.stop()
            self._tell()
        super().hideEvent(event)

    @Slot()
    def _tell(self) -> None:
        value = self.target.value()
        if self._shown is None or value != _field_value(self._shown):
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
        f"In light that was never enrolled {percent(threshold.stress_bpcer)} of "
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
        self._labels: list[QLabel] = []
        self._grid = grid(self, 16, 4, 1)
        self.setAccessibleName("People")
        self.hide()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """What is written, row by row; the headings first."""
        texts = [label.text() for label in self._labels]
        return tuple(tuple(texts[start : start + 4]) for start in range(0, len(texts), 4))

    def show_people(self, people: tuple[PersonSummary, ...]) -> None:
        clear(self._grid)
        self._labels = []
        if len(people) > 1:
            titles = ("Person", "Takes, frames", "Median score", "Frames refused (95 %)")
            self._put_row(*titles, kind="muted")
            for person in people:
                low, high = map(percent, person.interval)
                self._put_row(
                    person.name or "no name",
                    f"{person.n_takes}, {person.n_frames}",
                    decimals(person.level, 3),
                    f"{percent(person.bpcer)} of {person.n_scores} ({low} to {high})",
                )
        self.setVisible(bool(self._labels))

    def _put_row(self, *texts: str, kind: str = "") -> None:
        number = len(self._labels) // 4
        for place, text in enumerate(texts):
            label = QLabel(text, self) if place else wrapped(text, kind, self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            set_class(label, kind)
            align = _RIGHT if place else Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(label, number, place, align)
            self._labels.append(label)
            label.show()
