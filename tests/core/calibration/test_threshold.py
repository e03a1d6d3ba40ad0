"""Left-out scores, the threshold for a target, its interval and effective numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.stats import binomtest

from lmkl_core import clopper_pearson
from lmkl_core.calibration.left_out import (
    block_numbers,
    rows_of_takes,
    time_blocks,
)
from lmkl_core.calibration.threshold import (
    autocorrelation_time,
    calibrate,
    effective_number,
    number_by_blocks,
    threshold_for,
)
from tests.core.recordings import (
    kernel_stack,
    left_out_by_refitting,
    make,
    recording,
    refusal,
    takes_of,
    weighted_kernel,
)

VIEWS = recording(n=40)
TAKES = takes_of(40, 5)


def own_kernel(model):
    P = model.memberships_
    return weighted_kernel(model.kernel_weights_, kernel_stack(model, VIEWS, VIEWS), P, P)


def test_that_left_out_scores_of_time_blocks_and_takes_equal_refits():
    for delta, block_length in [(1e-3, None), (0.1, 1), (0.1, 4), (10.0, 3)]:
        estimator = make(n_clusters=3, delta=delta, block_length=block_length)
        model = estimator.fit(VIEWS, groups=TAKES)
        calibration, kernel = model.calibration_, own_kernel(model)
        blocks = time_blocks(TAKES, calibration.block_length)
        expected = left_out_by_refitting(kernel, model.delta_, blocks)
        assert np.allclose(calibration.scores, expected, rtol=0, atol=1e-10)
        stress = left_out_by_refitting(kernel, model.delta_, rows_of_takes(TAKES))
        assert np.allclose(calibration.stress_scores, stress, rtol=0, atol=1e-10)
        assert calibration.stress_bpcer == pytest.approx(np.mean(stress < model.offset_))
        refused = round(calibration.stress_bpcer * 5, 9)
        assert calibration.stress_interval == clopper_pearson(refused, 5)
        assert calibration.n_blocks == len(blocks)
        assert calibration.n_takes == 5
        assert calibration.n_scores == 40
        if block_length is not None:
            assert calibration.block_length == block_length
    one_take = make().fit(VIEWS).calibration_
    assert np.isnan(one_take.stress_bpcer)
    assert one_take.stress_interval == (0.0, 1.0)
    assert np.all(np.isnan(one_take.stress_scores))


def test_that_the_interval_is_exact():
    for n in (1, 2, 5, 19, 20, 100, 997):
        for k in sorted({0, 1, 2, n // 3, n // 2, n - 1, n} & set(range(n + 1))):
            for confidence in (0.8, 0.95, 0.999):
                test = binomtest(k, n).proportion_ci(confidence, method="exact")
                interval = clopper_pearson(k, n, confidence)
                assert interval == pytest.approx((test.low, test.high), abs=1e-12)
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@given(st.floats(0, 1), st.floats(1e-3, 1e4))
def test_that_the_interval_contains_the_proportion_for_effective_numbers(share, trials):
    low, high = clopper_pearson(share * trials, trials)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


def test_that_impossible_counts_are_refused():
    for failures, trials, confidence in [
        (-1, 5, 0.95),
        (6, 5, 0.95),
        (1, 5, 0.0),
        (1, 5, 1.0),
        (np.nan, 5, 0.95),
        (1, np.nan, 0.95),
    ]:
        assert "failures" in refusal(clopper_pearson, failures, trials, confidence)


def independent(scores, target=0.05):
    return calibrated(scores, np.arange(len(scores)), target)


def calibrated(scores, blocks, target=0.05):
    threshold, takes = threshold_for(scores, target), np.zeros(len(scores), int)
    return calibrate(scores, threshold, "a rule", blocks, takes, target_bpcer=target)


def test_that_the_threshold_is_the_score_of_rank_target_times_n_plus_one():
    for target in [(1, 20), (1, 100), (1, 3), (29, 100), (1, 2), (19, 20)]:
        share = Fraction(*target)
        for n in range(1, 250):
            scores = np.random.default_rng(n).permutation(n).astype(float)
            rank = max(1, share * (n + 1) // 1)
            assert threshold_for(scores, float(share)) == rank - 1


def test_that_tied_scores_at_the_threshold_are_accepted():
    scores = np.array([0.1, 0.3, 0.3, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9])
    calibration = independent(scores, 0.3)
    assert calibration.threshold == 0.3
    assert calibration.bpcer == pytest.approx(1 / 9)
    assert independent(np.full(30, 0.4), 0.2).bpcer == 0.0


def test_that_the_bpcer_is_the_share_of_left_out_scores_below_the_threshold():
    for target in (0.02, 0.05, 0.2, 0.6):
        model = make(target_bpcer=target).fit(VIEWS, groups=TAKES)
        calibration = model.calibration_
        assert calibration.threshold == model.offset_ == threshold_for(calibration.scores, target)
        assert calibration.bpcer == np.mean(calibration.scores < model.offset_) <= target
        assert calibration.target_bpcer == target


def test_that_bad_rates_and_scores_are_refused():
    rows = np.arange(5)
    arguments = (np.arange(5.0), 1.0, "a rule", rows, rows)
    assert "target_bpcer=1.0" in refusal(calibrate, *arguments, target_bpcer=1.0)
    assert "not finite" in refusal(independent, np.array([0.1, np.nan]))


def test_that_a_target_is_promised_exactly_when_there_is_enough_data():
    for target in ["1/100", "1/49", "1/20", "1/10", "1/4", "3/10"]:
        target = Fraction(target)
        least = -(-1 // target) - 1
        for n in (2, least - 1, least, least + 1, 3 * least):
            if n < 2:
                continue
            calibration = independent(np.random.default_rng(0).random(n), float(target))
            enough = target * (n + 1) >= 1
            assert calibration.promised == enough
            assert (f"{least} independent scores are" in calibration.statement) != enough
            assert enough or f"promised is {100 / (n + 1):.1f} %" in calibration.statement


def test_that_dependent_scores_promise_less_than_as_many_independent_ones():
    scores = np.repeat(np.random.default_rng(0).random(10), 4)
    calibration = calibrated(scores, np.repeat(np.arange(10), 4))
    effective = calibration.n_effective
    assert 5 <= effective <= 10
    assert not calibration.promised
    assert f"about {effective:.0f} independent scores" in calibration.statement
    assert f"promised is {100 / (effective + 1):.1f} %" in calibration.statement
    expected = clopper_pearson(calibration.bpcer * effective, effective)
    assert calibration.interval == pytest.approx(expected)
    assert not independent(scores).promised  # as single rows they are still copies
    assert independent(np.random.default_rng(0).random(40)).promised


def test_that_independent_scores_count_fully_and_copies_once_per_block():
    rng = np.random.default_rng(0)
    blocks = np.repeat(np.arange(50), 8)
    effective = [number_by_blocks(rng.normal(size=400), blocks) for _ in range(40)]
    assert np.mean(effective) == pytest.approx(400, rel=0.06)
    means = rng.normal(size=50)
    assert number_by_blocks(means[blocks], blocks) == pytest.approx(50)
    # Half the variance between blocks of eight makes a design effect of 1 + 7 / 2.
    many = np.repeat(np.arange(2000), 8)
    mixed = rng.normal(size=2000)[many] + rng.normal(size=16000)
    assert number_by_blocks(mixed, many) == pytest.approx(16000 / 4.5, rel=0.05)
    assert number_by_blocks(rng.normal(size=30), np.arange(30)) == 30
    assert number_by_blocks(rng.normal(size=30), np.zeros(30)) == 1
    assert number_by_blocks(np.full(400, 0.7), blocks) == 50


@given(st.integers(0, 10**6), st.integers(1, 12), st.floats(0, 1))
def test_that_the_effective_number_lies_between_blocks_and_scores(seed, n_blocks, share):
    rng = np.random.default_rng(seed)
    blocks = np.sort(np.concatenate([np.arange(n_blocks), rng.integers(n_blocks, size=30)]))
    scores = share * rng.normal(size=n_blocks)[blocks] + (1 - share) * rng.normal(size=len(blocks))
    assert n_blocks <= number_by_blocks(scores, blocks) <= len(blocks)


def test_that_the_origin_of_the_threshold_is_described():
    calibration = make(block_length=2).fit(VIEWS, groups=TAKES).calibration_
    assert calibration.level == np.median(calibration.scores)
    assert calibration.origin == (
        f"65 % of the median left-out score {calibration.level:.3g}, from 40 left-out scores in 20 "
        "time blocks of about 2 rows, 5 takes"
    )
    numbers = block_numbers(time_blocks(TAKES, 2), 40)
    effective = effective_number(calibration.scores, numbers, TAKES)
    assert calibration.n_effective == effective
    expected = clopper_pearson(calibration.bpcer * effective, effective)
    assert calibration.interval == pytest.approx(expected)


def autoregressive(rng, n, memory):
    keep = np.exp(-1 / memory)
    noise = rng.normal(size=n)
    noise[1:] *= np.sqrt(1 - keep**2)
    return lfilter([1], [1, -keep], noise)


def test_that_slowly_varying_scores_count_little_however_short_the_blocks_are():
    rng = np.random.default_rng(0)
    one_take, single_rows = np.zeros(300, int), np.arange(300)
    slow = [
        effective_number(autoregressive(rng, 300, 15), single_rows, one_take) for _ in range(30)
    ]
    quick = [effective_number(rng.normal(size=300), single_rows, one_take) for _ in range(30)]
    assert np.median(slow) < 30
    assert np.median(quick) > 280
    two, one_take = np.repeat([0, 1], 30), np.zeros(60, int)
    for _ in range(30):  # few blocks count no more than themselves
        assert effective_number(autoregressive(rng, 60, 15), two, one_take) <= 2


def test_that_correlations_do_not_cross_takes():
    steps = np.tile([1.0, -1.0], 50)
    assert autocorrelation_time(steps, np.repeat(np.arange(50), 2)) == 1.0
    runs = np.repeat(np.random.default_rng(2).normal(size=50), 4)
    assert autocorrelation_time(runs, np.repeat(np.arange(50), 4)) == pytest.approx(4, abs=0.1)


def test_that_a_threshold_that_accepts_anything_is_reported():
    scores = np.linspace(-1, 1, 60)
    assert not independent(scores).is_usable
    assert "not positive" in independent(scores).statement
    assert independent(scores + 2).is_usable
    assert "not positive" not in independent(scores + 2).statement
