"""Widgets in rows that break into lines where the width does not suffice."""

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget

from app.qt.widgets.layout import clear

Places = list[tuple[QLayoutItem, QRect]]


class FlowLayout(QLayout):
    """Items from left to right, then on the next line, centred in their line."""

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
        return max((place.bottom() + 1 for _, place in self._places(width)), default=0)

    def setGeometry(self, rect: QRect, /) -> None:
        super().setGeometry(rect)
        for item, place in self._places(rect.width()):
            item.setGeometry(place.translated(rect.topLeft()))

    def sizeHint(self) -> QSize:
        """Return the size of all items on one line."""
        hints = [item.sizeHint() for item in self._seen()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the largest item: everything else can go below it."""
        size = QSize(0, 0)
        for item in self._seen():
            size = size.expandedTo(item.minimumSize())
        return size

    def _seen(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _places(self, room: int) -> Places:
        places: Places = []
        line: Places = []
        x = y = 0
        for item in self._seen():
            hint = item.sizeHint()
            width = min(hint.width(), max(room, item.minimumSize().width()))
            if line and x + width > room:
                places += _centred(line)
                x, y = 0, y + _height(line) + self._gap // 2
                line = []
            line.append((item, QRect(x, y, width, hint.height())))
            x += width + self._gap
        return places + _centred(line)


def _height(line: Places) -> int:
    return max((place.height() for _, place in line), default=0)


def _centred(line: Places) -> Places:
    height = _height(line)
    return [(item, place.translated(0, (height - place.height()) // 2)) for item, place in line]


class EvenLayout(FlowLayout):
    """Cells of one size in as many columns as the width allows, rows filled evenly."""

    def columns(self, width: int) -> int:
        n = max(1, len(self._seen()))
        fitting = (width + self._gap) // max(1, self.minimumSize().width() + self._gap)
        n_rows = -(-n // max(1, min(n, fitting)))
        return -(-n // n_rows)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def _places(self, room: int) -> Places:
        columns, height, whole = self.columns(room), self.minimumSize().height(), room + self._gap
        places: Places = []
        for number, item in enumerate(self._seen()):
            row, column = divmod(number, columns)
            # Whole pixels that add up to the width exactly.
            left, end = column * whole // columns, (column + 1) * whole // columns - self._gap
            places.append((item, QRect(left, row * (height + self._gap), end - left, height)))
        return places


class FlowRow(QWidget):
    """A widget with a `FlowLayout`, as tall as its lines."""

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
        """Remove all widgets for good."""
        clear(self._flow)
        self._flow.invalidate()
