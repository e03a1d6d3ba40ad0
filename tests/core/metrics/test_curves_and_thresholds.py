"""Thresholds chosen from scores, and figures over all thresholds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from lmkl_core import LocalisedMKL, clopper_pearson
from lmkl_core.metrics import (
    Rate,
    Threshold,
    auc,
    bpcer_at_apcer,
    choose_threshold,
    det_points,
    eer,
    measure,
    operating_points,
    roc_points,
    threshold_from,
)
from tests.core.recordings import refusal

# Few different values, so that ties are common.
TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)
TARGETS = st.sampled_from([0.01, 0.05, 0.1, 0.5])


def labelled(bona_fide, attacks):
    return [1] * len(bona_fide) + [0] * len(attacks), [*bona_fide, *attacks]


@given(TIED, st.floats(0, 1))
def test_that_the_bpcer_threshold_is_the_highest_that_meets_the_target(bona_fide, target):
    chosen = choose_threshold(bona_fide, by="bpcer", target=target)
    allowed, scores = target * len(bona_fide) + 1e-9, np.array(bona_fide)
    assert np.sum(scores < chosen) <= allowed
    if chosen <= scores.max():
        assert np.sum(scores < np.nextafter(chosen, np.inf)) > allowed
    # 0.29 * 100 is slightly less than 29 in floating point.
    assert choose_threshold(np.arange(100.0), by="bpcer", target=0.29) == 29.0


@given(TIED, TIED, TARGETS)
def test_that_the_apcer_threshold_meets_the_target_for_every_species(first, second, target):
    attacks = {"print": first, "phone": second}
    chosen = choose_threshold([0.0, 1.0], attacks, by="apcer", target=target)
    assert measure(chosen, [0.0], attacks).worst.value <= target


def test_that_invalid_targets_rules_and_thresholds_are_refused():
    for target in [None, -0.1, 1.1, float("nan")]:
        for by in ("bpcer", "apcer"):
            assert "target" in refusal(choose_threshold, [0.1], [0.2], by=by, target=target)
    for target in [0, 1, float("nan")]:
        assert "target" in refusal(bpcer_at_apcer, [0.1], [0.2], target)
    assert "luck" in refusal(choose_threshold, [0.1], [0.2], by="luck", target=0.1)
    for rule, value, problem in [
        ("luck", None, "luck"),
        ("enrolment", None, "calibration_"),
        *[("given", value, "finite") for value in (None, float("nan"), float("inf"))],
    ]:
        assert problem in refusal(threshold_from, rule, [1.0], [0.0], given=value)


def test_that_every_rule_gives_a_threshold_with_its_origin():
    genuine, attacks = [0.6, 0.7, 0.8, 0.9], {"print": [0.1, 0.65], "phone": [0.2]}
    for rule, target, value, origin in [
        ("eer", None, 0.625, "equal errors on fold 2"),
        ("bpcer", 0.25, 0.7, "BPCER at most 25 % on fold 2"),
        ("apcer", 0.1, 0.675, "every species' APCER at most 10 % on fold 2"),
    ]:
        threshold = threshold_from(rule, genuine, attacks, target=target, on="fold 2")
        assert threshold.value == pytest.approx(value)
        assert threshold.origin == origin
    assert threshold_from("given", given=-3) == Threshold(-3.0, "given")
    rows = np.cumsum(np.random.default_rng(0).normal(scale=0.1, size=(60, 4)), axis=0)
    model = LocalisedMKL(n_clusters=2, random_state=0).fit({"eyes": rows})
    for calibration in (model.calibration_, model.calibrate(target_bpcer=0.5).calibration_):
        threshold = threshold_from("enrolment", calibration=calibration)
        assert threshold.value == calibration.threshold
        assert threshold.origin == f"calibrated on enrolment: {calibration.origin}"


def test_that_without_the_required_scores_there_is_no_threshold_but_a_reason():
    for rule, bona_fide, attacks, missing in [
        ("eer", [], [0.1], "bona fide"),
        ("eer", [], [], "bona fide"),
        ("eer", [0.1], {"print": []}, "attack"),
        ("bpcer", [], [0.1], "bona fide"),
        ("apcer", [0.1], [], "attack"),
    ]:
        threshold = threshold_from(rule, bona_fide, attacks, target=0.1)
        assert threshold.value is None
        assert f"the development set has no {missing}" in threshold.origin


def test_that_adjacent_floating_point_scores_are_separated():
    low = 0.5
    high = float(np.nextafter(low, 1))
    assert low < choose_threshold([high], [low], by="eer") <= high


@given(TIED, TIED)
def test_that_auc_and_roc_equal_scikit_learns(bona_fide, attacks):
    expected = roc_auc_score(*labelled(bona_fide, attacks))
    assert auc(bona_fide, attacks).value == pytest.approx(expected)
    apcer, accepted = roc_points(bona_fide, attacks)
    fpr, tpr, _ = roc_curve(*labelled(bona_fide, attacks), drop_intermediate=False)
    np.testing.assert_allclose(apcer, fpr)
    np.testing.assert_allclose(accepted, tpr)


def test_that_det_points_run_from_refusing_all_to_accepting_all():
    apcer, bpcer = det_points([0.6, 0.4], {"print": [0.5], "phone": [0.1]})
    assert list(zip(apcer, bpcer, strict=True)) == [(0, 1), (0, 0.5), (0.5, 0.5), (0.5, 0), (1, 0)]


@given(TIED, TIED)
def test_that_operating_points_equal_measurements_at_their_thresholds(bona_fide, attacks):
    points = operating_points(bona_fide, attacks)
    for threshold, apcer, bpcer in zip(points.thresholds, points.apcer, points.bpcer, strict=True):
        errors = measure(threshold, bona_fide, attacks)
        assert (errors.apcer.value, errors.bpcer.value) == (apcer, bpcer)
    assert np.all(np.diff(points.thresholds) > 0)


def test_that_huge_scores_do_not_overflow():
    assert eer([1e308, 1.7e308], [-1e308, -1.7e308]).value == 0
    assert choose_threshold([1.7e308], [-1.7e308], by="eer") == 0


def test_that_figures_are_unknown_if_a_class_is_missing():
    for bona_fide, attacks in [([], [0.1]), ([0.1], []), ([], {})]:
        points = operating_points(bona_fide, attacks)
        assert len(points.thresholds) == len(points.apcer) == len(points.bpcer) == 0
        for figure in (
            auc(bona_fide, attacks),
            eer(bona_fide, attacks),
            bpcer_at_apcer(bona_fide, attacks, 0.05),
        ):
            assert (figure.value, figure.interval) == (None, (0.0, 1.0))
            assert (figure.n_bona_fide, figure.n_attacks) == (len(bona_fide), len(attacks))


def test_that_auc_of_separate_classes_has_the_exact_lower_end_of_the_smaller_class():
    figure = auc(np.linspace(0.6, 1, 12), np.linspace(0, 0.4, 40))
    assert figure.value == 1
    assert figure.interval == pytest.approx(clopper_pearson(12, 12))


def union(intervals, value):
    """Union of intervals and the value; without intervals nothing is known."""
    if not intervals:
        return (0.0, 1.0)
    lows, highs = zip(*intervals, strict=True)
    return (min(*lows, value), max(*highs, value))


@given(TIED, TIED)
def test_that_eer_and_its_interval_equal_a_search_over_all_thresholds(bona_fide, attacks):
    nearest, intervals = [], []
    for threshold in operating_points(bona_fide, attacks).thresholds:
        errors = measure(threshold, bona_fide, attacks, confidence=0.975)
        apcer, bpcer = errors.apcer, errors.bpcer
        nearest.append((round(abs(apcer.value - bpcer.value), 12), (apcer.value + bpcer.value) / 2))
        low = max(apcer.interval[0], bpcer.interval[0])
        high = min(apcer.interval[1], bpcer.interval[1])
        if low <= high:
            intervals.append((low, high))
    figure = eer(bona_fide, attacks)
    assert figure.value == pytest.approx(min(nearest)[1])
    assert figure.interval == union(intervals, figure.value)


@given(TIED, TIED, TIED, TARGETS)
def test_that_bpcer_at_an_apcer_and_its_interval_equal_a_search_over_all_thresholds(
    bona_fide, first, second, target
):
    each = 1 - 0.05 / 3
    attacks = {"print": first, "mask": second}
    allowed, intervals = [], []
    for threshold in operating_points(bona_fide, [*first, *second]).thresholds:
        errors = measure(threshold, bona_fide, attacks, confidence=each)
        if errors.worst.value <= target:
            allowed.append(errors.bpcer.value)
        ends = [rate.interval for rate in errors.apcers.values()]
        if all(low <= target for low, _ in ends) and any(high >= target for _, high in ends):
            intervals.append(Rate(errors.bpcer.n_errors, errors.bpcer.n, each).interval)
    figure = bpcer_at_apcer(bona_fide, attacks, target)
    assert figure.value == pytest.approx(min(allowed))
    assert figure.interval == union(intervals, figure.value)


def test_that_intervals_have_at_least_their_coverage():
    # Uniform scores: bona fide on (0.3, 1.3), attacks on (0, 1). Errors are equal at 0.65; 5 % of
    # attacks reach 0.95; a bona fide score is higher with probability 1 - 0.7^2 / 2.
    truth = {"auc": 1 - 0.7**2 / 2, "eer": 0.35, "bpcer": 0.65}
    generator, runs = np.random.default_rng(0), 200
    hits = dict.fromkeys(truth, 0)
    for _ in range(runs):
        bona_fide, attacks = 0.3 + generator.random(30), generator.random(40)
        figures = {
            "auc": auc(bona_fide, attacks),
            "eer": eer(bona_fide, attacks),
            "bpcer": bpcer_at_apcer(bona_fide, attacks, 0.05),
        }
        for name, true in truth.items():
            hits[name] += figures[name].interval[0] <= true <= figures[name].interval[1]
    assert min(hits.values()) >= 0.95 * runs
