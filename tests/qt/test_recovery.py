"""Unsaved takes in the real window: kept as they are recorded, offered after an unexpected end."""

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton

from app import storage
from app.preparing import extractor_from
from app.recovery.finding import find
from app.recovery.journal import Journal
from app.recovery.runs import takes_folder
from tests.qt.driving import PLAN, Pictures, answer_box

N_FRAMES = PLAN.parts * PLAN.frames


@pytest.fixture
def real(samples):
    """Return samples of a person who counts as real."""
    return tuple(replace(sample, is_simulated=False) for sample in samples)


@pytest.fixture
def moving(genuine):
    """Return pictures of the person of which no two are the same, as a camera's."""
    rng = np.random.default_rng(0)
    noise = rng.integers(-6, 7, size=(10, *genuine[0].shape))
    return [
        np.clip(picture + grain, 0, 255).astype(np.uint8) for grain in noise for picture in genuine
    ]


@pytest.fixture
def left(real):
    """Leave takes as a run that was killed does."""

    def leave(features=None, samples=real):
        journal = Journal()
        journal.keep(samples, features or extractor_from("tiny").fingerprint())
        journal.close()

    return leave


def n_kept():
    """Return the number of frames on disk, of runs that live and of those that do not."""
    from app.recovery.index import read_index

    n = 0
    for folder in takes_folder().glob("*/"):
        with contextlib.suppress(FileNotFoundError):  # removed at this moment, or just begun
            n += len(read_index(folder).rows)
    return n


def enrol(driver, samples):
    driver.session.change_enrolment(lambda one: setattr(one, "samples", samples))


def offer(driver, text):
    """Click an answer of the notice."""

    def buttons():
        all_ = driver.window.live.notices.findChildren(QPushButton)
        return [one for one in all_ if one.text() == text and one.isVisible()]

    driver.until(lambda: len(buttons()) == 1)
    driver.click(buttons()[0])


# ------------------------------------------------------------- kept


def test_that_takes_of_a_person_are_on_disk_as_they_are_recorded(launch, moving):
    driver = launch(make_demo=lambda: Pictures(moving)).until_prepared()
    driver.record_take()
    driver.until(lambda: takes_folder().exists() and n_kept() == N_FRAMES)


def test_that_takes_of_the_demo_are_not_kept(launch, samples):
    driver = launch().until_prepared()
    enrol(driver, samples)
    driver.desk.keeper.want((), {})
    assert driver.desk.stop()
    assert not takes_folder().exists()


def test_that_an_export_removes_them_and_a_fit_alone_does_not(launch, real, tmp_path):
    driver = launch().until_prepared()
    enrol(driver, real)
    driver.until(lambda: n_kept() == len(real))
    driver.press("Ctrl+F")
    driver.until(lambda: driver.session.model is not None)
    driver.until(lambda: driver.session.has_unsaved_model)
    assert n_kept() == len(real)
    driver.desk.model.export(str(tmp_path / "face.safetensors"))
    driver.until(lambda: n_kept() == 0)


def test_that_deleted_takes_are_removed(launch, real):
    driver = launch().until_prepared()
    enrol(driver, real)
    driver.until(lambda: n_kept() == len(real))
    driver.desk.enrol.remove_take("lamp")
    driver.until(lambda: n_kept() == len(real) // 2)
    driver.desk.enrol.clear()
    driver.until(lambda: n_kept() == 0)


def test_that_closing_asks_first_and_then_removes_them(launch, real):
    driver = launch().until_prepared()
    enrol(driver, real)
    driver.until(lambda: n_kept() == len(real))
    asked = answer_box("Cancel")
    assert not driver.close()
    assert asked == ["Takes that no model holds yet will be lost. Close all the same?"]
    assert n_kept() == len(real)
    answer_box("Close")
    assert driver.close()
    assert list(takes_folder().iterdir()) == []


def test_that_an_end_without_a_question_keeps_them(launch, real):
    driver = launch().until_prepared()
    enrol(driver, real)
    assert driver.desk.stop()  # as Ctrl-C in the terminal does
    (found,) = find()
    found.run.release()
    assert found.n_frames == len(real)


def test_that_switching_it_off_removes_them_and_keeps_no_more(launch, real, left):
    left()
    driver = launch().until_prepared()
    driver.until_told("not saved")
    enrol(driver, real[:3])
    driver.until(lambda: n_kept() == len(real) + 3)
    driver.desk.change_settings(recover_takes=False)
    driver.until(lambda: n_kept() == 0)
    assert "not saved" not in driver.notices
    enrol(driver, real)
    assert driver.desk.stop()
    assert n_kept() == 0


def test_that_switched_off_what_is_found_at_the_start_is_removed(launch, left):
    left()
    driver = launch(recover_takes=False).until_prepared()
    driver.until(lambda: n_kept() == 0)
    assert driver.notices == "" or "not saved" not in driver.notices


@pytest.mark.fault("Privacy", "everything deleted while takes are kept", keeps="files")
def test_that_deleting_everything_removes_what_is_kept_and_what_was_found(launch, real, left):
    left()
    driver = launch().until_prepared()
    driver.until_told("not saved")
    enrol(driver, real)
    driver.desk.delete_everything()
    assert not storage.personal_folder().exists()
    driver.until_told("Everything the program had stored is deleted.")
    assert "not saved" not in driver.notices
    assert driver.close()
    assert not storage.personal_folder().exists()


# ------------------------------------------------------------- brought back


def test_that_takes_come_back_and_a_click_fits_the_model_again(launch, real, left):
    left()
    driver = launch().until_prepared()
    driver.until_told(f"with 2 takes ({len(real)} frames) not saved.")
    driver.turn_to("Why")
    offer(driver, "Bring them back")
    driver.until_told(f"2 takes ({len(real)} frames) are back")
    assert driver.window.book.current == "enrol"
    assert [sample.take for sample in driver.session.enrolment.samples] == [s.take for s in real]
    assert "ended unexpectedly" not in driver.notices
    driver.until(lambda: len([one for one in takes_folder().glob("*") if one.is_dir()]) == 1)
    assert n_kept() == len(real)
    driver.click(driver.pages.enrol.fit_bar.fit_button)
    driver.until(lambda: driver.session.model is not None)
    driver.turn_to("Model")  # without pictures, too


def test_that_they_are_deleted_where_the_person_wants_it(launch, left):
    left()
    driver = launch().until_prepared()
    driver.until_told("not saved")
    offer(driver, "Delete them")
    driver.until(lambda: n_kept() == 0)
    assert "not saved" not in driver.notices


def test_that_without_an_answer_they_are_offered_again(launch, left, real):
    left()
    driver = launch().until_prepared()
    driver.until_told("not saved")
    assert driver.close()
    assert n_kept() == len(real)
    launch().until_prepared().until_told("not saved")


def test_that_several_runs_are_offered_one_after_the_other(launch, left, real):
    left()
    left(samples=real[:3])
    driver = launch().until_prepared()
    driver.until_told("not saved")
    first = driver.notices
    offer(driver, "Bring them back")
    driver.until(lambda: "not saved" in driver.notices and first not in driver.notices)
    offer(driver, "Bring them back")
    driver.until(lambda: len(driver.session.enrolment.samples) == len(real) + 3)
    driver.until(lambda: n_kept() == len(real) + 3)


def test_that_takes_of_other_views_wait_until_these_are_chosen(launch, left):
    left(features={"preset": {"name": "texture"}})
    driver = launch().until_prepared()
    driver.until_told("They are of the views 'texture', not of those in use")
    shown = [one.text() for one in driver.window.live.notices.findChildren(QPushButton)]
    assert shown == ["Delete them"]
    features = extractor_from("tiny").fingerprint()
    driver.desk.recovery.on_prepared({"preset": {"name": "texture"}})  # chosen in the settings
    shown = [
        one.text()
        for one in driver.window.live.notices.findChildren(QPushButton)
        if not one.parentWidget().isHidden()
    ]
    assert "Bring them back" in shown
    driver.desk.recovery.on_prepared(features)


@pytest.mark.fault("Process and disk", "damaged index of unsaved takes, in the window")
def test_that_damaged_takes_are_told_and_can_be_deleted(launch, left):
    left()
    (index,) = takes_folder().glob("*/index.json")
    index.write_text("{")
    driver = launch().until_prepared()
    driver.until_told("cannot be brought back because")
    offer(driver, "Delete them")
    driver.until(lambda: not list(takes_folder().glob("*")))


@pytest.mark.fault("Process and disk", "damaged files of unsaved takes, in the window")
def test_that_takes_whose_files_are_all_damaged_are_told_and_kept_until_deleted(launch, left):
    left()
    for chunk in takes_folder().glob("*/*.safetensors"):
        chunk.write_bytes(b"")
    driver = launch().until_prepared()
    driver.until_told("not saved")
    offer(driver, "Bring them back")
    driver.until_told("cannot be brought back because their files are damaged.")
    assert driver.session.enrolment.samples == ()
    offer(driver, "Delete them")
    driver.until(lambda: not list(takes_folder().glob("*")))


# ------------------------------------------------------------- faults

KILLED = """
import os, sys
import numpy as np
from PySide6.QtCore import QTimer
from app.qt.bootstrap import make_application, make_window
from app.settings import Settings
from tests.qt.driving import PLAN, Pictures

app = make_application()
images = list(np.load(sys.argv[1]))
window = make_window(Settings(preset="tiny", source="demo"), make_demo=lambda: Pictures(images),
                     plan=PLAN)
window.show()
desk = window.desk

def begin():
    if desk.session is None or desk.session.scored is None:
        QTimer.singleShot(10, begin)
    else:
        desk.enrol.start("window")
        desk.session.subscribe(tell)

told = [0]
def tell(_topic):
    n = len(desk.session.enrolment.samples)
    if n != told[0]:
        told[0] = n
        print(n, flush=True)

begin()
app.exec()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX's signal")
@pytest.mark.fault("Process and disk", "the window killed while a take is recorded", keeps="frames")
def test_that_a_killed_window_loses_at_most_the_frame_it_was_writing(
    launch, moving, tmp_path, attempt
):
    np.save(tmp_path / "person.npy", np.array(moving))
    command = [sys.executable, "-c", KILLED, str(tmp_path / "person.npy")]
    root = Path(__file__).resolve().parents[2]
    with attempt() as trial:
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
            n_recorded = 0
            for line in process.stdout:
                n_recorded = int(line)
                if n_recorded == 9:
                    os.kill(process.pid, signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        driver = launch().until_prepared()
        driver.until_told("The program ended unexpectedly")
        offer(driver, "Bring them back")
        driver.until(lambda: driver.session.enrolment.samples)
        n_back = len(driver.session.enrolment.samples)
        trial.lose(n_recorded - n_back)
        trial.expect_kept(n_recorded - n_back <= 2)
        assert not driver.session.enrolment.is_simulated


@pytest.mark.fault("Process and disk", "disk full while takes are kept", keeps="frames")
def test_that_a_disk_that_refuses_is_told_once_and_disturbs_no_recording(launch, moving):
    storage.personal_folder().parent.mkdir(parents=True)
    storage.personal_folder().write_text("a file where the folder should be")
    driver = launch(make_demo=lambda: Pictures(moving)).until_prepared()
    told = []
    driver.desk.notice.connect(lambda notice: told.append(notice.text))
    driver.record_take()
    driver.until_told("Unsaved takes cannot be kept on disk")
    assert len(driver.session.enrolment.samples) == N_FRAMES
    assert sum("cannot be kept" in text for text in told) == 1
    storage.personal_folder().unlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.fault("Process and disk", "disk full while the window exports", keeps="models")
def test_that_an_export_onto_a_full_disk_keeps_the_model_unsaved(
    launch, real, file_dialogs, tmp_path, monkeypatch
):
    driver = launch().until_prepared()
    enrol(driver, real)
    driver.press("Ctrl+F")
    driver.until(lambda: driver.session.model is not None)
    path = file_dialogs(tmp_path / "face.safetensors")
    path.write_bytes(b"an older model")

    def full(name, flags, mode=0o777, **options):
        """Open what never has room, in the place of what is being written."""
        if ".lmkl-" in str(name) and flags & os.O_CREAT and str(tmp_path) in str(name):
            return open_file("/dev/full", os.O_WRONLY)
        return open_file(name, flags, mode, **options)

    open_file = os.open
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        driver.press("Ctrl+E")
        driver.until_told("No space left on device")
    assert driver.session.has_unsaved_model
    assert path.read_bytes() == b"an older model"
    assert n_kept() == len(real)  # still needed
    last = driver.session.scored
    driver.until(lambda: driver.session.scored is not last)  # the window goes on
