"""A plot whose ranges only its chart sets: no menu, no dragging, and the wheel scrolls the page."""

from collections.abc import Callable, Iterable
from math import isfinite

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QMouseEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsGridLayout, QSizePolicy, QToolTip, QWidget

from app.qt import theme

_PLACES = {"left": (0, 0), "bottom": (1, 1)}
"""Row and column of each axis; the plot area is at (0, 1)."""

_SHRINK_BELOW = 0.6
_LEAST_SPREAD = 1e-3
"""Keeps rounding noise of nearly equal values from filling the chart."""


def tinted(colour: str, opacity: float) -> QColor:
    tint = QColor(colour)
    tint.setAlphaF(opacity)
    return tint


class Plot(pg.GraphicsView):
    """Axes and an area whose ranges only the chart sets.

    Built from pyqtgraph's parts because its `PlotWidget` creates sixty widgets for a menu that no
    chart here offers, and all of them would be restyled at every change of theme.

    Parameters
    ----------
    parent : QWidget
        Parent widget.
    name : str
        Accessible name.
    axes : tuple of str
        The axes to show, from "left" and "bottom".
    left_text : str
        The widest number at the left axis, which fixes the axis width; empty for a variable width.
    tip : callable, optional
        Returns the tool tip for the values under the mouse.
    """

    resized = Signal()
    """The size or the device pixel ratio changed; whatever depends on pixels must be redrawn."""

    def __init__(
        self,
        parent: QWidget,
        name: str,
        *,
        axes: tuple[str, ...] = ("left", "bottom"),
        left_text: str = "",
        tip: Callable[[float, float], str] | None = None,
    ) -> None:
        super().__init__(parent, background=None)
        self.setAccessibleName(name)
        self._left_text, self._tip = left_text, tip
        self._pixel_ratio = self.devicePixelRatioF()
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.disableAutoRange()
        self._axes = {name: pg.AxisItem(name) for name in axes}
        frame = pg.GraphicsWidget()
        self._grid = QGraphicsGridLayout(frame)
        self._grid.setSpacing(0)
        self._grid.addItem(self.box, 0, 1)
        for name, axis in self._axes.items():
            axis.linkToView(self.box)
            axis.setZValue(-1)  # ticks go behind bars and curves
            self._grid.addItem(axis, *_PLACES[name])
        self.setCentralItem(frame)
        self.setInteractive(False)
        self.setAntialiasing(True)
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(self.CacheModeFlag.CacheNone)  # the background of the card shows through
        self.viewport().setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(self.fontMetrics().height() * 6)
        self._style()
        theme.notifier().changed.connect(self._style)

    def axis(self, name: str) -> pg.AxisItem:
        return self._axes[name]

    def add(self, *items: pg.GraphicsObject) -> None:
        """Add items to the plot area, from back to front."""
        for item in items:
            self.box.addItem(item, ignoreBounds=True)

    def add_text(self, across: float, down: float) -> pg.TextItem:
        """Add a text to the plot area; its anchor is given as fractions of its width and height."""
        text = pg.TextItem(anchor=(across, down))
        text.setFont(self.small_font)
        self.add(text)
        return text

    def set_x_range(self, low: float, high: float) -> None:
        self.box.setXRange(low, high, padding=0)

    def set_y_range(self, low: float, high: float) -> None:
        self.box.setYRange(low, high, padding=0)

    def pen(self, colour: str, width: float = 1.0, dash: list[float] | None = None) -> QPen:
        """Return a pen whose width scales with the screen, unlike that of pyqtgraph's pens."""
        pen: QPen = pg.mkPen(colour, width=width * self._pixel_ratio, dash=dash)
        return pen

    def dashed_pen(self, colour: str) -> QPen:
        return self.pen(colour, 1.4, [4, 3])

    def set_pixel_ratio(self, ratio: float) -> None:
        """Set the number of device pixels per pixel; pens made before keep their width."""
        self._pixel_ratio = ratio
        self._style()

    @property
    def small_font(self) -> QFont:
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(max(7.0, font.pointSizeF() * 0.9))
        return font

    def text_width(self, text: str) -> int:
        """Return the width of a text in the small font."""
        return pg.QtGui.QFontMetrics(self.small_font, self).horizontalAdvance(text)

    @Slot()
    def _style(self) -> None:
        colours = theme.colours()
        for axis in self._axes.values():
            axis.setPen(self.pen(colours.grid))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setStyle(tickFont=self.small_font, hideOverlappingLabels=False)
        if self._left_text:
            self.axis("left").setWidth(self.text_width(self._left_text) + 10)
        # Leave room for half a label at the ends of the axes.
        top, side = self.fontMetrics().height() // 2, self.text_width("0.00") // 2 + 4
        self._grid.setContentsMargins(1 if "left" in self._axes else side, top, side, 1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.set_pixel_ratio(self.devicePixelRatioF())
            self.resized.emit()
        return bool(super().event(event))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    # The page around the plot handles the wheel and the menu; nothing can be dragged.

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.accept()
        if self._tip is not None:
            place = event.position().toPoint()
            value = self.box.mapSceneToView(self.mapToScene(place))
            QToolTip.showText(self.mapToGlobal(place), self._tip(value.x(), value.y()), self)


class SteadyRange:
    """An axis range that grows at once, and shrinks only when much less is needed.

    ``padding`` is the space beyond the smallest and largest value, relative to their difference.
    """

    def __init__(self, padding: float) -> None:
        self._padding = padding
        self.reset()

    def reset(self) -> None:
        """Forget the range; the next values set it."""
        self.low, self.high = 0.0, 1.0
        self._is_new = True

    def follow(self, values: Iterable[float]) -> None:
        """Adapt the range to the finite values."""
        known = [value for value in values if isfinite(value)]
        if not known:
            return
        first, last = min(known), max(known)
        half = max(last - first, _LEAST_SPREAD) * (0.5 + self._padding)
        low, high = (first + last) / 2 - half, (first + last) / 2 + half
        if self._is_new or high - low < _SHRINK_BELOW * (self.high - self.low):
            self.low, self.high, self._is_new = low, high, False
        elif first < self.low or last > self.high:
            self.low, self.high = min(low, self.low), max(high, self.high)
