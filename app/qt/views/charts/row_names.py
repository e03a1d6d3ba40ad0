"""Names of rows of bars: in aligned columns where there is room, else on two lines."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.qt.views.charts.colours import ChartColours
from app.qt.views.charts.plot import Plot, pg

_COLUMN_GAP = 12
_LABEL_SHARE = 0.46


@dataclass(frozen=True)
class Row:
    """One row of bars.

    Attributes
    ----------
    parts : tuple of str
        Its name in up to three parts, for columns.
    full : str
        Its whole name.
    values : tuple of float
        One for each cluster.
    texts : tuple of str
        What stands at the bars: one for each value, or a single one where they are stacked.
    reference : float or None
        Where a tick marks what is usual.
    note : str
        Further words after the text of a stack, in a quieter colour.
    is_low : bool
        Whether a mark says that the value is far below what is usual.
    """

    parts: tuple[str, ...]
    full: str
    values: tuple[float, ...]
    texts: tuple[str, ...] = ()
    reference: float | None = None
    note: str = ""
    is_low: bool = False


class RowNames(pg.AxisItem):
    """The names of the rows: in aligned columns where there is room, else on two lines."""

    def __init__(self) -> None:
        super().__init__("left")
        self._rows: tuple[Row, ...] = ()
        self._colours: ChartColours | None = None
        self._columns: tuple[int, ...] = ()
        self._font = self._number_font = QFont()
        self._gutter = self._number_height = 0

    def arrange(self, rows: tuple[Row, ...], plot: Plot, gutter: int, number_height: int) -> None:
        """Lay the names out for the width of a plot.

        At their right `gutter` pixels are for the clusters' numbers, each `number_height` below
        the one before; 0 for none.
        """
        font = plot.font()
        self._rows, self._font, self._colours = rows, font, plot.colours
        self._gutter, self._number_height = gutter, number_height
        self._number_font = plot.small_font
        metrics = QFontMetrics(font)
        n_columns = max((len(row.parts) for row in rows), default=0)
        widths = [
            max(metrics.horizontalAdvance(row.parts[i]) for row in rows if i < len(row.parts))
            for i in range(n_columns)
        ]
        room = int(plot.width() * _LABEL_SHARE) - gutter
        in_line = sum(widths) + _COLUMN_GAP * n_columns
        if n_columns <= 1 or in_line <= room:
            self._columns = tuple(widths) if n_columns > 1 else ()
            needed = in_line
        else:
            self._columns = ()
            second = max(metrics.horizontalAdvance(self._second(row)) for row in rows)
            needed = max(widths[0], second) + _COLUMN_GAP
        self.setWidth(min(room, needed) + gutter)
        self.update()

    @property
    def n_lines(self) -> int:
        """Lines that a name takes."""
        has_parts = any(len(row.parts) > 1 for row in self._rows)
        return 2 if has_parts and not self._columns else 1

    @staticmethod
    def _second(row: Row) -> str:
        return " ".join(row.parts[1:])

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Paint the names at the heights of their rows."""
        view = self.linkedView()
        if view is None or self._colours is None or not self._rows:
            return
        top, bottom = view.viewRange()[1]
        step = self.height() / (bottom - top)
        width = self.width() - self._gutter - _COLUMN_GAP / 2
        painter.setFont(self._font)
        for index, row in enumerate(self._rows):
            middle = (index - top) * step
            if self._columns:
                self._paint_columns(painter, row, middle, width)
            else:
                self._paint_lines(painter, row, middle, width)
        if self._number_height:
            self._paint_numbers(painter, top, step)

    def _paint_numbers(self, painter: QPainter, top: float, step: float) -> None:
        """Clusters are told apart by their numbers too, not by colour alone."""
        assert self._colours is not None
        painter.setFont(self._number_font)
        painter.setPen(QColor(self._colours.muted))
        height = self._number_height
        for index, row in enumerate(self._rows):
            y = (index - top) * step - height * len(row.values) / 2
            for cluster in range(len(row.values)):
                place = QRectF(self.width() - self._gutter, y - 10, self._gutter - 4, height + 19)
                flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
                painter.drawText(place, flags, str(cluster + 1))
                y += height

    def _paint_columns(self, painter: QPainter, row: Row, middle: float, width: float) -> None:
        metrics = QFontMetrics(self._font)
        x = 0.0
        for i, part in enumerate(row.parts):
            place = QRectF(x, middle - metrics.height() / 2, width - x, metrics.height())
            self._paint_text(painter, part, place, is_strong=i == 0)
            x += self._columns[i] + _COLUMN_GAP

    def _paint_lines(self, painter: QPainter, row: Row, middle: float, width: float) -> None:
        height = QFontMetrics(self._font).height()
        second = self._second(row)
        top = middle - (height if second else height / 2)
        self._paint_text(painter, row.parts[0], QRectF(0, top, width, height), is_strong=True)
        if second:
            place = QRectF(0, top + height, width, height)
            self._paint_text(painter, second, place, is_strong=False)

    def _paint_text(self, painter: QPainter, text: str, place: QRectF, *, is_strong: bool) -> None:
        assert self._colours is not None
        painter.setPen(QColor(self._colours.text if is_strong else self._colours.muted))
        shown = QFontMetrics(self._font).elidedText(
            text, Qt.TextElideMode.ElideMiddle, int(place.width()) + 1
        )
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
