"""Unsaved takes on disk: kept up to date, and restored from files that may be damaged."""

import contextlib
import os
import random
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.session.recovery import LARGEST_TAKE, Journal, find, fits, offer_of, outcome_of
from lmkl_core.model_file.container import seal
from tests.app.unsaved_takes import (
    FEATURES,
    left_samples,
    same_samples,
    takes,
    takes_folder,
)
from tests.core.model_file_mutations import unsealed


@pytest.fixture(autouse=True)
def own_data(monkeypatch, tmp_path):
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))


@pytest.fixture
def journal():
    journal = Journal()
    yield journal
    journal.close()


@pytest.fixture
def folder(journal):
    """Return the folder of an ended run with two takes."""
    journal.keep((*takes(4, "window"), *takes(3, "lamp", first=4)), FEATURES)
    journal.close()
    return run_folder()


def run_folder():
    (folder,) = (path for path in takes_folder().iterdir() if path.is_dir())
    return folder


def files():
    return {path.name: path.stat().st_mtime_ns for path in sorted(run_folder().iterdir())}


def found_takes():
    (found,) = find()
    found.run.release()
    return found


def change_manifest(folder, **values):
    """Rewrite the first file with other values in its manifest, and the matching digest."""
    path = folder / "0.safetensors"
    document, tensors = unsealed(path.read_bytes())
    path.write_bytes(seal({**document, **values}, tensors))


def test_that_kept_takes_come_back_after_the_end_of_the_run(journal):
    first, second = takes(3, "window", "lamp"), takes(3, "door", first=6)
    samples = (*first, *(replace(sample, person="Ann") for sample in second))
    journal.keep(samples, FEATURES)
    journal.keep(tuple(replace(sample, person="Ben") for sample in samples), FEATURES)
    journal.keep(samples, FEATURES)
    assert find() == []  # the run is still alive
    journal.close()
    assert same_samples(left_samples(), samples)


def test_that_only_the_take_that_changed_is_written(journal):
    samples = takes(4, "window", "lamp")
    journal.keep(samples[:4], FEATURES)
    before = files()
    journal.keep(samples, FEATURES)
    after = files()
    assert (len(after), after | before) == (2, after)
    journal.keep(samples, FEATURES)
    assert files() == after
    journal.close()
    assert same_samples(left_samples(), samples)


def test_that_a_removed_frame_leaves_the_disk_and_undo_brings_it_back(journal):
    samples = takes(6, "window")
    journal.keep(samples, FEATURES)
    removed = samples[2].views["eyes/net"].tobytes()
    assert any(removed in path.read_bytes() for path in run_folder().iterdir())
    journal.keep((*samples[:2], *samples[3:]), FEATURES)
    assert not any(removed in path.read_bytes() for path in run_folder().iterdir())
    journal.keep(samples, FEATURES)
    journal.close()
    assert same_samples(left_samples(), samples)


def test_that_a_take_stays_in_its_file_when_renamed_or_without_its_first_frame(journal):
    samples = takes(3, "window", "lamp")
    journal.keep(samples, FEATURES)
    before = list(files())
    renamed = tuple(replace(s, take="☃ " + s.take) for s in samples)
    for wanted in (renamed, renamed[1:], renamed[2:], renamed[3:], samples):
        journal.keep(wanted, FEATURES)
        assert set(files()) <= set(before)
    journal.close()
    assert same_samples(left_samples(), samples)


def test_that_no_frame_comes_back_twice_after_a_kill_while_frames_are_removed(journal, monkeypatch):
    samples = takes(4, "window")
    journal.keep(samples, FEATURES)

    def killed(path, missing_ok=False):
        raise SystemExit

    with monkeypatch.context() as patch, contextlib.suppress(SystemExit):
        patch.setattr(Path, "unlink", killed)
        journal.keep(samples[1:], FEATURES)
    journal.close()
    assert same_samples(left_samples(), samples[1:])


def test_that_pictures_are_never_written_and_missing_conditions_stay_missing(journal):
    samples = tuple(replace(sample, condition=None) for sample in takes(3, "window"))
    for sample in samples:
        sample.thumbnail[:] = 77
    journal.keep(samples, FEATURES)
    assert not any(b"\x4d" * 64 in path.read_bytes() for path in run_folder().iterdir())
    journal.close()
    assert [(s.thumbnail, s.condition) for s in left_samples()] == [(None, None)] * 3


def test_that_saved_or_deleted_takes_leave_nothing_on_disk(journal):
    journal.keep(takes(3, "window"), FEATURES)
    journal.keep((), {})
    assert list(takes_folder().iterdir()) == []
    journal.keep(takes(3, "lamp"), FEATURES)
    journal.close()
    assert {sample.take for sample in left_samples()} == {"lamp"}


def test_that_a_folder_that_cannot_be_removed_is_not_written_to_again(journal, monkeypatch):
    """Its lock is released, so another instance may take it over."""
    journal.keep(takes(3, "window"), FEATURES)
    folder = run_folder()

    def refused(path):
        raise OSError(39, "Directory not empty", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", refused)
        with pytest.raises(OSError, match="not empty"):
            journal.keep((), {})
    lamp = takes(3, "lamp")
    journal.keep(lamp, FEATURES)
    assert find() == []  # ours is locked; the other one is empty and gets removed
    assert not folder.exists()
    journal.close()
    assert same_samples(left_samples(), lamp)


def test_that_failed_writes_leave_no_files_behind(journal):
    """On a nearly full disk, each frame once left one more file."""
    journal.keep(takes(2, "window"), FEATURES)
    (path,) = run_folder().iterdir()
    before = sorted(run_folder().iterdir())
    path.unlink()
    path.mkdir()  # no file can replace it
    samples = takes(5, "window")
    for n in (3, 4, 5):
        with pytest.raises(OSError, match="directory"):
            journal.keep(samples[:n], FEATURES)
        assert set(before) <= set(run_folder().iterdir())
        assert len(list(run_folder().iterdir())) <= 2
    path.rmdir()
    journal.keep(samples, FEATURES)
    journal.close()
    assert same_samples(left_samples(), samples)


def test_that_an_empty_folder_of_an_ended_run_is_removed(folder):
    for path in folder.iterdir():
        path.unlink()
    assert find() == []
    assert list(takes_folder().iterdir()) == []


def test_that_other_files_folders_and_links_are_left_alone(tmp_path):
    mine = [takes_folder() / "note.txt", takes_folder() / "other folder" / "note.txt"]
    if os.name == "posix":
        mine.append(tmp_path / "elsewhere" / "note.txt")
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    if os.name == "posix":
        (takes_folder() / "run").symlink_to(tmp_path / "elsewhere")
    assert find() == []
    assert all(path.exists() for path in mine)


BAD_VALUES = [
    {"version": 2},
    {"format": "lmkl-pad unsaved frames"},
    {"take": 1},
    {"take": "x" * 5000},
    {"take": "a\nb"},
    {"person": "Ann\n"},
    {"numbers": []},
    {"numbers": [0, 0, 1, 2]},
    {"numbers": [0, 1, 2, -3]},
    {"numbers": [0, 1, 2, 0.5]},
    {"numbers": [0, 1]},
    {"views": ["eyes/net", "eyes/net"]},
    {"views": []},
    {"circumstances": ["brightness"]},
    {"features": []},
    {"written": "yesterday"},
    {"written": "2026-01-01T00:00:00"},
    {"written": "0001-01-01T00:00:00+23:59"},
    {"written": "9999-12-31T23:59:59-23:59"},
    {"more": 1},
]


@pytest.mark.fault("Process and disk", "damaged or hostile manifest of unsaved takes")
def test_that_a_bad_manifest_is_reported_and_the_other_take_comes_back(folder, attempt):
    path = folder / "0.safetensors"
    data = path.read_bytes()
    for values in BAD_VALUES:
        path.write_bytes(data)
        change_manifest(folder, **values)
        with attempt():
            found = found_takes()
            assert [sample.number for sample in found.samples] == [4, 5, 6], values
            assert found.n_damaged == 1
            assert found.problem
    assert "1 damaged take" in outcome_of(found)
    (folder / "4.safetensors").unlink()
    offer = offer_of(found_takes(), FEATURES)
    assert "cannot be restored" in offer
    assert "\n" not in offer


@pytest.mark.fault("Process and disk", "damaged or hostile manifest of unsaved takes")
def test_that_a_manifest_that_is_nested_too_deeply_is_reported(folder, attempt):
    """Python reads slightly deeper than it writes; depths in between once hid all folders."""
    limit, path = sys.getrecursionlimit(), folder / "0.safetensors"
    data = path.read_bytes()
    for depth in (40, *range(940, 1000, 3)):
        path.write_bytes(data)
        value = []
        for _ in range(depth):
            value = [value]
        sys.setrecursionlimit(10 * limit)
        try:
            change_manifest(folder, features={"deep": value})
        finally:
            sys.setrecursionlimit(limit)
        with attempt():
            found = found_takes()
            assert [sample.number for sample in found.samples] == [4, 5, 6]
            assert "nested" in found.problem


@pytest.mark.fault("Process and disk", "damaged file of unsaved takes: the others are restored")
def test_that_takes_in_undamaged_files_are_restored(folder, attempt):
    path, other = folder / "0.safetensors", folder / "4.safetensors"
    data = path.read_bytes()
    damages = {
        "empty": lambda: path.write_bytes(b""),
        "cut": lambda: path.write_bytes(data[: len(data) // 2]),
        "longer": lambda: path.write_bytes(data + b"\0"),
        "a bit": lambda: path.write_bytes(data[:-9] + b"\x01" + data[-8:]),
        "nested": lambda: path.write_bytes(b"\xff\xff\0\0\0\0\0\0" + b"[" * 65_535),
        "large": lambda: os.truncate(path, LARGEST_TAKE + 1),
        "a folder": lambda: (path.unlink(), path.mkdir()),
    }
    if os.name == "posix":
        damages["a pipe"] = lambda: (path.unlink(), os.mkfifo(path))
    for name, damage in damages.items():
        damage()
        with attempt():
            found = found_takes()
            assert same_samples(found.samples, takes(3, "lamp", first=4)), name
            assert (found.n_damaged, list(found.files)) == (1, [other])
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_bytes(data)
    assert len(found_takes().samples) == 7


@pytest.mark.fault("Process and disk", "random bytes in files of unsaved takes", keeps="crashes")
def test_that_random_changes_never_raise_and_never_give_frames_not_recorded(folder, attempt):
    rng, originals = random.Random(6), {path: path.read_bytes() for path in folder.iterdir()}
    genuine = {s.views["eyes/net"].tobytes() for s in found_takes().samples}
    for _ in range(200):
        path = rng.choice(sorted(originals))
        data = bytearray(originals[path])
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        with attempt():
            found = found_takes()
            assert {s.views["eyes/net"].tobytes() for s in found.samples} <= genuine
            assert all(np.isfinite(v).all() for s in found.samples for v in s.views.values())
        path.write_bytes(originals[path])


def test_that_takes_of_other_views_do_not_mix(folder):
    other = Journal()
    other.keep(takes(2, "desk", columns=9), FEATURES)
    (theirs,) = (path for path in takes_folder().glob("*/0.safetensors") if path.parent != folder)
    (folder / "9.safetensors").write_bytes(theirs.read_bytes())
    other.keep((), {})
    found = found_takes()
    assert (len(found.samples), found.n_damaged) == (7, 1)


def test_that_takes_with_other_views_than_those_in_use_are_offered_with_the_reason(folder):
    found = found_takes()
    assert fits(found, FEATURES)
    others = {**FEATURES, "preset": {"name": "tiny"}}
    newer = {**FEATURES, "weights": {"efficientnet-lite0": "0" * 64}}
    for features, reason in ((others, "(texture)"), (newer, "changed")):
        assert not fits(found, features)
        assert reason in offer_of(found, features)
