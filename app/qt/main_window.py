"""The main window: picture and verdict on the left, pages on the right, menus above."""

from typing import NamedTuple

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QMessageBox, QSplitter, QTabWidget, QWidget

from app.models.files import PROTECTED_SUFFIX, SUFFIX
from app.qt import theme
from app.qt.controllers.app_controller import AppController
from app.qt.menus import Menus
from app.qt.model_dialogs import ModelDialogs, confirm
from app.qt.pages.enrol.enrol_page import EnrolPage
from app.qt.pages.guided_test.test_page import TestPage
from app.qt.pages.live.bars import StatusLine
from app.qt.pages.live.live_panel import LivePanel
from app.qt.pages.model.model_page import ModelPage
from app.qt.pages.why_page import WhyPage
from app.qt.theme import icons
from app.qt.widgets.inputs import CalmTabBar

STATUS_INTERVAL = 500
"""Milliseconds between updates of the status line."""
PAUSE_AFTER_FIT = 5
"""Milliseconds for pending events before the model's page opens."""


class Pages(NamedTuple):
    """The pages beside the picture, in the order of their tabs."""

    enrol: EnrolPage
    model: ModelPage
    why: WhyPage
    test: TestPage


class MainWindow(QMainWindow):
    """The whole window; closing it stops the controller."""

    closed = Signal()

    def __init__(self, controller: AppController) -> None:
        super().__init__()
        theme.notifier().mark(self)
        self.controller = controller
        self.live, self.status = LivePanel(controller), StatusLine()
        self.pages = Pages(
            EnrolPage(controller), ModelPage(controller), WhyPage(controller), TestPage(controller)
        )
        self.tabs = self._make_tabs()
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        for number, half in enumerate((self.live, self.tabs)):
            self._splitter.addWidget(half)
            self._splitter.setStretchFactor(number, 1)
        self.live.setMinimumWidth(440)
        self.tabs.setMinimumWidth(480)
        self._splitter.setSizes([680, 600])
        self.setCentralWidget(self._splitter)
        self.setStatusBar(self.status)
        self.setMinimumSize(1000, 640)
        self.resize(1280, 720)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.models = ModelDialogs(self)
        self.menus = Menus(self)
        self._timer = QTimer(self, interval=STATUS_INTERVAL)
        self._timer.timeout.connect(self._show_status)
        self._timer.start()
        self._connect()
        self._show_title()
        self._restore_layout()
        self.setFocus()  # so that the first Tab goes to the first widget

    def _make_tabs(self) -> QTabWidget:
        tabs = QTabWidget()
        tabs.setTabBar(CalmTabBar())
        tabs.tabBar().setAccessibleName("Pages")
        tabs.tabBar().setExpanding(False)
        texts = (
            ("Enrol", "enrol", "Record genuine takes (Ctrl+1)"),
            ("Model", "model", "The fitted model (Ctrl+2)"),
            ("Why", "why", "Why this score (Ctrl+3)"),
            ("Test", "test", "Guided test and report (Ctrl+4)"),
        )
        for page, (title, icon, tip) in zip(self.pages, texts, strict=True):
            tabs.setTabToolTip(tabs.addTab(page, icons.icon(icon), title), tip)
        return tabs

    def _connect(self) -> None:
        """Connect signals that open another page or a dialog."""
        controller, pages, models, menus = self.controller, self.pages, self.models, self.menus
        controller.working.connect(self.status.show_working)
        controller.settings_changed.connect(self._on_settings)
        controller.model_changed.connect(self._show_title)
        controller.source.source_changed.connect(self._show_status)
        controller.model.fitted.connect(self._on_fitted)
        controller.recovery.brought_back.connect(self.turn_to_enrol)
        controller.networks.card_requested.connect(self._turn_to_networks)
        self.status.cancel_requested.connect(controller.cancel)
        self.live.banner.enrol_button.clicked.connect(self.turn_to_enrol)
        pages.model.enrol_requested.connect(self.turn_to_enrol)
        pages.model.export_requested.connect(models.export)
        pages.model.open_requested.connect(models.open)
        pages.model.networks.choose.clicked.connect(menus.choose_networks)
        pages.why.enrol_requested.connect(self.turn_to_enrol)
        pages.test.report_save_requested.connect(menus.save_report)
        pages.test.report_open_requested.connect(menus.open_report)

    # ------------------------------------------------------------- pages

    def turn_to(self, page: QWidget) -> None:
        self.tabs.setCurrentWidget(page)

    @Slot()
    def turn_to_enrol(self) -> None:
        self.turn_to(self.pages.enrol)

    @Slot()
    def _turn_to_networks(self) -> None:
        self.turn_to(self.pages.model)
        self.pages.model.scroll_to_networks()

    @Slot()
    def _on_fitted(self) -> None:
        """Open the model's page, after the events that queued up while it was filled."""
        QTimer.singleShot(PAUSE_AFTER_FIT, self, lambda: self.turn_to(self.pages.model))

    # ------------------------------------------------------------- values

    @Slot()
    def _on_settings(self) -> None:
        theme.notifier().choose(self.controller.settings.theme)

    @Slot()
    def _show_status(self) -> None:
        self.status.show_throughput(self.controller.source.name, self.controller.throughput())

    @Slot()
    def _show_title(self) -> None:
        model = self.controller.session.model_summary
        if model is None:
            self.setWindowTitle("lmkl-pad")
        elif model.path:
            name = model.path.replace("\\", "/").rpartition("/")[2]
            self.setWindowTitle(f"{name} – lmkl-pad")
        else:
            self.setWindowTitle("Model not exported yet – lmkl-pad")

    # ------------------------------------------------------------- dropping

    def dragEnterEvent(self, event: QDragEnterEvent, /) -> None:
        """Accept a single file or folder."""
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent, /) -> None:
        self.open_path(event.mimeData().urls()[0].toLocalFile())
        event.acceptProposedAction()

    def open_path(self, path: str) -> None:
        """Open a model, recognised by its suffix, or anything else as a source."""
        if path.lower().endswith((SUFFIX, PROTECTED_SUFFIX)):
            self.models.open_model(path)
        else:
            self.controller.source.open(path)

    # ------------------------------------------------------------- closing

    def closeEvent(self, event: QCloseEvent, /) -> None:
        """Ask about unsaved models and takes, then stop everything."""
        if not self._may_close():
            event.ignore()
            return
        self._save_layout()
        self._timer.stop()
        self.hide()
        self.controller.forget_takes()
        self.controller.stop()
        event.accept()
        self.closed.emit()

    def _may_close(self) -> bool:
        session = self.controller.session
        if not session.has_unsaved_model:
            text = "Takes that are not part of a model will be lost. Close anyway?"
            return not session.would_lose_takes or confirm(self, "Discard the takes?", text)
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Export the model?")
        box.setText("The model has not been exported. Export it before closing?")
        export = box.addButton("Export…", QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton("Close without exporting", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(export)
        box.exec()
        if box.clickedButton() is export:
            # The window closes by itself once the file has been written and verified.
            self.models.close_after_export = True
            self.models.export()
            return False
        return box.clickedButton() is discard

    def _save_layout(self) -> None:
        if self.controller.is_forgotten:
            return  # everything was deleted: store nothing new
        self.controller.change_settings(
            window=bytes(self.saveGeometry().toHex().data()).decode(),
            splitter=bytes(self._splitter.saveState().toHex().data()).decode(),
        )

    def _restore_layout(self) -> None:
        settings = self.controller.settings
        if settings.window:
            self.restoreGeometry(QByteArray.fromHex(settings.window.encode()))
        if settings.splitter:
            self._splitter.restoreState(QByteArray.fromHex(settings.splitter.encode()))
