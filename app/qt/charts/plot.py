"""Axes and an area of fixed ranges: no menu of its own, and the wheel scrolls the page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QGraphicsGridLayout,
    QGraphicsView,
    QSizePolicy,
    QStyleOptionGraphicsItem,
    QWidget,
)

from app.qt.theme.themes import LIGHT, Colours

_PLACES = {"top": (0, 1), "left": (1, 0), "bottom": (2, 1)}
"""Rows and columns of the axes; the area is in the middle."""

_EASE = 0.35
_SETTLED = 0.004
_SHRINK_BELOW = 0.6
_LEAST_SPREAD = 1e-3
"""So that equal values do not fill the chart with their last digits."""


def tinted(colour: str, opacity: float) -> QColor:
    tint = QColor(colour)
    tint.setAlphaF(opacity)
    return tint


@dataclass(frozen=True)
class Pixels:
    """Where values lie in pixels, while something is painted."""

    transform: QTransform
    area: QRectF

    def at(self, x: float, y: float) -> QPointF:
        return self.transform.map(QPointF(x, y))

    def x(self, value: float) -> float:
        return self.at(value, 0.0).x()

    def y(self, value: float) -> float:
        return self.at(0.0, value).y()

    def vertical(self, value: float) -> QLineF:
        """Return a crisp line from top to bottom at a value."""
        x = round(self.x(value)) + 0.5
        return QLineF(x, self.area.top(), x, self.area.bottom())

    def horizontal(self, value: float) -> QLineF:
        """Return a crisp line from left to right at a value."""
        y = round(self.y(value)) + 0.5
        return QLineF(self.area.left(), y, self.area.right(), y)


def draw_curve(
    painter: QPainter, pixels: Pixels, points: Iterable[tuple[float, float]], colour: str
) -> None:
    """Draw a line through points, broken where a value is not finite.

    In pixels like all else, since pyqtgraph's own curves get thinner on finer screens; and in
    single lines, since Qt draws long paths with many turns many times slower.
    """
    lines = []
    last: QPointF | None = None
    for x, y in points:
        here = pixels.at(x, y) if isfinite(x) and isfinite(y) else None
        if here is not None and last is not None:
            lines.append(QLineF(last, here))
        last = here
    pen = QPen(QColor(colour), 1.6)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)  # covers the notches between lines
    painter.setPen(pen)
    painter.drawLines(lines)


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


class PlotLayer(pg.GraphicsObject):
    """Something painted in pixels over the whole area of a plot, so that text and lines stay crisp.

    ``paint`` gets the painter and the `Pixels` of the moment.
    """

    def __init__(self, paint: Callable[[QPainter, Pixels], None]) -> None:
        super().__init__()
        self._paint = paint

    def boundingRect(self) -> QRectF:
        rect = self.viewRect()
        return QRectF() if rect is None else rect

    def viewTransformChanged(self) -> None:
        super().viewTransformChanged()  # forgets the rectangle that it keeps
        self.prepareGeometryChange()
        self.update()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        transform = painter.transform()
        area = transform.mapRect(self.boundingRect())
        painter.save()
        painter.resetTransform()
        self._paint(painter, Pixels(transform, area))
        painter.restore()


class Plot(pg.GraphicsView):
    """Axes and an area whose ranges only the chart sets.

    Made of pyqtgraph's parts, not its `PlotWidget`: that one builds a form of sixty widgets for a
    menu which no chart here offers, and they would be styled at every change of theme.

    Parameters
    ----------
    parent : QWidget, optional
        Parent.
    axes : dict of str to AxisItem, optional
        Axes by place ("left", "top", "bottom"); by default one at the left and one below.
    left_text : str
        The widest number at the left axis, whose width stays; empty for a width that follows.
    """

    hovered = Signal(QPoint)
    """Position of the mouse, in pixels of the widget."""
    left = Signal()
    key_pressed = Signal(object)
    """A `QKeyEvent` that the chart may accept."""

    def __init__(
        self,
        parent: QWidget | None = None,
        axes: dict[str, pg.AxisItem] | None = None,
        left_text: str = "",
    ) -> None:
        super().__init__(parent, background=None)
        self.colours: Colours = LIGHT
        self._left_text = left_text
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.disableAutoRange()
        self._axes = axes or {name: pg.AxisItem(name) for name in ("left", "bottom")}
        frame = pg.GraphicsWidget()
        self._grid = QGraphicsGridLayout(frame)
        self._grid.setSpacing(0)
        self._grid.addItem(self.box, 1, 1)
        self._grid.setRowStretchFactor(1, 100)
        self._grid.setColumnStretchFactor(1, 100)
        for name, axis in self._axes.items():
            axis.linkToView(self.box)
            axis.setZValue(0.5)
            self._grid.addItem(axis, *_PLACES[name])
        self.setCentralItem(frame)
        self.setInteractive(False)
        self.enableMouse(False)
        self.setAntialiasing(True)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.viewport().setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(self.fontMetrics().height() * 6)

    def axis(self, name: str) -> pg.AxisItem:
        return self._axes[name]

    def set_x_range(self, low: float, high: float) -> None:
        self.box.setXRange(low, high, padding=0)

    def set_y_range(self, low: float, high: float) -> None:
        self.box.setYRange(low, high, padding=0)

    @property
    def small_font(self) -> QFont:
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(max(7.0, font.pointSizeF() * 0.9))
        return font

    @property
    def small_metrics(self) -> QFontMetrics:
        return QFontMetrics(self.small_font, self)

    def add_layer(self, paint: Callable[[QPainter, Pixels], None], z: float) -> PlotLayer:
        """Add something that is painted in pixels, at a height among the other items."""
        layer = PlotLayer(paint)
        layer.setZValue(z)
        self.box.addItem(layer, ignoreBounds=True)
        return layer

    def set_colours(self, colours: Colours) -> None:
        self.colours = colours
        metrics = self.small_metrics
        for axis in self._axes.values():
            axis.setPen(pg.mkPen(colours.grid, width=1))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setTickPen(pg.mkPen(colours.grid, width=1))
            axis.setStyle(tickFont=self.small_font, hideOverlappingLabels=False)
        if self._left_text:
            self.axis("left").setWidth(metrics.horizontalAdvance(self._left_text) + 10)
        # Room for half a label where an axis ends at the edge of the widget.
        top = metrics.height() // 2 + 1 if "left" in self._axes else 2
        self._grid.setContentsMargins(1, top, metrics.horizontalAdvance("0.00") // 2 + 4, 1)
        self.viewport().update()

    def area(self) -> QRectF:
        rect: QRectF = self.box.mapRectToScene(self.box.rect())
        return rect

    def value_at(self, place: QPoint) -> tuple[float, float]:
        point = self.box.mapSceneToView(self.mapToScene(place))
        return point.x(), point.y()

    # Wheel and menu belong to the page around the plot, and nothing can be dragged.

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()
        self.key_pressed.emit(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.hovered.emit(event.position().toPoint())

    def leaveEvent(self, event: object) -> None:
        super().leaveEvent(event)
        self.left.emit()


class SteadyRange:
    """The lower and upper end of an axis, eased from frame to frame.

    It grows at once, and shrinks only when the values need less than ``_SHRINK_BELOW`` of it.
    """

    def __init__(self, padding: float = 0.15) -> None:
        self._padding = padding
        """Room beyond the smallest and largest value, as a share of their spread."""
        self.reset()

    def reset(self) -> None:
        """Forget the range: the next values are shown at once, without a transition."""
        self.low, self.high = 0.0, 1.0
        self._goal = (0.0, 1.0)
        self._is_new = True

    @property
    def has_settled(self) -> bool:
        return (self.low, self.high) == self._goal

    def follow(self, values: Iterable[float]) -> None:
        """Set the goal from the values that must be in view; without any, the goal stays."""
        known = [value for value in values if isfinite(value)]
        if not known:
            return
        low, high = self._needed(min(known), max(known))
        if self._is_new:
            self._is_new = False
            self.low, self.high = self._goal = low, high
            return
        goal_low, goal_high = self._goal
        is_outside = min(known) < goal_low or max(known) > goal_high
        is_too_wide = high - low < _SHRINK_BELOW * (goal_high - goal_low)
        if is_too_wide:
            self._goal = (low, high)
        elif is_outside:
            self._goal = (min(low, goal_low), max(high, goal_high))

    def step(self) -> None:
        """Go a part of the way to the goal, and the whole way once it is near."""
        goal_low, goal_high = self._goal
        self.low += _EASE * (goal_low - self.low)
        self.high += _EASE * (goal_high - self.high)
        near = _SETTLED * (goal_high - goal_low)
        if abs(self.low - goal_low) < near and abs(self.high - goal_high) < near:
            self.low, self.high = self._goal

    def settle(self) -> None:
        self.low, self.high = self._goal

    def _needed(self, low: float, high: float) -> tuple[float, float]:
        spread = max(high - low, _LEAST_SPREAD)
        middle = (low + high) / 2
        half = spread * (0.5 + self._padding)
        return middle - half, middle + half
