"""Vector icons in the colours of the theme.

The colour is looked up while an icon is painted, so icons follow a change of theme.

Icons are drawn on a grid of 24 by 24 and described like SVG paths: ``M x y`` starts a line,
``L x y`` continues it, ``C`` and ``Q`` are Bezier curves, ``Z`` closes; ``O x y r`` is a circle,
``R x y w h r`` a rectangle with round corners, ``A x y r start sweep`` an arc in degrees,
anticlockwise from three o'clock.
"""

import re
from dataclasses import dataclass
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

from app.qt.theme import ASSETS, colours

GRID = 24.0
PEN = 2.0
_DASHES = [2.6, 2.37]
"""Dash and gap in pen widths; six of each fit around the dashed circle."""

APP_ICON_SIZES = (16, 24, 32, 48, 64, 128, 256)


@dataclass(frozen=True)
class Shape:
    """An icon: lines to draw, areas to fill, and lines to cut out of the areas."""

    lines: str = ""
    areas: str = ""
    cut: str = ""
    is_dashed: bool = False


_BUST = "O 10 8 4 M 3 20 C 3 16 6 14.5 10 14.5 C 14 14.5 17 16 17 20"
_OCTAGON = "M 8 2 L 16 2 L 22 8 L 22 16 L 16 22 L 8 22 L 2 16 L 2 8 Z"
_DIAMOND = (
    "M 10.6 1.6 Q 12 0.4 13.4 1.6 L 22.4 10.6 Q 23.6 12 22.4 13.4 L 13.4 22.4 Q 12 23.6 10.6 22.4 "
    "L 1.6 13.4 Q 0.4 12 1.6 10.6 Z"
)
_TRIANGLE = (
    "M 10.6 2.9 Q 12 0.7 13.4 2.9 L 22.6 19.2 Q 23.7 21.7 21 22 L 3 22 Q 0.3 21.7 1.4 19.2 Z"
)
_CROSS = "M 8.5 8.5 L 15.5 15.5 M 15.5 8.5 L 8.5 15.5"
_ASKING = "M 9.6 11 C 9.6 7.6 14.6 7.8 14.4 10.8 C 14.3 12.6 12 12.6 12 14.8 M 12 18.2 L 12 18.3"

_MASK = "M 5 5 C 9 3.2 15 3.2 19 5 L 19 12 C 19 17 15.5 20.8 12 21.8 C 8.5 20.8 5 17 5 12 Z"
_EYES = "M 8 10.5 L 10 10.5 M 14 10.5 L 16 10.5"
_MOUTH = "M 9.5 16 C 11 17 13 17 14.5 16"

SHAPES = {
    # Actions.
    "camera": Shape("R 2 6 14 12 2.5 M 16 10.5 L 22 7 L 22 17 L 16 13.5"),
    "enrol": Shape(_BUST + " M 19 6 L 19 12 M 16 9 L 22 9"),
    "person": Shape("O 12 8 4 M 4.5 20 C 4.5 16 8 14.5 12 14.5 C 16 14.5 19.5 16 19.5 20"),
    "model": Shape("M 3 21 L 21 21", areas="R 4 12 4 7 1 R 10 4 4 15 1 R 16 8 4 11 1"),
    "why": Shape(
        "M 10 2.5 L 10 21.5",
        areas="R 10 4 11 4 1 R 10 10 6.5 4 1 R 4 16 6 4 1",
    ),
    "test": Shape(
        "M 8 4 L 6 4 Q 4 4 4 6 L 4 20 Q 4 22 6 22 L 18 22 Q 20 22 20 20 L 20 6 Q 20 4 18 4 "
        "L 16 4 R 8 2 8 4 1.2 M 8.5 14 L 11 16.5 L 15.5 11"
    ),
    "report": Shape(
        "M 14 2 L 6 2 Q 4 2 4 4 L 4 20 Q 4 22 6 22 L 18 22 Q 20 22 20 20 L 20 8 Z "
        "M 14 2 L 14 8 L 20 8 M 8 13 L 16 13 M 8 17 L 13 17"
    ),
    "export": Shape("M 12 15 L 12 3 M 7 8 L 12 3 L 17 8 M 4 15 L 4 21 L 20 21 L 20 15"),
    "import": Shape("M 12 3 L 12 15 M 7 10 L 12 15 L 17 10 M 4 15 L 4 21 L 20 21 L 20 15"),
    "open": Shape(
        "M 3 19 L 3 6 Q 3 5 4 5 L 9 5 L 11 7.5 L 18 7.5 Q 19 7.5 19 8.5 L 19 11 "
        "M 3 19 L 6.5 11 L 22 11 L 18.5 19 Z"
    ),
    "save": Shape("M 4 4 L 17 4 L 20 7 L 20 20 L 4 20 Z M 8 4 L 8 9 L 15 9 L 15 4 R 8 13 8 7 0.5"),
    "settings": Shape(
        "M 3 6 L 11 6 M 17 6 L 21 6 O 14 6 2.5 M 3 12 L 5 12 M 11 12 L 21 12 O 8 12 2.5 "
        "M 3 18 L 13 18 M 19 18 L 21 18 O 16 18 2.5"
    ),
    "keyboard": Shape(
        "R 2 5 20 14 2 M 6 9.5 L 6 9.6 M 10 9.5 L 10 9.6 M 14 9.5 L 14 9.6 M 18 9.5 L 18 9.6 "
        "M 7.5 14.5 L 16.5 14.5"
    ),
    "play": Shape(
        areas="M 7 4.5 Q 7 3 8.4 3.8 L 19.6 11 Q 21 12 19.6 13 L 8.4 20.2 Q 7 21 7 19.5 Z"
    ),
    "stop": Shape(areas="R 5 5 14 14 2"),
    "pause": Shape(areas="R 6 4 4.5 16 1.2 R 13.5 4 4.5 16 1.2"),
    "record": Shape("O 12 12 9.5", areas="O 12 12 5"),
    "undo": Shape("M 8 4 L 3.5 8.5 L 8 13 M 3.5 8.5 L 14 8.5 C 22.5 8.5 22.5 20 14 20 L 8 20"),
    "refresh": Shape("A 12 12 8.5 20 290 M 20.5 3.5 L 20.5 9 L 15 9"),
    "delete": Shape(
        "M 3.5 6 L 20.5 6 M 9 6 L 9 3 L 15 3 L 15 6 M 6 6 L 7 21 L 17 21 L 18 6 "
        "M 10.2 10 L 10.4 17 M 13.8 10 L 13.6 17"
    ),
    "add": Shape("M 12 4 L 12 20 M 4 12 L 20 12"),
    "copy": Shape("R 8 8 13 13 2 M 4.5 16 L 4 16 Q 3 16 3 15 L 3 4 Q 3 3 4 3 L 15 3 Q 16 3 16 4"),
    "lock": Shape(
        "M 7.5 11 L 7.5 7.5 C 7.5 1.5 16.5 1.5 16.5 7.5 L 16.5 11",
        areas="R 4.5 11 15 10.5 2",
        cut="M 12 15 L 12 17.5",
    ),
    "chevron-down": Shape("M 5 9 L 12 16 L 19 9"),
    "chevron-up": Shape("M 5 15 L 12 8 L 19 15"),
    "chevron-right": Shape("M 9 5 L 16 12 L 9 19"),
    # States.
    "check": Shape("M 4.5 12.5 L 10 18 L 19.5 7"),
    "cross": Shape("M 5.5 5.5 L 18.5 18.5 M 18.5 5.5 L 5.5 18.5"),
    "dash": Shape("M 6 12 L 18 12"),
    "warning": Shape(areas=_TRIANGLE, cut="M 12 9 L 12 14 M 12 18.2 L 12 18.3"),
    "error": Shape(areas=_DIAMOND, cut="M 12 7 L 12 13 M 12 16.9 L 12 17"),
    "info": Shape(areas="O 12 12 10.5", cut="M 12 11 L 12 17 M 12 7 L 12 7.1"),
    # Verdicts: each has its own outline, so that colour is not needed.
    "genuine": Shape(areas="O 12 12 10.5", cut="M 7.2 12.4 L 10.6 15.8 L 16.8 8.8"),
    "attack": Shape(areas=_OCTAGON, cut=_CROSS),
    "unfamiliar": Shape(areas=_TRIANGLE, cut=_ASKING),
    "no-face": Shape("O 12 12 9.5", is_dashed=True),
    "poor-quality": Shape("O 12 12 9.5", areas="M 12 2.5 A 12 12 9.5 90 180 Z"),
    "bad-frame": Shape("R 2.5 4.5 19 15 2 M 6.5 16 L 17.5 8"),
    "looking": Shape(areas="O 4.5 12 2.6 O 12 12 2.6 O 19.5 12 2.6"),
    "no-model": Shape("R 3.5 3.5 17 17 2.5"),
    "species-print": Shape(
        "M 5 2 L 15 2 L 19 6 L 19 22 L 5 22 Z"
        " O 12 10 2.4 M 8.2 18 C 8.2 15.6 9.8 14.8 12 14.8 C 14.2 14.8 15.8 15.6 15.8 18"
    ),
    "species-photo": Shape(
        "R 2 4.5 20 15 2 M 2.5 17 L 9 11.5 L 13.5 16 L 16.5 13.5 L 21.5 18 O 15.5 9 1.6"
    ),
    "species-phone": Shape("R 6.5 2 11 20 2.5 M 11 18.6 L 13 18.6"),
    "species-tablet": Shape("R 2 4.5 20 15 2.2 M 18.6 11 L 18.6 13"),
    "species-replay": Shape("R 2 4.5 20 15 2.2", areas="M 10 8.6 L 15.6 12 L 10 15.4 Z"),
    "species-monitor": Shape("R 2 3 20 13 1.8 M 12 16 L 12 21 M 7.5 21 L 16.5 21"),
    "species-paper-mask": Shape(f"{_MASK} {_EYES} {_MOUTH} M 5 9 L 1.5 8 M 19 9 L 22.5 8"),
    "species-3d-mask": Shape(areas=_MASK, cut=f"{_EYES} {_MOUTH} M 12 11 L 12 13.5"),
    "species-named": Shape("M 3 11 L 3 3 L 11 3 L 21.5 13.5 L 13.5 21.5 Z O 7.5 7.5 1.2"),
    "species-own": Shape("R 3 3 18 18 3 M 12 8 L 12 16 M 8 12 L 16 12"),
}

VERDICTS = {
    "genuine": ("genuine", "good"),
    "attack": ("attack", "bad"),
    "unfamiliar conditions": ("unfamiliar", "caution"),
    "no face": ("no-face", "neutral"),
    "poor quality": ("poor-quality", "neutral"),
    "bad frame": ("bad-frame", "neutral"),
    "looking": ("looking", "neutral"),
    "no model": ("no-model", "neutral"),
}
"""Icon and colour of each `app.types.Verdict`, by its value."""


def icon(name: str, role: str = "text") -> QIcon:
    """Return an icon from `SHAPES` in a colour of the theme; faint when disabled."""
    return QIcon(_ThemedIcon(name, role))


def app_icon() -> QIcon:
    """Return the program's icon, from the installed image files."""
    result = QIcon()
    for size in APP_ICON_SIZES:
        result.addFile(str(ASSETS / f"icon-{size}.png"), QSize(size, size))
    return result


class _ThemedIcon(QIconEngine):
    """Paints a shape in a colour of the current theme."""

    _clones: list["_ThemedIcon"] = []  # noqa: RUF012
    """References to clones, which Qt owns; PySide would otherwise free them a second time."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        role = "faint" if mode == QIcon.Mode.Disabled else self._role
        # Extra width is left empty, as a gap before the text.
        square = QRectF(rect.x(), rect.y(), min(rect.width(), rect.height()), rect.height())
        paint_icon(painter, self._name, square, getattr(colours(), role))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        if size.isEmpty():
            return QPixmap()  # a button may shrink to nothing while its notice is removed
        result = QPixmap(size)
        result.fill(Qt.GlobalColor.transparent)
        painter = QPainter(result)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return result

    def clone(self) -> QIconEngine:
        copy = _ThemedIcon(self._name, self._role)
        self._clones.append(copy)
        return copy


def paint_icon(painter: QPainter, name: str, rect: QRectF, colour: QColor | str) -> None:
    """Draw an icon as large as fits, centred in a rectangle."""
    shape, colour = SHAPES[name], QColor(colour)
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
    """Return the path to draw and the path to fill."""
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
    for part in re.findall(r"[A-Z][^A-Z]*", text):
        match part[0], [float(number) for number in part[1:].split()]:
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
                raise ValueError(f"The drawing {text!r} has an unknown part {part!r}.")
    return path
