"""Counted errors and their intervals, at a given threshold."""

import doctest
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import lmkl_core.metrics
from lmkl_core import InvalidInputError, clopper_pearson
from lmkl_core.metrics import Errors, Rate, apcer, bpcer, measure

NOTHING = Rate(0, 0)


def counted(apcers, bpcer=NOTHING):
    return Errors(bpcer, apcers, NOTHING, {})


def test_that_the_example_in_the_docstring_holds():
    assert doctest.testmod(lmkl_core.metrics).failed == 0


def test_that_a_score_on_the_threshold_is_accepted_in_both_classes():
    assert (apcer(0.5, [0.5, 0.4]).n_errors, bpcer(0.5, [0.5, 0.4]).n_errors) == (1, 1)


def test_that_a_rate_carries_counts_and_the_exact_interval():
    rate = apcer(0.5, [0.1] * 11 + [0.9])
    assert (rate.value, rate.n) == (1 / 12, 12)
    assert rate.interval == clopper_pearson(1, 12)
    rate = bpcer(0.5, [])
    assert (rate.value, rate.n, rate.interval) == (None, 0, (0.0, 1.0))


def test_that_impossible_counts_are_refused():
    for n_errors, n in [(-1, 3), (4, 3)]:
        with pytest.raises(InvalidInputError, match="0 <= n_errors <= n"):
            Rate(n_errors, n)


def test_that_what_is_no_list_of_finite_numbers_is_refused():
    for scores in [[np.nan], [np.inf], [[0.1, 0.2]], ["high"]]:
        with pytest.raises(InvalidInputError, match="Scores of attacks must be"):
            apcer(0.5, scores)


@pytest.mark.parametrize("count", [apcer, bpcer])
def test_that_errors_at_no_number_are_refused_and_at_infinity_are_all_or_none(count):
    with pytest.raises(InvalidInputError, match="NaN"):
        count(float("nan"), [0.1])
    assert {count(end, [0.1, 0.2]).value for end in (-np.inf, np.inf)} == {0.0, 1.0}


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
        assert (errors.acer.value, errors.hter.value) == (None, None)
    else:
        assert errors.acer.value == pytest.approx((max(known) + refused) / 2)
        assert errors.hter.value == pytest.approx((pooled_share + refused) / 2)


def test_that_the_maximum_is_that_of_the_worst_and_least_certain_species_with_a_response():
    for rates, species, interval in [
        ({"print": Rate(1, 12)}, "print", clopper_pearson(1, 12)),
        ({"print": Rate(1, 12), "mask": Rate(0, 0)}, "print", clopper_pearson(1, 12)),
        ({"print": Rate(0, 50), "mask": Rate(0, 3)}, "mask", None),
        ({}, "", (0.0, 1.0)),
    ]:
        found = counted(rates).worst
        assert found.species == species
        assert interval is None or found.interval == interval
    assert found.value is None


def test_that_the_interval_of_the_maximum_covers_at_least_its_confidence():
    # All outcomes of three species with these true rates, weighed by their exact probability.
    truth, n = (0.2, 0.25, 0.3), 8
    covered = 0.0
    for counts in product(range(n + 1), repeat=3):
        low, high = counted({str(i): Rate(k, n) for i, k in enumerate(counts)}).worst.interval
        if low <= max(truth) <= high:
            covered += np.prod([binom.pmf(k, n, p) for k, p in zip(counts, truth, strict=True)])
    assert covered >= 0.95


def test_that_the_interval_of_hter_covers_at_least_its_confidence():
    covered, n = 0.0, 10
    for a, b in product(range(n + 1), repeat=2):
        low, high = counted({"print": Rate(a, n)}, Rate(b, n)).hter.interval
        if low <= (0.1 + 0.3) / 2 <= high:
            covered += binom.pmf(a, n, 0.1) * binom.pmf(b, n, 0.3)
    assert covered >= 0.95


def test_that_acer_with_one_species_is_hter_with_its_interval():
    errors = counted({"print": Rate(2, 9)}, Rate(1, 7))
    assert errors.acer == errors.hter
    found = counted({"print": Rate(1, 10), "phone": Rate(3, 10)}, Rate(1, 20)).acer
    assert (found.n_bona_fide, found.n_attacks) == (20, 20)


def test_that_means_of_both_errors_are_unknown_when_a_class_is_missing():
    for bona_fide, attacks in [([], {"print": [0.1]}), ([0.9], {}), ([0.9], {"print": []})]:
        errors = measure(0.5, bona_fide, attacks)
        assert (errors.acer.value, errors.hter.value) == (None, None)
        assert errors.acer.interval == errors.hter.interval == (0.0, 1.0)


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
