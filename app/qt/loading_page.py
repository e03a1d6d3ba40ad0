"""The plain page that is on the screen while the window is made."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.qt import theme

_WIDTH, _HEIGHT = 420, 200


class LoadingPage(QWidget):
    """The program's name, and that it is loading; close it when the window is shown.

    Not a `QSplashScreen`: that one may wait a whole second until the screen says that it is there.
    """

    def __init__(self) -> None:
        super().__init__(None, Qt.WindowType.SplashScreen | Qt.WindowType.FramelessWindowHint)
        self.resize(_WIDTH, _HEIGHT)
        self.move(self.screen().availableGeometry().center() - self.rect().center())

    def show_now(self) -> None:
        """Show the page and paint it at once: the event loop does not run while modules load."""
        self.show()
        QApplication.processEvents()
        self.repaint()

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        """Write in the middle."""
        colours = theme.colours()
        painter = QPainter(self)
        painter.setPen(QColor(colours.outline))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        line = painter.fontMetrics().height()
        for text, colour, lines in (
            (self.tr("lmkl-pad"), colours.text, -1),
            (self.tr("Loading…"), colours.muted, 1),
        ):
            painter.setPen(QColor(colour))
            place = self.rect().translated(0, lines * line)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
