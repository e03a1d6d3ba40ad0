"""Menus, shortcuts and the dialogs behind them."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QAction, QActionGroup, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu

from app import storage
from app.models.summary import ModelSummary
from app.qt.dialogs.help_dialogs import AboutDialog, ShortcutsDialog
from app.qt.dialogs.settings_dialog import SettingsChoices, SettingsDialog
from app.qt.theme import icons
from app.qt.widgets.texts import plain_caption
from app.reports.guided_test import ReportSummary
from app.session.takes import EnrolmentState
from app.settings import Settings
from app.vision.faces.yunet import YUNET_FILE
from lmkl_core.features.presets import load_preset, preset_names
from lmkl_core.features.weights import weights_folder

if TYPE_CHECKING:
    from app.qt.main_window import MainWindow


class Menus(QObject):
    """The menus, their shortcuts and dialogs."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window, self._controller = window, window.controller
        self._report = ReportSummary()
        self.all: list[QAction] = []
        self._make_file_menu()
        self._make_session_menu()
        self._make_view_menu()
        self._make_help_menu()
        controller, session = self._controller, self._controller.session
        controller.model_changed.connect(self._on_model)
        controller.enrolment_changed.connect(self._on_enrolment)
        controller.guided_test.report_changed.connect(self._on_report)
        controller.settings_changed.connect(self._on_settings)
        self._on_model(session.model_summary)
        self._on_enrolment(session.enrolment.state)

    def _add(
        self, menu: QMenu, text: str, slot: object, keys: object = None, icon: str = ""
    ) -> QAction:
        action = menu.addAction(text)
        action.triggered.connect(slot)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))  # type: ignore[call-overload]
        if icon:
            action.setIcon(icons.icon(icon))
        self.all.append(action)
        return action

    def _make_file_menu(self) -> None:
        menu = self._window.menuBar().addMenu("&File")
        standard, models = QKeySequence.StandardKey, self._window.models
        self._add(menu, "&Open model…", models.open, standard.Open, "open")
        self._recent = menu.addMenu("Open &recent")
        self._recent.aboutToShow.connect(self.fill_recent)
        self._export = self._add(menu, "&Export model…", models.export, "Ctrl+E", "export")
        menu.addSeparator()
        bar, demo = self._window.live.source_bar, partial(self._controller.source.open, "demo")
        self._add(menu, "Open &video or picture…", bar.ask_for_file, "Ctrl+Shift+O")
        self._add(menu, "Open &folder of pictures…", bar.ask_for_folder)
        self._add(menu, "&Network camera…", bar.ask_for_address)
        self._add(menu, "&Demo (simulated)", demo, "Ctrl+D")
        menu.addSeparator()
        self._add(menu, "&Settings…", self.show_settings, "Ctrl+,", "settings")
        self._add(menu, "&Quit", self._window.close, standard.Quit)

    def _make_session_menu(self) -> None:
        menu = self._window.menuBar().addMenu("&Session")
        fit, undo = self._controller.model.fit, self._controller.enrol.undo
        self._record = self._add(menu, "&Record a take", self.toggle_take, "Ctrl+R", "record")
        self._fit = self._add(menu, "&Fit model", fit, "Ctrl+F", "model")
        self._undo = self._add(menu, "&Undo", undo, QKeySequence.StandardKey.Undo)
        menu.addSeparator()
        self._discard = self._add(menu, "&Close model", self._on_discard)

    def _make_view_menu(self) -> None:
        menu = self._window.menuBar().addMenu("&View")
        titles = ("&Enrol", "&Model", "&Why this score", "&Test")
        for number, (text, page) in enumerate(zip(titles, self._window.pages, strict=True), 1):
            self._add(menu, text, partial(self._window.turn_to, page), f"Ctrl+{number}")
        menu.addSeparator()
        settings = self._controller.settings
        self._regions = self._add(menu, "Show &regions", self._on_regions, "Ctrl+G")
        self._regions.setCheckable(True)
        self._regions.setChecked(settings.show_regions)
        look = menu.addMenu("&Theme")
        group = QActionGroup(look)
        self._themes = {}
        for name, text in (("system", "Same as &system"), ("light", "&Light"), ("dark", "&Dark")):
            choose = partial(self._controller.change_settings, theme=name)
            action = self._themes[name] = self._add(look, text, choose)
            action.setCheckable(True)
            action.setChecked(settings.theme == name)
            group.addAction(action)

    def _make_help_menu(self) -> None:
        menu = self._window.menuBar().addMenu("&Help")
        self._add(menu, "&Keyboard shortcuts", self.show_shortcuts, "F1", "keyboard")
        self._add(menu, "&About lmkl-pad", self.show_about, icon="info")

    @Slot()
    def save_report(self) -> None:
        """Ask for a file and save the report there."""
        start = str(Path(self._window.models.folder()) / "lmkl-pad-report.html")
        path, _ = QFileDialog.getSaveFileName(self._window, "Save report", start, "Page (*.html)")
        if path:
            path = path if Path(path).suffix else f"{path}.html"
            self._controller.guided_test.save_report(path)

    @Slot()
    def open_report(self) -> None:
        """Show the saved report in the browser; if it is not saved yet, ask where to save it."""
        if self._report.html:
            QDesktopServices.openUrl(QUrl.fromLocalFile(self._report.html))
        else:
            self.save_report()

    @Slot()
    def choose_networks(self) -> None:
        """Ask for the files of the liveness networks, and import them."""
        paths, _ = QFileDialog.getOpenFileNames(
            self._window,
            "Choose the liveness networks",
            str(Path.home()),
            "Weights (*.pth);;All files (*)",
        )
        if paths:
            self._controller.networks.import_files(paths)

    @Slot()
    def fill_recent(self) -> None:
        self._recent.clear()
        for path in self._controller.settings.recent:
            action = self._recent.addAction(plain_caption(Path(path).name))
            action.setToolTip(path)
            action.triggered.connect(partial(self._window.models.open_model, path))
        if self._recent.isEmpty():
            self._recent.addAction("No recent models").setEnabled(False)

    @Slot()
    def show_settings(self) -> None:
        choices = settings_choices(self._window.live.source_bar.cameras)
        dialog = SettingsDialog(self._controller.settings, choices, self._window)
        dialog.accepted_settings.connect(self._on_accepted)
        dialog.delete_requested.connect(self._controller.delete_everything)
        _execute(dialog)

    @Slot()
    def show_shortcuts(self) -> None:
        _execute(ShortcutsDialog(self.all, self._window))

    @Slot()
    def show_about(self) -> None:
        _execute(AboutDialog(self._window))

    @Slot(object)
    def _on_accepted(self, settings: Settings) -> None:
        # The dialog has no fields for these, and they may have changed meanwhile.
        now = self._controller.settings
        current = {name: getattr(now, name) for name in ("recent", "window", "splitter")}
        self._controller.use_settings(replace(settings, **current))

    @Slot()
    def toggle_take(self) -> None:
        self._window.turn_to_enrol()
        self._window.pages.enrol.record.toggle()

    @Slot()
    def _on_discard(self) -> None:
        if self._window.models.may_lose_model():
            self._controller.model.discard()

    @Slot(bool)
    def _on_regions(self, wanted: bool) -> None:
        self._controller.change_settings(show_regions=wanted)

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        self._export.setEnabled(model is not None)
        self._discard.setEnabled(model is not None)

    @Slot(object)
    def _on_enrolment(self, state: EnrolmentState) -> None:
        self._record.setText("&Stop the take" if state.collecting else "&Record a take")
        self._fit.setEnabled(state.can_fit)
        self._undo.setEnabled(state.can_undo and not state.collecting)

    @Slot(object)
    def _on_report(self, report: ReportSummary | None) -> None:
        self._report = report or ReportSummary()

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        self._regions.setChecked(settings.show_regions)
        self._themes[settings.theme].setChecked(True)


def settings_choices(cameras: tuple[str, ...]) -> SettingsChoices:
    """Return what can be chosen on this machine."""
    detectors = ("mtcnn", "yunet") if (weights_folder() / YUNET_FILE).is_file() else ("mtcnn",)
    return SettingsChoices(
        cameras=cameras,
        presets=tuple((name, load_preset(name).description) for name in preset_names()),
        detectors=detectors,
        stored_in=(str(storage.config_folder()), str(storage.personal_folder())),
    )


def _execute(dialog: QDialog) -> None:
    dialog.exec()
    dialog.deleteLater()
