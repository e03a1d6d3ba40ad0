"""How much a frame belongs to each cluster: one bar, divided."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.views.charts.colours import LIGHT, ChartColours
from app.qt.views.charts.wording import percent

_LIGHT_GROUND = 0.179
"""On grounds of more luminance than this, black stands out more than white (WCAG)."""


class MembershipsBar(QWidget):
    """A bar whose parts are the clusters, with their numbers and shares where they fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: tuple[float, ...] = ()
        self._colours = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Belongs to clusters"))

    def show_memberships(self, memberships: tuple[float, ...]) -> None:
        """Show shares that sum to 1; costs nothing when they are shown already."""
        if memberships == self._shares:
            return
        self._shares = memberships
        words = self.words
        self.setAccessibleDescription(words)
        self.setToolTip(words)
        self.update()

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours."""
        self._colours = colours
        self.update()

    @property
    def words(self) -> str:
        """The same as a sentence."""
        parts = [
            self.tr("{share} to cluster {number}").format(
                share=percent(share, 0), number=number + 1
            )
            for number, share in enumerate(self._shares)
        ]
        return self.tr("Belongs {parts}").format(parts=", ".join(parts)) if parts else ""

    def sizeHint(self) -> QSize:
        """Return a bar as high as a line with some air."""
        height = self.fontMetrics().height() + 8
        return QSize(height * 8, height)

    def minimumSizeHint(self) -> QSize:
        """Return the least width at which parts can be told apart."""
        return QSize(self.fontMetrics().height() * 4, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent, /) -> None:
        """Paint the parts from left to right."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), 5, 5)
        painter.setClipPath(clip)
        painter.fillRect(self.rect(), QColor(self._colours.grid))
        total = sum(share for share in self._shares if share > 0)
        left = 0.0
        for number, share in enumerate(self._shares):
            if not share > 0:
                continue
            width = self.width() * share / total
            self._paint_part(painter, QRectF(left, 0, width, self.height()), number, share)
            left += width
        painter.end()

    def _paint_part(self, painter: QPainter, place: QRectF, number: int, share: float) -> None:
        ground = QColor(self._colours.cluster(number))
        seam = 1.5 if place.left() > 0 else 0.0
        painter.fillRect(place, QColor(self._colours.background))
        painter.fillRect(place.adjusted(seam, 0, 0, 0), ground)
        painter.setPen(QColor("black" if _luminance(ground) > _LIGHT_GROUND else "white"))
        texts = (
            self.tr("Cluster {number}: {share}"),
            self.tr("{number}: {share}"),
            self.tr("{number}"),
        )
        for text in texts:
            shown = text.format(number=number + 1, share=percent(share, 0))
            if self.fontMetrics().horizontalAdvance(shown) + 10 <= place.width():
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
                return


def _luminance(colour: QColor) -> float:
    """Relative luminance as WCAG defines it, 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
