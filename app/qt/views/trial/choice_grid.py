"""Widgets in rows that break where the width ends."""

from abc import abstractmethod

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class _Rows(QWidget):
    """Places its widgets by itself; what is hidden takes no room.

    Parameters
    ----------
    gap : int
        Pixels between widgets.
    """

    def __init__(self, gap: int = 8) -> None:
        super().__init__()
        self._members: list[QWidget] = []
        self._gap = gap
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def members(self) -> tuple[QWidget, ...]:
        """The widgets in their order."""
        return tuple(self._members)

    def set_members(self, members: list[QWidget]) -> None:
        """Show these widgets, in this order; those that were there before and are not, stay hidden.

        Parameters
        ----------
        members : list of QWidget
            They become children of this one.
        """
        for widget in self._members:
            if widget not in members:
                widget.hide()
        for widget in members:
            if widget.parentWidget() is not self:
                widget.setParent(self)
                widget.show()
        self._members = list(members)
        self._rearrange()

    def heightForWidth(self, width: int, /) -> int:
        """Return the height of all rows at a width."""
        return max((place.bottom() + 1 for _, place in self._places(width)), default=0)

    def sizeHint(self) -> QSize:
        """Return the size at the width there is."""
        width = max(self.width(), self.minimumSizeHint().width())
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the width of the widest member: all others can go below it."""
        hints = [widget.minimumSizeHint() for widget in self._seen()]
        return QSize(max((hint.width() for hint in hints), default=0), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the widgets."""
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent, /) -> bool:
        """Place the widgets again when one of them asks for another size, comes or goes."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._rearrange()
        return super().event(event)

    @abstractmethod
    def _places(self, width: int) -> list[tuple[QWidget, QRect]]: ...

    def _seen(self) -> list[QWidget]:
        return [widget for widget in self._members if not widget.isHidden()]

    def _rearrange(self) -> None:
        self.updateGeometry()
        self._arrange()

    def _arrange(self) -> None:
        for widget, place in self._places(self.width()):
            widget.setGeometry(place)


class ChoiceGrid(_Rows):
    """Cells of one size in as many columns as the width allows, rows filled evenly."""

    def columns(self, width: int) -> int:
        """Return how many cells stand side by side at a width."""
        n = max(1, len(self._seen()))
        cell = self.minimumSizeHint().width()
        fitting = (width + self._gap) // max(1, cell + self._gap)
        n_rows = -(-n // max(1, min(n, fitting)))
        return -(-n // n_rows)

    def _places(self, width: int) -> list[tuple[QWidget, QRect]]:
        seen = self._seen()
        columns = self.columns(width)
        height = max((widget.minimumSizeHint().height() for widget in seen), default=0)
        whole = width + self._gap
        places = []
        for number, widget in enumerate(seen):
            row, column = divmod(number, columns)
            # Whole pixels that add up to the width exactly.
            left, end = column * whole // columns, (column + 1) * whole // columns - self._gap
            top = row * (height + self._gap)
            places.append((widget, QRect(left, top, end - left, height)))
        return places


class ButtonRow(_Rows):
    """Buttons of their own size from left to right, then on the next line."""

    def _places(self, width: int) -> list[tuple[QWidget, QRect]]:
        places, x, y, line = [], 0, 0, 0
        for widget in self._seen():
            hint = widget.sizeHint()
            if x and x + hint.width() > width:
                x, y, line = 0, y + line + self._gap, 0
            places.append((widget, QRect(x, y, min(hint.width(), width), hint.height())))
            x, line = x + hint.width() + self._gap, max(line, hint.height())
        return places
