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


def test_that_the_defaults_can_be_used():
    assert check(Settings()) == {}


def test_that_the_default_preset_is_the_librarys():
    assert Settings().preset == DEFAULT_PRESET


@pytest.mark.parametrize("chosen", [Settings(), OTHERS], ids=["defaults", "others"])
def test_that_saved_settings_are_loaded_again(chosen, file):
    save(chosen)
    assert load() == (chosen, ())


def test_that_every_field_of_the_other_settings_differs_from_its_default():
    # So that the test above would notice a field that is not stored.
    for field in dataclasses.fields(Settings):
        assert getattr(OTHERS, field.name) != getattr(Settings(), field.name), field.name


def test_that_what_cannot_be_loaded_again_is_not_saved(file):
    with pytest.raises(ValueError, match="temperature"):
        save(Settings(temperature=float("nan")))
    assert not file.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "[" * 100_000,
        '{"p": ' + "[" * 100_000,
        '{"width": ' + "9" * 5000 + "}",
        " " * (subject.MAX_BYTES + 1),
    ],
    ids=["empty", "cut", "list", "null", "text", "deep", "deep value", "digits", "huge"],
)
def test_that_a_damaged_file_gives_the_defaults_and_one_sentence(text, file):
    settings, problems = loaded_from(file, text)
    assert settings == Settings()
    (sentence,) = problems
    assert sentence.startswith("The file of the settings ")
    assert sentence.endswith(".")


def test_that_bytes_that_are_no_text_give_the_defaults(file):
    file.write_bytes(b"\x89PNG\xff\x00")
    assert load()[0] == Settings()


def test_that_a_folder_in_the_files_place_gives_the_defaults(file):
    file.mkdir()
    settings, problems = load()
    assert settings == Settings()
    assert len(problems) == 1


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


def test_that_wrong_values_are_listed_for_every_field():
    assert set(WRONG) == {field.name for field in dataclasses.fields(Settings)}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in WRONG.items() for value in values],
    ids=lambda value: str(value)[:20],
)
def test_that_a_wrong_value_gives_its_default_and_one_sentence(name, value, file):
    values = {"version": 2, **dataclasses.asdict(OTHERS), name: value}
    settings, problems = loaded_from(file, json.dumps(values))
    assert settings == dataclasses.replace(OTHERS, **{name: getattr(Settings(), name)})
    (sentence,) = problems
    assert f" {name} " in sentence
    assert sentence.endswith(".")


def test_that_a_long_hostile_value_is_not_repeated_in_the_sentence(file):
    _, (sentence,) = loaded_from(file, json.dumps({"theme": "x" * 10_000}))
    assert len(sentence) < 200


def test_that_unknown_keys_are_counted_and_left_out(file):
    settings, problems = loaded_from(file, '{"theme": "dark", "__class__": 1, "zoom": 2}')
    assert settings == Settings(theme="dark")
    assert len(problems) == 1
    assert " 2 " in problems[0]


def test_that_a_whole_number_becomes_a_float_where_one_is_meant(file):
    settings, problems = loaded_from(file, '{"p": 2, "delta": 1}')
    assert problems == ()
    assert (type(settings.p), type(settings.delta)) == (float, float)


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


@pytest.mark.parametrize("name", ["delta", "p", "q", "temperature", "target_bpcer", "n_clusters"])
@pytest.mark.parametrize("value", [1e-6, 1e-5, 0.05, 0.999, 1, 1.0, 3, 12, 1e12, "auto", None])
def test_that_the_estimator_takes_what_the_settings_take(name, value):
    settings = dataclasses.replace(Settings(), **{name: value})
    if not check(settings):
        fitted_with(settings)


@pytest.mark.parametrize("name", ["delta", "p", "q", "temperature", "target_bpcer"])
@pytest.mark.parametrize("value", [0, -1, 1, 0.99999, 1e-6, 9e-7, 1e12, 1.1e12])
def test_that_the_settings_take_the_numbers_that_the_estimator_takes(name, value):
    settings = dataclasses.replace(Settings(), **{name: value})
    if check(settings):
        with pytest.raises(InvalidInputError):
            fitted_with(settings)


def test_that_the_newest_model_comes_first_and_appears_once():
    settings = Settings(recent=("/a", "/b")).with_recent("/b")
    assert settings.recent == ("/b", "/a")


def test_that_only_so_many_models_are_kept():
    settings = Settings()
    for number in range(20):
        settings = settings.with_recent(f"/{number}")
    assert settings.recent == tuple(f"/{number}" for number in range(19, 11, -1))


def test_that_a_name_that_is_no_unicode_is_not_kept():
    assert Settings().with_recent("/models/\udcff.lmkl").recent == ()


def test_that_a_name_with_a_narrow_space_is_kept():
    # macOS writes one into the names of screen recordings.
    path = "/movies/Screen Recording at 9.41\u202fAM.mov"
    assert Settings().with_recent(path).recent == (path,)


def test_that_a_model_that_is_gone_is_no_longer_listed():
    assert Settings(recent=("/a", "/b")).without_recent("/a").recent == ("/b",)


def test_that_a_reset_keeps_recent_models_and_the_windows_place():
    kept = Settings(recent=OTHERS.recent, window=OTHERS.window, splitter=OTHERS.splitter)
    assert OTHERS.reset() == kept
