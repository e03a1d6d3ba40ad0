"""Thresholds with their origin in words, whatever rule gave them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core import InvalidInputError, LocalisedMKL
from lmkl_core.metrics import Threshold, choose_threshold, threshold_from

TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)
GENUINE, ATTACKS = [0.6, 0.7, 0.8, 0.9], {"print": [0.1, 0.65], "phone": [0.2]}


def test_that_rules_on_development_scores_say_what_they_kept():
    for rule, target, value, origin in [
        ("eer", None, 0.625, "equal errors on the development set"),
        ("bpcer", 0.25, 0.7, "BPCER at most 25 % on the development set"),
        ("apcer", 0.1, 0.675, "every species' APCER at most 10 % on the development set"),
    ]:
        found = threshold_from(rule, GENUINE, ATTACKS, target=target)
        assert found.value == pytest.approx(value)
        assert found.origin == origin


@given(TIED, TIED, st.sampled_from([0.0, 0.05, 0.5]))
def test_that_rules_on_scores_are_those_of_choose_threshold(bona_fide, attacks, target):
    for rule in ("eer", "bpcer", "apcer"):
        expected = choose_threshold(bona_fide, attacks, by=rule, target=target)
        assert threshold_from(rule, bona_fide, attacks, target=target).value == expected


def test_that_the_origin_names_the_scores_it_was_chosen_on():
    assert threshold_from("eer", [1.0], [0.0], on="fold 2").origin == "equal errors on fold 2"


def test_that_a_given_threshold_is_taken_as_it_is():
    assert threshold_from("given", given=-3) == Threshold(-3.0, "given")


def test_that_a_given_threshold_must_be_a_finite_number():
    for value in [None, float("nan"), float("inf")]:
        with pytest.raises(InvalidInputError, match="must be a finite number"):
            threshold_from("given", given=value)


def test_that_the_threshold_of_enrolment_is_the_models_own_and_names_its_scores():
    rows = np.cumsum(np.random.default_rng(0).normal(scale=0.1, size=(60, 4)), axis=0)
    model = LocalisedMKL(n_clusters=2, random_state=0).fit({"eyes": rows})
    found = threshold_from("enrolment", calibration=model.calibration_)
    assert found.value == model.offset_
    assert found.origin == f"calibrated on enrolment: {model.calibration_.origin}"
    assert found.origin.startswith("calibrated on enrolment: 65% of the median left-out score ")
    wanted = threshold_from("enrolment", calibration=model.calibrate(target_bpcer=0.5).calibration_)
    assert wanted.origin.startswith("calibrated on enrolment: a BPCER of 50.0%, from 60 left-out")


def test_that_enrolment_without_a_calibration_is_refused():
    with pytest.raises(InvalidInputError, match="calibration_"):
        threshold_from("enrolment")


def test_that_a_threshold_without_its_scores_is_none_and_says_why():
    for rule, bona_fide, attacks, missing in [
        ("eer", [], [0.1], "bona fide presentation"),
        ("eer", [], [], "bona fide presentation"),
        ("eer", [0.1], {"print": []}, "attack"),
        ("bpcer", [], [0.1], "bona fide presentation"),
        ("apcer", [0.1], [], "attack"),
    ]:
        found = threshold_from(rule, bona_fide, attacks, target=0.1)
        assert found.value is None
        assert found.origin == (
            f"not chosen, because the development set has no {missing} with a score"
        )


def test_that_an_unknown_rule_is_refused_with_those_there_are():
    with pytest.raises(InvalidInputError, match="eer, bpcer, apcer, given, enrolment"):
        threshold_from("luck", [1.0], [0.0])


def test_that_a_fixed_error_needs_a_target():
    for rule in ["bpcer", "apcer"]:
        with pytest.raises(InvalidInputError, match="between 0 and 1"):
            threshold_from(rule, [1.0], [0.0])


@given(TIED, TIED)
def test_that_no_threshold_has_nearer_errors_than_that_of_equal_errors(bona_fide, attacks):
    # Brute force over every score, every midpoint and both outsides.
    levels = sorted({*bona_fide, *attacks})
    candidates = [*levels, *[level + 0.5 for level in levels], levels[0] - 1]
    genuine, spoofs = np.array(bona_fide), np.array(attacks)

    def difference(threshold):
        return abs(np.mean(spoofs >= threshold) - np.mean(genuine < threshold))

    found = threshold_from("eer", bona_fide, attacks).value
    assert difference(found) == pytest.approx(min(map(difference, candidates)))
