"""Tables of scores: what they hold, what they refuse, and means over presentations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core import InvalidInputError
from lmkl_core.metrics import ScoreTable

NAN = float("nan")


def frames():
    return ScoreTable.of(
        scores=[0.9, 0.7, 0.2, None, 0.4, 0.1, None],
        species=["", "", "print", "print", "print", "mask", None],
        subjects=["ann", "ann", "ann", "ann", "bob", "bob", "bob"],
        presentations=["a", "a", "b", "b", "c", "d", "e"],
    )


def test_that_plain_sequences_become_columns_with_non_responses_marked():
    table = frames()
    assert len(table) == 7
    assert table.scores.dtype == np.float64
    assert table.species.dtype.kind == table.subjects.dtype.kind == "U"
    assert table.is_answered.tolist() == [True, True, True, False, True, True, False]
    assert table.is_attack.tolist() == [False, False, True, True, True, True, False]
    assert table.n_subjects == 2
    assert table.bona_fide.tolist() == [0.9, 0.7]
    found = {name: scores.tolist() for name, scores in table.attacks.items()}
    assert list(found.items()) == [("print", [0.2, 0.4]), ("mask", [0.1])]
    assert table.n_bona_fide_without == 1
    assert list(table.n_attacks_without.items()) == [("print", 1), ("mask", 0)]
    np.testing.assert_array_equal(table.shifted(-1.0).scores, table.scores - 1)
    silent = ScoreTable.of([None, 1.0], ["mask", ""])
    assert (silent.attacks["mask"].tolist(), silent.n_attacks_without) == ([], {"mask": 1})


def test_that_presentations_of_one_frame_each_are_not_copied():
    table = ScoreTable.of([0.3, None, 0.1], ["", "print", "print"])
    assert table.by_presentation() is table
    assert table.n_subjects == 1
    assert table.by_presentation(least=2).scores.tolist() == pytest.approx([NAN] * 3, nan_ok=True)


def test_that_the_same_rows_may_have_other_scores():
    table = frames()
    other = table.with_scores(np.arange(7.0))
    assert other.scores.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert other.presentations is table.presentations
    with pytest.raises(InvalidInputError, match="equal lengths"):
        table.with_scores(np.arange(3.0))


def test_that_presentations_have_the_mean_of_their_scored_frames_in_their_first_order():
    table = frames().by_presentation()
    assert table.presentations.tolist() == ["a", "b", "c", "d", "e"]
    np.testing.assert_array_equal(table.scores, [0.8, 0.2, 0.4, 0.1, NAN])
    assert table.species.tolist() == ["", "print", "print", "mask", ""]
    assert table.subjects.tolist() == ["ann", "ann", "bob", "bob", "bob"]


def test_that_presentations_with_too_few_scored_frames_are_non_responses():
    table = frames().by_presentation(least=2)
    np.testing.assert_array_equal(table.scores, [0.8, NAN, NAN, NAN, NAN])
    with pytest.raises(InvalidInputError, match="at least 1"):
        frames().by_presentation(least=0)


@given(st.floats(-1e6, 1e6), st.integers(1, 50))
def test_that_equal_scores_have_exactly_that_mean(score, count):
    table = ScoreTable.of([score] * count, [""] * count, presentations=["a"] * count)
    assert table.by_presentation().scores.tolist() == [score]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.floats(-1e3, 1e3)), max_size=30),
    st.randoms(use_true_random=False),
)
def test_that_means_equal_a_plain_loop_and_do_not_depend_on_the_order(rows, random):
    def means(ordered):
        table = ScoreTable.of(
            [score for _, score in ordered],
            [""] * len(ordered),
            presentations=[name for name, _ in ordered],
        ).by_presentation()
        return dict(zip(table.presentations.tolist(), table.scores.tolist(), strict=True))

    found = means(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert {name: str(mean) for name, mean in means(shuffled).items()} == {
        name: str(mean) for name, mean in found.items()
    }
    assert set(found) == {name for name, _ in rows}
    for name, mean in found.items():
        scores = [score for other, score in rows if other == name and score is not None]
        if not scores:
            assert math.isnan(mean)
        else:
            assert mean == pytest.approx(np.mean(scores), abs=1e-9)


def test_that_a_presentation_of_two_species_or_subjects_is_refused_by_name():
    for species, subjects in [(["", "print"], "aa"), (["print", "mask"], "aa"), (["", ""], "ab")]:
        table = ScoreTable.of([1, 2], species, subjects, ["take 1", "take 1"])
        with pytest.raises(InvalidInputError, match="'take 1' has rows of more than one species"):
            table.by_presentation()


def test_that_columns_that_make_no_table_are_refused():
    for columns, match in [
        *[(([1.0], [name]), "species") for name in ("bona fide", "Bonafide", "bona_fide")],
        *[(([s], [""]), "Scores of a table must be") for s in (np.inf, -np.inf, "high", [0.1])],
        (([1.0], ["", ""], ["a"], ["b"]), "1 scores, 2 species, 1 subjects"),
        (([1.0], [""], [None]), "subjects of a table must be names"),
    ]:
        with pytest.raises(InvalidInputError, match=match):
            ScoreTable.of(*columns)


def test_that_names_may_be_numbers_and_long_names_are_not_cut():
    table = ScoreTable.of([1, 2], ["", "a very long species " * 5], [7, 12], range(2))
    assert table.subjects.tolist() == ["7", "12"]
    assert table.species[1] == "a very long species " * 5
    joined = ScoreTable.joined([table, ScoreTable.of([3], ["x"], ["somebody else"])])
    assert joined.subjects.tolist() == ["7", "12", "somebody else"]
    assert joined.species[1] == table.species[1]


def test_that_an_empty_table_has_nothing_and_stays_empty():
    empty = ScoreTable.joined([])
    assert (len(empty), len(empty.by_presentation()), empty.n_subjects) == (0, 0, 0)
    assert (empty.bona_fide.tolist(), empty.attacks) == ([], {})
    assert (empty.n_bona_fide_without, empty.n_attacks_without) == (0, {})
    assert len(ScoreTable.joined([empty, frames()])) == len(frames())


def test_that_scores_of_one_presentation_by_two_models_are_kept_apart_by_names():
    table = ScoreTable.of([1.0], [""], ["ann"], ["take"])
    other = ScoreTable.of([3.0], [""], ["ann"], ["take"])
    assert ScoreTable.joined([table, other]).by_presentation().scores.tolist() == [2.0]
    apart = ScoreTable.joined([table, other], names=["one", "two"]).by_presentation()
    assert apart.presentations.tolist() == ["one: take", "two: take"]
    assert apart.scores.tolist() == [1.0, 3.0]
    with pytest.raises(InvalidInputError, match="1 names for 2 tables"):
        ScoreTable.joined([table, other], names=["one"])
