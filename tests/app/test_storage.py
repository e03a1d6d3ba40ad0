"""Folders, files that are whole or not there, and deleting what is the person's own."""

import os
import stat
from pathlib import Path

import platformdirs
import pytest

from app import storage
from lmkl_core.system import files

POSIX = pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
NOT_ROOT = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere"
)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    return tmp_path


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_that_the_usual_folders_are_used_without_variables(monkeypatch):
    monkeypatch.delenv("LMKL_PAD_CONFIG")
    monkeypatch.delenv("LMKL_PAD_DATA")
    usual = Path(platformdirs.user_config_dir("lmkl-pad", False))
    assert storage.settings_file() == usual / "settings.json"


@POSIX
def test_that_rights_given_to_others_are_taken_back(folders):
    storage.data_folder().chmod(0o755)
    assert rights(storage.data_folder()) == 0o700


@pytest.mark.fault("Process and disk", "a file where a folder should be", keeps="files")
def test_that_a_folder_in_the_way_is_named_in_the_refusal(folders):
    (folders / "data").write_text("a file where the folder should be")
    with pytest.raises(storage.StorageError, match="LMKL_PAD_DATA"):
        storage.data_folder()


def test_that_what_is_no_short_text_is_refused_and_not_waited_for(tmp_path):
    (tmp_path / "long").write_bytes(b"x" * 101)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    told = {"long": "larger than", "binary": "UTF-8"}
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        told["pipe"] = "not a regular file"
    for name, reason in told.items():
        with pytest.raises(ValueError, match=reason):
            storage.read_text(tmp_path / name, 100)


def test_that_folders_whose_names_are_not_unicode_are_remembered_beside_others(folders):
    """Views of faces lie there: *Delete all my data* has to find every one."""
    named = [folders / "one", folders / "caf\udce9", folders / "two"]
    for folder in named:
        storage.remember_cache(folder)
    assert storage.remembered_caches() == named


def test_that_networks_and_foreign_files_stay_where_everything_shares_a_folder(
    tmp_path, monkeypatch
):
    for name in ("LMKL_PAD_CONFIG", "LMKL_PAD_DATA"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "net.pth").write_bytes(b"network")
    (tmp_path / "thesis.txt").write_text("not ours")
    storage.write_text(storage.settings_file(), "{}")
    storage.data_folder()
    storage.delete_all()
    assert {path.name for path in tmp_path.iterdir()} == {"weights", "thesis.txt"}


@POSIX
def test_that_links_are_removed_and_what_they_point_to_outside_stays(folders):
    (folders / "photo.png").write_bytes(b"elsewhere")
    (storage.data_folder() / "link").symlink_to(folders / "photo.png")
    storage.delete_all()
    assert (folders / "photo.png").exists()
    assert not (folders / "data").exists()


@POSIX
def test_that_a_personal_folder_on_another_disk_is_emptied(folders):
    (folders / "disk").mkdir()
    (folders / "disk" / "face.png").write_bytes(b"face")
    (folders / "data").mkdir()
    (folders / "data" / "personal").symlink_to(folders / "disk")
    storage.delete_all()
    assert list((folders / "disk").iterdir()) == []
    assert not (folders / "data").exists()


@POSIX
@NOT_ROOT
def test_that_what_cannot_be_deleted_is_told(folders):
    inner = storage.data_folder() / "takes"
    inner.mkdir()
    (inner / "face.png").write_bytes(b"face")
    inner.chmod(0o500)
    try:
        done = storage.delete_all()
    finally:
        inner.chmod(0o700)
    assert "face.png could not be deleted" in done.problems[0]
    assert inner not in done.removed


@pytest.mark.fault("Process and disk", "a folder deleted while it is written to", keeps="files")
def test_that_a_folder_that_is_deleted_while_text_is_written_is_made_again(folders, monkeypatch):
    path = folders / "config" / "settings.json"
    path.parent.mkdir()
    sweep, deleted = files.sweep, []

    def delete_first(folder):
        if len(deleted) < storage.TRIES_TO_WRITE - 1:
            folder.rmdir()  # as another instance does that deletes everything
            deleted.append(folder)
        sweep(folder)

    monkeypatch.setattr(files, "sweep", delete_first)
    storage.write_text(path, "chosen")
    assert path.read_text() == "chosen"
    assert len(deleted) == storage.TRIES_TO_WRITE - 1
