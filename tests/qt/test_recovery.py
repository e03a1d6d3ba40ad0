"""Unsaved takes in the real window: kept as they are recorded, offered after a crash."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app import storage
from app.session.recovery import find
from tests.app.unsaved_takes import kept_frames, leave, takes_folder
from tests.qt.driving import PLAN, Pictures, answer_box, recorded


@pytest.fixture
def real(samples):
    """Return samples of a person who is not simulated."""
    return tuple(replace(sample, is_simulated=False) for sample in samples)


@pytest.fixture
def moving(genuine):
    """Return pictures of the person with sensor noise, no two of them the same."""
    rng = np.random.default_rng(0)
    noise = rng.integers(-6, 7, size=(10, *genuine[0].shape))
    return [
        np.clip(picture + grain, 0, 255).astype(np.uint8) for grain in noise for picture in genuine
    ]


def n_kept():
    """Return the number of frames on disk, of all runs."""
    return sum(kept_frames())


@pytest.mark.fault("Process and disk", "disk full while takes are stored", keeps="frames")
def test_that_takes_are_written_while_they_are_recorded_once_the_disk_has_room(launch, moving):
    storage.personal_folder().parent.mkdir(parents=True)
    storage.personal_folder().write_text("a file where the folder should be")
    driver = launch(make_demo=lambda: Pictures(moving)).until_prepared()
    notices = recorded(driver.controller.notice)
    driver.record_take()
    driver.until_notice("Unsaved takes cannot be kept on disk")
    storage.personal_folder().unlink()
    driver.record_take()
    driver.until(lambda: n_kept() == 2 * PLAN.frames)
    assert sum("cannot be kept" in notice.text for notice in notices) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.fault("Process and disk", "disk full while the window exports", keeps="models")
def test_that_takes_are_brought_back_fitted_and_deleted_once_exported(
    launch, real, model, file_dialogs, tmp_path, monkeypatch
):
    leave(real, model.features)
    driver = launch().until_prepared()
    driver.until_notice(f"2 takes ({len(real)} frames)")
    driver.turn_to("Why")
    (before,) = takes_folder().glob("*/")
    driver.click(driver.button("Restore takes"))
    driver.until_notice("Restored 2 takes")
    assert driver.window.tabs.currentWidget() is driver.window.pages.enrol
    assert [sample.take for sample in driver.session.enrolment.samples] == [s.take for s in real]
    assert "ended unexpectedly" not in driver.notices
    driver.until(lambda: not before.exists())
    assert n_kept() == len(real)

    driver.click(driver.pages.enrol.fit_bar.fit_button)
    driver.until(lambda: driver.session.model is not None)
    driver.turn_to("Model")  # without pictures, too
    assert n_kept() == len(real)  # the model is not exported yet

    path = file_dialogs(tmp_path / "face.safetensors")
    path.write_bytes(b"an older model")

    def full(name, flags, mode=0o777, **options):
        """Open a device without space instead of the file being written."""
        if ".lmkl-" in str(name) and flags & os.O_CREAT and str(tmp_path) in str(name):
            return open_file("/dev/full", os.O_WRONLY)
        return open_file(name, flags, mode, **options)

    open_file = os.open
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        driver.press("Ctrl+E")
        driver.until_notice("No space left on device")
    assert driver.session.has_unsaved_model
    assert path.read_bytes() == b"an older model"
    assert n_kept() == len(real)  # still needed
    last = driver.session.scored
    driver.until(lambda: driver.session.scored is not last)  # scoring continues

    driver.press("Ctrl+E")
    driver.until(lambda: not driver.session.has_unsaved_model)
    driver.until(lambda: list(takes_folder().iterdir()) == [])


def test_that_closing_asks_about_takes_and_keeps_only_those_of_earlier_runs(launch, real, model):
    leave(real[:3], model.features)
    driver = launch().until_prepared()
    driver.until_notice("unsaved")
    driver.enrol(real)
    driver.until(lambda: n_kept() == len(real) + 3)
    asked = answer_box("Cancel")
    assert not driver.close()
    assert "will be lost" in asked[0]
    assert n_kept() == len(real) + 3
    answer_box("Close")
    assert driver.close()
    assert n_kept() == 3  # the offer was not answered

    driver = launch().until_prepared()
    driver.until_notice("1 take (3 frames)")
    driver.enrol(real)
    driver.click(driver.button("Delete takes"))
    assert driver.controller.stop()  # as Ctrl-C does, without a question
    (found,) = find()
    found.run.release()
    assert len(found.samples) == len(real)  # only the offered takes are deleted


@pytest.mark.fault("Privacy", "everything deleted while takes are stored", keeps="files")
def test_that_deleting_everything_deletes_kept_and_offered_takes(launch, real, model):
    leave(real, model.features)
    driver = launch().until_prepared()
    driver.until_notice("unsaved")
    driver.enrol(real)  # still being written
    driver.controller.delete_everything()
    assert not storage.personal_folder().exists()
    driver.until_notice("is deleted")
    assert "unsaved" not in driver.notices
    assert driver.close()
    assert not storage.personal_folder().exists()


KILLED = """
import os, sys
import numpy as np
from PySide6.QtCore import QTimer
from app.qt.app import make_application, make_window
from app.settings import Settings
from tests.qt.driving import PLAN, Pictures

app = make_application()
images = list(np.load(sys.argv[1]))
settings = Settings(preset="tiny", source="demo")
window = make_window(settings, make_demo=lambda: Pictures(images), plan=PLAN)
window.show()
session = window.controller.session

def begin():
    if session.scored is None:
        QTimer.singleShot(10, begin)
    else:
        window.controller.enrol.start("window")

session.subscribe(lambda _topic: print(len(session.enrolment.samples), flush=True))
begin()
app.exec()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signal")
@pytest.mark.fault("Process and disk", "the window killed while a take is recorded", keeps="frames")
def test_that_a_killed_window_loses_no_frame_on_disk(moving, tmp_path, attempt):
    np.save(tmp_path / "person.npy", np.array(moving))
    command = [sys.executable, "-c", KILLED, str(tmp_path / "person.npy")]
    root = Path(__file__).resolve().parents[2]
    with attempt() as trial, subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as process:
        while n_kept() < 9:
            assert process.poll() is None
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        n_recorded = int(process.stdout.read().split()[-1])
        assert process.wait() == -signal.SIGKILL
        (found,) = find()
        found.run.remove()
        # Only frames recorded during the last write are lost.
        trial.expect_kept(len(found.samples) >= 9 and found.n_damaged == 0)
        trial.lose(max(0, n_recorded - len(found.samples)))
