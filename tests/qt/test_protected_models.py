"""Models behind a passphrase in the window: protected, opened, left shut; nothing is kept of it."""

import logging
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from app.models.files import load, save
from app.qt.model_dialogs import ExportDialog, UnlockDialog, with_right_suffix
from app.qt.state import PassphraseRequest
from app.storage import settings_file
from lmkl_core.errors import PassphraseNeeded
from lmkl_core.model_file import sealed
from tests.core.sealed_material import PASSPHRASE, WRONG, cheap_passphrases
from tests.qt.driving import answer_box, with_dialog
from tests.qt.test_model_controller import Office

__all__ = ["cheap_passphrases"]

pytestmark = [
    pytest.mark.usefixtures("cheap_passphrases"),
    pytest.mark.qt_log_ignore("This plugin does not support"),
]


@pytest.fixture
def protected(model, tmp_path):
    """Return the path of a protected model."""
    save(model, tmp_path / "me.lmkl", passphrase=PASSPHRASE)
    return tmp_path / "me.lmkl"


@pytest.fixture
def save_as(monkeypatch):
    """Return a function that lets the next file dialogs answer with a path; see what was asked."""
    asked = []

    def answer(path):
        def dialog(_parent, _title, start, pattern):
            asked.append((start, pattern))
            return str(path), ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", dialog)
        return asked

    return answer


@pytest.fixture
def office(qapp, samples, model):
    office = Office(samples, model.features).prepare()
    office.asked, office.ended = [], []
    office.control.passphrase_requested.connect(office.asked.append)
    office.control.opening_ended.connect(lambda: office.ended.append(True))
    return office


def typed(qtbot, dialog, *texts):
    """Type into the lines of a dialog, one after the other."""
    lines = [line for line in dialog.findChildren(QLineEdit) if line.isEnabled()]
    assert len(lines) == len(texts)
    for line, text in zip(lines, texts, strict=True):
        line.clear()
        qtbot.keyClicks(line, text)


@pytest.fixture
def export_dialog(qtbot):
    dialog = ExportDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_that_a_passphrase_is_optional_typed_twice_unseen_and_taken_once(export_dialog, qtbot):
    assert export_dialog.accept_button.isEnabled()
    assert export_dialog.take_passphrase() is None
    export_dialog.protect.click()
    assert not export_dialog.accept_button.isEnabled()
    lines = (export_dialog.first.line, export_dialog.second.line)
    assert {line.echoMode() for line in lines} == {QLineEdit.EchoMode.Password}
    assert all(line.inputMethodHints() & Qt.InputMethodHint.ImhSensitiveData for line in lines)
    typed(qtbot, export_dialog, PASSPHRASE, PASSPHRASE)
    assert export_dialog.problem.text() == ""
    qtbot.keyClick(lines[1], Qt.Key.Key_Return)
    assert export_dialog.result() == ExportDialog.DialogCode.Accepted
    assert export_dialog.take_passphrase() == PASSPHRASE
    assert export_dialog.first.text() == export_dialog.second.text() == ""
    export_dialog.show_box.click()
    assert {line.echoMode() for line in lines} == {QLineEdit.EchoMode.Normal}
    for line in lines:  # lines that hide what is typed undo nothing
        qtbot.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert line.text() == ""


def test_that_nothing_goes_on_before_both_are_good_and_the_same(export_dialog, qtbot):
    export_dialog.protect.click()
    for first, second, told in (
        (PASSPHRASE, WRONG, "differ"),
        ("short", "short", "at least 15"),
        (PASSPHRASE, PASSPHRASE[:9], ""),
        (PASSPHRASE, "", ""),
    ):
        typed(qtbot, export_dialog, first, second)
        assert told in export_dialog.problem.text()
        assert bool(told) == bool(export_dialog.problem.text())
        assert not export_dialog.accept_button.isEnabled()
        export_dialog.accept()
        assert export_dialog.isVisible()


def test_that_a_protected_model_asks_for_its_passphrase_and_no_job_shows_it(office, protected):
    def tried(*passphrase):
        office.control.open(str(protected), *passphrase)
        assert [job.text for job in office.jobs] == ["Opening me.lmkl"]
        assert PASSPHRASE not in repr(office.jobs)
        office.do()

    tried()
    assert office.asked == [PassphraseRequest(str(protected), "me.lmkl")]
    assert office.told == office.ended == []
    tried(WRONG)
    assert office.asked[1:] == [PassphraseRequest(str(protected), "me.lmkl", was_wrong=True)]
    tried(PASSPHRASE)
    assert office.session.model.is_protected
    assert office.session.model_summary.is_protected
    assert office.opened == [str(protected)]
    assert office.ended == [True]
    office.control.export(str(protected), PASSPHRASE)
    assert PASSPHRASE not in repr(office.jobs.pop())
    protected.unlink()
    tried(PASSPHRASE)
    assert len(office.asked) == 2
    assert office.ended == [True, True]
    assert office.missing == [str(protected)]


def test_that_a_model_that_was_given_up_is_not_opened_when_its_passphrase_comes_through(
    office, protected
):
    office.control.open(str(protected), PASSPHRASE)
    office.control.cancel_opening()
    office.do()
    assert office.session.model is None
    assert office.opened == []
    office.control.open(str(protected), PASSPHRASE)  # another time
    office.do()
    assert office.session.model is not None


def test_that_every_protected_model_has_a_name_that_is_held_to_it(tmp_path):
    for typed_name, protected_name, plain_name in (
        ("face", "face.lmkl", "face.safetensors"),
        ("face.lmkl", "face.lmkl", "face.safetensors"),
        ("FACE.LMKL", "FACE.LMKL", "FACE.safetensors"),
        ("face.safetensors", "face.lmkl", "face.safetensors"),
        ("anna.karenina", "anna.karenina.lmkl", "anna.karenina"),
        ("face.lmkl.bak", "face.lmkl.bak.lmkl", "face.lmkl.bak"),
        (".face", ".face.lmkl", ".face.safetensors"),
    ):
        assert with_right_suffix(tmp_path / typed_name, True) == tmp_path / protected_name
        assert with_right_suffix(tmp_path / typed_name, False) == tmp_path / plain_name


@pytest.mark.fault("Privacy", "settings, log and notices searched for the passphrase")
def test_that_a_model_is_protected_kept_shut_and_opened_again(
    launch, exported, save_as, tmp_path, monkeypatch, caplog, qtbot
):
    caplog.set_level(logging.DEBUG)
    derived_on = []
    real = sealed._cipher

    def watched(*given):
        derived_on.append(threading.current_thread())
        return real(*given)

    monkeypatch.setattr(sealed, "_cipher", watched)
    driver = launch(recent=(str(exported),)).until_modelled()
    asked = save_as(tmp_path / "mine")

    def protect(dialog):
        assert isinstance(dialog, ExportDialog)
        dialog.protect.click()
        typed(qtbot, dialog, PASSPHRASE, PASSPHRASE)
        dialog.accept_button.click()

    with_dialog(protect)
    driver.press("Ctrl+E")
    driver.until_told("Exported to mine.lmkl. Read back and compared")
    (start, pattern) = asked[0]
    assert start.endswith("face.lmkl")
    assert "*.lmkl" in pattern
    path = tmp_path / "mine.lmkl"
    with pytest.raises(PassphraseNeeded):
        load(path)
    driver.turn_to("Model")
    assert driver.pages.model.header.file.whole.endswith("protected by a passphrase")
    assert driver.close()

    # The next start asks for it, while the picture goes on.
    again = launch(recent=(str(path),)).until_prepared()
    again.until(lambda: isinstance(QApplication.activeModalWidget(), UnlockDialog))
    dialog = QApplication.activeModalWidget()
    n_painted = again.window.live.preview.n_painted
    again.until(lambda: again.window.live.preview.n_painted > n_painted + 3)
    typed(qtbot, dialog, WRONG)
    qtbot.keyClick(dialog.edit.line, Qt.Key.Key_Return)
    assert dialog.edit.text() == ""
    assert not dialog.edit.isEnabled()
    again.until(lambda: "is wrong, or the file was changed" in dialog.status.text())
    assert again.session.model is None
    typed(qtbot, dialog, PASSPHRASE)
    again.click(dialog.accept_button)
    again.until_told("Opened mine.lmkl.")
    assert QApplication.activeModalWidget() is None
    assert again.session.model.is_protected

    # Nothing of this was done where the window waits, and nothing of it is kept.
    assert derived_on
    assert threading.main_thread() not in derived_on
    for text in (settings_file().read_text(), caplog.text, again.notices):
        assert "horse" not in text


def test_that_a_protected_model_that_is_left_shut_lets_everything_else_go_on(launch, protected):
    driver = launch(recent=(str(protected),)).until_prepared()
    driver.until(lambda: isinstance(QApplication.activeModalWidget(), UnlockDialog))
    driver.qtbot.keyClick(QApplication.activeModalWidget(), Qt.Key.Key_Escape)
    driver.until(lambda: QApplication.activeModalWidget() is None)
    assert driver.session.model is None
    assert "me.lmkl" not in driver.notices
    assert driver.controller.settings.recent == (str(protected),)  # for the menu
    last = driver.session.scored
    driver.until(lambda: driver.session.scored is not last)
    driver.drop(protected)
    driver.until(lambda: isinstance(QApplication.activeModalWidget(), UnlockDialog))
    assert driver.close()  # nobody has to answer
    assert QApplication.activeModalWidget() is None


def test_that_what_grew_out_of_a_protected_model_is_proposed_to_be_protected(
    launch, exported, protected, save_as
):
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.controller.model.open(str(protected), PASSPHRASE)
    driver.until_told("Opened me.lmkl.")
    driver.controller.change_settings(target_bpcer=0.2)
    driver.until(lambda: driver.session.has_unsaved_model)
    proposed = []

    def leave_unprotected(dialog):
        proposed.append(dialog.is_protected)
        dialog.protect.setChecked(False)
        dialog.accept_button.click()

    # A file that promises protection is not what an unprotected model is written to.
    before = protected.read_bytes()
    save_as(protected)
    with_dialog(leave_unprotected)
    driver.press("Ctrl+E")
    driver.until_told("Exported to me.safetensors.")
    written = protected.with_suffix(".safetensors").stat().st_mtime_ns
    # And what the file dialog knew nothing of is asked about.
    with_dialog(leave_unprotected)
    asked = answer_box("Cancel")
    driver.press("Ctrl+E")
    assert asked == ["me.safetensors already exists. Replace it?"]
    assert proposed == [True, False]
    assert protected.read_bytes() == before
    assert protected.with_suffix(".safetensors").stat().st_mtime_ns == written
