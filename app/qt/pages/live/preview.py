"""The live picture with the face, the regions and the source's caption."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt import theme
from app.qt.theme import icons
from app.types import Frame, ScoredFrame

STALE_SECONDS = 1.0
"""Older marks of a face are not drawn: the face has moved on."""

_MARGIN = 8.0
_CORNER = 6.0


class Preview(QWidget):
    """Show frames as they come, with the newest scored face drawn over them.

    A frame costs one scaled drawing of its own memory: nothing is copied or converted.
    """

    first_frame_shown = Signal()
    """The very first frame has been painted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.n_painted = 0
        """Different frames that have been painted so far."""
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
        """Show a frame; its array is kept until the next one comes."""
        image = frame.image
        is_rgb = image.ndim == 3 and image.shape[2] == 3 and image.dtype == "uint8"
        if not is_rgb or not image.flags.c_contiguous:
            return  # the verdict says what is wrong with it
        height, width = image.shape[:2]
        self._frame = frame
        self._picture = QImage(image.data, width, height, 3 * width, QImage.Format.Format_RGB888)
        self._is_new = True
        self.update()

    def take_over(self, other: "Preview") -> None:
        """Show what another preview shows, until the next frame comes."""
        if other._frame is not None:
            self.show_frame(other._frame)

    def show_scored(self, scored: ScoredFrame) -> None:
        """Draw the face of this frame, until a newer one is scored."""
        self._scored = scored

    def show_verdict(self, verdict: str) -> None:
        """Colour the face's frame by the `app.types.Verdict` over the window of frames."""
        self._verdict = verdict

    def show_message(self, text: str) -> None:
        """Show a text in the place of the picture while there is none."""
        self._message = text
        self.update()

    def set_show_regions(self, wanted: bool) -> None:
        self._show_regions = wanted
        self.update()

    def clear(self) -> None:
        """Forget the picture: another source follows."""
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
            self._paint_chip(painter, self._frame.caption, corner, is_above=False)
        painter.end()  # before the signal is emitted
        if self._is_new:
            self._is_new = False
            self.n_painted += 1
            if self.n_painted == 1:
                self.first_frame_shown.emit()

    def _target(self) -> QRectF:
        """Where the picture goes: as large as fits, with its own proportions."""
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
        outlines = {each.name: [at(x, y) for x, y in each.corners] for each in regions}
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for corners in outlines.values():
            for pen in (QPen(QColor(0, 0, 0, 90), 2.6), QPen(QColor(255, 255, 255, 190), 1.2)):
                painter.setPen(pen)
                painter.drawPolygon(QPolygonF(corners))
        if scored.box is not None:
            x, y, width, height = scored.box
            self._paint_box(painter, QRectF(at(x, y), at(x + width, y + height)))
        # Last, so that nothing is drawn over a name; small, because regions overlap.
        painter.save()
        small = QFont(self.font())
        small.setPointSizeF(max(small.pointSizeF() * 0.8, 6.0))
        painter.setFont(small)
        for name, corners in outlines.items():
            self._paint_chip(painter, name, corners[3], is_above=True)
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

    def _paint_chip(self, painter: QPainter, text: str, corner: QPointF, *, is_above: bool) -> None:
        """Write on a dark chip, readable on any picture, above or below its left corner."""
        metrics = painter.fontMetrics()
        room = int(self.width() - 2 * _MARGIN - corner.x())
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        chip = QRectF(corner.x(), corner.y(), 0, metrics.height())
        chip.setWidth(metrics.horizontalAdvance(text) + _MARGIN)
        if is_above:
            chip.moveBottom(corner.y())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 170))
        painter.drawRoundedRect(chip, 3, 3)
        painter.setPen(QColor(255, 255, 255))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)
