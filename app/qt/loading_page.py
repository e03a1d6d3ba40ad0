"""The plain page that is on the screen while the window is loaded and made."""

from PySide6.QtCore import QByteArray, Qt, Slot
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QWidget

from app.qt import theme
from app.qt.pages.live.preview import Preview
from app.qt.workers.capture import CaptureWorker


class LoadingPage(QWidget):
    """Where the window will be: the picture at the left, as soon as there is one.

    Parameters
    ----------
    geometry : str
        Of the window, as the settings keep it; empty for the middle of the screen.
    capture : CaptureWorker
        Where frames come from.
    """

    def __init__(self, geometry: str, capture: CaptureWorker) -> None:
        super().__init__(None, Qt.WindowType.SplashScreen | Qt.WindowType.FramelessWindowHint)
        theme.notifier().mark(self)
        self.preview = Preview(self)
        self.preview.show_message("")
        words = QLabel("Loading…", self)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout(self)
        row.addWidget(self.preview, 1)
        row.addWidget(words, 1)
        room = self.screen().availableGeometry()
        self.resize(min(1280, room.width()), min(720, room.height()))
        self.move(room.center() - self.rect().center())
        if geometry:
            self.restoreGeometry(QByteArray.fromHex(geometry.encode()))
        self._frames = capture.to_show
        capture.frame_ready.connect(self._on_frame)

    def show_now(self) -> None:
        """Show the page and paint it."""
        self.show()
        QApplication.processEvents()
        self.repaint()

    def show_first(self, seconds: float) -> None:
        """Wait so long for a first frame, and paint it."""
        frame = self._frames.wait(seconds)
        if frame is not None:
            self.preview.show_frame(frame)
            self.preview.repaint()

    def give_way_to(self, other: Preview) -> None:
        """Hand the picture over to the preview of the window, which is shown already, and close."""
        other.take_over(self.preview)
        self.close()
        self.deleteLater()

    @Slot()
    def _on_frame(self) -> None:
        frame = self._frames.take()
        if frame is not None:
            self.preview.show_frame(frame)
