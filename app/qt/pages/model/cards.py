"""Cards of the Model page: the model in brief, its clusters, the work under way, the networks."""

from itertools import zip_longest
from pathlib import PurePath

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QTextOption
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QSizePolicy, QWidget

from app.models.summary import ModelSummary
from app.names import counted
from app.qt.charts.format import decimals, places_for, scientific
from app.qt.pages.model.panels import threshold_mark, threshold_words
from app.qt.state import NetworksState, Working
from app.qt.theme import colours, set_class
from app.qt.theme.icons import icon, paint_icon
from app.qt.widgets.layout import CARD, FlowRow, WorkingBar, button, clear, hbox, vbox
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


class _Figure(QWidget):
    """A number with its name below it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._value, label = QLabel(self), QLabel(name, self)
        set_class(self._value, "title")
        set_class(label, "muted")
        vbox(self, self._value, label, spacing=0)

    def show_value(self, text: str) -> None:
        self._value.setText(text)
        self.setAccessibleName(f"{self._name}: {text}")


class ModelHeader(QFrame):
    """A card that sums a model up."""

    fit_requested = Signal()
    export_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self.notes: list[MarkedText] = []
        self._notes_column = vbox(None, spacing=6)
        self.simulated = caution("", self)
        names = ("frames", "takes", "clusters", "threshold")
        self._figures = {name: _Figure(name, self) for name in names}
        figures = FlowRow(self, gap=28)
        figures.add(*self._figures.values())
        self.certificate = MarkedText("genuine", "good", parent=self)
        self.threshold = MarkedText("genuine", "good", parent=self)
        tip = "Show or hide how the threshold was set, in exact words"
        self.more = button("Details", "chevron-right", tip=tip, kind="quiet", parent=self)
        self.more.setCheckable(True)
        self.more.setAccessibleName("Details of the threshold")
        self.more.toggled.connect(self._on_more)
        self.details = wrapped("", "muted", self)
        self.file = ElidedLabel(parent=self)
        self.protection = QLabel(self)
        set_class(self.protection, "muted")
        self._file_mark = Mark("save", "muted", self)
        tip = "Save the model as one file and check that it scores alike"
        self.export = button("Export…", "export", self.export_requested, tip=tip, parent=self)
        self.fit = button("Fit again", "refresh", self.fit_requested, parent=self)
        tip = "Use a model from a file in place of this one"
        self.open = button("Open…", "open", self.open_requested, tip=tip, parent=self)
        buttons = FlowRow(self, gap=8)
        buttons.add(self.export, self.fit, self.open)
        vbox(
            self,
            self.simulated,
            figures,
            self.certificate,
            self.threshold,
            (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            self.details,
            self._notes_column,
            hbox(None, self._file_mark, self.file, self.protection, 1),
            buttons,
            margins=CARD,
            spacing=10,
        )
        self.details.hide()
        self.set_can_fit(True, "")

    def show_model(self, model: ModelSummary) -> None:
        simulated = "Simulated: frames of the demo were enrolled, not of a person."
        self.simulated.show_text(simulated if model.is_simulated else "")
        threshold = model.threshold
        values = {
            "frames": str(model.n_samples),
            "takes": str(len(model.takes)),
            "clusters": str(model.n_clusters),
            "threshold": decimals(threshold.value, places_for(abs(threshold.value))),
        }
        for name, value in values.items():
            self._figures[name].show_value(value)
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
        self.threshold.show_text(threshold_words(threshold), *threshold_mark(threshold))
        self.details.setText(f"{threshold.statement} Set to {threshold.origin}.")
        clear(self._notes_column)
        self.notes = [caution(note, self) for note in model.notes]
        for note in self.notes:
            self._notes_column.addWidget(note)
        self._show_file(model.path, model.is_protected)

    def set_can_fit(self, can_fit: bool, why_not: str) -> None:
        """Allow another fit, or say why there cannot be one."""
        self.fit.setEnabled(can_fit)
        self.fit.setToolTip("Fit anew on all enrolled takes" if can_fit else why_not)

    @Slot(bool)
    def _on_more(self, is_open: bool) -> None:
        self.details.setVisible(is_open)
        self.more.setIcon(icon("chevron-down" if is_open else "chevron-right"))

    def _show_file(self, path: str, is_protected: bool) -> None:
        self.file.set_whole(PurePath(path).name if path else "Not exported yet")
        unsaved = "The model is only in memory: it is lost when the app closes"
        self.file.setToolTip(plain_tip(path) or unsaved)
        shape = "lock" if is_protected else "check"
        self._file_mark.set_shape(shape if path else "info", "good" if path else "caution")
        self.protection.setText("protected by a passphrase" if is_protected else "not protected")
        self.protection.setVisible(bool(path))
        set_class(self.export, "" if path else "primary")
        self.export.setIcon(icon("export", "text" if path else "on_accent"))


_EDGE = 3


class ClusterTile(QWidget):
    """One cluster: its most typical face, its number and its size."""

    def __init__(
        self, number: int, size: int, n_frames: int, face: Image | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.has_face = face is not None
        title, caption = f"Cluster {number + 1}", counted(size, "frame")
        labels = QLabel(title, self), QLabel(caption, self)
        set_class(labels[1], "muted")
        for label in labels:
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        line = self.fontMetrics().height()
        words = max(map(self.fontMetrics().horizontalAdvance, (title, caption)))
        side = max(words + line, round(line * 5.2))
        column = vbox(self, _Face(number, face, side, self), *labels, spacing=0)
        column.insertSpacing(1, 5)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{title}, {caption}")
        rest = " belong mostly to it" if self.has_face else "; its face is not kept"
        self.setToolTip(f"{title}: {size} of {n_frames} enrolled frames{rest}")


class _Face(QWidget):
    """A face in a frame of its cluster's colour; a bust where there is none."""

    def __init__(self, number: int, face: Image | None, side: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._number, self._face = number, None if face is None else picture(face)
        self.setFixedSize(side, side)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        theme, place = colours(), QRectF(self.rect())
        inner = place.adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        clip, frame = QPainterPath(), QPainterPath()
        clip.addRoundedRect(inner, 4, 4)
        frame.addRoundedRect(place, 7, 7)
        painter.fillPath(frame.subtracted(clip), QColor(theme.series_colour(self._number)))
        painter.setClipPath(clip)
        if self._face is None:
            painter.fillRect(inner, QColor(theme.raised))
            around = place.width() * 0.24
            middle = inner.adjusted(around, around, -around, -around)
            paint_icon(painter, "person", middle, theme.faint)
        else:
            # Its middle, undistorted.
            square = QRectF(0, 0, *[min(self._face.width(), self._face.height())] * 2)
            square.moveCenter(QRectF(self._face.rect()).center())
            painter.drawImage(inner, self._face, square)
        painter.end()


class ClustersStrip(QWidget):
    """All clusters of a model in as many lines as it takes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tiles: tuple[ClusterTile, ...] = ()
        self._tray = FlowRow(self, gap=16)
        self.remark = wrapped("", "muted", self)
        vbox(self, self._tray, self.remark)

    def show_model(self, model: ModelSummary | None) -> None:
        self._tray.clear()
        self.tiles = ()
        if model is not None:
            self.tiles = tuple(
                ClusterTile(number, size, model.n_samples, face, self._tray)
                for number, (size, face) in enumerate(
                    zip_longest(model.cluster_sizes, model.typical_faces)
                )
            )
        self._tray.add(*self.tiles)
        for tile in self.tiles:
            tile.show()
        n_faces = sum(tile.has_face for tile in self.tiles)
        who = "Some faces are missing" if n_faces else "No faces here"
        is_complete = n_faces == len(self.tiles)
        remark = "" if is_complete else f"{who}: pictures are not kept in model files."
        set_text(self.remark, remark)


_BY_HAND_LINES = 14


class WorkingCard(QFrame):
    """Progress with words; hidden while nothing is being done."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._title = wrapped("", "heading", self)
        self.bar = WorkingBar("Progress", self)
        tip = "End this work; the model in use stays as it is"
        self.cancel = button("Cancel", "stop", self.cancel_requested, tip=tip, parent=self)
        head = hbox(None, (self._title, 1), self.cancel, spacing=12)
        vbox(self, head, self.bar, margins=(16, 12, 16, 14))
        self.hide()

    def show_working(self, working: Working) -> None:
        self.setVisible(bool(working.text))
        set_text(self._title, working.text)
        self.cancel.setVisible(working.can_cancel)
        self.bar.show_working(working)


class NetworksCard(QFrame):
    """Offer the liveness networks; hidden where nothing is missing."""

    get_requested = Signal()
    cancel_requested = Signal()
    choose_requested = Signal()
    """The person wants to choose files that are here already."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        heading = wrapped("Another light, or an attack?", "heading", self)
        self._text = wrapped(
            "In a light that was never enrolled, the live person cannot be told from an "
            "attack. Two small networks that judge how live a face looks can, for about nine "
            "in ten of the real recordings that the rule was chosen on.",
            parent=self,
        )
        self._facts = wrapped("", "muted", self)
        self._problem = MarkedText("warning", "caution", parent=self)
        self._hint = wrapped(parent=self)
        self.files = QPlainTextEdit(self)
        self.files.setReadOnly(True)
        self.files.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.files.setFixedHeight(_BY_HAND_LINES * self.fontMetrics().lineSpacing())
        self.files.setAccessibleName("Files to bring, with their addresses and checksums")
        self.bar = WorkingBar("Progress of the download", self)
        self.get = button(
            "Get them",
            "import",
            self.get_requested,
            tip="Download both files, check them and use them at once",
            kind="primary",
            parent=self,
        )
        tip = "Use files that were brought from another computer"
        self.choose = button("Choose files…", "open", self.choose_requested, tip=tip, parent=self)
        self.cancel = button("Cancel", "stop", self.cancel_requested, parent=self)
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
            "Without internet: get these files on another computer and choose them here, or put "
            f"them into {state.folder} and press “Get them”."
        )
        set_text(self._hint, hint if is_by_hand else "")
        self.files.setVisible(is_by_hand)
        self.files.setPlainText(
            "\n".join(f"{one.name}\n{one.url}\nSHA-256 {one.sha256}" for one in state.missing)
        )
        for each in (self.get, self.choose):
            each.setVisible(not is_busy)
        self.cancel.setVisible(is_busy and working.can_cancel)
        self.bar.show_working(working)
        self.setVisible(bool(state.missing))
