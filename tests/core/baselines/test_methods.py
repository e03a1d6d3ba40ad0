"""All compared methods through the registry: interface, input checks, sensible scores."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from lmkl_core import Cancelled, DuplicateRowsWarning, LocalisedMKL
from lmkl_core.baselines import METHODS, base, views_for
from lmkl_core.baselines.base import FEWEST_ROWS, REFITS, folds_of
from lmkl_core.calibration.left_out import time_blocks
from lmkl_core.selection import DELTAS
from tests.core.recordings import recording, refusal, rows, takes_of

NAMES = ("face/net.a", "eyes/net.b", "face/lbp", "eyes/lbp", "face/iqm")
QUICK = {"autoencoder": {"max_iter": 30}, "lbp-ae": {"max_iter": 30}}
# One name for each estimator that is not LocalisedMKL.
REFITTED = sorted(
    {m.estimator: name for name, m in METHODS.items() if m.estimator is not LocalisedMKL}.values()
)
KINDS = [*REFITTED, "lbp-ocsvm", "fusion", "localised-mkl"]


def views_of(seed=0, n=36):
    """Views with names as in the presets, in time order."""
    parts = (recording(seed, n), recording(seed + 50, n, columns=(6, 7)))
    arrays = [*parts[0].values(), *parts[1].values()]
    return dict(zip(NAMES, arrays, strict=True))


def own_views(name, views):
    return {view: views[view] for view in views_for(name, views)}


def made(name, **parameters):
    return METHODS[name].make(**QUICK.get(name, {}), **parameters)


def fitted(name, views, **options):
    return made(name).fit(own_views(name, views), **options)


def test_that_our_method_is_the_last_row_and_uses_the_papers_grid():
    assert list(METHODS)[-2:] == ["lpq-mkl", "localised-mkl"]
    assert len({method.title for method in METHODS.values()}) == len(METHODS)
    for name in ("lpq-mkl", "localised-mkl"):
        grid = METHODS[name].grid()
        assert len(grid) == len(DELTAS) * 36  # unordered pairs of 8 exponents
        assert {cell["delta"] for cell in grid} == set(DELTAS)


def test_that_methods_pick_their_views_by_name():
    assert views_for("lbp-gmm", NAMES) == ("face/lbp", "eyes/lbp")
    assert views_for("iqm-ocsvm", NAMES) == ("face/iqm",)
    assert views_for(METHODS["localised-mkl"], NAMES) == ("face/net.a", "eyes/net.b")
    assert views_for("single", NAMES) == ("face/net.a", "eyes/net.b")
    assert views_for("iqm-ocsvm", NAMES[:2]) == ()


def test_that_a_single_kernel_method_has_one_row_per_view_and_uses_only_that_view():
    views, method = views_of(), METHODS["single"]
    for view in views_for(method, views):
        assert method.title_for(view) == f"Single kernel: {view}"
        together = method.make(view=view).fit(own_views("single", views))
        alone = method.make().fit({view: views[view]})
        new = rows(views_of(1), slice(5))
        scores = together.score_samples(own_views("single", new))
        assert np.allclose(scores, alone.score_samples({view: new[view]}), atol=1e-8)
    assert "mk-svdd" in refusal(METHODS["mk-svdd"].make, view="face/net.a")
    assert "n_clusters" in refusal(METHODS["lpq-mkl"].make, n_clusters=3)


def test_that_every_candidate_can_be_made_and_grids_are_copies():
    for method in METHODS.values():
        expected = [dict(candidate) for candidate in method.candidates]
        for cell in method.grid():
            assert cell.items() <= method.make(**cell).get_params().items()
            cell.clear()
        assert method.grid() == expected


@pytest.mark.parametrize("name", KINDS)
def test_that_attacks_far_from_genuine_samples_are_separated_from_them(name):
    rng = np.random.default_rng(0)
    plain = {view: rng.normal(size=(90, 4)) for view in NAMES}
    genuine = {view: X[60:] for view, X in plain.items()}
    attacks = {view: rng.normal(size=(30, 4)) + 5.0 for view in NAMES}
    model = fitted(name, rows(plain, slice(60)), groups=takes_of(60, 3))
    scores = [model.score_samples(own_views(name, views)) for views in (genuine, attacks)]
    assert roc_auc_score(np.repeat([1, 0], 30), np.concatenate(scores)) > 0.97
    assert np.mean(scores[0] >= model.offset_) > 0.7
    assert np.mean(model.predict(own_views(name, attacks)) == 1) < 0.1
    calibration = model.calibration_
    assert calibration.threshold == model.offset_
    assert (calibration.n_scores, calibration.n_takes) == (60, 3)
    assert 0 <= calibration.interval[0] <= calibration.bpcer <= calibration.interval[1] <= 1


@pytest.mark.parametrize("name", KINDS)
def test_that_the_order_of_views_does_not_matter(name):
    views, new = views_of(), views_of(1, n=8)
    model, reverse = fitted(name, views), fitted(name, dict(reversed(views.items())))
    scores, others = (each.score_samples(own_views(name, new)) for each in (model, reverse))
    assert np.allclose(scores, others, atol=1e-5)
    assert model.offset_ == pytest.approx(reverse.offset_, abs=1e-5)
    if name in REFITTED:  # bit for bit, however many steps a network or a mixture takes
        assert np.array_equal(scores, others)
    reversed_views = own_views(name, dict(reversed(new.items())))
    assert np.array_equal(scores, model.score_samples(reversed_views))


@pytest.mark.parametrize("name", KINDS)
def test_that_a_fit_is_reproducible_can_be_pickled_and_does_not_share_its_input(name):
    views = views_of()
    before = {view: X.copy() for view, X in views.items()}
    for X in views.values():
        X.flags.writeable = False
    model = fitted(name, views)
    first = model.score_samples(own_views(name, views)), model.offset_
    again = model.fit(own_views(name, views))
    assert np.array_equal(again.score_samples(own_views(name, views)), first[0])
    assert again.offset_ == first[1]
    assert all(np.array_equal(views[view], before[view]) for view in views)
    for X in views.values():
        X.flags.writeable = True
        X += 5.0
    twin = pickle.loads(pickle.dumps(model))
    for each in (model, twin):
        assert np.array_equal(each.score_samples(own_views(name, before)), first[0])
    with pytest.raises(NotFittedError):
        clone(model).score_samples(own_views(name, views))


@pytest.mark.parametrize("name", REFITTED)
def test_that_cancelling_leaves_the_earlier_model_usable(name):
    views = views_of()
    model = fitted(name, views)
    before = model.score_samples(own_views(name, views)), model.calibration_
    calls = []
    made(name).fit(own_views(name, views_of(2)), cancel=lambda: calls.append(1))
    assert len(calls) > 2
    for last in range(len(calls)):
        answers = iter([False] * last + [True])
        with pytest.raises(Cancelled):
            model.fit(own_views(name, views_of(2)), cancel=lambda answers=answers: next(answers))
        assert np.array_equal(model.score_samples(own_views(name, views)), before[0])
        assert model.calibration_ is before[1]


EYES = recording()["eyes"]


def test_that_bad_input_is_refused():
    for name in ("nn", "mk-svdd"):  # the kernel machines fit their kernels themselves
        model = made(name).fit({"a": EYES, "b": EYES + recording(1)["eyes"]})
        for call, X, problem in [
            (made(name).fit, {"a": np.full((9, 3), np.nan)}, "'a' contains NaN"),
            (made(name).fit, {"a": EYES, "b": np.ones((36, 2))}, "'b' is constant"),
            (made(name).fit, {"a": EYES[: FEWEST_ROWS - 1]}, "n_samples=3"),
            (model.score_samples, {"a": EYES}, "missing b"),
            (model.score_samples, {"a": EYES, "b": EYES * np.inf}, "'b' contains NaN"),
        ]:
            assert problem in refusal(call, X)
    for name in REFITTED:
        refusal(made(name).fit, {"a": EYES * 1e200})
    assert "groups" in refusal(made("nn").fit, EYES, groups=[1, 2])
    assert "conditions" in refusal(made("nn").fit, EYES, conditions=np.arange(36))
    with pytest.warns(DuplicateRowsWarning, match="3 of 39"):
        made("nn").fit(np.concatenate([EYES, EYES[:3]]))


def test_that_another_target_changes_the_threshold_on_the_same_left_out_scores():
    model = made("nn").fit(EYES)
    scores = model.calibration_.scores
    model.calibrate(target_bpcer=0.5)
    assert model.calibration_.scores is scores
    assert model.offset_ == np.sort(scores)[int(0.5 * 37) - 1]
    assert "target_bpcer" in refusal(model.calibrate, target_bpcer=0)


@pytest.mark.parametrize("name", REFITTED)
def test_that_scores_do_not_depend_on_the_block_size(name, monkeypatch):
    views, new = own_views(name, views_of()), own_views(name, views_of(1, n=23))
    model = made(name).fit(views)
    whole = model.score_samples(new)
    monkeypatch.setattr(base, "BLOCK_ROWS", 5)
    assert np.allclose(model.score_samples(new), whole, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "clusters", "equal"),
    [("fusion", 1, True), ("lpq-mkl", 1, False), ("localised-mkl", 3, False)],
)
def test_that_fixed_parameters_distinguish_methods_with_the_same_estimator(name, clusters, equal):
    weights = fitted(name, views_of()).kernel_weights_
    assert weights.shape == (clusters, 2)
    assert np.allclose(weights, weights[0, 0], rtol=1e-6) == equal


def test_that_left_out_scores_come_from_models_without_the_left_out_fold():
    views, groups = views_of(), takes_of(36, 3)
    model = METHODS["nn"].make(block_length=6).fit(own_views("nn", views), groups=groups)
    blocks = time_blocks(groups, 6)
    for fold in folds_of(blocks, groups):
        rest = np.setdiff1d(np.arange(36), fold)
        peer = METHODS["nn"].make().fit(rows(own_views("nn", views), rest))
        expected = peer.score_samples(rows(own_views("nn", views), fold))
        assert np.allclose(model.calibration_.scores[fold], expected)


def test_that_time_blocks_are_left_out_whatever_the_conditions(monkeypatch):
    views, groups = own_views("nn", views_of(n=60)), takes_of(60, 6)
    monkeypatch.setattr(METHODS["nn"].estimator, "most_rows", 30)
    model = made("nn", block_length=3).fit(views, groups=groups, conditions=groups // 2)
    assert model.calibration_.n_blocks == 6 * 2  # 5 of 10 rows of every take
    assert model.calibration_.n_scores == 30


def test_that_folds_partition_the_rows_and_leave_some_of_every_condition():
    takes = takes_of(80, 10)
    for conditions in (np.arange(10), np.zeros(10, dtype=int), np.arange(10) % 4):
        blocks = time_blocks(takes, 3)
        folds = folds_of(blocks, conditions[takes])
        assert len(folds) <= REFITS
        assert sorted(np.concatenate(folds)) == list(range(80))
        for fold in folds:
            rest = np.setdiff1d(np.arange(80), fold)
            assert set(conditions[takes][rest]) == set(conditions)
            assert all(set(block) <= set(fold) or set(block) <= set(rest) for block in blocks)
