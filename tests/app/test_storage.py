"""Folders, atomic files, and deleting all personal data."""

import os
import stat
from pathlib import Path

import platformdirs
import pytest

from app import storage
from lmkl_core.system import files

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions and links")
NOT_ROOT = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere"
)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_that_the_systems_folders_are_used_by_default(monkeypatch):
    monkeypatch.delenv("LMKL_PAD_CONFIG")
    monkeypatch.delenv("LMKL_PAD_DATA")
    folder = Path(platformdirs.user_config_dir("lmkl-pad", False))
    assert storage.settings_file() == folder / "settings.json"


@POSIX
def test_that_permissions_granted_to_others_are_revoked(folders):
    storage.data_folder().chmod(0o755)
    assert stat.S_IMODE(storage.data_folder().stat().st_mode) == 0o700


@pytest.mark.fault("Process and disk", "a file where a folder should be", keeps="files")
def test_that_a_file_in_place_of_the_folder_is_refused_with_the_way_out(folders):
    (folders / "data").write_text("a file where the folder should be")
    with pytest.raises(storage.StorageError, match="LMKL_PAD_DATA"):
        storage.data_folder()


def test_that_caches_with_names_that_are_not_unicode_are_remembered_too(folders):
    """They hold views of faces, and *Delete all my data* has to find all of them."""
    caches = [folders / "one", folders / "caf\udce9", folders / "two"]
    for cache in caches:
        storage.remember_cache(cache)
    assert storage.remembered_caches() == caches


def test_that_networks_and_other_files_in_a_shared_folder_are_not_deleted(tmp_path, monkeypatch):
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
def test_that_links_are_removed_but_not_their_targets_outside(folders):
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
def test_that_files_that_cannot_be_deleted_are_reported(folders):
    inner = storage.data_folder() / "takes"
    inner.mkdir()
    (inner / "face.png").write_bytes(b"face")
    inner.chmod(0o500)
    try:
        done = storage.delete_all()
    finally:
        inner.chmod(0o700)
    assert "face.png" in done.problems[0]
    assert inner not in done.removed


@pytest.mark.fault("Process and disk", "a folder deleted while it is written to", keeps="files")
def test_that_a_folder_deleted_during_a_write_is_made_again(folders, monkeypatch):
    path = folders / "config" / "settings.json"
    path.parent.mkdir()
    sweep, deleted = files.sweep, []

    def delete_first(folder):
        if len(deleted) < storage.TRIES_TO_WRITE - 1:
            folder.rmdir()  # like another instance that deletes everything
            deleted.append(folder)
        sweep(folder)

    monkeypatch.setattr(files, "sweep", delete_first)
    storage.write_text(path, "chosen")
    assert path.read_text() == "chosen"
    assert len(deleted) == storage.TRIES_TO_WRITE - 1
