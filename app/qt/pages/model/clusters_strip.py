"""The clusters side by side: each one's most typical face, its colour, its number and its size."""

from itertools import zip_longest

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.models.summary import ModelSummary
from app.qt.theme import colours
from app.qt.theme.icons import paint_icon
from app.qt.widgets.flow import FlowRow
from app.qt.widgets.layout import vbox
from app.qt.widgets.marks import picture
from app.qt.widgets.texts import set_text, wrapped
from app.types import Image

_EDGE = 3


class ClusterTile(QWidget):
    """One cluster: its most typical face in a frame of its colour, its number and its size."""

    def __init__(
        self, number: int, size: int, n_frames: int, face: Image | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._number, self._size = number, size
        self._face = None if face is None else picture(face)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{self.title}, {self.caption}")
        rest = "; its face is not kept" if face is None else " belong mostly to it"
        self.setToolTip(f"{self.title}: {size} of {n_frames} enrolled frames{rest}")

    @property
    def title(self) -> str:
        return f"Cluster {self._number + 1}"

    @property
    def caption(self) -> str:
        return "1 frame" if self._size == 1 else f"{self._size} frames"

    @property
    def has_face(self) -> bool:
        return self._face is not None

    def _side(self) -> int:
        """Side of the picture: wide enough for the words below it."""
        metrics = self.fontMetrics()
        words = max(metrics.horizontalAdvance(text) for text in (self.title, self.caption))
        return max(words + metrics.height(), round(metrics.height() * 5.2))

    def sizeHint(self) -> QSize:
        side = self._side()
        return QSize(side, side + 2 * self.fontMetrics().height() + 8)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        side, theme = self._side(), colours()
        place = QRectF(0, 0, side, side)
        colour = QColor(theme.series_colour(self._number))
        inner = place.adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        clip = QPainterPath()
        clip.addRoundedRect(inner, 4, 4)
        frame = QPainterPath()
        frame.addRoundedRect(place, 7, 7)
        painter.fillPath(frame.subtracted(clip), colour)
        painter.save()
        painter.setClipPath(clip)
        if self._face is None:
            painter.fillRect(inner, QColor(theme.raised))
            middle = inner.adjusted(side * 0.24, side * 0.24, -side * 0.24, -side * 0.24)
            paint_icon(painter, "person", middle, theme.faint)
        else:
            self._paint_face(painter, inner, self._face)
        painter.restore()
        height = self.fontMetrics().height()
        line = QRectF(0, side + 5, side, height)
        painter.setPen(QColor(theme.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignHCenter, self.title)
        painter.setPen(QColor(theme.muted))
        painter.drawText(line.translated(0, height), Qt.AlignmentFlag.AlignHCenter, self.caption)
        painter.end()

    @staticmethod
    def _paint_face(painter: QPainter, place: QRectF, face: QImage) -> None:
        """Fill the place with the middle of the picture, undistorted."""
        side = min(face.width(), face.height())
        left, top = (face.width() - side) / 2, (face.height() - side) / 2
        painter.drawImage(place, face, QRectF(left, top, side, side))


class ClustersStrip(QWidget):
    """All clusters of a model in as many lines as it takes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tiles: tuple[ClusterTile, ...] = ()
        self._tray = FlowRow(self, gap=16)
        self._remark = wrapped("", "muted", self)
        vbox(self, self._tray, self._remark)

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
        set_text(self._remark, remark)

    @property
    def remark(self) -> str:
        return self._remark.text()
