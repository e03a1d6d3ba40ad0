"""Preset files: those that are shipped, what they may contain, and refusals."""

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


def test_that_every_shipped_preset_is_described_and_the_offline_ones_need_no_download():
    others = ("handmade", "liveness", "paper-objects", "paper-pad", "tiny")
    assert preset_names() == (DEFAULT_PRESET, *others) == ("texture", *others)
    for name in preset_names():
        preset = load_preset(name)
        assert (preset.name, bool(preset.description)) == (name, True)
        if name in ("texture", "tiny"):
            assert all(entry_of(network).package for network in preset.networks)


def test_that_a_file_describes_a_preset(tmp_path):
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


def test_that_sizes_at_the_limits_and_a_byte_order_mark_are_accepted():
    for size in (32, 80, 224, 331, 512):
        text = "\ufeff" + GOOD.replace("size = 224", f"size = {size}")
        assert read_preset(text.encode(), "x").crop("face").size == size


def test_that_a_preset_can_be_read_back_from_the_fingerprint_of_a_model():
    for preset in (*map(load_preset, preset_names()), BOTH, read_preset(GOOD.encode(), "x")):
        stored = json.loads(json.dumps(preset_fingerprint(preset)))
        assert preset_from_dict(_as_preset_file(stored)) == replace(preset, description="")


# What is replaced in GOOD, its replacement, and the place and words in the message.
BAD = [
    ('name = "mine"', 'nmae = "mine"', "the preset", "(did you mean 'name'?)"),
    ('name = "mine"\n', "", "the preset", "missing key `name`"),
    ('name = "mine"', 'name = "  "', "name", "not empty"),
    ('name = "mine"', 'name = "a\\nb"', "name", "one line"),
    ("[crops.face]", "[crops.face.deeper]", "crops.face", "no face key 'deeper'"),
    ("[crops.nose]", '[crops."no/se"]', "", "'no/se'"),
    ("[0.5, 0.5]", "[0.5]", "crops.face.centre", "of length 2, got 1"),
    ("[0.5, 0.5]", "[\n0.5,\ninf]", "crops.face.centre[2]", "<= 3.0"),
    ("side = 1.0", "side = 0", "crops.face.side", ">= 0.05"),
    ("side = 1.0\n", "", "crops.face", "native = true"),
    ("native = true", "native = true\nside = 1.0", "crops.nose", "needs either side"),
    ("native = true", 'of = "image"\ncentre = 0', "crops.nose", "no image key 'centre'"),
    ("native = true", 'of = "box"', "crops.nose", "needs scale"),
    ("size = 224", "size = 225", "crops.face.size", "from 32 to 512, or 331"),
    ("size = 224", f"size = 0x{'f' * 3900}", "crops.face.size", "a huge number"),
    ('"efficientnet-lite0"', '"efficientnet-lite1"', "branches[1].network", "(did you mean 'eff"),
    ('network = "efficientnet-lite0"\n', "", "branches[1]", "needs the key 'network'"),
    ('["face", "nose"]', "[]", "branches[1].crops", "one of face, nose"),
    ("[crops.nose]", "[crops.chin]\nside=1\nsize=64\n[crops.nose]", "crops.chin", "no branch uses"),
    ('"block4"', '"blok4"', "branches[1].layers[2]", "(did you mean 'block4'?)"),
    ('"block4"', '"block2"', "branches[1].layers[2]", "layer 'block2' is named twice"),
    ('["last"]', '["layer18", "last"]', "branches[2].layers", "'last' is one of the other layers"),
    ('"mean"', '"median"', "branches[2].pooling", "choose one of mean, std, mean+std"),
    ('"grey-world"', '"gray-world"', "branches[2].photometry", "(did you mean 'grey-world'?)"),
    ('"lbp"', '"lpb"', "branches[3].descriptor", "(did you mean 'lbp'?); choose one of lbp, iqm"),
    ('"lbp"', '"lbp"\nnetwork = "vgg16"', "branches[3]", "not both"),
]


def test_that_a_bad_preset_is_refused_with_the_place_and_what_is_allowed():
    for old, new, place, words in BAD:
        assert old in GOOD
        message = refusal(GOOD.replace(old, new, 1))
        assert message.startswith(f"mine.toml: {place}"), message
        assert words in message, message
        assert "\n" not in message


def test_that_a_file_with_very_many_crops_has_a_short_message():
    crops = "".join(f"[crops.c{i}]\nside = 1\nsize = 64\n" for i in range(999))
    branch = '[[branches]]\ndescriptor = "lbp"\ncrops = ["d"]\n'
    assert len(refusal(f'name = "x"\n{crops}{branch}')) < 600


def test_that_a_preset_made_in_code_is_checked_like_a_file():
    crop, last = Crop("a", 64), Branch("vgg16", ("a",), ("last",))
    many = tuple(Crop(f"c{number}", 64) for number in range(101))
    all_of_many = Branch("vgg16", tuple(each.name for each in many), ("last",))
    for crops, branches, problem in (
        ((crop, Crop("a", 96)), (last,), "two crops"),
        ((crop,), (last, replace(last, pooling="mean")), r"a/vgg16\.last twice"),
        ((crop,), (replace(last, pooling="max"),), "no pooling 'max'"),
        (many, (all_of_many,), "more than 100 views"),
    ):
        with pytest.raises(PresetError, match=problem):
            Preset("bad", "", crops, branches)
    Preset("good", "", many, (replace(all_of_many, crops=all_of_many.crops[1:]),))


MALFORMED = [
    (b'name = "x"\n\ncrops = {}\nbranches = []', "needs at least one crop"),
    (b'name = "x"\ncrops = 3\nbranches = []', "crops: expected a table, got `int`"),
    (b'name = "x"\nbranches=[]\n[crops]\nface = 3', "crops.face: expected a table, got `int`"),
    (b'name = "x"\n[crops.a]\nside=1\nsize=32\n', "missing key `branches`"),
    (b'name = "x"\nbranches=[]\n[crops.a]\nside=1\nsize=32', "has no views"),
    (b'name = "x"\nbranches=[3]\n[crops.a]\nside=1\nsize=32', "branches[1]: expected a tab"),
    (b'name = "x"\n\n\xff', "UTF-8"),
    (b'name = "x"\nx = ' + b"[" * 3000, "nested too deeply"),
    (b"x = " + b"[\n" * 30_000, "nested too deeply"),
    (b'name = "x"\nx = ' + b"9" * 5000 + b"\n\n", "line 2 is longer than 4000 characters"),
    (b'name = "x"\na' + b".a" * 30_000 + b" = 1", "line 2 is longer than 4000 characters"),
    (b"k" * 3000 + b" = 1", f"no key '{'k' * 38}…"),
    (b"#" * 70_000, "is longer than 65536 bytes"),
]


def test_that_a_malformed_file_is_refused():
    for content, words in MALFORMED:
        with pytest.raises(PresetError, match=re.escape(words)):
            read_preset(content, "mine.toml")


def test_that_an_unknown_name_suggests_the_closest():
    with pytest.raises(PresetError, match=r"did you mean 'texture'\?"):
        load_preset("textur")


@pytest.mark.parametrize("path", ["no/such.toml", "gone.toml", Path("texture"), "/", "a\0b"])
def test_that_a_path_that_is_not_a_file_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PresetError):
        load_preset(path)


def test_that_json_null_is_not_a_missing_key():
    for key in ("scale", "side"):
        tables = tomllib.loads(GOOD)
        tables["crops"]["face"][key] = None
        with pytest.raises(PresetError, match=rf"^crops\.face.*{key}"):
            preset_from_dict(tables)
