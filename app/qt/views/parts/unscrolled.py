"""Charts whole inside a page that scrolls, so that there is one scroll bar and not two."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QScrollArea, QWidget


class Unscrolled(QObject):
    """Keeps the scroll areas inside a widget as tall as what they hold.

    Parameters
    ----------
    widget : QWidget
        Whose scroll areas are meant; it owns this object.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._areas = widget.findChildren(QScrollArea)
        for area in self._areas:
            area.viewport().installEventFilter(self)
            if (content := area.widget()) is not None:
                # Scroll areas fill what they hold with the window's colour; cards have their own.
                content.setAutoFillBackground(False)
            self._fit(area)

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        """Look again whenever the content may need another height."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show, QEvent.Type.Resize):
            for area in self._areas:
                if area.viewport() is watched:
                    self._fit(area)
        return False

    @staticmethod
    def _fit(area: QScrollArea) -> None:
        content = area.widget()
        if content is None:
            return
        needed = content.minimumHeight() + area.height() - area.viewport().height()
        if area.minimumHeight() != needed:
            area.setMinimumHeight(needed)
