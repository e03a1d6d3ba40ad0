"""Full disks, read-only folders and vanished files: one sentence, and the old file stays."""

import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app import settings, storage
from app.cli.outputs import OutputError, rows_to, write_bytes
from app.evaluation.cache import Cache
from app.models.files import load, save
from app.models.fitting import recalibrated
from app.qt.workers.worker import sentence_of
from app.reports import ReportError, build, write
from app.reports.writing import write_table
from app.session.recovery import Journal, find
from lmkl_core.errors import ModelFileError
from tests.app.guided_tests import session
from tests.app.models.small_models import window_model as small_model
from tests.app.reports.example_context import context
from tests.app.reports.example_tables import table
from tests.app.unsaved_takes import FEATURES, left_samples, same_samples, takes, takes_folder
from tests.core.recordings import is_one_sentence

LIMITED = pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))


def message_on_full_disk(size, act):
    """Act while the kernel limits files to a size; return the message for the user."""
    import resource  # POSIX's

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        act()
    except Exception as error:
        message = sentence_of(error, "The work failed")
        assert is_one_sentence(message), message
        return message
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    raise AssertionError("there was enough space")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while settings are saved", keeps="settings")
def test_that_settings_stay_unchanged_on_a_full_disk(tmp_path):
    settings.save(settings.Settings(theme="light"))
    other = settings.Settings(theme="dark")
    assert "free some space" in message_on_full_disk(100, lambda: settings.save(other))
    assert settings.load() == (settings.Settings(theme="light"), ())
    assert os.listdir(tmp_path / "config") == ["settings.json"]


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while a report is saved", keeps="files")
def test_that_all_files_of_a_report_stay_unchanged_on_a_full_disk(tmp_path):
    page, report = tmp_path / "report.html", build(session(2, 2), context())
    write(build(session(2, 2), context(source="before")), page)
    before = contents(tmp_path)
    # There is space for the small files, which come first, but not for the page.
    size = len(before[page.name]) // 2
    assert "free some space" in message_on_full_disk(size, lambda: write(report, page))
    assert contents(tmp_path) == before


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while a model is saved", keeps="models")
def test_that_a_model_stays_unchanged_on_a_full_disk(tmp_path):
    path, other = tmp_path / "face.safetensors", recalibrated(small_model(), 0.3)
    save(small_model(), path)
    before = contents(tmp_path)
    assert "cannot be written" in message_on_full_disk(1000, lambda: save(other, path))
    assert contents(tmp_path) == before


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while takes are stored", keeps="frames")
def test_that_stored_takes_stay_unchanged_on_a_full_disk():
    journal, more = Journal(), takes(60, "window", "lamp", columns=200)
    journal.keep(takes(3, "window"), FEATURES)
    message_on_full_disk(5000, lambda: journal.keep(more, FEATURES))
    journal.close()
    assert same_samples(left_samples(), takes(3, "window"))


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while an evaluation stores views", keeps="files")
def test_that_an_evaluation_leaves_no_files_on_a_full_disk(tmp_path):
    cache, views = Cache("features", tmp_path / "cache"), {"views": np.zeros((100, 100))}
    message = message_on_full_disk(1000, lambda: cache.store("0" * 64, {}, views))
    assert "free some space" in message
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while scores are written", keeps="files")
def test_that_scores_stay_unchanged_on_a_full_disk(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("old")

    def write_rows():
        with rows_to(path) as write_row:
            for _ in range(10_000):
                write_row("1,0.5\n")
            raise AssertionError("the full disk was not noticed")

    assert message_on_full_disk(20_000, write_rows).startswith(f"Cannot write {path}")
    assert contents(tmp_path) == {path.name: b"old"}


WRITERS = {
    "model": (lambda folder: save(small_model(), folder / "face.safetensors"), ModelFileError),
    "report": (
        lambda folder: write(build(session(1, 1), context()), folder / "report.html"),
        ReportError,
    ),
    "table": (lambda folder: write_table(table(), folder), ReportError),
    "bytes": (lambda folder: write_bytes(folder / "strip.png", b"picture"), OutputError),
    "text": (lambda folder: storage.write_text(folder / "note", "text"), storage.StorageError),
}
TAKES = (lambda _: Journal().keep(takes(2, "window"), FEATURES), storage.StorageError)


def assert_refused(writer, folder):
    write_into, error = TAKES if writer == "takes" else WRITERS[writer]
    with pytest.raises(error) as caught:
        write_into(folder)
    assert is_one_sentence(str(caught.value)), caught.value


@pytest.mark.fault("Process and disk", "a file where a folder should be", keeps="files")
@pytest.mark.parametrize("writer", WRITERS)
def test_that_a_file_in_place_of_a_folder_is_refused(writer, tmp_path):
    (tmp_path / "folder").write_text("mine")
    assert_refused(writer, tmp_path / "folder")
    assert (tmp_path / "folder").read_text() == "mine"


@pytest.fixture
def forbidden():
    """Return a folder without write permission; root takes the identity of an ordinary user."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield folder
    os.seteuid(user)
    folder.rmdir()


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs POSIX permissions")
@pytest.mark.fault("Process and disk", "read-only folder", keeps="files")
@pytest.mark.parametrize("writer", WRITERS)
def test_that_a_read_only_folder_is_refused(writer, forbidden):
    assert_refused(writer, forbidden)
    assert os.listdir(forbidden) == []


READ_ONLY = Path("/proc/self")  # not even root can write there


@pytest.mark.skipif(not READ_ONLY.is_dir(), reason="needs a read-only file system")
@pytest.mark.fault("Process and disk", "read-only file system", keeps="files")
@pytest.mark.parametrize("writer", [*WRITERS, "takes"])
def test_that_a_read_only_file_system_is_refused(writer, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_DATA", str(READ_ONLY))
    assert_refused(writer, READ_ONLY)


@pytest.mark.fault("Process and disk", "a folder deleted while it is written to", keeps="files")
def test_that_a_folder_that_vanishes_during_a_write_is_reported(tmp_path, monkeypatch):
    stick, rename = tmp_path / "stick", os.replace

    def pulled_out(*names):
        shutil.rmtree(stick)
        rename(*names)

    stick.mkdir()
    monkeypatch.setattr("lmkl_core.system.files.os.replace", pulled_out)
    with pytest.raises(OutputError, match="No such file") as caught:
        write_bytes(stick / "s.csv", b"")
    assert is_one_sentence(str(caught.value))
    assert not stick.exists()


@pytest.mark.fault("Process and disk", "a model file deleted", keeps="files")
def test_that_a_vanished_model_is_reported_and_can_be_saved_again(tmp_path):
    saved = save(small_model(), tmp_path / "face.safetensors").model
    (tmp_path / "face.safetensors").unlink()
    with pytest.raises(ModelFileError, match="no such file"):
        load(tmp_path / "face.safetensors")
    save(replace(saved, path=""), tmp_path / "face.safetensors")
    load(tmp_path / "face.safetensors")


@pytest.mark.fault("Process and disk", "the folder of unsaved takes deleted", keeps="frames")
def test_that_takes_are_stored_again_when_their_folder_has_vanished(attempt):
    journal, samples = Journal(), takes(6, "window")
    for n, folder in enumerate((takes_folder, storage.personal_folder, run_folder), start=1):
        journal.keep(samples[:n], FEATURES)
        shutil.rmtree(folder())
        with attempt() as trial:
            journal.keep(samples[: n + 1], FEATURES)
            journal.close()
            (found,) = find()
            trial.expect_kept(same_samples(found.samples, samples[: n + 1]))
            found.run.remove()


def run_folder():
    (folder,) = takes_folder().glob("*/")
    return folder
