"""Layouts, cards, scroll areas, buttons and questions; rows that wrap."""

from typing import Any, TypeVar

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLayout,
    QLayoutItem,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.qt.state import Working
from app.qt.theme import GRID, set_class
from app.qt.theme.icons import icon

CARD = (16, 14, 16, 16)
"""Margins inside a card."""

Margins = int | tuple[int, int, int, int]
Part = QWidget | QLayout | int | tuple[Any, ...]
"""A widget, a layout, a stretch, or a tuple of one with further arguments of ``addWidget``."""

Layout = TypeVar("Layout", bound=QBoxLayout)
Placed = list[tuple[QLayoutItem, QRect]]


def vbox(
    parent: QWidget | None, *parts: Part, margins: Margins = 0, spacing: int = GRID
) -> QVBoxLayout:
    """Return a vertical layout of the parts; it becomes the layout of the parent, if given."""
    return _fill(QVBoxLayout() if parent is None else QVBoxLayout(parent), parts, margins, spacing)


def hbox(
    parent: QWidget | None, *parts: Part, margins: Margins = 0, spacing: int = GRID
) -> QHBoxLayout:
    """Return a horizontal layout of the parts; it becomes the layout of the parent, if given."""
    return _fill(QHBoxLayout() if parent is None else QHBoxLayout(parent), parts, margins, spacing)


def _fill(layout: Layout, parts: tuple[Part, ...], margins: Margins, spacing: int) -> Layout:
    layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    layout.setSpacing(spacing)
    for part in parts:
        item: Any
        item, *options = part if isinstance(part, tuple) else (part,)
        if isinstance(item, int):
            layout.addStretch(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item, *options)
        else:
            layout.addWidget(item, *options)
    return layout


def grid(parent: QWidget | None, across: int, down: int, *stretches: int) -> QGridLayout:
    """Return a grid without margins; ``across`` and ``down`` are its spacings."""
    layout = QGridLayout() if parent is None else QGridLayout(parent)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(across)
    layout.setVerticalSpacing(down)
    for column, stretch in enumerate(stretches):
        layout.setColumnStretch(column, stretch)
    return layout


def activate(widget: QWidget) -> None:
    """Update the layout of a widget now, so that new texts never appear in the old geometry."""
    if (layout := widget.layout()) is not None:
        layout.activate()


def clear(layout: QLayout) -> None:
    """Remove and delete all widgets of a layout."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def card(parent: QWidget | None = None) -> tuple[QFrame, QVBoxLayout]:
    """Return an empty card and its layout."""
    frame = QFrame(parent)
    set_class(frame, "card")
    return frame, vbox(frame, margins=CARD)


def scroll_area(
    content: QWidget, parent: QWidget | None = None, *, takes_focus: bool = True
) -> QScrollArea:
    """Return a transparent area that scrolls its content vertically.

    With ``takes_focus`` it can be focused and scrolled by keyboard.
    """
    scroll = QScrollArea(parent)
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setWidget(content)
    if not takes_focus:
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for widget in (scroll.viewport(), content):
        widget.setAutoFillBackground(False)
    return scroll


def read_only(table: QTableView) -> None:
    """Disable editing of a table; the Tab key leaves it."""
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)


def as_high_as_rows(table: QTableView) -> None:
    """Fit each row to its cells and the table to its rows."""
    header = table.verticalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    # The minimum size applies even to a hidden header.
    header.setMinimumSectionSize(1)
    header.setStyleSheet("QHeaderView::section { padding: 0; }")
    table.setSizeAdjustPolicy(QAbstractItemView.SizeAdjustPolicy.AdjustToContents)
    table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


def button(
    text: str,
    shape: str = "",
    slot: object = None,
    *,
    tip: str = "",
    kind: str = "",
    parent: QWidget | None = None,
) -> QPushButton:
    """Return a button; ``shape`` is its icon and ``kind`` its class in the style sheet."""
    result = QPushButton(text, parent)
    if kind:
        result.setProperty("class", kind)
    if shape:
        result.setIcon(icon(shape, "on_accent" if kind == "primary" else "text"))
    result.setToolTip(tip)
    if slot is not None:
        result.clicked.connect(slot)
    return result


class WorkingBar(QProgressBar):
    """Progress of a task; hidden while there is none."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, textVisible=False)
        self.setAccessibleName(name)
        self.show_working(Working())

    def show_working(self, working: Working) -> None:
        is_busy = bool(working.text)
        # An indeterminate bar has a running animation, which must end with the task.
        self.setRange(0, working.total if is_busy else 1)
        self.setValue(working.done)
        text = "In progress; time remaining unknown"
        if working.total:
            text = f"{round(100 * working.done / working.total)} % done"
        self.setAccessibleDescription(text)
        self.setToolTip(text)
        self.setVisible(is_busy)


def add_action(
    widget: QWidget,
    text: str,
    slot: object,
    *keys: QKeySequence | QKeySequence.StandardKey | Qt.Key,
) -> QAction:
    """Add an action to a widget's context menu, with shortcuts while it has the focus."""
    action = QAction(text, widget)
    action.setShortcuts([QKeySequence(key) for key in keys])
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(slot)
    widget.addAction(action)
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return action


def ask(
    parent: QWidget,
    title: str,
    text: str,
    *,
    information: str,
    action: str,
    slot: object,
    keep: str = "Cancel",
) -> None:
    """Ask for confirmation of a destructive action, which calls the slot."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(title)
    box.setText(text)
    box.setInformativeText(information)
    confirm = box.addButton(action, QMessageBox.ButtonRole.DestructiveRole)
    set_class(confirm, "danger")
    confirm.clicked.connect(slot)
    reject = box.addButton(keep, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(reject)
    box.setEscapeButton(reject)
    box.open()


class FlowLayout(QLayout):
    """Items from left to right that wrap to the next line, vertically centred in their line."""

    def __init__(self, parent: QWidget | None = None, gap: int = 12) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem, /) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int, /) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int, /) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int, /) -> int:
        return max((rect.bottom() + 1 for _, rect in self._place(width)), default=0)

    def setGeometry(self, rect: QRect, /) -> None:
        super().setGeometry(rect)
        for item, item_rect in self._place(rect.width()):
            item.setGeometry(item_rect.translated(rect.topLeft()))

    def sizeHint(self) -> QSize:
        """Return the size of all items on one line."""
        hints = [item.sizeHint() for item in self._visible_items()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the largest item; the others can wrap."""
        size = QSize(0, 0)
        for item in self._visible_items():
            size = size.expandedTo(item.minimumSize())
        return size

    def _visible_items(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, room: int) -> Placed:
        placed: Placed = []
        line: Placed = []
        x = y = 0
        for item in self._visible_items():
            hint = item.sizeHint()
            width = min(hint.width(), max(room, item.minimumSize().width()))
            if line and x + width > room:
                placed += _centred(line)
                x, y = 0, y + _height(line) + self._gap // 2
                line = []
            line.append((item, QRect(x, y, width, hint.height())))
            x += width + self._gap
        return placed + _centred(line)


def _height(line: Placed) -> int:
    return max((rect.height() for _, rect in line), default=0)


def _centred(line: Placed) -> Placed:
    height = _height(line)
    return [(item, rect.translated(0, (height - rect.height()) // 2)) for item, rect in line]


class FlowRow(QWidget):
    """A widget with a `FlowLayout`, as high as its lines."""

    def __init__(self, parent: QWidget | None = None, *, gap: int = 12) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self, gap)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, *widgets: QWidget) -> None:
        for widget in widgets:
            self._flow.addWidget(widget)

    def clear(self) -> None:
        """Remove and delete all widgets."""
        clear(self._flow)
        self._flow.invalidate()
