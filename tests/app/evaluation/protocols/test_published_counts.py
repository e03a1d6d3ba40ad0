"""Every protocol has the published number of recordings."""

import pytest

from app.evaluation.protocols.registry import DATABASES

PAD = ("replay-attack", "replay-mobile", "oulu-npu", "msu-mfsd", "casia-fasd", "nuaa")


def counted(recordings):
    attacks = sum(recording.is_attack for recording in recordings)
    return len(recordings) - attacks, attacks


@pytest.mark.parametrize("name", PAD)
def test_that_every_split_of_every_protocol_has_the_published_number_of_recordings(whole, name):
    for protocol in DATABASES[name].protocols:
        for mode in DATABASES[name].modes:
            layout = whole(name, protocol, mode)
            assert not layout.missing
            assert not layout.passed_over
            assert {each.fold for each in layout.counts} == {fold.name for fold in layout.folds}
            assert {each.split for each in layout.counts} >= {"train", "test"}
            for each in layout.counts:
                assert (each.found, each.missing) == (each.published, 0), (protocol, mode, each)


def test_that_oulu_npu_has_the_published_folds(whole):
    for protocol, n_folds in (("I", 1), ("II", 1), ("III", 6), ("IV", 6)):
        layout = whole("oulu-npu", protocol)
        assert len(layout.folds) == n_folds
        if n_folds == 6:
            tested = [{r.condition[:7] for r in fold.plans[0].test} for fold in layout.folds]
            assert tested == [{f"phone {number}"} for number in range(1, 7)]


def test_that_oulu_npu_protocol_four_tests_unseen_species_and_conditions(whole):
    layout = whole("oulu-npu", "IV")
    for fold in layout.folds:
        (plan,) = fold.plans
        species = {r.species for r in plan.test}
        assert species == {"bona fide", "print 2", "replay 2"}
        assert {r.species for r in plan.development} == {"bona fide", "print 1", "replay 1"}
        assert not {r.condition for r in plan.train} & {r.condition for r in plan.test}


@pytest.mark.parametrize("protocol", ["all", "balanced"])
def test_that_caltech_tests_each_of_forty_classes_against_the_other_255(whole, protocol):
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


def test_that_there_are_1001_abnormal_images(whole):
    layout = whole("abnormal-objects")
    assert len(layout.folds) == 6
    assert sum(counted(fold.plans[0].test)[1] for fold in layout.folds) == 1001
    assert all(counted(fold.plans[0].train) == (50, 0) for fold in layout.folds)
    assert not [note for note in layout.notes if "instead of" in note]
