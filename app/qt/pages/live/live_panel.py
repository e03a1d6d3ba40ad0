"""The left half of the window: source, picture, notices, verdict, score over time."""

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QSplitter, QToolButton, QWidget

from app.models.summary import ModelSummary
from app.qt import theme
from app.qt.charts.timeline import ScoreTimeline
from app.qt.controllers.app_controller import AppController
from app.qt.pages.live.bars import SourceBar
from app.qt.pages.live.preview import Preview
from app.qt.pages.live.verdict_banner import VerdictBanner
from app.qt.state import Notice, SourceState
from app.qt.theme import icons
from app.qt.widgets.layout import button, grid, hbox, vbox
from app.qt.widgets.texts import Mark, wrapped
from app.settings import Settings
from app.types import Decision, ScoredFrame

MAX_NOTICES = 3
"""Maximum number of notices; a new one removes the oldest."""

READING_SECONDS = 12
"""Time after which an informational notice without buttons disappears."""

_LEVELS = {
    "info": ("banner-info", "info", "accent"),
    "warning": ("banner-caution", "warning", "caution"),
    "error": ("banner-bad", "warning", "bad"),
}
"""Style sheet class, icon and its colour."""


class _NoticeBanner(QFrame):
    """A notice that can be dismissed."""

    def __init__(self, notice: Notice, parent: "Notices") -> None:
        super().__init__(parent)
        self.notice = notice
        kind, shape, role = _LEVELS[notice.level]
        theme.set_class(self, kind)
        text, close = wrapped(notice.text), QToolButton()
        close.setIcon(icons.icon("cross", "muted"))
        close.setAutoRaise(True)
        close.setToolTip("Dismiss")
        close.setAccessibleName(f"Dismiss: {notice.text}")
        close.clicked.connect(partial(parent.remove, self))
        head = hbox(None, Mark(shape, role, scale=1.15), (text, 1), close)
        column = vbox(self, head, margins=(10, 6, 6, 6))
        if notice.actions:
            first = "primary" if len(notice.actions) > 1 else "quiet"
            row = hbox(None, 1, margins=(0, 0, 4, 4))
            # In reverse, so that the first action is rightmost as in dialogs.
            for number, choice in reversed(list(enumerate(notice.actions))):
                answer = partial(parent.answer, self, choice.key)
                row.addWidget(button(choice.text, slot=answer, kind="" if number else first))
            column.addLayout(row)
        self.setAccessibleName(notice.text)


class Notices(QWidget):
    """A stack of notices; hidden when empty."""

    chosen = Signal(str, str)
    """Topic of a notice with buttons, and the key of the chosen button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._banners: list[_NoticeBanner] = []
        self._timer = QTimer(self, singleShot=True, interval=1000 * READING_SECONDS)
        self._timer.timeout.connect(self._remove_informational)
        self._column = vbox(self, margins=theme.GRID, spacing=4)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(banner.notice.text for banner in self._banners)

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """Show a notice; it replaces an earlier one with the same topic."""
        for banner in list(self._banners):
            same_topic = notice.topic and banner.notice.topic == notice.topic
            if same_topic or banner.notice.text == notice.text:
                if banner.notice == notice:
                    return
                self.remove(banner)
        if not notice.text:
            return
        while len(self._banners) >= MAX_NOTICES:
            # Keep questions for as long as there are other notices to remove.
            plain = [banner for banner in self._banners if not banner.notice.actions]
            self.remove((plain or self._banners)[0])
        banner = _NoticeBanner(notice, self)
        self._banners.append(banner)
        self._column.addWidget(banner)
        banner.show()
        self.show()
        if notice.level == "info":
            self._timer.start()

    def hideEvent(self, event: QHideEvent, /) -> None:
        self._timer.stop()
        super().hideEvent(event)

    @Slot()
    def _remove_informational(self) -> None:
        for banner in list(self._banners):
            if banner.notice.level == "info" and not banner.notice.actions:
                self.remove(banner)

    def answer(self, banner: _NoticeBanner, key: str) -> None:
        self.remove(banner)
        self.chosen.emit(banner.notice.topic, key)

    def remove(self, banner: _NoticeBanner) -> None:
        self._banners.remove(banner)
        self._column.removeWidget(banner)
        banner.hide()
        banner.deleteLater()
        self.setVisible(bool(self._banners))


TIMELINE_HEIGHT = 150


class LivePanel(QWidget):
    """The left half of the window, beside every page."""

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._source = ""
        self.source_bar = SourceBar()
        self.notices = Notices()
        self.preview = Preview()
        self.preview.set_show_regions(controller.settings.show_regions)
        self.banner = VerdictBanner()
        self.timeline = ScoreTimeline()
        self.timeline.setMinimumHeight(110)
        stage = QFrame()
        theme.set_class(stage, "stage")
        # Notices overlay the bottom of the picture, which keeps its size.
        overlay = grid(stage, 0, 0)
        overlay.addWidget(self.preview, 0, 0)
        overlay.addWidget(self.notices, 0, 0, Qt.AlignmentFlag.AlignBottom)
        above = QWidget()
        vbox(above, self.source_bar, (stage, 1), self.banner)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setChildrenCollapsible(False)
        for number, (part, stretch) in enumerate(((above, 4), (self.timeline, 1))):
            parts.addWidget(part)
            parts.setStretchFactor(number, stretch)
        parts.setSizes([4 * TIMELINE_HEIGHT, TIMELINE_HEIGHT])
        vbox(self, parts, margins=(12, 12, 6, 8))
        self._connect()
        self._on_frame()  # take a waiting frame; only then is the next one signalled

    def _connect(self) -> None:
        controller, source, bar = self._controller, self._controller.source, self.source_bar
        source.capture.frame_ready.connect(self._on_frame)
        source.capture.cameras_listed.connect(bar.show_cameras)
        source.source_changed.connect(self._on_source)
        source.message_changed.connect(self.preview.show_message)
        source.stream_begins.connect(self.preview.clear)
        bar.source_requested.connect(source.open)
        bar.presentation_requested.connect(source.present)
        bar.cameras_requested.connect(source.cameras_requested)
        controller.notice.connect(self.notices.show_notice)
        controller.scored.connect(self.show_scored)
        controller.decision_changed.connect(self.show_decision)
        controller.model_changed.connect(self._on_model)
        controller.enrolment_changed.connect(self.banner.show_enrolment)
        controller.enrolment_changed.connect(self._on_occupied)
        controller.guided_test_changed.connect(self._on_occupied)
        controller.model.fitting_changed.connect(self.banner.set_fitting)
        controller.settings_changed.connect(self._on_settings)
        self.banner.take_requested.connect(controller.enrol.start_quick)
        self.banner.stop_button.clicked.connect(controller.enrol.stop)
        self.banner.fit_button.clicked.connect(controller.model.fit)
        self.notices.chosen.connect(controller.recovery.choose)
        self.notices.chosen.connect(controller.networks.choose)

    @Slot(object)
    def show_scored(self, scored: ScoredFrame) -> None:
        self.preview.show_scored(scored)
        self.timeline.append(scored)

    @Slot(object)
    def show_decision(self, decision: Decision) -> None:
        self.preview.show_verdict(decision.verdict)
        self.banner.show_decision(decision)

    @Slot()
    def _on_frame(self) -> None:
        frame = self._controller.source.capture.to_show.take()
        if frame is not None:
            self.preview.show_frame(frame)

    @Slot(object)
    def _on_source(self, source: SourceState) -> None:
        self.source_bar.show_source(source)
        if source.text != self._source:
            self.timeline.clear()
        self._source = source.text

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        self.timeline.set_threshold(None if model is None else model.calibration.threshold)

    @Slot()
    def _on_occupied(self) -> None:
        self.source_bar.set_directed(bool(self._controller.session.occupied_by))

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        self.preview.set_show_regions(settings.show_regions)
