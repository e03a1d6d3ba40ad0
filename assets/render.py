"""Draw the pictures that the program carries: python assets/render.py, after a change of either.

The program's icon comes from icon.svg beside this file, arrows and ticks from `app.qt.theme.icons`.
"""

import os
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.qt.theme import ASSETS
from app.qt.theme.icons import APP_ICON_SIZES, paint_icon
from app.qt.theme.themes import DARK, LIGHT

HERE = Path(__file__).parent
MARKS = {"chevron-down": "muted", "chevron-up": "muted", "check": "on_accent"}


def main() -> None:
    """Write every file into the package's folder of assets."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication([])
    svg = QSvgRenderer(str(HERE / "icon.svg"))
    for size in APP_ICON_SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        svg.render(painter, QRectF(0, 0, size, size))
        painter.end()
        image.save(str(ASSETS / f"icon-{size}.png"))
    for shade, colours in (("light", LIGHT), ("dark", DARK)):
        for name, role in MARKS.items():
            for ratio, suffix in ((1, ""), (2, "@2x"), (3, "@3x")):
                picture = QPixmap(12 * ratio, 12 * ratio)
                picture.fill(Qt.GlobalColor.transparent)
                painter = QPainter(picture)
                paint_icon(painter, name, QRectF(picture.rect()), getattr(colours, role))
                painter.end()
                picture.save(str(ASSETS / f"{name}-{shade}{suffix}.png"))
    app.quit()


if __name__ == "__main__":
    main()
