"""Rows of lists and tables: cells of two lines, and models that change row by row."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.qt.theme import colours
from app.qt.theme.icons import paint_icon

CELL = Qt.ItemDataRole.UserRole
"""Under this role a model gives its `Cell`."""

KEY = Qt.ItemDataRole.UserRole + 1
"""Under this role an item of `update_items` has its key."""

_SMALL = 0.92
_ACROSS, _DOWN, _GAP = 6, 6, 8

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Cell:
    """What one cell shows: two lines; without the second the first stands in the middle."""

    text: str
    below: str = ""
    icon: str = ""
    icon_role: str = "text"
    role: str = "text"
    """The colour of the first line, and of the second when ``is_marked``."""
    is_marked: bool = False
    """Whether both lines are set in that colour and the first in bold."""
    is_right: bool = False
    spoken: str = ""
    """All of it in words, for a screen reader and the tooltip."""


class TwoLineDelegate(QStyledItemDelegate):
    """Draws `Cell` values."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.first_has_icons = True
        """Whether the first column shows its pictures; without them there is room for words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        cell = index.data(CELL)
        fonts = _Fonts(option.font)
        if not isinstance(cell, Cell):
            return QSize(0, fonts.row_height)
        icon = fonts.icon + _GAP if cell.icon else 0
        return QSize(fonts.width(cell) + icon + 2 * _ACROSS, fonts.row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        widget: QWidget | None = option.widget
        style = widget.style() if widget is not None else QApplication.style()
        ground = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style.drawPrimitive(ground, option, painter, widget)
        cell = index.data(CELL)
        if not isinstance(cell, Cell):
            return
        fonts, theme = _Fonts(option.font), colours()
        is_enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        place: QRect = option.rect.adjusted(_ACROSS, _DOWN, -_ACROSS, -_DOWN)
        roles = (cell.icon_role, cell.role, cell.role if cell.is_marked else "muted")
        icon_colour, *tints = (getattr(theme, role if is_enabled else "faint") for role in roles)
        painter.save()
        if cell.icon and (self.first_has_icons or index.column() > 0):
            picture = QRectF(place.x(), 0, fonts.icon, fonts.icon)
            picture.moveTop(place.center().y() - fonts.icon / 2)
            if cell.is_right:  # beside the words, which stand at the right
                left = place.right() - fonts.width(cell) - _GAP - fonts.icon
                picture.moveLeft(max(place.x(), left))
            paint_icon(painter, cell.icon, picture, icon_colour)
            place.setLeft(place.left() + fonts.icon + _GAP)
        across = Qt.AlignmentFlag.AlignRight if cell.is_right else Qt.AlignmentFlag.AlignLeft
        lines = [cell.text, cell.below] if cell.below else [cell.text]
        used = (fonts.bold if cell.is_marked else fonts.plain, fonts.small)
        heights = [QFontMetrics(font).height() for font in used]
        top = place.y() + (place.height() - sum(heights[: len(lines)])) // 2
        for line, font, height, tint in zip(lines, used, heights, tints, strict=False):
            painter.setFont(font)
            painter.setPen(QColor(tint))
            cut = QFontMetrics(font).elidedText(line, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(QRect(place.x(), top, place.width(), height), across, cut)
            top += height
        painter.restore()


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

    def width(self, cell: Cell) -> int:
        first = QFontMetrics(self.bold if cell.is_marked else self.plain)
        second = QFontMetrics(self.small)
        return 1 + max(first.horizontalAdvance(cell.text), second.horizontalAdvance(cell.below))


def update_items(
    view: QListWidget, keys: Sequence[Hashable], make: Callable[[int], QListWidgetItem]
) -> None:
    """Remove and insert items until they have these keys; ``make`` gets the place of a new one.

    Items whose key stays are left alone, so that they stay selected.
    """
    wanted = set(keys)
    for row in reversed(range(view.count())):
        if view.item(row).data(KEY) not in wanted:
            view.takeItem(row)
    for row, key in enumerate(keys):
        if row == view.count() or view.item(row).data(KEY) != key:
            item = make(row)
            item.setData(KEY, key)
            view.insertItem(row, item)
    while view.count() > len(keys):  # those that came earlier in the new order
        view.takeItem(view.count() - 1)
