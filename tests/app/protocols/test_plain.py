"""One's own recordings."""

import pytest

from app.protocols.plain import DATABASE
from app.protocols.types import ProtocolError
from tests.app.protocols.trees import touch


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
    assert names(plan.train) == ["anna/bonafide/take1.jpg", "anna/bonafide/take2.MOV"]
    assert names(plan.test) == [
        "anna/bonafide/take10.mp4",
        "anna/bonafide/walk",
        "anna/attack-paper-mask/a.mp4",
        "anna/attack-print/a.mp4",
    ]
    assert [recording.species for recording in plan.test[2:]] == ["paper mask", "print"]
    assert not plan.development


def test_that_the_report_is_told_how_takes_were_divided(root):
    assert any("first half" in note for note in read(root).notes)


def test_that_subjects_are_dealt_out_as_a_whole(root):
    layout = read(root, "client-independent")
    (plan,) = layout.folds[0].plans
    assert {r.subject for r in plan.train} == {"anna", "dora"}
    assert {r.subject for r in plan.development} == {"ben"}
    assert {r.subject for r in plan.test} == {"cleo"}
    assert "train: anna, dora; development: ben; test: cleo" in layout.notes[0]


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


@pytest.mark.parametrize(
    ("files", "mode", "why"),
    [
        (["anna/bonafide/1.mp4", "anna/attack-x/1.mp4"], "client-specific", "needs two recordings"),
        (["anna/bonafide/1.mp4", "anna/bonafide/2.mp4"], "client-specific", "no attacks to test"),
        (["anna/bonafide/1.mp4", "ben/videos/1.mp4"], "client-specific", "ben holds neither"),
        (["anna/bonafide/1.mp4", "anna/attack-/1.mp4"], "client-specific", "names no species"),
        (["anna/bonafide/notes.txt"], "client-specific", "holds no recordings"),
        (["anna/bonafide/1.mp4", "anna/bonafide/w/x.txt"], "client-specific", "without images, w:"),
        (["anna/bonafide/1.mp4"], "client-independent", "one subject only"),
    ],
)
def test_that_what_is_missing_is_told(tmp_path, files, mode, why):
    touch(tmp_path, files)
    with pytest.raises(ProtocolError, match=why):
        read(tmp_path, mode)


def test_that_who_points_at_a_subject_is_told_the_folder_above(root):
    with pytest.raises(ProtocolError) as caught:
        read(root / "anna")
    assert f"lies in {root}, not in {root / 'anna'}" in str(caught.value)


def test_that_recordings_of_the_demo_are_read_as_they_are_written(tmp_path):
    from app.demo_video.recordings import write_recordings
    from app.demo_video.takes import Take

    takes = [Take("P001", seed=n, n_frames=2) for n in (0, 1)]
    takes.append(Take("P001", "attack", "paper-mask", n_frames=2))
    write_recordings(tmp_path, takes)
    (plan,) = read(tmp_path).folds[0].plans
    assert [len(list(r.footage.frames(5))) for r in (*plan.train, *plan.test)] == [2, 2, 2]
    assert plan.test[-1].species == "paper mask"
