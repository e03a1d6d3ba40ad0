"""Intervals from drawing subjects: against scikit-learn, scipy's bootstrap, and simulated truth."""

from statistics import NormalDist

import numpy as np
import pytest
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
    measure,
)
from lmkl_core.metrics.bootstrap import _Auc
from lmkl_core.metrics.resampling import Subjects


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


def test_that_auc_equals_the_slow_way_with_scikit_learn_on_the_same_draws():
    tables = [simulated(12, 15), simulated(40, 2), apart(9, 14)]
    tables += [table.with_scores(np.round(table.scores)) for table in tables[:2]]  # with ties
    for table in tables:
        fast = bootstrap_auc(table, n_resamples=60, seed=3)
        slow = bootstrap_figure(table, scikit_auc, n_resamples=60, seed=3)
        assert fast.value == pytest.approx(slow.value)
        assert fast.value == pytest.approx(auc(table.bona_fide, table.attacks).value)
        assert fast.interval == pytest.approx(slow.interval)
        assert (fast.n_subjects, fast.n_resamples) == (slow.n_subjects, slow.n_resamples)


def test_that_acer_equals_the_slow_way_by_counting_errors_on_the_same_draws():
    # One species was presented by three of ten subjects, so that some resamples lack it.
    full = simulated(10, 5)
    table = full.rows((full.species != "mask") | np.isin(full.subjects, ["0", "4", "7"]))
    table = table.with_scores(np.round(2 * table.scores) / 2)  # some on the threshold

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


def test_that_the_seed_alone_decides_what_is_drawn(monkeypatch):
    table = simulated(10, 5)
    found = bootstrap_auc(table, n_resamples=101, seed=1)
    assert bootstrap_auc(table, n_resamples=101, seed=2).interval != found.interval
    narrow = bootstrap_auc(table, n_resamples=101, seed=1, confidence=0.8)
    low, high = narrow.interval
    assert found.interval[0] < low < found.value < high < found.interval[1]
    shuffled = table.rows(np.random.default_rng(1).permutation(len(table)))
    assert bootstrap_auc(shuffled, n_resamples=101, seed=1) == found
    monkeypatch.setattr("lmkl_core.metrics.resampling._BATCH_NUMBERS", 7 * len(table))
    assert bootstrap_auc(table, n_resamples=101, seed=1) == found


def scipys(table, level):
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
        method="BCa",
        vectorized=True,
        axis=-1,
        rng=np.random.default_rng(0),
    ).confidence_interval


@pytest.mark.parametrize("table", [simulated(12, 5), apart(10, 15)])
def test_that_intervals_equal_scipys_up_to_chance(table):
    n, n_strata = Subjects(table).n, len(Subjects(table).strata)
    reach = np.sqrt(n / (n - n_strata)) * stats.t.ppf(0.975, n - n_strata)
    found = bootstrap_auc(table, n_resamples=5000).interval
    expected = scipys(table, 2 * stats.norm.cdf(reach) - 1)
    assert found == pytest.approx(tuple(expected), abs=0.006)


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
    of_auc = covered(lambda table: bootstrap_auc(table, n_resamples=500), true_auc, 15, 100)
    assert 0.9 <= of_auc <= 0.99
    of_acer = covered(lambda table: bootstrap_acer(table, 1.0, n_resamples=500), true_acer, 15, 100)
    assert 0.88 <= of_acer <= 0.99


def separate(n_subjects):
    subjects = [str(i) for i in range(n_subjects)] * 3
    species = [""] * n_subjects + ["print"] * n_subjects + ["mask"] * n_subjects
    return ScoreTable.of([1.0] * n_subjects + [0.0] * 2 * n_subjects, species, subjects)


def test_that_without_spread_subjects_are_taken_as_trials():
    perfect = bootstrap_auc(separate(12))
    assert perfect.value == 1
    assert perfect.interval == pytest.approx(clopper_pearson(6, 6))  # pairs of subjects
    assert "subjects as trials" in perfect.note
    of_one_class = ScoreTable.of([1] * 4 + [0] * 9, [""] * 4 + ["print"] * 9, range(13))
    assert bootstrap_auc(of_one_class).interval == pytest.approx(clopper_pearson(4, 4))
    errors = bootstrap_acer(separate(12), 0.5)
    # Two species and bona fide share the confidence; the largest and the mean of equal ends.
    assert (errors.value, errors.interval[0]) == (0, 0)
    assert errors.interval[1] == pytest.approx(clopper_pearson(0, 12, 1 - 0.05 / 3)[1])
    other = bootstrap_figure(separate(5), lambda table: 0.25)
    assert (other.value, other.interval, other.n_resamples) == (0.25, (0.0, 1.0), 0)


def test_that_one_subject_has_values_and_intervals_that_say_nothing():
    table = simulated(1, 20)
    for found in (
        bootstrap_auc(table),
        bootstrap_acer(table, 1.0),
        bootstrap_figure(table, scikit_auc),
    ):
        assert found.value is not None
        assert (found.interval, found.n_subjects, found.n_resamples) == ((0.0, 1.0), 1, 0)
        assert "nly one subject" in found.note


def test_that_a_class_or_species_of_one_subject_has_no_interval_and_the_note_names_it():
    full = simulated(10, 5)
    mask_once = full.rows((full.species != "mask") | (full.subjects == "3"))
    for found, told in (
        (bootstrap_auc(apart(1, 6)), "Only one subject presented bona fide."),
        (bootstrap_acer(mask_once, 1.0), "Only one subject presented mask."),
    ):
        assert found.value is not None
        assert (found.interval, found.note) == ((0.0, 1.0), told)
    assert bootstrap_auc(mask_once).n_resamples > 0


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


def test_that_few_subjects_are_told_as_few():
    assert "only 9 subjects" in bootstrap_auc(simulated(9, 5), n_resamples=20).note
    assert bootstrap_auc(simulated(10, 5), n_resamples=20).note == ""


def test_that_impossible_settings_are_refused():
    for setting, message in [
        ({"n_resamples": 0}, "at least 1"),
        ({"confidence": 1.0}, "between 0 and 1"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            bootstrap_auc(simulated(3, 2), **setting)
    with pytest.raises(InvalidInputError, match="NaN"):
        bootstrap_acer(simulated(3, 2), float("nan"))


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
    slow = bootstrap_figure(both, difference, n_resamples=60, seed=3)
    fast = bootstrap_difference(first, second, "AUC", n_resamples=60, seed=3)
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


def test_that_a_difference_that_cannot_be_told_lies_anywhere():
    for first, thresholds in [
        (simulated(1, 4), (1.0, 1.0)),
        (simulated(8, 4), (None, 1.0)),
        (simulated(8, 4).rows(np.zeros(96, dtype=bool)), (1.0, 1.0)),
    ]:
        found = bootstrap_difference(first, first, "ACER", thresholds)
        assert found.interval == (-1.0, 1.0)
        assert found.note
    one, many = simulated(1, 8), simulated(30, 3, seed=1)
    alone = bootstrap_difference(one, many, "AUC", is_paired=False)
    assert alone.interval == (-1.0, 1.0)
    assert "one subject" in alone.note
