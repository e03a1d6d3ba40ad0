"""The left half of the window: notices, the picture, the verdict, the score over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from app.qt import theme
from app.qt.views.live.notices import Notices
from app.qt.views.live.preview import Preview
from app.qt.views.live.source_bar import SourceBar
from app.qt.views.live.verdict_banner import VerdictBanner

if TYPE_CHECKING:
    from app.types import Decision, ScoredFrame

TIMELINE_HEIGHT = 150


class _Stage(QFrame):
    """The picture, with notices laid over its foot: it keeps its size when one comes or goes."""

    def __init__(self, preview: Preview, notices: Notices) -> None:
        super().__init__()
        theme.set_class(self, "stage")
        framed = QVBoxLayout(self)
        framed.setContentsMargins(0, 0, 0, 0)
        framed.addWidget(preview)
        self._notices = notices
        notices.setParent(self)
        notices.changed.connect(self._place)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        """Keep the notices at the foot."""
        super().resizeEvent(event)
        self._place()

    @Slot()
    def _place(self) -> None:
        width = self.width() - 2 * theme.GRID
        height = self._notices.heightForWidth(width)
        self._notices.setGeometry(theme.GRID, self.height() - height - theme.GRID, width, height)
        self._notices.raise_()


class LivePanel(QWidget):
    """What is always in sight, whichever page is open beside it.

    The timeline comes later (`add_timeline`): its library takes longer to load than the first
    frame may take.
    """

    timeline_added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source_bar = SourceBar()
        self.notices = Notices()
        self.preview = Preview()
        self.banner = VerdictBanner()
        stage = _Stage(self.preview, self.notices)
        above = QWidget()
        top = QVBoxLayout(above)
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(8)
        top.addWidget(self.source_bar)
        top.addWidget(stage, 1)
        top.addWidget(self.banner)
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(above)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 6, 8)
        column.addWidget(self._parts)

    def add_timeline(self, timeline: QWidget) -> None:
        """Put the chart of the score under the verdict."""
        timeline.setMinimumHeight(110)
        self._parts.addWidget(timeline)
        self._parts.setStretchFactor(0, 4)
        self._parts.setStretchFactor(1, 1)
        height = self._parts.height()
        self._parts.setSizes([height - TIMELINE_HEIGHT, TIMELINE_HEIGHT])
        self.timeline_added.emit()

    @Slot(object)
    def show_scored(self, scored: ScoredFrame) -> None:
        """Mark the face."""
        self.preview.show_scored(scored)

    @Slot(object)
    def show_decision(self, decision: Decision) -> None:
        """Tell the verdict, in the banner and on the picture."""
        self.preview.show_verdict(decision.verdict)
        self.banner.show_decision(decision)
