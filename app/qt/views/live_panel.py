"""The left half of the window: notices, the picture, the verdict, the score over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from app.qt import theme
from app.qt.views.notices import Notices
from app.qt.views.preview import Preview
from app.qt.views.source_bar import SourceBar
from app.qt.views.verdict_banner import VerdictBanner

if TYPE_CHECKING:
    from app.shown import Decision, Scored

TIMELINE_HEIGHT = 150


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
        stage = QFrame()
        theme.set_class(stage, "stage")
        framed = QVBoxLayout(stage)
        framed.setContentsMargins(0, 0, 0, 0)
        framed.addWidget(self.preview)
        above = QWidget()
        top = QVBoxLayout(above)
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(8)
        top.addWidget(self.source_bar)
        top.addWidget(self.notices)
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
    def show_scored(self, scored: Scored) -> None:
        """Mark the face."""
        self.preview.show_scored(scored)

    @Slot(object)
    def show_decision(self, decision: Decision) -> None:
        """Tell the verdict, in the banner and on the picture."""
        self.preview.show_verdict(decision.verdict)
        self.banner.show_decision(decision)
