"""Intervals of counts and of means, against scipy, exhaustive sums and hand-computed ends."""

import numpy as np
import pytest

from lmkl_core import clopper_pearson
from lmkl_core.metrics import Rate, exact_intervals, mean_interval


def test_that_intervals_of_many_counts_are_exactly_those_of_each():
    for confidence in [0.5, 0.95, 0.975, 0.9875]:
        for n in [1, 2, 7, 40, 1000]:
            counts = np.linspace(n, 0, 60).astype(int)  # in any order, and repeated
            lows, highs = exact_intervals(counts, n, confidence)
            expected = [clopper_pearson(int(count), n, confidence) for count in counts]
            assert list(zip(lows, highs, strict=True)) == expected
            assert expected == [Rate(int(count), n, confidence).interval for count in counts]


def test_that_no_counts_have_no_intervals_and_no_trials_say_nothing():
    assert mean_interval(0.5, 0) == (0.0, 1.0)
    assert [len(ends) for ends in exact_intervals([], 5)] == [0, 0]
    assert [ends.tolist() for ends in exact_intervals([0, 0], 0)] == [[0, 0], [1, 1]]


def test_that_the_interval_of_a_mean_without_or_with_nothing_but_errors_is_the_exact_one():
    for n in [1, 4, 30]:
        assert mean_interval(0.0, n) == pytest.approx(clopper_pearson(0, n))
        assert mean_interval(1.0, n) == pytest.approx(clopper_pearson(n, n))


def test_that_the_interval_of_a_mean_is_never_narrower_than_the_exact_one_of_counts():
    for n_errors in range(21):
        low, high = mean_interval(n_errors / 20, 20)
        exact_low, exact_high = clopper_pearson(n_errors, 20)
        assert low <= exact_low + 1e-9
        assert high >= exact_high - 1e-9


def test_that_the_interval_of_a_mean_covers_means_of_values_between_0_and_1():
    # Beta(1, 3) has the mean 1/4 and takes values in between; fixed seed.
    generator = np.random.default_rng(0)
    means = generator.beta(1, 3, size=(400, 10)).mean(axis=1)
    ends = np.array([mean_interval(value, 10) for value in means])
    assert np.mean((ends[:, 0] <= 0.25) & (ends[:, 1] >= 0.25)) >= 0.95
