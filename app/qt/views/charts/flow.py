"""Rows of widgets that break into lines where the width does not suffice."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget


class FlowLayout(QLayout):
    """Items from left to right, then on the next line.

    Parameters
    ----------
    parent : QWidget, optional
        Whose layout this is.
    gap : int
        Pixels between items, and half as many between lines.
    """

    def __init__(self, parent: QWidget | None = None, gap: int = 12) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem, /) -> None:
        """Append an item (called by Qt)."""
        self._items.append(item)

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def itemAt(self, index: int, /) -> QLayoutItem | None:
        """Return an item, or None beyond the last (which ends Qt's loops)."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int, /) -> QLayoutItem | None:
        """Remove an item and return it."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Never ask for more room than needed."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: fewer pixels across need more down."""
        return True

    def heightForWidth(self, width: int, /) -> int:
        """Return the height that the lines take at a width."""
        return self._arrange(QRect(0, 0, width, 0), is_trial=True)

    def setGeometry(self, rect: QRect, /) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._arrange(rect, is_trial=False)

    def sizeHint(self) -> QSize:
        """Return the size of all items on one line."""
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the largest item: everything else can go below it."""
        size = QSize(0, 0)
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, is_trial: bool) -> int:
        x, y, line_height = rect.x(), rect.y(), 0
        line: list[tuple[QLayoutItem, QRect]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            width = min(hint.width(), max(rect.width(), item.minimumSize().width()))
            if line and x + width > rect.x() + rect.width():
                self._place(line, line_height, is_trial)
                x, y = rect.x(), y + line_height + self._gap // 2
                line, line_height = [], 0
            line.append((item, QRect(QPoint(x, y), QSize(width, hint.height()))))
            x += width + self._gap
            line_height = max(line_height, hint.height())
        self._place(line, line_height, is_trial)
        return y + line_height - rect.y()

    @staticmethod
    def _place(line: list[tuple[QLayoutItem, QRect]], height: int, is_trial: bool) -> None:
        if is_trial:
            return
        for item, place in line:
            item.setGeometry(place.translated(0, (height - place.height()) // 2))


class FlowRow(QWidget):
    """A widget with a `FlowLayout`, as tall as its lines.

    Parameters
    ----------
    parent : QWidget, optional
        Parent.
    gap : int
        Pixels between widgets, and half as many between lines.
    """

    def __init__(self, parent: QWidget | None = None, *, gap: int = 12) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self, gap)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, widget: QWidget) -> None:
        """Append a widget."""
        self._flow.addWidget(widget)

    def clear(self) -> None:
        """Remove all widgets for good."""
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._flow.invalidate()
