"""Kernels against double loops, the width rule against SciPy's pairwise distances."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from lmkl_core import kernels
from lmkl_core.errors import InvalidInputError
from lmkl_core.kernels import (
    ViewKernel,
    check_precomputed,
    fit_kernel,
    gram,
    gram_stack,
    half_mean_distance,
    half_square_distances,
    kernel_names,
    linear,
    mean_gram,
    rbf,
    register_kernel,
    width_of,
)
from tests.core.recordings import make


@pytest.fixture
def registry(monkeypatch):
    """Return a registry of kernels that is put back afterwards."""
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
def test_that_rbf_values_are_those_of_a_double_loop(n, m, columns, width):
    X, Y = cloud(n, columns, 1), cloud(m, columns, 2)
    expected = rbf_by_loops(X.tolist(), Y.tolist(), width)
    np.testing.assert_allclose(rbf(X, Y, width=width), expected, rtol=1e-9, atol=1e-300)


def test_that_linear_values_are_inner_products_whatever_the_width():
    X, Y = cloud(4), cloud(5, seed=1)
    expected = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in Y] for x in X]
    np.testing.assert_allclose(linear(X, Y, width=7.0), expected, rtol=1e-12)


@given(st.floats(-1e8, 1e8))
def test_that_half_square_distances_are_never_negative(offset):
    X = cloud(20) * 1e-3 + offset
    assert np.min(half_square_distances(X, X)) >= 0


def test_that_the_width_is_half_the_mean_distance_between_different_rows():
    for n in [2, 3, 50, 511, 512, 513, 1300]:
        X = cloud(n, 5)
        assert half_mean_distance(X) == pytest.approx(pdist(X).mean() / 2, rel=1e-10)


def test_that_the_width_of_many_rows_comes_from_evenly_spaced_ones(monkeypatch):
    monkeypatch.setattr(kernels, "WIDTH_ROWS", 100)
    X = cloud(1000)
    chosen = X[np.linspace(0, 999, 100).astype(int)]
    assert half_mean_distance(X) == pytest.approx(pdist(chosen).mean() / 2, rel=1e-10)
    assert half_mean_distance(X) == pytest.approx(pdist(X).mean() / 2, rel=0.1)


def test_that_the_width_is_zero_for_one_row():
    assert half_mean_distance(cloud(1)) == 0


def test_that_the_width_without_takes_is_the_papers():
    X = cloud(60, 5)
    assert width_of(X) == half_mean_distance(X)
    assert fit_kernel("rbf", "v", X).width == half_mean_distance(X)
    views = {"eyes": X, "mouth": cloud(60, 4, 1)}
    assert [kernel.width for kernel in make().fit(views).kernels_] == [
        pytest.approx(pdist(array).mean() / 2, rel=1e-10) for array in views.values()
    ]


def test_that_a_kernel_is_wider_than_rows_inside_takes_are_apart():
    takes = np.repeat([0, 1], [20, 40])
    X = cloud(60, 5) * np.where(takes == 0, 1.0, 3.0)[:, None]
    inside = (pdist(X[:20]).mean() + pdist(X[20:]).mean()) / 2  # each take counts once
    assert width_of(X, takes) == pytest.approx(1.25 * inside, rel=1e-10)
    assert width_of(X, np.zeros(60, int)) == pytest.approx(1.25 * pdist(X).mean(), rel=1e-10)
    for n_inducing in (None, 12):
        model = make(n_inducing=n_inducing).fit(X, groups=takes)
        assert model.kernels_[0].width == width_of(X, takes)


def test_that_takes_far_apart_keep_the_papers_width():
    takes = np.repeat(np.arange(3), 20)
    X = cloud(60, 5) + 100.0 * np.eye(5)[takes]
    assert width_of(X, takes) == half_mean_distance(X)


def test_that_takes_of_one_row_say_nothing_of_the_width():
    X = cloud(20, 5)
    assert width_of(X, np.arange(20)) == half_mean_distance(X)
    takes = np.concatenate([np.zeros(10, int), np.arange(1, 11)])
    assert width_of(X, takes) == pytest.approx(1.25 * pdist(X[:10]).mean(), rel=1e-10)
    assert width_of(X[:1], np.zeros(1, int)) == 0


def test_that_a_model_of_one_take_knows_the_same_person_in_the_next():
    """Frames tremble in a take; the next one lies beside it by as much."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 10))
        fresh = rng.normal(size=10) + rng.normal(size=(40, 10))
        alone = make().fit(X)
        known = make().fit(X, groups=np.zeros(40, int))
        assert np.median(known.score_samples(fresh)) > 3 * np.median(alone.score_samples(fresh))
        assert np.mean(known.predict(fresh) < 0) < np.mean(alone.predict(fresh) < 0)


def test_that_the_width_does_not_suffer_from_a_large_offset():
    for dtype in [np.float32, np.float64]:
        X = cloud(200)
        moved = (X + 1000).astype(dtype)
        assert half_mean_distance(moved) == pytest.approx(pdist(X).mean() / 2, rel=1e-4)


@given(st.floats(-6, 6))
def test_that_the_width_scales_with_the_data_so_that_the_kernel_does_not_change(exponent):
    X = cloud(12)
    scaled = X * 10.0**exponent
    one, two = fit_kernel("rbf", "v", X), fit_kernel("rbf", "v", scaled)
    assert two.width == pytest.approx(one.width * 10.0**exponent, rel=1e-9)
    np.testing.assert_allclose(gram(one, X), gram(two, scaled), rtol=1e-9)


def test_that_kernels_keep_the_dtype_of_the_views():
    for name in ["rbf", "linear"]:
        for dtype in [np.float32, np.float64]:
            X = cloud(10, dtype=dtype)
            kernel = fit_kernel(name, "v", X)
            assert kernel(X, X[:3]).dtype == dtype
            assert gram(kernel, X).dtype == dtype
            assert gram_stack([kernel, kernel], ["a", "b"], [X, X]).dtype == dtype
            assert isinstance(kernel.width, float)


def test_that_float32_values_agree_with_float64_ones():
    X = cloud(40, 8)
    double = gram(fit_kernel("rbf", "v", X), X)
    single = gram(fit_kernel("rbf", "v", X.astype(np.float32)), X.astype(np.float32))
    np.testing.assert_allclose(single, double, atol=2e-6)


def test_that_a_gram_matrix_is_symmetric_with_ones_on_its_diagonal():
    for dtype in [np.float32, np.float64]:
        X = cloud(50, 20, dtype=dtype) + dtype(300)
        K = gram(fit_kernel("rbf", "v", X), X)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_array_equal(np.diag(K), 1)
        assert np.linalg.eigvalsh(K.astype(float)).min() > -1e-5


def test_that_gram_matrices_leave_the_views_as_they_were():
    X = cloud(10)
    before = X.copy()
    for name in ("rbf", "linear"):
        gram(fit_kernel(name, "v", X), X)
    np.testing.assert_array_equal(X, before)


def test_that_the_diagonal_is_the_kernel_of_every_row_with_itself():
    for name in ["rbf", "linear"]:
        X = cloud(6)
        kernel = fit_kernel(name, "v", X)
        np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel(X, X)), rtol=1e-12)


def test_that_a_stack_holds_the_gram_matrix_of_every_view_and_the_mean_is_theirs():
    arrays = [cloud(8, 2, 1), cloud(8, 4, 2)]
    fitted = [fit_kernel("rbf", "a", arrays[0]), fit_kernel("linear", "b", arrays[1])]
    stack = gram_stack(fitted, ["a", "b"], arrays)
    np.testing.assert_allclose(stack[0], rbf_by_loops(*[arrays[0]] * 2, fitted[0].width), rtol=1e-9)
    np.testing.assert_allclose(stack[1], arrays[1] @ arrays[1].T, rtol=1e-12)
    np.testing.assert_allclose(mean_gram(fitted, arrays), stack.mean(axis=0), rtol=1e-12)


def test_that_a_constant_view_is_refused_by_name():
    for value in [0.0, 3.5, -1e10]:
        for name in ["rbf", "linear"]:
            with pytest.raises(
                InvalidInputError, match=r"View 'ear' is constant \(zero variance over 5 rows\)"
            ):
                fit_kernel(name, "ear", np.full((5, 2), value))


def test_that_a_view_whose_width_is_beyond_its_dtype_is_refused_by_name():
    for dtype, factor in [(np.float32, 1e-42), (np.float64, 5e-324), (np.float64, 1e200)]:
        X = (np.arange(10).reshape(5, 2) * factor).astype(dtype)
        with pytest.raises(InvalidInputError, match=r"View 'ear' varies too little or too much"):
            fit_kernel("rbf", "ear", X)


def test_that_an_unknown_kernel_is_refused_with_the_names_that_exist():
    with pytest.raises(
        InvalidInputError, match=r"kernel='magic' is unknown.*linear, precomputed, rbf"
    ):
        fit_kernel("magic", "v", cloud(4))
    with pytest.raises(
        InvalidInputError, match=r"Kernel 'magic' is not registered here.*register_kernel"
    ):
        ViewKernel("magic")(cloud(2), cloud(2))


def test_that_a_registered_kernel_is_fitted_and_called_with_the_width(registry):
    def laplace(X, Y, *, width):
        return np.exp(-np.abs(X[:, None] - Y[None]).sum(axis=-1) / width)

    register_kernel("laplace", laplace)
    assert kernel_names() == ["laplace", "linear", "precomputed", "rbf"]
    X = cloud(6)
    kernel = fit_kernel("laplace", "v", X)
    assert kernel.width == pytest.approx(pdist(X).mean() / 2)
    np.testing.assert_allclose(gram(kernel, X), laplace(X, X, width=kernel.width), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), 1)


def test_that_a_kernel_without_a_new_name_and_a_callable_is_not_registered(registry):
    for name, function in [("", rbf), ("precomputed", rbf), ("new", None), ("new", "rbf")]:
        with pytest.raises(InvalidInputError, match=f"Kernel {name!r} cannot be registered"):
            register_kernel(name, function)
        assert set(registry) == {"rbf", "linear"}


def test_that_a_precomputed_matrix_that_is_no_kernel_is_refused_by_name():
    for matrix, message in [
        (np.ones((3, 2)), r"View 'ear' has shape \(3, 2\).*needs a square matrix"),
        (np.zeros((3, 3)), "View 'ear' is a kernel of zeros"),
        (np.triu(np.ones((3, 3))), "View 'ear' is not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "View 'ear' is not positive semi-definite"),
        (-np.eye(2), "View 'ear' is not positive semi-definite"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            check_precomputed("ear", matrix)


def test_that_a_precomputed_kernel_passes_with_its_rounding_taken_out():
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
