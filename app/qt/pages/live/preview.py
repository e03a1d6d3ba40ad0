"""The live picture with face box, regions and the caption of the source."""

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt import theme
from app.qt.theme import icons
from app.types import Frame, ScoredFrame

STALE_SECONDS = 1.0
"""Maximum age of a face box; older ones no longer match the picture."""

_MARGIN = 8.0
_CORNER = 6.0


class Preview(QWidget):
    """Shows frames as they arrive, with the latest scored face drawn over them.

    Frames are painted directly from their arrays, without copies or conversion.
    """

    first_frame_shown = Signal()
    """Emitted once, when the first frame has been painted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.n_painted = 0
        """Number of distinct frames painted so far."""
        self._frame: Frame | None = None
        self._picture = QImage()
        self._is_new = False
        self._scored: ScoredFrame | None = None
        self._verdict = "looking"
        self._show_regions = True
        self._message = "Starting…"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 240)
        self.setAccessibleName("Live picture")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def show_frame(self, frame: Frame) -> None:
        """Show a frame; its array is referenced until the next one arrives."""
        image = frame.image
        is_rgb = image.ndim == 3 and image.shape[2] == 3 and image.dtype == "uint8"
        if not is_rgb or not image.flags.c_contiguous:
            return  # the verdict explains what is wrong with it
        height, width = image.shape[:2]
        self._frame = frame
        self._picture = QImage(image.data, width, height, 3 * width, QImage.Format.Format_RGB888)
        self._is_new = True
        self.update()

    def take_over(self, other: "Preview") -> None:
        """Show the frame of another preview until the next one arrives."""
        if other._frame is not None:
            self.show_frame(other._frame)

    def show_scored(self, scored: ScoredFrame) -> None:
        """Draw the face of this frame until a newer one is scored."""
        self._scored = scored

    def show_verdict(self, verdict: str) -> None:
        """Colour the face box by the `app.types.Verdict` over the window of frames."""
        self._verdict = verdict

    def show_message(self, text: str) -> None:
        """Set the text to show while there is no picture."""
        self._message = text
        self.update()

    def set_show_regions(self, wanted: bool) -> None:
        self._show_regions = wanted
        self.update()

    def clear(self) -> None:
        """Clear the picture before another source is opened."""
        self._frame, self._scored = None, None
        self._picture = QImage()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(640, 480)

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        colours = theme.colours()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(colours.stage))
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        if self._picture.isNull():
            self._paint_message(painter)
            return
        target = self._target()
        painter.drawImage(target, self._picture)
        if self._scored is not None and self._is_fresh(self._scored):
            self._paint_face(painter, target, self._scored)
        if self._frame is not None and self._frame.caption:
            corner = target.topLeft() + QPointF(_MARGIN, _MARGIN)
            self._paint_chip(painter, self._frame.caption, corner, [])
        painter.end()  # before the signal is emitted
        if self._is_new:
            self._is_new = False
            self.n_painted += 1
            if self.n_painted == 1:
                self.first_frame_shown.emit()

    def _target(self) -> QRectF:
        """Return the area of the picture: as large as fits, with its aspect ratio."""
        size = self._picture.size()
        size.scale(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        return QRectF(left, top, size.width(), size.height())

    def _is_fresh(self, scored: ScoredFrame) -> bool:
        if self._frame is None:
            return False
        return abs(self._frame.time - scored.frame.time) <= STALE_SECONDS

    def _paint_message(self, painter: QPainter) -> None:
        painter.setPen(QColor(theme.colours().on_stage))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.rect().adjusted(24, 24, -24, -24), flags, self._message)

    def _paint_face(self, painter: QPainter, target: QRectF, scored: ScoredFrame) -> None:
        scale = target.width() / self._picture.width()

        def at(x: float, y: float) -> QPointF:
            return QPointF(target.left() + x * scale, target.top() + y * scale)

        regions = scored.regions if self._show_regions else ()
        outlines = {region.name: [at(x, y) for x, y in region.corners] for region in regions}
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for corners in outlines.values():
            for pen in (QPen(QColor(0, 0, 0, 90), 2.6), QPen(QColor(255, 255, 255, 190), 1.2)):
                painter.setPen(pen)
                painter.drawPolygon(QPolygonF(corners))
        if scored.box is not None:
            x, y, width, height = scored.box
            self._paint_box(painter, QRectF(at(x, y), at(x + width, y + height)))
        # Names come last to stay on top, in small type because regions overlap.
        chips: list[QRectF] = []
        painter.save()
        small = QFont(self.font())
        small.setPointSizeF(max(small.pointSizeF() * 0.8, 6.0))
        painter.setFont(small)
        for name, corners in outlines.items():
            corner = corners[3] - QPointF(0, painter.fontMetrics().height())
            self._paint_chip(painter, name, corner, chips)
        painter.restore()

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        shape, role = icons.VERDICTS[self._verdict]
        colour = QColor(getattr(theme.colours(), role))
        # A dark edge keeps the frame visible on any background.
        for pen in (QPen(QColor(0, 0, 0, 120), 5.0), QPen(colour, 3.0)):
            painter.setPen(pen)
            painter.drawRoundedRect(box, _CORNER, _CORNER)
        badge = QRectF(box.right() - 14, box.top() - 14, 28, 28)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.colours().panel))
        painter.drawEllipse(badge)
        icons.paint_icon(painter, shape, badge.adjusted(3, 3, -3, -3), colour)

    def _paint_chip(
        self, painter: QPainter, text: str, corner: QPointF, chips: list[QRectF]
    ) -> None:
        """Draw a text on a dark background, from this top left corner or above earlier chips."""
        metrics = painter.fontMetrics()
        room = int(self.width() - 2 * _MARGIN - corner.x())
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        size = QSizeF(metrics.horizontalAdvance(text) + _MARGIN, metrics.height())
        chip = QRectF(corner, size)
        for earlier in sorted(chips, key=QRectF.bottom, reverse=True):
            if chip.intersects(earlier):
                chip.moveBottom(earlier.top() - 1)
        chips.append(chip)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 170))
        painter.drawRoundedRect(chip, 3, 3)
        painter.setPen(QColor(255, 255, 255))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)
