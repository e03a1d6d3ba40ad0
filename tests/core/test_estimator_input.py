"""Bad input to the estimator is refused in one sentence that names the problem.

Bad training data are in `tests.core.test_estimator_sklearn`, numbers of any magnitude in
`tests.faults.test_numbers`, and every kind of bad array in `tests.core.test_validation`.
"""

import re

import numpy as np
import pytest
from scipy import sparse

from tests.core.recordings import make, recording, refusal

VIEWS = recording()
EYES = VIEWS["eyes"]
NEW = recording(1, n=5)


def test_that_a_sparse_array_is_refused_as_sparse():
    for X in (sparse.csr_array(EYES), sparse.dok_array(EYES)):
        with pytest.raises(TypeError, match="Sparse data was passed"):
            make().fit(X)


PARAMETERS = {
    "p": [0.99, 1e308],
    "q": [0.5],
    "delta": [0, "auto"],
    "temperature": [1e-320],
    "random_state": ["seed"],
    "n_clusters": [0],
    "constraint": ["l2"],
    "solver": ["fast"],
    "kernel": ["sigmoid", None, [["rbf"]] * 3, ["rbf", "rbf"], {"eyes": "rbf"}],
    "view": [3, "nose"],
    "tol": [0],
    "max_iter": [0],
    "n_inducing": [0, "all"],
    "target_bpcer": [0, 1.0],
    "block_length": [0],
}


def test_that_bad_parameters_are_refused_by_name():
    for name, values in PARAMETERS.items():
        for value in values:
            message = refusal(make(**{name: value}).fit, VIEWS)
            assert re.match(rf"{name}\b", message), message
    assert "mouth, skin" in refusal(make(kernel={"eyes": "rbf"}).fit, VIEWS)
    for init in (np.ones((3, 2)), np.full((2, 3), np.nan), np.full((2, 3), -1.0)):
        assert "init" in refusal(make().fit, VIEWS, init=init)
    model = make().fit(VIEWS)
    for name, value in [("target_bpcer", 1.5), ("block_length", 2.5)]:
        assert f"{name}={value}" in refusal(model.calibrate, **{name: value})


def test_that_a_precomputed_kernel_of_low_rank_passes_despite_rounding():
    for dtype in (np.float64, np.float32):
        K = (EYES @ EYES.T).astype(dtype)
        assert np.linalg.eigvalsh(K)[0] < 0
        assert make(kernel="precomputed").fit(K).gap_ <= 1e-6
    inducing = make(kernel="precomputed", n_inducing=5)
    assert "n_inducing=None" in refusal(inducing.fit, EYES @ EYES.T)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_that_views_that_do_not_match_the_model_are_refused(kernel):
    model, one_view = make(kernel=kernel).fit(VIEWS), make().fit(EYES)
    for method in (model.score_samples, model.memberships, model.extend):
        assert "missing mouth" in refusal(method, {"eyes": NEW["eyes"], "skin": NEW["skin"]})
        assert "'skin' has 4 columns" in refusal(method, NEW | {"skin": NEW["eyes"]})
        assert "'skin' contains NaN" in refusal(method, NEW | {"skin": NEW["skin"] * np.nan})
        assert "large" in refusal(method, NEW | {"skin": NEW["skin"] + 1.7e308})
    for X, problem in [
        (EYES[:, :3], "3 features"),
        (EYES[0], "2D array"),
        ({"eyes": EYES}, "missing view0; unexpected eyes"),
        ([EYES, EYES], "2 views"),
    ]:
        assert problem in refusal(one_view.score_samples, X)


@pytest.mark.fault(
    "Numbers", "features of any magnitude, from denormal to the largest, to our method"
)
def test_that_numbers_beyond_float32_are_refused_by_a_float32_model(attempt):
    model = make().fit(EYES.astype(np.float32))
    for far in (1e30, 1e39):
        with attempt():
            assert "large" in refusal(model.score_samples, NEW["eyes"] + far)


def test_that_kernels_too_large_for_memory_are_refused_before_they_are_computed(monkeypatch):
    monkeypatch.setattr("lmkl_core.fitting.exact.LARGEST_GRAMS", 3 * 36 * 36 * 8 - 1)
    assert "n_inducing" in refusal(make().fit, VIEWS)
