"""The threshold: the scores that set it, what it promises, and another target for it."""

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QVBoxLayout, QWidget

from app.models.summary import ThresholdSummary
from app.qt.theme import GRID
from app.qt.views.charts.colours import ChartColours
from app.qt.views.charts.flow import FlowLayout
from app.qt.views.charts.histogram import ScoreHistogram
from app.qt.views.charts.wording import percent
from app.qt.views.model.people_table import PeopleTable
from app.qt.views.model.threshold_words import threshold_mark
from app.qt.views.parts.texts import MarkedText, set_text, wrapped
from app.qt.views.parts.unscrolled import Unscrolled

AUTOMATIC, LOWEST, HIGHEST = 0.0, 0.1, 30.0
"""What stands for no target, and the targets that can be chosen, in percent."""

_SETTLING_MS = 300


class _Target(QDoubleSpinBox):
    """A field that leaves the wheel to the page: a threshold must not change in passing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Qt's style sheets leave no room before the number, whatever the padding.
        self.lineEdit().setTextMargins(GRID, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()


class ThresholdPanel(QWidget):
    """Histogram, target and sentences.

    Signals
    -------
    target_changed : float or None
        Share of genuine frames that may be refused, 0 to 1, or None for the automatic threshold;
        told once the person has settled.
    """

    target_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ThresholdSummary | None = None
        self._label = QLabel(self.tr("Target BPCER"), self)
        self.target = _Target(self)
        self.target.setRange(AUTOMATIC, HIGHEST)
        self.target.setSpecialValueText(self.tr("Automatic"))
        self.target.setDecimals(1)
        self.target.setSingleStep(0.5)
        self.target.setSuffix(" %")
        self.target.setKeyboardTracking(False)
        self.target.setAccessibleName(self.tr("Target BPCER in percent"))
        self.target.setToolTip(
            self.tr(
                "A share of genuine frames. Lower: fewer genuine people are refused, but more "
                "attacks may pass. The threshold is set anew from the same left-out scores."
            )
        )
        self._label.setBuddy(self.target)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLING_MS)
        self._settling.timeout.connect(self._tell)
        self.target.valueChanged.connect(self._settling.start)

        self.histogram = ScoreHistogram(self)
        self._statement = MarkedText("genuine", "good", parent=self)
        self._origin = wrapped("", "muted", self)
        self._stress = wrapped("", "muted", self)
        self.people = PeopleTable(self)
        explained = wrapped(
            self.tr(
                "Automatic puts the threshold at a share of the usual score of genuine frames. "
                "A target says how many of them may be refused: the lower, the more attacks may "
                "pass."
            ),
            "muted",
            self,
        )
        row = QWidget(self)
        flow = FlowLayout(row, gap=10)
        flow.addWidget(self._label)
        flow.addWidget(self.target)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for part in (row, explained, self._statement, self._origin, self._stress, self.people):
            column.addWidget(part)
        column.addWidget(self.histogram, 1)
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
            self._show_target(threshold)
        self._statement.show_text(threshold.statement, *threshold_mark(threshold))
        set_text(self._origin, self.tr("Set to {origin}.").format(origin=threshold.origin))
        set_text(self._stress, self._stress_words(threshold))

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours."""
        self.histogram.set_colours(colours)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said of the threshold."""
        labels = (self._origin, self._stress)
        texts = (self._statement.text(), *(label.text() for label in labels))
        return tuple(text for text in texts if text)

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Tell a target that was just chosen before the timer stops."""
        if self._settling.isActive():
            self._settling.stop()
            self._tell()
        super().hideEvent(event)

    def _show_target(self, threshold: ThresholdSummary) -> None:
        self.target.blockSignals(True)
        self.target.setValue(_field_value(threshold))
        self.target.blockSignals(False)

    def _stress_words(self, threshold: ThresholdSummary) -> str:
        if threshold.stress_bpcer is None:
            return self.tr(
                "All takes share one light: how it does in another is not known. "
                "Takes in other light would tell."
            )
        low, high = threshold.stress_interval
        return self.tr(
            "In light that was never enrolled {rate} of {n} frames would be refused "
            "(95 % interval {low} to {high}): every light was left out in turn."
        ).format(
            rate=percent(threshold.stress_bpcer),
            n=len(threshold.stress),
            low=percent(low),
            high=percent(high),
        )

    @Slot()
    def _tell(self) -> None:
        value = self.target.value()
        if self._shown is None or value != _field_value(self._shown):
            self.target_changed.emit(None if value == AUTOMATIC else round(value / 100, 6))


def _field_value(threshold: ThresholdSummary) -> float:
    share = threshold.target_bpcer
    return AUTOMATIC if share is None else min(max(round(100 * share, 1), LOWEST), HIGHEST)
