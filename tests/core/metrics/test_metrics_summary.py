"""Figures of one table of scores, over frames and over presentations."""

import numpy as np
import pytest

from lmkl_core.metrics import (
    Rate,
    ScoreTable,
    Threshold,
    auc,
    bootstrap_auc,
    bpcer_at_apcer,
    eer,
    measure_table,
)


def recorded(n_subjects=12, n_frames=4):
    """Return frames of one bona fide, one print and one mask take a subject; one take failed."""
    generator = np.random.default_rng(0)
    rows = []
    for subject in range(n_subjects):
        for species, level in (("", 1.0), ("print", 0.0), ("mask", 0.4)):
            effect = generator.normal(scale=0.4)
            for _ in range(n_frames):
                missing = subject == 3 and species == "mask"
                score = None if missing else level + effect + generator.normal(scale=0.4)
                rows.append((score, species, f"person {subject}", f"{subject}/{species}"))
    return ScoreTable.of(*zip(*rows, strict=True))


# Hand-computed: three bona fide takes of two frames, two prints, one mask, one silent print.
BY_HAND = ScoreTable.of(
    [0.9, 0.7, 0.6, 0.2, 0.8, None, 0.1, 0.3, 0.7, 0.5, 0.65, 0.45, None, None],
    [*[""] * 6, *["print"] * 4, *["mask"] * 2, *["print"] * 2],
    [*"aabbcc", *"aabb", *"aa", *"bb"],
    [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7],
)


def test_that_presentations_of_a_hand_computed_case_are_counted():
    table = BY_HAND.by_presentation()
    errors, classes = measure_table(0.5, table), (table.bona_fide, table.attacks)
    assert errors.bpcer == Rate(1, 3)  # means 0.8, 0.4, 0.8
    assert errors.apcers == {"print": Rate(1, 2), "mask": Rate(1, 1)}  # 0.2, 0.6; 0.55
    assert (errors.bpnrr, errors.apnrr) == (Rate(0, 3), Rate(1, 4))
    assert (errors.worst.species, errors.worst.value) == ("mask", 1.0)
    assert errors.acer.value == pytest.approx((1 + 1 / 3) / 2)
    assert auc(*classes).value == pytest.approx((3 + 1 + 3) / 9)
    # At 0.575 one of three is refused and one of three accepted.
    assert eer(*classes).value == pytest.approx(1 / 3)
    assert [bpcer_at_apcer(*classes, target).value for target in (0.01, 0.1)] == [1 / 3] * 2


def test_that_without_a_threshold_only_non_responses_are_counted():
    for threshold in [None, Threshold(None, "not chosen")]:
        errors = measure_table(threshold, recorded())
        for figure in (errors.bpcer, errors.worst, errors.acer, errors.hter):
            assert (figure.value, figure.interval) == (None, (0.0, 1.0))
        assert list(errors.apcers) == ["print", "mask"]
        assert (errors.apnrr, errors.bpnrr) == (Rate(4, 96), Rate(0, 48))


def test_that_confidence_reaches_every_figure():
    table = recorded()
    errors, classes = measure_table(0.6, table, 0.9), (table.bona_fide, table.attacks)
    found = [errors.bpcer, errors.worst.rate, errors.apnrr, errors.acer, errors.hter]
    found += [auc(*classes, 0.9), eer(*classes, 0.9), bpcer_at_apcer(*classes, 0.2, 0.9)]
    found += [bootstrap_auc(table, n_resamples=20, confidence=0.9)]
    assert {figure.confidence for figure in found} == {0.9}
