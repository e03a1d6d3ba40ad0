"""Input checks: views, takes and parameters."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from lmkl_core.errors import DuplicateRowsWarning
from lmkl_core.validation import (
    Views,
    as_views,
    check_choice,
    check_groups,
    check_integer,
    check_real,
    is_single_view,
    match_views,
    warn_of_duplicates,
)
from tests.core.recordings import refusal

A = np.arange(12.0).reshape(4, 3)
B = np.arange(8.0).reshape(4, 2) ** 2


def changed(array, row, column, value):
    array = np.array(array, dtype=float)
    array[row, column] = value
    return array


BAD_ARRAYS = {
    "NaN": (changed(A, 2, 1, np.nan), "row 2"),
    "infinity": (changed(A, 3, 0, np.inf), "row 3"),
    "masked values": (np.ma.masked_less(A, 3), "masked"),
    "one dimension": (np.arange(4.0), "(4,)"),
    "three dimensions": (np.zeros((4, 2, 2)), "(4, 2, 2)"),
    "no columns": (np.zeros((4, 0)), "(4, 0)"),
    "words": (np.array([["a", "b"]] * 4), "not numeric"),
    "objects": (np.array([[{}, 1]] * 4), "not numeric"),
    "complex": (A + 1j, "not numeric"),
    "dates": (np.array([["2020-01-01"]] * 4, dtype="datetime64[D]"), "not numeric"),
    "a scalar": (3.0, "()"),
    "nothing": (None, ""),
    "ragged rows": ([[1.0, 2.0], [3.0]], "unequal length"),
}


def test_that_a_bad_array_is_refused_with_the_name_of_its_view():
    for kind, (array, problem) in BAD_ARRAYS.items():
        message = refusal(as_views, {"face": B, "ear": array})
        assert "'ear'" in message, kind
        assert problem in message, kind
        assert "'face'" not in message, kind


def test_that_inconsistent_views_are_refused():
    for views, problem in [
        ({"face": A, "ear": B[:3]}, "face: 4, ear: 3"),
        ({}, "No views"),
        ([("ear", A), ("ear", B)], "ear, ear"),
        ({1: A, "1": B}, "1, 1"),
        ([("ear", A), B], "name"),
        *[(kind(A), "") for kind in (sparse.csr_array, sparse.csr_matrix, sparse.dok_array)],
    ]:
        assert problem in refusal(as_views, views)
    largest = as_views(np.full((3, 2), np.finfo(float).max))
    assert np.all(np.isfinite(largest.arrays[0]))


def assert_views(views, names):
    assert views.names == names
    np.testing.assert_array_equal(views.arrays[0], A)
    np.testing.assert_array_equal(views.arrays[1], B)


def test_that_several_views_keep_their_order_and_names():
    for X, names in [
        ({"face": A, "ear": B}, ("face", "ear")),
        ([("face", A), ("ear", B)], ("face", "ear")),
        ([A, B], ("view0", "view1")),
        ((A, B), ("view0", "view1")),
        ({3: A, "ear": B}, ("3", "ear")),
    ]:
        assert_views(as_views(X), names)


def test_that_one_array_is_one_view_of_floats():
    for X in [A, A.tolist(), A.astype(int), A[:, ::-1], A > 3, A.astype(np.float16)]:
        views = as_views(X)
        assert is_single_view(X)
        assert views.names == ("view0",)
        np.testing.assert_array_equal(views.arrays[0], np.asarray(X, dtype=float))
        assert views.arrays[0].dtype == np.float64
        assert views.arrays[0].flags.c_contiguous


def test_that_all_views_share_one_floating_dtype():
    for first, second, expected in [
        (np.float32, np.float32, np.float32),
        (np.float32, np.float64, np.float64),
        (np.float64, np.int32, np.float64),
        (np.int8, np.int8, np.float64),
        (np.float32, np.int64, np.float64),
    ]:
        views = as_views([A.astype(first), B.astype(second)])
        assert {array.dtype for array in views.arrays} == {np.dtype(expected)}


def matched(X, **options):
    return match_views(X, Views(("face", "ear"), (np.ones((1, 3)), np.ones((1, 2)))), **options)


@pytest.mark.parametrize("check_finite", [True, False])
def test_that_views_for_scoring_come_in_the_order_of_the_model(check_finite):
    for X in [
        {"ear": B, "face": A},
        [("ear", B), ("face", A)],
        (("face", A), ("ear", B)),
        [A, B],
        {"face": A.astype(np.float32), "ear": B.astype(int)},
    ]:
        views = matched(X, check_finite=check_finite)
        assert_views(views, ("face", "ear"))
        assert views.arrays[0].dtype == np.float64


def test_that_views_that_do_not_match_the_model_are_refused():
    for X, problem in [
        ({"face": A}, "missing ear (it was fitted on face, ear)"),
        ({"face": A, "ear": B, "nose": A}, "unexpected nose"),
        ([("nose", A), ("ear", B)], "missing face; unexpected nose"),
        (A, "1 views"),
        ([A, B, B], "3 views"),
        ([B, A], "'face' has 2 columns"),
        ({"face": A, "ear": B[:2]}, "face: 4, ear: 2"),
        ({"face": A, "ear": changed(B, 1, 1, np.nan)}, "'ear' contains NaN"),
        ({"face": A, "ear": None}, "'ear'"),
        ({"face": A[:0], "ear": B[:0]}, "(0, 3)"),
        ({"face": A[0], "ear": B[0]}, "(3,)"),
    ]:
        assert problem in refusal(matched, X)
        if "NaN" not in problem:
            assert problem in refusal(matched, X, check_finite=False)


def test_that_takes_are_numbered_in_order_of_first_appearance():
    for groups, expected in [
        (None, [0, 0, 0, 0]),
        (["b", "b", "a", "b"], [0, 0, 1, 0]),
        ([7, 3, 7, 5], [0, 1, 0, 2]),
        (np.array(["x"] * 4, dtype=object), [0, 0, 0, 0]),
    ]:
        np.testing.assert_array_equal(check_groups(groups, 4), expected)
    for groups in [["a"] * 3, [["a"] * 4], "take", 5]:
        assert f"groups has shape {np.shape(groups)}" in refusal(check_groups, groups, 4)
    for groups in [["a", None, "a", "b"], [["a"], ["b"], ["c"], ["d", "e"]]]:
        assert "groups" in refusal(check_groups, groups, 4)


def test_that_rows_repeated_in_every_view_are_counted_with_a_warning():
    views = Views(("a", "b"), (A[[0, 1, 0, 2, 0]], B[[0, 1, 0, 2, 1]]))
    with pytest.warns(DuplicateRowsWarning, match="1 of 5"):
        assert warn_of_duplicates(views) == 1
    views = Views(("a", "b"), (A[[0, 0, 0]], B[[0, 1, 2]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warn_of_duplicates(views) == 0


def test_that_numbers_in_range_are_returned_and_others_refused_by_name():
    for value in [1, 1.0, 2.5, np.float32(3), np.int64(4), Fraction(3, 2)]:
        number = check_real("p", value, 1)
        assert (type(number), number) == (float, value)
    for value in [1, 3, np.int32(2), np.uint8(9)]:
        number = check_integer("p", value, 1)
        assert (type(number), number) == (int, value)
    assert check_real("p", 1e-300, 0, strict=True) == 1e-300
    never = ["2", None, True, np.nan, -1]
    for value in [*never, 0.999, np.inf, -np.inf, 1j, [2.0], np.array([2.0]), 10**400]:
        assert refusal(check_real, "p", value, 1).startswith(f"p={value!r} must be")
    for value in [0, 0.0, -0.0, -1e-300]:
        message = refusal(check_real, "p", value, 0, strict=True)
        assert message == f"p={value!r} must be a finite number greater than 0."
    for value in [*never, 0, 1.0, 2.5, np.True_]:
        assert refusal(check_integer, "p", value, 1).startswith(f"p={value!r} must be")
    assert check_choice("solver", "fast", ("fast", "slow")) == "fast"
    for value in ("exact", None, 3, ["fast"], ("fast",)):
        message = refusal(check_choice, "solver", value, ("fast", "slow"))
        assert message == f"solver={value!r} is unknown: choose one of fast, slow."
