"""Figures of small score tables, compared with counts by hand."""

import numpy as np
import pytest

from app.reports.figures import FIGURES, Joiner, fold_figures
from lmkl_core.calibration.threshold import clopper_pearson
from lmkl_core.metrics import auc, bootstrap_acer, bootstrap_auc, bpcer_at_apcer
from tests.app.reports.example_tables import fold, scores


def test_that_errors_are_those_counted_by_hand():
    # One of four bona fide is refused; one of three prints and no phone is accepted.
    pooled = fold_figures([fold()], "presentation").pooled
    assert pooled.figure("BPCER").value == 1 / 4
    assert (pooled.figure("APCER").value, pooled.figure("APCER").species) == (1 / 3, "print")
    assert pooled.figure("ACER").value == pytest.approx((1 / 4 + 1 / 3) / 2)
    assert pooled.figure("HTER").value == pytest.approx((1 / 4 + 1 / 6) / 2)
    # Of 24 pairs, only bona fide 0.4 and print 0.6 are in the wrong order.
    assert pooled.figure("AUC").value == pytest.approx(23 / 24)


def test_that_presentations_without_a_score_are_non_responses():
    table = scores([0.9, None], print=[0.1, None, None])
    pooled = fold_figures([fold(table=table)], "presentation").pooled
    assert pooled.figure("BPNRR").value == 1 / 2
    assert pooled.figure("APNRR").value == 2 / 3
    assert pooled.figure("BPCER").n == 1


def test_that_mean_and_sample_deviation_are_taken_over_folds():
    # BPCERs of 1/4 and 0.
    perfect = scores([0.9, 0.8], print=[0.1])
    level = fold_figures([fold("a"), fold("b", perfect)], "presentation")
    found = level.spread("BPCER")
    assert (found.mean, found.std) == pytest.approx((0.125, 0.25 / np.sqrt(2)))
    assert found.n == 2
    assert fold_figures([fold()], "presentation").spread("BPCER").std is None
    assert fold_figures([fold(threshold=None)], "presentation").spread("BPCER") is None


def test_that_folds_are_pooled_around_their_own_thresholds():
    low = scores([0.2, 0.04], print=[0.01, 0.06])
    high = scores([20.0, 4.0], print=[1.0, 2.0])
    level = fold_figures([fold("a", low, 0.05), fold("b", high, 5.0)], "presentation")
    assert (level.pooled.figure("BPCER").n_errors, level.pooled.figure("BPCER").n) == (2, 4)
    assert level.pooled.figure("APCER").n_errors == 1
    assert level.pooled.threshold == 0.0


def test_that_a_score_on_the_threshold_stays_accepted_when_folds_are_pooled():
    value = 0.1 + 0.2
    folds = [fold(name, scores([value], print=[value]), value) for name in "ab"]
    pooled = fold_figures(folds, "presentation").pooled
    assert pooled.figure("BPCER").n_errors == 0
    assert pooled.figure("APCER").n_errors == 2


def test_that_without_a_threshold_only_figures_that_need_none_are_known():
    pooled = fold_figures([fold(threshold=None)], "presentation").pooled
    assert pooled.figure("AUC").value == pytest.approx(23 / 24)
    assert pooled.figure("BPNRR").value == 0.0
    for name in ("HTER", "APCER", "BPCER", "ACER"):
        assert pooled.figure(name).value is None
        assert pooled.figure(name).interval is None


def test_that_folds_are_not_pooled_if_one_has_no_threshold():
    level = fold_figures([fold("a"), fold("b", threshold=None)], "presentation")
    assert level.pooled.figure("AUC").value is None
    assert level.spread("AUC").n == 2
    assert level.spread("BPCER").n == 1


def test_that_frames_have_intervals_by_subject_only():
    many = scores([0.9, 0.8] * 6, print=[0.1, 0.85] * 6)
    pooled = fold_figures([fold(table=many)], "frame").pooled
    assert pooled.figure("BPCER").n == 24
    assert pooled.figure("BPCER").interval is None
    for name in ("AUC", "ACER"):
        assert pooled.figure(name).n_subjects == 12
        assert pooled.figure(name).interval is not None
    assert fold_figures([fold()], "frame").pooled.figure("AUC").interval is None


def test_that_subjects_are_drawn_for_auc_and_acer_if_there_are_enough():
    many = scores([0.9, 0.8] * 6, print=[0.1, 0.85] * 6)
    pooled = fold_figures([fold(table=many)], "presentation").pooled
    drawn = bootstrap_auc(many.by_presentation())
    assert pooled.figure("AUC").interval == drawn.interval
    assert pooled.figure("ACER").interval == bootstrap_acer(many.by_presentation(), 0.5).interval
    assert pooled.figure("HTER").n_subjects is None
    few = scores([0.9, 0.8], print=[0.1, 0.85])
    found = fold_figures([fold(table=few)], "presentation").pooled.figure("AUC")
    assert found.n_subjects is None
    assert found.interval == auc([0.9, 0.8], [0.1, 0.85]).interval


def test_that_values_without_intervals_equal_the_figures():
    pooled = fold_figures([fold()], "presentation").pooled
    for name in FIGURES:
        assert pooled.value(name) == pytest.approx(pooled.figure(name).value)


def test_that_a_missing_class_leaves_figures_unknown():
    pooled = fold_figures([fold(table=scores([0.9, 0.8]))], "presentation").pooled
    assert pooled.figure("BPCER").value == 0.0
    for name in ("AUC", "EER", "APCER", "ACER", "BPCER20"):
        assert pooled.figure(name).value is None


def test_that_methods_share_the_names_of_pooled_rows_but_not_their_scores():
    one, two = scores([0.9, 0.4], print=[0.1]), scores([0.8], print=[0.2, 0.7])
    joiner = Joiner()
    first = fold_figures([fold("a", one), fold("b", two)], "frame", joiner).pooled
    changed = [table.with_scores(1 - table.scores) for table in (one, two)]
    second = fold_figures([fold("a", changed[0]), fold("b", changed[1])], "frame", joiner).pooled
    assert second.scores.presentations is first.scores.presentations
    assert second.scores.subjects is first.scores.subjects
    assert second.scores.scores == pytest.approx(-first.scores.scores)
    # Other arrays are other rows, even with equal names.
    other = fold_figures([fold("a", two), fold("b", one)], "frame", joiner).pooled
    assert other.scores.presentations.tolist() == [*two.presentations, *one.presentations]


def test_that_a_perfect_method_is_not_less_certain_than_one_with_an_error():
    perfect = scores([0.9] * 20, print=[0.1] * 20)
    erring = scores([0.9] * 19 + [0.3], print=[0.1] * 19 + [0.6])
    for name, worse in (("AUC", 0), ("ACER", 1)):
        found = [
            fold_figures([fold(table=table)], "presentation").pooled.figure(name)
            for table in (perfect, erring)
        ]
        ends = [figure.interval[worse] for figure in found]
        assert ends[0] > ends[1] if name == "AUC" else ends[0] < ends[1]
        # As certain as the rates beside it, which take presentations as independent.
        assert found[0].n_subjects is None
    assert fold_figures([fold(table=perfect)], "presentation").pooled.figure("AUC").interval[0] == (
        pytest.approx(1 - clopper_pearson(0, 20)[1])
    )


def test_that_bpcer_is_measured_at_all_three_apcers():
    table = scores(np.linspace(0.5, 1.5, 100), print=np.linspace(0, 1, 20))
    pooled = fold_figures([fold(table=table)], "presentation").pooled
    for name, target in (("BPCER100", 0.01), ("BPCER20", 0.05), ("BPCER10", 0.1)):
        expected = bpcer_at_apcer(table.by_presentation().bona_fide, table.attacks, target)
        assert pooled.figure(name).value == expected.value
        assert pooled.value(name) == expected.value
    values = [pooled.value(name) for name in ("BPCER100", "BPCER20", "BPCER10")]
    assert values[0] > values[1] > values[2]
