"""Icons that are drawn when they are needed: sharp at every scale, in the colours of the theme.

An icon takes its colour while it is painted, so it follows a change of theme by itself.
"""

from collections.abc import Iterator
from functools import cache

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QIcon,
    QIconEngine,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QPixmap,
)

from app.qt.icon_shapes import SHAPES, VERDICTS, Shape
from app.qt.theme import ASSETS, colours

GRID = 24.0
PEN = 2.0
_DASHES = [2.6, 2.37]
"""In widths of the pen: six of both go once around the dashed circle."""

APP_ICON_SIZES = (16, 24, 32, 48, 64, 128, 256)


def icon(name: str, role: str = "text", on: str = "") -> QIcon:
    """Return an icon by name.

    Parameters
    ----------
    name : str
        One of `app.qt.icon_shapes.SHAPES`.
    role : str
        Which of the theme's `Colours` it takes; when disabled it is faint.
    on : str
        The colour while its button is checked; by default the same.

    Raises
    ------
    KeyError
        For a name that is not there.
    """
    return QIcon(_ThemedIcon(SHAPES[name], role, on or role))


def verdict_icon(verdict: str) -> QIcon:
    """Return the icon of an `app.types.Verdict`, with a shape and a colour of its own."""
    name, role = VERDICTS[verdict]
    return icon(name, role)


def verdict_colour(verdict: str) -> str:
    """Return the colour of an `app.types.Verdict` in the theme that is shown."""
    found: str = getattr(colours(), VERDICTS[verdict][1])
    return found


def paint_icon(painter: QPainter, name: str, rect: QRectF, colour: QColor | str) -> None:
    """Draw an icon into the largest square in the middle of a rectangle."""
    _paint(painter, SHAPES[name], rect, QColor(colour))


def paint_verdict(painter: QPainter, verdict: str, rect: QRectF, colour: QColor | str) -> None:
    """Draw the shape of an `app.types.Verdict`."""
    paint_icon(painter, VERDICTS[verdict][0], rect, colour)


def app_icon() -> QIcon:
    """Return the program's own icon, from files that are installed with it."""
    result = QIcon()
    for size in APP_ICON_SIZES:
        result.addFile(str(ASSETS / f"icon-{size}.png"), QSize(size, size))
    return result


class _ThemedIcon(QIconEngine):
    """Paints a shape in a colour of the theme that is shown at that moment."""

    _clones: list["_ThemedIcon"] = []  # noqa: RUF012
    """Qt owns a clone but PySide does not know; without a reference it would be freed twice."""

    def __init__(self, shape: Shape, role: str, on: str) -> None:
        super().__init__()
        self._shape = shape
        self._roles = (role, on)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        off, on = self._roles
        role = on if state == QIcon.State.On else off
        if mode == QIcon.Mode.Disabled:
            role = "faint"
        # Where it is given more width than height, the rest is a gap before the words.
        square = QRectF(rect.x(), rect.y(), min(rect.width(), rect.height()), rect.height())
        _paint(painter, self._shape, square, QColor(getattr(colours(), role)))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        if size.isEmpty():
            return QPixmap()  # of a button that has no room left, as while a notice folds away
        result = QPixmap(size)
        result.fill(Qt.GlobalColor.transparent)
        painter = QPainter(result)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return result

    def clone(self) -> QIconEngine:
        copy = _ThemedIcon(self._shape, *self._roles)
        self._clones.append(copy)
        return copy


def _paint(painter: QPainter, shape: Shape, rect: QRectF, colour: QColor) -> None:
    side = min(rect.width(), rect.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.center() - QPointF(side / 2, side / 2))
    painter.scale(side / GRID, side / GRID)
    lines, areas = _paths(shape)
    if not areas.isEmpty():
        painter.fillPath(areas, colour)
    if not lines.isEmpty():
        pen = QPen(colour, PEN, Qt.PenStyle.SolidLine)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if shape.is_dashed:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(lines)
    painter.restore()


@cache
def _paths(shape: Shape) -> tuple[QPainterPath, QPainterPath]:
    """Return what is drawn and what is filled; made once for every shape."""
    areas = _path(shape.areas)
    if shape.cut:
        stroker = QPainterPathStroker()
        stroker.setWidth(PEN * 1.15)
        stroker.setCapStyle(Qt.PenCapStyle.RoundCap)
        stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        areas = areas.subtracted(stroker.createStroke(_path(shape.cut)))
    return _path(shape.lines), areas


def _path(text: str) -> QPainterPath:
    path = QPainterPath()
    for letter, numbers in _commands(text):
        match letter, numbers:
            case "M", [x, y]:
                path.moveTo(x, y)
            case "L", [x, y]:
                path.lineTo(x, y)
            case "C", [x1, y1, x2, y2, x, y]:
                path.cubicTo(x1, y1, x2, y2, x, y)
            case "Q", [x1, y1, x, y]:
                path.quadTo(x1, y1, x, y)
            case "Z", []:
                path.closeSubpath()
            case "O", [x, y, r]:
                path.addEllipse(QPointF(x, y), r, r)
            case "R", [x, y, w, h, r]:
                path.addRoundedRect(QRectF(x, y, w, h), r, r)
            case "A", [x, y, r, start, sweep]:
                box = QRectF(x - r, y - r, 2 * r, 2 * r)
                if path.isEmpty():
                    path.arcMoveTo(box, start)
                path.arcTo(box, start, sweep)
            case _:
                raise ValueError(f"The drawing {text!r} has an unknown part {letter} {numbers}.")
    return path


def _commands(text: str) -> Iterator[tuple[str, list[float]]]:
    letter, numbers = "", list[float]()
    for word in text.split():
        if not word.isalpha():
            numbers.append(float(word))
            continue
        if letter:
            yield letter, numbers
        letter, numbers = word, []
    if letter:
        yield letter, numbers
