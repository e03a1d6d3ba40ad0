"""The clusters side by side: each one's most typical face, its colour, its number and its size."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.models.summary import ModelSummary
from app.qt.icons import paint_icon
from app.qt.theme import colours as theme_colours
from app.qt.views.charts.colours import LIGHT, ChartColours
from app.qt.views.charts.flow import FlowLayout
from app.qt.views.parts.texts import set_text, wrapped
from app.types import Image

_EDGE = 3


def picture(image: Image) -> QImage:
    """Return a picture for Qt that owns its pixels."""
    height, width = image.shape[:2]
    stride = image.strides[0]
    rows = image if stride == 3 * width and image.flags.c_contiguous else image.copy()
    return QImage(rows.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


class ClusterTile(QWidget):
    """One cluster.

    Parameters
    ----------
    number : int
        Counted from 0; people see it counted from 1.
    parent : QWidget, optional
        Owner.
    """

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = number
        self._size = 0
        self._n_frames = 0
        self._face: QImage | None = None
        self._colours = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_cluster(self, size: int, n_frames: int, face: Image | None) -> None:
        """Show a cluster's size out of all frames, and its face where there is one."""
        self._size, self._n_frames = size, n_frames
        self._face = None if face is None else picture(face)
        self.setAccessibleName(f"{self.title}, {self.caption}")
        self.setToolTip(
            self.tr("{title}: {size} of {n} enrolled frames belong mostly to it").format(
                title=self.title, size=size, n=n_frames
            )
            if face is not None
            else self.tr("{title}: {size} of {n} enrolled frames; its face is not kept").format(
                title=self.title, size=size, n=n_frames
            )
        )
        self.updateGeometry()
        self.update()

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours."""
        self._colours = colours
        self.update()

    @property
    def title(self) -> str:
        """What it is called."""
        return self.tr("Cluster {number}").format(number=self._number + 1)

    @property
    def caption(self) -> str:
        """How large it is."""
        if self._size == 1:
            return self.tr("1 frame")
        return self.tr("{n} frames").format(n=self._size)

    @property
    def has_face(self) -> bool:
        """Whether a picture is shown."""
        return self._face is not None

    def _side(self) -> int:
        """Side of the picture: wide enough for the words below it."""
        metrics = self.fontMetrics()
        words = max(metrics.horizontalAdvance(text) for text in (self.title, self.caption))
        return max(words + metrics.height(), round(metrics.height() * 5.2))

    def sizeHint(self) -> QSize:
        """Return the room of the picture and two lines."""
        side = self._side()
        return QSize(side, side + 2 * self.fontMetrics().height() + 8)

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        """Paint the picture in a frame of the cluster's colour, and the words below it."""
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        side, theme = self._side(), theme_colours(self)
        place = QRectF(0, 0, side, side)
        colour = QColor(self._colours.cluster(self._number))
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
        self._colours = LIGHT
        self._tiles: list[ClusterTile] = []
        self._shown: tuple[tuple[int, ...], tuple[int, ...]] | None = None
        self._tray = QWidget(self)
        self._flow = FlowLayout(self._tray, gap=16)
        self._remark = wrapped("", "muted", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._tray)
        column.addWidget(self._remark)

    def show_model(self, model: ModelSummary | None) -> None:
        """Show a model's clusters; costs nothing when they are shown already."""
        if model is None:
            self._set_number(0)
            self._shown = None
            set_text(self._remark, "")
            return
        shown = (model.cluster_sizes, tuple(id(face) for face in model.typical_faces))
        if shown == self._shown:
            return
        self._shown = shown
        # Kept, so that no other picture can take the place that `id` names.
        self._faces = model.typical_faces
        self._set_number(len(model.cluster_sizes))
        for number, tile in enumerate(self._tiles):
            face = model.typical_faces[number] if number < len(model.typical_faces) else None
            tile.show_cluster(model.cluster_sizes[number], model.n_samples, face)
        set_text(self._remark, self._words())

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours."""
        self._colours = colours
        for tile in self._tiles:
            tile.set_colours(colours)

    @property
    def tiles(self) -> tuple[ClusterTile, ...]:
        """One for each cluster."""
        return tuple(self._tiles)

    @property
    def remark(self) -> str:
        """What is said of faces that are missing."""
        return self._remark.text()

    def _words(self) -> str:
        n_faces = sum(tile.has_face for tile in self._tiles)
        if n_faces == len(self._tiles):
            return ""
        if n_faces:
            return self.tr("Some faces are missing: pictures are not kept in model files.")
        return self.tr("No faces here: pictures are not kept in model files.")

    def _set_number(self, n: int) -> None:
        while len(self._tiles) > n:
            tile = self._tiles.pop()
            self._flow.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        while len(self._tiles) < n:
            tile = ClusterTile(len(self._tiles), self._tray)
            tile.set_colours(self._colours)
            self._tiles.append(tile)
            self._flow.addWidget(tile)
            tile.show()
