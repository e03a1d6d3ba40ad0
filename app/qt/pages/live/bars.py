"""The source bar above the picture, and the status line of the window."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFileDialog,
    QInputDialog,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStatusBar,
    QWidget,
)

from app.qt import theme
from app.qt.state import Choice, SourceState, Working
from app.qt.theme import icons
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import WorkingBar, button, hbox
from app.types import Throughput

DEMO = "demo"
_FILE, _FOLDER, _ADDRESS = "<file>", "<folder>", "<address>"


class SourceBar(QWidget):
    """Selects the source, and what the demo presents."""

    source_requested = Signal(str)
    presentation_requested = Signal(str)
    """Key of a presentation of the demo; empty for everything in turn."""
    cameras_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = SourceState()
        self._cameras: tuple[Choice, ...] = ()
        self._choice, self._presents = _SourceBox(self), CalmComboBox(self)
        for box, name in (
            (self._choice, "Source of frames"),
            (self._presents, "What the demo presents"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.keep_narrow(14)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._label = QLabel("Demo shows")
        self._label.setBuddy(self._presents)
        hbox(self, (self._choice, 3), self._label, (self._presents, 4))
        self._choice.opened.connect(self.cameras_requested)
        self._choice.activated.connect(self._on_chosen)
        self._presents.activated.connect(self._on_presentation)
        self._fill()
        self._show_demo()

    @property
    def cameras(self) -> tuple[str, ...]:
        return tuple(camera.key for camera in self._cameras)

    @Slot(object)
    def show_source(self, source: SourceState) -> None:
        if source == self._source:
            self._fill()  # reset a choice that failed
            return
        self._source = source
        self._fill()
        self._show_demo()

    @Slot(object)
    def show_cameras(self, cameras: list[Choice]) -> None:
        if tuple(cameras) != self._cameras:
            self._cameras = tuple(cameras)
            self._fill()

    def set_directed(self, is_directed: bool) -> None:
        """Lock the choice while a take or a test controls the demo."""
        self._presents.setEnabled(not is_directed)

    def ask_for_file(self) -> None:
        patterns = "*.mp4 *.avi *.mov *.mkv *.webm *.m4v *.wmv *.png *.jpg *.jpeg *.bmp"
        kinds = f"Videos and pictures ({patterns});;All files (*)"
        path, _ = QFileDialog.getOpenFileName(self, "Open a video or a picture", "", kinds)
        self._open(path)

    def ask_for_folder(self) -> None:
        self._open(QFileDialog.getExistingDirectory(self, "Open a folder of pictures"))

    def ask_for_address(self) -> None:
        text, accepted = QInputDialog.getText(
            self,
            "Network camera",
            "Address of the camera (http, https or rtsp):",
            QLineEdit.EchoMode.Normal,
            "http://",
        )
        self._open(text.strip() if accepted else "")

    def _open(self, text: str) -> None:
        if text:
            self.source_requested.emit(text)
        else:
            self._fill()  # reset to the open source

    def _fill(self) -> None:
        with QSignalBlocker(self._choice):
            self._choice.clear()
            for camera in self._cameras:
                self._choice.addItem(icons.icon("camera"), camera.text, f"camera:{camera.key}")
            self._choice.addItem(icons.icon("play"), "Demo (simulated)", DEMO)
            source = self._source
            if source.text and self._choice.findData(source.text) < 0:
                self._choice.insertItem(0, icons.icon("camera"), source.name, source.text)
            self._choice.insertSeparator(self._choice.count())
            self._choice.addItem(icons.icon("open"), "Open a video or picture…", _FILE)
            self._choice.addItem(icons.icon("open"), "Open a folder of pictures…", _FOLDER)
            self._choice.addItem(icons.icon("camera"), "Network camera…", _ADDRESS)
            self._choice.setCurrentIndex(max(self._choice.findData(source.text), 0))

    def _show_demo(self) -> None:
        is_demo = self._source.is_demo
        self._label.setVisible(is_demo)
        self._presents.setVisible(is_demo)
        with QSignalBlocker(self._presents):
            self._presents.clear()
            self._presents.addItem("Everything in turn", "")
            for choice in self._source.presentations:
                self._presents.addItem(choice.text, choice.key)
            self._presents.setCurrentIndex(max(self._presents.findData(self._source.presenting), 0))

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        key = str(self._choice.itemData(index, Qt.ItemDataRole.UserRole) or "")
        dialogs = {
            _FILE: self.ask_for_file,
            _FOLDER: self.ask_for_folder,
            _ADDRESS: self.ask_for_address,
        }
        if key in dialogs:
            dialogs[key]()
        elif key:
            self.source_requested.emit(key)

    @Slot(int)
    def _on_presentation(self, index: int) -> None:
        self.presentation_requested.emit(str(self._presents.itemData(index) or ""))


class _SourceBox(CalmComboBox):
    """A combo box that signals when its list opens."""

    opened = Signal()

    def showPopup(self) -> None:
        self.opened.emit()
        super().showPopup()


class StatusLine(QStatusBar):
    """Throughput of the source and the scorer, and the progress of long tasks."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._text, self._bar = QLabel(), WorkingBar("Progress")
        self._bar.setMaximumWidth(160)
        self._cancel = button("Cancel", slot=self.cancel_requested, kind="quiet")
        self._figures = QLabel()
        theme.set_class(self._figures, "muted")
        for widget in (self._text, self._bar, self._cancel):
            self.addWidget(widget)
        self.addPermanentWidget(self._figures)
        self.setContentsMargins(12, 0, 12, 0)
        self.show_working(Working())

    @property
    def text(self) -> str:
        """The current task and the figures."""
        return f"{self._text.text()} {self._figures.text()}".strip()

    @Slot(object)
    def show_working(self, working: Working) -> None:
        self._text.setText(working.text)
        self._bar.show_working(working)
        self._cancel.setVisible(bool(working.text) and working.can_cancel)

    def show_throughput(self, source: str, figures: Throughput) -> None:
        parts = [source] if source else []
        parts.append(f"camera {figures.source_rate:.0f} /s")
        if figures.scoring_rate > 0:
            parts.append(f"judged {figures.scoring_rate:.0f} /s")
            parts.append(f"latency {1000 * figures.latency:.0f} ms")
        parts.append(f"skipped {figures.n_dropped}")
        self._figures.setText("   ".join(parts))
        self._figures.setToolTip(
            "Frames per second delivered by the source and judged, time from a frame to its "
            "verdict, and number of frames skipped in favour of newer ones."
        )
