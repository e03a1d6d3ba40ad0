"""The look of the whole window: light, dark, or whichever the system uses at the moment.

Widgets that draw themselves ask `colours` while they paint, or listen to ``notifier().changed``.

The style sheet holds both themes and never changes: `QApplication.setStyleSheet` styles every
widget once for each of its ancestors, which takes half a second in a full window. A change of theme
marks the windows instead and styles each widget once: those in sight at once, the others in slices.
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
"""Pixels: spaces between things are multiples of this."""

SLICE, PAUSE = 50, 10
"""Hidden widgets that are styled in one go, which takes 4 ms, and milliseconds between slices."""


class ThemeNotifier(QObject):
    """Keeps an application, which owns it, in one theme."""

    changed = Signal(object)
    """The new `Colours`, after every widget in sight has them."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.colours = LIGHT
        self._app = app
        self._name = ""
        self._hidden: list[QWidget] = []
        # Where the system reports no scheme, its palette tells, as long as it is not ours.
        self._began_dark = app.palette().color(QPalette.ColorRole.Window).lightness() < 128
        QDir.setSearchPaths(SEARCH_PREFIX, [str(ASSETS)])
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def choose(self, name: str) -> None:
        """Show "light", "dark" or "system"; does nothing when its colours are shown already."""
        is_first, self._name = not self._name, name
        # The system follows with frames of windows and native dialogs. It may report a change of
        # scheme at once, which then finds nothing left to do.
        hints = self._app.styleHints()
        if name == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if name == "dark" else Qt.ColorScheme.Light)
        self._show(is_first)

    @Slot()
    def _on_scheme_changed(self) -> None:
        if self._name:
            self._show()

    def _system_is_dark(self) -> bool:
        scheme = self._app.styleHints().colorScheme()
        if scheme == Qt.ColorScheme.Unknown:
            return self._began_dark
        return scheme == Qt.ColorScheme.Dark

    def _show(self, is_first: bool = False) -> None:
        is_dark = self._system_is_dark() if self._name == "system" else self._name == "dark"
        if is_dark == self.colours.is_dark and not is_first:
            return
        self.colours = DARK if is_dark else LIGHT
        self._app.setPalette(palette(self.colours))
        for window in self._app.topLevelWidgets():
            self.mark(window)
        if self._app.styleSheet():
            widgets = self._app.allWidgets()
            _style_again(widget for widget in widgets if widget.isVisible())
            is_waiting = bool(self._hidden)
            self._hidden = [widget for widget in widgets if not widget.isVisible()]
            if not is_waiting:
                self._style_slice()
        self.changed.emit(self.colours)

    def _style_slice(self) -> None:
        _style_again(filter(shiboken6.isValid, self._hidden[:SLICE]))
        del self._hidden[:SLICE]
        if self._hidden:
            # A bound method would leave a weak reference behind at every call (PySide 6.11).
            QTimer.singleShot(PAUSE, self, lambda: self._style_slice())

    def dress(self) -> None:
        """Set the style sheet, once; widgets that are made before it are made quicker."""
        if not self._app.styleSheet():
            self._app.setStyleSheet(sheet(QFontInfo(self._app.font()).pointSizeF()))

    def mark(self, window: QWidget) -> None:
        """Show a top-level window, and all that is in it, in the present theme."""
        window.setProperty(MARK, "dark" if self.colours.is_dark else "light")


def notifier() -> ThemeNotifier:
    """Return the application's `ThemeNotifier`, made at the first call."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise RuntimeError("There is no QApplication yet: make one before asking for its theme.")
    return _existing(app) or ThemeNotifier(app)


def colours() -> Colours:
    """Return the colours that are shown now; the light ones before a theme was chosen."""
    app = QApplication.instance()
    found = None if app is None else _existing(app)
    return LIGHT if found is None else found.colours


def set_class(widget: QWidget, name: str) -> None:
    """Give a widget its part in the style sheet, such as ``"primary"``, also after it was shown.

    The names are listed in `app.qt.theme.stylesheet`.
    """
    set_mark(widget, "class", name)


def set_mark(widget: QWidget, mark: str, value: str | bool) -> None:
    """Set a property that the style sheet looks at, and let it look again if that changed."""
    if widget.property(mark) == value:
        return
    widget.setProperty(mark, value)
    _style_again([widget])


def palette(of: Colours) -> QPalette:
    """Return the colours as Qt's palette, for what no style sheet reaches."""
    role = QPalette.ColorRole
    result = QPalette()
    for roles, colour in (
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
        for each in roles:
            result.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, each, QColor(of.faint))
    return result


def _style_again(widgets: Iterable[QWidget]) -> None:
    for widget in widgets:
        if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            continue  # the sheet is looked at when the widget is first shown
        style = widget.style()
        style.unpolish(widget)
        style.polish(widget)
        widget.update()


def _existing(app: QCoreApplication) -> ThemeNotifier | None:
    # Not by keyword: PySide takes 6 ms for the first call with one.
    return app.findChild(ThemeNotifier, "", Qt.FindChildOption.FindDirectChildrenOnly)
