"""The program's light and dark themes; the user chooses one or follows the system.

Widgets with their own painting call `colours` while they paint, or connect to
``notifier().changed``.

The style sheet holds both themes and is set only once, because `QApplication.setStyleSheet` styles
a widget once for each of its ancestors, which takes half a second in a full window. A change of
theme sets a property on the windows instead and styles each widget once: visible widgets at once,
hidden ones in batches.
"""

from collections.abc import Iterable
from pathlib import Path

import shiboken6
from PySide6.QtCore import QCoreApplication, QDir, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.qt.theme.stylesheet import MARK, SEARCH_PREFIX, sheet
from app.qt.theme.themes import DARK, LIGHT, Colours

ASSETS = Path(__file__).parents[1] / "assets"

GRID = 8
"""Base unit of spacing in pixels."""

BATCH_SIZE, BATCH_PAUSE = 50, 10
"""Hidden widgets styled at a time, which takes 4 ms, and milliseconds between batches."""


class ThemeNotifier(QObject):
    """Applies a theme to the application, which owns it."""

    changed = Signal(object)
    """The new `Colours`; emitted when all visible widgets show them."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.colours = LIGHT
        self._app = app
        self._name = ""
        self._hidden: list[QWidget] = []
        # Used if the system reports no scheme; later the palette is ours.
        self._started_dark = app.palette().color(QPalette.ColorRole.Window).lightness() < 128
        QDir.setSearchPaths(SEARCH_PREFIX, [str(ASSETS)])
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def choose(self, name: str) -> None:
        """Apply "light", "dark" or "system"; does nothing if the colours stay the same."""
        is_first, self._name = not self._name, name
        # This also changes window frames and native dialogs. It may emit colorSchemeChanged at
        # once, which is harmless.
        hints = self._app.styleHints()
        if name == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if name == "dark" else Qt.ColorScheme.Light)
        self._apply(is_first)

    @Slot()
    def _on_scheme_changed(self) -> None:
        if self._name:
            self._apply()

    def _system_is_dark(self) -> bool:
        scheme = self._app.styleHints().colorScheme()
        if scheme == Qt.ColorScheme.Unknown:
            return self._started_dark
        return scheme == Qt.ColorScheme.Dark

    def _apply(self, is_first: bool = False) -> None:
        is_dark = self._system_is_dark() if self._name == "system" else self._name == "dark"
        if is_dark == self.colours.is_dark and not is_first:
            return
        self.colours = DARK if is_dark else LIGHT
        self._app.setPalette(palette(self.colours))
        for window in self._app.topLevelWidgets():
            self.mark(window)
        if self._app.styleSheet():
            widgets = self._app.allWidgets()
            _restyle(widget for widget in widgets if widget.isVisible())
            is_waiting = bool(self._hidden)
            self._hidden = [widget for widget in widgets if not widget.isVisible()]
            if not is_waiting:
                self._style_batch()
        self.changed.emit(self.colours)

    def _style_batch(self) -> None:
        _restyle(filter(shiboken6.isValid, self._hidden[:BATCH_SIZE]))
        del self._hidden[:BATCH_SIZE]
        if self._hidden:
            # A bound method would leak a weak reference at every call (PySide 6.11).
            QTimer.singleShot(BATCH_PAUSE, self, lambda: self._style_batch())

    def set_style_sheet(self) -> None:
        """Set the style sheet, if it is not set yet; widgets are created faster before that."""
        if not self._app.styleSheet():
            self._app.setStyleSheet(sheet(QFontInfo(self._app.font()).pointSizeF()))

    def mark(self, window: QWidget) -> None:
        """Apply the current theme to a top-level window and its children."""
        window.setProperty(MARK, "dark" if self.colours.is_dark else "light")


def notifier() -> ThemeNotifier:
    """Return the application's `ThemeNotifier`, created at the first call."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise RuntimeError("There is no QApplication yet: create one before using its theme.")
    return _existing(app) or ThemeNotifier(app)


def colours() -> Colours:
    """Return the current colours; the light ones before a theme is chosen."""
    app = QApplication.instance()
    found = None if app is None else _existing(app)
    return LIGHT if found is None else found.colours


def set_class(widget: QWidget, name: str) -> None:
    """Set a widget's class in the style sheet, such as ``"primary"``.

    The classes are listed in `app.qt.theme.stylesheet`.
    """
    set_mark(widget, "class", name)


def set_mark(widget: QWidget, mark: str, value: str | bool) -> None:
    """Set a property that the style sheet selects by, and restyle the widget if it changed."""
    if widget.property(mark) == value:
        return
    widget.setProperty(mark, value)
    _restyle([widget])


def palette(of: Colours) -> QPalette:
    """Return the colours as a palette, for what the style sheet does not cover."""
    role = QPalette.ColorRole
    result = QPalette()
    for colour_roles, colour in (
        ((role.Window, role.AlternateBase), of.window),
        ((role.Base, role.Button, role.ToolTipBase), of.panel),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), of.text),
        ((role.PlaceholderText,), of.muted),
        ((role.Highlight, role.Accent, role.Link), of.accent),
        ((role.LinkVisited,), of.muted),
        ((role.HighlightedText, role.BrightText), of.on_accent),
        ((role.Light, role.Midlight), of.raised),
        ((role.Mid, role.Dark), of.border),
        ((role.Shadow,), of.outline),
    ):
        for colour_role in colour_roles:
            result.setColor(colour_role, QColor(colour))
    for colour_role in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, colour_role, QColor(of.faint))
    return result


def _restyle(widgets: Iterable[QWidget]) -> None:
    for widget in widgets:
        if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            continue  # it is styled when it is first shown
        style = widget.style()
        style.unpolish(widget)
        style.polish(widget)
        widget.update()


def _existing(app: QCoreApplication) -> ThemeNotifier | None:
    # Positional, because PySide takes 6 ms for its first call with a keyword.
    return app.findChild(ThemeNotifier, "", Qt.FindChildOption.FindDirectChildrenOnly)
