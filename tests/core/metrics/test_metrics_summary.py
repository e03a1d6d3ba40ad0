"""Everything about one table of scores in one call, over frames and over presentations."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lmkl_core import InvalidInputError
from lmkl_core.metrics import (
    Rate,
    ScoreTable,
    Threshold,
    auc,
    bootstrap_acer,
    bootstrap_auc,
    bpcer_at_apcer,
    eer,
    figures,
    measure_table,
)


def recorded(n_subjects=12, n_frames=4):
    """Return frames of one bona fide, one print and one mask take a subject; one take failed."""
    generator = np.random.default_rng(0)
    rows = []
    for subject in range(n_subjects):
        for species, level in (("", 1.0), ("print", 0.0), ("mask", 0.4)):
            effect = generator.normal(scale=0.4)
            for _ in range(n_frames):
                missing = subject == 3 and species == "mask"
                score = None if missing else level + effect + generator.normal(scale=0.4)
                rows.append((score, species, f"person {subject}", f"{subject}/{species}"))
    return ScoreTable.of(*zip(*rows, strict=True))


# Hand-computed: three bona fide takes of two frames, two prints, one mask, one silent print.
BY_HAND = ScoreTable.of(
    [0.9, 0.7, 0.6, 0.2, 0.8, None, 0.1, 0.3, 0.7, 0.5, 0.65, 0.45, None, None],
    [*[""] * 6, *["print"] * 4, *["mask"] * 2, *["print"] * 2],
    [*"aabbcc", *"aabb", *"aa", *"bb"],
    [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7],
)


def test_that_frames_of_a_hand_computed_case_are_counted():
    told = figures(BY_HAND, 0.5)
    assert told.bpcer == Rate(1, 5)
    assert told.errors.apcers == {"print": Rate(2, 4), "mask": Rate(1, 2)}
    assert told.bpnrr == Rate(1, 6)
    assert told.errors.apnrrs == {"print": Rate(2, 6), "mask": Rate(0, 2)}
    assert told.apnrr == Rate(2, 8)
    assert told.apcer.value == 0.5
    assert told.acer.value == pytest.approx((0.5 + 0.2) / 2)
    assert told.hter.value == pytest.approx((3 / 6 + 1 / 5) / 2)
    # Of 5 x 6 pairs, 0.6 loses to 0.7 and 0.65; 0.2 loses to all but 0.1; 0.7 ties with 0.7.
    assert told.auc.value == pytest.approx((30 - 2 - 5 - 0.5) / 30)


def test_that_presentations_of_a_hand_computed_case_are_counted():
    told = figures(BY_HAND.by_presentation(), 0.5)
    assert told.bpcer == Rate(1, 3)  # means 0.8, 0.4, 0.8
    assert told.errors.apcers == {"print": Rate(1, 2), "mask": Rate(1, 1)}  # 0.2, 0.6; 0.55
    assert (told.bpnrr, told.apnrr) == (Rate(0, 3), Rate(1, 4))
    assert (told.apcer.species, told.apcer.value) == ("mask", 1.0)
    assert told.acer.value == pytest.approx((1 + 1 / 3) / 2)
    assert told.auc.value == pytest.approx((3 + 1 + 3) / 9)
    # At 0.575 one of three is refused and one of three accepted.
    assert told.eer.value == pytest.approx(1 / 3)
    assert [told.bpcer_at[target].value for target in (0.01, 0.05, 0.1)] == [1 / 3] * 3
    assert told.n_subjects == 3


@pytest.mark.parametrize("table", [recorded(), recorded().by_presentation()])
def test_that_every_figure_is_that_of_its_own_function(table):
    told = figures(table, 0.6, n_resamples=200, seed=4)
    genuine, attacks = table.bona_fide, table.attacks
    assert told.errors == measure_table(0.6, table)
    assert told.auc == auc(genuine, attacks)
    assert told.eer == eer(genuine, attacks)
    assert told.bpcer_at == {
        target: bpcer_at_apcer(genuine, attacks, target) for target in (0.01, 0.05, 0.1)
    }
    assert told.auc_by_subject == bootstrap_auc(table, n_resamples=200, seed=4)
    assert told.acer_by_subject == bootstrap_acer(table, 0.6, n_resamples=200, seed=4)
    assert told.auc_by_subject.value == pytest.approx(told.auc.value)
    assert told.acer_by_subject.value == pytest.approx(told.acer.value)


def test_that_auc_over_presentations_equals_scikit_learns_of_their_means():
    frames = recorded()
    names = list(dict.fromkeys(frames.presentations.tolist()))
    means = {name: np.mean(frames.scores[frames.presentations == name]) for name in names}
    scored = [name for name in names if np.isfinite(means[name])]
    expected = roc_auc_score([name.endswith("/") for name in scored], [means[n] for n in scored])
    assert figures(frames.by_presentation(), None).auc.value == pytest.approx(expected)


def test_that_a_threshold_keeps_its_origin_and_a_number_is_given():
    chosen = Threshold(0.6, "equal errors on the development set")
    assert figures(recorded(), chosen, n_resamples=20).threshold is chosen
    assert figures(recorded(), 0.6, n_resamples=20).threshold == Threshold(0.6, "given")


@pytest.mark.parametrize("threshold", [None, Threshold(None, "not chosen")])
def test_that_without_a_threshold_only_what_needs_none_is_told(threshold):
    told = figures(recorded(), threshold, n_resamples=50)
    for figure in (told.bpcer, told.apcer, told.acer, told.hter, told.acer_by_subject):
        assert (figure.value, figure.interval) == (None, (0.0, 1.0))
    assert list(told.errors.apcers) == ["print", "mask"]
    assert told.apnrr == Rate(4, 96)
    assert told.bpnrr == Rate(0, 48)
    assert told.auc.value is not None
    assert told.auc_by_subject.n_resamples == 50


@pytest.mark.parametrize(
    "table",
    [
        ScoreTable.joined([]),
        ScoreTable.of([0.9, 0.1], ["", ""], "ab"),
        ScoreTable.of([0.9, 0.1], ["print", "mask"], "ab"),
        ScoreTable.of([None, None], ["print", ""], "ab"),
    ],
)
def test_that_a_missing_class_leaves_figures_of_both_unknown(table):
    told = figures(table, 0.5)
    for figure in (
        told.auc,
        told.eer,
        told.acer,
        told.hter,
        told.auc_by_subject,
        told.acer_by_subject,
        *told.bpcer_at.values(),
    ):
        assert (figure.value, figure.interval) == (None, (0.0, 1.0))


def test_that_one_class_alone_still_has_its_own_rate():
    told = figures(ScoreTable.of([0.9, 0.1], ["", ""], "ab"), 0.5)
    assert told.bpcer == Rate(1, 2)
    assert told.apcer.value is None
    told = figures(ScoreTable.of([0.9, 0.1], ["print", "mask"], "ab"), 0.5)
    assert (told.bpcer.value, told.apcer.species) == (None, "print")


def test_that_one_species_makes_acer_equal_hter():
    table = recorded()
    told = figures(table.rows(table.species != "mask"), 0.6, n_resamples=20)
    assert told.acer == told.hter


def test_that_confidence_and_targets_reach_every_figure():
    told = figures(recorded(), 0.6, targets=[0.2], confidence=0.9, n_resamples=20)
    assert list(told.bpcer_at) == [0.2]
    for figure in (
        told.bpcer,
        told.apcer.rate,
        told.apnrr,
        told.acer,
        told.hter,
        told.auc,
        told.eer,
        told.bpcer_at[0.2],
        told.auc_by_subject,
        told.acer_by_subject,
    ):
        assert figure.confidence == 0.9


def test_that_a_threshold_that_is_no_number_is_refused():
    with pytest.raises(InvalidInputError, match="NaN"):
        figures(recorded(), float("nan"))


def test_that_figures_travel_between_processes():
    told = figures(recorded(), 0.6, n_resamples=20)
    assert pickle.loads(pickle.dumps(told)) == told
