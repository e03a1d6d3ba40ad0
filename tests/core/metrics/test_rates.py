"""Error rates at a threshold, and their intervals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from lmkl_core import clopper_pearson
from lmkl_core.metrics import (
    Errors,
    Rate,
    apcer,
    bpcer,
    exact_intervals,
    mean_interval,
    measure,
)
from tests.core.recordings import refusal

NOTHING = Rate(0, 0)


def counted(apcers, bpcer=NOTHING):
    return Errors(bpcer, apcers, NOTHING, {})


def test_that_a_rate_has_counts_and_the_exact_interval():
    rate = apcer(0.5, [0.1] * 10 + [0.5, 0.9])  # a score on the threshold is accepted
    assert (rate.value, rate.n, rate.interval) == (2 / 12, 12, clopper_pearson(2, 12))
    assert bpcer(0.5, [0.5, 0.4]) == Rate(1, 2)
    empty = bpcer(0.5, [])
    assert (empty.value, empty.n, empty.interval) == (None, 0, (0.0, 1.0))


def test_that_invalid_counts_scores_and_thresholds_are_refused():
    for n_errors, n in [(-1, 3), (4, 3)]:
        assert "n_errors" in refusal(Rate, n_errors, n)
    for scores in [[np.nan], [np.inf], [[0.1, 0.2]], ["high"]]:
        assert "Scores of attacks" in refusal(apcer, 0.5, scores)
    for rate in (apcer, bpcer):
        assert "NaN" in refusal(rate, float("nan"), [0.1])
        assert {rate(end, [0.1, 0.2]).value for end in (-np.inf, np.inf)} == {0.0, 1.0}


@given(
    st.lists(st.tuples(st.sampled_from(["", "print", "mask"]), st.integers(-2, 2)), max_size=30),
    st.integers(-2, 3),
)
def test_that_every_error_equals_a_plain_count(rows, threshold):
    def scores(kind):
        return [score for name, score in rows if name == kind]

    def share(errors, among):
        return len(errors) / len(among) if among else None

    attacks = {name: scores(name) for name in ("print", "mask")}
    errors = measure(threshold, scores(""), attacks)
    refused = share([s for s in scores("") if s < threshold], scores(""))
    accepted = {
        name: share([s for s in found if s >= threshold], found) for name, found in attacks.items()
    }
    both = [*attacks["print"], *attacks["mask"]]
    pooled_share = share([s for s in both if s >= threshold], both)
    known = [value for value in accepted.values() if value is not None]
    assert errors.bpcer.value == refused
    assert {name: rate.value for name, rate in errors.apcers.items()} == accepted
    assert errors.apcer.value == pooled_share
    assert errors.worst.value == max(known, default=None)
    if refused is None or not known:
        for figure in (errors.acer, errors.hter):
            assert (figure.value, figure.interval) == (None, (0.0, 1.0))
    else:
        assert errors.acer.value == pytest.approx((max(known) + refused) / 2)
        assert errors.hter.value == pytest.approx((pooled_share + refused) / 2)


def test_that_the_worst_species_is_the_least_certain_of_the_largest_rates():
    for rates, species, interval in [
        ({"print": Rate(1, 12)}, "print", clopper_pearson(1, 12)),
        ({"print": Rate(1, 12), "mask": Rate(0, 0)}, "print", clopper_pearson(1, 12)),
        ({"print": Rate(0, 50), "mask": Rate(0, 3)}, "mask", None),
        ({}, "", (0.0, 1.0)),
    ]:
        worst = counted(rates).worst
        assert worst.species == species
        assert interval is None or worst.interval == interval
    assert worst.value is None


def test_that_intervals_of_maximum_and_hter_have_at_least_their_coverage():
    # Enumerate all outcomes with these true rates, with their exact probabilities.
    truth, n = (0.2, 0.25, 0.3), 8
    covered = 0.0
    for counts in product(range(n + 1), repeat=3):
        low, high = counted({str(i): Rate(k, n) for i, k in enumerate(counts)}).worst.interval
        if low <= max(truth) <= high:
            covered += np.prod([binom.pmf(k, n, p) for k, p in zip(counts, truth, strict=True)])
    assert covered >= 0.95
    covered, n = 0.0, 10
    for a, b in product(range(n + 1), repeat=2):
        low, high = counted({"print": Rate(a, n)}, Rate(b, n)).hter.interval
        if low <= (0.1 + 0.3) / 2 <= high:
            covered += binom.pmf(a, n, 0.1) * binom.pmf(b, n, 0.3)
    assert covered >= 0.95


def test_that_acer_with_one_species_is_hter():
    errors = counted({"print": Rate(2, 9)}, Rate(1, 7))
    assert errors.acer == errors.hter
    acer = counted({"print": Rate(1, 10), "phone": Rate(3, 10)}, Rate(1, 20)).acer
    assert (acer.n_bona_fide, acer.n_attacks) == (20, 20)


def test_that_non_response_counts_over_all_presentations_and_errors_over_responses():
    errors = measure(
        0.5,
        [0.9, 0.1],
        {"print": [0.9]},
        n_bona_fide_without=2,
        n_attacks_without={"print": 3, "mask": 1},
    )
    assert (errors.bpcer, errors.bpnrr) == (Rate(1, 2), Rate(2, 4))
    assert errors.apcers == {"print": Rate(1, 1), "mask": Rate(0, 0)}
    assert errors.apnrrs == {"print": Rate(3, 4), "mask": Rate(1, 1)}
    assert errors.apnrr == Rate(4, 5)


def test_that_intervals_of_many_counts_equal_those_of_each():
    for confidence in [0.5, 0.95, 0.975, 0.9875]:
        for n in [1, 2, 7, 40, 1000]:
            counts = np.linspace(n, 0, 60).astype(int)  # unsorted, with repeats
            lows, highs = exact_intervals(counts, n, confidence)
            expected = [clopper_pearson(int(count), n, confidence) for count in counts]
            assert list(zip(lows, highs, strict=True)) == expected
            assert expected == [Rate(int(count), n, confidence).interval for count in counts]
    assert [len(ends) for ends in exact_intervals([], 5)] == [0, 0]
    assert [ends.tolist() for ends in exact_intervals([0, 0], 0)] == [[0, 0], [1, 1]]


def test_that_the_interval_of_a_mean_is_exact_at_0_and_1_and_never_too_narrow():
    assert mean_interval(0.5, 0) == (0.0, 1.0)
    for n in [1, 4, 30]:
        assert mean_interval(0.0, n) == pytest.approx(clopper_pearson(0, n))
        assert mean_interval(1.0, n) == pytest.approx(clopper_pearson(n, n))
    for n_errors in range(21):
        low, high = mean_interval(n_errors / 20, 20)
        exact_low, exact_high = clopper_pearson(n_errors, 20)
        assert low <= exact_low + 1e-9
        assert high >= exact_high - 1e-9
    # Beta(1, 3) has mean 1/4 and values between 0 and 1.
    means = np.random.default_rng(0).beta(1, 3, size=(400, 10)).mean(axis=1)
    ends = np.array([mean_interval(value, 10) for value in means])
    assert np.mean((ends[:, 0] <= 0.25) & (ends[:, 1] >= 0.25)) >= 0.95
