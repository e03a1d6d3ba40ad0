"""Settings: defaults, what is stored, and files that are damaged or hostile."""

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


def fitted_with(settings):
    return LocalisedMKL(**settings.model_parameters).settings(("face",))


def test_that_without_a_file_the_defaults_are_used(file):
    assert load() == (Settings(), ())
    assert check(Settings()) == {}
    assert Settings().preset == DEFAULT_PRESET


def test_that_saved_settings_are_loaded_again(file):
    for field in dataclasses.fields(Settings):  # or a field that is not stored goes unnoticed
        assert getattr(OTHERS, field.name) != getattr(Settings(), field.name), field.name
    for chosen in (Settings(), OTHERS):
        save(chosen)
        assert load() == (chosen, ())


def test_that_what_cannot_be_loaded_again_is_not_saved(file):
    with pytest.raises(ValueError, match="temperature"):
        save(Settings(temperature=float("nan")))
    assert not file.exists()


def test_that_a_damaged_file_gives_the_defaults_and_one_sentence(file):
    for text in (
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "[" * 100_000,
        '{"p": ' + "[" * 100_000,
        '{"width": ' + "9" * 5000 + "}",
        " " * (subject.MAX_BYTES + 1),
    ):
        settings, (sentence,) = loaded_from(file, text)
        assert settings == Settings()
        assert sentence.startswith("The settings file ")
        assert sentence.endswith(".")
    file.write_bytes(b"\x89PNG\xff\x00")
    assert load()[0] == Settings()
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


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Settings)])
def test_that_a_wrong_value_gives_its_default_and_one_short_sentence(name, file):
    for value in WRONG[name]:
        values = {"version": 2, **dataclasses.asdict(OTHERS), name: value}
        settings, (sentence,) = loaded_from(file, json.dumps(values))
        assert settings == dataclasses.replace(OTHERS, **{name: getattr(Settings(), name)}), value
        assert f" {name} " in sentence
        assert sentence.endswith(".")
        assert len(sentence) < 200


def test_that_unknown_keys_are_counted_and_left_out(file):
    settings, problems = loaded_from(file, '{"theme": "dark", "__class__": 1, "zoom": 2}')
    assert settings == Settings(theme="dark")
    assert len(problems) == 1
    assert " 2 " in problems[0]


def test_that_the_target_that_an_older_version_stored_by_itself_is_no_choice(file):
    save(Settings(target_bpcer=0.05))
    assert load() == (Settings(target_bpcer=0.05), ())
    older = {"target_bpcer": 0.05, "theme": "dark"}
    assert loaded_from(file, json.dumps(older)) == (Settings(theme="dark"), ())
    words = {"delta": "auto", "n_clusters": "auto"}
    assert loaded_from(file, json.dumps(words)) == (Settings(), ())
    chosen = {"target_bpcer": 0.02}
    assert loaded_from(file, json.dumps(chosen)) == (Settings(target_bpcer=0.02), ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(WRONG)) | st.text(max_size=4), JSON))
def test_that_whatever_a_file_holds_the_settings_loaded_can_be_used(tmp_path_factory, values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LMKL_PAD_CONFIG", str(tmp_path_factory.getbasetemp()))
        storage.settings_file().write_text(json.dumps(values), encoding="utf-8")
        settings, _ = load()
    assert check(settings) == {}


@pytest.mark.parametrize("name", ["delta", "p", "q", "temperature", "target_bpcer"])
@given(value=st.floats(-1, 2e12) | st.sampled_from([0, 1, 0.99999, 1e-6, 9e-7, 1e12, 1.1e12]))
def test_that_settings_and_estimator_take_the_same_numbers(name, value):
    settings = dataclasses.replace(Settings(), **{name: value})
    if not check(settings):
        fitted_with(settings)
    else:
        with pytest.raises(InvalidInputError):
            fitted_with(settings)


def test_that_the_newest_models_come_first_and_each_appears_once():
    assert Settings(recent=("/a", "/b")).with_recent("/b").recent == ("/b", "/a")
    assert Settings(recent=("/a", "/b")).without_recent("/a").recent == ("/b",)
    settings = Settings()
    for number in range(20):
        settings = settings.with_recent(f"/{number}")
    assert settings.recent == tuple(f"/{number}" for number in range(19, 11, -1))


def test_that_names_are_kept_unless_they_are_no_unicode():
    assert Settings().with_recent("/models/\udcff.lmkl").recent == ()
    # macOS writes a narrow space into the names of screen recordings.
    path = "/movies/Screen Recording at 9.41\u202fAM.mov"
    assert Settings().with_recent(path).recent == (path,)


def test_that_a_reset_keeps_recent_models_and_the_windows_place():
    kept = Settings(recent=OTHERS.recent, window=OTHERS.window, splitter=OTHERS.splitter)
    assert OTHERS.reset() == kept
