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


@pytest.mark.parametrize("settings", [Settings(), OTHERS], ids=["defaults", "others"])
def test_that_untouched_settings_come_back_to_the_last_digit(settings, opened):
    assert opened(settings).chosen() == settings


def test_that_every_setting_but_the_windows_own_has_a_field(opened):
    dialog = opened()
    names = {field.name for field in dataclasses.fields(Settings)}
    for name in names - {"width", "height", "recent", "window", "splitter"}:
        assert dialog.field(name).name == name


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
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
    ],
)
def test_that_what_is_typed_is_understood(name, text, value, opened):
    dialog = opened(dataclasses.replace(OTHERS, delta=1.0))
    type_into(dialog, name, text)
    assert getattr(dialog.chosen(), name) == value
    assert dialog.field(name).problem == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
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
    ],
)
def test_that_a_wrong_value_is_told_under_its_field_and_cannot_be_used(name, text, opened, qtbot):
    dialog = opened()
    type_into(dialog, name, text)
    assert dialog.field(name).problem.startswith("It must be")
    assert not button(dialog, STANDARD.Ok).isEnabled()
    assert not button(dialog, STANDARD.Apply).isEnabled()
    with qtbot.assertNotEmitted(dialog.accepted_settings):
        dialog.accept()
    assert dialog.isVisible()


def test_that_the_page_with_a_wrong_value_is_marked(opened):
    dialog = opened()
    tabs = dialog.findChild(QTabWidget)
    type_into(dialog, "p", "0")
    marked = [tabs.tabText(i) for i in range(tabs.count()) if not tabs.tabIcon(i).isNull()]
    assert marked == ["&Model"]
    type_into(dialog, "p", "2")
    assert all(tabs.tabIcon(i).isNull() for i in range(tabs.count()))


def test_that_a_mended_value_can_be_used(opened):
    dialog = opened()
    type_into(dialog, "p", "0")
    type_into(dialog, "p", "2")
    assert dialog.field("p").problem == ""
    assert button(dialog, STANDARD.Ok).isEnabled()


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


def test_that_a_chosen_preset_says_what_it_is(opened):
    dialog = opened()
    texts = [label.text() for label in dialog.field("preset").findChildren(QLabel)]
    assert "The default, fast." in texts


def test_that_a_file_that_was_browsed_for_becomes_the_source(opened):
    dialog = opened()
    dialog.field("source").editor.setEditText("/videos/a.mp4")
    assert dialog.chosen().source == "/videos/a.mp4"


def test_that_every_editor_has_a_name_and_a_help_text_for_screen_readers(opened):
    dialog = opened()
    for field in dialog._fields.values():
        assert field.editor.accessibleName()
        assert field.editor.accessibleDescription()


def test_that_a_problem_is_read_out_too(opened):
    dialog = opened()
    type_into(dialog, "p", "0")
    assert dialog.field("p").editor.accessibleDescription() == dialog.field("p").problem


def answered(dialog, qtbot, text):
    """Press "Delete all my data..." and then a button of the question."""
    dialog.findChild(QTabWidget).setCurrentIndex(4)
    qtbot.mouseClick(dialog.delete, Qt.MouseButton.LeftButton)
    question = dialog.findChild(QMessageBox)
    (found,) = [b for b in question.buttons() if b.text().replace("&", "") == text]
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)


def test_that_deleting_is_asked_for_only_after_a_confirmation(opened, qtbot):
    dialog = opened()
    with qtbot.waitSignal(dialog.delete_requested):
        answered(dialog, qtbot, "Delete")
    assert not dialog.isVisible()


def test_that_nothing_is_deleted_when_the_question_is_cancelled(opened, qtbot):
    dialog = opened()
    with qtbot.assertNotEmitted(dialog.delete_requested):
        answered(dialog, qtbot, "Cancel")
    assert dialog.isVisible()


def test_that_enter_in_the_question_does_not_delete(opened, qtbot):
    dialog = opened()
    dialog.delete.click()
    question = dialog.findChild(QMessageBox)
    with qtbot.assertNotEmitted(dialog.delete_requested):
        qtbot.keyClick(question, Qt.Key.Key_Return)


def test_that_privacy_says_where_things_are(opened):
    dialog = opened()
    texts = [label.text() for label in dialog.findChild(QTabWidget).widget(4).findChildren(QLabel)]
    assert any("/data/personal" in text for text in texts)
