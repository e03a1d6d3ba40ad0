"""The settings dialog: values survive it, invalid ones are marked, deleting asks first."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLabel, QMessageBox, QTabWidget

from app.qt.dialogs.settings_dialog import SettingsChoices, SettingsDialog
from app.settings import Settings
from tests.qt.driving import recorded

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


def test_that_every_setting_has_a_field_and_keeps_all_its_digits(opened):
    for settings in (Settings(), OTHERS):
        assert opened(settings).chosen() == settings
    dialog = opened()
    names = {field.name for field in dataclasses.fields(Settings)}
    for name in names - {"width", "height", "recent", "window", "splitter"}:
        editor = dialog.field(name).editor
        assert editor.accessibleName()
        assert editor.accessibleDescription()
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert "The default, fast." in texts
    assert any("/data/personal" in text for text in texts)


def test_that_typed_values_are_parsed(opened):
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


def test_that_an_invalid_value_is_marked_and_cannot_be_accepted(opened, qtbot):
    dialog = opened()
    tabs = dialog.findChild(QTabWidget)

    def marked():
        return [i for i in range(tabs.count()) if not tabs.tabIcon(i).isNull()]

    for name, text in (
        ("p", "four thirds"),
        ("p", "1/0"),
        ("q", "nan"),
        ("delta", "automatic"),
        ("target_bpcer", "100 %"),
        ("source", "  "),
    ):
        field = dialog.field(name)
        before = field.value()
        type_into(dialog, name, text)
        assert field.problem.startswith("It must be"), text
        assert field.editor.accessibleDescription() == field.problem
        (page,) = marked()
        assert tabs.widget(page).isAncestorOf(field.editor)
        assert not button(dialog, STANDARD.Ok).isEnabled()
        assert not button(dialog, STANDARD.Apply).isEnabled()
        with qtbot.assertNotEmitted(dialog.accepted_settings):
            dialog.accept()
        assert dialog.isVisible()
        field.set_value(before)
        assert field.problem == ""
        assert marked() == []
        assert button(dialog, STANDARD.Ok).isEnabled()


def test_that_apply_emits_the_settings_ok_also_closes_and_cancel_emits_nothing(opened):
    dialog = opened(OTHERS)
    emitted = recorded(dialog.accepted_settings)
    type_into(dialog, "p", "2")
    button(dialog, STANDARD.Apply).click()
    assert emitted == [dataclasses.replace(OTHERS, p=2.0)]
    assert dialog.isVisible()
    assert not button(dialog, STANDARD.Apply).isEnabled()
    button(dialog, STANDARD.Ok).click()  # nothing has changed since
    assert not dialog.isVisible()
    assert len(emitted) == 1
    for which, expected in ((STANDARD.Cancel, []), (STANDARD.Ok, [Settings(show_regions=False)])):
        dialog = opened()
        emitted = recorded(dialog.accepted_settings)
        dialog.field("show_regions").editor.setChecked(False)
        button(dialog, which).click()
        assert not dialog.isVisible()
        assert emitted == expected


def test_that_defaults_are_shown_before_they_are_used(opened, qtbot):
    dialog = opened(OTHERS)
    type_into(dialog, "p", "nonsense")
    with qtbot.assertNotEmitted(dialog.accepted_settings):
        button(dialog, STANDARD.RestoreDefaults).click()
    assert dialog.chosen() == OTHERS.reset()
    assert button(dialog, STANDARD.Ok).isEnabled()


def test_that_deletion_is_requested_only_after_a_confirmation(opened, qtbot):
    dialog = opened()
    with qtbot.assertNotEmitted(dialog.delete_requested):
        dialog.delete.click()
        qtbot.keyClick(dialog.findChildren(QMessageBox)[-1], Qt.Key.Key_Return)
    assert dialog.isVisible()
    with qtbot.waitSignal(dialog.delete_requested):
        dialog.delete.click()
        question = dialog.findChildren(QMessageBox)[-1]
        next(each for each in question.buttons() if each.text() == "Delete").click()
    assert not dialog.isVisible()
