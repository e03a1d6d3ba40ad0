"""Parameters by development data, by other classes, or by bona fide rows alone."""

import numpy as np
import pytest

from app.evaluation import selection as selecting
from app.evaluation.dataset import Rows
from app.evaluation.options import Options, rows
from app.evaluation.selection import GRID, area
from lmkl_core.baselines import METHODS
from lmkl_core.errors import Cancelled
from lmkl_core.metrics import auc
from tests.core.recordings import recording

NAMES = ("eyes", "mouth", "skin")


def choose(row, train, development, others=(), *, cancel=None, **config):
    return selecting.choose(row, train, development, others, Options(**config), cancel)


def row_of(name):
    return rows([METHODS[name]], NAMES)[0]


def genuine(seed=0, n=36):
    return {name: view.astype(np.float32) for name, view in recording(seed, n).items()}


def some(n=36, seed=0):
    return Rows(genuine(seed, n), np.arange(n) // 6)


def held(attack, seed=5, shift=0.7):
    """Rows of recordings of three frames, the attacks of which lie a little off."""
    attack = np.repeat(attack, 3)
    views = {
        name: (view + shift * attack[:, None]).astype(np.float32)
        for name, view in genuine(seed, len(attack)).items()
    }
    return Rows(views, np.arange(len(attack)) // 3, is_attack=attack)


BOTH = np.array([False, True] * 6)
MANNER = {"grid": "small", "seed": 0}


def test_that_the_cell_with_the_largest_area_on_development_data_is_taken():
    row, train, development = row_of("localised-mkl"), some(), held(BOTH)
    chosen = choose(row, train, development, selection="development", **MANNER).parameters
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


def test_that_equal_areas_go_to_the_smoothest_model():
    far = held(BOTH, shift=50.0)  # every cell tells these apart
    choice = choose(row_of("localised-mkl"), some(), far, selection="development", **MANNER)
    assert choice.parameters == {"delta": 1.0, "p": 8.0, "q": 8.0}


def test_that_the_area_over_presentations_is_that_of_their_means():
    development = held(BOTH)
    scores = np.random.default_rng(0).normal(size=len(development))
    means = scores.reshape(-1, 3).mean(axis=1)
    expected = auc(means[~BOTH], means[BOTH]).value
    assert area(scores, development) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["ocsvm", "gmm", "fusion", "single", "mk-svdd"])
def test_that_methods_choose_from_candidates_of_their_own(name):
    row = row_of(name)
    development = held(BOTH).of(row.names)
    choice = choose(row, some().of(row.names), development, selection="development", **MANNER)
    assert choice.parameters in row.method.grid()


def test_that_a_method_without_candidates_chooses_nothing():
    choice = choose(row_of("md"), some(), held(BOTH), selection="development", **MANNER)
    assert choice.parameters == {}
    assert choice.notes == ()


def test_that_bona_fide_rows_alone_choose_what_the_library_would():
    from lmkl_core import select

    row, train = row_of("localised-mkl"), some()
    choice = choose(row, train, held(BOTH), selection="bona-fide", **MANNER)
    deltas, exponents = GRID["small"]
    expected = select(
        row.make(0), train.views, groups=train.recordings, deltas=deltas, exponents=exponents
    )
    best = expected.best.parameters
    assert choice.parameters == {name: best[name] for name in ("delta", "p", "q")}


@pytest.mark.parametrize("attack", [np.zeros(6, bool), np.ones(6, bool)])
def test_that_development_data_of_one_class_choose_nothing_and_that_it_is_told(attack):
    row, train = row_of("localised-mkl"), some()
    choice = choose(row, train, held(attack), selection="development", **MANNER)
    alone = choose(row, train, held(attack), selection="bona-fide", **MANNER)
    assert choice.parameters == alone.parameters
    assert any("bona fide training frames alone" in note for note in choice.notes)


def test_that_other_methods_keep_their_defaults_without_attacks_and_that_it_is_told():
    choice = choose(row_of("gmm"), some(), held(BOTH), selection="bona-fide", **MANNER)
    assert choice.parameters == {}
    assert any("defaults" in note for note in choice.notes)


def test_that_other_classes_choose_where_there_are_no_development_data():
    row, train, nothing = row_of("localised-mkl"), some(), held(np.zeros(0, bool))
    problems = [(some(24, seed), held(BOTH, seed + 1)) for seed in (7, 8)]
    choice = choose(row, train, nothing, problems, selection="auto", **MANNER)
    # One problem twice has the same mean area as once; the target's own rows play no part.
    for single in problems:
        once = choose(row, train, nothing, [single], selection="auto", **MANNER)
        twice = choose(row, some(seed=3), nothing, [single] * 2, selection="auto", **MANNER)
        assert once == twice
    assert choice.parameters.keys() == {"delta", "p", "q"}


def test_that_development_data_come_before_other_classes():
    row, development = row_of("localised-mkl"), held(BOTH)
    problems = [(some(24, 7), held(BOTH, 8, shift=50.0))]
    own = choose(row, some(), development, selection="auto", **MANNER)
    assert choose(row, some(), development, problems, selection="auto", **MANNER) == own


def test_that_many_rows_are_thinned_out_for_comparing_and_that_it_is_told(monkeypatch):
    monkeypatch.setattr(selecting, "SELECTION_ROWS", 20)
    choice = choose(row_of("fusion"), some(), held(BOTH), selection="development", **MANNER)
    assert choice.notes == ("Parameters were compared on 20 of 36 training frames.",)


def test_that_thinning_keeps_rows_of_every_recording():
    thin = some(36).thinned(12)
    assert np.bincount(thin.recordings).tolist() == [2] * 6
    assert len(thin) == 12
    rows = some(36)
    assert rows.thinned(36) is rows


@pytest.mark.parametrize("name", ["localised-mkl", "ocsvm"])
def test_that_choosing_can_be_cancelled(name):
    with pytest.raises(Cancelled):
        choose(
            row_of(name),
            some(),
            held(BOTH),
            selection="development",
            **MANNER,
            cancel=lambda: True,
        )
