"""Labels that wrap or are elided, texts with icons, banners, empty states; image conversion."""

from html import escape

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QWidget

from app.qt.theme import GRID, colours, set_class
from app.qt.theme.icons import paint_icon
from app.qt.widgets.layout import FlowRow, button, hbox, vbox
from app.types import Image


def wrapped(text: str = "", kind: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label of selectable plain text that wraps at any width.

    ``kind`` is its class in the style sheet.
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
    """Return a tool tip that Qt shows verbatim, even if it looks like markup."""
    # A take in somebody else's model may be named <img src="file:...">.
    return f"<span>{escape(text)}</span>" if QtText.mightBeRichText(text) else text


def plain_caption(text: str) -> str:
    """Escape "&" in the text of a button or menu, where it would mark a shortcut."""
    return text.replace("&", "&&")


def set_text(label: QLabel, text: str) -> None:
    """Set the text of a label if it changed, and hide the label if it is empty."""
    if label.text() != text:
        label.setText(text)
    label.setVisible(bool(text))


class ElidedLabel(QLabel):
    """One line of text, elided in the middle; `whole` is the full text."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.whole = ""
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        self.whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.whole) + 2
        return QSize(width, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        width = self.fontMetrics().averageCharWidth() * 12
        return QSize(min(width, self.sizeHint().width()), self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        text = self.fontMetrics().elidedText(
            self.whole, Qt.TextElideMode.ElideMiddle, max(1, self.width())
        )
        if text != self.text():
            self.setText(text)


class Mark(QWidget):
    """An icon as high as ``scale`` lines of text, in a colour of the theme."""

    def __init__(
        self,
        name: str = "dash",
        role: str = "muted",
        parent: QWidget | None = None,
        scale: float = 1.0,
    ) -> None:
        super().__init__(parent)
        self.name, self._role, self._scale = name, role, scale
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_shape(self, name: str, role: str) -> None:
        if (name, role) != (self.name, self._role):
            self.name, self._role = name, role
            self.update()

    def sizeHint(self) -> QSize:
        side = round(self.fontMetrics().height() * self._scale)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        if self.name:
            painter = QPainter(self)
            paint_icon(painter, self.name, QRectF(self.rect()), getattr(colours(), self._role))
            painter.end()


class MarkedText(QFrame):
    """An icon beside a text that wraps; hidden without text."""

    def __init__(
        self, icon: str = "", role: str = "text", kind: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.mark = Mark(icon, role, self)
        self.mark.setVisible(bool(icon))
        self.label = wrapped("", kind, self)
        hbox(self, (self.mark, 0, Qt.AlignmentFlag.AlignTop), (self.label, 1))
        self.hide()

    def show_text(self, text: str, icon: str = "", role: str = "") -> None:
        """Show a text, with another icon if given; an empty text hides both."""
        if icon:
            self.set_icon(icon, role)
        if self.label.text() != text:
            self.label.setText(text)
        self.setVisible(bool(text))

    def set_icon(self, icon: str, role: str = "text") -> None:
        """Change the icon; an empty name removes it."""
        self.mark.set_shape(icon, role)
        self.mark.setVisible(bool(icon))

    def text(self) -> str:
        return self.label.text()


def caution(text: str, parent: QWidget | None = None) -> MarkedText:
    """Return a banner with a warning."""
    line = MarkedText("warning", "caution", parent=parent)
    set_class(line, "banner-caution")
    layout = line.layout()
    if layout is not None:
        layout.setContentsMargins(10, 8, 10, 8)
    line.show_text(text)
    return line


def banner(kind: str, note: MarkedText, *buttons: QPushButton) -> QFrame:
    """Return a coloured panel with a note and buttons below it."""
    frame = QFrame()
    set_class(frame, kind)
    parts = [hbox(None, *buttons, 1)] if buttons else []
    vbox(frame, note, *parts, margins=(GRID + 4, GRID, GRID + 4, GRID))
    return frame


def number_badge(number: int, parent: QWidget | None = None) -> QLabel:
    """Return a label with the number of a step."""
    label = QLabel(str(number), parent)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    set_class(label, "badge")
    return label


class StepHeading(QWidget):
    """The number of a step and its instruction."""

    def __init__(self, number: int, text: str = "") -> None:
        super().__init__()
        self._label = wrapped(text, "heading", self)
        hbox(self, (number_badge(number, self), 0, Qt.AlignmentFlag.AlignTop), (self._label, 1))

    def set_text(self, text: str) -> None:
        set_text(self._label, text)


class EmptyState(QWidget):
    """Placeholder for content that does not exist yet: an icon, text and buttons."""

    def __init__(self, icon: str, role: str = "muted", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mark = Mark(icon, role, self, 2.6)
        self.heading, self.lines = wrapped("", "heading", self), wrapped("", "muted", self)
        centre = Qt.AlignmentFlag.AlignHCenter
        for label in (self.heading, self.lines):
            label.setAlignment(centre)
        self._buttons = FlowRow(self, gap=GRID)
        parts = ((self.mark, 0, centre), self.heading, self.lines, (self._buttons, 0, centre))
        margins = (3 * GRID, 4 * GRID, 3 * GRID, 4 * GRID)
        vbox(self, 2, *parts, 3, margins=margins, spacing=GRID + 4)
        self._buttons.hide()

    def show_text(self, heading: str, lines: str) -> None:
        set_text(self.heading, heading)
        set_text(self.lines, lines)

    def add_button(self, button: QPushButton) -> None:
        self._buttons.add(button)
        self._buttons.show()


def enrol_button(slot: object) -> QPushButton:
    """Return a button to the Enrol page, for pages that need a model."""
    tip = "Go to the Enrol page and record the first take."
    return button("Enrol a face", "enrol", slot, tip=tip, kind="primary")


def picture(image: Image) -> QImage:
    """Return an image as a `QImage` that owns its pixels."""
    height, width = image.shape[:2]
    # tobytes() gives rows in order, even if the array is a view of another.
    data = image.tobytes()
    return QImage(data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
