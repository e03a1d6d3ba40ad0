"""The ring that fills while a take is recorded."""

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHideEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.theme import colours
from app.qt.theme.icons import paint_icon

_FULL = 360 * 16
"""Qt counts angles in sixteenths of a degree."""

_LINES = 7.5
"""Diameter in lines of text."""


class ProgressRing(QWidget):
    """A ring with a count in its middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count, self._caption = "0", ""
        self.is_complete = False
        self.share = self._drawn_share = 0.0
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(250)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(self._on_moved)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Progress of the take")
        self._describe()

    def show_progress(self, n_collected: int, n_wanted: int) -> None:
        share = min(max(n_collected / n_wanted, 0.0), 1.0) if n_wanted > 0 else 0.0
        self._show(share, f"{n_collected} / {n_wanted}", "frames")

    def show_total(self, n_frames: int) -> None:
        """Show an empty ring and the number of frames there are; for when nothing is recorded."""
        self._show(0.0, str(n_frames), "frame" if n_frames == 1 else "frames")

    def show_complete(self, n_frames: int) -> None:
        """Show a full ring with a tick and the number of frames below it."""
        text = "1 frame" if n_frames == 1 else "{n} frames"
        self._show(1.0, text.format(n=n_frames), "", is_complete=True)

    def sizeHint(self) -> QSize:
        side = round(self.fontMetrics().height() * _LINES)
        return QSize(side, side)

    def hideEvent(self, event: QHideEvent, /) -> None:
        self._motion.stop()
        self._drawn_share = self.share
        super().hideEvent(event)

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours()
        side = min(self.width(), self.height())
        width = side / 12
        ring = QRectF(0, 0, side, side).adjusted(width, width, -width, -width)
        ring.moveCenter(QRectF(self.rect()).center())
        pen = QPen(QColor(theme.raised), width)
        painter.setPen(pen)
        painter.drawEllipse(ring)
        if self._drawn_share > 0.0:
            pen.setColor(QColor(theme.good if self.is_complete else theme.accent))
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawArc(ring, _FULL // 4, -round(self._drawn_share * _FULL))
        inside = ring.adjusted(width, width, -width, -width)
        if self.is_complete:
            self._paint_tick(painter, inside)
        else:
            self._paint_words(painter, inside)
        painter.end()

    def _paint_tick(self, painter: QPainter, inside: QRectF) -> None:
        theme = colours()
        line = QFontMetricsF(self.font()).height()
        side = line * 2
        top = inside.center().y() - (side + line) / 2
        place = QRectF(inside.center().x() - side / 2, top, side, side)
        paint_icon(painter, "check", place, theme.good)
        painter.setPen(QColor(theme.text))
        below = QRectF(inside.x(), top + side, inside.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, self.count)

    def _paint_words(self, painter: QPainter, inside: QRectF) -> None:
        theme = colours()
        count, caption = QFont(self.font()), self.font()
        count.setBold(True)
        count.setPointSizeF(count.pointSizeF() * 1.5)
        room = inside.width() * 0.94
        wide = QFontMetricsF(count).horizontalAdvance(self.count)
        if wide > room:
            count.setPointSizeF(count.pointSizeF() * room / wide)
        heights = (QFontMetricsF(count).height(), QFontMetricsF(caption).height())
        top = inside.center().y() - sum(heights) / 2
        centred = Qt.AlignmentFlag.AlignCenter
        for font, colour, text, height in (
            (count, theme.text, self.count, heights[0]),
            (caption, theme.muted, self._caption, heights[1]),
        ):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(inside.x(), top, inside.width(), height), centred, text)
            top += height

    def _show(self, share: float, count: str, caption: str, *, is_complete: bool = False) -> None:
        shown = (self.share, self.count, self._caption, self.is_complete)
        if (share, count, caption, is_complete) == shown:
            return
        self.count, self._caption, self.is_complete = count, caption, is_complete
        if share != self.share:
            self.share = share
            self._motion.stop()
            if self.isVisible() and share > self._drawn_share:
                self._motion.setStartValue(self._drawn_share)
                self._motion.setEndValue(share)
                self._motion.start()
            else:
                self._drawn_share = share
        self._describe()
        self.update()

    def _describe(self) -> None:
        words = f"{self.count} {self._caption}".strip()
        if self.is_complete:
            words = f"Complete: {words}"
        self.setAccessibleDescription(words)

    @Slot(object)
    def _on_moved(self, share: float) -> None:
        self._drawn_share = share
        self.update()
