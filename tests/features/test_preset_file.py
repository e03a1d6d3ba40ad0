"""Preset files: what is shipped, what a person may write, and how a bad one is refused."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.models import _as_preset_file
from lmkl_core.errors import InvalidInputError
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


def test_that_the_papers_views_of_a_face_are_in_the_papers_order():
    assert load_preset("paper-pad").view_names == tuple(
        f"{crop}/{network}.last"
        for network in ("resnet50", "googlenet", "vgg16")
        for crop in ("face", "eyes", "nose", "mouth")
    )
    assert {branch.pooling for branch in load_preset("paper-pad").branches} == {"mean"}


def test_that_the_papers_views_of_objects_are_seven_networks_on_the_whole_image():
    preset = load_preset("paper-objects")
    assert [branch.network for branch in preset.branches] == [
        "resnet50",
        "googlenet",
        "alexnet",
        "vgg16",
        "densenet201",
        "mobilenet-v2",
        "nasnetlarge",
    ]
    assert {crop.of for crop in preset.crops} == {"image"}
    sizes = {branch.network: preset.crop(branch.crops[0]).size for branch in preset.branches}
    assert sizes.pop("nasnetlarge") == 331
    assert set(sizes.values()) == {224}


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


def test_that_inline_tables_and_windows_lines_are_as_good(tmp_path):
    text = (
        'name = "mine"\r\ncrops = { face = { side = 1, size = 64 } }\r\n'
        'branches = [ { network = "resnet50", crops = ["face"], layers = ["last"] } ]\r\n'
    )
    assert read_preset(text.encode(), "x").view_names == ("face/resnet50.last",)


# ------------------------------------------------- how a bad one is refused


def test_that_a_preset_survives_in_the_fingerprint_of_a_model():
    for preset in (*map(load_preset, preset_names()), BOTH, read_preset(GOOD.encode(), "x")):
        stored = json.loads(json.dumps(preset_fingerprint(preset)))
        assert preset_from_dict(_as_preset_file(stored)) == replace(preset, description="")


# What is replaced in GOOD, by what, the place that must be named, and words of the message.
BAD = [
    ('name = "mine"', "name = mine", "is not TOML", "at line 1"),
    ('name = "mine"', 'nmae = "mine"', "the preset", "(did you mean 'name'?)"),
    ('name = "mine"\n', "", "the preset", "missing key `name`"),
    ('name = "mine"', 'name = "  "', "name", "not empty"),
    ('name = "mine"', 'name = "a\\nb"', "name", "one line"),
    ('name = "mine"', f'name = "{"x" * 61}"', "name", "<= 60"),
    ("[crops.face]", "[crops.face.deeper]", "crops.face", "no key for the face 'deeper'"),
    ("[crops.nose]", '[crops."no/se"]', "", "A crop cannot be called 'no/se'"),
    ("[0.5, 0.5]", "[0.5]", "crops.face.centre", "of length 2, got 1"),
    ("[0.5, 0.5]", "[\n0.5,\ninf]", "crops.face.centre[2]", "<= 3.0"),
    ("[0.5, 0.5]", "[nan, 0]", "crops.face.centre[1]", ">= -2.0"),
    ("side = 1.0", "side = 0", "crops.face.side", ">= 0.05"),
    ("side = 1.0", f"side = {'9' * 400}", "crops.face.side", "out of range"),
    ("side = 1.0\n", "", "crops.face", "needs either side (1.0 is the face) or native = true"),
    ("native = true", "native = true\nside = 1.0", "crops.nose", "needs either side"),
    (
        "native = true",
        'of = "image"\ncentre = [0, 0]',
        "crops.nose",
        "no key for the image 'centre'",
    ),
    ("native = true", 'of = "imag"\n', "crops.nose.of", "(did you mean 'image'?)"),
    ("native = true", "native = true\nscale = 2", "crops.nose", "no key for the face 'scale'"),
    ("native = true", 'of = "box"', "crops.nose", "needs scale"),
    ("size = 224", "size = 225", "crops.face.size", "multiple of 32 from 32 to 512, or 331"),
    ("size = 224", f"size = {'9' * 400}", "crops.face.size", f"{'9' * 39}…"),
    ("size = 224", "size = 32\n#", "branches[2].crops", "has 32 pixels, but alexnet needs 64"),
    ("size = 224", "size = 512\n#", "branches[2].crops", "512 pixels, but minifasnet-v2 needs 80"),
    ("size = 128", "size = 32", "branches[3].crops", "'nose' has 32 pixels, but iqm needs 64"),
    ('"efficientnet-lite0"', '"efficientnet-lite1"', "branches[1].network", "(did you mean 'eff"),
    ('"efficientnet-lite0"', '"alexnet"', "branches[1].layers[1]", "there are conv1, conv2"),
    ('network = "efficientnet-lite0"\n', "", "branches[1]", "needs the key 'network'"),
    ('["face", "nose"]', '["face", "nosee"]', "branches[1].crops[2]", "(did you mean 'nose'?)"),
    ('["face", "nose"]', '["face", "face"]', "branches[1].crops[2]", "'face' is named twice"),
    ('["face", "nose"]', "[]", "branches[1].crops", "is empty; it needs one of face, nose"),
    ("[crops.nose]", "[crops.chin]\nside=1\nsize=64\n[crops.nose]", "crops.chin", "no branch uses"),
    ('"block4"', '"blok4"', "branches[1].layers[2]", "(did you mean 'block4'?)"),
    ('"block4"', '"block2"', "branches[1].layers[2]", "layer 'block2' is named twice"),
    ('["last"]', '["layer18", "last"]', "branches[2].layers", "under two names"),
    ('"mean"', '"median"', "branches[2].pooling", "there are mean, std, mean+std"),
    ('"grey-world"', '"gray-world"', "branches[2].photometry", "(did you mean 'grey-world'?)"),
    ('normalisation = "none"', 'normalization = ""', "branches[2]", "mean 'normalisation'?)"),
    ('"lbp"', '"lpb"', "branches[3].descriptor", "(did you mean 'lbp'?); there are lbp, iqm"),
    ('descriptor = "lbp"', 'decriptor = "lbp"', "branches[3]", "or the key 'descriptor'"),
    ('"lbp"', '"lbp"\nnetwork = "vgg16"', "branches[3]", "not both"),
    ('"lbp"', '"lbp"\npooling = "std"', "branches[3]", "no key 'pooling'"),
]
OTHERS = {
    "alexnet": ('"mobilenet-v2"', '"alexnet"'),
    "minifasnet": ('"mobilenet-v2"', '"minifasnet-v2"'),
    "iqm": ('"lbp"', '"iqm"'),
}


def test_that_a_bad_preset_is_refused_with_the_place_and_what_is_allowed():
    for old, new, place, words in BAD:
        assert GOOD.count(old) >= 1
        text = GOOD.replace(old, new, 1)
        for key, (before, after) in OTHERS.items():
            if key in (place, *words.replace("-", " ").split()):
                text = text.replace(before, after)
        message = refusal(text)
        gap = " " if place.startswith("is") else ": "
        assert message.startswith(f"mine.toml{gap}{place}"), message
        assert words in message, message
        assert "\n" not in message


def test_that_a_view_is_not_made_twice():
    again = GOOD + '\n[[branches]]\ndescriptor = "lbp"\ncrops = ["nose"]\n'
    assert "mine.toml: The preset mine has the view nose/lbp twice" in refusal(again)


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


def test_that_tables_without_a_file_name_the_place_by_its_path():
    tables = tomllib.loads(GOOD)
    tables["branches"][0]["layers"][1] = "blok4"
    with pytest.raises(InvalidInputError, match=r"^branches\[1\]\.layers\[2\]: .*'block4'"):
        preset_from_dict(tables)


def test_that_json_null_is_not_a_missing_key():
    tables = tomllib.loads(GOOD)
    tables["crops"]["face"]["scale"] = None
    with pytest.raises(PresetError, match=r"^crops\.face: .*'scale'"):
        preset_from_dict(tables)


def test_that_only_a_table_is_a_preset():
    for value in (None, [], "x", 3):
        with pytest.raises(PresetError, match="the preset: expected a table"):
            preset_from_dict(value)
