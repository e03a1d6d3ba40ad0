"""One's own recordings."""

import os

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


def test_that_what_was_left_out_is_told(root):
    (root / "anna/bonafide/late.3gp").touch()
    (root / "ben/loose.mp4").touch()
    (note,) = [note for note in read(root).notes if note.startswith("Left out")]
    assert note.endswith(
        ": anna/remarks, anna/bonafide/late.3gp, anna/bonafide/notes.txt and 7 more."
    )
    for file in (*root.glob("*/remarks/*"), *root.glob("*/bonafide/notes.txt")):
        file.unlink()
    for folder in root.glob("*/remarks"):
        folder.rmdir()
    (root / "anna/bonafide/late.3gp").unlink()
    (note,) = [note for note in read(root, "client-independent").notes if "Left out" in note]
    assert note.endswith(": ben/loose.mp4.")
    (root / "ben/loose.mp4").unlink()
    assert not [note for note in read(root).notes if "Left out" in note]


@pytest.mark.parametrize("split", ["", "test/"])
def test_that_a_misspelt_folder_of_recordings_is_refused_and_not_passed_over(tmp_path, split):
    whole = ["anna/bonafide/1.mp4", "anna/bonafide/2.mp4", "anna/attack-print/1.mp4"]
    splits = ("train/", "test/") if split else ("",)
    touch(tmp_path, [f"{part}{name}" for part in splits for name in whole])
    read(tmp_path)
    for name in ("attack_mask", "Attack-mask", "attacks", "attack", "Bonafide"):
        folder = tmp_path / f"{split}anna/{name}"
        folder.mkdir()
        with pytest.raises(ProtocolError, match=rf"anna holds {name}: .* attack-<species>"):
            read(tmp_path)
        folder.rmdir()


@pytest.mark.parametrize("beside", ["validation/anna", "ben"])
def test_that_recordings_beside_the_splits_are_refused_and_not_passed_over(tmp_path, beside):
    places = ("train/anna", "test/anna", beside)
    kinds = ("bonafide", "attack-print")
    touch(tmp_path, [f"{place}/{kind}/1.mp4" for place in places for kind in kinds])
    touch(tmp_path, ["results/table.html"])
    with pytest.raises(ProtocolError, match=f"recordings in {beside.split('/')[0]}, beside train"):
        read(tmp_path)


@pytest.mark.parametrize("name", [b"caf\xe9.mp4", b"two\nlines.mp4"])
def test_that_a_name_that_is_no_text_is_refused(root, name):
    try:
        os.close(os.open(os.fsencode(root / "anna/bonafide") + b"/" + name, os.O_CREAT))
    except OSError:
        pytest.skip("such names cannot be given here")
    with pytest.raises(ProtocolError, match=r"bonafide holds '(caf\\udce9|two\\nlines)\.mp4'"):
        read(root)


def test_that_names_of_other_scripts_and_with_any_spaces_are_text(tmp_path):
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


@pytest.mark.parametrize(("tested", "told"), [("anna", True), ("ben", False)])
def test_that_people_who_are_learnt_from_and_tested_are_told(tmp_path, tested, told):
    touch(tmp_path, [f"train/anna/bonafide/{n}.mp4" for n in (1, 2)])
    touch(tmp_path, [f"test/{tested}/{kind}/1.mp4" for kind in ("bonafide", "attack-print")])
    notes = read(tmp_path, "client-independent").notes
    assert any("both learnt from and tested (anna)" in note for note in notes) == told


def test_that_subjects_are_dealt_out_as_a_whole(root):
    layout = read(root, "client-independent")
    (plan,) = layout.folds[0].plans
    assert {r.subject for r in plan.train} == {"anna", "dora"}
    assert {r.subject for r in plan.development} == {"ben"}
    assert {r.subject for r in plan.test} == {"cleo"}
    assert "train: anna, dora; development: ben; test: cleo" in layout.notes[0]


def test_that_the_larger_half_of_an_odd_number_is_learnt_from(tmp_path):
    touch(tmp_path, [f"anna/bonafide/{n}.mp4" for n in (1, 2, 3)] + ["anna/attack-print/1.mp4"])
    layout = read(tmp_path)
    (plan,) = layout.folds[0].plans
    assert names(plan.train) == ["anna/bonafide/1.mp4", "anna/bonafide/3.mp4"]
    assert any("Every other" in note for note in layout.notes)


def test_that_two_subjects_are_training_and_test(tmp_path):
    for subject in ("anna", "ben"):
        touch(tmp_path, [f"{subject}/bonafide/1.mp4", f"{subject}/attack-print/1.mp4"])
    (plan,) = read(tmp_path, "client-independent").folds[0].plans
    assert names(plan.train) == ["anna/bonafide/1.mp4"]
    assert names(plan.test) == ["ben/bonafide/1.mp4", "ben/attack-print/1.mp4"]


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
        assert {name.split("/")[0] for name in names(plan.train)} == {"train"}
        assert {name.split("/")[0] for name in names(plan.development)} == {"development"}
        assert {name.split("/")[0] for name in names(plan.test)} == {"test"}
        assert {r.is_attack for r in plan.development} == {True, False}


def test_that_what_is_missing_is_told(tmp_path):
    one, many = "client-specific", "client-independent"
    for number, (mode, why, *files) in enumerate(
        [
            (one, "needs two recordings", "anna/bonafide/1.mp4", "anna/attack-x/1.mp4"),
            (one, "no attacks to test", "anna/bonafide/1.mp4", "anna/bonafide/2.mp4"),
            (one, "ben holds neither", "anna/bonafide/1.mp4", "ben/videos/1.mp4"),
            (one, "names no species", "anna/bonafide/1.mp4", "anna/attack-/1.mp4"),
            (one, "holds no recordings", "anna/bonafide/notes.txt"),
            (one, "without images, w:", "anna/bonafide/1.mp4", "anna/bonafide/w/x.txt"),
            (many, "only one subject", "anna/bonafide/1.mp4"),
            (many, "only one subject", "a/bonafide/1.mp4", "b/attack-x/1.mp4"),
        ]
    ):
        root = tmp_path / str(number)
        touch(root, files)
        with pytest.raises(ProtocolError, match=why):
            read(root, mode)


def test_that_who_points_at_a_subject_is_told_the_folder_above(root):
    with pytest.raises(ProtocolError) as caught:
        read(root / "anna")
    assert f"the right folder is {root}, " in str(caught.value)
