"""The settings, in five pages; nothing needs touching, and everything can be put back."""

import dataclasses
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.theme import GRID, set_class
from app.qt.views.dialogs.settings_fields import Field, line
from app.qt.views.dialogs.settings_pages import (
    SIZE,
    CameraPage,
    LookPage,
    ModelPage,
    Page,
    PrivacyPage,
    SettingsChoices,
    ViewsPage,
)
from app.qt.views.parts.calm_tab_bar import CalmTabBar
from app.settings import Settings, check

__all__ = ["SettingsChoices", "SettingsDialog"]


class SettingsDialog(QDialog):
    """Shows settings and gives back what was chosen.

    Parameters
    ----------
    settings : Settings
        What holds now.
    choices : SettingsChoices
        What there is to choose from.
    parent : QWidget, optional
        The window it belongs to.
    """

    accepted_settings = Signal(object)
    """Changed `Settings` that can be used, on "OK" and on "Apply"."""
    delete_requested = Signal()
    """Everything stored of the person is to be deleted; they have confirmed it. The dialog is
    closed by then, so that what it shows is not stored again."""

    def __init__(
        self, settings: Settings, choices: SettingsChoices, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self._settings = settings
        privacy = PrivacyPage(choices)
        privacy.delete_confirmed.connect(self._on_delete_confirmed)
        self._pages: dict[str, Page] = {
            self.tr("&Camera"): CameraPage(choices),
            self.tr("&Views"): ViewsPage(choices),
            self.tr("&Model"): ModelPage(),
            self.tr("&Look"): LookPage(),
            self.tr("&Privacy"): privacy,
        }
        self._tabs = QTabWidget()
        self._tabs.setTabBar(CalmTabBar())
        self._tabs.setDocumentMode(True)
        for title, page in self._pages.items():
            self._tabs.addTab(page, title)
        self._fields = {field.name: field for page in self._pages.values() for field in page.fields}
        self._hint = line(
            self.tr("Change what is marked, or reset to defaults, before it can be used."), "bad"
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._tabs, 1)
        layout.addWidget(self._hint)
        layout.addWidget(self._make_buttons())
        self._show(settings)
        for field in self._fields.values():
            field.changed.connect(self._on_changed)
        self._on_changed()
        metrics = self.fontMetrics()
        self.resize(
            max(96 * metrics.averageCharWidth(), self.sizeHint().width()), 40 * metrics.height()
        )

    def chosen(self) -> Settings:
        """Return what the fields hold now, which need not be usable."""
        values: dict[str, Any] = {name: field.value() for name, field in self._fields.items()}
        values["width"], values["height"] = values.pop(SIZE)
        return dataclasses.replace(self._settings, **values)

    def field(self, name: str) -> Field:
        """Return the field of one setting; "size" stands for width and height."""
        return self._fields[name]

    def accept(self) -> None:
        """Give back what was chosen and close; stay open while something cannot be used."""
        if not check(self.chosen()):
            self._on_apply()
            super().accept()

    def _make_buttons(self) -> QDialogButtonBox:
        kind = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(kind.Ok | kind.Cancel | kind.Apply | kind.RestoreDefaults)
        for button in box.buttons():
            button.setIcon(QIcon())
        self._ok, self._apply = box.button(kind.Ok), box.button(kind.Apply)
        reset = box.button(kind.RestoreDefaults)
        reset.setText(self.tr("Reset to defaults"))
        set_class(reset, "quiet")
        set_class(self._ok, "primary")
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        self._apply.clicked.connect(self._on_apply)
        reset.clicked.connect(self._on_reset)
        return box

    def _show(self, settings: Settings) -> None:
        for name, field in self._fields.items():
            size = (settings.width, settings.height)
            field.set_value(size if name == SIZE else getattr(settings, name))

    @Slot()
    def _on_changed(self) -> None:
        chosen = self.chosen()
        problems = check(chosen)
        for name, field in self._fields.items():
            sentence = problems.get(name, "")
            field.show_problem(sentence and QCoreApplication.translate("Settings", sentence))
        for number, page in enumerate(self._pages.values()):
            is_wrong = any(field.name in problems for field in page.fields)
            self._tabs.setTabIcon(number, icon("warning", "bad") if is_wrong else QIcon())
        self._hint.setVisible(bool(problems))
        self._ok.setEnabled(not problems)
        self._apply.setEnabled(not problems and chosen != self._settings)

    @Slot()
    def _on_apply(self) -> None:
        chosen = self.chosen()
        if chosen != self._settings:
            self._settings = chosen
            self.accepted_settings.emit(chosen)
        self._on_changed()

    @Slot()
    def _on_reset(self) -> None:
        self._show(self._settings.reset())
        self._on_changed()

    @Slot()
    def _on_delete_confirmed(self) -> None:
        self.reject()
        self.delete_requested.emit()
