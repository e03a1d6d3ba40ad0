"""Every compared method through the registry: same interface, same care, sensible scores."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from lmkl_core import Cancelled, DuplicateRowsWarning, InvalidInputError, LocalisedMKL
from lmkl_core.baselines import METHODS, base, views_for
from lmkl_core.baselines.base import FEWEST_ROWS, REFITS, folds_of
from lmkl_core.calibration.left_out import time_blocks
from lmkl_core.selection import DELTAS
from tests.core.recordings import is_one_sentence, recording, rows, takes_of

NAMES = ("face/net.a", "eyes/net.b", "face/lbp", "eyes/lbp", "face/iqm")
QUICK = {"autoencoder": {"max_iter": 30}, "lbp-ae": {"max_iter": 30}}
# One name for each estimator that is not LocalisedMKL.
REFITTED = sorted(
    {m.estimator: name for name, m in METHODS.items() if m.estimator is not LocalisedMKL}.values()
)
KINDS = [*REFITTED, "lbp-ocsvm", "fusion", "localised-mkl"]


def views_of(seed=0, n=36):
    """Views of the kinds that the presets give, in time order."""
    parts = (recording(seed, n), recording(seed + 50, n, columns=(6, 7)))
    arrays = [*parts[0].values(), *parts[1].values()]
    return dict(zip(NAMES, arrays, strict=True))


def given_to(name, views):
    return {view: views[view] for view in views_for(name, views)}


def made(name, **parameters):
    return METHODS[name].make(**QUICK.get(name, {}), **parameters)


def fitted(name, views, **options):
    return made(name).fit(given_to(name, views), **options)


def test_that_ours_is_the_last_row_and_searches_the_papers_grid():
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


def test_that_a_single_kernel_has_a_row_for_each_view_and_uses_only_that():
    views, method = views_of(), METHODS["single"]
    for view in views_for(method, views):
        assert method.title_for(view) == f"Single kernel: {view}"
        together = method.make(view=view).fit(given_to("single", views))
        alone = method.make().fit({view: views[view]})
        some = rows(views_of(1), slice(5))
        scores = together.score_samples(given_to("single", some))
        assert np.allclose(scores, alone.score_samples({view: some[view]}), atol=1e-8)
    with pytest.raises(InvalidInputError, match="mk-svdd"):
        METHODS["mk-svdd"].make(view="face/net.a")
    with pytest.raises(InvalidInputError, match="n_clusters"):
        METHODS["lpq-mkl"].make(n_clusters=3)


def test_that_every_candidate_can_be_made_and_grids_are_copies():
    for name in METHODS:
        method = METHODS[name]
        for cell in method.grid():
            assert cell.items() <= method.make(**cell).get_params().items()
            cell.clear()
        assert all(one is not two for one, two in zip(method.grid(), method.grid(), strict=True))
        assert method.grid() == [dict(one) for one in method.candidates]


@pytest.mark.parametrize("name", KINDS)
def test_that_every_method_runs_from_views_to_a_threshold_with_its_interval(name):
    views, groups = views_of(), takes_of(36, 3)
    model = fitted(name, views, groups=groups)
    new = given_to(name, views_of(1, n=8))
    scores = model.score_samples(new)
    assert scores.shape == (8,)
    assert np.all(np.isfinite(scores))
    assert np.array_equal(model.decision_function(new), scores - model.offset_)
    assert np.array_equal(model.predict(new), np.where(scores >= model.offset_, 1, -1))
    calibration = model.calibration_
    assert calibration.threshold == model.offset_
    assert (calibration.n_scores, calibration.n_takes) == (36, 3)
    assert 0 <= calibration.interval[0] <= calibration.bpcer <= calibration.interval[1] <= 1


@pytest.mark.parametrize("name", KINDS)
def test_that_what_lies_far_from_genuine_samples_is_told_from_them(name):
    rng = np.random.default_rng(0)
    plain = {view: rng.normal(size=(90, 4)) for view in NAMES}
    genuine = {view: X[60:] for view, X in plain.items()}
    attacks = {view: rng.normal(size=(30, 4)) + 5.0 for view in NAMES}
    model = fitted(name, rows(plain, slice(60)))
    scores = [model.score_samples(given_to(name, some)) for some in (genuine, attacks)]
    labels = np.repeat([1, 0], 30)
    assert roc_auc_score(labels, np.concatenate(scores)) > 0.97
    assert np.mean(scores[0] >= model.offset_) > 0.7
    assert np.mean(scores[1] >= model.offset_) < 0.1


@pytest.mark.parametrize("name", KINDS)
def test_that_the_order_of_views_does_not_matter(name):
    views, new = views_of(), views_of(1, n=8)
    back = dict(reversed(views.items()))
    one, two = fitted(name, views), fitted(name, back)
    scores = [model.score_samples(given_to(name, new)) for model in (one, two)]
    assert np.allclose(*scores, atol=1e-5)
    assert one.offset_ == pytest.approx(two.offset_, abs=1e-5)
    if name in REFITTED:  # to the last bit, however many steps a network or a mixture takes
        assert np.array_equal(*scores)
    assert np.array_equal(scores[0], one.score_samples(given_to(name, dict(reversed(new.items())))))


@pytest.mark.parametrize("name", KINDS)
def test_that_a_fit_repeats_itself_is_pickled_and_shares_nothing_with_its_input(name):
    views = views_of()
    before = {view: X.copy() for view, X in views.items()}
    for X in views.values():
        X.flags.writeable = False
    model = fitted(name, views)
    first = model.score_samples(given_to(name, views)), model.offset_
    again = model.fit(given_to(name, views))
    assert np.array_equal(again.score_samples(given_to(name, views)), first[0])
    assert again.offset_ == first[1]
    assert all(np.array_equal(views[view], before[view]) for view in views)
    for X in views.values():
        X.flags.writeable = True
        X += 5.0
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        assert np.array_equal(one.score_samples(given_to(name, before)), first[0])
    with pytest.raises(NotFittedError):
        clone(model).score_samples(given_to(name, views))


@pytest.mark.parametrize("name", REFITTED)
def test_that_cancelling_leaves_the_earlier_model_usable(name):
    views = views_of()
    model = fitted(name, views)
    before = model.score_samples(given_to(name, views)), model.calibration_
    calls = []
    made(name).fit(given_to(name, views_of(2)), cancel=lambda: calls.append("asked"))
    assert len(calls) > 2
    for last in range(len(calls)):
        asked = iter([False] * last + [True])
        with pytest.raises(Cancelled):
            model.fit(given_to(name, views_of(2)), cancel=lambda asked=asked: next(asked))
        assert np.array_equal(model.score_samples(given_to(name, views)), before[0])
        assert model.calibration_ is before[1]


EYES = recording()["eyes"]
BAD_TRAINING = {
    "NaN": ({"a": np.full((9, 3), np.nan)}, "'a' contains NaN"),
    "a constant view": ({"a": EYES, "b": np.ones((36, 2))}, "'b' is constant"),
    "too few rows": ({"a": EYES[: FEWEST_ROWS - 1]}, "n_samples=3 is too few"),
}
BAD_SCORING = {
    "a missing view": ({"a": EYES}, "missing b"),
    "infinity": ({"a": EYES, "b": EYES * np.inf}, "'b' contains NaN or infinity"),
}


def test_that_bad_input_is_refused_in_one_sentence():
    """Checks are shared by all methods; the kernel machines fit their kernels themselves."""
    for name in ("nn", "mk-svdd"):
        model = made(name).fit({"a": EYES, "b": EYES + recording(1)["eyes"]})
        for call, table in ((made(name).fit, BAD_TRAINING), (model.score_samples, BAD_SCORING)):
            for X, match in table.values():
                with pytest.raises(InvalidInputError, match=match) as caught:
                    call(X)
                assert is_one_sentence(str(caught.value))


def test_that_numbers_too_large_for_a_method_are_refused():
    for name in REFITTED:
        with pytest.raises(InvalidInputError):
            made(name).fit({"a": EYES * 1e200})


def test_that_wrong_groups_and_conditions_are_refused_and_copies_told():
    with pytest.raises(InvalidInputError, match="groups"):
        made("nn").fit(EYES, groups=[1, 2])
    with pytest.raises(InvalidInputError, match="within a take"):
        made("nn").fit(EYES, conditions=np.arange(36))
    with pytest.warns(DuplicateRowsWarning, match="3 of 39"):
        made("nn").fit(np.concatenate([EYES, EYES[:3]]))


def test_that_another_target_moves_the_threshold_on_the_same_left_out_scores():
    model = made("nn").fit(EYES)
    scores = model.calibration_.scores
    model.calibrate(target_bpcer=0.5)
    assert model.calibration_.scores is scores
    assert model.offset_ == np.sort(scores)[int(0.5 * 37) - 1]
    with pytest.raises(InvalidInputError, match="target_bpcer"):
        model.calibrate(target_bpcer=0)


@pytest.mark.parametrize("name", REFITTED)
def test_that_rows_are_scored_in_blocks_which_do_not_show(name, monkeypatch):
    views, new = given_to(name, views_of()), given_to(name, views_of(1, n=23))
    model = made(name).fit(views)
    whole = model.score_samples(new)
    monkeypatch.setattr(base, "BLOCK_ROWS", 5)
    assert np.allclose(model.score_samples(new), whole, rtol=1e-9)


# Their parameters alone make these methods: the same estimator with others is another row.
@pytest.mark.parametrize(
    ("name", "clusters", "equal"),
    [("fusion", 1, True), ("lpq-mkl", 1, False), ("localised-mkl", 3, False)],
)
def test_that_rows_of_one_estimator_are_the_methods_they_are_called(name, clusters, equal):
    weights = fitted(name, views_of()).kernel_weights_
    assert weights.shape == (clusters, 2)
    assert np.allclose(weights, weights[0, 0], rtol=1e-6) == equal


def test_that_left_out_scores_come_from_models_without_the_left_out_fold():
    views, groups = views_of(), takes_of(36, 3)
    model = METHODS["nn"].make(block_length=6).fit(given_to("nn", views), groups=groups)
    blocks = time_blocks(groups, 6)
    for fold in folds_of(blocks, groups):
        rest = np.setdiff1d(np.arange(36), fold)
        peer = METHODS["nn"].make().fit(rows(given_to("nn", views), rest))
        expected = peer.score_samples(rows(given_to("nn", views), fold))
        assert np.allclose(model.calibration_.scores[fold], expected)


def test_that_time_blocks_are_left_out_whatever_circumstances_takes_share(monkeypatch):
    views, groups = given_to("nn", views_of(n=60)), takes_of(60, 6)
    monkeypatch.setattr(METHODS["nn"].estimator, "most_rows", 30)
    model = made("nn", block_length=3).fit(views, groups=groups, conditions=groups // 2)
    assert model.calibration_.n_blocks == 6 * 2  # 5 of 10 rows of every take
    assert model.calibration_.n_scores == 30


def test_that_folds_part_the_rows_and_leave_some_of_every_condition():
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
