"""Parameters chosen on development data, other classes, or bona fide rows alone."""

import numpy as np
import pytest

from app.evaluation import selection as selecting
from app.evaluation.dataset import PlanData, Rows
from app.evaluation.options import Options, rows
from app.evaluation.selection import GRID, area
from app.evaluation.task import work
from lmkl_core import select
from lmkl_core.baselines import METHODS
from lmkl_core.errors import Cancelled
from lmkl_core.metrics import auc
from tests.core.recordings import recording

NAMES = ("eyes", "mouth", "skin")


def choose(row, train, development, others=(), *, selection="development", cancel=None):
    options = Options(selection=selection, grid="small", seed=0)
    return selecting.choose(row, train, development, others, options, cancel)


def row_of(name):
    return rows([METHODS[name]], NAMES)[0]


def genuine(seed=0, n=36):
    return {name: view.astype(np.float32) for name, view in recording(seed, n).items()}


def train_rows(n=36, seed=0):
    return Rows(genuine(seed, n), np.arange(n) // 6)


def dev_rows(attack, seed=5, shift=0.7):
    """Return recordings of three frames, the attacks shifted a little."""
    attack = np.repeat(attack, 3)
    views = {
        name: (view + shift * attack[:, None]).astype(np.float32)
        for name, view in genuine(seed, len(attack)).items()
    }
    return Rows(views, np.arange(len(attack)) // 3, is_attack=attack)


BOTH = np.array([False, True] * 6)


def test_that_the_cell_with_the_largest_auc_on_development_data_is_chosen():
    row, train, development = row_of("localised-mkl"), train_rows(), dev_rows(BOTH)
    chosen = choose(row, train, development).parameters
    deltas, exponents = GRID["small"]
    areas = {}
    for delta in deltas:
        for p in exponents:
            for q in exponents:
                model = row.make(0, {"delta": delta, "p": p, "q": q}).fit(
                    train.views, groups=train.recordings
                )
                scores = model.score_samples(development.views)
                areas[delta, p, q] = area(scores, development)
    best = max(areas.values())
    assert areas[chosen["delta"], chosen["p"], chosen["q"]] == pytest.approx(best, abs=1e-6)
    assert min(areas.values()) < best


def test_that_ties_go_to_the_smoothest_model():
    far = dev_rows(BOTH, shift=50.0)  # every cell separates these
    choice = choose(row_of("localised-mkl"), train_rows(), far)
    assert choice.parameters == {"delta": 1.0, "p": 8.0, "q": 8.0}


def test_that_the_area_over_presentations_is_that_of_their_means():
    development = dev_rows(BOTH)
    scores = np.random.default_rng(0).normal(size=len(development))
    means = scores.reshape(-1, 3).mean(axis=1)
    expected = auc(means[~BOTH], means[BOTH]).value
    assert area(scores, development) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["ocsvm", "gmm", "fusion", "single", "mk-svdd"])
def test_that_methods_choose_from_their_own_grid(name):
    row = row_of(name)
    development = dev_rows(BOTH).of(row.names)
    choice = choose(row, train_rows().of(row.names), development)
    assert choice.parameters in row.method.grid()


def test_that_a_method_without_a_grid_keeps_its_defaults():
    choice = choose(row_of("md"), train_rows(), dev_rows(BOTH))
    assert choice.parameters == {}
    assert choice.notes == ()


def test_that_the_choice_on_bona_fide_rows_is_that_of_the_library():
    row, train = row_of("localised-mkl"), train_rows()
    choice = choose(row, train, dev_rows(BOTH), selection="bona-fide")
    deltas, exponents = GRID["small"]
    expected = select(
        row.make(0), train.views, groups=train.recordings, deltas=deltas, exponents=exponents
    )
    best = expected.best.parameters
    assert choice.parameters == {name: best[name] for name in ("delta", "p", "q")}


@pytest.mark.parametrize("attack", [np.zeros(6, bool), np.ones(6, bool)])
def test_that_development_data_of_one_class_are_not_used(attack):
    row, train = row_of("localised-mkl"), train_rows()
    choice = choose(row, train, dev_rows(attack))
    alone = choose(row, train, dev_rows(attack), selection="bona-fide")
    assert choice.parameters == alone.parameters
    assert any("bona fide training frames alone" in note for note in choice.notes)


def test_that_other_methods_keep_their_defaults_without_attacks():
    choice = choose(row_of("gmm"), train_rows(), dev_rows(BOTH), selection="bona-fide")
    assert choice.parameters == {}
    assert any("defaults" in note for note in choice.notes)


def test_that_other_classes_replace_missing_development_data():
    row, train, nothing = (
        row_of("localised-mkl"),
        train_rows(),
        dev_rows(np.zeros(0, bool)),
    )
    problems = [(train_rows(24, seed), dev_rows(BOTH, seed + 1)) for seed in (7, 8)]
    choice = choose(row, train, nothing, problems, selection="auto")
    # A problem counted twice has the same mean AUC; the target's own rows are not used.
    for single in problems:
        once = choose(row, train, nothing, [single], selection="auto")
        twice = choose(row, train_rows(seed=3), nothing, [single] * 2, selection="auto")
        assert once == twice
    assert choice.parameters.keys() == {"delta", "p", "q"}


def test_that_development_data_come_before_other_classes():
    row, development = row_of("localised-mkl"), dev_rows(BOTH)
    problems = [(train_rows(24, 7), dev_rows(BOTH, 8, shift=50.0))]
    own = choose(row, train_rows(), development, selection="auto")
    assert choose(row, train_rows(), development, problems, selection="auto") == own


def test_that_many_rows_are_thinned_out_to_compare_cells(monkeypatch):
    monkeypatch.setattr(selecting, "SELECTION_ROWS", 20)
    choice = choose(row_of("fusion"), train_rows(), dev_rows(BOTH))
    (note,) = choice.notes
    assert "20 of 36" in note


def test_that_thinning_keeps_rows_of_every_recording():
    thin = train_rows(36).thinned(12)
    assert np.bincount(thin.recordings).tolist() == [2] * 6
    assert len(thin) == 12
    rows = train_rows(36)
    assert rows.thinned(36) is rows


@pytest.mark.parametrize("name", ["localised-mkl", "ocsvm"])
def test_that_choosing_can_be_cancelled(name):
    with pytest.raises(Cancelled):
        choose(row_of(name), train_rows(), dev_rows(BOTH), cancel=lambda: True)


def test_that_a_task_uses_the_models_own_threshold():
    views = genuine()
    train = Rows(views, np.arange(36) // 6, conditions=np.zeros(36, int))
    data = PlanData(train, dev_rows(np.zeros(0, bool)), views)
    for name in ("mk-svdd", "localised-mkl"):
        own = row_of(name).make(0).fit(views, groups=train.recordings, conditions=train.conditions)
        _, outcome = work(0, row_of(name), data, Options(selection="none"))
        assert outcome.enrolled.threshold == own.calibration_.threshold
