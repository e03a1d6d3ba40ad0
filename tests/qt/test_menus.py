"""Menus, shortcuts and the dialogs behind them."""

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QMenu

from app.qt import theme
from app.qt.dialogs.help_dialogs import AboutDialog, ShortcutsDialog
from app.qt.dialogs.settings_dialog import SettingsDialog
from app.qt.theme.themes import DARK, LIGHT
from tests.qt.driving import with_dialog


@pytest.fixture
def driver(launch):
    return launch()


def recent_menu(driver):
    """Open the menu of recent models as a click would."""
    menu = next(m for m in driver.window.findChildren(QMenu) if "recent" in m.title())
    menu.aboutToShow.emit()
    return menu.actions()


def test_that_menus_and_keys_of_a_new_window_work(driver):
    keys = [key for a in driver.window.menus.all if (key := a.shortcut().toString())]
    assert len(keys) == len(set(keys))
    assert {"Ctrl+O", "Ctrl+E", "Ctrl+R", "Ctrl+F", "Ctrl+Z", "F1"} <= set(keys)
    for text in ("Export model…", "Fit model", "Undo", "Close model"):
        assert not driver.action(text).isEnabled(), text
    assert driver.action("Record a take").isEnabled()
    (placeholder,) = recent_menu(driver)
    assert not placeholder.isEnabled()

    themes = driver.window.menus._themes
    themes["dark"].trigger()
    assert theme.colours() is DARK
    assert driver.controller.settings.theme == "dark"
    assert [name for name, action in themes.items() if action.isChecked()] == ["dark"]
    for number, key in enumerate(("enrol", "model", "why", "test"), start=1):
        driver.press(f"Ctrl+{number}")
        assert driver.window.tabs.currentWidget() is getattr(driver.pages, key)
    themes["light"].trigger()
    assert theme.colours() is LIGHT
    driver.press("Ctrl+G")
    assert not driver.controller.settings.show_regions
    assert not driver.action("Show regions").isChecked()
    driver.until_prepared()
    driver.press("Ctrl+R")
    assert driver.session.enrolment.is_recording
    assert driver.action("Stop the take").isEnabled()
    driver.press("Ctrl+R")
    assert not driver.session.enrolment.is_recording


def test_that_dialogs_open_and_settings_take_effect_when_accepted(
    driver, file_dialogs, monkeypatch
):
    opened, urls = [], []
    monkeypatch.setattr(QDesktopServices, "openUrl", urls.append)
    file_dialogs("")
    driver.window.menus.open_report()  # asks where to save it first
    assert urls == []

    def look(dialog):
        opened.append(type(dialog))
        QDialog.reject(dialog)

    for action in ("Keyboard shortcuts", "About lmkl-pad"):
        with_dialog(look)
        driver.action(action).trigger()
    assert opened == [ShortcutsDialog, AboutDialog]
    for end, expected in ((SettingsDialog.reject, "system"), (SettingsDialog.accept, "dark")):
        with_dialog(lambda d, end=end: (d.field("theme").set_value("dark"), end(d)))
        driver.press("Ctrl+,")
        assert driver.controller.settings.theme == expected
    assert theme.colours() is DARK
    assert driver.window.menus._themes["dark"].isChecked()


def test_that_a_recent_model_is_opened_exported_with_its_suffix_and_closed(
    launch, exported, file_dialogs, tmp_path
):
    driver = launch(recent=(str(exported),), reopen_last=False).until_prepared()
    assert driver.session.model is None
    (entry,) = recent_menu(driver)
    assert entry.text() == exported.name
    entry.trigger()
    driver.until_notice(f"Opened {exported.name}.")
    assert driver.action("Export model…").isEnabled()
    model, notices = driver.session.model, driver.notices
    file_dialogs("")  # cancelled
    driver.press("Ctrl+O")
    driver.press("Ctrl+E")
    assert driver.session.model is model
    assert driver.notices == notices
    file_dialogs(tmp_path / "face")
    driver.press("Ctrl+E")
    driver.until_notice("Exported to face.safetensors")
    assert (tmp_path / "face.safetensors").is_file()
    assert driver.controller.settings.recent == (str(tmp_path / "face.safetensors"), str(exported))
    driver.action("Close model").trigger()
    assert driver.session.model is None
    assert not driver.action("Export model…").isEnabled()
    assert driver.window.windowTitle() == "lmkl-pad"
