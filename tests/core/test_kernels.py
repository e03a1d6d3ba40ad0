"""Kernels compared with double loops, widths with SciPy's pairwise distances."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from lmkl_core import kernels
from lmkl_core.kernels import (
    ViewKernel,
    check_precomputed,
    fit_kernel,
    gram,
    gram_stack,
    half_mean_distance,
    mean_gram,
    rbf,
    register_kernel,
    width_of,
)
from tests.core.recordings import make, refusal


@pytest.fixture
def registry(monkeypatch):
    """Return the registry of kernels, restored afterwards."""
    monkeypatch.setattr(kernels, "KERNELS", dict(kernels.KERNELS))
    return kernels.KERNELS


def cloud(n, columns=3, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, columns)).astype(dtype)


def rbf_by_loops(X, Y, width):
    return np.array(
        [
            [
                math.exp(-sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / (2 * width**2))
                for y in Y
            ]
            for x in X
        ]
    )


@settings(max_examples=25)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.floats(0.1, 10))
def test_that_rbf_values_equal_a_double_loop(n, m, columns, width):
    X, Y = cloud(n, columns, 1), cloud(m, columns, 2)
    expected = rbf_by_loops(X.tolist(), Y.tolist(), width)
    np.testing.assert_allclose(rbf(X, Y, width=width), expected, rtol=1e-9, atol=1e-300)


def test_that_the_width_is_half_the_mean_distance_between_different_rows():
    for n in [2, 3, 50, 511, 512, 513, 1300]:
        X = cloud(n, 5)
        assert half_mean_distance(X) == pytest.approx(pdist(X).mean() / 2, rel=1e-10)


def test_that_the_width_of_many_rows_uses_evenly_spaced_ones(monkeypatch):
    monkeypatch.setattr(kernels, "WIDTH_ROWS", 100)
    X = cloud(1000)
    chosen = X[np.linspace(0, 999, 100).astype(int)]
    assert half_mean_distance(X) == pytest.approx(pdist(chosen).mean() / 2, rel=1e-10)
    assert half_mean_distance(X) == pytest.approx(pdist(X).mean() / 2, rel=0.1)


def test_that_a_kernel_is_wider_than_the_mean_distance_inside_takes():
    takes = np.repeat([0, 1], [20, 40])
    X = cloud(60, 5) * np.where(takes == 0, 1.0, 3.0)[:, None]
    inside = (pdist(X[:20]).mean() + pdist(X[20:]).mean()) / 2  # each take counts once
    assert width_of(X, takes) == pytest.approx(1.25 * inside, rel=1e-10)
    assert width_of(X, np.zeros(60, int)) == pytest.approx(1.25 * pdist(X).mean(), rel=1e-10)
    for n_inducing in (None, 12):
        model = make(n_inducing=n_inducing).fit(X, groups=takes)
        assert model.kernels_[0].width == width_of(X, takes)


def test_that_takes_of_one_row_or_far_apart_keep_the_papers_width():
    X = cloud(20, 5)
    assert width_of(X) == width_of(X, np.arange(20)) == half_mean_distance(X)
    apart = cloud(60, 5) + 100.0 * np.eye(5)[np.repeat(np.arange(3), 20)]
    assert width_of(apart, np.repeat(np.arange(3), 20)) == half_mean_distance(apart)
    takes = np.concatenate([np.zeros(10, int), np.arange(1, 11)])
    assert width_of(X, takes) == pytest.approx(1.25 * pdist(X[:10]).mean(), rel=1e-10)
    assert width_of(X[:1], np.zeros(1, int)) == half_mean_distance(X[:1]) == 0


def test_that_the_width_is_accurate_despite_a_large_offset():
    for dtype in [np.float32, np.float64]:
        X = cloud(200)
        moved = (X + 1000).astype(dtype)
        assert half_mean_distance(moved) == pytest.approx(pdist(X).mean() / 2, rel=1e-4)


def test_that_kernels_keep_the_dtype_of_the_views():
    for name in ["rbf", "linear"]:
        for dtype in [np.float32, np.float64]:
            X = cloud(10, dtype=dtype)
            kernel = fit_kernel(name, "v", X)
            assert kernel(X, X[:3]).dtype == dtype
            assert gram(kernel, X).dtype == dtype
            assert gram_stack([kernel, kernel], ["a", "b"], [X, X]).dtype == dtype
            assert isinstance(kernel.width, float)
            diagonal = np.diag(kernel(X, X))
            np.testing.assert_allclose(kernel.diagonal(X), diagonal, rtol=10 * np.finfo(dtype).eps)
            double = fit_kernel(name, "v", X.astype(float))
            np.testing.assert_allclose(gram(kernel, X), gram(double, X.astype(float)), atol=2e-6)


def test_that_a_gram_matrix_is_symmetric_with_ones_on_its_diagonal():
    for dtype in [np.float32, np.float64]:
        X = cloud(50, 20, dtype=dtype) + dtype(300)
        K = gram(fit_kernel("rbf", "v", X), X)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_array_equal(np.diag(K), 1)
        assert np.linalg.eigvalsh(K.astype(float)).min() > -1e-5


def test_that_a_stack_has_the_gram_matrix_of_every_view():
    arrays = [cloud(8, 2, 1), cloud(8, 4, 2)]
    fitted = [fit_kernel("rbf", "a", arrays[0]), fit_kernel("linear", "b", arrays[1])]
    stack = gram_stack(fitted, ["a", "b"], arrays)
    np.testing.assert_allclose(stack[0], rbf_by_loops(*[arrays[0]] * 2, fitted[0].width), rtol=1e-9)
    np.testing.assert_allclose(stack[1], arrays[1] @ arrays[1].T, rtol=1e-12)
    np.testing.assert_allclose(mean_gram(fitted, arrays), stack.mean(axis=0), rtol=1e-12)


def test_that_a_constant_view_or_a_width_beyond_the_dtype_is_refused_by_name():
    for value in [0.0, 3.5, -1e10]:
        for name in ["rbf", "linear"]:
            message = refusal(fit_kernel, name, "ear", np.full((5, 2), value))
            assert "'ear' is constant" in message
    for dtype, factor in [(np.float32, 1e-42), (np.float64, 5e-324), (np.float64, 1e200)]:
        X = (np.arange(10).reshape(5, 2) * factor).astype(dtype)
        assert "'ear' varies too" in refusal(fit_kernel, "rbf", "ear", X)


def test_that_an_unknown_kernel_is_refused_with_the_names_that_exist(registry):
    assert "linear, precomputed, rbf" in refusal(fit_kernel, "magic", "v", cloud(4))
    assert "register_kernel('magic'" in refusal(ViewKernel("magic"), cloud(2), cloud(2))
    for name, function in [("", rbf), ("precomputed", rbf), ("new", None), ("new", "rbf")]:
        assert repr(name) in refusal(register_kernel, name, function)
        assert set(registry) == {"rbf", "linear"}


def test_that_a_precomputed_matrix_that_is_not_a_kernel_is_refused_by_name():
    for matrix, problem in [
        (np.ones((3, 2)), "'ear' has shape (3, 2)"),
        (np.zeros((3, 3)), "'ear' contains only zeros"),
        (np.triu(np.ones((3, 3))), "'ear' is not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "'ear' is not positive semi-definite"),
        (-np.eye(2), "'ear' is not positive semi-definite"),
    ]:
        assert problem in refusal(check_precomputed, "ear", matrix)


def test_that_rounding_in_a_precomputed_kernel_is_tolerated():
    for dtype in [np.float32, np.float64]:
        X = cloud(30, 2)
        K = rbf(X, X, width=2.0).astype(dtype)  # of low rank: eigenvalues below zero by rounding
        K[0, 1] *= dtype(1 + 1e-6)
        checked = check_precomputed("ear", K)
        np.testing.assert_array_equal(checked, checked.T)
        np.testing.assert_allclose(checked, K, rtol=1e-5)
        assert checked.dtype == dtype
        assert fit_kernel("precomputed", "ear", K) == ViewKernel("precomputed")
        stack = gram_stack([ViewKernel("precomputed")], ["ear"], [K])
        np.testing.assert_array_equal(stack[0], checked)
