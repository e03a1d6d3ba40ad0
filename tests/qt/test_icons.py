"""Icons: all can be drawn, follow the theme, and verdicts differ by shape."""

import gc
import itertools

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QPushButton

from app.qt.theme.icons import APP_ICON_SIZES, SHAPES, VERDICTS, app_icon, icon, paint_icon
from app.qt.theme.themes import DARK, LIGHT
from app.types import Verdict
from tests.qt.driving import apply_theme


def opaque_pixels(image):
    pixels = itertools.product(range(image.width()), range(image.height()))
    return {(x, y) for x, y in pixels if image.pixelColor(x, y).alpha() > 127}


def draw(name, area, side):
    """Draw an icon within an area of a square image, and return its opaque pixels."""
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_icon(painter, name, area, QColor("#000000"))
    painter.end()
    return opaque_pixels(image)


def colours_of(pixmap):
    image = pixmap.toImage()
    return {image.pixelColor(x, y).name() for x, y in opaque_pixels(image)}


def test_that_every_icon_is_visible_and_stays_within_its_square(qapp):
    for name in SHAPES:
        pixels = draw(name, QRectF(16, 16, 32, 32), 64)
        assert len(pixels) > 20, name
        assert all(16 <= x < 48 and 16 <= y < 48 for x, y in pixels), name


def test_that_verdicts_differ_by_shape_alone(qapp):
    assert set(VERDICTS) == set(Verdict)
    shapes = [shape for shape, _ in VERDICTS.values()]
    for pair in itertools.combinations(shapes, 2):
        first, second = (draw(shape, QRectF(0, 0, 24, 24), 24) for shape in pair)
        assert len(first ^ second) > 0.1 * len(first | second), pair


def test_that_an_icon_follows_the_theme_and_is_faint_when_disabled(qapp):
    stop = icon("stop")
    assert LIGHT.text in colours_of(stop.pixmap(24, 24))
    assert LIGHT.faint in colours_of(stop.pixmap(24, 24, QIcon.Mode.Disabled))
    apply_theme("dark")
    assert DARK.text in colours_of(stop.pixmap(24, 24))


def test_that_icons_survive_garbage_collection(qtbot):
    button = QPushButton(icon("add"), "Add")
    qtbot.addWidget(button)
    gc.collect()
    changed = QIcon(button.icon())
    changed.addPixmap(QPixmap(8, 8))  # makes Qt clone the engine
    gc.collect()
    assert not button.icon().pixmap(16, 16).isNull()
    assert not changed.pixmap(16, 16).isNull()


def test_that_the_program_icon_has_all_sizes(qapp):
    assert {size.width() for size in app_icon().availableSizes()} == set(APP_ICON_SIZES)


def test_that_an_icon_is_sharp_when_scaled_and_leaves_a_gap_before_the_text(qapp):
    pixmap = icon("camera").pixmap(QSize(16, 16), 2.0)
    assert (pixmap.size(), pixmap.devicePixelRatio()) == (QSize(32, 32), 2.0)
    wide = icon("stop").pixmap(QSize(24, 16)).toImage()
    assert 8 < max(x for x, _ in opaque_pixels(wide)) < 16
    assert icon("cross").pixmap(QSize(16, -4)).isNull()
