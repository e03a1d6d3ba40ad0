"""Menus and shortcuts, and the dialogs behind them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QAction, QActionGroup, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu

from app.qt import icons
from app.qt.model_dialogs import ModelDialogs
from app.qt.views.parts.book import ENROL, MODEL, TEST, WHY
from app.session.guided_test.state import ReportSummary
from app.settings import Settings

if TYPE_CHECKING:
    from app.models.summary import ModelSummary
    from app.qt.main_window import MainWindow
    from app.session.takes import EnrolmentState


class Actions(QObject):
    """What can be done from menus and by keys.

    Parameters
    ----------
    window : MainWindow
        Whose desk is ready.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._desk = window, window.desk
        self._report = ReportSummary()
        self.models = ModelDialogs(window)
        self.all: list[QAction] = []
        self._make_file_menu()
        self._make_session_menu()
        self._make_view_menu()
        self._make_help_menu()
        self._wire()

    # ------------------------------------------------------------- menus

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
        menu = self._window.menuBar().addMenu(self.tr("&File"))
        standard = QKeySequence.StandardKey
        self._add(menu, self.tr("&Open model…"), self.models.open, standard.Open, "open")
        self._recent = menu.addMenu(self.tr("Open &recent"))
        self._recent.aboutToShow.connect(self._fill_recent)
        self._export = self._add(
            menu, self.tr("&Export model…"), self.models.export, "Ctrl+E", "export"
        )
        menu.addSeparator()
        bar = self._window.live.source_bar
        self._add(menu, self.tr("Open &video or picture…"), bar.ask_for_file, "Ctrl+Shift+O")
        self._add(menu, self.tr("Open &folder of pictures…"), bar.ask_for_folder)
        self._add(menu, self.tr("&Network camera…"), bar.ask_for_address)
        self._add(menu, self.tr("&Demo (simulated)"), self._open_demo, "Ctrl+D")
        menu.addSeparator()
        self._add(menu, self.tr("&Settings…"), self.show_settings, "Ctrl+,", "settings")
        self._add(menu, self.tr("&Quit"), self._window.close, standard.Quit)

    def _make_session_menu(self) -> None:
        menu = self._window.menuBar().addMenu(self.tr("&Session"))
        self._record = self._add(
            menu, self.tr("&Record a take"), self._toggle_take, "Ctrl+R", "record"
        )
        self._fit = self._add(menu, self.tr("&Fit the model"), self._on_fit, "Ctrl+F", "model")
        self._undo = self._add(menu, self.tr("&Undo"), self._on_undo, QKeySequence.StandardKey.Undo)
        menu.addSeparator()
        self._discard = self._add(menu, self.tr("&Close the model"), self._on_discard)

    def _make_view_menu(self) -> None:
        menu = self._window.menuBar().addMenu(self.tr("&View"))
        for number, (key, text) in enumerate(
            (
                (ENROL, self.tr("&Enrol")),
                (MODEL, self.tr("&Model")),
                (WHY, self.tr("&Why this score")),
                (TEST, self.tr("&Test")),
            ),
            start=1,
        ):
            action = self._add(menu, text, self._on_page, f"Ctrl+{number}")
            action.setData(key)
        menu.addSeparator()
        regions = self._add(menu, self.tr("Show &regions"), self._on_regions, "Ctrl+G")
        regions.setCheckable(True)
        regions.setChecked(self._desk.settings.show_regions)
        self._regions = regions
        look = menu.addMenu(self.tr("&Theme"))
        group = QActionGroup(look)
        self._themes = {}
        for name, text in (
            ("system", self.tr("As the &system")),
            ("light", self.tr("&Light")),
            ("dark", self.tr("&Dark")),
        ):
            action = self._add(look, text, self._on_theme)
            action.setData(name)
            action.setCheckable(True)
            action.setChecked(self._desk.settings.theme == name)
            group.addAction(action)
            self._themes[name] = action

    def _make_help_menu(self) -> None:
        menu = self._window.menuBar().addMenu(self.tr("&Help"))
        self._add(menu, self.tr("&Keyboard shortcuts"), self.show_shortcuts, "F1", "keyboard")
        self._add(menu, self.tr("&About lmkl-pad"), self.show_about, icon="info")

    def _wire(self) -> None:
        window, desk = self._window, self._desk
        signals, model, trial, pages = desk.signals, desk.model, desk.trial, window.pages
        assert signals is not None
        assert model is not None
        assert trial is not None
        assert pages is not None
        signals.model.connect(self._on_model)
        signals.enrolment.connect(self._on_enrolment)
        trial.report_changed.connect(self._on_report)
        pages.export_requested.connect(self.models.export)
        pages.open_requested.connect(self.models.open)
        pages.report_save_requested.connect(self.save_report)
        pages.report_open_requested.connect(self.open_report)
        pages.networks_choose_requested.connect(self.choose_networks)
        desk.settings_changed.connect(self._on_settings)
        assert desk.session is not None
        self._on_model(desk.session.model_shown)
        self._on_enrolment(desk.session.enrolment_shown)

    # ------------------------------------------------------------- files

    @Slot()
    def save_report(self) -> None:
        """Ask for a file and save the report there."""
        start = str(Path(self.models.folder()) / "lmkl-pad-report.html")
        path, _ = QFileDialog.getSaveFileName(
            self._window, self.tr("Save the report"), start, self.tr("Page (*.html)")
        )
        if path:
            assert self._desk.trial is not None
            self._desk.trial.save_report(path if Path(path).suffix else f"{path}.html")

    @Slot()
    def open_report(self) -> None:
        """Show the saved report in the browser; ask where to save it first."""
        if not self._report.html:
            self.save_report()
            return
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._report.html))

    @Slot()
    def choose_networks(self) -> None:
        """Ask for the files of the liveness networks and use them."""
        paths, _ = QFileDialog.getOpenFileNames(
            self._window,
            self.tr("Choose the files of the liveness networks"),
            str(Path.home()),
            self.tr("Weights (*.pth);;All files (*)"),
        )
        if paths:
            assert self._desk.networks is not None
            self._desk.networks.import_files(paths)

    @Slot()
    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in self._desk.settings.recent:
            action = self._recent.addAction(Path(path).name)
            action.setToolTip(path)
            action.setData(path)
            action.triggered.connect(self._on_recent)
        if self._recent.isEmpty():
            self._recent.addAction(self.tr("No model was opened or exported yet")).setEnabled(False)

    @Slot()
    def _on_recent(self) -> None:
        self.models.open_model(self._sender_data())

    @Slot()
    def _open_demo(self) -> None:
        self._desk.source.open("demo")

    # ------------------------------------------------------------- dialogs

    @Slot()
    def show_settings(self) -> None:
        """Open the settings."""
        from app.qt.choices import choices_of
        from app.qt.views.dialogs.settings_dialog import SettingsDialog

        dialog = SettingsDialog(
            self._desk.settings, choices_of(self._window.live.source_bar.cameras), self._window
        )
        dialog.accepted_settings.connect(self._on_accepted)
        dialog.delete_requested.connect(self._on_delete)
        dialog.exec()
        dialog.deleteLater()

    @Slot()
    def show_shortcuts(self) -> None:
        """Show what the keys do."""
        from app.qt.views.dialogs.shortcuts_dialog import ShortcutsDialog

        dialog = ShortcutsDialog(self.all, self._window)
        dialog.exec()
        dialog.deleteLater()

    @Slot()
    def show_about(self) -> None:
        """Show what this is."""
        from app.qt.views.dialogs.about_dialog import AboutDialog

        dialog = AboutDialog(self._window)
        dialog.exec()
        dialog.deleteLater()

    @Slot(object)
    def _on_accepted(self, settings: object) -> None:
        assert isinstance(settings, Settings)
        # What the dialog does not show may have changed while it was open.
        now = self._desk.settings
        kept = {name: getattr(now, name) for name in ("recent", "window", "splitter")}
        self._desk.use_settings(replace(settings, **kept))

    @Slot()
    def _on_delete(self) -> None:
        self._desk.delete_everything()

    # ------------------------------------------------------------- session

    @Slot()
    def _toggle_take(self) -> None:
        self._window.book.turn_to(ENROL)
        pages = self._window.pages
        if pages is not None and pages.enrol is not None:
            pages.enrol.toggle_take()

    @Slot()
    def _on_fit(self) -> None:
        assert self._desk.model is not None
        self._desk.model.fit()

    @Slot()
    def _on_undo(self) -> None:
        assert self._desk.enrol is not None
        self._desk.enrol.undo()

    @Slot()
    def _on_discard(self) -> None:
        assert self._desk.model is not None
        if self.models.may_lose_model():
            self._desk.model.discard()

    # ------------------------------------------------------------- view

    @Slot()
    def _on_page(self) -> None:
        self._window.book.turn_to(self._sender_data())

    @Slot(bool)
    def _on_regions(self, wanted: bool) -> None:
        self._desk.change_settings(show_regions=wanted)

    @Slot()
    def _on_theme(self) -> None:
        self._desk.change_settings(theme=self._sender_data())

    def _sender_data(self) -> str:
        action = self.sender()
        assert isinstance(action, QAction)
        return str(action.data())

    # ------------------------------------------------------------- keeping up

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        self._export.setEnabled(model is not None)
        self._discard.setEnabled(model is not None)

    @Slot(object)
    def _on_enrolment(self, shown: EnrolmentState) -> None:
        text = self.tr("&Stop the take") if shown.collecting else self.tr("&Record a take")
        self._record.setText(text)
        self._fit.setEnabled(shown.can_fit)
        self._undo.setEnabled(shown.can_undo and not shown.collecting)

    @Slot(object)
    def _on_report(self, report: ReportSummary | None) -> None:
        self._report = report or ReportSummary()

    @Slot(object)
    def _on_settings(self, _settings: object) -> None:
        self._regions.setChecked(self._desk.settings.show_regions)
        self._themes[self._desk.settings.theme].setChecked(True)
