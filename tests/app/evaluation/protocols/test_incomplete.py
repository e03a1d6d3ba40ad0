"""Copies of databases that lack files or have lines too many, with `allow_missing`."""

import pytest

from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import ProtocolError
from tests.app.evaluation.protocols import trees


def read(name, root, mode="client-independent", protocol=""):
    return DATABASES[name].read(root, protocol, mode, allow_missing=True)


def told(layout):
    """Found, missing and published by split and class."""
    return {
        (each.split, each.kind): (each.found, each.missing, each.published)
        for each in layout.counts
    }


def test_that_what_is_missing_is_counted_by_split_and_class(tmp_path):
    root = trees.casia_fasd(tmp_path)
    lost = [f"train_release/3/{name}.avi" for name in ("1", "HR_1", "3")]
    lost += [f"test_release/7/{number}.avi" for number in range(1, 9)] + ["test_release/9/HR_4.avi"]
    for name in lost:
        (root / name).unlink()
    layout = read("casia-fasd", root)
    assert sorted(layout.missing) == sorted(lost)
    assert told(layout) == {
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


def test_that_lines_too_many_are_named_and_passed_over(tmp_path):
    root = trees.nuaa(tmp_path, thinned=20)
    path = root / "raw/client_test_raw.txt"
    path.write_text(f"0001\\Thumbs.db\n..\\secret.jpg\n{path.read_text()}")
    with pytest.raises(ProtocolError, match=r"line 1: .* 1 more problem .*--allow-missing"):
        DATABASES["nuaa"].read(root, "", "client-independent")
    layout = read("nuaa", root)
    assert len(layout.passed_over) == 2
    for number, sentence in enumerate(layout.passed_over, start=1):
        assert sentence.startswith(f"client_test_raw.txt, line {number}: ")
    assert told(layout)["test", "bona fide"] == (168, 0, 3362)


def test_that_a_line_that_is_there_twice_counts_once(tmp_path):
    root = trees.nuaa(tmp_path, thinned=20)
    path = root / "raw/imposter_test_raw.txt"
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    layout = read("nuaa", root)
    assert "imposter_test_raw.txt, line 289" in layout.passed_over[0]
    assert told(layout)["test", "attack"] == (288, 0, 5761)


def test_that_no_flag_lets_a_recording_be_learnt_from_and_tested(tmp_path):
    root = trees.msu_mfsd(tmp_path)
    (root / "test_sub_list.txt").write_text("02\n01\n")
    with pytest.raises(ProtocolError, match="both in train and in test"):
        read("msu-mfsd", root)


def test_that_nothing_left_to_test_is_refused(tmp_path):
    root = trees.casia_fasd(tmp_path)
    for path in (root / "test_release").glob("*/*.avi"):
        if path.stem in ("1", "2", "HR_1"):
            path.unlink()
    with pytest.raises(ProtocolError, match="no bona fide recordings to test"):
        read("casia-fasd", root)


def test_that_folders_and_names_without_lists_are_passed_over(tmp_path):
    root = trees.replay_attack(tmp_path)
    (root / "protocols").rename(root / "lists")
    (root / "train/real/holiday.mov").touch()
    for video in (root / "devel/attack/hand").iterdir():
        video.unlink()
    layout = read("replay-attack", root)
    told_of = " ".join(layout.passed_over)
    assert len(layout.passed_over) == 2
    assert "train/real/holiday.mov" in told_of
    assert "devel/attack/hand holds no .mov files" in told_of
    assert told(layout)["development", "attack"] == (150, 0, 300)
    assert told(layout)["train", "bona fide"] == (60, 0, 60)


def test_that_classes_of_objects_that_are_not_there_are_passed_over(tmp_path):
    root = tmp_path / "256_ObjectCategories"
    trees.touch(root, [f"{n:03d}.x/{n:03d}_000{k}.jpg" for n in (1, 2, 256) for k in (1, 2)])
    layout = read("caltech-256", tmp_path, "one-against-rest")
    assert len(layout.folds) == 2
    assert "253 of its 256 classes" in layout.passed_over[0]
