"""A small shape beside words, so that what they say is never told by colour alone."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.icons import paint_icon
from app.qt.theme import colours


class ShapeMark(QWidget):
    """An icon as high as a line of text, in a colour of the theme that is shown.

    Parameters
    ----------
    name : str
        One of `app.qt.icon_shapes.SHAPES`.
    role : str
        Which of the theme's `Colours` it takes.
    parent : QWidget, optional
        Its owner.
    scale : float
        Its size, in heights of a line.
    """

    def __init__(
        self,
        name: str = "dash",
        role: str = "muted",
        parent: QWidget | None = None,
        scale: float = 1.0,
    ) -> None:
        super().__init__(parent)
        self._name, self._role, self._scale = name, role, scale
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def name(self) -> str:
        """The shape that is shown."""
        return self._name

    def set_shape(self, name: str, role: str) -> None:
        """Show another shape."""
        if (name, role) != (self._name, self._role):
            self._name, self._role = name, role
            self.update()

    def sizeHint(self) -> QSize:
        """Return a square that follows the size of the text."""
        side = round(self.fontMetrics().height() * self._scale)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        """Return the same: a shape that is cut is none."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        """Draw the shape."""
        painter = QPainter(self)
        paint_icon(painter, self._name, QRectF(self.rect()), getattr(colours(), self._role))
        painter.end()
