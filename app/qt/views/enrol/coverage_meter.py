"""How well pose, light and distance are enrolled, and what to do about the rest."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from app.qt.theme import colours
from app.qt.views.parts.shape_mark import ShapeMark
from app.qt.views.parts.texts import set_text, wrapped
from app.session.coverage import CoverageItem

_STEPS = 100
_HALF = 0.5


class CoverageMeter(QWidget):
    """A bar, a word and some advice for every kind of variety.

    Parameters
    ----------
    parent : QWidget, optional
        Its owner.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Coverage of the enrolment"))
        self._shown: tuple[CoverageItem, ...] = ()
        self._rows: list[_Row] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(2, 3)

    def show_coverage(self, items: Sequence[CoverageItem]) -> None:
        """Show these items, in their order."""
        if tuple(items) == self._shown:
            return
        self._shown = tuple(items)
        while len(self._rows) < len(items):
            self._rows.append(_Row(self._grid, len(self._rows), self))
        for number, row in enumerate(self._rows):
            row.show_item(items[number] if number < len(items) else None)

    def row_words(self, number: int) -> tuple[str, str, str]:
        """Return name, word and advice of a row."""
        row = self._rows[number]
        return row.name.text(), row.word.text(), row.advice.text()


class CoverageBar(QProgressBar):
    """A progress bar whose ends stay round, however little it is filled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, _STEPS)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a slim bar that follows the size of the text."""
        line = self.fontMetrics().height()
        return QSize(line * 6, max(8, round(line * 0.55)))

    def minimumSizeHint(self) -> QSize:
        """Return room for a bar that can still be read."""
        return QSize(self.fontMetrics().height() * 3, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        """Draw the groove and what is filled of it."""
        theme = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        radius = whole.height() / 2
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(whole, radius, radius)
        share = self.value() / self.maximum()
        if share > 0.0:
            filled = QRectF(whole)
            filled.setWidth(max(whole.height(), whole.width() * share))
            painter.setBrush(QColor(theme.good if share >= 1.0 else theme.accent))
            painter.drawRoundedRect(filled, radius, radius)
        painter.end()


class _Row(QObject):
    """The widgets of one item, on two lines of the grid."""

    def __init__(self, grid: QGridLayout, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.mark = ShapeMark("dash", "muted", parent)
        self.name = wrapped(parent=parent)
        self.bar = CoverageBar(parent)
        self.word = QLabel(parent)
        self.advice = wrapped(kind="small", parent=parent)
        top = 3 * number
        middle = Qt.AlignmentFlag.AlignVCenter
        grid.addWidget(self.mark, top, 0, middle)
        grid.addWidget(self.name, top, 1)
        grid.addWidget(self.bar, top, 2, middle)
        grid.addWidget(self.word, top, 3)
        grid.addWidget(self.advice, top + 1, 1, 1, 3)
        if number:
            grid.setRowMinimumHeight(top - 1, 5)

    def show_item(self, item: CoverageItem | None) -> None:
        for widget in (self.mark, self.name, self.bar, self.word):
            widget.setVisible(item is not None)
        if item is None:
            set_text(self.advice, "")
            return
        # What still has advice is not complete, however near the rounded number is.
        is_covered = not item.advice
        per_cent = _STEPS if is_covered else min(int(item.share * _STEPS), _STEPS - 1)
        word = self._word(item, is_covered, per_cent)
        self.mark.set_shape("check" if is_covered else "dash", "good" if is_covered else "muted")
        self.name.setText(item.name)
        self.bar.setValue(per_cent)
        self.bar.setAccessibleName(item.name)
        self.bar.setAccessibleDescription(f"{word}. {item.advice}".strip())
        self.word.setText(word)
        set_text(self.advice, item.advice)

    def _word(self, item: CoverageItem, is_covered: bool, per_cent: int) -> str:
        if is_covered:
            return self.tr("covered")
        if per_cent <= 0:
            return self.tr("missing")
        word = self.tr("partly") if item.share >= _HALF else self.tr("a little")
        return self.tr("{word}, {per_cent} %").format(word=word, per_cent=per_cent)
