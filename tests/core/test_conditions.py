"""Takes in shared conditions: left out whole, so that the threshold holds for other takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core import InvalidInputError, clopper_pearson, load_model, save_model, select
from lmkl_core.blocks import left_out_blocks, time_blocks, with_new_takes
from tests.core.recordings import (
    is_one_sentence,
    kernel_stack,
    left_out_by_refitting,
    make,
    recording,
    rows,
    takes_of,
    weighted_kernel,
)

N = 36
TAKES = takes_of(N, 6)
VIEWS = recording(n=N)
PAIRS = np.array(["lamp", "lamp", "window", "window", "hall", "street"])[TAKES]


def seatings(n_takes, seed=0, rows_each=10):
    """Takes in one condition: where the person sits varies more than what they do there."""
    rng = np.random.default_rng(seed)
    seats = np.repeat(rng.normal(size=(n_takes, 6)), rows_each, axis=0)
    return seats + 0.1 * rng.normal(size=seats.shape), np.repeat(np.arange(n_takes), rows_each)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(1, 9), st.data())
def test_that_a_take_is_one_block_exactly_when_another_shares_its_condition(
    conditions, length, data
):
    sizes = [data.draw(st.integers(1, 9)) for _ in conditions]
    takes = np.repeat(np.arange(len(sizes)), sizes)
    blocks = left_out_blocks(takes, np.array(conditions), length)
    assert sorted(np.concatenate(blocks)) == list(range(len(takes)))
    for take, condition in enumerate(conditions):
        own = [block for block in blocks if takes[block[0]] == take]
        if conditions.count(condition) > 1:
            assert [len(block) for block in own] == [sizes[take]]
        else:
            alone = time_blocks(np.zeros(sizes[take], dtype=int), length)
            assert [len(block) for block in own] == [len(block) for block in alone]


def test_that_conditions_of_their_own_change_nothing():
    told = make().fit(VIEWS, groups=TAKES, conditions=TAKES).calibration_
    untold = make().fit(VIEWS, groups=TAKES).calibration_
    assert np.array_equal(told.scores, untold.scores)
    assert told.statement == untold.statement
    assert told.n_whole == untold.n_whole == 0


def test_that_shared_takes_get_the_scores_of_whole_takes_and_the_others_those_of_blocks():
    calibration = make().fit(VIEWS, groups=TAKES, conditions=PAIRS).calibration_
    blocks = make().fit(VIEWS, groups=TAKES).calibration_
    shared = TAKES < 4
    assert np.array_equal(calibration.scores[shared], blocks.stress_scores[shared])
    assert np.array_equal(calibration.scores[~shared], blocks.scores[~shared])
    assert calibration.n_whole == 4
    assert calibration.n_blocks == 4 + 4
    assert calibration.origin == (
        "36 left-out scores in 4 whole takes in conditions that other takes share and "
        "4 time blocks of about 3 rows, 6 takes"
    )


def test_that_the_stress_figure_leaves_out_all_takes_of_a_condition():
    model = make().fit(VIEWS, groups=TAKES, conditions=PAIRS)
    calibration = model.calibration_
    weights, memberships = model.kernel_weights_, model.memberships_
    stack = kernel_stack(model, VIEWS, VIEWS)
    kernel = weighted_kernel(weights, stack, memberships, memberships)
    conditions = [np.flatnonzero(PAIRS == name) for name in np.unique(PAIRS)]
    expected = left_out_by_refitting(kernel, model.delta_, conditions)
    np.testing.assert_allclose(calibration.stress_scores, expected, rtol=1e-7, atol=1e-9)
    low, high = clopper_pearson(calibration.stress_bpcer * 4, 4)
    assert calibration.stress_interval == (low, high)
    alone = make().fit(VIEWS, groups=TAKES, conditions=["lamp"] * N).calibration_
    assert np.isnan(alone.stress_bpcer)


def test_that_the_target_then_holds_for_takes_never_seen():
    """Refused on new takes: about the target, where time blocks alone refuse twice that."""
    refused = {"blocks": [], "takes": []}
    for seed in range(8):
        X, takes = seatings(30, seed)
        new, _ = seatings(60, seed + 100)
        for kind, conditions in (("blocks", None), ("takes", np.zeros(len(X)))):
            model = make(n_clusters=1, target_bpcer=0.1).fit(X, groups=takes, conditions=conditions)
            refused[kind].append(np.mean(model.predict(new) < 0))
    assert np.mean(refused["blocks"]) > 0.18
    assert np.mean(refused["takes"]) == pytest.approx(0.1, abs=0.05)


def test_that_delta_is_chosen_by_the_same_left_out_scores():
    X, takes = seatings(8)
    options = {"deltas": (0.01, 1.0), "exponents": (2.0,), "n_clusters": (1,)}
    whole = select(make(), X, groups=takes, conditions=np.zeros(len(X)), **options)
    blocks = select(make(), X, groups=takes, **options)
    fitted = make(n_clusters=1, p=2.0, q=2.0, delta=1.0)
    fitted.fit(X, groups=takes, conditions=np.zeros(len(X)))
    cell = next(cell for cell in whole.cells if cell.delta == 1.0)
    assert cell.threshold == pytest.approx(fitted.offset_, rel=1e-9)
    assert cell.threshold < next(c for c in blocks.cells if c.delta == 1.0).threshold
    chosen = make(n_clusters=1, p=2.0, q=2.0, delta="auto")
    chosen.fit(X, groups=takes, conditions=np.zeros(len(X)))
    assert chosen.calibration_.n_whole == 8


@pytest.mark.parametrize("n_inducing", [None, 12])
def test_that_a_saved_model_calibrates_again_as_it_did(tmp_path, n_inducing):
    model = make(n_inducing=n_inducing).fit(VIEWS, groups=TAKES, conditions=PAIRS)
    save_model(model, tmp_path / "model.safetensors")
    loaded = load_model(tmp_path / "model.safetensors")
    assert loaded.calibration_.n_whole == 4
    again = loaded.calibrate(target_bpcer=0.2).calibration_
    expected = model.calibrate(target_bpcer=0.2).calibration_
    np.testing.assert_allclose(again.scores, expected.scores, rtol=1e-9)
    assert again.statement == expected.statement


@pytest.mark.parametrize("n_inducing", [None, 12])
def test_that_takes_appended_later_have_conditions_of_their_own(n_inducing):
    model = make(n_inducing=n_inducing).fit(VIEWS, groups=TAKES, conditions=PAIRS)
    model.extend(rows(recording(1, n=N), slice(0, 6)), groups=[0, 0, 0, 1, 1, 1])
    assert model.calibrate().calibration_.n_whole == 4
    assert with_new_takes(np.array([0, 0, 3]), np.array([5, 5, 6])).tolist() == [0, 0, 3, 4, 5]


def test_that_rows_kept_in_part_are_left_out_by_time_blocks(monkeypatch):
    monkeypatch.setattr(
        "lmkl_core.streamed.calibration_rows",
        lambda takes, most=0: np.flatnonzero(np.arange(len(takes)) % 2),
    )
    model = make(n_inducing=12).fit(VIEWS, groups=TAKES, conditions=PAIRS)
    assert model.calibration_.n_scores < N
    assert model.calibration_.n_whole == 0


@pytest.mark.parametrize(
    "conditions",
    [np.arange(N), PAIRS[:-1], [["lamp"]] * N, [object()] * N],
    ids=["changing within takes", "too few", "nested", "not comparable"],
)
def test_that_conditions_that_say_nothing_of_takes_are_refused(conditions):
    with pytest.raises(InvalidInputError) as caught:
        make().fit(VIEWS, groups=TAKES, conditions=conditions)
    assert is_one_sentence(str(caught.value))
    assert "conditions" in str(caught.value)
