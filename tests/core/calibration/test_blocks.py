"""Time blocks inside takes, and their length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.spatial.distance import pdist, squareform

from lmkl_core.calibration.left_out import (
    SHORTEST_TAKE_WITH_LAGS,
    block_numbers,
    choose_block_length,
    lag_similarity,
    rows_of_takes,
    time_blocks,
)
from tests.core.recordings import make, refusal

takes_of_any_kind = st.lists(st.integers(0, 5), min_size=1, max_size=80).map(np.array)


@given(takes_of_any_kind, st.integers(1, 100))
def test_that_blocks_partition_the_rows_in_time_order_inside_takes(takes, length):
    blocks = time_blocks(takes, length)
    numbers = block_numbers(blocks, len(takes))
    assert sorted(np.concatenate(blocks)) == list(range(len(takes)))
    for number, block in enumerate(blocks):
        assert np.array_equal(np.flatnonzero(numbers == number), block)
        assert len(set(takes[block])) == 1
        of_take = np.flatnonzero(takes == takes[block[0]])
        start = np.searchsorted(of_take, block[0])
        assert np.array_equal(of_take[start : start + len(block)], block)


@given(takes_of_any_kind, st.integers(1, 100))
def test_that_every_take_has_at_least_two_blocks_of_about_the_requested_length(takes, length):
    blocks = time_blocks(takes, length)
    for rows in rows_of_takes(takes):
        sizes = [len(b) for b in blocks if takes[b[0]] == takes[rows[0]]]
        assert len(sizes) >= min(2, len(rows))
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) <= max(1, -(-len(rows) // 2))
        if len(rows) >= 2 * length:
            assert length / 1.5 <= np.mean(sizes) <= length * 1.5


def kernel_of(X, width=None):
    distances = pdist(X)
    width = distances.mean() / 2 if width is None else width
    return squareform(np.exp(-(distances**2) / (2 * width**2))) + np.eye(len(X))


def correlated_rows(rng, n, memory, columns=40):
    """Rows with correlation ``exp(-lag / memory)`` in every column."""
    phi = np.exp(-1 / memory) if memory else 0.0
    noise = rng.normal(size=(n, columns))
    noise[1:] *= np.sqrt(1 - phi**2)
    return lfilter([1], [1, -phi], noise, axis=0)


def test_that_the_block_length_grows_with_the_memory_of_the_rows():
    takes = np.repeat(np.arange(4), 120)
    for memory, shortest, longest in [(0, 1, 6), (1, 3, 12), (2, 6, 24), (4, 12, 48)]:
        # The similarity of RBF kernels falls about like the correlation.
        for seed in range(3):
            rng = np.random.default_rng(seed)
            X = np.concatenate([correlated_rows(rng, 120, memory) for _ in range(4)])
            assert shortest <= choose_block_length(kernel_of(X), takes) <= longest


def test_that_no_block_is_longer_than_half_the_median_take():
    rng = np.random.default_rng(0)
    for sizes in ((30, 30, 30), (14, 20, 90), (13, 200)):
        takes = np.repeat(np.arange(len(sizes)), sizes)
        drift = np.linspace(0, 1, len(takes))[:, None] * rng.normal(size=(1, 5))
        length = choose_block_length(kernel_of(drift), takes)
        assert 1 <= length <= int(np.median(sizes)) // 2
    slow = np.concatenate([correlated_rows(rng, 40, 500) for _ in range(3)])
    assert choose_block_length(kernel_of(slow), np.repeat(np.arange(3), 40)) == 20


def test_that_short_takes_are_cut_in_half():
    for size in [2, 5, SHORTEST_TAKE_WITH_LAGS - 1]:
        takes = np.repeat(np.arange(6), size)
        X = np.random.default_rng(0).normal(size=(len(takes), 3))
        assert choose_block_length(kernel_of(X), takes) == size // 2
    assert choose_block_length(kernel_of(X), np.arange(len(X))) == 1
    for length in [0, -3]:
        assert str(length) in refusal(time_blocks, takes, length)


def test_that_similarity_is_normalised_and_averaged_by_lag_within_takes():
    rng = np.random.default_rng(0)
    X, takes = rng.normal(size=(17, 4)), np.repeat([0, 1, 2], [8, 3, 6])
    K = X @ X.T
    similarity = lag_similarity(K, takes, 4)
    for lag in range(1, 5):
        pairs = [
            K[i, i + lag] / np.sqrt(K[i, i] * K[i + lag, i + lag])
            for i in range(17 - lag)
            if takes[i] == takes[i + lag]
        ]
        assert similarity[lag - 1] == pytest.approx(np.mean(pairs), rel=1e-12)


def test_that_the_model_chooses_the_block_length_unless_given():
    rng = np.random.default_rng(0)
    takes = np.repeat(np.arange(3), 60)
    X = np.concatenate([correlated_rows(rng, 60, 3) for _ in range(3)])
    model = make().fit(X, groups=takes)
    expected = choose_block_length(kernel_of(X, model.kernels_[0].width), takes)
    assert model.calibration_.block_length == expected > 4
    model = make(block_length=5).fit(X, groups=takes)
    assert model.calibration_.block_length == 5
    assert model.calibrate(block_length=9).calibration_.block_length == 9
