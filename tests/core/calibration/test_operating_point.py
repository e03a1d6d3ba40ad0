"""The threshold: a fraction of the median left-out score or a target rate, with lower limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core import LocalisedMKL
from lmkl_core.calibration.threshold import (
    calibrate,
    least_threshold,
    operating_point,
    threshold_for,
)
from tests.core.recordings import NAMES, joined

TRAINING = np.full(9, 0.95)
EITHER_FIT = pytest.mark.parametrize("n_inducing", [None, 16])

scores_of_any_kind = st.lists(st.floats(-1, 2), min_size=1, max_size=60).map(np.array)


ODD_PART = np.concatenate([np.full(5, 0.01), np.full(34, 0.9)])


def test_that_every_rule_gives_its_threshold_and_description():
    spread = np.linspace(0.6, 1.0, 39)
    for scores, training, target, expected, description in [
        ([0.1, 0.8, 0.9, 0.7, 0.85], 0.95, None, 0.65 * 0.8, "65 % of the median left-out score"),
        (spread, 0.95, 0.05, spread[1], "a BPCER of 5.0 %"),
        (ODD_PART, 0.95, 0.05, 0.45, "50 % of the median left-out score 0.9, the lowest for any"),
        *[
            (np.full(20, left_out), 0.9, target, 0.09, "10 % of the median training score 0.9")
            for left_out in (-0.2, 0.0, 0.001)
            for target in (None, 0.05)
        ],
    ]:
        threshold, rule = operating_point(np.array(scores), np.full(9, training), target)
        assert threshold == pytest.approx(expected, rel=1e-15)
        assert rule.startswith(description)


@given(scores_of_any_kind, st.floats(0, 1), st.none() | st.floats(0.01, 0.99))
def test_that_no_threshold_is_below_half_the_median_or_a_tenth_of_the_training_score(
    scores, training, target
):
    threshold, _ = operating_point(scores, np.array([training]), target)
    level = np.median(scores)
    share = 0.65 if target is None else 0.5
    assert threshold >= share * level
    assert threshold >= 0.1 * training
    if target is not None:
        assert threshold >= threshold_for(scores, target)
    assert threshold == max(0.1 * training, least_threshold(scores, target))


def test_that_a_target_missed_for_safety_is_reported_with_the_rule():
    rows = np.arange(39)
    for training in (0.95, 5.0):
        threshold, rule = operating_point(ODD_PART, np.array([training]), 0.05)
        calibration = calibrate(ODD_PART, threshold, rule, rows, rows, target_bpcer=0.05)
        assert calibration.promised is False
        assert calibration.statement.endswith(f"the threshold is {rule}.")
        assert calibration.origin.startswith(f"{rule}, from 39 left-out scores")


def person(seed):
    """Centres of a person's frames in four kinds of light, by view."""
    rng = np.random.default_rng(seed)
    return {name: 4.0 * rng.normal(size=(4, d)) for name, d in zip(NAMES, (12, 8, 10), strict=True)}


def take(who, light, n, seed):
    """Frames of one take, slightly displaced from other takes in the same light."""
    rng = np.random.default_rng(seed)
    places = {name: lights[light] for name, lights in who.items()}
    return {
        name: place + 0.3 * rng.normal(size=len(place)) + rng.normal(size=(n, len(place)))
        for name, place in places.items()
    }


def with_odd_end(views, n):
    """Make the last frames unlike all others, like a hand before the face."""
    moved = {name: array.copy() for name, array in views.items()}
    for array in moved.values():
        array[-n:] += 6.0
    return moved


ENROLMENTS = {
    "few frames": ([(0, 10), (0, 10)], None),
    "different light": ([(0, 30), (1, 30), (2, 30), (3, 30)], None),
    "few frames in different light": ([(0, 10), (1, 10), (2, 10)], None),
    "one take": ([(0, 60)], None),
    "an odd part": ([(0, 40), (0, 40)], 5),
}


def enrolment(kind, seed):
    """Frames, their takes, and fresh frames of the same person in the same light."""
    takes, odd = ENROLMENTS[kind]
    who, numbers = person(seed), np.repeat(np.arange(len(takes)), [n for _, n in takes])
    enrolled = [take(who, light, n, [seed, i]) for i, (light, n) in enumerate(takes)]
    fresh = [take(who, light, 40, [seed, 100 + i]) for i, (light, _) in enumerate(takes)]
    if odd is not None:
        enrolled[0] = with_odd_end(enrolled[0], odd)
    return joined(*enrolled), numbers, joined(*fresh)


def refuses_far_frame(model, views):
    """Whether a frame unlike anything enrolled scores about 0 and is refused."""
    far = {name: array[:1] + 1e4 for name, array in views.items()}
    return abs(model.score_samples(far)[0]) < 1e-6 and model.predict(far)[0] == -1


@EITHER_FIT
@pytest.mark.parametrize("target", [None, 0.05])
def test_that_an_enrolment_too_small_to_leave_anything_out_keeps_a_threshold(n_inducing, target):
    """One take with two places: without one of them nothing is known about it."""
    who = {name: 10.0 * lights for name, lights in person(0).items()}
    views = joined(take(who, 0, 12, 0), take(who, 1, 12, 1))
    model = LocalisedMKL(
        n_inducing=n_inducing, target_bpcer=target, block_length=12, random_state=0
    ).fit(views)
    training = np.median(model.score_samples(views))
    assert model.calibration_.level < 0.01 < 0.9 < training
    assert model.offset_ == pytest.approx(0.1 * training, rel=1e-6)
    assert refuses_far_frame(model, views)


@EITHER_FIT
@pytest.mark.parametrize("kind", ENROLMENTS)
def test_that_the_threshold_of_an_enrolment_is_at_least_half_the_genuine_median(kind, n_inducing):
    for seed in range(2):
        views, takes, fresh = enrolment(kind, seed)
        estimator = LocalisedMKL(n_inducing=n_inducing, random_state=0)
        model = estimator.fit(views, groups=takes)
        scores = model.score_samples(fresh)
        default = model.calibration_
        assert model.offset_ == default.threshold >= 0.65 * np.median(default.scores)
        assert (default.target_bpcer, default.promised) == (None, None)
        assert model.offset_ >= 0.5 * np.median(scores)
        assert np.mean(scores < model.offset_) < 0.02
        assert refuses_far_frame(model, views)
        for target in (0.01, 0.05, 0.3):
            model.calibrate(target_bpcer=target)
            assert model.offset_ >= 0.5 * model.calibration_.level
            # Left-out scores lie a little below those of fresh frames.
            assert model.offset_ >= 0.45 * np.median(scores)
            assert refuses_far_frame(model, views)
            if kind == "an odd part" and target == 0.05:
                assert threshold_for(default.scores, target) < model.offset_ == 0.5 * default.level
                assert model.calibration_.bpcer > target
            if kind == "different light" and target == 0.3:
                assert model.offset_ == threshold_for(default.scores, target) > default.threshold
                assert model.calibration_.bpcer <= target
        assert model.calibrate().offset_ == default.threshold
