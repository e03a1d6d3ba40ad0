"""Every protocol has as many recordings as its authors published."""

from collections import Counter

import pytest

from app.evaluation.protocols.registry import DATABASES
from tests.app.evaluation.protocols import trees

PAD = ("replay-attack", "replay-mobile", "oulu-npu", "msu-mfsd", "casia-fasd", "nuaa")
PROTOCOLS = [(name, protocol) for name in PAD for protocol in DATABASES[name].protocols]

# As printed by the authors, typed in here once more: (bona fide, attacks) of each split.
PRINTED = {
    ("replay-attack", "grandtest"): {"development": (60, 300), "test": (80, 400), "train": (60,)},
    ("replay-attack", "print"): {"development": (60, 60), "test": (80, 80), "train": (60,)},
    ("replay-attack", "mobile"): {"development": (60, 120), "test": (80, 160), "train": (60,)},
    ("replay-attack", "highdef"): {"development": (60, 120), "test": (80, 160), "train": (60,)},
    ("replay-attack", "digitalphoto"): {"development": (60, 120), "test": (80, 160)},
    ("replay-attack", "photo"): {"development": (60, 180), "test": (80, 240)},
    ("replay-attack", "video"): {"development": (60, 120), "test": (80, 160)},
    ("replay-mobile", "grandtest"): {
        "train": (120,),
        "development": (160, 256),
        "test": (110, 192),
    },
    ("replay-mobile", "print"): {"train": (120,), "development": (160, 128), "test": (110, 96)},
    ("replay-mobile", "mattescreen"): {"development": (160, 128), "test": (110, 96)},
    ("oulu-npu", "I"): {"train": (240,), "development": (180, 720), "test": (120, 480)},
    ("oulu-npu", "II"): {"train": (360,), "development": (270, 540), "test": (360, 720)},
    ("oulu-npu", "III"): {"train": (300,), "development": (225, 900), "test": (60, 240)},
    ("oulu-npu", "IV"): {"train": (200,), "development": (150, 300), "test": (20, 40)},
    ("msu-mfsd", ""): {"train": (30,), "development": (0, 0), "test": (40, 120)},
    ("casia-fasd", ""): {"train": (60,), "development": (0, 0), "test": (90, 270)},
    ("nuaa", ""): {"train": (1743,), "development": (0, 0), "test": (3362, 5761)},
}
# Training attacks are never learnt from, and so in no layout; notes would tell other numbers.
TRAINING_ATTACKS = {
    "replay-attack": 300,
    "replay-mobile": 192,
    "msu-mfsd": 90,
    "casia-fasd": 180,
    "nuaa": 1748,
}


def counted(recordings):
    attacks = sum(recording.is_attack for recording in recordings)
    return len(recordings) - attacks, attacks


def of(name):
    return [protocol for other, protocol in PROTOCOLS if other == name]


@pytest.mark.parametrize("name", PAD)
def test_that_each_split_has_the_published_number_of_recordings(whole, name):
    for protocol in of(name):
        for fold in whole(name, protocol, "client-independent").folds:
            (plan,) = fold.plans
            for split, (genuine, *attacks) in PRINTED[name, protocol].items():
                expected = (genuine, *(attacks or [0]))
                assert counted(getattr(plan, split)) == expected, (protocol, fold.name, split)
        for mode in ("client-independent", "client-specific"):
            notes = whole(name, protocol, mode).notes
            assert not [note for note in notes if "published" in note], (protocol, mode)


@pytest.mark.parametrize(("name", "number"), [("replay-attack", 100), ("replay-mobile", 160)])
def test_that_enrolment_has_the_published_number_of_recordings(whole, name, number):
    counts = whole(name, "grandtest", "client-specific").counts
    (enrolment,) = [each for each in counts if each.split == "enrolment"]
    assert (enrolment.kind, enrolment.found, enrolment.published) == ("bona fide", number, number)


def test_that_the_registry_tells_the_numbers_that_were_printed():
    for name, protocol in PROTOCOLS:
        published = DATABASES[name].published
        for split, numbers in PRINTED[name, protocol].items():
            for kind, number in zip(("bona fide", "attack"), numbers, strict=False):
                assert published.get((protocol, split, kind), 0) == number, (name, protocol, split)
        if protocol == DATABASES[name].protocols[0] and name in TRAINING_ATTACKS:
            assert published[protocol, "train", "attack"] == TRAINING_ATTACKS[name]


def test_that_oulu_npu_has_the_published_folds(whole):
    for protocol, n_folds in (("I", 1), ("II", 1), ("III", 6), ("IV", 6)):
        layout = whole("oulu-npu", protocol)
        assert len(layout.folds) == n_folds
        if n_folds == 6:
            tested = [{r.condition[:7] for r in fold.plans[0].test} for fold in layout.folds]
            assert tested == [{f"phone {number}"} for number in range(1, 7)]


def test_that_oulu_npu_four_tests_what_training_never_showed(whole):
    layout = whole("oulu-npu", "IV")
    for fold in layout.folds:
        (plan,) = fold.plans
        species = {r.species for r in plan.test}
        assert species == {"bona fide", "print 2", "replay 2"}
        assert {r.species for r in plan.development} == {"bona fide", "print 1", "replay 1"}
        assert not {r.condition for r in plan.train} & {r.condition for r in plan.test}


def test_that_replay_attack_has_five_species_of_attacks(whole):
    layout = whole("replay-attack")
    tested = Counter(r.species for r in layout.folds[0].plans[0].test)
    assert tested == {
        "bona fide": 80,
        "print": 80,
        "phone photo": 80,
        "phone video": 80,
        "tablet photo": 80,
        "tablet video": 80,
    }


@pytest.mark.parametrize("protocol", ["all", "balanced"])
def test_that_caltech_sets_each_of_forty_classes_against_the_other_255(whole, protocol):
    layout = whole("caltech-256", protocol)
    assert len(layout.folds) == 40
    first = layout.folds[0]
    assert first.name == first.plans[0].name == "ak47"
    assert counted(first.plans[0].train) == (59, 0)
    n_others = 29780 - 117 if protocol == "all" else 58
    assert counted(first.plans[0].test) == (58, n_others)
    assert all(r.subject != "ak47" for r in first.plans[0].test if r.is_attack)
    if protocol == "all":
        assert len({r.subject for r in first.plans[0].test if r.is_attack}) == 255
    assert not [note for note in layout.notes if "instead of" in note]


def test_that_the_abnormal_images_are_1001(whole):
    layout = whole("abnormal-objects")
    assert len(layout.folds) == 6
    assert sum(counted(fold.plans[0].test)[1] for fold in layout.folds) == 1001
    assert all(counted(fold.plans[0].train) == (50, 0) for fold in layout.folds)
    assert not [note for note in layout.notes if "instead of" in note]


def test_that_other_numbers_than_the_published_ones_are_told(tmp_path):
    root = trees.msu_mfsd(tmp_path)
    listed = (root / "test_sub_list.txt").read_text().splitlines()
    trees.write_list(root, "test_sub_list.txt", listed[:-1])
    layout = DATABASES["msu-mfsd"].read(root, "", "client-independent")
    (told,) = [each for each in layout.counts if (each.split, each.kind) == ("test", "bona fide")]
    assert (told.found, told.missing, told.published) == (38, 0, 40)
