"""Large buttons to choose one of several things by its picture and its name."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.qt.icons import paint_icon
from app.qt.theme import colours

_ICON = 24
_PAD = 8
_GAP = 6
_MARK = 14
_CORNER = 6.0


class ChoiceButton(QAbstractButton):
    """A button that stays down while it is chosen, with a tick beside the colour.

    Parameters
    ----------
    text : str
        Its name; cut off with an ellipsis where there is no room.
    icon_name : str
        One of `app.qt.icons`.
    is_wide : bool
        Whether the picture stands before the name, not above it.
    is_own : bool
        Whether a person typed the name, which may be long: it then asks for little room.
    parent : QWidget, optional
        Where it lies.
    """

    def __init__(
        self,
        text: str,
        icon_name: str,
        *,
        is_wide: bool = False,
        is_own: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._is_wide = is_wide
        self._is_own = is_own
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the room for picture and name."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self.text()) + 1
        if self._is_own:
            width = min(width, metrics.averageCharWidth() * 10)
        if self._is_wide:
            height = max(_ICON, metrics.height()) + 2 * _PAD
            return QSize(width + _ICON + _GAP + 2 * _PAD + _MARK, height)
        return QSize(max(width, _ICON) + 2 * _PAD, _ICON + _GAP + metrics.height() + 2 * _PAD)

    def minimumSizeHint(self) -> QSize:
        """Return the same: less would cut off the name."""
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Space and Enter to the page when they would choose what is chosen already."""
        chooses = event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if chooses and self.isChecked():
            event.ignore()
        elif chooses and event.key() != Qt.Key.Key_Space:
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground, edge, picture, name, and the tick of the chosen one."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_ground(painter)
        shown = colours(self)
        # What is chosen stays readable while it is presented and nothing else can be chosen.
        text = shown.text if self.isEnabled() or self.isChecked() else shown.faint
        inner = self.rect().adjusted(_PAD, _PAD, -_PAD, -_PAD)
        metrics = self.fontMetrics()
        if self._is_wide:
            width = min(inner.width(), self.sizeHint().width() - 2 * _PAD - _MARK)
            left = inner.x() + (inner.width() - width) // 2
            picture = QRectF(left, inner.center().y() - _ICON / 2 + 0.5, _ICON, _ICON)
            place = QRect(left + _ICON + _GAP, inner.y(), width - _ICON - _GAP, inner.height())
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        else:
            picture = QRectF(inner.x(), inner.y(), inner.width(), _ICON)
            top = inner.y() + _ICON + _GAP
            place = QRect(4, top, self.width() - 8, inner.bottom() + 1 - top)
            align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
        is_chosen = self.isChecked() and self.isEnabled()
        paint_icon(painter, self._icon_name, picture, shown.accent if is_chosen else text)
        painter.setPen(QColor(text))
        elided = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, align, elided)
        if self.isChecked():
            mark = QRectF(self.width() - _MARK - 5, 5, _MARK, _MARK)
            paint_icon(painter, "check", mark, shown.accent if is_chosen else text)
        painter.end()

    def _draw_ground(self, painter: QPainter) -> None:
        shown = colours(self)
        ground, edge, width = shown.panel, shown.outline, 1.0
        if self.isChecked():
            ground, edge, width = shown.accent_soft, shown.accent, 1.5
        elif self.isDown():
            ground = shown.border
        elif self.underMouse() and self.isEnabled():
            ground = shown.raised
        if not self.isEnabled():
            edge = shown.border if not self.isChecked() else shown.outline
        if self.hasFocus():
            edge, width = shown.text if self.isChecked() else shown.accent, 2.0
        painter.setPen(QPen(QColor(edge), width))
        painter.setBrush(QColor(ground))
        half = width / 2
        box = QRectF(self.rect()).adjusted(half, half, -half, -half)
        painter.drawRoundedRect(box, _CORNER, _CORNER)
