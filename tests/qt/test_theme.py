"""Both themes: contrast, colours that everyone can tell apart, and changes while it runs."""

import itertools
import re

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QLabel,
    QPushButton,
    QWidget,
)

from app.qt import theme
from app.qt.theme.stylesheet import sheet
from app.qt.theme.themes import DARK, LIGHT
from tests.qt.driving import apply_theme

BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
GROUNDS = ("window", "panel", "raised", "accent_soft")
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


@pytest.fixture
def app(qapp):
    yield qapp
    apply_theme("light")


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    darker, lighter = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def cielab(rgb):
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@BOTH
def test_that_text_is_readable_on_every_ground_it_is_meant_for(colours):
    pairs = [*itertools.product(("text", "muted", "accent", *STATUSES), GROUNDS)]
    for status in STATUSES:
        soft = f"{status}_soft"
        pairs += [(status, soft), ("text", soft), ("on_status", status)]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_hover")]
    pairs += [("on_stage", "stage")]
    for ink, ground in pairs:
        assert contrast(getattr(colours, ink), getattr(colours, ground)) >= 4.5, (ink, ground)


@BOTH
def test_that_edges_of_fields_and_lines_of_charts_can_be_seen(colours):
    for colour in (colours.outline, *colours.series):
        assert min(contrast(colour, colours.window), contrast(colour, colours.panel)) >= 3, colour


@BOTH
def test_that_colours_can_be_told_apart(colours):
    for viewers, vision in SEEN_BY.items():
        seen = [cielab(vision @ linear(colour)) for colour in colours.series]
        pairs = itertools.combinations(seen, 2)
        # 2.3 is the least difference that is noticed at all
        assert min(np.linalg.norm(one - other) for one, other in pairs) > 12, viewers
        good, bad = (cielab(vision @ linear(c)) for c in (colours.good, colours.bad))
        assert np.linalg.norm(good - bad) > 20, viewers


def test_that_the_style_sheet_finds_all_its_pictures():
    names = set(re.findall(r"url\(\w+:(.*?)\)", sheet(10.0)))
    assert names
    for name in names:
        for version in (name, name.replace(".png", "@2x.png"), name.replace(".png", "@3x.png")):
            assert (theme.ASSETS / version).is_file()


@pytest.fixture
def system(app, monkeypatch):
    """Return a notifier with a system of our own: the offscreen platform has no scheme."""
    notifier = theme.ThemeNotifier(app)
    monkeypatch.setattr(notifier, "_system_is_dark", lambda: notifier.is_dark)
    notifier.is_dark = False
    yield notifier
    notifier.choose("light")
    notifier.setParent(None)


def switch(system):
    system.is_dark = not system.is_dark
    scheme = Qt.ColorScheme.Dark if system.is_dark else Qt.ColorScheme.Light
    QApplication.styleHints().colorSchemeChanged.emit(scheme)


def test_that_the_system_is_followed_while_running_unless_a_theme_is_chosen(system, qtbot):
    system.choose("system")
    with qtbot.waitSignal(system.changed) as told:
        switch(system)
    assert told.args == [DARK]
    with qtbot.waitSignal(system.changed):
        switch(system)
    assert system.colours is LIGHT
    system.choose("light")
    with qtbot.assertNotEmitted(system.changed):
        system.choose("light")
        switch(system)
    assert system.colours is LIGHT


def text_colour(widget):
    widget.ensurePolished()
    return widget.palette().color(QPalette.ColorRole.WindowText)


@pytest.fixture
def window(app, qtbot):
    """A shown window in the light theme with a label of the class "good" in it."""
    apply_theme("light")
    window = QWidget()
    qtbot.addWidget(window)
    window.label = QLabel("0.87", window)
    theme.set_class(window.label, "good")
    window.show()
    return window


def test_that_a_change_of_theme_reaches_what_is_shown_and_what_is_made_later(app, qtbot, window):
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
    ground = dialog.grab().toImage().pixelColor(dialog.width() - 1, dialog.height() - 1)
    assert ground == QColor(DARK.window)
    theme.set_class(button, "primary")  # once it is shown
    assert button.grab().toImage().pixelColor(8, button.height() // 2) == QColor(DARK.accent)


def test_that_a_change_of_theme_reaches_many_hidden_widgets_and_survives_deleted_ones(
    app, qtbot, window
):
    page = QWidget(window)
    labels = [QLabel("0.87", page) for _ in range(2 * theme.SLICE)]
    for label in labels:
        theme.set_class(label, "bad")
    page.show()
    assert text_colour(labels[-1]) == QColor(LIGHT.bad)
    page.hide()
    apply_theme("dark")
    shiboken6.delete(labels.pop())
    qtbot.waitUntil(lambda: all(text_colour(label) == QColor(DARK.bad) for label in labels))


def test_that_a_change_of_theme_styles_every_widget_once(app, window):
    """Qt's own way, another style sheet, does it once for each of a widget's ancestors."""
    inner = window
    for _ in range(6):
        inner = QFrame(inner)
        theme.set_class(inner, "card")
        inner.show()
    counter = Counter(app)
    inner.installEventFilter(counter)
    apply_theme("dark")
    assert counter.n_style_changes <= 1


class Counter(QObject):
    n_style_changes = 0

    def eventFilter(self, _watched, event):
        self.n_style_changes += event.type() == QEvent.Type.StyleChange
        return False


def test_that_focus_can_be_seen_on_a_button(window, qtbot):
    button = QPushButton("Fit", window)
    button.show()
    without = button.grab().toImage()
    window.activateWindow()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus)
    assert button.grab().toImage() != without
