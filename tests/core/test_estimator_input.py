"""Bad input gets one sentence that names the problem, and never a number."""

import numpy as np
import pytest
from scipy import sparse

from lmkl_core import InvalidInputError
from tests.core.recordings import is_one_sentence, make, recording

VIEWS = recording()
EYES = VIEWS["eyes"]


def holed(value, row=7):
    X = EYES.copy()
    X[row, 1] = value
    return X


def refused(call, match, *arguments):
    with pytest.raises(InvalidInputError, match=match) as caught:
        call(*arguments)
    assert is_one_sentence(str(caught.value)), str(caught.value)


TRAINING = {
    "one array with NaN": (holed(np.nan), "NaN"),
    "one array with infinity": (holed(np.inf), "infinity"),
    "a view with NaN": ({"eyes": holed(np.nan)}, r"'eyes' contains NaN .*row 7"),
    "unequal rows": ({"a": EYES, "b": EYES[:-1]}, r"unequal numbers of rows \(a: 36, b: 35\)"),
    "a constant view": ({"a": EYES, "b": np.full((36, 2), 3.0)}, "'b' is constant"),
    "too small to tell apart": (EYES * 1e-200, "'view0' varies too little"),
    "too large to square": (EYES * 1e200, "too much"),
    "fewer rows than clusters": (EYES[:2], "n_clusters=3"),
    "one row": (EYES[:1], "n_samples=1"),
    "no rows": (EYES[:0], "0 sample"),
    "one dimension": (EYES[0], "2D array"),
    "masked values": ({"a": np.ma.masked_less(EYES, 0)}, "masked"),
}


@pytest.mark.parametrize("n_inducing", [None, 5])
def test_that_bad_training_input_is_refused_in_one_sentence(n_inducing):
    for X, match in TRAINING.values():
        refused(make(n_clusters=3, n_inducing=n_inducing).fit, match, X)


def test_that_a_sparse_array_is_refused_as_sparse():
    for X in (sparse.csr_array(EYES), sparse.dok_array(EYES)):
        with pytest.raises(TypeError, match="Sparse data was passed"):
            make().fit(X)


PARAMETERS = [
    ({"p": 0.99}, r"p=0.99 must be a finite number at least 1"),
    ({"q": 0.5}, r"q=0.5 must be a finite number at least 1"),
    ({"p": 1e308}, r"p=1e\+308 must be at most"),
    ({"delta": 0}, "delta=0 must be a finite number greater than 0"),
    ({"delta": "auto"}, "delta='auto' must be a finite number greater than 0"),
    ({"temperature": 1e-320}, "temperature"),
    ({"random_state": "seed"}, "random_state='seed'"),
    ({"n_clusters": 0}, "n_clusters=0 must be an integer of at least 1"),
    ({"constraint": "l2"}, "constraint='l2' is unknown: choose one of joint-matrix,"),
    ({"solver": "fast"}, "solver='fast' is unknown: choose one of certified, algorithm-1"),
    ({"kernel": "sigmoid"}, "kernel='sigmoid' is unknown"),
    ({"kernel": None}, "kernel"),
    ({"kernel": [["rbf"]] * 3}, "kernel"),
    ({"kernel": ["rbf", "rbf"]}, "2 kernels for 3 views"),
    ({"kernel": {"eyes": "rbf"}}, "no entry for view mouth, skin"),
    ({"view": 3}, "view=3 but there are only 3 views"),
    ({"view": "nose"}, "view='nose' is unknown: choose one of eyes, mouth, skin"),
    ({"tol": 0}, "tol=0 must be"),
    ({"max_iter": 0}, "max_iter=0 must be"),
    ({"n_inducing": 0}, "n_inducing=0 must be"),
    ({"n_inducing": "all"}, "n_inducing='all' is unknown"),
    ({"target_bpcer": 0}, "target_bpcer=0 must be"),
    ({"target_bpcer": 1.0}, "target_bpcer=1.0 must be below 1"),
    ({"block_length": 0}, "block_length=0 must be"),
]


def test_that_bad_parameters_are_refused_in_one_sentence():
    for parameters, match in PARAMETERS:
        refused(make(**parameters).fit, match, VIEWS)


def test_that_bad_takes_and_starts_are_refused_in_one_sentence():
    refused(lambda: make().fit(VIEWS, groups=[1, 2]), r"groups has shape \(2,\) .* 36 rows")
    refused(lambda: make().fit(VIEWS, groups=np.ones((36, 1))), r"groups has shape \(36, 1\)")
    refused(lambda: make().fit(VIEWS, init=np.ones((3, 2))), r"init has shape \(3, 2\)")
    for value in (np.nan, -1.0):
        refused(lambda value=value: make().fit(VIEWS, init=np.full((2, 3), value)), "init")


def test_that_a_precomputed_kernel_of_low_rank_passes_in_spite_of_rounding():
    for dtype in (np.float64, np.float32):
        K = (EYES @ EYES.T).astype(dtype)
        assert np.linalg.eigvalsh(K)[0] < 0
        assert make(kernel="precomputed").fit(K).gap_ <= 1e-6


def test_that_inducing_points_refuse_precomputed_kernels():
    refused(
        lambda: make(kernel="precomputed", n_inducing=5).fit(EYES @ EYES.T),
        "'precomputed' cannot use inducing points",
    )


NEW = recording(1, n=5)
SCORING = {
    "a missing view": ({k: NEW[k] for k in ("eyes", "skin")}, "missing mouth"),
    "one array for three views": (NEW["eyes"], "1 views were given .* fitted on 3"),
    "other columns": (NEW | {"skin": NEW["eyes"]}, "'skin' has 4 columns .* fitted on 5"),
    "NaN": (NEW | {"skin": NEW["skin"] * np.nan}, "NaN"),
    "infinity": (NEW | {"skin": NEW["skin"] * np.inf}, "infinity"),
    "too large": (NEW | {"skin": NEW["skin"] + 1.7e308}, "large"),
}


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_that_views_that_do_not_match_the_model_are_refused(kernel):
    for X, match in SCORING.values():
        model = MODELS[kernel]
        if kernel == "linear" and match == "large":
            match = "large|singular"
        for method in (model.score_samples, model.memberships, model.extend):
            refused(method, match, X)


MODELS = {kernel: make(kernel=kernel).fit(VIEWS) for kernel in ("rbf", "linear")}


@pytest.mark.fault(
    "Numbers", "features of any magnitude, from denormal to the largest, to our method"
)
def test_that_numbers_beyond_float32_are_refused_by_a_float32_model(attempt):
    model = make().fit(EYES.astype(np.float32))
    for far in (1e30, 1e39):
        with attempt():
            refused(lambda far=far: model.score_samples(NEW["eyes"] + far), "large")


def test_that_single_arrays_that_do_not_match_are_refused():
    model = make().fit(EYES)
    refused(lambda: model.score_samples(EYES[:, :3]), "X has 3 features")
    refused(lambda: model.score_samples(EYES[0]), "Expected 2D array")
    refused(lambda: model.score_samples(holed(np.nan)), "NaN")
    refused(lambda: model.score_samples({"eyes": EYES}), "missing view0; unexpected eyes")
    refused(lambda: model.score_samples([EYES, EYES]), "2 views")


def test_that_calibration_refuses_bad_rates_and_lengths():
    model = make().fit(VIEWS)
    refused(lambda: model.calibrate(target_bpcer=0), "target_bpcer=0 must be")
    refused(lambda: model.calibrate(target_bpcer=1.5), "target_bpcer=1.5 must be below 1")
    refused(lambda: model.calibrate(block_length=0), "block_length=0 must be")
    refused(lambda: model.calibrate(block_length=2.5), "block_length=2.5 must be an integer")


def test_that_kernels_too_large_for_memory_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr("lmkl_core.fitting.exact.LARGEST_GRAMS", 3 * 36 * 36 * 8 - 1)
    refused(lambda: make().fit(VIEWS), "36 rows and 3 views need .* set n_inducing")
