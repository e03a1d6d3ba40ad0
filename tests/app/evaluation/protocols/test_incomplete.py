"""Copies of databases with missing files or invalid lines, read with ``allow_missing``."""

import pytest

from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import ProtocolError
from tests.app.evaluation.protocols import trees


def read(name, root, mode="client-independent", protocol=""):
    return DATABASES[name].read(root, protocol, mode, allow_missing=True)


def counts_of(layout):
    """Return numbers of found, missing and published recordings by split and class."""
    return {
        (each.split, each.kind): (each.found, each.missing, each.published)
        for each in layout.counts
    }


def test_that_missing_recordings_are_counted_by_split_and_class(tmp_path):
    root = trees.casia_fasd(tmp_path)
    lost = [f"train_release/3/{name}.avi" for name in ("1", "HR_1", "3")]
    lost += [f"test_release/7/{number}.avi" for number in range(1, 9)] + ["test_release/9/HR_4.avi"]
    for name in lost:
        (root / name).unlink()
    layout = read("casia-fasd", root)
    assert sorted(layout.missing) == sorted(lost)
    assert counts_of(layout) == {
        ("train", "bona fide"): (58, 2, 60),
        ("train", "attack"): (179, 1, 180),
        ("test", "bona fide"): (88, 2, 90),
        ("test", "attack"): (263, 7, 270),
    }
    ((plan,),) = [fold.plans for fold in layout.folds]
    kept = {recording.name for recording in (*plan.train, *plan.test)}
    assert len(plan.train) == 58
    assert len(plan.test) == 351
    assert not kept & set(lost)


def test_that_a_client_without_a_recording_to_learn_from_is_left_out(tmp_path):
    root = trees.msu_mfsd(tmp_path)
    (root / "scene01/real/real_client001_laptop_SD_scene01.mov").unlink()
    layout = read("msu-mfsd", root, "client-specific")
    assert "client001" not in {plan.name for plan in layout.folds[0].plans}
    assert any("client001" in note for note in layout.notes)


def test_that_invalid_lines_are_named_and_skipped(tmp_path):
    root = trees.nuaa(tmp_path, thinned=20)
    path = root / "raw/client_test_raw.txt"
    path.write_text(f"0001\\Thumbs.db\n..\\secret.jpg\n{path.read_text()}")
    with pytest.raises(ProtocolError, match=r"line 1: .*--allow-missing"):
        DATABASES["nuaa"].read(root, "", "client-independent")
    layout = read("nuaa", root)
    assert len(layout.passed_over) == 2
    for number, sentence in enumerate(layout.passed_over, start=1):
        assert sentence.startswith(f"client_test_raw.txt, line {number}: ")
    assert counts_of(layout)["test", "bona fide"] == (168, 0, 3362)


def test_that_a_repeated_line_counts_once(tmp_path):
    root = trees.nuaa(tmp_path, thinned=20)
    path = root / "raw/imposter_test_raw.txt"
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    layout = read("nuaa", root)
    assert "imposter_test_raw.txt, line 289" in layout.passed_over[0]
    assert counts_of(layout)["test", "attack"] == (288, 0, 5761)


def test_that_a_recording_in_training_and_test_is_always_refused(tmp_path):
    root = trees.msu_mfsd(tmp_path)
    (root / "test_sub_list.txt").write_text("02\n01\n")
    with pytest.raises(ProtocolError, match="both in train and in test"):
        read("msu-mfsd", root)


def test_that_a_copy_with_nothing_left_to_test_is_refused(tmp_path):
    root = trees.casia_fasd(tmp_path)
    for path in (root / "test_release").glob("*/*.avi"):
        if path.stem in ("1", "2", "HR_1"):
            path.unlink()
    with pytest.raises(ProtocolError, match="no bona fide recordings to test"):
        read("casia-fasd", root)


def test_that_unknown_names_and_empty_folders_are_skipped_without_lists(tmp_path):
    root = trees.replay_attack(tmp_path)
    (root / "protocols").rename(root / "lists")
    (root / "train/real/holiday.mov").touch()
    for video in (root / "devel/attack/hand").iterdir():
        video.unlink()
    layout = read("replay-attack", root)
    stranger, empty = layout.passed_over
    assert "train/real/holiday.mov" in stranger
    assert "devel/attack/hand" in empty
    assert counts_of(layout)["development", "attack"] == (150, 0, 300)
    assert counts_of(layout)["train", "bona fide"] == (60, 0, 60)


def test_that_missing_classes_of_objects_are_skipped(tmp_path):
    root = tmp_path / "256_ObjectCategories"
    trees.touch(root, [f"{n:03d}.x/{n:03d}_000{k}.jpg" for n in (1, 2, 256) for k in (1, 2)])
    layout = read("caltech-256", tmp_path, "one-against-rest")
    assert len(layout.folds) == 2
    assert "253 of its 256 classes" in layout.passed_over[0]
