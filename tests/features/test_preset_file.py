"""Preset files: what is shipped, what a person may write, and how a bad one is refused."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.models import _as_preset_file
from lmkl_core.features.extractor import preset_fingerprint
from lmkl_core.features.presets import (
    DEFAULT_PRESET,
    Branch,
    Crop,
    DescriptorBranch,
    Preset,
    PresetError,
    load_preset,
    preset_from_dict,
    preset_names,
    read_preset,
)
from lmkl_core.features.weights.catalogue import entry_of
from tests.features.small_preset import BOTH

GOOD = """\
name = "mine"
description = "for tests"

[crops.face]
centre = [0.5, 0.5]
side = 1.0
size = 224

[crops.nose]
native = true
size = 128

[[branches]]
network = "efficientnet-lite0"
crops = ["face", "nose"]
layers = [
    "block2",
    "block4",
]

[[branches]]
network = "mobilenet-v2"
crops = ["face"]
layers = ["last"]
pooling = "mean"
photometry = "grey-world"
normalisation = "none"

[[branches]]
descriptor = "lbp"
crops = ["face", "nose"]
"""


def refusal(text, file="mine.toml"):
    with pytest.raises(PresetError) as caught:
        read_preset(text.encode("utf-8", "surrogatepass"), file)
    return str(caught.value)


# ------------------------------------------------- what is shipped


def test_that_every_shipped_preset_is_described_and_the_offline_ones_need_no_download():
    others = ("handmade", "liveness", "paper-objects", "paper-pad", "tiny")
    assert preset_names() == (DEFAULT_PRESET, *others) == ("texture", *others)
    for name in preset_names():
        preset = load_preset(name)
        assert (preset.name, bool(preset.description)) == (name, True)
        if name in ("texture", "tiny"):
            assert all(entry_of(network).package for network in preset.networks)


# ------------------------------------------------- what a person may write


def test_that_a_file_says_what_the_preset_is(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")
    expected = Preset(
        "mine",
        "for tests",
        (Crop("face", 224), Crop("nose", 128, side=None)),
        (
            Branch("efficientnet-lite0", ("face", "nose"), ("block2", "block4")),
            Branch("mobilenet-v2", ("face",), ("last",), "mean", "grey-world", "none"),
            DescriptorBranch("lbp", ("face", "nose")),
        ),
    )
    assert load_preset(path) == load_preset(str(path)) == expected
    assert expected.crop("nose").is_native


def test_that_sizes_at_the_limits_are_taken():
    for size in (32, 80, 224, 331, 512):
        text = GOOD.replace("size = 224", f"size = {size}")
        assert read_preset(text.encode(), "x").crop("face").size == size


# ------------------------------------------------- how a bad one is refused


def test_that_a_preset_survives_in_the_fingerprint_of_a_model():
    for preset in (*map(load_preset, preset_names()), BOTH, read_preset(GOOD.encode(), "x")):
        stored = json.loads(json.dumps(preset_fingerprint(preset)))
        assert preset_from_dict(_as_preset_file(stored)) == replace(preset, description="")


# What is replaced in GOOD, by what, the place that must be named, and words of the message.
BAD = [
    ('name = "mine"', 'nmae = "mine"', "the preset", "(did you mean 'name'?)"),
    ('name = "mine"\n', "", "the preset", "missing key `name`"),
    ('name = "mine"', 'name = "  "', "name", "not empty"),
    ('name = "mine"', 'name = "a\\nb"', "name", "one line"),
    ("[crops.face]", "[crops.face.deeper]", "crops.face", "no face key 'deeper'"),
    ("[crops.nose]", '[crops."no/se"]', "", "A crop cannot be called 'no/se'"),
    ("[0.5, 0.5]", "[0.5]", "crops.face.centre", "of length 2, got 1"),
    ("[0.5, 0.5]", "[\n0.5,\ninf]", "crops.face.centre[2]", "<= 3.0"),
    ("side = 1.0", "side = 0", "crops.face.side", ">= 0.05"),
    ("side = 1.0\n", "", "crops.face", "needs either side (1.0 is the face) or native = true"),
    ("native = true", "native = true\nside = 1.0", "crops.nose", "needs either side"),
    ("native = true", 'of = "image"\ncentre = 0', "crops.nose", "no image key 'centre'"),
    ("native = true", 'of = "box"', "crops.nose", "needs scale"),
    ("size = 224", "size = 225", "crops.face.size", "multiple of 32 from 32 to 512, or 331"),
    ("size = 224", f"size = 0x{'f' * 3900}", "crops.face.size", "a huge number"),
    ('"efficientnet-lite0"', '"efficientnet-lite1"', "branches[1].network", "(did you mean 'eff"),
    ('network = "efficientnet-lite0"\n', "", "branches[1]", "needs the key 'network'"),
    ('["face", "nose"]', "[]", "branches[1].crops", "is empty; it needs one of face, nose"),
    ("[crops.nose]", "[crops.chin]\nside=1\nsize=64\n[crops.nose]", "crops.chin", "no branch uses"),
    ('"block4"', '"blok4"', "branches[1].layers[2]", "(did you mean 'block4'?)"),
    ('"block4"', '"block2"', "branches[1].layers[2]", "layer 'block2' is named twice"),
    ('["last"]', '["layer18", "last"]', "branches[2].layers", "under two names"),
    ('"mean"', '"median"', "branches[2].pooling", "there are mean, std, mean+std"),
    ('"grey-world"', '"gray-world"', "branches[2].photometry", "(did you mean 'grey-world'?)"),
    ('"lbp"', '"lpb"', "branches[3].descriptor", "(did you mean 'lbp'?); there are lbp, iqm"),
    ('"lbp"', '"lbp"\nnetwork = "vgg16"', "branches[3]", "not both"),
]


def test_that_a_bad_preset_is_refused_with_the_place_and_what_is_allowed():
    for old, new, place, words in BAD:
        assert GOOD.count(old) >= 1
        text = GOOD.replace(old, new, 1)
        message = refusal(text)
        gap = " " if place.startswith("is") else ": "
        assert message.startswith(f"mine.toml{gap}{place}"), message
        assert words in message, message
        assert "\n" not in message


def test_that_a_file_of_very_many_crops_has_a_short_message():
    crops = "".join(f"[crops.c{i}]\nside = 1\nsize = 64\n" for i in range(999))
    branch = '[[branches]]\ndescriptor = "lbp"\ncrops = ["d"]\n'
    assert len(refusal(f'name = "x"\n{crops}{branch}')) < 600


def test_that_more_than_a_hundred_views_are_refused():
    crops = "".join(f"[crops.c{i}]\nside = 1\nsize = 64\n" for i in range(21))
    names = json.dumps([f"c{i}" for i in range(21)])
    layers = '["block1", "block2", "block3", "block4", "block5"]'
    branch = f'[[branches]]\nnetwork = "efficientnet-lite0"\ncrops = {names}\nlayers = {layers}\n'
    assert "more than 100 views" in refusal(f'name = "x"\n{crops}{branch}')


UNLIKELY = [
    (b'name = "x"\n\ncrops = {}\nbranches = []', "needs at least one crop"),
    (b'name = "x"\ncrops = 3\nbranches = []', "crops: expected a table, got `int`"),
    (b'name = "x"\nbranches=[]\n[crops]\nface = 3', "crops.face: expected a table, got `int`"),
    (b'name = "x"\n[crops.a]\nside=1\nsize=32\n', "missing key `branches`"),
    (b'name = "x"\nbranches=[]\n[crops.a]\nside=1\nsize=32', "has no views"),
    (b'name = "x"\nbranches=[3]\n[crops.a]\nside=1\nsize=32', "branches[1]: expected a tab"),
    (b'name = "x"\n\n\xff', "is not text in UTF-8"),
    (b'name = "x"\nx = ' + b"[" * 3000, "lists or tables are nested too deeply"),
    (b"x = " + b"[\n" * 30_000, "nested too deeply"),
    (b'name = "x"\nx = ' + b"9" * 5000 + b"\n\n", "line 2 is longer than 4000 characters"),
    (b'name = "x"\na' + b".a" * 30_000 + b" = 1", "line 2 is longer than 4000 characters"),
    (b"k" * 3000 + b" = 1", f"the preset: there is no key '{'k' * 38}…; there are"),
    (b"#" * 70_000, "is longer than 65536 bytes"),
]


def test_that_an_unlikely_file_is_refused():
    for content, words in UNLIKELY:
        with pytest.raises(PresetError, match=re.escape(words)):
            read_preset(content, "mine.toml")


def test_that_the_mark_some_editors_begin_a_file_with_is_passed_over():
    assert read_preset(b"\xef\xbb\xbf" + GOOD.encode(), "mine.toml").name == "mine"


def test_that_an_unknown_name_offers_the_nearest_and_a_file():
    with pytest.raises(PresetError, match=r"\.toml file: .*did you mean 'texture'\?"):
        load_preset("textur")


def test_that_a_path_to_nothing_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("no/such.toml", "gone.toml", Path("texture"), "/", "a\0b"):
        with pytest.raises(PresetError):
            load_preset(path)


def test_that_json_null_is_not_a_missing_key():
    tables = tomllib.loads(GOOD)
    tables["crops"]["face"]["scale"] = None
    with pytest.raises(PresetError, match=r"^crops\.face: .*'scale'"):
        preset_from_dict(tables)
    tables = tomllib.loads(GOOD)
    tables["crops"]["face"]["side"] = None
    with pytest.raises(PresetError, match=r"^crops\.face needs either side"):
        preset_from_dict(tables)
