"""The settings' dialog: what goes in comes out, wrong values are told, deleting asks first."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLabel, QMessageBox, QTabWidget

from app.qt.dialogs.settings_dialog import SettingsChoices, SettingsDialog
from app.settings import Settings

# Said by the offscreen platform for every window.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

CHOICES = SettingsChoices(
    cameras=("Logi C920", "Integrated Camera"),
    presets=(("texture", "The default, fast."), ("tiny", "")),
    detectors=("mtcnn", "yunet"),
    stored_in=("/config", "/data/personal"),
)
OTHERS = Settings(
    source="rtsp://camera/stream",
    width=1024,
    height=768,
    detector="yunet",
    preset="/home/me/own.toml",
    delta=0.123456789,
    p=1.0,
    q=7 / 3,
    n_clusters=1,
    temperature=1.5,
    target_bpcer=0.0123456789,
    theme="dark",
    show_regions=False,
    reopen_last=False,
    recover_takes=False,
    recent=("/models/a",),
    window="00",
    splitter="ff",
)
STANDARD = QDialogButtonBox.StandardButton


@pytest.fixture
def opened(qtbot):
    def make(settings=None):
        dialog = SettingsDialog(settings or Settings(), CHOICES)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return make


def button(dialog, which):
    return dialog.findChild(QDialogButtonBox).button(which)


def type_into(dialog, name, text):
    editor = dialog.field(name).editor
    (editor.setEditText if isinstance(editor, QComboBox) else editor.setText)(text)


def test_that_untouched_settings_come_back_to_the_last_digit(opened):
    for settings in (Settings(), OTHERS):
        assert opened(settings).chosen() == settings


def test_that_every_setting_but_the_windows_own_has_a_field_for_screen_readers_too(opened):
    dialog = opened()
    names = {field.name for field in dataclasses.fields(Settings)}
    for name in names - {"width", "height", "recent", "window", "splitter"}:
        editor = dialog.field(name).editor
        assert editor.accessibleName()
        assert editor.accessibleDescription()


def test_that_what_is_typed_is_understood(opened):
    dialog = opened(dataclasses.replace(OTHERS, delta=1.0))
    for name, text, value in (
        ("p", "3/2", 1.5),
        ("p", "1,25", 1.25),
        ("q", " 2 ", 2.0),
        ("delta", "1e-3", 0.001),
        ("target_bpcer", "1 %", 0.01),
        ("target_bpcer", "2.5", 0.025),
        ("target_bpcer", "automatic", None),
        ("target_bpcer", " ", None),
        ("source", "Integrated Camera", "camera:Integrated Camera"),
        ("source", " /videos/a.mp4 ", "/videos/a.mp4"),
        ("preset", "tiny", "tiny"),
    ):
        type_into(dialog, name, text)
        assert getattr(dialog.chosen(), name) == value, text
        assert dialog.field(name).problem == ""


def test_that_a_wrong_value_is_told_under_its_field_and_cannot_be_used(opened, qtbot):
    dialog = opened()
    for name, text in (
        ("p", "0.5"),
        ("p", "four thirds"),
        ("p", ""),
        ("p", "1/0"),
        ("q", "nan"),
        ("delta", "0"),
        ("delta", "inf"),
        ("delta", "automatic"),
        ("target_bpcer", "100 %"),
        ("temperature", "-1"),
        ("source", "  "),
        ("preset", ""),
    ):
        field = dialog.field(name)
        before = field.value()
        type_into(dialog, name, text)
        assert field.problem.startswith("It must be"), text
        assert field.editor.accessibleDescription() == field.problem
        assert not button(dialog, STANDARD.Ok).isEnabled()
        assert not button(dialog, STANDARD.Apply).isEnabled()
        with qtbot.assertNotEmitted(dialog.accepted_settings):
            dialog.accept()
        assert dialog.isVisible()
        field.set_value(before)
        assert field.problem == ""
        assert button(dialog, STANDARD.Ok).isEnabled()


def test_that_the_page_with_a_wrong_value_is_marked(opened):
    dialog = opened()
    tabs = dialog.findChild(QTabWidget)
    type_into(dialog, "p", "0")
    marked = [tabs.tabText(i) for i in range(tabs.count()) if not tabs.tabIcon(i).isNull()]
    assert marked == ["&Model"]
    type_into(dialog, "p", "2")
    assert all(tabs.tabIcon(i).isNull() for i in range(tabs.count()))


def test_that_apply_gives_the_settings_and_stays_open(opened, qtbot):
    dialog = opened(OTHERS)
    type_into(dialog, "p", "2")
    with qtbot.waitSignal(dialog.accepted_settings) as told:
        qtbot.mouseClick(button(dialog, STANDARD.Apply), Qt.MouseButton.LeftButton)
    assert told.args == [dataclasses.replace(OTHERS, p=2.0)]
    assert dialog.isVisible()
    assert not button(dialog, STANDARD.Apply).isEnabled()


def test_that_ok_gives_the_settings_once_and_closes(opened, qtbot):
    dialog = opened()
    told = []
    dialog.accepted_settings.connect(told.append)
    dialog.field("show_regions").editor.setChecked(False)
    qtbot.mouseClick(button(dialog, STANDARD.Apply), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(button(dialog, STANDARD.Ok), Qt.MouseButton.LeftButton)
    assert told == [Settings(show_regions=False)]
    assert not dialog.isVisible()


def test_that_cancel_gives_nothing(opened, qtbot):
    dialog = opened()
    type_into(dialog, "p", "2")
    with qtbot.assertNotEmitted(dialog.accepted_settings):
        qtbot.mouseClick(button(dialog, STANDARD.Cancel), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_that_reset_shows_the_defaults_but_gives_nothing_yet(opened, qtbot):
    dialog = opened(OTHERS)
    type_into(dialog, "p", "nonsense")
    with qtbot.assertNotEmitted(dialog.accepted_settings):
        qtbot.mouseClick(button(dialog, STANDARD.RestoreDefaults), Qt.MouseButton.LeftButton)
    assert dialog.chosen() == OTHERS.reset()
    assert button(dialog, STANDARD.Ok).isEnabled()


def answered(dialog, qtbot, text):
    """Press "Delete all my data..." and then a button of the question."""
    dialog.findChild(QTabWidget).setCurrentIndex(4)
    qtbot.mouseClick(dialog.delete, Qt.MouseButton.LeftButton)
    question = dialog.findChildren(QMessageBox)[-1]
    (found,) = [b for b in question.buttons() if b.text().replace("&", "") == text]
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)


def test_that_deleting_is_asked_for_only_after_a_confirmation(opened, qtbot):
    dialog = opened()
    with qtbot.assertNotEmitted(dialog.delete_requested):
        answered(dialog, qtbot, "Cancel")
        dialog.delete.click()
        qtbot.keyClick(dialog.findChildren(QMessageBox)[-1], Qt.Key.Key_Return)
    assert dialog.isVisible()
    with qtbot.waitSignal(dialog.delete_requested):
        answered(dialog, qtbot, "Delete")
    assert not dialog.isVisible()


def test_that_the_dialog_says_what_a_preset_is_and_where_things_are_stored(opened):
    dialog = opened()
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert "The default, fast." in texts
    assert any("/data/personal" in text for text in texts)
