"""The ring that fills while a take is recorded."""

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHideEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.theme import colours

_FULL = 360 * 16
"""Qt counts angles in sixteenths of a degree."""

_LINES = 7.5
"""Diameter in lines of text."""


class ProgressRing(QWidget):
    """A ring with a count in its middle.

    Parameters
    ----------
    parent : QWidget, optional
        Its owner.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count, self._caption = "0", ""
        self._share = self._drawn_share = 0.0
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(250)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(self._on_moved)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Progress of the take"))
        self._describe()

    @property
    def share(self) -> float:
        """How full the ring is, or will be in a moment: 0 to 1."""
        return self._share

    @property
    def count(self) -> str:
        """The text in the middle."""
        return self._count

    def show_progress(self, n_collected: int, n_wanted: int) -> None:
        """Show how many of the wanted frames are there."""
        share = min(max(n_collected / n_wanted, 0.0), 1.0) if n_wanted > 0 else 0.0
        self._show(share, f"{n_collected} / {n_wanted}", self.tr("frames"))

    def show_total(self, n_frames: int) -> None:
        """Show an empty ring and the number of frames there are; for when nothing is recorded."""
        self._show(0.0, str(n_frames), self.tr("frame") if n_frames == 1 else self.tr("frames"))

    def sizeHint(self) -> QSize:
        """Return a square that follows the size of the text."""
        side = round(self.fontMetrics().height() * _LINES)
        return QSize(side, side)

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Stop moving."""
        self._motion.stop()
        self._drawn_share = self._share
        super().hideEvent(event)

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        """Draw the ring and the count."""
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
            pen.setColor(QColor(theme.accent))
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawArc(ring, _FULL // 4, -round(self._drawn_share * _FULL))
        self._paint_words(painter, ring.adjusted(width, width, -width, -width))
        painter.end()

    def _paint_words(self, painter: QPainter, inside: QRectF) -> None:
        theme = colours()
        count, caption = QFont(self.font()), self.font()
        count.setBold(True)
        count.setPointSizeF(count.pointSizeF() * 1.5)
        room = inside.width() * 0.94
        wide = QFontMetricsF(count).horizontalAdvance(self._count)
        if wide > room:
            count.setPointSizeF(count.pointSizeF() * room / wide)
        heights = (QFontMetricsF(count).height(), QFontMetricsF(caption).height())
        top = inside.center().y() - sum(heights) / 2
        centred = Qt.AlignmentFlag.AlignCenter
        for font, colour, text, height in (
            (count, theme.text, self._count, heights[0]),
            (caption, theme.muted, self._caption, heights[1]),
        ):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(inside.x(), top, inside.width(), height), centred, text)
            top += height

    def _show(self, share: float, count: str, caption: str) -> None:
        if (share, count, caption) == (self._share, self._count, self._caption):
            return
        self._count, self._caption = count, caption
        if share != self._share:
            self._share = share
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
        self.setAccessibleDescription(f"{self._count} {self._caption}".strip())

    @Slot(object)
    def _on_moved(self, share: float) -> None:
        self._drawn_share = share
        self.update()
