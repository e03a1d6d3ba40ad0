"""How well pose, light and distance are enrolled, and what to do about the rest."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from app.qt.theme import colours
from app.qt.widgets.layout import grid
from app.qt.widgets.marks import Mark
from app.qt.widgets.texts import set_text, wrapped
from app.session.coverage import CoverageItem


class CoverageMeter(QWidget):
    """A bar, a word and some advice for every kind of variety."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Coverage of the enrolment")
        self._shown: tuple[CoverageItem, ...] = ()
        self._rows: list[_Row] = []
        self._grid = grid(self, 10, 3, 0, 2, 3)

    def show_coverage(self, items: Sequence[CoverageItem]) -> None:
        if tuple(items) == self._shown:
            return
        self._shown = tuple(items)
        while len(self._rows) < len(items):
            self._rows.append(_Row(self._grid, len(self._rows), self))
        for number, row in enumerate(self._rows):
            row.show_item(items[number] if number < len(items) else None)

    def row_words(self, number: int) -> tuple[str, str, str]:
        row = self._rows[number]
        return row.name.text(), row.word.text(), row.advice.text()


class CoverageBar(QProgressBar):
    """A progress bar whose ends stay round, however little it is filled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, 100)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(line * 6, max(8, round(line * 0.55)))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().height() * 3, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent, /) -> None:
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

    def __init__(self, layout: QGridLayout, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.mark = Mark(parent=parent)
        self.name = wrapped(parent=parent)
        self.bar = CoverageBar(parent)
        self.word = QLabel(parent)
        self.advice = wrapped(kind="small", parent=parent)
        top = 3 * number
        middle = Qt.AlignmentFlag.AlignVCenter
        layout.addWidget(self.mark, top, 0, middle)
        layout.addWidget(self.name, top, 1)
        layout.addWidget(self.bar, top, 2, middle)
        layout.addWidget(self.word, top, 3)
        layout.addWidget(self.advice, top + 1, 1, 1, 3)
        if number:
            layout.setRowMinimumHeight(top - 1, 5)

    def show_item(self, item: CoverageItem | None) -> None:
        for widget in (self.mark, self.name, self.bar, self.word):
            widget.setVisible(item is not None)
        if item is None:
            set_text(self.advice, "")
            return
        # What still has advice is not complete, however near the rounded number is.
        is_covered = not item.advice
        per_cent = 100 if is_covered else min(int(item.share * 100), 99)
        word = "covered" if is_covered else "missing"
        if not is_covered and per_cent > 0:
            word = f"{'partly' if item.share >= 0.5 else 'a little'}, {per_cent} %"
        self.mark.set_shape("check" if is_covered else "dash", "good" if is_covered else "muted")
        self.name.setText(item.name)
        self.bar.setValue(per_cent)
        self.bar.setAccessibleName(item.name)
        self.bar.setAccessibleDescription(f"{word}. {item.advice}".strip())
        self.word.setText(word)
        set_text(self.advice, item.advice)
