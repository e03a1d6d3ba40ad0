"""Saving and loading models."""

import copy
import json
import math
import os
import stat
import warnings
from datetime import UTC, datetime

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from lmkl_core import (
    ConvergenceWarning,
    InvalidInputError,
    LocalisedMKL,
    ModelFileError,
    load_model,
    save_model,
)
from lmkl_core.kernels import KERNELS
from lmkl_core.model_file import from_bytes, load_with_manifest, to_bytes
from lmkl_core.solver.constraints import FAMILIES, FIXED_FAMILIES

N = 48
TAKES = np.repeat([0, 1, 2, 3], N // 4)
ORIGINAL = "the old file"


def draw(n, seed, dtype=float):
    rng = np.random.default_rng(seed)
    columns = {"eyes": 4, "nose": 3, "mouth": 6}
    return {
        name: (rng.normal(size=(n, d)) + rng.integers(0, 2, size=(n, 1))).astype(dtype)
        for name, d in columns.items()
    }


def array(n, seed, dtype=float):
    return np.random.default_rng(seed).normal(size=(n, 5)).astype(dtype)


def laplacian(rows, columns):
    return np.exp(-0.3 * np.abs(rows[:, None, :] - columns[None, :, :]).sum(axis=2))


def fitted(X, groups=TAKES, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LocalisedMKL(**{"random_state": 0, "delta": 0.1, **parameters}).fit(X, groups=groups)


def reloaded(model):
    return from_bytes(to_bytes(model))[0]


def same(first, second):
    """Whether arrays are equal bit for bit, including NaN."""
    return np.asarray(first).dtype == np.asarray(second).dtype and np.array_equal(
        np.asarray(first), np.asarray(second), equal_nan=np.asarray(first).dtype.kind == "f"
    )


def assert_same_model(loaded, model, X):
    assert loaded.get_params() == model.get_params()
    for method in ("score_samples", "decision_function", "predict", "explain", "memberships"):
        assert same(getattr(loaded, method)(X), getattr(model, method)(X)), method
    public = {name for name in vars(model) if name.endswith("_")}
    assert {name for name in vars(loaded) if name.endswith("_")} == public
    for name in public - {"calibration_", "solution_", "clusters_", "view_names_", "kernels_"}:
        assert same(getattr(loaded, name), getattr(model, name)), name
    assert (loaded.view_names_, loaded.kernels_) == (model.view_names_, model.kernels_)
    assert loaded.gap_ == model.gap_
    for name in ("calibration_", "solution_", "clusters_"):
        ours, theirs = vars(getattr(loaded, name)), vars(getattr(model, name))
        for key in theirs:
            assert same(ours[key], theirs[key]), (name, key)


CASES = {
    "one array": (array, {}),
    "one array without takes": (array, {"groups": None}),
    "one float32 array": (lambda n, seed: array(n, seed, np.float32), {}),
    "views": (draw, {}),
    "float32 views": (lambda n, seed: draw(n, seed, np.float32), {}),
    "list of views": (lambda n, seed: list(draw(n, seed).values()), {}),
    "linear": (draw, {"kernel": "linear"}),
    "mixed kernels": (draw, {"kernel": {"eyes": "rbf", "nose": "linear", "mouth": "rbf"}}),
    "kernels by position": (draw, {"kernel": ["linear", "rbf", "rbf"]}),
    "one cluster": (draw, {"n_clusters": 1}),
    "numpy scalars": (draw, {"n_clusters": np.int64(2), "p": np.float64(2.0), "q": 2}),
    "wanted rate": (draw, {"target_bpcer": 0.1}),
    "printed algorithm": (draw, {"solver": "algorithm-1", "p": 8, "q": 10}),
    "inducing": (draw, {"n_inducing": 16}),
    "inducing float32": (lambda n, seed: draw(n, seed, np.float32), {"n_inducing": 16}),
    "inducing linear": (draw, {"n_inducing": 16, "kernel": "linear"}),
    "inducing one array": (array, {"n_inducing": 16, "groups": None}),
    "p and q of one": (draw, {"p": 1, "q": 1}),
    **{f"family {name}": (draw, {"constraint": name}) for name in FAMILIES},
    **{f"fixed {name}": (draw, {"constraint": name, "view": 1}) for name in FIXED_FAMILIES},
    "view by name": (draw, {"constraint": "single", "view": "mouth"}),
}


@pytest.mark.parametrize("case", CASES)
def test_that_a_loaded_model_equals_the_saved_one_bit_for_bit(case, tmp_path):
    make, parameters = CASES[case]
    model = fitted(make(N, 1), **parameters)
    save_model(model, tmp_path / "model.lmkl")
    assert_same_model(load_model(tmp_path / "model.lmkl"), model, make(33, 2))


@pytest.mark.parametrize("case", ["views", "one array", "inducing", "inducing float32"])
def test_that_a_loaded_model_can_be_extended_and_saved_again(case):
    for refine in [False, True]:
        make, parameters = CASES[case]
        model, more, new = fitted(make(N, 1), **parameters), make(7, 3), make(33, 2)
        loaded = reloaded(model)
        model.extend(more, refine=refine)
        loaded.extend(more, refine=refine)
        assert same(loaded.score_samples(new), model.score_samples(new))
        assert_same_model(reloaded(model), model, new)
        again = reloaded(model).extend(make(4, 4))
        model.extend(make(4, 4))
        # The Cholesky factor is recomputed after loading and rounds differently.
        np.testing.assert_allclose(again.score_samples(new), model.score_samples(new), rtol=1e-9)


def test_that_a_model_with_fewer_rows_for_calibration_than_scores_is_saved(monkeypatch):
    """Extending keeps fewer rows of each take, while the scores stay the same."""
    model = fitted(draw(N, 1), None, n_inducing=16)
    rows = "lmkl_core.fitting.streamed.calibration_rows"
    monkeypatch.setattr(rows, lambda takes: np.arange(N // 2))
    model.extend(draw(3, 2))
    tensors = load(to_bytes(model))
    assert len(tensors["calibration.takes"]) < len(tensors["scores"])
    assert_same_model(reloaded(model), model, draw(9, 3))


@pytest.mark.parametrize("case", ["views", "inducing", "wanted rate"])
def test_that_a_loaded_model_calibrates_like_the_saved_one(case):
    make, parameters = CASES[case]
    estimator = LocalisedMKL(random_state=0, delta=0.1, **parameters)
    model = estimator.fit(make(N, 1), groups=TAKES, conditions=np.array([0, 0, 1, 2])[TAKES])
    loaded = reloaded(model)
    for chosen in ({"target_bpcer": 0.2}, {"block_length": 3}, {}):
        ours, theirs = (each.calibrate(**chosen).calibration_ for each in (loaded, model))
        assert same(ours.scores, theirs.scores)
        assert same(ours.stress_scores, theirs.stress_scores)
        assert ours.statement == theirs.statement
        assert ours.stress_interval == theirs.stress_interval
    assert reloaded(model).offset_ == model.offset_


def test_that_precomputed_kernels_are_saved():
    rows, new = array(N, 1), array(20, 2)
    model = fitted({"a": laplacian(rows, rows), "b": rows @ rows.T}, kernel="precomputed")
    assert_same_model(reloaded(model), model, {"a": laplacian(new, rows), "b": new @ rows.T})


def test_that_parameters_changed_after_the_fit_do_not_change_the_fit():
    model = fitted(draw(N, 1)).set_params(n_clusters=5, p=2.0, temperature=1.0)
    loaded = reloaded(model)
    assert loaded.get_params()["n_clusters"] == 5
    assert_same_model(loaded, model, draw(9, 2))
    assert clone(loaded).fit(draw(N, 1)).kernel_weights_.shape == (5, 3)
    seeded = fitted(draw(N, 1), random_state=np.random.RandomState(3))
    assert reloaded(seeded).random_state is None


def test_that_column_names_are_kept_and_still_checked():
    model = fitted(array(N, 1))
    model.feature_names_in_ = np.array(list("abcde"), dtype=object)  # as a data frame leaves them
    loaded = reloaded(model)
    assert list(loaded.feature_names_in_) == list("abcde")
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        loaded.score_samples(array(3, 2))


def test_that_a_registered_kernel_loads_only_where_it_is_registered(monkeypatch):
    with monkeypatch.context() as patched:
        kernel = {"laplacian": lambda X, Y, *, width: laplacian(X / width, Y / width)}
        patched.setitem(KERNELS, *kernel.popitem())
        model = fitted(draw(N, 1), kernel="laplacian")
        data = to_bytes(model)
        assert_same_model(from_bytes(data)[0], model, draw(9, 2))
    with pytest.raises(ModelFileError, match=r"register_kernel"):
        from_bytes(data, "model.lmkl")


@pytest.fixture(scope="module")
def small():
    """A model of a few rows, for tests of the file."""
    return fitted(array(20, 1), None)


def test_that_the_file_is_safetensors_with_one_json_manifest(tmp_path):
    path = tmp_path / "model.lmkl"
    model = fitted(draw(N, 1))
    save_model(model, path, extra={"camera": {"name": "Caméra"}, "sizes": (224, 224)})
    with safe_open(path, "np") as file:
        metadata = file.metadata()
        assert same(file.get_tensor("weights"), model.kernel_weights_)
    assert list(metadata) == ["lmkl"]
    manifest = json.loads(metadata["lmkl"])
    assert manifest["extra"] == {"camera": {"name": "Caméra"}, "sizes": [224, 224]}
    assert [view["name"] for view in manifest["views"]] == ["eyes", "nose", "mouth"]
    assert manifest["takes"] == [12, 12, 12, 12]
    assert manifest["threshold"]["statement"] == model.calibration_.statement
    assert manifest["certificate"]["gap"] == model.gap_
    read = load_with_manifest(path)[1]
    assert (read.digest, read.extra) == (manifest["digest"], manifest["extra"])
    assert len(read.digest) == 64


def test_that_the_same_model_and_time_give_the_same_bytes():
    model, time = fitted(draw(N, 1)), datetime(2025, 1, 2, tzinfo=UTC)
    data = to_bytes(model, created=time)
    assert data == to_bytes(from_bytes(data)[0], created=time)
    assert from_bytes(data)[1].created == "2025-01-02T00:00:00+00:00"
    assert data != to_bytes(model, created=datetime(2025, 1, 3, tzinfo=UTC))


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_that_only_the_owner_may_read_the_file(tmp_path, small):
    path = tmp_path / "model.lmkl"
    for mask in (0o000, 0o022, 0o077):
        path.write_text(ORIGINAL)
        path.chmod(0o666)
        before = os.umask(mask)
        try:
            save_model(small, path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [item.name for item in tmp_path.iterdir()] == ["model.lmkl"]


@pytest.mark.parametrize("function", ["os.fsync", "os.replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.fault("Process and disk", "an error or Ctrl-C while a model is saved", keeps="models")
def test_that_a_failure_while_writing_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, small, function, error
):
    path = tmp_path / "model.lmkl"
    path.write_text(ORIGINAL)

    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(function, fail)
    with pytest.raises(type(error)):
        save_model(small, path)
    assert path.read_text() == ORIGINAL
    assert [item.name for item in tmp_path.iterdir()] == ["model.lmkl"]


def test_that_a_model_that_could_not_be_loaded_is_not_saved(tmp_path, small):
    for change, options, message in [
        ({"p": 0.5}, {}, "p=0.5"),
        ({"random_state": object()}, {}, "object"),
        ({"delta": math.nan}, {}, "cannot be saved"),
        ({}, {"extra": {"a": math.inf}}, "cannot be saved"),
        ({}, {"extra": {"a": {1, 2}}}, "cannot be stored"),
        ({}, {"extra": {"a": "x" * 70_000}}, "exceed 64 KiB"),
        ({}, {"extra": ["a"]}, "object`, got `array`"),
        ({}, {"extra": {"a": "\ud800"}}, "not well-formed"),
    ]:
        path = tmp_path / "model.lmkl"
        path.write_text(ORIGINAL)
        model = copy.copy(small).set_params(**change)
        with pytest.raises(ModelFileError, match=message) as caught:
            save_model(model, path, **options)
        assert str(caught.value).endswith(".")
        assert path.read_text() == ORIGINAL


def test_that_only_a_fitted_localised_mkl_is_saved(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(LocalisedMKL(), tmp_path / "model.lmkl")
    with pytest.raises(InvalidInputError, match="dict"):
        save_model({"weights": 1}, tmp_path / "model.lmkl")
