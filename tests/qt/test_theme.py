"""Both themes: contrast, distinguishable colours, and changes at run time."""

import itertools
import re

import cv2
import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from app.qt import theme
from app.qt.theme.stylesheet import sheet
from app.qt.theme.themes import DARK, LIGHT
from tests.qt.driving import apply_theme

BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
BACKGROUNDS = ("window", "panel", "raised", "accent_soft")
STATUSES = ("good", "bad", "caution", "neutral")


def matrix(*rows):
    return np.array([row.split() for row in rows], float)


# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
SEEN_BY = {
    "everyone": np.eye(3),
    "protanopes": matrix(
        "0.152286 1.052583 -0.204868", "0.114503 0.786281 0.099216", "-0.003882 -0.048116 1.051998"
    ),
    "deuteranopes": matrix(
        "0.367322 0.860646 -0.227968", "0.280085 0.672501 0.047413", "-0.011820 0.042940 0.968881"
    ),
    "tritanopes": matrix(
        "1.255528 -0.076749 -0.178779", "-0.078411 0.930809 0.147602", "0.004733 0.691367 0.303900"
    ),
}


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(*pair):
    darker, lighter = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in pair)
    return (lighter + 0.05) / (darker + 0.05)


def perceived(colour, vision):
    """Return a colour in CIELAB as seen with this colour vision."""
    rgb = np.clip(vision @ linear(colour), 0, 1)
    return cv2.cvtColor(np.float32([[rgb]]), cv2.COLOR_LRGB2LAB)[0, 0]


@BOTH
def test_that_text_is_readable_on_every_background_it_is_used_on(colours):
    pairs = [*itertools.product(("text", "muted", "accent", *STATUSES), BACKGROUNDS)]
    for status in STATUSES:
        soft = f"{status}_soft"
        pairs += [(status, soft), ("text", soft), ("on_status", status)]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_hover"), ("on_stage", "stage")]
    for text, background in pairs:
        ratio = contrast(getattr(colours, text), getattr(colours, background))
        assert ratio >= 4.5, (text, background)


@BOTH
def test_that_edges_of_fields_and_lines_of_charts_are_visible(colours):
    for colour in (colours.outline, *colours.series):
        assert min(contrast(colour, colours.window), contrast(colour, colours.panel)) >= 3, colour


@BOTH
def test_that_colours_are_distinguishable_with_any_colour_vision(colours):
    for viewers, vision in SEEN_BY.items():
        series = [perceived(colour, vision) for colour in colours.series]
        pairs = itertools.combinations(series, 2)
        # 2.3 is a just noticeable difference.
        assert min(np.linalg.norm(first - second) for first, second in pairs) > 12, viewers
        difference = perceived(colours.good, vision) - perceived(colours.bad, vision)
        assert np.linalg.norm(difference) > 20, viewers


def test_that_the_style_sheet_finds_all_its_images():
    names = set(re.findall(r"url\(\w+:(.*?)\)", sheet(10.0)))
    assert names
    for name in names:
        for suffix in (".png", "@2x.png", "@3x.png"):
            assert (theme.ASSETS / name.replace(".png", suffix)).is_file(), name


@pytest.fixture
def system(qapp, monkeypatch):
    """Return a notifier for a simulated system; the offscreen platform has no colour scheme."""
    notifier = theme.ThemeNotifier(qapp)
    monkeypatch.setattr(notifier, "_system_is_dark", lambda: notifier.is_dark)
    notifier.is_dark = False
    yield notifier
    notifier.choose("light")
    notifier.setParent(None)


def switch_scheme(system):
    system.is_dark = not system.is_dark
    scheme = Qt.ColorScheme.Dark if system.is_dark else Qt.ColorScheme.Light
    QApplication.styleHints().colorSchemeChanged.emit(scheme)


def test_that_the_system_is_followed_unless_a_theme_is_chosen(system, qtbot):
    system.choose("system")
    with qtbot.waitSignal(system.changed) as emitted:
        switch_scheme(system)
    assert emitted.args == [DARK]
    with qtbot.waitSignal(system.changed):
        switch_scheme(system)
    assert system.colours is LIGHT
    system.choose("light")
    with qtbot.assertNotEmitted(system.changed):
        system.choose("light")
        switch_scheme(system)
    assert system.colours is LIGHT


def text_colour(widget):
    widget.ensurePolished()
    return widget.palette().color(QPalette.ColorRole.WindowText)


@pytest.fixture
def window(qtbot):
    """Return a window in the light theme with a label of the class "good"."""
    window = QWidget()
    qtbot.addWidget(window)
    window.label = QLabel("0.87", window)
    theme.set_class(window.label, "good")
    window.show()
    return window


def test_that_a_change_of_theme_reaches_present_and_later_widgets(window):
    for name, colours in (("light", LIGHT), ("dark", DARK)):
        apply_theme(name)
        assert text_colour(window.label) == QColor(colours.good)
        assert text_colour(window) == QColor(colours.text)
        assert QApplication.palette().color(QPalette.ColorRole.Window) == QColor(colours.window)
    dialog = QDialog(window)
    label, button = QLabel("0.87", dialog), QPushButton("Fit", dialog)
    theme.set_class(label, "caution")
    dialog.show()
    assert text_colour(label) == QColor(DARK.caution)
    corner = dialog.grab().toImage().pixelColor(dialog.width() - 1, dialog.height() - 1)
    assert corner == QColor(DARK.window)
    theme.set_class(button, "primary")
    assert button.grab().toImage().pixelColor(8, button.height() // 2) == QColor(DARK.accent)


def test_that_a_change_of_theme_reaches_many_hidden_widgets_and_survives_deleted_ones(
    qtbot, window
):
    page = QWidget(window)
    labels = [QLabel("0.87", page) for _ in range(2 * theme.BATCH_SIZE)]
    for label in labels:
        theme.set_class(label, "bad")
    page.show()
    assert text_colour(labels[-1]) == QColor(LIGHT.bad)
    page.hide()
    apply_theme("dark")
    shiboken6.delete(labels.pop())
    qtbot.waitUntil(lambda: all(text_colour(label) == QColor(DARK.bad) for label in labels))


def test_that_placeholders_are_readable_in_both_themes(window):
    box = QComboBox(window)
    box.setEditable(True)
    field = QLineEdit(window)
    box.show()
    field.show()
    for name, colours in (("dark", DARK), ("light", LIGHT)):
        apply_theme(name)
        for each in (field, box.lineEdit()):
            colour = each.palette().color(QPalette.ColorRole.PlaceholderText)
            assert colour.alpha() == 255
            assert contrast(colour.name(), colours.panel) >= 4.5


def test_that_all_labels_of_a_disabled_part_are_faint(window):
    for kind in ("muted", "small", "caution", "bad", "good"):
        theme.set_class(window.label, kind)
        window.setEnabled(False)
        assert text_colour(window.label) == QColor(LIGHT.faint), kind
        window.setEnabled(True)
        assert text_colour(window.label) != QColor(LIGHT.faint), kind


class StyleCounter(QObject):
    n_changes = 0

    def eventFilter(self, _watched, event):
        self.n_changes += event.type() == QEvent.Type.StyleChange
        return False


def test_that_a_change_of_theme_styles_each_widget_only_once(qapp, window):
    inner = window
    for _ in range(6):
        inner = QFrame(inner)
        theme.set_class(inner, "card")
        inner.show()
    counter = StyleCounter(qapp)
    inner.installEventFilter(counter)
    apply_theme("dark")
    assert counter.n_changes <= 1


def test_that_focus_is_visible_on_a_button(window, qtbot):
    button = QPushButton("Fit", window)
    button.show()
    unfocused = button.grab().toImage()
    window.activateWindow()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus)
    assert button.grab().toImage() != unfocused
