"""Thresholds chosen from scores, and what does not depend on one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from lmkl_core import InvalidInputError, clopper_pearson
from lmkl_core.metrics import (
    Rate,
    auc,
    bpcer_at_apcer,
    choose_threshold,
    det_points,
    eer,
    measure,
    operating_points,
    roc_points,
)

# Few different values, so that ties are common.
TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)


def labelled(bona_fide, attacks):
    return [1] * len(bona_fide) + [0] * len(attacks), [*bona_fide, *attacks]


@given(TIED, st.floats(0, 1))
def test_that_the_bpcer_threshold_keeps_the_target_and_no_higher_one_does(bona_fide, target):
    chosen = choose_threshold(bona_fide, by="bpcer", target=target)
    allowed, scores = target * len(bona_fide) + 1e-9, np.array(bona_fide)
    assert np.sum(scores < chosen) <= allowed
    if chosen <= scores.max():
        assert np.sum(scores < np.nextafter(chosen, np.inf)) > allowed
    # 0.29 * 100 is a little less than 29 in floating point.
    assert choose_threshold(np.arange(100.0), by="bpcer", target=0.29) == 29.0


@given(TIED, TIED, st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_that_the_apcer_threshold_keeps_the_target_for_every_species(first, second, target):
    attacks = {"print": first, "phone": second}
    chosen = choose_threshold([0.0, 1.0], attacks, by="apcer", target=target)
    assert measure(chosen, [0.0], attacks).worst.value <= target


def test_that_no_threshold_is_chosen_without_the_scores_it_needs():
    for bona_fide, attacks, by in [
        ([], [0.1], "eer"),
        ([0.1], [], "eer"),
        ([], [0.1], "bpcer"),
        ([0.1], {}, "apcer"),
    ]:
        assert choose_threshold(bona_fide, attacks, by=by, target=0.1) is None


def test_that_impossible_targets_and_unknown_rules_are_refused():
    for target in [None, -0.1, 1.1, float("nan")]:
        for by in ("bpcer", "apcer"):
            with pytest.raises(InvalidInputError, match="between 0 and 1"):
                choose_threshold([0.1], [0.2], by=by, target=target)
    with pytest.raises(InvalidInputError, match="by='luck'"):
        choose_threshold([0.1], [0.2], by="luck", target=0.1)


def test_that_neighbouring_floating_point_scores_are_told_apart():
    low = 0.5
    high = float(np.nextafter(low, 1))
    chosen = choose_threshold([high], [low], by="eer")
    assert low < chosen <= high


@given(TIED, TIED)
def test_that_auc_equals_scikit_learns(bona_fide, attacks):
    expected = roc_auc_score(*labelled(bona_fide, attacks))
    assert auc(bona_fide, attacks).value == pytest.approx(expected)


@given(TIED, TIED)
def test_that_roc_points_hold_all_of_scikit_learns(bona_fide, attacks):
    apcer, accepted = roc_points(bona_fide, attacks)
    fpr, tpr, _ = roc_curve(*labelled(bona_fide, attacks), drop_intermediate=False)
    np.testing.assert_allclose(apcer, fpr)
    np.testing.assert_allclose(accepted, tpr)


def test_that_det_points_run_from_refusing_all_to_accepting_all():
    apcer, bpcer = det_points([0.6, 0.4], {"print": [0.5], "phone": [0.1]})
    assert list(zip(apcer, bpcer, strict=True)) == [(0, 1), (0, 0.5), (0.5, 0.5), (0.5, 0), (1, 0)]


@given(TIED, TIED)
def test_that_operating_points_are_what_measuring_at_their_thresholds_finds(bona_fide, attacks):
    points = operating_points(bona_fide, attacks)
    for threshold, apcer, bpcer in zip(points.thresholds, points.apcer, points.bpcer, strict=True):
        errors = measure(threshold, bona_fide, attacks)
        assert (errors.apcer.value, errors.bpcer.value) == (apcer, bpcer)
    assert np.all(np.diff(points.thresholds) > 0)


def test_that_huge_scores_do_not_overflow():
    assert eer([1e308, 1.7e308], [-1e308, -1.7e308]).value == 0
    assert choose_threshold([1.7e308], [-1.7e308], by="eer") == 0


def test_that_nothing_is_told_when_a_class_is_missing():
    for bona_fide, attacks in [([], [0.1]), ([0.1], []), ([], {})]:
        points = operating_points(bona_fide, attacks)
        assert len(points.thresholds) == len(points.apcer) == len(points.bpcer) == 0
        for found in (
            auc(bona_fide, attacks),
            eer(bona_fide, attacks),
            bpcer_at_apcer(bona_fide, attacks, 0.05),
        ):
            assert (found.value, found.interval) == (None, (0.0, 1.0))


def test_that_auc_of_separate_classes_has_the_exact_lower_end_of_the_smaller_class():
    found = auc(np.linspace(0.6, 1, 12), np.linspace(0, 0.4, 40))
    assert found.value == 1
    assert found.interval == pytest.approx(clopper_pearson(12, 12))


@given(TIED, TIED)
def test_that_eer_is_that_of_the_nearest_errors_found_by_brute_force(bona_fide, attacks):
    points = operating_points(bona_fide, attacks)
    near = [
        (round(abs(apcer - bpcer), 12), (apcer + bpcer) / 2)
        for apcer, bpcer in zip(points.apcer, points.bpcer, strict=True)
    ]
    assert eer(bona_fide, attacks).value == pytest.approx(min(near)[1])


@given(TIED, TIED, TIED, st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_that_bpcer_at_an_apcer_is_the_least_among_all_thresholds_that_keep_it(
    bona_fide, first, second, target
):
    attacks, genuine = {"print": first, "mask": second}, np.array(bona_fide)
    levels = {*bona_fide, *first, *second}
    kept = [
        float(np.mean(genuine < threshold))
        for threshold in [*levels, *[level + 0.5 for level in levels]]
        if all(np.mean(np.array(scores) >= threshold) <= target for scores in attacks.values())
    ]
    assert bpcer_at_apcer(bona_fide, attacks, target).value == pytest.approx(min(kept))


@given(TIED, TIED)
def test_that_the_interval_of_eer_is_the_union_over_thresholds_taken_one_by_one(bona_fide, attacks):
    found = []
    for threshold in operating_points(bona_fide, attacks).thresholds:
        errors = measure(threshold, bona_fide, attacks, confidence=0.975)
        low = max(errors.apcer.interval[0], errors.bpcer.interval[0])
        high = min(errors.apcer.interval[1], errors.bpcer.interval[1])
        if low <= high:
            found.append((low, high))
    estimate = eer(bona_fide, attacks)
    expected = (
        min([low for low, _ in found] + [estimate.value]),
        max([high for _, high in found] + [estimate.value]),
    )
    assert estimate.interval == (expected if found else (0.0, 1.0))


@given(TIED, TIED, TIED, st.sampled_from([0.05, 0.5]))
def test_that_the_interval_of_bpcer_at_an_apcer_is_the_union_taken_one_by_one(
    bona_fide, first, second, target
):
    each = 1 - 0.05 / 3
    attacks = {"print": first, "mask": second}
    found = []
    for threshold in operating_points(bona_fide, [*first, *second]).thresholds:
        errors = measure(threshold, bona_fide, attacks, confidence=each)
        ends = [rate.interval for rate in errors.apcers.values()]
        if all(low <= target for low, _ in ends) and any(high >= target for _, high in ends):
            found.append(Rate(errors.bpcer.n_errors, errors.bpcer.n, each).interval)
    estimate = bpcer_at_apcer(bona_fide, attacks, target)
    expected = (
        min([low for low, _ in found] + [estimate.value]),
        max([high for _, high in found] + [estimate.value]),
    )
    assert estimate.interval == (expected if found else (0.0, 1.0))


def test_that_intervals_cover_the_true_figures_at_least_as_often_as_they_say():
    # Uniform scores: bona fide on (0.3, 1.3), attacks on (0, 1). Errors are equal at 0.65; 5 % of
    # attacks reach 0.95; a bona fide score is higher with probability 1 - 0.7^2 / 2.
    truth = {"auc": 1 - 0.7**2 / 2, "eer": 0.35, "bpcer": 0.65}
    generator, runs = np.random.default_rng(0), 200
    hits = dict.fromkeys(truth, 0)
    for _ in range(runs):
        bona_fide, attacks = 0.3 + generator.random(30), generator.random(40)
        found = {
            "auc": auc(bona_fide, attacks),
            "eer": eer(bona_fide, attacks),
            "bpcer": bpcer_at_apcer(bona_fide, attacks, 0.05),
        }
        for name, true in truth.items():
            hits[name] += found[name].interval[0] <= true <= found[name].interval[1]
    assert min(hits.values()) >= 0.95 * runs


def test_that_an_apcer_that_is_no_share_is_refused():
    for target in [0, 1, float("nan")]:
        with pytest.raises(InvalidInputError, match="between 0 and 1"):
            bpcer_at_apcer([0.1], [0.2], target)
