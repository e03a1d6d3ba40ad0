"""Intervals from resampling subjects, compared with scikit-learn, SciPy and simulations."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from lmkl_core import clopper_pearson
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
from tests.core.recordings import refusal


def simulated(n_subjects, n_rows, seed=0, species=("print", "mask"), effect=0.7):
    """Return scores with normal effects of the subject on each species and on bona fide."""
    generator = np.random.default_rng(seed)
    kinds = ("", *species)
    shape = (n_subjects, len(kinds), n_rows)
    means = np.array([2.0, *[0.0] * len(species)])[:, None]
    effects = generator.normal(scale=effect, size=shape[:2])[:, :, None]
    scores = means + effects + generator.normal(size=shape)
    subject, kind, _ = np.indices(shape).reshape(3, -1)
    return ScoreTable(scores.ravel(), np.array(kinds)[kind], subject.astype(str), kind.astype(str))


def apart(n_bona_fide, n_attackers, n_rows=4, seed=0):
    """Return scores of subjects that are each in only one class."""
    generator = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(n_bona_fide + n_attackers), n_rows)
    is_attack = subjects >= n_bona_fide
    effects = generator.normal(scale=0.7, size=n_bona_fide + n_attackers)[subjects]
    scores = np.where(is_attack, 0, 2) + effects + generator.normal(size=len(subjects))
    return ScoreTable.of(scores, np.where(is_attack, "print", ""), subjects)


def scikit_auc(table):
    return float(roc_auc_score(~table.is_attack, table.scores))


def test_that_auc_equals_scikit_learns_on_the_same_resamples():
    tables = [simulated(12, 15), simulated(40, 2), apart(9, 14)]
    tables += [table.with_scores(np.round(table.scores)) for table in tables[:2]]  # with ties
    for table in tables:
        fast = bootstrap_auc(table, n_resamples=60, seed=3)
        slow = bootstrap_figure(table, scikit_auc, n_resamples=60, seed=3)
        assert fast.value == pytest.approx(slow.value)
        assert fast.value == pytest.approx(auc(table.bona_fide, table.attacks).value)
        assert fast.interval == pytest.approx(slow.interval)
        assert (fast.n_subjects, fast.n_resamples) == (slow.n_subjects, slow.n_resamples)


def test_that_acer_equals_counting_errors_on_the_same_resamples():
    # Three of ten subjects presented one species, so some resamples lack it.
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


def test_that_strata_are_resampled_separately_and_those_of_one_subject_merged():
    for counts in [(3, 4, 5), (1, 0, 5), (0, 1, 5), (1, 1, 4), (3, 4, 1)]:
        n_bona_fide, n_attackers, n_both = counts
        species = [""] * n_bona_fide + ["x"] * n_attackers + ["", "x"] * n_both
        names = [*range(n_bona_fide + n_attackers)]
        names += [name for i in range(n_both) for name in [f"both {i}"] * 2]
        subjects = Subjects(ScoreTable.of(np.arange(len(species)), species, names))
        drawn = subjects.drawn(200, np.random.default_rng(0))
        assert np.all(np.ptp(drawn, axis=0) > 0)
        assert sorted(np.concatenate(subjects.strata)) == list(range(subjects.n))
        for stratum in subjects.strata:
            assert set(drawn[:, stratum].sum(axis=1)) == {len(stratum)}
        sizes = sorted(len(stratum) for stratum in subjects.strata)
        assert sizes == [3, 4, 5] if min(counts) > 1 else sizes[0] > 1


def test_that_resamples_depend_only_on_the_seed(monkeypatch):
    table = simulated(10, 5)
    figure = bootstrap_auc(table, n_resamples=101, seed=1)
    assert bootstrap_auc(table, n_resamples=101, seed=2).interval != figure.interval
    low, high = bootstrap_auc(table, n_resamples=101, seed=1, confidence=0.8).interval
    assert figure.interval[0] < low < figure.value < high < figure.interval[1]
    shuffled = table.rows(np.random.default_rng(1).permutation(len(table)))
    assert bootstrap_auc(shuffled, n_resamples=101, seed=1) == figure
    monkeypatch.setattr("lmkl_core.metrics.resampling._BATCH_NUMBERS", 7 * len(table))
    assert bootstrap_auc(table, n_resamples=101, seed=1) == figure


def scipy_interval(table, level):
    """Return SciPy's BCa interval of AUC over subjects in strata."""
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


def tied():
    """Return scores of three values, so that many resamples give the figure itself."""
    table = simulated(12, 1, species=("print",))
    return table.with_scores(np.clip(np.round(table.scores / 3), -1, 1))


@pytest.mark.parametrize("table", [simulated(12, 5), apart(10, 15), tied()])
def test_that_intervals_agree_with_scipys(table):
    n, n_strata = Subjects(table).n, len(Subjects(table).strata)
    reach = np.sqrt(n / (n - n_strata)) * stats.t.ppf(0.975, n - n_strata)
    found = bootstrap_auc(table, n_resamples=5000).interval
    expected = scipy_interval(table, 2 * stats.norm.cdf(reach) - 1)
    assert found == pytest.approx(tuple(expected), abs=0.006)


def covered(figure, truth, n_subjects, runs):
    """Return how often an interval contains the truth, over tables of different seeds."""
    hits = 0
    for seed in range(runs):
        low, high = figure(simulated(n_subjects, 6, seed)).interval
        hits += low <= truth <= high
    return hits / runs


def test_that_intervals_over_subjects_have_about_their_nominal_coverage():
    # Scores are normal with the variance 1 + 0.7^2 of rows and subjects.
    deviation = np.sqrt(1 + 0.7**2)
    true_auc = NormalDist().cdf(2 / (np.sqrt(2) * deviation))
    true_acer = NormalDist().cdf(-1 / deviation)  # all errors are equal at the threshold 1
    of_auc = covered(lambda table: bootstrap_auc(table, n_resamples=500), true_auc, 15, 100)
    assert 0.9 <= of_auc <= 0.99
    of_acer = covered(lambda table: bootstrap_acer(table, 1.0, n_resamples=500), true_acer, 15, 100)
    assert 0.88 <= of_acer <= 0.99


def separated(n_subjects):
    subjects = [str(i) for i in range(n_subjects)] * 3
    species = [""] * n_subjects + ["print"] * n_subjects + ["mask"] * n_subjects
    return ScoreTable.of([1.0] * n_subjects + [0.0] * 2 * n_subjects, species, subjects)


def test_that_without_spread_subjects_count_as_trials():
    perfect = bootstrap_auc(separated(12))
    assert perfect.value == 1
    assert perfect.interval == pytest.approx(clopper_pearson(6, 6))  # pairs of subjects
    assert perfect.note
    one_class_each = ScoreTable.of([1] * 4 + [0] * 9, [""] * 4 + ["print"] * 9, range(13))
    assert bootstrap_auc(one_class_each).interval == pytest.approx(clopper_pearson(4, 4))
    errors = bootstrap_acer(separated(12), 0.5)
    # Two species and bona fide share the confidence; the largest and the mean of equal ends.
    assert (errors.value, errors.interval[0]) == (0, 0)
    assert errors.interval[1] == pytest.approx(clopper_pearson(0, 12, 1 - 0.05 / 3)[1])
    other = bootstrap_figure(separated(5), lambda table: 0.25)
    assert (other.value, other.interval, other.n_resamples) == (0.25, (0.0, 1.0), 0)


def test_that_a_class_or_species_of_one_subject_has_no_interval():
    full, single = simulated(10, 5), simulated(1, 20)
    mask_once = full.rows((full.species != "mask") | (full.subjects == "3"))
    for figure, name in (
        (bootstrap_auc(single), "bona fide"),
        (bootstrap_acer(single, 1.0), "print"),
        (bootstrap_figure(single, scikit_auc), "one subject"),
        (bootstrap_auc(apart(1, 6)), "bona fide."),
        (bootstrap_acer(mask_once, 1.0), "mask"),
    ):
        assert figure.value is not None
        assert (figure.interval, figure.n_resamples) == ((0.0, 1.0), 0)
        assert name in figure.note
    assert bootstrap_auc(mask_once).n_resamples > 0


def test_that_without_a_class_there_is_neither_value_nor_interval():
    for table in [
        ScoreTable.joined([]),
        ScoreTable.of([1.0, 2.0], ["", ""], "ab"),
        ScoreTable.of([1.0, 2.0], ["print", "mask"], "ab"),
        ScoreTable.of([1.0, None, None], ["", "print", "print"], "abc"),
    ]:
        for figure in (bootstrap_auc(table), bootstrap_acer(table, 0.0)):
            assert (figure.value, figure.interval, figure.n_resamples) == (None, (0.0, 1.0), 0)
            assert figure.note


def test_that_rows_and_subjects_without_scores_are_not_resampled():
    table = simulated(10, 5)
    silent = ScoreTable.of([None] * 6, ["", "print", "mask"] * 2, ["x", "x", "x", "0", "0", "0"])
    joined = ScoreTable.joined([table, silent])
    assert bootstrap_auc(joined) == bootstrap_auc(table)
    assert bootstrap_acer(joined, 1.0) == bootstrap_acer(table, 1.0)


def test_that_few_subjects_are_noted_and_invalid_options_refused():
    assert "9 subjects" in bootstrap_auc(simulated(9, 5), n_resamples=20).note
    assert bootstrap_auc(simulated(10, 5), n_resamples=20).note == ""
    table = simulated(3, 2)
    assert "n_resamples=0" in refusal(bootstrap_auc, table, n_resamples=0)
    assert "confidence=1.0" in refusal(bootstrap_auc, table, confidence=1.0)
    assert "NaN" in refusal(bootstrap_acer, table, float("nan"))


def moved(table, by, seed=9):
    """Return scores of the same rows by another model, with attacks moved by ``by``."""
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
            change = bootstrap_difference(first, second, figure, (1.0, 1.3), is_paired=is_paired)
            assert change.value == pytest.approx(after[figure].value - before[figure].value)
            low, high = change.interval
            assert low < change.value < high
            assert change.n_subjects == (12 if is_paired else 24)


def test_that_a_paired_difference_equals_scikit_learns_on_the_same_resamples():
    first = simulated(12, 5)
    second = moved(first, 0.8)
    rows = np.arange(len(first))

    def difference(drawn):
        # As a share: half of one more than the difference.
        numbers = drawn.presentations.astype(int)
        a, b = (table.rows(numbers) for table in (first, second))
        return (1 + scikit_auc(b) - scikit_auc(a)) / 2

    both = ScoreTable(first.scores, first.species, first.subjects, rows.astype(str))
    slow = bootstrap_figure(both, difference, n_resamples=60, seed=3)
    fast = bootstrap_difference(first, second, "AUC", n_resamples=60, seed=3)
    assert fast.value == pytest.approx(2 * slow.value - 1)
    # Resamples that tie with the value differ only by rounding.
    assert fast.interval == pytest.approx([2 * end - 1 for end in slow.interval], abs=1e-3)


def test_that_an_unknown_difference_has_the_whole_interval():
    for first, thresholds in [
        (simulated(1, 4), (1.0, 1.0)),
        (simulated(8, 4), (None, 1.0)),
        (simulated(8, 4).rows(np.zeros(96, dtype=bool)), (1.0, 1.0)),
    ]:
        change = bootstrap_difference(first, first, "ACER", thresholds)
        assert change.interval == (-1.0, 1.0)
        assert change.note
    single, others = simulated(1, 8), simulated(30, 3, seed=1)
    change = bootstrap_difference(single, others, "AUC", is_paired=False)
    assert change.interval == (-1.0, 1.0)
    assert "one subject" in change.note
