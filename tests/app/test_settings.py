"""Settings: defaults, storage, and damaged or hostile files."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import settings as subject
from app import storage
from app.settings import Settings, check, load, save
from lmkl_core import LocalisedMKL
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.presets import DEFAULT_PRESET

OTHERS = Settings(
    source="camera:Logi C920",
    width=1280,
    height=720,
    detector="yunet",
    preset="/home/me/own.toml",
    delta=0.5,
    p=1.0,
    q=2.0,
    n_clusters=1,
    temperature=1.0,
    target_bpcer=0.01,
    theme="dark",
    show_regions=False,
    reopen_last=False,
    recover_takes=False,
    recent=("/models/b", "/models/a"),
    window="01d9d0cb",
    splitter="00ff",
)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path))
    return storage.settings_file()


def loaded_from(file, text):
    file.write_text(text, encoding="utf-8")
    return load()


def test_that_without_a_file_the_defaults_are_used(file):
    assert load() == (Settings(), ())
    assert check(Settings()) == {}
    assert Settings().preset == DEFAULT_PRESET


def test_that_saved_settings_are_loaded_again(file):
    for field in dataclasses.fields(Settings):  # otherwise a field that is not stored is missed
        assert getattr(OTHERS, field.name) != getattr(Settings(), field.name), field.name
    for chosen in (Settings(), OTHERS):
        save(chosen)
        assert load() == (chosen, ())


def test_that_invalid_settings_are_not_saved(file):
    with pytest.raises(ValueError, match="temperature"):
        save(Settings(temperature=float("nan")))
    assert not file.exists()


def test_that_a_damaged_file_gives_the_defaults_and_one_problem(file):
    damaged = ["", "{", "[]", "null", '"text"', "[" * 100_000, '{"p": ' + "[" * 100_000]
    damaged += ['{"width": ' + "9" * 5000 + "}", " " * (subject.MAX_BYTES + 1)]
    for data in (*(text.encode() for text in damaged), b"\x89PNG\xff\x00"):
        file.write_bytes(data)
        settings, (problem,) = load()
        assert settings == Settings(), data[:20]
        assert problem.startswith("The settings file ")
    file.unlink()
    file.mkdir()
    settings, problems = load()
    assert (settings, len(problems)) == (Settings(), 1)


WRONG = {
    "source": ["", "  ", 7, "camera\0", "\ud800", "x" * 5000],
    "width": [0, -640, 10**30, 640.0, True, "640", None],
    "height": [1, 10**9, [480]],
    "detector": ["AUTO", "haar", None, ["auto"]],
    "preset": ["", {}, 3],
    "delta": [0, -1, "none", "auto", None, True, float("nan"), float("inf"), 1e13],
    "p": [0.99, "4/3", None, float("nan"), 10**400],
    "q": [0, False, float("-inf")],
    "n_clusters": [0, 1000, 2.5, "many", "auto", None, True],
    "temperature": [0, 1e-9, float("nan")],
    "target_bpcer": [0, 1, 1.5, -0.1, "5 %"],
    "theme": ["blue", 1],
    "show_regions": [1, "yes", None],
    "reopen_last": [0, "no"],
    "recover_takes": [1, "yes"],
    "recent": ["/a", ["/a"] * 9, [1], [""], {"a": 1}, [["/a"]]],
    "window": ["xyz", "0", 5, "a" * 20_000],
    "splitter": ["0x", "FF"],
}


def test_that_an_invalid_value_is_replaced_by_its_default_and_named(file):
    assert set(WRONG) == {field.name for field in dataclasses.fields(Settings)}
    for name, wrong in WRONG.items():
        expected = dataclasses.replace(OTHERS, **{name: getattr(Settings(), name)})
        for value in wrong:
            values = {"version": 2, **dataclasses.asdict(OTHERS), name: value}
            settings, (problem,) = loaded_from(file, json.dumps(values))
            assert settings == expected, (name, value)
            assert f" {name} " in problem
            assert len(problem) < 200


def test_that_unknown_keys_are_counted_and_ignored(file):
    settings, (problem,) = loaded_from(file, '{"theme": "dark", "__class__": 1, "zoom": 2}')
    assert settings == Settings(theme="dark")
    assert " 2 " in problem


def test_that_defaults_stored_by_the_first_version_are_not_taken_as_chosen(file):
    save(Settings(target_bpcer=0.05))
    assert load() == (Settings(target_bpcer=0.05), ())
    for stored, expected in (
        ({"target_bpcer": 0.05, "theme": "dark"}, Settings(theme="dark")),
        ({"delta": "auto", "n_clusters": "auto"}, Settings()),
        ({"target_bpcer": 0.02}, Settings(target_bpcer=0.02)),
    ):
        assert loaded_from(file, json.dumps(stored)) == (expected, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(WRONG)) | st.text(max_size=4), JSON))
def test_that_settings_loaded_from_any_file_are_valid(tmp_path_factory, values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LMKL_PAD_CONFIG", str(tmp_path_factory.getbasetemp()))
        storage.settings_file().write_text(json.dumps(values), encoding="utf-8")
        settings, _ = load()
    assert check(settings) == {}


@pytest.mark.parametrize("name", ["delta", "p", "q", "temperature", "target_bpcer"])
@given(value=st.floats(-1, 2e12) | st.sampled_from([0, 1, 0.99999, 1e-6, 9e-7, 1e12, 1.1e12]))
def test_that_settings_and_estimator_accept_the_same_numbers(name, value):
    settings = dataclasses.replace(Settings(), **{name: value})
    estimator = LocalisedMKL(**settings.model_parameters)
    if not check(settings):
        estimator.settings(("face",))
    else:
        with pytest.raises(InvalidInputError):
            estimator.settings(("face",))


def test_that_the_newest_models_come_first_and_each_appears_once():
    assert Settings(recent=("/a", "/b")).with_recent("/b").recent == ("/b", "/a")
    assert Settings(recent=("/a", "/b")).without_recent("/a").recent == ("/b",)
    settings = Settings()
    for number in range(20):
        settings = settings.with_recent(f"/{number}")
    assert settings.recent == tuple(f"/{number}" for number in range(19, 11, -1))


def test_that_paths_are_kept_unless_they_are_not_unicode():
    assert Settings().with_recent("/models/\udcff.lmkl").recent == ()
    # macOS puts a narrow space into the names of screen recordings.
    path = "/movies/Screen Recording at 9.41\u202fAM.mov"
    assert Settings().with_recent(path).recent == (path,)


def test_that_a_reset_keeps_recent_models_and_the_windows_geometry():
    kept = Settings(recent=OTHERS.recent, window=OTHERS.window, splitter=OTHERS.splitter)
    assert OTHERS.reset() == kept
