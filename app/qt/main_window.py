"""The window: the picture and its verdict on the left, pages on the right, menus above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget

from app.qt import icons, theme
from app.qt.desk import Desk
from app.qt.state import SourceState
from app.qt.views.live.live_panel import LivePanel
from app.qt.views.live.status_line import StatusLine
from app.qt.views.parts.book import ENROL, MODEL, PAUSE, TEST, WHY, Book

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent

    from app.models.summary import ModelSummary
    from app.qt.actions import Actions
    from app.qt.pages import Pages
    from app.types import ScoredFrame

MODEL_SUFFIXES = (".safetensors", ".lmkl")
"""Spelt out, because `app.models.files` takes its time to load; a test compares them."""
AHEAD = 400
"""Milliseconds between pages that are made before anybody opens them."""
FIGURES_EVERY = 500
"""Milliseconds between changes of the figures at the foot."""


class MainWindow(QMainWindow):
    """Shows what the desk says.

    Parameters
    ----------
    desk : Desk
        It is stopped when the window closes.
    """

    closed = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        theme.notifier().mark(self)
        self.desk = desk
        self.pages: Pages | None = None
        self.menus: Actions | None = None
        self.timeline: QWidget | None = None
        self._source = SourceState()
        self.live, self.book, self.status = LivePanel(), Book(), StatusLine()
        self._halves = QSplitter(Qt.Orientation.Horizontal)
        self._halves.setChildrenCollapsible(False)
        self._halves.addWidget(self.live)
        self._halves.addWidget(self.book)
        self._halves.setStretchFactor(0, 1)
        self._halves.setStretchFactor(1, 1)
        self.live.setMinimumWidth(440)
        self.book.setMinimumWidth(480)
        self._halves.setSizes([680, 600])
        self.setCentralWidget(self._halves)
        self.setStatusBar(self.status)
        self.setMinimumSize(1000, 640)
        self.resize(1280, 720)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._add_tabs()
        self._timer = QTimer(self, interval=FIGURES_EVERY)
        self._timer.timeout.connect(self._show_figures)
        self._wire()
        self._title()
        self._restore()
        self._on_frame()  # told before this was connected, and not again until it is taken

    # ------------------------------------------------------------- making

    def _add_tabs(self) -> None:
        for key, title, icon, tip in (
            (ENROL, self.tr("Enrol"), "enrol", self.tr("Record genuine takes (Ctrl+1)")),
            (MODEL, self.tr("Model"), "model", self.tr("The fitted model (Ctrl+2)")),
            (WHY, self.tr("Why"), "why", self.tr("Why this score (Ctrl+3)")),
            (TEST, self.tr("Test"), "test", self.tr("Guided test and report (Ctrl+4)")),
        ):
            self.book.add(key, title, icons.icon(icon), tip)

    def _wire(self) -> None:
        desk, live = self.desk, self.live
        desk.capture.frame_ready.connect(self._on_frame)
        desk.capture.cameras_listed.connect(live.source_bar.show_cameras)
        desk.source.source_changed.connect(live.source_bar.show_source)
        desk.source.source_changed.connect(self._on_source)
        desk.source.message_changed.connect(live.preview.show_message)
        desk.source.stream_begins.connect(live.preview.clear)
        desk.notice.connect(live.notices.show_notice)
        desk.working.connect(self.status.show_working)
        desk.ready.connect(self._on_ready)
        desk.settings_changed.connect(self._on_settings)
        live.source_bar.source_requested.connect(desk.source.open)
        live.source_bar.presentation_requested.connect(desk.source.present)
        live.source_bar.cameras_requested.connect(desk.source.cameras_requested)
        live.preview.first_frame_shown.connect(desk.warm_up)
        live.preview.set_show_regions(desk.settings.show_regions)
        self.status.cancel_requested.connect(desk.cancel)

    @Slot()
    def _on_ready(self) -> None:
        """Make what needs the session."""
        from app.qt.actions import Actions
        from app.qt.pages import Pages

        desk, signals = self.desk, self.desk.signals
        assert signals is not None
        assert desk.enrol is not None
        assert desk.model is not None
        assert desk.recovery is not None
        assert desk.networks is not None
        signals.scored.connect(self.live.show_scored)
        signals.scored.connect(self._on_scored)
        signals.decision.connect(self.live.show_decision)
        signals.model.connect(self._on_model)
        signals.enrolment.connect(self._on_occupied)
        signals.trial.connect(self._on_occupied)
        signals.enrolment.connect(self.live.banner.show_enrolment)
        desk.model.fitting_changed.connect(self.live.banner.set_fitting)
        self.live.banner.take_requested.connect(desk.enrol.start_quick)
        self.live.banner.stop_requested.connect(desk.enrol.stop)
        self.live.banner.fit_requested.connect(desk.model.fit)
        self.pages = Pages(desk, self.book)
        self.menus = Actions(self)
        self.live.banner.enrol_requested.connect(self.pages.turn_to_enrol)
        desk.model.fitted.connect(self._on_fitted)
        desk.recovery.brought_back.connect(self.pages.turn_to_enrol)
        self.live.notices.chosen.connect(desk.recovery.choose)
        self.live.notices.chosen.connect(desk.networks.choose)
        desk.networks.card_requested.connect(self.pages.turn_to_networks)
        self.setFocus()  # nothing is chosen yet: the first Tab goes to the first widget
        self._timer.start()
        # One thing at a time, so that the window answers in between.
        QTimer.singleShot(0, self, self._add_timeline)
        desk.source.cameras_requested.emit()

    @Slot()
    def _on_fitted(self) -> None:
        """Open the model's page, once events were handled: filling it took its time."""
        assert self.pages is not None
        QTimer.singleShot(PAUSE, self.pages, self.pages.turn_to_model)

    @Slot()
    def _add_timeline(self) -> None:
        from app.qt.views.charts.colours import chart_colours
        from app.qt.views.charts.score_timeline import ScoreTimeline

        timeline = self.timeline = ScoreTimeline()
        timeline.set_colours(chart_colours(theme.colours()))
        theme.notifier().changed.connect(self._on_colours)
        self.live.add_timeline(timeline)
        session = self.desk.session
        if session is not None and session.model_shown is not None:
            timeline.set_threshold(session.model_shown.threshold.value)
        QTimer.singleShot(AHEAD, self, self._make_ahead)

    @Slot()
    def _make_ahead(self) -> None:
        """Make the next page that nobody has opened yet: a click on its tab then finds it made."""
        for key in (MODEL, WHY, TEST):
            if self.isVisible() and self.book.page(key) is None:
                self.book.make(key)
                QTimer.singleShot(AHEAD, self, self._make_ahead)
                return

    # ------------------------------------------------------------- values

    @Slot()
    def _on_frame(self) -> None:
        frame = self.desk.capture.to_show.take()
        if frame is not None:
            self.live.preview.show_frame(frame)

    @Slot(object)
    def _on_occupied(self, _shown: object) -> None:
        session = self.desk.session
        self.live.source_bar.set_directed(session is not None and bool(session.occupied_by))

    @Slot(object)
    def _on_scored(self, scored: ScoredFrame) -> None:
        if self.timeline is not None:
            self.timeline.append(scored)  # type: ignore[attr-defined]

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        if self.timeline is not None:
            self.timeline.set_threshold(  # type: ignore[attr-defined]
                None if model is None else model.threshold.value
            )
        self._title()

    @Slot(object)
    def _on_source(self, source: SourceState) -> None:
        if source.text != self._source.text and self.timeline is not None:
            self.timeline.clear()  # type: ignore[attr-defined]
        self._source = source
        self._show_figures()

    @Slot(object)
    def _on_settings(self, _settings: object) -> None:
        settings = self.desk.settings
        theme.notifier().choose(settings.theme)
        self.live.preview.set_show_regions(settings.show_regions)

    @Slot(object)
    def _on_colours(self, colours: object) -> None:
        from app.qt.views.charts.colours import chart_colours

        if self.timeline is not None:
            self.timeline.set_colours(chart_colours(colours))  # type: ignore[attr-defined, arg-type]

    @Slot()
    def _show_figures(self) -> None:
        self.status.show_throughput(self._source.name, self.desk.throughput())

    def _title(self) -> None:
        session = self.desk.session
        shown = None if session is None else session.model_shown
        if shown is None:
            self.setWindowTitle(self.tr("lmkl-pad"))
        elif shown.path:
            name = shown.path.replace("\\", "/").rpartition("/")[2]
            self.setWindowTitle(self.tr("{name} – lmkl-pad").format(name=name))
        else:
            self.setWindowTitle(self.tr("Model not exported yet – lmkl-pad"))

    # ------------------------------------------------------------- dropping

    def dragEnterEvent(self, event: QDragEnterEvent, /) -> None:
        """Take one file or folder."""
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent, /) -> None:
        """Open what was dropped: a model by its ending, anything else as a source."""
        self.open_path(event.mimeData().urls()[0].toLocalFile())
        event.acceptProposedAction()

    def open_path(self, path: str) -> None:
        """Open a model or a recording."""
        if path.lower().endswith(MODEL_SUFFIXES):
            # Before the menus are there, there is no model that could be lost.
            opener = self.desk if self.menus is None else self.menus.models
            opener.open_model(path)
        else:
            self.desk.source.open(path)

    # ------------------------------------------------------------- closing

    def closeEvent(self, event: QCloseEvent, /) -> None:
        """Ask about a model that no file holds, then end everything."""
        if not self._may_close():
            event.ignore()
            return
        self._keep_place()
        self._timer.stop()
        self.hide()
        self.desk.forget_takes()
        self.desk.stop()
        event.accept()
        self.closed.emit()

    def _may_close(self) -> bool:
        session = self.desk.session
        if session is None:
            return True
        if not session.has_unsaved_model:
            return not session.has_precious_takes or self._may_lose_takes()
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Export the model?"))
        box.setText(self.tr("The model is in memory only. Export it before closing?"))
        export = box.addButton(self.tr("Export…"), QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton(self.tr("Close without it"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(export)
        box.exec()
        if box.clickedButton() is export:
            # The window closes by itself once the file is written and read back.
            assert self.menus is not None  # there is a model, so everything is ready
            self.menus.models.close_after_export = True
            self.menus.models.export()
            return False
        return box.clickedButton() is discard

    def _may_lose_takes(self) -> bool:
        from PySide6.QtWidgets import QMessageBox

        answer = QMessageBox.question(
            self,
            self.tr("Close without the takes?"),
            self.tr("Takes that no model holds yet will be lost. Close all the same?"),
            QMessageBox.StandardButton.Close | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Cancel,
        )
        return answer == QMessageBox.StandardButton.Close

    def _keep_place(self) -> None:
        if self.desk.is_forgotten:
            return  # everything was deleted: nothing is written behind the person's back
        self.desk.change_settings(
            window=bytes(self.saveGeometry().toHex().data()).decode(),
            splitter=bytes(self._halves.saveState().toHex().data()).decode(),
        )

    def _restore(self) -> None:
        from PySide6.QtCore import QByteArray

        settings = self.desk.settings
        if settings.window:
            self.restoreGeometry(QByteArray.fromHex(settings.window.encode()))
        if settings.splitter:
            self._halves.restoreState(QByteArray.fromHex(settings.splitter.encode()))
