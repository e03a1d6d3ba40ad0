"""Unusable numbers are refused and never scored.

For any features a model either refuses them or returns only finite numbers, without a warning
(the suite turns warnings into errors).
"""

import copy
import warnings
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lmkl_core import ConvergenceWarning, InvalidInputError, LocalisedMKL
from lmkl_core.baselines.concatenated import (
    AutoEncoder,
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    NearestNeighbour,
)
from lmkl_core.baselines.kernel_machines import MultipleKernelOCSVM, MultipleKernelSVDD
from lmkl_core.errors import DuplicateRowsWarning
from lmkl_core.metrics import ScoreTable, auc, eer, measure_table, threshold_from
from lmkl_core.solver.newton import _solve_positive
from tests.core.recordings import is_one_sentence

OURS = {
    "exact": {},
    "inducing points": {"n_inducing": 5},
    "linear": {"kernel": "linear"},
    "linear on inducing points": {"kernel": "linear", "n_inducing": 5},
}
OTHERS = (
    partial(AutoEncoder, max_iter=3),
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    MultipleKernelOCSVM,
    MultipleKernelSVDD,
    NearestNeighbour,
)
METHODS = ("score_samples", "predict", "decision_function")
TINY, HUGE = -320, 308
"""Powers of ten that span the range of double precision."""


def ours(kind):
    return LocalisedMKL(n_clusters=2, delta=0.1, random_state=0, **OURS[kind])


def drawn(power, offset, dtype, seed=0, n=14):
    """Return two views of this scale around an offset, as a broken network might give."""
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        return {
            name: (rng.normal(size=(n, 3)) * 10.0**power + offset).astype(dtype)
            for name in ("eyes", "skin")
        }


def refused(call):
    """Return whether a call was refused in one sentence; otherwise its result must be finite."""
    message = ""
    try:
        assert np.all(np.isfinite(call()))
    except InvalidInputError as error:
        message = str(error)
    assert not message or is_one_sentence(message), message
    return bool(message)


def fitted_or_refused(model, views):
    """Return the fitted model, or None if it refuses the views."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateRowsWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        if refused(lambda: model.fit(views).offset_):
            assert not hasattr(model, "offset_")
            return None
    return model


def call_methods(model, views, *more):
    """Call all methods that take views."""
    for method in (*METHODS, *more):
        refused(lambda method=method: getattr(model, method)(views))


SCALES = dict(
    power=st.integers(TINY, HUGE),
    offset=st.sampled_from([0.0, 1.0, 1e6, 1e19, 1e150, 1e300]),
    dtype=st.sampled_from([np.float32, np.float64]),
    far=st.sampled_from([0.0, 1e15, 1e19, 1.3e19, 1e20, 3e38, 1e77, 1e155, 1.7e308, -1.7e308]),
)
MANY = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.fault(
    "Numbers", "features of any magnitude, from denormal to the largest, to our method"
)
@pytest.mark.parametrize("kind", OURS)
@MANY
@given(**SCALES)
# Former bugs: only the sum of squares overflows, the squared width overflows, inducing points of a
# small linear kernel, an objective of zero, and a Gram matrix beyond single precision.
@example(power=0, offset=0.0, dtype=np.float32, far=1e19)
@example(power=-21, offset=0.0, dtype=np.float32, far=0.0)
@example(power=-160, offset=0.0, dtype=np.float64, far=0.0)
@example(power=8, offset=0.0, dtype=np.float64, far=0.0)
@example(power=15, offset=1e19, dtype=np.float32, far=0.0)
def test_that_features_of_any_magnitude_get_finite_scores_or_are_refused(
    attempt, kind, power, offset, dtype, far
):
    with attempt():
        views = drawn(power, offset, dtype)
        model = fitted_or_refused(ours(kind), views)
        if model is not None:
            assert np.all(np.isfinite([model.gap_, *model.kernel_weights_.ravel()]))
            call_methods(model, views, "explain", "memberships")
            with np.errstate(over="ignore"):
                remote = {name: np.full((2, 3), far).astype(dtype) for name in views}
            call_methods(model, remote, "explain", "memberships")
            extended = copy.copy(model)
            with suppress(InvalidInputError):
                extended.extend(remote)
            call_methods(extended, views)


@pytest.mark.fault("Numbers", "features of any magnitude to the compared methods")
@pytest.mark.parametrize("method", OTHERS, ids=lambda make: getattr(make, "func", make).__name__)
@settings(MANY, max_examples=20)
@given(**SCALES)
@example(power=0, offset=0.0, dtype=np.float32, far=3e38)
@example(power=-16, offset=1.0, dtype=np.float64, far=1.7e308)
def test_that_compared_methods_give_finite_scores_or_refuse(
    attempt, method, power, offset, dtype, far
):
    with attempt():
        views = drawn(power, offset, dtype)
        model = fitted_or_refused(method(), views)
        if model is not None:
            call_methods(model, views)
            with np.errstate(over="ignore"):
                call_methods(model, {n: np.full((2, 3), far).astype(dtype) for n in views})


EVERY = [*(partial(ours, kind) for kind in OURS), *OTHERS]


@pytest.mark.fault("Numbers", "NaN or infinite features to every method")
@pytest.mark.parametrize("make", EVERY)
def test_that_a_single_bad_number_anywhere_is_refused_by_every_method(attempt, make):
    views = drawn(0, 0.0, np.float32)
    model = make().fit(views)
    before = model.score_samples(views)
    asked = (*METHODS, "explain", "memberships", "extend", "fit")
    for method in filter(lambda name: hasattr(model, name), asked):
        for place, bad in {(0, 0): np.nan, (5, 2): np.inf, (13, 1): -np.inf}.items():
            damaged = {name: array.copy() for name, array in views.items()}
            damaged["skin"][place] = bad
            with attempt() as trial:
                assert refused(lambda m=method, d=damaged: getattr(model, m)(d))
                trial.expect_kept(np.array_equal(model.score_samples(views), before))


@pytest.mark.fault("Numbers", "rows so far away that every kernel is zero")
@pytest.mark.parametrize("kind", ["exact", "inducing points"])
def test_that_rows_far_from_all_others_are_never_accepted(attempt, kind):
    model = ours(kind).fit(drawn(0, 0.0, np.float32))
    for far in 10.0 ** np.arange(2, 19):
        with attempt():
            remote = {name: np.full((3, 3), far, np.float32) for name in ("eyes", "skin")}
            assert np.all(model.score_samples(remote) < model.offset_)
            assert np.all(model.predict(remote) == -1)


@pytest.mark.fault("Numbers", "a view that never changes")
@pytest.mark.parametrize("make", EVERY)
def test_that_a_constant_view_is_refused_by_name(attempt, make):
    for value in (0.0, 1.0, 1e-40, 3e38):
        views = drawn(0, 0.0, np.float32) | {"skin": np.full((14, 3), value, np.float32)}
        with attempt(), pytest.raises(InvalidInputError, match="'skin' is constant"):
            make().fit(views)


def test_that_an_infinite_curvature_is_refused_instead_of_regularised_forever():
    with pytest.raises(FloatingPointError, match="not finite"):
        _solve_positive(np.array([[1.0, np.inf], [np.inf, 1.0]]), np.ones(2), 1.0)


SCORES = st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), min_size=1, max_size=8)


@pytest.mark.fault("Numbers", "scores of any magnitude to the metrics of a report")
@settings(MANY, max_examples=40)
@given(genuine=SCORES, attacks=SCORES)
@example(genuine=[1e300, -1e300], attacks=[1e300, -1e300])
@example(genuine=[np.finfo(float).max], attacks=[0.0])
@example(genuine=[5e-324], attacks=[0.0])
def test_that_rates_are_between_0_and_1_or_the_scores_are_refused(attempt, genuine, attacks):
    def threshold_after_checking_rates():
        threshold = threshold_from("eer", genuine, {"print": attacks})
        species = [""] * len(genuine) + ["print"] * len(attacks)
        table = ScoreTable.of([*genuine, *attacks], species)
        found, classes = measure_table(threshold, table), (table.bona_fide, table.attacks)
        for rate in (found.bpcer, found.worst, found.acer, auc(*classes), eer(*classes)):
            assert 0 <= rate.interval[0] <= rate.value <= rate.interval[1] <= 1
        return threshold.value

    with attempt():
        assert refused(threshold_after_checking_rates) is not bool(
            np.all(np.abs([*genuine, *attacks]) <= 1e300)
        )
