"""Layouts of all databases, protocols and modes."""

import pytest

from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import PARTS, ProtocolError
from tests.app.evaluation.protocols import trees

FACES_AND_OBJECTS = [name for name in DATABASES if name != "plain"]
ALL = [
    (name, protocol, mode)
    for name in FACES_AND_OBJECTS
    for protocol in DATABASES[name].protocols
    for mode in DATABASES[name].modes
]
CLIENTS = [case for case in ALL if case[2] == "client-specific"]


@pytest.mark.parametrize("name", FACES_AND_OBJECTS)
def test_that_models_learn_from_bona_fide_recordings_that_are_not_tested(whole, name):
    for case in ALL:
        if case[0] != name:
            continue
        layout = whole(*case)
        assert (layout.database, layout.protocol, layout.mode) == case
        for fold in layout.folds:
            train, development, test = (
                [r.name for plan in fold.plans for r in getattr(plan, part)] for part in PARTS
            )
            assert len(test) == len(set(test))
            assert not set(train) & set(test)
            assert not set(train) & set(development)
            assert not set(development) & set(test)
            for plan in fold.plans:
                assert plan.train
                assert not any(r.is_attack for r in plan.train)
                assert {r.is_attack for r in plan.development} in (set(), {True, False})
            assert {r.is_attack for plan in fold.plans for r in plan.test} == {True, False}
        # Names are paths below the root.
        for recording in (*plan.train[:5], *plan.test[-5:]) if name != "demo" else ():
            path = recording.reader.path
            assert path.is_file()
            assert path.is_absolute()
            assert path.as_posix().endswith("/" + recording.name)


def test_that_the_model_of_a_client_has_recordings_of_that_client_only(whole):
    for case in CLIENTS:
        layout = whole(*case)
        for fold in layout.folds:
            assert len({plan.name for plan in fold.plans}) == len(fold.plans) > 1
            for plan in fold.plans:
                subjects = {r.subject for r in (*plan.train, *plan.development, *plan.test)}
                assert subjects == {plan.name}, case
        # Notes say what it learns from, except for the demo, which was made for it.
        assert case[0] == "demo" or any("learn" in note for note in layout.notes), case


@pytest.mark.parametrize(("name", "n_train"), [("replay-attack", 2), ("replay-mobile", 4)])
def test_that_models_of_clients_learn_from_enrolment_recordings(whole, name, n_train):
    layout = whole(name, "", "client-specific")
    (fold,) = layout.folds
    for plan in fold.plans:
        assert len(plan.train) == n_train
        assert all(r.name.startswith("enroll/test/") for r in plan.train)
    total = sum(not r.is_attack for plan in fold.plans for r in plan.test)
    assert total == {"replay-attack": 80, "replay-mobile": 110}[name]


def test_that_a_client_without_bona_fide_test_recordings_is_tested_with_attacks(whole):
    layout = whole("replay-mobile", "", "client-specific")
    (plan,) = [plan for plan in layout.folds[0].plans if plan.name == "client009"]
    assert len(plan.train) == 4
    assert len(plan.test) == 16
    assert all(r.is_attack for r in plan.test)


def test_that_models_of_oulu_users_learn_in_the_conditions_of_training(whole):
    cases = (("I", 12, 6), ("II", 12, 6), ("III", 15, 3), ("IV", 10, 1))
    for protocol, n_train, n_genuine in cases:
        for fold in whole("oulu-npu", protocol, "client-specific").folds:
            assert len(fold.plans) == 20
            for plan in fold.plans:
                assert len(plan.train) == n_train
                genuine = [r for r in plan.test if not r.is_attack]
                assert len(genuine) == n_genuine
                assert not {r.condition for r in plan.train} & {r.condition for r in genuine}


@pytest.mark.parametrize(
    ("name", "trained", "tested"),
    [
        ("msu-mfsd", {"laptop"}, {"android"}),
        ("casia-fasd", {"normal quality", "low quality"}, {"high quality"}),
    ],
)
def test_that_models_of_clients_are_tested_with_another_camera(whole, name, trained, tested):
    for plan in whole(name, "", "client-specific").folds[0].plans:
        assert {each.condition for each in plan.train} == trained
        assert {each.condition for each in plan.test if not each.is_attack} == tested
        assert {each.condition for each in plan.test if each.is_attack} == trained | tested


def test_that_nuaa_leaves_out_people_without_training_images(whole):
    layout = whole("nuaa", "", "client-specific")
    (fold,) = layout.folds
    assert [plan.name for plan in fold.plans] == ["0001", "0004", "0007"] + [
        f"{number:04d}" for number in (2, 3, 5, 6, 8, 9)
    ]
    assert any("left out: 0010, 0011" in note for note in layout.notes)


def test_that_only_nuaa_shares_people_between_training_and_test(whole):
    for name in sorted({case[0] for case in ALL if case[2] == "client-independent"}):
        notes = whole(name, "", "client-independent").notes
        shared = [note for note in notes if "share people" in note]
        assert bool(shared) == (name == "nuaa")
        assert not shared or "(0001, 0002, 0003 and 6 more)" in shared[0]


# Part of a name, species and condition.
NAMED = (
    ("replay-attack", "attack_print_client021_session01_highdef_photo_", "print", ""),
    ("replay-attack", "attack_mobile_client021_session01_mobile_video_", "phone video", ""),
    ("replay-attack", "attack_highdef_client021_session01_highdef_video_", "tablet video", ""),
    ("replay-attack", "_webcam_authenticate_adverse_1", "bona fide", "adverse"),
    ("replay-mobile", "_print_hand_tablet_photo_lighton", "print", "tablet, lighton"),
    ("replay-mobile", "_mattescreen_fixed_mobile_photo_", "matte screen photo", "mobile, "),
    ("replay-mobile", "_mattescreen_fixed_mobile_video_", "matte screen video", "mobile, "),
    ("replay-mobile", "_authenticate_tablet_lateral", "bona fide", "tablet, lateral"),
    ("msu-mfsd", "_laptop_SD_printed_photo_", "print", "laptop"),
    ("msu-mfsd", "_android_SD_iphone_video_", "phone video", "android"),
    ("msu-mfsd", "_android_SD_ipad_video_", "tablet video", "android"),
    ("casia-fasd", "test_release/7/1.avi", "bona fide", "normal quality"),
    ("casia-fasd", "test_release/7/2.avi", "bona fide", "low quality"),
    ("casia-fasd", "test_release/7/HR_1.avi", "bona fide", "high quality"),
    ("casia-fasd", "test_release/7/HR_2.avi", "warped photo", "high quality"),
    ("casia-fasd", "test_release/7/6.avi", "cut photo", "low quality"),
    ("casia-fasd", "test_release/7/HR_4.avi", "video", "high quality"),
    ("nuaa", "ImposterRaw/0001/", "print", "session 3"),
    ("nuaa", "ClientRaw/0001/", "bona fide", "session 3"),
)


def test_that_species_and_condition_are_read_from_names(whole):
    for database, recording, species, condition in NAMED:
        (plan,) = whole(database, "", "client-independent").folds[0].plans
        found = [each for each in plan.test if recording in each.name]
        assert found, recording
        assert {each.species for each in found} == {species}, recording
        assert all(each.condition.startswith(condition) for each in found), recording


def test_that_the_number_of_an_oulu_file_is_its_species(whole):
    (plan,) = whole("oulu-npu", "III", "client-independent").folds[0].plans
    species = ("bona fide", "print 1", "print 2", "replay 1", "replay 2")
    for file, expected in enumerate(species, start=1):
        for part in (plan.development, plan.test):
            found = [each for each in part if each.name.endswith(f"_{file}.avi")]
            assert {each.species for each in found} == {expected}
        assert {each.condition for each in found} == {f"phone 1, session {n}" for n in (1, 2, 3)}


@pytest.mark.parametrize("name", ["replay-attack", "replay-mobile"])
def test_that_without_lists_the_same_videos_are_found(whole, tmp_path, name):
    database = DATABASES[name]
    root = getattr(trees, name.replace("-", "_"))(tmp_path)
    base = root / "database" if name == "replay-mobile" else root
    (base / "protocols").rename(base / "lists")
    for protocol in database.protocols:
        listed = whole(name, protocol, "client-specific")
        found = database.read(root, protocol, "client-specific")
        for one, other in zip(listed.folds[0].plans, found.folds[0].plans, strict=True):
            assert set(one.test) == set(other.test)
            assert set(one.train) == set(other.train)
        assert any("official lists" in note for note in found.notes)


def test_that_abnormal_objects_are_read_under_their_other_names(tmp_path):
    classes = ("Airplane", "boat", "CAR", "Chair", "Motorbike", "Sofa")
    trees.touch(tmp_path, [f"voc/{name}/{n}.jpg" for name in classes for n in range(4)])
    trees.touch(tmp_path, [f"abnormal/{name}/1.jpg" for name in classes])
    layout = DATABASES["abnormal-objects"].read(tmp_path, "", "one-against-rest")
    expected = ["aeroplane", "boat", "car", "chair", "motorbike", "sofa"]
    assert [fold.name for fold in layout.folds] == expected
    assert {len(fold.plans[0].train) for fold in layout.folds} == {2}


def test_that_unknown_protocols_and_modes_are_refused_with_the_known_ones():
    with pytest.raises(ProtocolError, match=r"'V': .* IV, I, II, III"):
        DATABASES["oulu-npu"].chosen("V", "client-independent")
    with pytest.raises(ProtocolError, match=r"'one-against-rest': .* client-independent"):
        DATABASES["oulu-npu"].chosen("", "one-against-rest")


def test_that_the_demo_needs_no_folder_and_keeps_most_species_for_the_test():
    layout = DATABASES["demo"].read(None, "", "client-specific")
    plans = layout.folds[0].plans
    assert len(plans) == 4
    for plan in plans:
        assert (len(plan.train), len(plan.development), len(plan.test)) == (6, 9, 13)
        known = {r.species for r in plan.development if r.is_attack}
        tested = {r.species for r in plan.test if r.is_attack}
        assert len(tested - known) == 5
    assert any("simulated" in note for note in layout.notes)
