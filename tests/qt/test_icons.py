"""Icons: all can be drawn, follow the theme, and verdicts differ by shape."""

import gc
import itertools
import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QPushButton

from app.qt import theme
from app.qt.theme.icons import (
    APP_ICON_SIZES,
    SHAPES,
    VERDICTS,
    app_icon,
    icon,
    paint_icon,
)
from app.qt.theme.themes import DARK, LIGHT
from app.types import Verdict
from tests.qt.driving import apply_theme

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def light(qapp):
    apply_theme("light")
    yield qapp
    apply_theme("light")


def ink(image):
    """Return the pixels of a picture that are mostly covered, as a set of places."""
    return {
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() > 127
    }


WHOLE = QRectF(0, 0, 24, 24)


def drawn(name, where=WHOLE, side=24):
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_icon(painter, name, where, QColor("#000000"))
    painter.end()
    return image


def colours_in(image):
    return {image.pixelColor(x, y).name() for x, y in ink(image)}


def test_that_every_icon_is_seen_and_stays_in_its_square(qapp):
    for name in SHAPES:
        places = ink(drawn(name, QRectF(16, 16, 32, 32), 64))
        assert len(places) > 20, name
        assert all(16 <= x < 48 and 16 <= y < 48 for x, y in places), name


def test_that_verdicts_differ_by_shape_alone(qapp):
    assert set(VERDICTS) == set(Verdict)
    for one, other in itertools.combinations(VERDICTS.values(), 2):
        here, there = ink(drawn(one[0])), ink(drawn(other[0]))
        assert len(here ^ there) > 0.1 * len(here | there), (one, other)


def test_that_an_icon_follows_the_theme_by_itself_and_is_faint_when_disabled(light):
    stop = icon("stop")
    assert LIGHT.text in colours_in(stop.pixmap(24, 24).toImage())
    faint = stop.pixmap(24, 24, QIcon.Mode.Disabled).toImage()
    assert LIGHT.faint in colours_in(faint)
    apply_theme("dark")
    assert DARK.text in colours_in(stop.pixmap(24, 24).toImage())


def test_that_icons_outlive_what_python_knows_of_them(light, qtbot):
    button = QPushButton(icon("add"), "Add")
    qtbot.addWidget(button)
    gc.collect()
    changed = QIcon(button.icon())
    changed.addPixmap(QPixmap(8, 8))  # makes Qt clone the engine
    gc.collect()
    assert not button.icon().pixmap(16, 16).isNull()
    assert not changed.pixmap(16, 16).isNull()


def test_that_the_pictures_are_part_of_the_package_and_the_programs_icon_has_all_sizes(qapp):
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = data["tool"]["setuptools"]["package-data"]["app"]
    packaged = {path for pattern in patterns for path in (ROOT / "app").glob(pattern)}
    assert set(theme.ASSETS.iterdir()) <= packaged
    assert {size.width() for size in app_icon().availableSizes()} == set(APP_ICON_SIZES)


def test_that_an_icon_is_sharp_leaves_a_gap_before_words_and_needs_no_room(light):
    picture = icon("camera").pixmap(QSize(16, 16), 2.0)
    assert (picture.size(), picture.devicePixelRatio()) == (QSize(32, 32), 2.0)
    wide = icon("stop").pixmap(QSize(24, 16)).toImage()
    assert any(wide.pixelColor(x, 8).alpha() for x in range(16))
    assert not any(wide.pixelColor(x, 8).alpha() for x in range(16, 24))
    assert icon("cross").pixmap(QSize(16, -4)).isNull()
