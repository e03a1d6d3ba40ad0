"""Thresholds with their origin in words, whatever rule gave them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core import InvalidInputError, LocalisedMKL
from lmkl_core.metrics import Threshold, threshold_from

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
    assert threshold_from("eer", [1.0], [0.0], on="fold 2").origin == "equal errors on fold 2"
    assert threshold_from("given", given=-3) == Threshold(-3.0, "given")


def test_that_what_gives_no_threshold_is_refused():
    for rule, value, match in [
        ("luck", None, "eer, bpcer, apcer, given, enrolment"),
        ("enrolment", None, "calibration_"),
        ("given", None, "must be a finite number"),
        ("given", float("nan"), "must be a finite number"),
        ("given", float("inf"), "must be a finite number"),
    ]:
        with pytest.raises(InvalidInputError, match=match):
            threshold_from(rule, [1.0], [0.0], given=value)


def test_that_the_threshold_of_enrolment_is_the_models_own_and_names_its_scores():
    rows = np.cumsum(np.random.default_rng(0).normal(scale=0.1, size=(60, 4)), axis=0)
    model = LocalisedMKL(n_clusters=2, random_state=0).fit({"eyes": rows})
    found = threshold_from("enrolment", calibration=model.calibration_)
    assert found.value == model.offset_
    assert found.origin == f"calibrated on enrolment: {model.calibration_.origin}"
    assert found.origin.startswith("calibrated on enrolment: 65% of the median left-out score ")
    wanted = threshold_from("enrolment", calibration=model.calibrate(target_bpcer=0.5).calibration_)
    assert wanted.origin.startswith("calibrated on enrolment: a BPCER of 50.0%, from 60 left-out")


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
