"""Pages under tabs, each made when it is first needed."""

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.qt import theme
from app.qt.views.parts.calm_tab_bar import CalmTabBar

ENROL, MODEL, WHY, TEST = "enrol", "model", "why", "test"
"""Keys of the window's pages."""

PAUSE = 5
"""Milliseconds between making a page and painting it, in which events are handled; with 0 Qt would
do both before it looks for any."""

Maker = Callable[[QWidget], QWidget]
"""Makes a page as a child of the given widget: moving it there later would style it anew."""


class Book(QWidget):
    """A bar of tabs over a stack; a page that nobody has looked at does not exist."""

    page_made = Signal(str, QWidget)
    turned = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys: list[str] = []
        self._makers: dict[str, Maker] = {}
        self._pages: dict[str, QWidget] = {}
        self._tabs, self._stack = CalmTabBar(), QStackedWidget()
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setAccessibleName(self.tr("Pages"))
        self._waiting = QLabel(self.tr("Getting ready…"))
        theme.set_class(self._waiting, "muted")
        self._waiting.setMargin(24)
        self._stack.addWidget(self._waiting)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 12, 8)
        column.setSpacing(8)
        column.addWidget(self._tabs)
        column.addWidget(self._stack, 1)
        self._tabs.currentChanged.connect(self._on_turned)
        self.setFocusProxy(self._tabs)

    def add(self, key: str, title: str, icon: QIcon, tip: str) -> None:
        """Add a tab; its page comes with `set_maker`."""
        self._keys.append(key)
        index = self._tabs.addTab(icon, title)
        self._tabs.setTabToolTip(index, tip)

    def set_maker(self, key: str, maker: Maker) -> None:
        """Say how a page is made; the one that is open is made at once."""
        self._makers[key] = maker
        if key == self.current:
            self._show(key)

    @property
    def current(self) -> str:
        """Key of the tab that is open."""
        return self._keys[self._tabs.currentIndex()] if self._keys else ""

    def page(self, key: str) -> QWidget | None:
        """Return a page that has been made."""
        return self._pages.get(key)

    def turn_to(self, key: str) -> None:
        """Open a tab."""
        self._tabs.setCurrentIndex(self._keys.index(key))

    def make(self, key: str) -> QWidget:
        """Return a page, made now if it was not before."""
        if key not in self._pages:
            page = self._pages[key] = self._makers[key](self._stack)
            self._stack.addWidget(page)
            self.page_made.emit(key, page)
        return self._pages[key]

    @Slot(int)
    def _on_turned(self, _index: int) -> None:
        if self.current in self._makers:
            self._show(self.current)
        else:
            self._stack.setCurrentWidget(self._waiting)
        self.turned.emit(self.current)

    def _show(self, key: str) -> None:
        if key in self._pages:
            self._stack.setCurrentWidget(self._pages[key])
        else:
            self.make(key)
            QTimer.singleShot(PAUSE, self, self._show_current)

    @Slot()
    def _show_current(self) -> None:
        if self.current in self._pages:
            self._stack.setCurrentWidget(self._pages[self.current])
