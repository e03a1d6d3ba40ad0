"""Small pieces of text that several pages use: wrapped, elided, and with a shape beside them."""

from html import escape

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.qt.icons import paint_icon
from app.qt.theme import colours, set_class


def wrapped(text: str = "", kind: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label that wraps, may get as narrow as it must, and can be copied from.

    Parameters
    ----------
    text : str
        Shown as it is, never as markup.
    kind : str
        Its class in the style sheet.
    parent : QWidget, optional
        Owner.
    """
    label = QLabel(text, parent)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    if kind:
        label.setProperty("class", kind)
    return label


def plain_tip(text: str) -> str:
    """Return a tool tip that shows a name as it is: Qt takes what looks like markup for markup."""
    # A model from elsewhere may call its takes <img src="file:...">.
    return f"<span>{escape(text)}</span>" if QtText.mightBeRichText(text) else text


def set_text(label: QLabel, text: str) -> None:
    """Show a text; costs nothing when it is shown already, and an empty one takes no room."""
    if label.text() != text:
        label.setText(text)
    label.setVisible(bool(text))


def card(parent: QWidget | None = None) -> tuple[QFrame, QVBoxLayout]:
    """Return an empty card and its layout."""
    frame = QFrame(parent)
    set_class(frame, "card")
    column = QVBoxLayout(frame)
    column.setContentsMargins(16, 14, 16, 16)
    column.setSpacing(8)
    return frame, column


class Mark(QWidget):
    """An icon as tall as a line of text, in a colour of the theme.

    Parameters
    ----------
    name, role : str
        The icon and the theme's colour that it takes.
    scale : float
        Its size, in heights of a line.
    parent : QWidget, optional
        Owner.
    """

    def __init__(
        self, name: str, role: str, scale: float = 1.0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name, self._role, self._scale = name, role, scale
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_shape(self, name: str, role: str) -> None:
        """Show another icon."""
        if (name, role) != (self._name, self._role):
            self._name, self._role = name, role
            self.update()

    @property
    def name(self) -> str:
        """The icon that is shown."""
        return self._name

    def sizeHint(self) -> QSize:
        """Return a square of the line's height."""
        side = round(self.fontMetrics().height() * self._scale)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        """Paint the icon in the colour that the theme has now."""
        painter = QPainter(self)
        paint_icon(painter, self._name, QRectF(self.rect()), getattr(colours(self), self._role))
        painter.end()


class MarkedText(QFrame):
    """A shape and a text that wraps beside it; without text it takes no room.

    Parameters
    ----------
    icon, role : str
        The shape and the theme's colour that it takes.
    kind : str
        Class of the text in the style sheet.
    parent : QWidget, optional
        Owner.
    """

    def __init__(self, icon: str, role: str, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mark = Mark(icon, role, parent=self)
        self.label = wrapped("", kind, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.label, 1)
        self.hide()

    def show_text(self, text: str, icon: str = "", role: str = "") -> None:
        """Show a text, with another shape if one is given; an empty text hides both."""
        if icon:
            self.mark.set_shape(icon, role)
        if self.label.text() != text:
            self.label.setText(text)
        self.setVisible(bool(text))

    def text(self) -> str:
        """Return the text that is shown."""
        return self.label.text()


def caution(text: str, parent: QWidget | None = None) -> MarkedText:
    """Return a banner with something that the person should know."""
    line = MarkedText("warning", "caution", parent=parent)
    set_class(line, "banner-caution")
    layout = line.layout()
    if layout is not None:
        layout.setContentsMargins(10, 8, 10, 8)
    line.show_text(text)
    return line


class ElidedLabel(QLabel):
    """One line of text that is shortened in the middle where it does not fit.

    The whole text stays in its tool tip and in `whole`.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.whole = ""
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        """Show a text."""
        self.whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Return the room of the whole text."""
        width = self.fontMetrics().horizontalAdvance(self.whole) + 2
        return QSize(width, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Return the room of some letters."""
        width = self.fontMetrics().averageCharWidth() * 12
        return QSize(min(width, self.sizeHint().width()), self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        """Shorten anew."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(
            self.whole, Qt.TextElideMode.ElideMiddle, max(1, self.width())
        )
        if shown != self.text():
            self.setText(shown)
