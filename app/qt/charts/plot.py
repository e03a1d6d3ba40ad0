"""Axes and an area of fixed ranges: no menu of its own, and the wheel scrolls the page."""

from collections.abc import Callable, Iterable
from math import isfinite

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QSizePolicy, QToolTip, QWidget

from app.qt import theme

_PLACES = {"left": (0, 0), "bottom": (1, 1)}
"""Rows and columns of the axes; the area is at (0, 1)."""

_SHRINK_BELOW = 0.6
_LEAST_SPREAD = 1e-3
"""So that equal values do not fill the chart with their last digits."""


def tinted(colour: str, opacity: float) -> QColor:
    tint = QColor(colour)
    tint.setAlphaF(opacity)
    return tint


def dashed(colour: str) -> QPen:
    """Return the pen of a threshold."""
    pen: QPen = pg.mkPen(colour, width=1.4, dash=[4, 3])
    return pen


class Plot(pg.GraphicsView):
    """Axes and an area whose ranges only the chart sets.

    Made of pyqtgraph's parts, not its `PlotWidget`: that one builds a form of sixty widgets for a
    menu which no chart here offers, and they would be styled at every change of theme.

    Parameters
    ----------
    parent : QWidget
        Parent.
    name : str
        Accessible name.
    axes : tuple of str
        Which axes there are, of "left" and "bottom".
    left_text : str
        The widest number at the left axis, whose width stays; empty for a width that follows.
    tip : callable, optional
        Returns the tool tip for the values under the mouse.
    """

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
        self.setCacheMode(self.CacheModeFlag.CacheNone)  # the ground of the card shows through
        self.viewport().setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(self.fontMetrics().height() * 6)
        self._on_theme()
        theme.notifier().changed.connect(self._on_theme)

    def axis(self, name: str) -> pg.AxisItem:
        return self._axes[name]

    def add(self, *items: pg.GraphicsObject) -> None:
        """Add what is drawn in the area, from the back to the front."""
        for item in items:
            self.box.addItem(item, ignoreBounds=True)

    def add_text(self, across: float, down: float) -> pg.TextItem:
        """Return a text in the area; its anchor is a share of its width and height."""
        text = pg.TextItem(anchor=(across, down))
        text.setFont(self.small_font)
        self.add(text)
        return text

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

    def text_width(self, text: str) -> int:
        """Return the width of a text in the small font."""
        return pg.QtGui.QFontMetrics(self.small_font, self).horizontalAdvance(text)

    @Slot()
    def _on_theme(self) -> None:
        colours = theme.colours()
        for axis in self._axes.values():
            axis.setPen(pg.mkPen(colours.grid))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setStyle(tickFont=self.small_font, hideOverlappingLabels=False)
        if self._left_text:
            self.axis("left").setWidth(self.text_width(self._left_text) + 10)
        # Room for half a label where an axis ends at the edge of the widget.
        top = self.fontMetrics().height() // 2
        self._grid.setContentsMargins(1, top, self.text_width("0.00") // 2 + 4, 1)

    # Wheel and menu belong to the page around the plot, and nothing can be dragged.

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
    """The ends of an axis: they grow at once, and shrink only when much less is needed.

    ``padding`` is the room beyond the smallest and largest value, as a share of their spread.
    """

    def __init__(self, padding: float) -> None:
        self._padding = padding
        self.reset()

    def reset(self) -> None:
        """Forget the range: the next values have it to themselves."""
        self.low, self.high = 0.0, 1.0
        self._is_new = True

    def follow(self, values: Iterable[float]) -> None:
        """Bring the finite ones of these values into view."""
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
