"""Intervals from drawing subjects: against scikit-learn, scipy's bootstrap, and simulated truth."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from lmkl_core import InvalidInputError, clopper_pearson
from lmkl_core.metrics import (
    ScoreTable,
    auc,
    bootstrap_acer,
    bootstrap_auc,
    bootstrap_difference,
    bootstrap_figure,
    bpcer,
    measure,
)
from lmkl_core.metrics.bootstrap import _Auc
from lmkl_core.metrics.resampling import Drawing, Subjects


def simulated(n_subjects, n_rows, seed=0, species=("print", "mask"), effect=0.7):
    """Return scores with a normal effect of the subject on each species and on bona fide."""
    generator = np.random.default_rng(seed)
    kinds = ("", *species)
    shape = (n_subjects, len(kinds), n_rows)
    means = np.array([2.0, *[0.0] * len(species)])[:, None]
    effects = generator.normal(scale=effect, size=shape[:2])[:, :, None]
    scores = means + effects + generator.normal(size=shape)
    subject, kind, _ = np.indices(shape).reshape(3, -1)
    return ScoreTable(scores.ravel(), np.array(kinds)[kind], subject.astype(str), kind.astype(str))


def apart(n_bona_fide, n_attackers, n_rows=4, seed=0):
    """Return scores of subjects of which none is in both classes."""
    generator = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(n_bona_fide + n_attackers), n_rows)
    is_attack = subjects >= n_bona_fide
    effects = generator.normal(scale=0.7, size=n_bona_fide + n_attackers)[subjects]
    scores = np.where(is_attack, 0, 2) + effects + generator.normal(size=len(subjects))
    return ScoreTable.of(scores, np.where(is_attack, "print", ""), subjects)


def scikit_auc(table):
    return float(roc_auc_score(~table.is_attack, table.scores))


# ------------------------------------------------------------------ figures of resamples


@given(
    st.lists(
        st.tuples(st.integers(-2, 2), st.booleans(), st.integers(0, 3)), min_size=2, max_size=40
    ),
    st.integers(0, 2**16),
)
@settings(max_examples=60)
def test_that_auc_of_counted_subjects_equals_scikit_learns_of_weighted_rows(rows, seed):
    scores, is_attack, subjects = (np.array(column) for column in zip(*rows, strict=True))
    table = ScoreTable.of(scores, np.where(is_attack, "print", ""), subjects)
    known = Subjects(table)
    weights = np.random.default_rng(seed).integers(0, 4, size=(5, known.n)).astype(float)
    figure = _Auc(known)
    for counts, found in zip(weights, figure(weights), strict=True):
        of_rows = counts[known.member]
        if not of_rows[~is_attack].sum() or not of_rows[is_attack].sum():
            assert np.isnan(found)
        else:
            expected = roc_auc_score(~is_attack, scores, sample_weight=of_rows)
            assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("table", [simulated(12, 30), simulated(40, 2), apart(9, 14)])
def test_that_auc_equals_the_slow_way_with_scikit_learn_on_the_same_draws(table):
    fast = bootstrap_auc(table, n_resamples=150, seed=3)
    slow = bootstrap_figure(table, scikit_auc, n_resamples=150, seed=3)
    assert fast.value == pytest.approx(slow.value)
    assert fast.interval == pytest.approx(slow.interval)
    assert (fast.n_subjects, fast.n_resamples) == (slow.n_subjects, slow.n_resamples)


def test_that_acer_equals_the_slow_way_by_counting_errors_on_the_same_draws():
    # One species was presented by three of ten subjects, so that some resamples lack it.
    full = simulated(10, 5)
    table = full.rows((full.species != "mask") | np.isin(full.subjects, ["0", "4", "7"]))

    def counted(drawn):
        attacks = drawn.attacks
        if set(attacks) != {"print", "mask"}:
            return None
        return measure(1.0, drawn.bona_fide, attacks).acer.value

    fast = bootstrap_acer(table, 1.0, n_resamples=200, seed=5)
    slow = bootstrap_figure(table, counted, n_resamples=200, seed=5)
    assert fast.value == pytest.approx(slow.value)
    assert fast.interval == pytest.approx(slow.interval)
    assert fast.n_resamples == slow.n_resamples < 200


def test_that_values_are_those_of_the_table_itself():
    table = simulated(10, 6)
    assert bootstrap_auc(table).value == pytest.approx(auc(table.bona_fide, table.attacks).value)
    errors = measure(1.0, table.bona_fide, table.attacks)
    assert bootstrap_acer(table, 1.0).value == pytest.approx(errors.acer.value)


def test_that_a_score_on_the_threshold_is_accepted_in_both_classes():
    table = ScoreTable.of([1, 1, 0, 0], ["", "", "print", "print"], "abab")
    assert bootstrap_acer(table, 1.0).value == 0
    assert bootstrap_acer(table, 0.0).value == 0.5


# ------------------------------------------------------------------ drawing


def test_that_every_resample_draws_as_many_subjects_and_each_kind_in_its_own_number():
    table = ScoreTable.joined([simulated(5, 2), apart(3, 4).rows(np.arange(28))])
    renamed = ScoreTable.of(
        table.scores,
        table.species,
        [f"{name}{'' if row < 30 else ' alone'}" for row, name in enumerate(table.subjects)],
    )
    known = Subjects(renamed)
    drawn = known.drawn(200, np.random.default_rng(0))
    assert sorted(len(stratum) for stratum in known.strata) == [3, 4, 5]
    for stratum in known.strata:
        assert set(drawn[:, stratum].sum(axis=1)) == {len(stratum)}


def test_that_no_resample_lacks_a_class_when_subjects_have_one_class_only():
    found = bootstrap_auc(apart(2, 2), n_resamples=300)
    assert found.n_resamples == 300


def test_that_a_single_subject_of_its_kind_is_drawn_with_others_and_so_varies():
    for counts in [(1, 0, 5), (0, 1, 5), (1, 1, 4), (3, 4, 1)]:
        n_bona_fide, n_attackers, n_both = counts
        species = [""] * n_bona_fide + ["x"] * n_attackers + ["", "x"] * n_both
        subjects = [*range(n_bona_fide + n_attackers)]
        subjects += [name for i in range(n_both) for name in [f"both {i}"] * 2]
        known = Subjects(ScoreTable.of(np.arange(len(species)), species, subjects))
        assert min(len(stratum) for stratum in known.strata) > 1
        assert np.all(np.ptp(known.drawn(200, np.random.default_rng(0)), axis=0) > 0)
        assert sorted(np.concatenate(known.strata)) == list(range(known.n))


def test_that_a_seed_draws_the_same_and_another_seed_does_not():
    table = simulated(10, 5)
    assert bootstrap_auc(table, seed=1) == bootstrap_auc(table, seed=1)
    assert bootstrap_auc(table, seed=1).interval != bootstrap_auc(table, seed=2).interval


def test_that_work_in_parts_that_fit_into_memory_changes_nothing(monkeypatch):
    table = simulated(40, 2)
    at_once = bootstrap_auc(table, n_resamples=101)
    monkeypatch.setattr("lmkl_core.metrics.resampling._AT_ONCE", 7 * len(table))
    assert bootstrap_auc(table, n_resamples=101) == at_once


def test_that_the_order_of_rows_and_the_names_of_subjects_in_order_do_not_matter():
    table = simulated(9, 4)
    shuffled = table.rows(np.random.default_rng(1).permutation(len(table)))
    assert bootstrap_auc(table) == bootstrap_auc(shuffled)


# ------------------------------------------------------------------ intervals


def scipys(table, level, method):
    """Return scipy's interval of AUC, drawing the numbers of subjects by strata."""
    known = Subjects(table)
    figure = _Auc(known)

    def statistic(*samples, axis):
        drawn = np.concatenate(samples, axis=axis)
        rows = drawn.reshape(-1, drawn.shape[-1]).astype(int)
        counts = np.stack([np.bincount(row, minlength=known.n) for row in rows]).astype(float)
        return figure(counts).reshape(drawn.shape[:-1])

    return stats.bootstrap(
        tuple(stratum.astype(float) for stratum in known.strata),
        statistic,
        n_resamples=5000,
        confidence_level=level,
        method=method,
        vectorized=True,
        axis=-1,
        rng=np.random.default_rng(0),
    ).confidence_interval


@pytest.mark.parametrize("table", [simulated(12, 5), apart(10, 15)])
def test_that_percentile_intervals_equal_scipys_up_to_chance(table):
    found = bootstrap_auc(table, method="percentile", n_resamples=5000).interval
    assert found == pytest.approx(tuple(scipys(table, 0.95, "percentile")), abs=0.005)


@pytest.mark.parametrize("table", [simulated(12, 5), apart(10, 15)])
def test_that_bca_intervals_equal_scipys_at_students_level_up_to_chance(table):
    n, n_strata = Subjects(table).n, len(Subjects(table).strata)
    reach = np.sqrt(n / (n - n_strata)) * stats.t.ppf(0.975, n - n_strata)
    level = 2 * stats.norm.cdf(reach) - 1
    found = bootstrap_auc(table, n_resamples=5000).interval
    assert found == pytest.approx(tuple(scipys(table, level, "BCa")), abs=0.006)


def test_that_the_skewness_is_that_of_leaving_out_subjects_one_by_one_in_their_strata():
    table = apart(3, 15)
    known = Subjects(table)
    pulls = []
    for stratum in known.strata:
        without = np.array([scikit_auc(table.rows(known.member != number)) for number in stratum])
        pulls.append((len(stratum) - 1) * (without.mean() - without) / len(stratum))
    cubes, squares = (sum(np.sum(pull**power) for pull in pulls) for power in (3, 2))
    found = Drawing(known, 1, 0.95, "bca", 0)._acceleration(_Auc(known))
    assert found == pytest.approx(cubes / squares**1.5 / 6)


def test_that_a_higher_confidence_gives_a_wider_interval_around_the_value():
    table = simulated(10, 5)
    narrow, wide = (bootstrap_auc(table, confidence=level) for level in (0.8, 0.95))
    low, high = narrow.interval
    assert wide.interval[0] < low < narrow.value < high < wide.interval[1]


def covered(figure, truth, n_subjects, runs):
    """Return how often an interval holds the truth, over tables that differ by their seed."""
    hits = 0
    for seed in range(runs):
        low, high = figure(simulated(n_subjects, 6, seed)).interval
        hits += low <= truth <= high
    return hits / runs


def test_that_intervals_by_subject_hold_the_truth_about_as_often_as_they_say():
    # Scores are normal with the variance 1 + 0.7^2 of rows and subjects together.
    deviation = np.sqrt(1 + 0.7**2)
    true_auc = NormalDist().cdf(2 / (np.sqrt(2) * deviation))
    true_acer = NormalDist().cdf(-1 / deviation)  # all errors are equal at the threshold 1
    of_auc = covered(lambda table: bootstrap_auc(table, n_resamples=500), true_auc, 15, 150)
    assert 0.9 <= of_auc <= 0.99
    of_acer = covered(lambda table: bootstrap_acer(table, 1.0, n_resamples=500), true_acer, 15, 150)
    assert 0.88 <= of_acer <= 0.99


def test_that_frames_taken_as_independent_hold_the_truth_far_less_often_than_subjects():
    truth, runs = NormalDist().cdf(-1 / np.sqrt(1 + 0.7**2)), 80
    by_frame = by_subject = 0
    for seed in range(runs):
        table = simulated(15, 40, seed, species=())
        low, high = bpcer(1.0, table.bona_fide).interval
        by_frame += low <= truth <= high
        low, high = bootstrap_figure(table, share_refused, n_resamples=199).interval
        by_subject += low <= truth <= high
    assert by_frame <= 0.75 * runs
    assert by_subject >= 0.9 * runs


def share_refused(table):
    return float(np.mean(table.scores < 1))


# ------------------------------------------------------------------ where there is little


def separate(n_subjects):
    subjects = [str(i) for i in range(n_subjects)] * 3
    species = [""] * n_subjects + ["print"] * n_subjects + ["mask"] * n_subjects
    return ScoreTable.of([1.0] * n_subjects + [0.0] * 2 * n_subjects, species, subjects)


def test_that_perfect_separation_takes_pairs_of_subjects_as_trials():
    found = bootstrap_auc(separate(12))
    assert found.value == 1
    assert found.interval == pytest.approx(clopper_pearson(6, 6))
    assert "subjects as trials" in found.note


def test_that_perfect_separation_of_subjects_of_one_class_takes_the_smaller_number():
    table = ScoreTable.of([1] * 4 + [0] * 9, [""] * 4 + ["print"] * 9, range(13))
    assert bootstrap_auc(table).interval == pytest.approx(clopper_pearson(4, 4))


def test_that_no_error_at_all_bounds_acer_by_the_number_of_subjects():
    found = bootstrap_acer(separate(12), 0.5)
    # Two species and bona fide share the confidence; the largest and the mean of equal ends.
    assert (found.value, found.interval[0]) == (0, 0)
    assert found.interval[1] == pytest.approx(clopper_pearson(0, 12, 1 - 0.05 / 3)[1])


def test_that_any_other_figure_without_spread_says_nothing():
    found = bootstrap_figure(separate(5), lambda table: 0.25)
    assert (found.value, found.interval, found.n_resamples) == (0.25, (0.0, 1.0), 0)


def test_that_one_subject_has_values_and_intervals_that_say_nothing():
    table = simulated(1, 20)
    for found in (
        bootstrap_auc(table),
        bootstrap_acer(table, 1.0),
        bootstrap_figure(table, scikit_auc),
    ):
        assert found.value is not None
        assert (found.interval, found.n_subjects, found.n_resamples) == ((0.0, 1.0), 1, 0)
        assert "ne subject alone" in found.note


def test_that_a_class_of_one_subject_has_no_interval_and_the_note_names_it():
    found = bootstrap_auc(apart(1, 6))
    assert (found.interval, found.note) == ((0.0, 1.0), "One subject alone presented bona fide.")


def test_that_a_species_of_one_subject_has_no_interval_of_acer_but_one_of_auc():
    full = simulated(10, 5)
    table = full.rows((full.species != "mask") | (full.subjects == "3"))
    found = bootstrap_acer(table, 1.0)
    assert (found.interval, found.note) == ((0.0, 1.0), "One subject alone presented mask.")
    assert found.value is not None
    assert bootstrap_auc(table).n_resamples > 0


def test_that_a_missing_class_has_neither_value_nor_interval():
    for table in [
        ScoreTable.joined([]),
        ScoreTable.of([1.0, 2.0], ["", ""], "ab"),
        ScoreTable.of([1.0, 2.0], ["print", "mask"], "ab"),
        ScoreTable.of([1.0, None, None], ["", "print", "print"], "abc"),
    ]:
        for found in (bootstrap_auc(table), bootstrap_acer(table, 0.0)):
            assert (found.value, found.interval, found.n_resamples) == (None, (0.0, 1.0), 0)
            assert found.note


def test_that_rows_without_a_score_and_subjects_without_any_are_not_drawn():
    table = simulated(10, 5)
    silent = ScoreTable.of([None] * 6, ["", "print", "mask"] * 2, ["x", "x", "x", "0", "0", "0"])
    joined = ScoreTable.joined([table, silent])
    assert bootstrap_auc(joined) == bootstrap_auc(table)
    assert bootstrap_acer(joined, 1.0) == bootstrap_acer(table, 1.0)


def test_that_a_figure_may_count_rows_without_a_score():
    scores = [1.0, None, 1.0, 1.0, None, None, 1.0, 1.0]
    table = ScoreTable.of(scores, [""] * 8, np.repeat(np.arange(4), 2))
    found = bootstrap_figure(table, lambda rows: rows.n_bona_fide_without / len(rows))
    assert found.value == 3 / 8
    assert found.interval[0] < 3 / 8 < found.interval[1]


def test_that_few_subjects_are_told_as_few():
    assert "9 subjects are few" in bootstrap_auc(simulated(9, 5)).note
    assert bootstrap_auc(simulated(10, 5)).note == ""


def test_that_impossible_settings_are_refused():
    for setting, message in [
        ({"n_resamples": 0}, "at least 1"),
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"method": "luck"}, "bca or percentile"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            bootstrap_auc(simulated(3, 2), **setting)


def test_that_a_threshold_that_is_no_number_is_refused():
    with pytest.raises(InvalidInputError, match="NaN"):
        bootstrap_acer(simulated(3, 2), float("nan"))


# ------------------------------------------------------------------ differences


def moved(table, by, seed=9):
    """Return the scores of the same rows by another model: attacks come closer."""
    noise = np.random.default_rng(seed).normal(scale=0.3, size=len(table))
    return table.with_scores(table.scores + by * table.is_attack + noise)


def test_that_differences_are_those_of_the_figures():
    first = simulated(12, 5)
    second = moved(first, 0.8)

    def values(table, threshold):
        errors = measure(threshold, table.bona_fide, table.attacks)
        rates = {"BPCER": errors.bpcer, "APCER": errors.worst, "HTER": errors.hter}
        return rates | {"ACER": errors.acer, "AUC": auc(table.bona_fide, table.attacks)}

    before, after = values(first, 1.0), values(second, 1.3)
    for figure in before:
        for is_paired in [True, False]:
            found = bootstrap_difference(first, second, figure, (1.0, 1.3), is_paired=is_paired)
            assert found.value == pytest.approx(after[figure].value - before[figure].value)
            low, high = found.interval
            assert low < found.value < high
            assert found.n_subjects == (12 if is_paired else 24)


def test_that_a_paired_difference_equals_the_slow_way_on_the_same_draws():
    first = simulated(12, 5)
    second = moved(first, 0.8)
    rows = np.arange(len(first))

    def difference(drawn):
        # The slow way is given shares: here half of one more than the difference.
        numbers = drawn.presentations.astype(int)
        a, b = (table.rows(numbers) for table in (first, second))
        return (1 + scikit_auc(b) - scikit_auc(a)) / 2

    both = ScoreTable(first.scores, first.species, first.subjects, rows.astype(str))
    slow = bootstrap_figure(both, difference, n_resamples=200, seed=3)
    fast = bootstrap_difference(first, second, "AUC", n_resamples=200, seed=3)
    assert fast.value == pytest.approx(2 * slow.value - 1)
    # Resamples that tie with the value itself are told apart by rounding alone.
    assert fast.interval == pytest.approx([2 * end - 1 for end in slow.interval], abs=1e-3)


def test_that_pairs_make_the_interval_of_a_difference_narrower():
    first = simulated(20, 5, effect=2.0)
    second = moved(first, 0.3)
    widths = [
        np.ptp(bootstrap_difference(first, second, "AUC", is_paired=paired).interval)
        for paired in (True, False)
    ]
    assert widths[0] < 0.6 * widths[1]


def test_that_paired_intervals_hold_the_truth_about_as_often_as_they_say():
    # Both models are equally good, so that the true difference is zero.
    hits = 0
    for seed in range(150):
        table = simulated(15, 6, seed)
        one, other = moved(table, 0, 1000 + seed), moved(table, 0, 2000 + seed)
        low, high = bootstrap_difference(one, other, "AUC", n_resamples=500).interval
        hits += low <= 0 <= high
    assert 0.9 <= hits / 150 <= 0.99


def test_that_each_table_without_pairs_is_drawn_by_itself():
    first, second = simulated(6, 3), simulated(30, 3, seed=1)
    swapped = bootstrap_difference(second, first, "AUC", is_paired=False)
    found = bootstrap_difference(first, second, "AUC", is_paired=False)
    assert found.value == pytest.approx(-swapped.value)
    assert found.n_subjects == 36
    assert found.interval == pytest.approx([-end for end in swapped.interval[::-1]], abs=0.03)


def test_that_a_difference_that_cannot_be_told_lies_anywhere():
    for first, thresholds in [
        (simulated(1, 4), (1.0, 1.0)),
        (simulated(8, 4), (None, 1.0)),
        (simulated(8, 4).rows(np.zeros(96, dtype=bool)), (1.0, 1.0)),
    ]:
        found = bootstrap_difference(first, first, "ACER", thresholds)
        assert found.interval == (-1.0, 1.0)
        assert found.note


def test_that_a_subject_alone_in_one_table_leaves_the_difference_unknown():
    one, many = simulated(1, 8), simulated(30, 3, seed=1)
    found = bootstrap_difference(one, many, "AUC", is_paired=False)
    assert found.interval == (-1.0, 1.0)
    assert "alone" in found.note
