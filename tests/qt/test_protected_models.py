"""Protected models in the window: exported and opened, while the passphrase stays secret."""

import logging
import threading
from unittest.mock import Mock

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from app.models.files import load, save
from app.qt.model_dialogs import ExportDialog, UnlockDialog, with_right_suffix
from app.qt.state import PassphraseRequest
from app.storage import settings_file
from lmkl_core.errors import PassphraseNeeded
from lmkl_core.model_file import sealed
from tests.core.protected_model import PASSPHRASE, WRONG, cheap_passphrases
from tests.qt.driving import answer_box, recorded, with_dialog
from tests.qt.test_model_controller import Bench

__all__ = ["cheap_passphrases"]

pytestmark = pytest.mark.usefixtures("cheap_passphrases")


@pytest.fixture
def protected(model, tmp_path):
    """Return the path of a protected model."""
    save(model, tmp_path / "me.lmkl", passphrase=PASSPHRASE)
    return tmp_path / "me.lmkl"


@pytest.fixture
def save_as(monkeypatch):
    """Return a function that replaces the file dialog by one that answers with a path."""

    def answer(path):
        dialog = Mock(return_value=(str(path), ""))
        monkeypatch.setattr(QFileDialog, "getSaveFileName", dialog)
        return dialog

    return answer


@pytest.fixture
def bench(qapp, samples, model):
    bench = Bench(samples, model.features).prepare()
    bench.requests = recorded(bench.controller.passphrase_requested)
    bench.ended = recorded(bench.controller.opening_ended)
    return bench


def type_into(qtbot, dialog, *texts):
    """Type into the line edits of a dialog."""
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


def test_that_a_passphrase_is_optional_typed_twice_hidden_and_taken_once(export_dialog, qtbot):
    assert export_dialog.accept_button.isEnabled()
    assert export_dialog.take_passphrase() is None
    export_dialog.protect.click()
    assert not export_dialog.accept_button.isEnabled()
    lines = (export_dialog.first.line, export_dialog.second.line)
    assert [line.accessibleName() for line in lines] == ["Passphrase", "Repeat passphrase"]
    assert {line.echoMode() for line in lines} == {QLineEdit.EchoMode.Password}
    assert all(line.inputMethodHints() & Qt.InputMethodHint.ImhSensitiveData for line in lines)
    type_into(qtbot, export_dialog, PASSPHRASE, PASSPHRASE)
    assert export_dialog.problem.text() == ""
    qtbot.keyClick(lines[1], Qt.Key.Key_Return)
    assert export_dialog.result() == ExportDialog.DialogCode.Accepted
    assert export_dialog.take_passphrase() == PASSPHRASE
    assert export_dialog.first.text() == export_dialog.second.text() == ""
    export_dialog.show_box.click()
    assert {line.echoMode() for line in lines} == {QLineEdit.EchoMode.Normal}
    for line in lines:  # cannot be undone
        qtbot.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert line.text() == ""


def test_that_the_dialog_stays_until_both_passphrases_are_good_and_equal(export_dialog, qtbot):
    export_dialog.protect.click()
    for first, second, words in (
        (PASSPHRASE, WRONG, "differ"),
        ("short", "short", "at least 15"),
        (PASSPHRASE, PASSPHRASE[:9], ""),
        (PASSPHRASE, "", ""),
    ):
        type_into(qtbot, export_dialog, first, second)
        assert words in export_dialog.problem.text()
        assert bool(words) == bool(export_dialog.problem.text())
        assert not export_dialog.accept_button.isEnabled()
        export_dialog.accept()
        assert export_dialog.isVisible()


def test_that_a_protected_model_asks_for_its_passphrase_and_no_job_shows_it(bench, protected):
    def open_with(*passphrase):
        bench.controller.open(str(protected), *passphrase)
        assert [job.text for job in bench.jobs] == ["Opening me.lmkl"]
        assert PASSPHRASE not in repr(bench.jobs)
        bench.do()

    open_with()
    assert bench.requests == [PassphraseRequest(str(protected), "me.lmkl")]
    assert bench.notices == bench.ended == []
    open_with(WRONG)
    assert bench.requests[1:] == [PassphraseRequest(str(protected), "me.lmkl", was_wrong=True)]
    open_with(PASSPHRASE)
    assert bench.session.model.is_protected
    assert bench.session.model_summary.is_protected
    assert bench.opened == [str(protected)]
    assert len(bench.ended) == 1
    bench.controller.export(str(protected), PASSPHRASE)
    assert PASSPHRASE not in repr(bench.jobs.pop())
    protected.unlink()
    open_with(PASSPHRASE)
    assert (len(bench.requests), len(bench.ended)) == (2, 2)
    assert bench.missing == [str(protected)]


def test_that_a_cancelled_model_is_not_opened_with_its_passphrase(bench, protected):
    bench.controller.open(str(protected), PASSPHRASE)
    bench.controller.cancel_opening()
    bench.do()
    assert bench.session.model is None
    assert bench.opened == []
    bench.controller.open(str(protected), PASSPHRASE)
    bench.do()
    assert bench.session.model is not None


def test_that_the_suffix_shows_whether_a_model_is_protected(tmp_path):
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
def test_that_an_exported_protected_model_opens_only_with_its_passphrase(
    launch, exported, save_as, tmp_path, monkeypatch, caplog, qtbot
):
    caplog.set_level(logging.DEBUG)
    derived_on = []
    real = sealed._cipher

    def watched(*arguments):
        derived_on.append(threading.current_thread())
        return real(*arguments)

    monkeypatch.setattr(sealed, "_cipher", watched)
    driver = launch(recent=(str(exported),)).until_modelled()
    file_dialog = save_as(tmp_path / "mine")

    def protect(dialog):
        assert isinstance(dialog, ExportDialog)
        dialog.protect.click()
        type_into(qtbot, dialog, PASSPHRASE, PASSPHRASE)
        dialog.accept_button.click()

    with_dialog(protect)
    driver.press("Ctrl+E")
    driver.until_notice("Exported to mine.lmkl.")
    _parent, _title, start, pattern = file_dialog.call_args.args
    assert start.endswith("face.lmkl")
    assert "*.lmkl" in pattern
    path = tmp_path / "mine.lmkl"
    with pytest.raises(PassphraseNeeded):
        load(path)
    driver.turn_to("Model")
    assert driver.pages.model.header.file.whole.endswith("protected by a passphrase")
    assert driver.close()

    # The next start asks for the passphrase, while the picture stays live.
    again = launch(recent=(str(path),)).until_prepared()
    again.until(lambda: isinstance(QApplication.activeModalWidget(), UnlockDialog))
    dialog = QApplication.activeModalWidget()
    n_painted = again.window.live.preview.n_painted
    again.until(lambda: again.window.live.preview.n_painted > n_painted + 3)
    type_into(qtbot, dialog, WRONG)
    qtbot.keyClick(dialog.edit.line, Qt.Key.Key_Return)
    assert dialog.edit.text() == ""
    assert not dialog.edit.isEnabled()
    again.until(lambda: "is wrong" in dialog.status.text())
    assert again.session.model is None
    type_into(qtbot, dialog, PASSPHRASE)
    again.click(dialog.accept_button)
    again.until_notice("Opened mine.lmkl.")
    assert QApplication.activeModalWidget() is None
    assert again.session.model.is_protected

    # The key was derived on another thread, and the passphrase is stored nowhere.
    assert derived_on
    assert threading.main_thread() not in derived_on
    for text in (settings_file().read_text(), caplog.text, again.notices):
        assert "horse" not in text


def test_that_cancelling_the_passphrase_lets_everything_else_continue(launch, protected):
    driver = launch(recent=(str(protected),)).until_prepared()
    driver.until(lambda: isinstance(QApplication.activeModalWidget(), UnlockDialog))
    driver.qtbot.keyClick(QApplication.activeModalWidget(), Qt.Key.Key_Escape)
    driver.until(lambda: QApplication.activeModalWidget() is None)
    assert driver.session.model is None
    assert "me.lmkl" not in driver.notices
    assert driver.controller.settings.recent == (str(protected),)
    last = driver.session.scored
    driver.until(lambda: driver.session.scored is not last)
    driver.drop(protected)
    driver.until(lambda: isinstance(QApplication.activeModalWidget(), UnlockDialog))
    assert driver.close()  # without an answer
    assert QApplication.activeModalWidget() is None


def test_that_a_passphrase_is_suggested_for_models_derived_from_a_protected_one(
    launch, exported, protected, save_as
):
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.controller.model.open(str(protected), PASSPHRASE)
    driver.until_notice("Opened me.lmkl.")
    driver.controller.change_settings(target_bpcer=0.2)
    driver.until(lambda: driver.session.has_unsaved_model)
    suggested = []

    def leave_unprotected(dialog):
        suggested.append(dialog.is_protected)
        dialog.protect.setChecked(False)
        dialog.accept_button.click()

    # An unprotected model does not get the suffix of protected ones.
    before = protected.read_bytes()
    save_as(protected)
    with_dialog(leave_unprotected)
    driver.press("Ctrl+E")
    driver.until_notice("Exported to me.safetensors.")
    written = protected.with_suffix(".safetensors").stat().st_mtime_ns
    # The file dialog did not ask about replacing the file with the changed suffix.
    with_dialog(leave_unprotected)
    asked = answer_box("Cancel")
    driver.press("Ctrl+E")
    assert "me.safetensors" in asked[0]
    assert suggested == [True, False]
    assert protected.read_bytes() == before
    assert protected.with_suffix(".safetensors").stat().st_mtime_ns == written
