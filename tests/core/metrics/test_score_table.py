"""Tables of scores: columns, means over presentations, errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core.metrics import (
    Rate,
    ScoreTable,
    Threshold,
    auc,
    bootstrap_auc,
    bpcer_at_apcer,
    eer,
    measure_table,
)
from tests.core.recordings import refusal

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
    attacks = {name: scores.tolist() for name, scores in table.attacks.items()}
    assert list(attacks.items()) == [("print", [0.2, 0.4]), ("mask", [0.1])]
    assert table.n_bona_fide_without == 1
    assert list(table.n_attacks_without.items()) == [("print", 1), ("mask", 0)]
    np.testing.assert_array_equal(table.shifted(-1.0).scores, table.scores - 1)
    assert table.with_scores(np.arange(7.0)).scores.tolist() == [0, 1, 2, 3, 4, 5, 6]
    silent = ScoreTable.of([None, 1.0], ["mask", ""])
    assert (silent.attacks["mask"].tolist(), silent.n_attacks_without) == ([], {"mask": 1})


def test_that_presentations_have_the_mean_of_their_scored_frames_in_order_of_appearance():
    table = frames().by_presentation()
    assert table.presentations.tolist() == ["a", "b", "c", "d", "e"]
    np.testing.assert_array_equal(table.scores, [0.8, 0.2, 0.4, 0.1, NAN])
    assert table.species.tolist() == ["", "print", "print", "mask", ""]
    assert table.subjects.tolist() == ["ann", "ann", "bob", "bob", "bob"]
    np.testing.assert_array_equal(
        frames().by_presentation(least=2).scores, [0.8, NAN, NAN, NAN, NAN]
    )
    assert "least=0" in refusal(frames().by_presentation, least=0)
    pictures = ScoreTable.of([0.3, None, 0.1], ["", "print", "print"])
    assert pictures.by_presentation() is pictures
    assert pictures.n_subjects == 1
    assert np.isnan(pictures.by_presentation(least=2).scores).all()


@given(st.floats(-1e6, 1e6), st.integers(1, 50))
def test_that_the_mean_of_equal_scores_is_exact(score, count):
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
        expected = np.mean(scores) if scores else math.nan
        assert mean == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_that_inconsistent_columns_are_refused():
    for species, subjects in [(["", "print"], "aa"), (["print", "mask"], "aa"), (["", ""], "ab")]:
        table = ScoreTable.of([1, 2], species, subjects, ["take 1", "take 1"])
        assert "'take 1'" in refusal(table.by_presentation)
    for columns, problem in [
        *[(([1.0], [name]), name) for name in ("bona fide", "Bonafide", "bona_fide")],
        *[(([s], [""]), "Scores of a table") for s in (np.inf, -np.inf, "high", [0.1])],
        (([1.0], ["", ""], ["a"], ["b"]), "1 scores, 2 species, 1 subjects"),
        (([1.0], [""], [None]), "subjects"),
    ]:
        assert problem in refusal(ScoreTable.of, *columns)


def test_that_names_may_be_numbers_and_long_names_are_not_cut():
    table = ScoreTable.of([1, 2], ["", "a very long species " * 5], [7, 12], range(2))
    assert table.subjects.tolist() == ["7", "12"]
    joined = ScoreTable.joined([table, ScoreTable.of([3], ["x"], ["somebody else"])])
    assert joined.subjects.tolist() == ["7", "12", "somebody else"]
    assert joined.species[1] == "a very long species " * 5


def test_that_an_empty_table_stays_empty():
    empty = ScoreTable.joined([])
    assert (len(empty), len(empty.by_presentation()), empty.n_subjects) == (0, 0, 0)
    assert (empty.bona_fide.tolist(), empty.attacks) == ([], {})
    assert (empty.n_bona_fide_without, empty.n_attacks_without) == (0, {})
    assert len(ScoreTable.joined([empty, frames()])) == len(frames())


def test_that_names_keep_scores_of_one_presentation_by_two_models_apart():
    table = ScoreTable.of([1.0], [""], ["ann"], ["take"])
    other = ScoreTable.of([3.0], [""], ["ann"], ["take"])
    assert ScoreTable.joined([table, other]).by_presentation().scores.tolist() == [2.0]
    apart = ScoreTable.joined([table, other], names=["one", "two"]).by_presentation()
    assert apart.presentations.tolist() == ["one: take", "two: take"]
    assert apart.scores.tolist() == [1.0, 3.0]
    assert "1 names for 2 tables" in refusal(ScoreTable.joined, [table, other], names=["one"])


# Three bona fide takes of two frames, two prints, one mask, one print without scores.
BY_HAND = ScoreTable.of(
    [0.9, 0.7, 0.6, 0.2, 0.8, None, 0.1, 0.3, 0.7, 0.5, 0.65, 0.45, None, None],
    [*[""] * 6, *["print"] * 4, *["mask"] * 2, *["print"] * 2],
    [*"aabbcc", *"aabb", *"aa", *"bb"],
    [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7],
)


def test_that_figures_equal_those_computed_by_hand():
    table = BY_HAND.by_presentation()
    errors, classes = measure_table(0.5, table), (table.bona_fide, table.attacks)
    assert errors.bpcer == Rate(1, 3)  # means 0.8, 0.4, 0.8
    assert errors.apcers == {"print": Rate(1, 2), "mask": Rate(1, 1)}  # 0.2, 0.6; 0.55
    assert (errors.bpnrr, errors.apnrr) == (Rate(0, 3), Rate(1, 4))
    assert (errors.worst.species, errors.worst.value) == ("mask", 1.0)
    assert errors.acer.value == pytest.approx((1 + 1 / 3) / 2)
    assert auc(*classes).value == pytest.approx((3 + 1 + 3) / 9)
    # At 0.575 one of three is refused and one of three accepted.
    assert eer(*classes).value == pytest.approx(1 / 3)
    assert [bpcer_at_apcer(*classes, target).value for target in (0.01, 0.1)] == [1 / 3] * 2


def test_that_without_a_threshold_only_non_responses_are_counted():
    for threshold in [None, Threshold(None, "not chosen")]:
        errors = measure_table(threshold, BY_HAND)
        for figure in (errors.bpcer, errors.worst, errors.acer, errors.hter):
            assert (figure.value, figure.interval) == (None, (0.0, 1.0))
        assert list(errors.apcers) == ["print", "mask"]
        assert (errors.apnrr, errors.bpnrr) == (Rate(2, 8), Rate(1, 6))


def test_that_every_figure_uses_the_confidence():
    errors, classes = measure_table(0.6, BY_HAND, 0.9), (BY_HAND.bona_fide, BY_HAND.attacks)
    figures = [errors.bpcer, errors.worst.rate, errors.apnrr, errors.acer, errors.hter]
    figures += [auc(*classes, 0.9), eer(*classes, 0.9), bpcer_at_apcer(*classes, 0.2, 0.9)]
    figures += [bootstrap_auc(BY_HAND, n_resamples=20, confidence=0.9)]
    assert {figure.confidence for figure in figures} == {0.9}
