"""A disk that is full, that refuses, or from which files vanish: told in one sentence."""

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

LIMITED = pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))


def is_one_sentence(text):
    return "\n" not in text and text.endswith(".") and "Error" not in text and len(text) < 400


def told_where_files_are_limited(size, act):
    """Act where the kernel gives a file so many bytes; return what a person is told."""
    import resource  # POSIX's

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        act()
    except Exception as error:
        told = sentence_of(error, "The work failed")
        assert is_one_sentence(told), told
        return told
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    raise AssertionError("there was room enough")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while settings are saved", keeps="settings")
def test_that_settings_on_a_full_disk_stay_as_they_were(tmp_path):
    settings.save(settings.Settings(theme="light"))
    other = settings.Settings(theme="dark")
    assert "free some space" in told_where_files_are_limited(100, lambda: settings.save(other))
    assert settings.load() == (settings.Settings(theme="light"), ())
    assert os.listdir(tmp_path / "config") == ["settings.json"]


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while a report is saved", keeps="files")
def test_that_a_report_on_a_full_disk_is_the_old_one_as_a_whole(tmp_path):
    page, report = tmp_path / "report.html", build(session(2, 2), context())
    write(build(session(2, 2), context(source="before")), page)
    before = contents(tmp_path)
    # There is room for the small files, which come first, and not for the page.
    told = told_where_files_are_limited(len(before[page.name]) // 2, lambda: write(report, page))
    assert "choose another folder or free some space" in told
    assert contents(tmp_path) == before


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while a model is saved", keeps="models")
def test_that_a_model_on_a_full_disk_is_the_old_one(tmp_path):
    path, other = tmp_path / "face.safetensors", recalibrated(small_model(), 0.3)
    save(small_model(), path)
    before = contents(tmp_path)
    told = told_where_files_are_limited(1000, lambda: save(other, path))
    assert "cannot be written" in told
    assert contents(tmp_path) == before


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while takes are stored", keeps="frames")
def test_that_takes_on_a_full_disk_are_those_that_were_kept_before():
    journal, more = Journal(), takes(60, "window", "lamp", columns=200)
    journal.keep(takes(3, "window"), FEATURES)
    told_where_files_are_limited(5000, lambda: journal.keep(more, FEATURES))
    journal.close()
    assert same_samples(left_samples(), takes(3, "window"))


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while an evaluation stores views", keeps="files")
def test_that_an_evaluation_on_a_full_disk_says_where_room_is_needed(tmp_path):
    cache, views = Cache("features", tmp_path / "cache"), {"views": np.zeros((100, 100))}
    told = told_where_files_are_limited(1000, lambda: cache.store("0" * 64, {}, views))
    assert "free some space" in told
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@LIMITED
@pytest.mark.fault("Process and disk", "disk full while scores are written", keeps="files")
def test_that_scores_on_a_full_disk_leave_the_old_file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("old")

    def write_rows():
        with rows_to(path) as write_row:
            for _ in range(10_000):
                write_row("1,0.5\n")
            raise AssertionError("A full disk is noticed while rows are written.")

    told = told_where_files_are_limited(20_000, write_rows)
    assert told.startswith(f"Cannot write {path}")
    assert contents(tmp_path) == {path.name: b"old"}


WAYS = {
    "model": (lambda folder: save(small_model(), folder / "face.safetensors"), ModelFileError),
    "report": (
        lambda folder: write(build(session(1, 1), context()), folder / "report.html"),
        ReportError,
    ),
    "table": (lambda folder: write_table(table(), folder), ReportError),
    "bytes": (lambda folder: write_bytes(folder / "strip.png", b"picture"), OutputError),
    "text": (lambda folder: storage.write_text(folder / "note", "text"), storage.StorageError),
}


def refused_in_one_sentence(way, folder):
    act, kind = WAYS[way]
    with pytest.raises(kind) as refusal:
        act(folder)
    assert is_one_sentence(str(refusal.value)), refusal.value


@pytest.mark.fault("Process and disk", "a file where a folder should be", keeps="files")
@pytest.mark.parametrize("way", WAYS)
def test_that_a_folder_that_is_none_is_told(way, tmp_path):
    (tmp_path / "folder").write_text("mine")
    refused_in_one_sentence(way, tmp_path / "folder")
    assert (tmp_path / "folder").read_text() == "mine"


READ_ONLY = "/proc/self"
"""A folder into which not even root can write."""

NOBODY = 65534


@pytest.fixture
def forbidden():
    """Return a folder that may not be written to; root becomes somebody else for that."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    yield folder
    os.seteuid(was)
    folder.rmdir()  # which fails where something was left in it


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs rights as POSIX has them")
@pytest.mark.fault("Process and disk", "read-only folder", keeps="files")
@pytest.mark.parametrize("way", WAYS)
def test_that_a_folder_that_may_not_be_written_is_told(way, forbidden):
    refused_in_one_sentence(way, forbidden)
    assert os.listdir(forbidden) == []


@pytest.mark.skipif(not Path(READ_ONLY).is_dir(), reason="needs a file system that is read-only")
@pytest.mark.fault("Process and disk", "read-only file system", keeps="files")
@pytest.mark.parametrize("way", WAYS)
def test_that_a_file_system_that_takes_nothing_is_told(way):
    refused_in_one_sentence(way, Path(READ_ONLY))


@pytest.mark.skipif(not Path(READ_ONLY).is_dir(), reason="needs a file system that is read-only")
@pytest.mark.fault("Process and disk", "read-only file system", keeps="files")
def test_that_takes_that_cannot_be_kept_are_told_in_one_sentence(monkeypatch):
    monkeypatch.setenv("LMKL_PAD_DATA", READ_ONLY)
    with pytest.raises(storage.StorageError) as refusal:
        Journal().keep(takes(2, "window"), FEATURES)
    assert is_one_sentence(str(refusal.value))


@pytest.mark.fault("Process and disk", "a folder deleted while it is written to", keeps="files")
def test_that_a_folder_that_vanished_before_scores_are_written_is_told(tmp_path, monkeypatch):
    stick, rename = tmp_path / "stick", os.replace

    def pulled_out(*names):
        shutil.rmtree(stick)
        rename(*names)

    stick.mkdir()
    monkeypatch.setattr("lmkl_core.system.files.os.replace", pulled_out)
    with pytest.raises(OutputError, match="No such file") as refusal:
        write_bytes(stick / "s.csv", b"")
    assert is_one_sentence(str(refusal.value))
    assert not stick.exists()


@pytest.mark.fault("Process and disk", "a model file deleted", keeps="files")
def test_that_a_model_that_vanished_is_told_and_can_be_saved_again(tmp_path):
    saved = save(small_model(), tmp_path / "face.safetensors").model
    (tmp_path / "face.safetensors").unlink()
    with pytest.raises(ModelFileError, match="there is no such file"):
        load(tmp_path / "face.safetensors")
    save(replace(saved, path=""), tmp_path / "face.safetensors")
    load(tmp_path / "face.safetensors")


@pytest.mark.fault("Process and disk", "the folder of unsaved takes deleted", keeps="frames")
def test_that_takes_are_kept_anew_when_their_folder_has_vanished(attempt):
    journal, samples = Journal(), takes(6, "window")
    for n, gone in enumerate((takes_folder, storage.personal_folder, run_folder), start=1):
        journal.keep(samples[:n], FEATURES)
        shutil.rmtree(gone())
        with attempt() as trial:
            journal.keep(samples[: n + 1], FEATURES)
            journal.close()
            (found,) = find()
            trial.expect_kept(same_samples(found.samples, samples[: n + 1]))
            found.run.remove()


def run_folder():
    (folder,) = takes_folder().glob("*/")
    return folder
