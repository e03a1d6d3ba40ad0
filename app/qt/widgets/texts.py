"""Labels that wrap or are cut, tool tips, and the words for verdicts."""

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def wrapped(text: str = "", kind: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label of plain text that wraps, may get narrow, and can be copied from.

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
    """Return a tool tip that shows a name as it is: Qt takes what looks like markup for markup."""
    # A model from elsewhere may call its takes <img src="file:...">.
    return f"<span>{escape(text)}</span>" if QtText.mightBeRichText(text) else text


def set_text(label: QLabel, text: str) -> None:
    """Show a text; costs nothing when it is shown already, and an empty one takes no room."""
    if label.text() != text:
        label.setText(text)
    label.setVisible(bool(text))


class ElidedLabel(QLabel):
    """One line of text, cut in the middle where it does not fit; `whole` is all of it."""

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
        shown = self.fontMetrics().elidedText(
            self.whole, Qt.TextElideMode.ElideMiddle, max(1, self.width())
        )
        if shown != self.text():
            self.setText(shown)
