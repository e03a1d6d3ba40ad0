"""Cards of the Model page: summary, clusters, liveness networks."""

from itertools import zip_longest
from pathlib import PurePath

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextOption
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QSizePolicy, QWidget

from app.models.summary import ModelSummary
from app.names import counted
from app.qt.charts.format import decimals, places_for, scientific
from app.qt.pages.model.panels import threshold_mark, threshold_text
from app.qt.state import NetworksState
from app.qt.theme import colours, set_class
from app.qt.theme.icons import icon, paint_icon
from app.qt.widgets.layout import CARD, FlowRow, WorkingBar, button, clear, grid, hbox, vbox
from app.qt.widgets.texts import (
    ElidedLabel,
    Mark,
    MarkedText,
    caution,
    picture,
    plain_tip,
    set_text,
    wrapped,
)
from app.types import Image

_FIGURES = ("frames", "takes", "clusters", "threshold")


class ModelHeader(QFrame):
    """A card with a summary of the model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self.notes: list[MarkedText] = []
        self._notes_column = vbox(None, spacing=6)
        self.simulated = caution("", self)
        figures = grid(None, 28, 0, 0, 0, 0, 0, 1)
        self._figures = [QLabel(self) for _ in _FIGURES]
        for column, (name, value) in enumerate(zip(_FIGURES, self._figures, strict=True)):
            label = QLabel(name, self)
            set_class(value, "title")
            set_class(label, "muted")
            figures.addWidget(value, 0, column)
            figures.addWidget(label, 1, column)
        self.certificate = MarkedText("genuine", "good", parent=self)
        self.threshold = MarkedText("genuine", "good", parent=self)
        self.file = ElidedLabel(parent=self)
        self._file_mark = Mark("save", "muted", self)
        tip = "Save the model as one file and verify its scores."
        self.export = button("Export…", "export", tip=tip, parent=self)
        self.fit = button("Fit again", "refresh", parent=self)
        tip = "Replace this model with one from a file."
        self.open = button("Open…", "open", tip=tip, parent=self)
        buttons = FlowRow(self, gap=8)
        buttons.add(self.export, self.fit, self.open)
        vbox(
            self,
            self.simulated,
            figures,
            self.certificate,
            self.threshold,
            self._notes_column,
            hbox(None, self._file_mark, (self.file, 1)),
            buttons,
            margins=CARD,
            spacing=10,
        )
        self.set_can_fit(True, "")

    def show_model(self, model: ModelSummary) -> None:
        simulated = "Simulated: the enrolled frames come from the demo, not from a person."
        self.simulated.show_text(simulated if model.is_simulated else "")
        calibration = model.calibration
        threshold = decimals(calibration.threshold, places_for(abs(calibration.threshold)))
        values = (model.n_samples, len(model.takes), model.n_clusters, threshold)
        for label, value in zip(self._figures, values, strict=True):
            label.setText(str(value))
        gap = scientific(model.gap)
        if model.is_certified:
            text = f"The fit is optimal: proven to within {gap} (relative)."
            self.certificate.show_text(text, "genuine", "good")
        else:
            text = (
                f"The fit is not proven optimal: other weights may be better by up to {gap} "
                "(relative)."
            )
            self.certificate.show_text(text, "warning", "caution")
        self.threshold.show_text(threshold_text(calibration), *threshold_mark(calibration))
        clear(self._notes_column)
        self.notes = [caution(note, self) for note in model.notes]
        for note in self.notes:
            self._notes_column.addWidget(note)
        self._show_file(model.path, model.is_protected)

    def set_can_fit(self, can_fit: bool, why_not: str) -> None:
        """Enable another fit, or show why it is not possible."""
        self.fit.setEnabled(can_fit)
        self.fit.setToolTip("Fit again to all enrolled takes." if can_fit else why_not)

    def _show_file(self, path: str, is_protected: bool) -> None:
        shape, role, text = "info", "caution", "Not exported yet"
        tip = "The model is only in memory and is lost when the program closes."
        if path:
            shape, role, tip = "lock" if is_protected else "check", "good", plain_tip(path)
            protection = "protected by a passphrase" if is_protected else "not protected"
            text = f"{PurePath(path).name}, {protection}"
        self._file_mark.set_shape(shape, role)
        self.file.set_whole(text)
        self.file.setToolTip(tip)
        set_class(self.export, "" if path else "primary")
        self.export.setIcon(icon("export", "text" if path else "on_accent"))


_EDGE = 3


class ClusterTile(QWidget):
    """A cluster: its most typical face, number and size."""

    def __init__(self, number: int, size: int, face: Image | None, parent: QWidget) -> None:
        super().__init__(parent)
        title, caption = f"Cluster {number + 1}", counted(size, "frame")
        labels = QLabel(title, self), QLabel(caption, self)
        set_class(labels[1], "muted")
        for label in labels:
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        vbox(self, _Face(number, face, self), *labels, spacing=2)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{title}, {caption}")
        self.setToolTip(f"{caption} mostly in cluster {number + 1}.")


class _Face(QWidget):
    """A face framed in the colour of its cluster; an icon if there is no face."""

    def __init__(self, number: int, face: Image | None, parent: QWidget) -> None:
        super().__init__(parent)
        self._number, self._face = number, None if face is None else picture(face)
        side = round(self.fontMetrics().height() * 5.2)
        self.setFixedSize(side, side)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter, theme = QPainter(self), colours()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), QColor(theme.series_colour(self._number)))
        inner = self.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        if self._face is None:
            painter.fillRect(inner, QColor(theme.raised))
            middle = QRectF(inner).adjusted(16, 16, -16, -16)
            paint_icon(painter, "person", middle, theme.faint)
        else:
            painter.drawImage(inner, self._face)
        painter.end()


class ClustersStrip(QWidget):
    """The clusters of a model, in as many lines as needed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tiles: tuple[ClusterTile, ...] = ()
        self._tray = FlowRow(self, gap=16)
        self.remark = wrapped("", "muted", self)
        vbox(self, self._tray, self.remark)

    def show_model(self, model: ModelSummary | None) -> None:
        self._tray.clear()
        sizes, faces = ((), ()) if model is None else (model.cluster_sizes, model.typical_faces)
        self.tiles = tuple(
            ClusterTile(number, size, face, self._tray)
            for number, (size, face) in enumerate(zip_longest(sizes, faces))
        )
        self._tray.add(*self.tiles)
        for tile in self.tiles:
            tile.show()
        n_faces = sum(face is not None for face in faces)
        missing = "Some faces are missing" if n_faces else "There are no faces"
        remark = f"{missing}, because model files hold no pictures."
        set_text(self.remark, remark if n_faces < len(sizes) else "")


_BY_HAND_LINES = 14


class NetworksCard(QFrame):
    """Offers to download the liveness networks; hidden if they are installed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        heading = wrapped("Another light, or an attack?", "heading", self)
        self._text = wrapped(
            "In light that was never enrolled, the model cannot distinguish a live person from "
            "an attack. Two small networks, which judge how live a face looks, can do so for about "
            "nine in ten of the real recordings used to choose the rule.",
            parent=self,
        )
        self._facts = wrapped("", "muted", self)
        self._problem = MarkedText("warning", "caution", parent=self)
        self._hint = wrapped(parent=self)
        self.files = QPlainTextEdit(self)
        self.files.setReadOnly(True)
        self.files.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.files.setFixedHeight(_BY_HAND_LINES * self.fontMetrics().lineSpacing())
        self.files.setAccessibleName("Files to download, with their addresses and checksums")
        self.bar = WorkingBar("Progress of the download", self)
        tip = "Download the files, check them and use them at once."
        self.get = button("Download", "import", tip=tip, kind="primary", parent=self)
        tip = "Use files copied from another computer."
        self.choose = button("Choose files…", "open", tip=tip, parent=self)
        self.cancel = button("Cancel", "stop", parent=self)
        buttons = hbox(None, self.get, self.choose, self.cancel, 1)
        texts = (heading, self._text, self._facts, self._problem, self._hint)
        vbox(self, *texts, self.files, self.bar, buttons, margins=CARD)
        self.show_networks(NetworksState())

    @Slot(object)
    def show_networks(self, state: NetworksState) -> None:
        working = state.working
        is_busy = bool(working.text)
        size = f"{state.size / 1e6:.1f}"
        facts = f"{size} MB to download, licence {state.licence}. The model stays as it is."
        if is_busy:
            done = f": {working.done / 1e6:.1f} of {size} MB" if working.total else ""
            facts = f"{working.text}{done}"
        set_text(self._facts, facts)
        self._problem.show_text("" if is_busy else state.problem)
        is_by_hand = state.is_by_hand and not is_busy
        hint = (
            "Without internet: download these files on another computer and choose them here, or "
            f"copy them to {state.folder} and press “Download”."
        )
        set_text(self._hint, hint if is_by_hand else "")
        self.files.setVisible(is_by_hand)
        self.files.setPlainText(
            "\n".join(
                f"{file.file_name}\n{file.url}\nSHA-256 {file.sha256}" for file in state.missing
            )
        )
        for each in (self.get, self.choose):
            each.setVisible(not is_busy)
        self.cancel.setVisible(is_busy and working.can_cancel)
        self.bar.show_working(working)
        self.setVisible(bool(state.missing))
