"""Models in files: exported with a check, refused with the reason."""

import copy

import numpy as np
import pytest

from app.models import files
from app.models.files import load, save
from app.models.fitting import extended, fitted, recalibrated
from app.vision.conditions import NAMES
from lmkl_core.errors import ModelFileError
from lmkl_core.model_file import save_model
from tests.app.models.small_models import (
    FEATURES,
    SETTINGS,
    WINDOW,
    file_with,
    samples_of,
    window_model,
)
from tests.core.recordings import is_one_sentence

ROWS = samples_of("x", seed=3, n=20).views


def refusal(path, features=None):
    with pytest.raises(ModelFileError) as caught:
        load(path, features)
    return str(caught.value)


def test_that_an_exported_model_is_read_back_and_compared(tmp_path):
    model = window_model()
    export = save(model, tmp_path / "me.safetensors")
    assert export.largest_difference == 0.0
    assert export.n_compared == len(model.estimator.labels_)
    assert export.statement == "Read back and compared: 24 scores agree to the last bit."
    assert export.model.path == str(tmp_path / "me.safetensors")
    assert export.model.is_saved
    assert not model.is_saved
    assert export.model.estimator is model.estimator


def test_that_a_file_that_scores_differently_is_not_called_an_export(tmp_path, monkeypatch):
    other = fitted(samples_of(*WINDOW, seed=1), SETTINGS, FEATURES)
    monkeypatch.setattr(files, "load", lambda path, **_: other)
    with pytest.raises(ModelFileError, match="scores differently") as caught:
        save(window_model(), tmp_path / "me.safetensors")
    assert is_one_sentence(str(caught.value))


def test_that_the_digest_of_a_model_is_that_of_its_file(tmp_path):
    model = window_model()
    for number, each in enumerate(
        [model, extended(model, samples_of("lamp #1", shift=1.5)), recalibrated(model, 0.3)]
    ):
        path = tmp_path / f"{number}"
        assert save(each, path).model.digest == each.digest
        assert load(path).digest == each.digest
        assert load(path).named().digest == each.digest


def test_that_exporting_twice_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        save(window_model(), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    save(load(tmp_path / "one"), tmp_path / "three")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "three").read_bytes()


def test_that_a_place_that_takes_no_file_is_told_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("something else")
    (tmp_path / "inside").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for name in ("missing/m", "file/m", ""):
        with pytest.raises(ModelFileError, match="cannot be written") as caught:
            save(window_model(), tmp_path / name)
        assert is_one_sentence(str(caught.value))
        assert sorted(tmp_path.rglob("*")) == before


def test_that_everything_survives_a_file(tmp_path):
    model = fitted(samples_of(*WINDOW, is_simulated=True), SETTINGS, FEATURES)
    save(model, tmp_path / "m")
    loaded = load(tmp_path / "m", FEATURES)
    assert loaded.takes == model.takes
    assert loaded.features == FEATURES
    assert loaded.is_simulated
    assert loaded.created == model.created
    assert loaded.threshold == model.threshold
    assert loaded.path == str(tmp_path / "m")
    assert loaded.conditions.takes == model.conditions.takes
    assert np.allclose(loaded.conditions.low, model.conditions.low, rtol=0, atol=1e-4)
    assert np.allclose(loaded.conditions.high, model.conditions.high, rtol=0, atol=1e-4)
    assert np.array_equal(loaded.estimator.score_samples(ROWS), model.estimator.score_samples(ROWS))


def test_that_a_loaded_model_grows_and_is_calibrated_like_the_one_in_memory(tmp_path):
    save(window_model(), tmp_path / "m")
    loaded, new = load(tmp_path / "m"), samples_of("lamp #1", shift=1.5)
    here, there = extended(window_model(), new), extended(loaded, new)
    assert there.threshold == pytest.approx(here.threshold, rel=1e-6)
    assert there.takes == here.takes
    assert recalibrated(loaded, 0.3).threshold == recalibrated(window_model(), 0.3).threshold


def test_that_a_model_of_takes_with_any_name_can_be_exported(tmp_path):
    for name in ("x" * 60, "窓" * 60, "😀" * 60, '"\\', "a\u2028b"):
        model = fitted(samples_of(f"{name} #1", f"{name} #2"), SETTINGS, FEATURES)
        save(model, tmp_path / "m")
        assert load(tmp_path / "m").digest == model.digest


def changed(features, **preset):
    features = copy.deepcopy(features)
    features["preset"].update(preset)
    return features


def test_that_a_model_of_other_views_is_refused_with_the_difference_named(tmp_path):
    for running, named in (
        (changed(FEATURES, name="texture"), "'tiny', but 'texture' are in use"),
        (changed(FEATURES, crops=[{"name": "face", "size": 96}]), "the views 'tiny' have changed"),
        (changed(FEATURES, branches=[]), "the views 'tiny' have changed"),
        (FEATURES | {"weights": {"efficientnet-lite0": "cd" * 32}}, "networks' weights differ"),
        (FEATURES | {"weights": {}}, "networks' weights differ"),
        (FEATURES | {"format": "2"}, "the way views are computed has changed"),
    ):
        path = file_with(tmp_path / "me.safetensors")
        told = refusal(path, running)
        assert named in told
        assert "'me.safetensors'" in told
        assert is_one_sentence(told)
        assert load(path).features == FEATURES


def test_that_a_model_that_does_not_say_its_views_is_refused_where_they_matter(tmp_path):
    for features in (None, {}, {"format": "1"}, {"preset": "tiny"}):
        path = file_with(tmp_path / "m", features=features)
        assert "does not say which views" in refusal(path, FEATURES)
        assert load(path).takes == WINDOW


def test_that_a_hostile_name_of_views_makes_a_short_sentence_on_one_line(tmp_path):
    for name in (None, 3, ["tiny"], {"a": 1}, "x" * 50_000, "a\nb\u202e"):
        path = file_with(tmp_path / "m", features=changed(FEATURES, name=name))
        told = refusal(path, FEATURES)
        assert "it needs the views" in told
        assert len(told) < 400
        assert told.isprintable()


ROW = [0.0] * len(NAMES)
CONDITIONS = {
    "names": list(NAMES),
    "takes": list(WINDOW),
    "low": [ROW] * 3,
    "high": [[1.0] * len(NAMES)] * 3,
}


def conditions(**changes):
    return CONDITIONS | changes


HOSTILE = {
    "features are a list": {"features": [["a", 1]]},
    "features are a text": {"features": ""},
    "features are a number": {"features": 3},
    "takes are a text": {"takes": "abc"},
    "takes are an object": {"takes": {name: 1 for name in WINDOW}},
    "takes are numbers": {"takes": [1, 2, 3]},
    "a take is an object": {"takes": ["a", {}, "c"]},
    "too few takes": {"takes": ["a", "b"]},
    "too many takes": {"takes": ["a", "b", "c", "d"]},
    "conditions are a list": {"conditions": [1, 2]},
    "conditions are a text": {"conditions": "none"},
    "conditions are empty": {"conditions": {}},
    "conditions are false": {"conditions": False},
    "no names": {"conditions": {k: v for k, v in CONDITIONS.items() if k != "names"}},
    "other names": {"conditions": conditions(names=[*NAMES[:-1], "smell"])},
    "names in another order": {"conditions": conditions(names=list(reversed(NAMES)))},
    "names are a text": {"conditions": conditions(names="".join(NAMES))},
    "no ranges": {"conditions": conditions(low=[], high=[])},
    "too few ranges": {"conditions": conditions(low=[ROW], high=[ROW])},
    "ranges are flat": {"conditions": conditions(low=ROW, high=ROW)},
    "ragged ranges": {"conditions": conditions(low=[ROW, ROW, ROW[:-1]])},
    "a range holds nothing": {"conditions": conditions(low=[[None, *ROW[1:]], ROW, ROW])},
    "ranges are texts": {"conditions": conditions(low=[["1.5"] * len(NAMES)] * 3)},
    "ranges are switches": {"conditions": conditions(low=[[True] * len(NAMES)] * 3)},
    "a range is a number": {"conditions": conditions(high=5)},
    "a range ends before it begins": {
        "conditions": conditions(low=CONDITIONS["high"], high=[ROW] * 3)
    },
    "a range is nested deeper": {"conditions": conditions(low=[[[0.0]] * len(NAMES)] * 3)},
}


def test_that_entries_that_make_no_sense_are_refused_in_one_sentence(tmp_path):
    for changes in HOSTILE.values():
        told = refusal(file_with(tmp_path / "me.safetensors", **changes))
        assert "its description of the takes is invalid" in told
        assert "'me.safetensors'" in told
        assert is_one_sentence(told)


def test_that_names_of_takes_are_made_fit_to_be_shown(tmp_path):
    names = ["x" * 5000, "a\n\nb\x00\u202e", "<img src=x>"]
    path = file_with(tmp_path / "m", takes=names, conditions=conditions(takes=names))
    model = load(path)
    assert model.takes == ("x" * 200, "a b", "<img src=x>")
    assert model.conditions.takes == model.takes


def test_that_a_model_of_the_library_alone_gets_numbered_takes(tmp_path):
    save_model(window_model().estimator, tmp_path / "m")
    model = load(tmp_path / "m")
    assert model.takes == ("take 1", "take 2", "take 3")
    assert model.conditions is None
    assert model.features == {}
