"""scikit-learn's conventions: its own checks, and what they leave out."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from lmkl_core import Cancelled, InvalidInputError, LocalisedMKL, baselines
from tests.core.recordings import make, recording, refusal, rows, takes_of


# The iris data of some checks have a duplicate row.
@pytest.mark.filterwarnings("ignore::lmkl_core.DuplicateRowsWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        LocalisedMKL(),
        LocalisedMKL(n_clusters=1),
        LocalisedMKL(n_clusters=2, target_bpcer=0.1),
        LocalisedMKL(n_clusters=2, delta=0.1, n_inducing=8),
        baselines.MultipleKernelSVDD(),
        baselines.MultipleKernelOCSVM(nu=0.3),
        baselines.ConcatenatedOCSVM(),
        baselines.NearestNeighbour(n_neighbors=2),
        baselines.MahalanobisDistance(),
        baselines.MixtureDensity(),
        baselines.AutoEncoder(max_iter=5),
    ],
    ids=str,
)
def test_that_scikit_learns_own_checks_pass(estimator):
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("n_inducing", [None, 10])
def test_that_input_arrays_are_not_changed(n_inducing):
    for kernel in ["rbf", "linear"]:
        for X in (recording(), recording()["eyes"]):
            groups = takes_of(36, 4)
            for array in [groups, *(X.values() if isinstance(X, dict) else [X])]:
                array.flags.writeable = False  # writing raises
            model = make(n_inducing=n_inducing, kernel=kernel).fit(X, groups=groups)
            model.predict(X)


@pytest.mark.parametrize("n_inducing", [None, 10])
def test_that_a_pickled_model_scores_calibrates_and_grows_like_the_original(n_inducing):
    views = recording()
    model = make(n_inducing=n_inducing).fit(views, groups=takes_of(36, 3))
    twin = pickle.loads(pickle.dumps(model))
    for each in (model, twin):
        each.extend(rows(recording(1), slice(6))).calibrate(target_bpcer=0.1)
    assert np.array_equal(model.score_samples(views), twin.score_samples(views))
    assert model.offset_ == twin.offset_
    assert model.gap_ == twin.gap_


def state(model, X):
    parts = [model.score_samples(X), model.kernel_weights_, model.dual_coef_, model.memberships_]
    return [*parts, model.gap_history_, model.offset_, model.gap_, model.n_features_in_]


def assert_unchanged(model, X, before):
    assert all(np.array_equal(a, b) for a, b in zip(before, state(model, X), strict=True))


EYES = recording()["eyes"]
FAILURES = {
    "is constant": lambda m: m.fit({"a": EYES, "b": np.ones((36, 2))}),
    "varies too little": lambda m: m.fit(EYES * 1e-200),
    "or too much": lambda m: m.fit(EYES * 1e200),
    "n_samples=8 is smaller than n_clusters=9": lambda m: m.set_params(n_clusters=9).fit(EYES[:8]),
    "a: 36, b: 35": lambda m: m.fit({"a": EYES, "b": EYES[1:]}),
    "'eyes' contains NaN": lambda m: m.fit({"eyes": EYES * np.nan}),
    "contains NaN": lambda m: m.fit(EYES * np.nan),
    "infinity": lambda m: m.fit(EYES * np.inf),
    "2D array": lambda m: m.fit(EYES[0]),
    "0 sample": lambda m: m.fit(EYES[:0]),
    "n_samples=1": lambda m: m.fit(EYES[:1]),
    "p=0.5": lambda m: m.set_params(p=0.5).fit(EYES),
    "groups has shape (2,)": lambda m: m.fit(EYES, groups=[1, 2]),
    "not positive semi-definite": lambda m: m.set_params(kernel="precomputed", n_inducing=None).fit(
        -np.eye(9)
    ),
}


@pytest.mark.parametrize("n_inducing", [None, 5])
def test_that_a_refused_fit_leaves_the_earlier_model_usable(n_inducing):
    for X in (EYES, recording()):
        for problem, fail in FAILURES.items():
            model = make(n_inducing=n_inducing).fit(X)
            before = state(model, X)
            assert problem in refusal(fail, model)
            assert_unchanged(model, X, before)


def test_that_a_failed_calibration_leaves_the_earlier_model_usable(monkeypatch):
    views = recording()
    model = make().fit(views)
    before = state(model, views)

    def fail(*_, **__):
        raise InvalidInputError("Left-out scores are not finite: raise delta.")

    monkeypatch.setattr("lmkl_core.fitting.exact.exact_calibration", fail)
    for change in (model.fit, lambda X: model.extend(X, refine=True)):
        with pytest.raises(InvalidInputError):
            change(recording(3))
        assert_unchanged(model, views, before)


@pytest.mark.parametrize("n_inducing", [None, 10])
@pytest.mark.parametrize("constraint", ["joint-matrix", "uniform"])
def test_that_cancelling_raises_and_leaves_the_model_unchanged(n_inducing, constraint):
    views = recording()
    model = make(n_inducing=n_inducing, constraint=constraint).fit(views)
    before = state(model, views)
    unfitted = make(n_inducing=n_inducing, constraint=constraint)
    for each in (model, unfitted):
        with pytest.raises(Cancelled):
            each.fit(recording(3)["eyes"], cancel=lambda: True)
    with pytest.raises(NotFittedError):
        unfitted.score_samples(views)
    assert_unchanged(model, views, before)


def test_that_cancel_is_called_during_the_fit():
    calls = []
    # Whether a machine reaches 1e-12, the allowance for rounding, is not certain.
    make(tol=1e-11, p=8.0, q=8.0).fit(recording(), cancel=lambda: bool(calls.append(1)))
    assert len(calls) > 2
