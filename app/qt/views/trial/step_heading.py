"""Headings of the steps of a guided flow, and notes beside a small picture."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.qt.icons import paint_icon
from app.qt.theme import GRID, colours, set_class

MARGIN = GRID + 4
"""Pixels around what lies in a card of the flow."""


class StepBadge(QWidget):
    """The number of a step in a disc.

    Parameters
    ----------
    number : int
        Of the step.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a square that the number fits into."""
        side = round(self.fontMetrics().height() * 1.5)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the disc and the number."""
        shown = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shown.accent_soft))
        painter.drawEllipse(self.rect())
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(shown.text))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, str(self._number))
        painter.end()


class StepHeading(QWidget):
    """A step's number and what is to be done.

    Parameters
    ----------
    number : int
        Of the step.
    text : str
        The heading.
    """

    def __init__(self, number: int, text: str = "") -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(StepBadge(number), 0, Qt.AlignmentFlag.AlignTop)
        self._label = QLabel(text)
        self._label.setWordWrap(True)
        set_class(self._label, "heading")
        row.addWidget(self._label, 1)

    def set_text(self, text: str) -> None:
        """Show another heading."""
        if self._label.text() != text:
            self._label.setText(text)


class Note(QWidget):
    """A sentence that wraps, beside a small picture that says of which kind it is.

    Parameters
    ----------
    icon_name : str
        One of `app.qt.icons`; empty for none.
    role : str
        Which of the theme's colours the picture takes.
    """

    def __init__(self, icon_name: str = "", role: str = "text") -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self._icon = _Picture(icon_name, role)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._icon.setVisible(bool(icon_name))  # only now: without a parent it would be a window
        self.label = QLabel()
        self.label.setWordWrap(True)
        row.addWidget(self.label, 1)

    @property
    def icon_name(self) -> str:
        """Which picture is shown; empty for none."""
        return self._icon.name

    def set_icon(self, icon_name: str, role: str = "text") -> None:
        """Show another picture; an empty name shows none."""
        self._icon.name, self._icon.role = icon_name, role
        self._icon.setVisible(bool(icon_name))
        self._icon.update()

    def set_text(self, text: str) -> None:
        """Show another sentence."""
        if self.label.text() != text:
            self.label.setText(text)


class _Picture(QWidget):
    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self.name = name
        self.role = role
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = round(self.fontMetrics().height() * 1.15)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.name:
            painter = QPainter(self)
            colour = getattr(colours(self), self.role)
            paint_icon(painter, self.name, QRectF(self.rect()), colour)
            painter.end()
