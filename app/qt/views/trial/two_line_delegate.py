"""Cells and rows of two lines: what matters, and below it in small what belongs to it."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.qt.icons import paint_icon
from app.qt.theme import colours

CELL = Qt.ItemDataRole.UserRole
"""Under this role a model gives its `Cell`."""

_SMALL = 0.92
_ACROSS, _DOWN, _GAP, _TAIL_GAP = 6, 6, 8, 12

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Cell:
    """What one cell shows.

    Attributes
    ----------
    text, below : str
        The lines; without the second the first stands in the middle.
    icon, icon_role : str
        A picture before them, and which of the theme's colours it takes.
    role : str
        The colour of the first line, and of the second when ``is_marked``.
    is_marked : bool
        Whether both lines are set in that colour and the first in bold.
    is_right : bool
        Whether the lines end at the right.
    tail, tail_icon, tail_role : str
        A word at the right end, with its picture and colour.
    spoken : str
        All of it in words, for a screen reader and the tooltip.
    """

    text: str
    below: str = ""
    icon: str = ""
    icon_role: str = "text"
    role: str = "text"
    is_marked: bool = False
    is_right: bool = False
    tail: str = ""
    tail_icon: str = ""
    tail_role: str = "muted"
    spoken: str = ""


class TwoLineDelegate(QStyledItemDelegate):
    """Draws `Cell` values.

    Parameters
    ----------
    parent : QObject, optional
        Who owns it.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.first_has_icons = True
        """Whether the first column shows its pictures; without them there is room for words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the room a cell needs."""
        cell = index.data(CELL)
        fonts = _Fonts(option.font)
        if not isinstance(cell, Cell):
            return QSize(0, fonts.row_height)
        first = fonts.bold if cell.is_marked else fonts.plain
        width = max(_advance(first, cell.text), _advance(fonts.small, cell.below))
        if cell.icon:
            width += fonts.icon + _GAP
        if cell.tail:
            width += _TAIL_GAP + _advance(fonts.bold, cell.tail) + fonts.icon + _GAP
        return QSize(width + 2 * _ACROSS, fonts.row_height)

    def row_height(self, font: QFont) -> int:
        """Return the height of every row in a font."""
        return _Fonts(font).row_height

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw the ground as the style does, then the cell."""
        widget: QWidget | None = option.widget
        style = widget.style() if widget is not None else QApplication.style()
        ground = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style.drawPrimitive(ground, option, painter, widget)
        cell = index.data(CELL)
        if not isinstance(cell, Cell):
            return
        fonts, shown = _Fonts(option.font), colours()
        is_enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        place: QRect = option.rect.adjusted(_ACROSS, _DOWN, -_ACROSS, -_DOWN)

        def colour(role: str) -> str:
            found: str = getattr(shown, role if is_enabled else "faint")
            return found

        painter.save()
        first = fonts.bold if cell.is_marked else fonts.plain
        if cell.icon and (self.first_has_icons or index.column() > 0):
            picture = QRectF(place.x(), 0, fonts.icon, fonts.icon)
            picture.moveTop(place.center().y() - fonts.icon / 2)
            if cell.is_right:
                # Beside the words, which stand at the right.
                words = max(_advance(first, cell.text), _advance(fonts.small, cell.below))
                picture.moveLeft(max(place.x(), place.right() - words - _GAP - fonts.icon))
            paint_icon(painter, cell.icon, picture, colour(cell.icon_role))
            place.setLeft(place.left() + fonts.icon + _GAP)
        if cell.tail:
            place = self._paint_tail(painter, place, cell, fonts, colour(cell.tail_role))
        below = colour(cell.role if cell.is_marked else "muted")
        _paint_lines(painter, place, cell, (first, fonts.small), (colour(cell.role), below))
        painter.restore()

    @staticmethod
    def _paint_tail(
        painter: QPainter, place: QRect, cell: Cell, fonts: "_Fonts", colour: str
    ) -> QRect:
        width = _advance(fonts.bold if cell.tail_role == "bad" else fonts.plain, cell.tail)
        painter.setFont(fonts.bold if cell.tail_role == "bad" else fonts.plain)
        painter.setPen(QColor(colour))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, align, cell.tail)
        right = place.right() - width - _GAP // 2 - fonts.icon
        if cell.tail_icon:
            picture = QRectF(right, 0, fonts.icon - 2, fonts.icon - 2)
            picture.moveTop(place.center().y() - picture.height() / 2)
            paint_icon(painter, cell.tail_icon, picture, colour)
        return place.adjusted(0, 0, right - _TAIL_GAP - place.right(), 0)


class _Fonts:
    """The fonts of the lines and the sizes that follow from them."""

    def __init__(self, font: QFont) -> None:
        self.plain = font
        self.bold = QFont(font)
        self.bold.setWeight(QFont.Weight.DemiBold)
        self.small = QFont(font)
        if font.pointSizeF() > 0:
            self.small.setPointSizeF(font.pointSizeF() * _SMALL)
        line = QFontMetrics(self.bold).height()
        self.icon = round(line * 1.2)
        self.row_height = line + QFontMetrics(self.small).height() + 2 * _DOWN


def _advance(font: QFont, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text) + 1 if text else 0


def _paint_lines(
    painter: QPainter,
    place: QRect,
    cell: Cell,
    fonts: tuple[QFont, QFont],
    colour: tuple[str, str],
) -> None:
    across = Qt.AlignmentFlag.AlignRight if cell.is_right else Qt.AlignmentFlag.AlignLeft
    heights = [QFontMetrics(font).height() for font in fonts]
    lines = [cell.text, cell.below] if cell.below else [cell.text]
    top = place.y() + (place.height() - sum(heights[: len(lines)])) // 2
    for line, font, height, tint in zip(lines, fonts, heights, colour, strict=False):
        painter.setFont(font)
        painter.setPen(QColor(tint))
        cut = QFontMetrics(font).elidedText(line, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(QRect(place.x(), top, place.width(), height), across, cut)
        top += height
