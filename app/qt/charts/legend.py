"""Legends: a small shape and a few words for each kind of mark."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.theme.themes import LIGHT, Colours
from app.qt.widgets.flow import FlowRow


@dataclass(frozen=True)
class Key:
    """One entry: its words, its colour (``#rrggbb``) and the shape of its mark."""

    text: str
    colour: str
    shape: str = "square"


def draw_mark(painter: QPainter, shape: str, centre: QPointF, size: float, colour: str) -> None:
    """Paint one mark; ``size`` is its side or diameter in pixels."""
    half = size / 2
    fill = QColor(colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    x, y = centre.x(), centre.y()
    match shape:
        case "circle":
            painter.drawEllipse(centre, half, half)
        case "ring":
            painter.setPen(QPen(fill, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, half - 0.75, half - 0.75)
        case "triangle":
            down = [QPointF(x - half, y - half * 0.8), QPointF(x + half, y - half * 0.8)]
            painter.drawPolygon(QPolygonF([*down, QPointF(x, y + half)]))
        case "diamond":
            edges = [(0, -half), (half, 0), (0, half), (-half, 0)]
            painter.drawPolygon(QPolygonF([QPointF(x + dx, y + dy) for dx, dy in edges]))
        case "bar" | "hollow bar":
            if shape == "hollow bar":
                painter.setPen(QPen(fill, 1.2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(x - size * 0.8, y - 2, size * 1.6, 4), 2, 2)
        case "tick":
            painter.drawRect(QRectF(x - 1, y - half, 2, size))
        case _:
            painter.drawRoundedRect(QRectF(x - half, y - half, size, size), 2, 2)


class _Entry(QWidget):
    def __init__(self, key: Key, colours: Colours, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_key(key, colours)

    def set_key(self, key: Key, colours: Colours) -> None:
        self._key = key
        self._colours = colours
        self.setAccessibleName(key.text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._key.text) + self._mark() + 8, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._mark() * 3, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mark = self._mark()
        centre = QPointF(mark / 2 + 1, self.height() / 2)
        draw_mark(painter, self._key.shape, centre, mark * 0.75, self._key.colour)
        painter.setPen(QColor(self._colours.text))
        rest = self.rect().adjusted(mark + 6, 0, 0, 0)
        text = self.fontMetrics().elidedText(
            self._key.text, Qt.TextElideMode.ElideRight, rest.width()
        )
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()

    def _mark(self) -> int:
        return max(10, round(self.fontMetrics().ascent() * 0.95))


class Legend(FlowRow):
    """Entries side by side; hidden while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, gap=14)
        self._shown: tuple[tuple[Key, ...], Colours] = ((), LIGHT)
        self._entries: list[_Entry] = []
        self.hide()

    @property
    def keys(self) -> tuple[Key, ...]:
        return self._shown[0]

    def show_keys(self, keys: tuple[Key, ...], colours: Colours) -> None:
        """Show entries; costs nothing when they are the same."""
        if self._shown == (keys, colours):
            return
        self._shown = (keys, colours)
        if len(keys) == len(self._entries):
            # In place: texts that change a few times a second must not flicker.
            for entry, key in zip(self._entries, keys, strict=True):
                entry.set_key(key, colours)
            return
        self.clear()
        self._entries = [_Entry(key, colours, self) for key in keys]
        self.add(*self._entries)
        self.setVisible(bool(keys))
