"""Bad input is refused in one sentence that names the view or the parameter."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from lmkl_core.errors import DuplicateRowsWarning, InvalidInputError
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
from tests.core.recordings import is_one_sentence

A = np.arange(12.0).reshape(4, 3)
B = np.arange(8.0).reshape(4, 2) ** 2


def refusal(call, *arguments, **options):
    """Return the message of the refusal, which must be one sentence."""
    with pytest.raises(InvalidInputError) as caught:
        call(*arguments, **options)
    assert is_one_sentence(str(caught.value))
    return str(caught.value)


def changed(array, row, column, value):
    array = np.array(array, dtype=float)
    array[row, column] = value
    return array


BAD_ARRAYS = {
    "NaN": (changed(A, 2, 1, np.nan), "contains NaN or infinity (first in row 2)"),
    "infinity": (changed(A, 3, 0, np.inf), "contains NaN or infinity (first in row 3)"),
    "one dimension": (np.arange(4.0), "has shape (4,)"),
    "three dimensions": (np.zeros((4, 2, 2)), "has shape (4, 2, 2)"),
    "no columns": (np.zeros((4, 0)), "has shape (4, 0)"),
    "words": (np.array([["a", "b"]] * 4), "which is not numeric"),
    "objects": (np.array([[{}, 1]] * 4), "has dtype object, which is not numeric"),
    "complex": (A + 1j, "has dtype complex128, which is not numeric"),
    "dates": (np.array([["2020-01-01"]] * 4, dtype="datetime64[D]"), "which is not numeric"),
    "a scalar": (3.0, "has shape ()"),
    "nothing": (None, "View"),
    "ragged rows": ([[1.0, 2.0], [3.0]], "View"),
}


def test_that_a_bad_array_is_refused_with_the_name_of_its_view():
    for array, told in BAD_ARRAYS.values():
        message = refusal(as_views, {"face": B, "ear": array})
        assert "'ear'" in message
        assert told in message
        assert "'face'" not in message


def test_that_views_that_do_not_go_together_are_refused():
    for views, told in [
        ({"face": A, "ear": B[:3]}, "Views have unequal numbers of rows (face: 4, ear: 3)"),
        ({}, "No views were given"),
        ([("ear", A), ("ear", B)], "View names repeat (ear, ear)"),
        ({1: A, "1": B}, "View names repeat (1, 1)"),
        ([("ear", A), B], "name"),
        *[(kind(A), "") for kind in (sparse.csr_array, sparse.csr_matrix, sparse.dok_array)],
    ]:
        assert told in refusal(as_views, views)
    largest = as_views(np.full((3, 2), np.finfo(float).max))
    assert np.all(np.isfinite(largest.arrays[0]))


def test_that_several_views_keep_their_order_and_names():
    for given_views, names in [
        ({"face": A, "ear": B}, ("face", "ear")),
        ([("face", A), ("ear", B)], ("face", "ear")),
        ([A, B], ("view0", "view1")),
        ((A, B), ("view0", "view1")),
        ({3: A, "ear": B}, ("3", "ear")),
    ]:
        views = as_views(given_views)
        assert views.names == names
        np.testing.assert_array_equal(views.arrays[0], A)
        np.testing.assert_array_equal(views.arrays[1], B)
        assert views.n_samples == 4


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
        assert views.names == ("face", "ear")
        np.testing.assert_array_equal(views.arrays[0], A)
        np.testing.assert_array_equal(views.arrays[1], B)
        assert views.arrays[0].dtype == np.float64


def test_that_views_that_do_not_fit_the_model_are_refused():
    for X, told in [
        ({"face": A}, "missing ear (it was fitted on face, ear)"),
        ({"face": A, "ear": B, "nose": A}, "unexpected nose"),
        ({"face": A, "nose": B}, "missing ear; unexpected nose"),
        ([("nose", A), ("ear", B)], "missing face; unexpected nose"),
        (A, "1 views were given but the model was fitted on 2 (face, ear)"),
        ([A, B, B], "3 views were given but the model was fitted on 2"),
        ([B, A], "View 'face' has 2 columns but the model was fitted on 3"),
        ({"face": A, "ear": B[:2]}, "unequal numbers of rows (face: 4, ear: 2)"),
        ({"face": A, "ear": changed(B, 1, 1, np.nan)}, "View 'ear' contains NaN or infinity"),
        ({"face": A, "ear": None}, "'ear'"),
        ({"face": A[:0], "ear": B[:0]}, "View 'face' has shape (0, 3)"),
        ({"face": A[0], "ear": B[0]}, "View 'face' has shape (3,)"),
    ]:
        assert told in refusal(matched, X)
        if "NaN" not in told:
            assert told in refusal(matched, X, check_finite=False)


def test_that_takes_are_numbered_in_order_of_first_appearance():
    for groups, expected in [
        (None, [0, 0, 0, 0]),
        (["b", "b", "a", "b"], [0, 0, 1, 0]),
        ([7, 3, 7, 5], [0, 1, 0, 2]),
        (np.array(["x"] * 4, dtype=object), [0, 0, 0, 0]),
    ]:
        np.testing.assert_array_equal(check_groups(groups, 4), expected)
    for groups in [["a"] * 3, [["a"] * 4], "take", 5]:
        message = refusal(check_groups, groups, 4)
        assert f"groups has shape {np.shape(groups)} but there are 4 rows" in message
    for groups in [["a", None, "a", "b"], [["a"], ["b"], ["c"], ["d", "e"]]]:
        assert "groups" in refusal(check_groups, groups, 4)


def test_that_rows_that_are_copies_in_every_view_are_counted_and_told():
    views = Views(("a", "b"), (A[[0, 1, 0, 2, 0]], B[[0, 1, 0, 2, 1]]))
    with pytest.warns(DuplicateRowsWarning, match="1 of 5 rows are exact copies"):
        assert warn_of_duplicates(views) == 1
    views = Views(("a", "b"), (A[[0, 0, 0]], B[[0, 1, 2]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warn_of_duplicates(views) == 0


def test_that_numbers_in_range_are_returned_and_others_refused_with_the_name_of_the_parameter():
    for value in [1, 1.0, 2.5, np.float32(3), np.int64(4), Fraction(3, 2)]:
        found = check_real("p", value, 1)
        assert (type(found), found) == (float, value)
    for value in [1, 3, np.int32(2), np.uint8(9)]:
        found = check_integer("p", value, 1)
        assert (type(found), found) == (int, value)
    assert check_real("p", 1e-300, 0, strict=True) == 1e-300
    never = ["2", None, True, np.nan, -1]
    for value in [*never, 0.999, np.inf, -np.inf, 1j, [2.0], np.array([2.0]), 10**400]:
        message = refusal(check_real, "p", value, 1)
        assert message == f"p={value!r} must be a finite number at least 1."
    for value in [0, 0.0, -0.0, -1e-300]:
        message = refusal(check_real, "p", value, 0, strict=True)
        assert message == f"p={value!r} must be a finite number greater than 0."
    for value in [*never, 0, 1.0, 2.5, np.True_]:
        message = refusal(check_integer, "p", value, 1)
        assert message == f"p={value!r} must be an integer of at least 1."


def test_that_a_choice_is_returned_and_anything_else_refused_with_all_choices():
    assert check_choice("solver", "certified", ("certified", "algorithm-1")) == "certified"
    for value in ("exact", None, 3, ["certified"], ("certified",)):
        message = refusal(check_choice, "solver", value, ("certified", "algorithm-1"))
        assert message == f"solver={value!r} is unknown: choose one of certified, algorithm-1."
