"""Charts as text and as pictures: CSV of rows, and widgets painted below each other."""

import csv
import io
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

_MARGIN = 12
_SCALE = 2.0


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV with a header; None becomes an empty field."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return stream.getvalue()


def _plain(cell: object) -> object:
    """Return a name so that a spreadsheet takes it neither for a formula nor for a line's end."""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", " ")
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def picture_of(widgets: Iterable[QWidget], background: str) -> QPixmap:
    """Paint widgets below each other, whole even where they are scrolled out of sight.

    Twice as fine as the screen's logical pixels, so that the picture can be printed.
    """
    parts = [widget for widget in widgets if not widget.isHidden()]
    width = max((part.width() for part in parts), default=1)
    height = sum(part.height() for part in parts) or 1
    pixmap = QPixmap(int((width + 2 * _MARGIN) * _SCALE), int((height + 2 * _MARGIN) * _SCALE))
    pixmap.setDevicePixelRatio(_SCALE)
    pixmap.fill(QColor(background))
    top = _MARGIN
    painter = QPainter(pixmap)
    try:
        for part in parts:
            # The widget's own: a plot's `render` is that of its scene.
            QWidget.render(
                part, painter, QPoint(_MARGIN, top), renderFlags=QWidget.RenderFlag.DrawChildren
            )
            top += part.height()
    finally:
        painter.end()
    return pixmap
