"""Model files: compared when saved, identified by their digest, refused with the reason."""

import copy
from dataclasses import replace
from datetime import UTC, datetime

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
    assert is_one_sentence(str(caught.value)), caught.value
    return str(caught.value)


def test_that_a_saved_model_is_read_back_and_compared(tmp_path):
    model = window_model()
    export = save(model, tmp_path / "me.safetensors")
    assert (export.n_compared, export.largest_difference) == (24, 0.0)
    assert "24 scores agree" in export.statement
    assert export.model.path == str(tmp_path / "me.safetensors")
    assert (export.model.is_saved, model.is_saved) == (True, False)
    assert export.model.estimator is model.estimator


def test_that_a_file_that_scores_differently_is_refused(tmp_path, monkeypatch):
    other = fitted(samples_of(*WINDOW, seed=1), SETTINGS, FEATURES)
    monkeypatch.setattr(files, "load", lambda path, **_: other)
    with pytest.raises(ModelFileError, match="scores differently") as caught:
        save(window_model(), tmp_path / "me.safetensors")
    assert is_one_sentence(str(caught.value))


def test_that_the_digest_of_a_model_is_that_of_its_file(tmp_path):
    model = window_model()
    grown = extended(model, samples_of("lamp #1", shift=1.5))
    for number, each in enumerate([model, grown, recalibrated(model, 0.3)]):
        path = tmp_path / f"{number}"
        assert save(each, path).model.digest == each.digest
        assert load(path).digest == load(path).named().digest == each.digest


def test_that_the_digest_depends_on_the_contents_of_the_file_only():
    model = window_model()
    assert replace(model, path="/elsewhere", notes=("A note.",)).named().digest == model.digest
    others = [
        replace(model, is_simulated=True),
        replace(model, takes=("a", "b", "c")),
        replace(model, features={}),
        replace(model, conditions=None),
        replace(model, created=datetime(2020, 1, 1, tzinfo=UTC)),
    ]
    assert len({model.digest, *(other.named().digest for other in others)}) == 6


def test_that_saving_twice_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        save(window_model(), tmp_path / name)
    save(load(tmp_path / "one"), tmp_path / "three")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_that_an_unwritable_path_is_refused_and_leaves_nothing_behind(tmp_path):
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
    for name in ("takes", "features", "is_simulated", "created", "threshold"):
        assert getattr(loaded, name) == getattr(model, name), name
    assert loaded.path == str(tmp_path / "m")
    assert loaded.conditions.takes == model.conditions.takes
    assert np.allclose(loaded.conditions.low, model.conditions.low, rtol=0, atol=1e-4)
    assert np.allclose(loaded.conditions.high, model.conditions.high, rtol=0, atol=1e-4)
    assert np.array_equal(loaded.estimator.score_samples(ROWS), model.estimator.score_samples(ROWS))


def test_that_rounding_does_not_swap_the_ends_of_a_narrow_range():
    model = window_model()
    ends = np.random.default_rng(0).normal(size=(3, len(NAMES)))
    narrow = replace(model.conditions, low=ends, high=ends + 1e-9)
    stored = replace(model, conditions=narrow).extra["conditions"]
    assert (np.array(stored["low"]) <= np.array(stored["high"])).all()


def test_that_a_loaded_model_grows_and_is_calibrated_like_the_one_in_memory(tmp_path):
    save(window_model(), tmp_path / "m")
    loaded, new = load(tmp_path / "m"), samples_of("lamp #1", shift=1.5)
    here, there = extended(window_model(), new), extended(loaded, new)
    assert there.threshold == pytest.approx(here.threshold, rel=1e-6)
    assert there.takes == here.takes
    assert recalibrated(loaded, 0.3).threshold == recalibrated(window_model(), 0.3).threshold


def test_that_takes_may_have_any_name(tmp_path):
    for name in ("x" * 60, "窓" * 60, "😀" * 60, '"\\', "a\u2028b"):
        model = fitted(samples_of(f"{name} #1", f"{name} #2"), SETTINGS, FEATURES)
        save(model, tmp_path / "m")
        assert load(tmp_path / "m").digest == model.digest, name


def with_preset(**changes):
    features = copy.deepcopy(FEATURES)
    features["preset"].update(changes)
    return features


def test_that_a_model_of_other_views_is_refused_with_the_difference(tmp_path):
    path = file_with(tmp_path / "me.safetensors")
    for in_use, difference in (
        (with_preset(name="texture"), "'tiny', but 'texture'"),
        (with_preset(crops=[{"name": "face", "size": 96}]), "'tiny' have changed"),
        (with_preset(branches=[]), "'tiny' have changed"),
        (FEATURES | {"weights": {"efficientnet-lite0": "cd" * 32}}, "weights differ"),
        (FEATURES | {"weights": {}}, "weights differ"),
        (FEATURES | {"format": "2"}, "computed has changed"),
    ):
        message = refusal(path, in_use)
        assert difference in message
        assert "'me.safetensors'" in message
    assert load(path).features == FEATURES


def test_that_a_model_without_the_name_of_its_views_is_refused_where_views_are_in_use(tmp_path):
    for features in (None, {}, {"format": "1"}, {"preset": "tiny"}):
        path = file_with(tmp_path / "m", features=features)
        assert "which views" in refusal(path, FEATURES)
        assert load(path).takes == WINDOW


def test_that_hostile_view_names_give_a_short_message_on_one_line(tmp_path):
    for name in (None, 3, ["tiny"], {"a": 1}, "x" * 50_000, "a\nb\u202e"):
        path = file_with(tmp_path / "m", features=with_preset(name=name))
        message = refusal(path, FEATURES)
        assert "needs the views" in message
        assert len(message) < 400
        assert message.isprintable()


ROW = [0.0] * len(NAMES)
CONDITIONS = {
    "names": list(NAMES),
    "takes": list(WINDOW),
    "low": [ROW] * 3,
    "high": [[1.0] * len(NAMES)] * 3,
}
BAD_ENTRIES = [
    *({"features": value} for value in ([["a", 1]], "", 3)),
    *({"takes": value} for value in ("abc", {name: 1 for name in WINDOW}, [1, 2, 3])),
    *({"takes": value} for value in (["a", {}, "c"], ["a", "b"], ["a", "b", "c", "d"])),
    *({"conditions": value} for value in ([1, 2], "none", {}, False)),
    {"conditions": {name: value for name, value in CONDITIONS.items() if name != "names"}},
    *(
        {"conditions": CONDITIONS | changes}
        for changes in (
            {"names": [*NAMES[:-1], "smell"]},
            {"names": list(reversed(NAMES))},
            {"names": "".join(NAMES)},
            {"low": [], "high": []},
            {"low": [ROW], "high": [ROW]},
            {"low": ROW, "high": ROW},
            {"low": [ROW, ROW, ROW[:-1]]},
            {"low": [[None, *ROW[1:]], ROW, ROW]},
            {"low": [["1.5"] * len(NAMES)] * 3},
            {"low": [[True] * len(NAMES)] * 3},
            {"low": [[[0.0]] * len(NAMES)] * 3},
            {"low": CONDITIONS["high"], "high": [ROW] * 3},
            {"high": 5},
        )
    ),
]


def test_that_invalid_entries_are_refused(tmp_path):
    load(file_with(tmp_path / "me.safetensors", conditions=CONDITIONS))
    for changes in BAD_ENTRIES:
        message = refusal(file_with(tmp_path / "me.safetensors", **changes))
        assert "takes is invalid" in message, changes
        assert "'me.safetensors'" in message


def test_that_names_of_takes_are_cleaned_for_display(tmp_path):
    names = ["x" * 5000, "a\n\nb\x00\u202e", "<img src=x>"]
    conditions = CONDITIONS | {"takes": names}
    model = load(file_with(tmp_path / "m", takes=names, conditions=conditions))
    assert model.takes == model.conditions.takes == ("x" * 200, "a b", "<img src=x>")


def test_that_a_model_saved_by_the_library_alone_gets_numbered_takes(tmp_path):
    save_model(window_model().estimator, tmp_path / "m")
    model = load(tmp_path / "m")
    assert model.takes == ("take 1", "take 2", "take 3")
    assert (model.conditions, model.features) == (None, {})
