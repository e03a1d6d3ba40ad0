"""Own recordings."""

import os
import re
import shutil

import pytest

from app.evaluation.protocols.plain import DATABASE
from app.evaluation.protocols.types import ProtocolError
from tests.app.evaluation.protocols.trees import touch


@pytest.fixture
def root(tmp_path):
    for subject in ("anna", "ben", "cleo", "dora"):
        touch(
            tmp_path,
            [
                f"{subject}/bonafide/take10.mp4",
                f"{subject}/bonafide/take2.MOV",
                f"{subject}/bonafide/take1.jpg",
                f"{subject}/bonafide/walk/0001.png",
                f"{subject}/bonafide/walk/0002.png",
                f"{subject}/bonafide/notes.txt",
                f"{subject}/bonafide/.hidden.mp4",
                f"{subject}/attack-print/a.mp4",
                f"{subject}/attack-paper-mask/a.mp4",
                f"{subject}/remarks/anything.mp4",
            ],
        )
    return tmp_path


def names(recordings):
    return [recording.name for recording in recordings]


def read(root, mode="client-specific"):
    return DATABASE.read(root, "", mode)


def test_that_videos_images_and_folders_of_images_are_recordings_in_natural_order(root):
    (fold,) = read(root).folds
    plan = fold.plans[0]
    assert plan.name == "anna"
    assert names(plan.train) == ["anna/bonafide/take1.jpg", "anna/bonafide/take10.mp4"]
    assert names(plan.test) == [
        "anna/bonafide/take2.MOV",
        "anna/bonafide/walk",
        "anna/attack-paper-mask/a.mp4",
        "anna/attack-print/a.mp4",
    ]
    assert [recording.species for recording in plan.test[2:]] == ["paper mask", "print"]
    assert not plan.development


def test_that_other_files_are_reported(root):
    (root / "anna/bonafide/late.3gp").touch()
    (root / "ben/loose.mp4").touch()
    for mode in DATABASE.modes:
        (note,) = [note for note in read(root, mode).notes if note.startswith("Left out")]
        assert "anna/remarks, anna/bonafide/late.3gp, anna/bonafide/notes.txt and 7 more" in note


def test_that_without_other_files_none_are_reported(tmp_path):
    touch(tmp_path, [f"anna/{take}.mp4" for take in ("bonafide/1", "bonafide/2", "attack-x/1")])
    assert not [note for note in read(tmp_path).notes if note.startswith("Left out")]


@pytest.mark.parametrize("split", ["", "test/"])
def test_that_a_misspelt_folder_of_recordings_is_refused(tmp_path, split):
    whole = ["anna/bonafide/1.mp4", "anna/bonafide/2.mp4", "anna/attack-print/1.mp4"]
    splits = ("train/", "test/") if split else ("",)
    touch(tmp_path, [f"{part}{name}" for part in splits for name in whole])
    read(tmp_path)
    for name in ("attack_mask", "Attack-mask", "attacks", "attack", "Bonafide"):
        folder = tmp_path / f"{split}anna/{name}"
        folder.mkdir()
        with pytest.raises(ProtocolError, match=rf"anna contains {name}: .* attack-<species>"):
            read(tmp_path)
        folder.rmdir()


@pytest.mark.parametrize("beside", ["validation/anna", "ben"])
def test_that_recordings_beside_the_splits_are_refused(tmp_path, beside):
    places = ("train/anna", "test/anna", beside)
    kinds = ("bonafide", "attack-print")
    touch(tmp_path, [f"{place}/{kind}/1.mp4" for place in places for kind in kinds])
    touch(tmp_path, ["results/table.html"])
    with pytest.raises(ProtocolError, match=f"recordings in {beside.split('/')[0]}, beside train"):
        read(tmp_path)


@pytest.mark.parametrize("name", [b"caf\xe9.mp4", b"two\nlines.mp4"])
def test_that_a_name_that_is_not_text_is_refused(root, name):
    try:
        os.close(os.open(os.fsencode(root / "anna/bonafide") + b"/" + name, os.O_CREAT))
    except OSError:
        pytest.skip("this file system refuses such names")
    with pytest.raises(ProtocolError, match=r"bonafide contains '(caf\\udce9|two\\nlines)\.mp4'"):
        read(root)


def test_that_names_in_other_scripts_are_accepted(tmp_path):
    names = ["Zoë 王\N{ZERO WIDTH JOINER}", "ben"]
    takes = ["at 5.30\N{NARROW NO-BREAK SPACE}PM.png", "2.png"]
    touch(tmp_path, [f"{name}/bonafide/{take}" for name in names for take in takes])
    touch(tmp_path, [f"{name}/attack-print/1.png" for name in names])
    assert {plan.name for plan in read(tmp_path).folds[0].plans} == set(names)


def test_that_subjects_without_bona_fide_recordings_are_tested_only(tmp_path):
    for subject in ("anna", "cleo", "dora"):
        touch(tmp_path, [f"{subject}/bonafide/1.mp4", f"{subject}/attack-print/1.mp4"])
    touch(tmp_path, ["ben/attack-mask/1.mp4"])
    (plan,) = read(tmp_path, "client-independent").folds[0].plans
    assert {r.subject for r in plan.train} == {"anna"}
    assert {r.subject for r in plan.development} == {"cleo"}
    assert {r.subject for r in plan.test} == {"dora", "ben"}


@pytest.mark.parametrize(("tested", "is_shared"), [("anna", True), ("ben", False)])
def test_that_people_in_training_and_test_are_reported(tmp_path, tested, is_shared):
    touch(tmp_path, [f"train/anna/bonafide/{n}.mp4" for n in (1, 2)])
    touch(tmp_path, [f"test/{tested}/{kind}/1.mp4" for kind in ("bonafide", "attack-print")])
    notes = read(tmp_path, "client-independent").notes
    assert any("share people (anna)" in note for note in notes) == is_shared


def test_that_subjects_are_assigned_as_a_whole(root):
    layout = read(root, "client-independent")
    (plan,) = layout.folds[0].plans
    assert {r.subject for r in plan.train} == {"anna", "dora"}
    assert {r.subject for r in plan.development} == {"ben"}
    assert {r.subject for r in plan.test} == {"cleo"}
    assert "train: anna, dora; development: ben; test: cleo" in layout.notes[0]
    for subject in ("cleo", "dora"):
        shutil.rmtree(root / subject)
    (plan,) = read(root, "client-independent").folds[0].plans
    assert {r.subject for r in plan.train} == {"anna"}
    assert not plan.development
    assert {r.subject for r in plan.test} == {"ben"}


@pytest.mark.parametrize("mode", DATABASE.modes)
def test_that_folders_of_splits_are_followed(tmp_path, mode):
    touch(
        tmp_path,
        [
            f"{split}/{subject}/{kind}/{split}.mp4"
            for split in ("train", "development", "test")
            for subject in ("anna", "ben")
            for kind in ("bonafide", "attack-print")
        ],
    )
    (fold,) = read(tmp_path, mode).folds
    assert len(fold.plans) == {"client-specific": 2, "client-independent": 1}[mode]
    for plan in fold.plans:
        for split in ("train", "development", "test"):
            found = names(getattr(plan, split))
            assert {name.split("/")[0] for name in found} == {split}
        assert {r.is_attack for r in plan.development} == {True, False}


def test_that_incomplete_folders_are_refused(tmp_path):
    single, shared = "client-specific", "client-independent"
    for number, (mode, why, *files) in enumerate(
        [
            (single, "needs two recordings", "anna/bonafide/1.mp4", "anna/attack-x/1.mp4"),
            (single, "no attacks to test", "anna/bonafide/1.mp4", "anna/bonafide/2.mp4"),
            (single, "ben contains neither", "anna/bonafide/1.mp4", "ben/videos/1.mp4"),
            (single, "names no species", "anna/bonafide/1.mp4", "anna/attack-/1.mp4"),
            (single, "contains no recordings", "anna/bonafide/notes.txt"),
            (single, "without images, w:", "anna/bonafide/1.mp4", "anna/bonafide/w/x.txt"),
            (shared, "only one subject", "anna/bonafide/1.mp4"),
            (shared, "only one subject", "a/bonafide/1.mp4", "b/attack-x/1.mp4"),
        ]
    ):
        root = tmp_path / str(number)
        touch(root, files)
        with pytest.raises(ProtocolError, match=why):
            read(root, mode)


def test_that_the_folder_above_a_subject_is_named(root):
    with pytest.raises(ProtocolError, match=f" {re.escape(str(root))}, not "):
        read(root / "anna")
