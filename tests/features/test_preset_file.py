"""Preset files: what is shipped, what a person may write, and how a bad one is refused."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.descriptors import DESCRIPTORS
from lmkl_core.features.networks.registry import NETWORKS
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
    preset_to_dict,
    read_preset,
    to_toml,
)
from lmkl_core.features.presets.preset import NORMALISATIONS, PHOTOMETRIES, POOLINGS
from lmkl_core.features.weights.catalogue import entry_of
from tests.features.preset_texts import mutated, shipped_text

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


def test_that_the_shipped_presets_are_these_with_the_default_first():
    others = ("handmade", "liveness", "paper-objects", "paper-pad", "tiny")
    assert preset_names() == (DEFAULT_PRESET, *others)
    assert DEFAULT_PRESET == "texture"


@pytest.mark.parametrize("name", preset_names())
def test_that_a_shipped_preset_loads_under_its_own_name(name):
    preset = load_preset(name)
    assert preset.name == name
    assert preset.description


def test_that_the_default_takes_two_layers_of_one_network_on_six_crops():
    preset = load_preset("texture")
    assert len(preset.view_names) == 12
    crops = ("face", "wide", "nose", "cheek", "mouth", "eyes")
    assert preset.view_names == tuple(
        f"{crop}/efficientnet-lite0.{layer}" for crop in crops for layer in ("block2", "block7")
    )
    (branch,) = preset.branches
    assert (branch.pooling, branch.photometry) == ("mean+std", "none")
    assert branch.normalisation == "l2-each"


@pytest.mark.parametrize("name", ["texture", "tiny"])
def test_that_the_offline_presets_need_no_network_but_a_packaged_one(name):
    (network,) = load_preset(name).networks
    assert entry_of(network).package is not None


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


def test_that_the_views_made_by_hand_need_no_network():
    preset = load_preset("handmade")
    assert preset.view_names == ("face/lbp", "face/iqm")
    assert preset.networks == ()


def test_that_tiny_is_smaller_than_the_default_in_every_way():
    def pixels(preset):
        return sum(crop.size**2 for crop in preset.crops)

    tiny, texture = load_preset("tiny"), load_preset("texture")
    assert len(tiny.view_names) < len(texture.view_names)
    assert pixels(tiny) < pixels(texture) / 4


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


@pytest.mark.parametrize("size", [32, 80, 224, 331, 512])
def test_that_sizes_at_the_limits_are_taken(size):
    text = GOOD.replace("size = 224", f"size = {size}")
    assert read_preset(text.encode(), "x").crop("face").size == size


def test_that_inline_tables_and_windows_lines_are_as_good(tmp_path):
    text = (
        'name = "mine"\r\ncrops = { face = { side = 1, size = 64 } }\r\n'
        'branches = [ { network = "resnet50", crops = ["face"], layers = ["last"] } ]\r\n'
    )
    assert read_preset(text.encode(), "x").view_names == ("face/resnet50.last",)


def whole_numbers(low, high, step):
    return st.integers(low // step, high // step).map(lambda number: number * step)


@st.composite
def presets(draw):
    names = draw(st.lists(st.from_regex(r"[a-z][a-z0-9_-]{0,5}", fullmatch=True), min_size=1,
                          max_size=4, unique=True))  # fmt: skip
    coordinate = st.floats(-2, 3)
    crops = tuple(
        draw(
            st.one_of(
                st.builds(Crop, st.just(name), whole_numbers(64, 512, 32), of=st.just("image")),
                st.builds(
                    Crop,
                    st.just(name),
                    whole_numbers(64, 512, 32),
                    of=st.just("box"),
                    scale=st.floats(0.1, 10),
                ),
                st.builds(
                    Crop,
                    st.just(name),
                    st.one_of(whole_numbers(64, 512, 32), st.just(331)),
                    st.tuples(coordinate, coordinate),
                    st.one_of(st.none(), st.floats(0.05, 10)),
                ),
            )
        )
        for name in names
    )
    of_any_size = [name for name, spec in NETWORKS.items() if spec.largest > spec.smallest]
    networks = draw(st.lists(st.sampled_from(of_any_size), min_size=1, max_size=3, unique=True))
    branches = tuple(
        Branch(
            network,
            tuple(names),
            tuple(
                draw(
                    st.lists(
                        st.sampled_from([layer.name for layer in NETWORKS[network].layers]),
                        min_size=1,
                        max_size=3,
                        unique=True,
                    )
                )
            ),
            draw(st.sampled_from(POOLINGS)),
            draw(st.sampled_from(PHOTOMETRIES)),
            draw(st.sampled_from(NORMALISATIONS)),
        )
        for network in networks
    )
    descriptors = draw(st.lists(st.sampled_from(list(DESCRIPTORS)), max_size=2, unique=True))
    branches += tuple(
        DescriptorBranch(name, tuple(draw(st.permutations(names)))) for name in descriptors
    )
    branches = tuple(draw(st.permutations(branches)))
    characters = st.characters(exclude_categories=("Cs",))
    name = draw(st.text(characters, min_size=1, max_size=20).filter(str.isprintable))
    return Preset(name.strip() or "x", draw(st.text(characters, max_size=30)), crops, branches)


@settings(max_examples=40)
@given(preset=presets())
def test_that_any_preset_survives_toml_and_json(preset):
    assert read_preset(to_toml(preset).encode("utf-8"), "x") == preset
    assert preset_from_dict(json.loads(json.dumps(preset_to_dict(preset)))) == preset


@pytest.mark.parametrize("name", preset_names())
def test_that_shipped_presets_survive_being_written(name):
    preset = load_preset(name)
    assert tomllib.loads(to_toml(preset)) == preset_to_dict(preset)
    assert read_preset(to_toml(preset).encode(), "x") == preset


# ------------------------------------------------- how a bad one is refused

# What is replaced in GOOD, by what, the line that must be named, and words of the sentence.
BAD = [
    ('name = "mine"', "name = mine", 1, "not TOML"),
    ('name = "mine"', 'nmae = "mine"', 1, "(did you mean 'name'?)"),
    ('name = "mine"\n', "", 1, "needs the key 'name'"),
    ('name = "mine"', "name = 3", 1, "name must be a text in quotes, not a whole number (3)"),
    ('name = "mine"', 'name = "  "', 1, "not empty"),
    ('name = "mine"', 'name = "a\\nb"', 1, "one line"),
    ('name = "mine"', f'name = "{"x" * 61}"', 1, "longer than 60"),
    ('"for tests"', "[]", 2, "description must be a text in quotes, not a list"),
    ("[crops.face]", "[crops.face.deeper]", 4, "has no key 'deeper'"),
    ("[crops.face]", "[crop.face]", 4, "(did you mean 'crops'?)"),
    ("[crops.nose]", "[crops.face]", 9, "not TOML"),
    ("[crops.nose]", '[crops."no/se"]', 9, "a crop cannot be called 'no/se'"),
    ("[0.5, 0.5]", "[0.5]", 5, "centre has two numbers, across and down, not 1"),
    ("[0.5, 0.5]", "0.5", 5, "centre must be a list in brackets, not a number (0.5)"),
    ("[0.5, 0.5]", "[\n0.5,\ninf]", 7, "centre is inf; it must lie between -2 and 3"),
    ("[0.5, 0.5]", "[nan, 0]", 5, "centre is nan"),
    ("[0.5, 0.5]", '["left", 0]', 5, "centre must be a number, not a text ('left')"),
    ("[0.5, 0.5]", "[true, 0]", 5, "centre must be a number, not true or false (True)"),
    ("side = 1.0", "side = 0", 6, "side is 0; it must lie between 0.05 and 10"),
    ("side = 1.0", "side = -1.5", 6, "side is -1.5"),
    ("side = 1.0\n", "", 4, "needs side (1.0 is the face) or native = true"),
    ("side = 1.0", "native = false", 4, "needs side"),
    ("native = true", "native = true\nside = 1.0", 11, "remove side or native"),
    ("native = true", "native = 1", 10, "native must be true or false, not a whole number (1)"),
    ("native = true", 'of = "image"\ncentre = [0, 0]', 11, "says nothing about the whole image"),
    ("native = true", 'of = "imag"\n', 10, "(did you mean 'image'?)"),
    ("native = true", "native = true\nscale = 2", 11, "says nothing about a square on the face"),
    ("native = true", 'of = "box"\nside = 1', 11, "side says nothing about the detector's box"),
    ("native = true", 'of = "box"', 9, "the crop 'nose' needs the key 'scale'"),
    ("native = true", 'of = "box"\nscale = 0', 11, "scale is 0; it must lie between 0.1 and 10"),
    ("native = true", 'of = "box"\nscale = "x"', 11, "scale must be a number, not a text"),
    ("size = 224", "size = 225", 7, "multiple of 32 from 32 to 512, or 331"),
    ("size = 224", "size = 0", 7, "size is 0"),
    ("size = 224", "size = 544", 7, "size is 544"),
    ("size = 224", "size = 224.0", 7, "size must be a whole number, not a number (224.0)"),
    ("size = 224", "size = true", 7, "size must be a whole number, not true or false"),
    ("size = 224", "size = 1979-05-27", 7, "not a date or time"),
    ("size = 224", f"size = {'9' * 400}", 7, "size is a huge number"),
    ("size = 224\n", "", 4, "the crop 'face' needs the key 'size'"),
    ("size = 224", "szie = 224", 7, "(did you mean 'size'?)"),
    ('"efficientnet-lite0"', '"efficientnet-lite1"', 14, "(did you mean 'efficientnet-lite0'?)"),
    ('"efficientnet-lite0"', '"alexnet"', 17, "there are conv1, conv2, conv3"),
    ('network = "efficientnet-lite0"\n', "", 13, "a branch needs the key 'network'"),
    ('["face", "nose"]', '["face", "nosee"]', 15, "(did you mean 'nose'?)"),
    ('["face", "nose"]', '["face", "face"]', 15, "the crop 'face' is named twice"),
    ('["face", "nose"]', "[]", 15, "crops is empty; it needs one of face, nose"),
    ('["face", "nose"]', '"face"', 15, "crops must be a list in brackets, not a text ('face')"),
    ('["face", "nose"]', "[3]", 15, "crops must be a text in quotes, not a whole number (3)"),
    ("[crops.nose]", "[crops.chin]\nside = 1\nsize = 64\n\n[crops.nose]", 9, "no branch uses the"),
    ('"block4"', '"blok4"', 18, "(did you mean 'block4'?)"),
    ('"block4"', '"block2"', 18, "the efficientnet-lite0 layer 'block2' is named twice"),
    ('["last"]', '["layer18", "last"]', 24, "is there already under its other name"),
    ('"mean"', '"median"', 25, "there are mean, std, mean+std"),
    ('"grey-world"', '"gray-world"', 26, "(did you mean 'grey-world'?)"),
    ('normalisation = "none"', 'normalization = "none"', 27, "(did you mean 'normalisation'?)"),
    ('"mobilenet-v2"', '"efficientnet-lite0"', 24, None),
    ('"lbp"\ncrops = ["face", "nose"]', '"lbp"\ncrops = ["face"]\nx = [', 32, "not TOML"),
    ('"lbp"', '"lpb"', 30, "(did you mean 'lbp'?); there are lbp, iqm"),
    ('"lbp"', "3", 30, "descriptor must be a text in quotes, not a whole number (3)"),
    ('descriptor = "lbp"', 'decriptor = "lbp"', 30, "(did you mean 'descriptor'?)"),
    ('descriptor = "lbp"\n', "", 29, "needs the key 'network' or the key 'descriptor'"),
    ('"lbp"', '"lbp"\nnetwork = "vgg16"', 30, "a network or a descriptor, not both"),
    ('"lbp"', '"lbp"\nlayers = ["last"]', 31, "layers is for networks; the descriptor lbp takes"),
    ('"lbp"', '"lbp"\npooling = "std"', 31, "pooling is for networks"),
    ('"lbp"\ncrops = ["face", "nose"]', '"lbp"', 29, "a branch needs the key 'crops'"),
    ('"lbp"\ncrops = ["face"', '"lbp"\ncrops = ["fase"', 31, "(did you mean 'face'?)"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), BAD)
def test_that_a_bad_preset_is_refused_with_its_line_and_what_is_allowed(old, new, line, words):
    assert GOOD.count(old) >= 1
    text = GOOD.replace(old, new, 1)
    if words is None:  # the same view in two branches
        text = text.replace('["last"]', '["block2"]')
        line, words = 21, "the view face/efficientnet-lite0.block2 is made twice"
    sentence = refusal(text)
    assert sentence.startswith(f"mine.toml, line {line}: "), sentence
    assert words in sentence
    assert "\n" not in sentence


def test_that_a_crop_too_small_for_its_network_is_refused():
    text = GOOD.replace("size = 224", "size = 32").replace('"mobilenet-v2"', '"alexnet"')
    assert "line 23: the crop 'face' has 32 pixels, but alexnet needs 64" in refusal(text)


def test_that_a_crop_too_large_for_its_network_is_refused():
    text = GOOD.replace('"mobilenet-v2"', '"minifasnet-v2"')
    assert "line 23: the crop 'face' has 224 pixels, but minifasnet-v2 needs 80" in refusal(text)


def test_that_a_crop_too_small_for_its_descriptor_is_refused():
    text = GOOD.replace("size = 128", "size = 32").replace('"lbp"', '"iqm"')
    assert "line 31: the crop 'nose' has 32 pixels, but iqm needs 64" in refusal(text)


def test_that_a_descriptor_is_not_made_twice_of_one_crop():
    again = GOOD + '\n[[branches]]\ndescriptor = "lbp"\ncrops = ["nose"]\n'
    assert "line 33: the view nose/lbp is made twice" in refusal(again)


def test_that_more_than_a_hundred_views_are_refused():
    crops = "".join(f"[crops.c{i}]\nside = 1\nsize = 64\n" for i in range(21))
    names = json.dumps([f"c{i}" for i in range(21)])
    layers = '["block1", "block2", "block3", "block4", "block5"]'
    branch = f'[[branches]]\nnetwork = "efficientnet-lite0"\ncrops = {names}\nlayers = {layers}\n'
    sentence = refusal(f'name = "x"\n{crops}{branch}')
    assert sentence.startswith("mine.toml, line 65: there are more than 100 views")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1: a preset needs the key 'name'"),
        (b'name = "x"\n\ncrops = {}\nbranches = []', "line 3: a preset needs at least one crop"),
        (b'name = "x"\ncrops = 3', "line 2: crops must be a table, not a whole number (3)"),
        (b'name = "x"\n[crops]\nface = 3', "line 3: face must be a table"),
        (b'name = "x"\n[crops.a]\nside=1\nsize=32\n', "line 1: a preset needs the key 'branches'"),
        (b'name = "x"\nbranches=[]\n[crops.a]\nside=1\nsize=32', "line 2: a preset needs at least"),
        (b'name = "x"\nbranches=[3]\n[crops.a]\nside=1\nsize=32', "line 2: branches must be a"),
        (b'name = "x"\n\n\xff', "line 3: this is not text in UTF-8"),
        (b'name = "x"\nx = ' + b"[" * 3000, "line 2: lists or tables are nested too deeply"),
        (b"x = " + b"[\n" * 30_000, "nested too deeply"),
        (b'name = "x"\nx = ' + b"9" * 5000 + b"\n\n", "line 2: is longer than 4000 characters"),
        (b'name = "x"\na' + b".a" * 30_000 + b" = 1", "line 2: is longer than 4000 characters"),
        (b"k" * 3000 + b" = 1", f"line 1: a preset has no key '{'k' * 35}...'; the keys are"),
        (b"#" * 70_000, "is longer than 65536 bytes"),
        (b"\x00\x01", "line 1: this is not TOML"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value,
)  # fmt: skip
def test_that_an_unlikely_file_is_refused(content, words):
    with pytest.raises(PresetError, match=re.escape(words)):
        read_preset(content, "mine.toml")


def test_that_the_mark_some_editors_begin_a_file_with_is_passed_over():
    assert read_preset(b"\xef\xbb\xbf" + GOOD.encode(), "mine.toml").name == "mine"


def test_that_an_unknown_name_offers_the_nearest_and_a_file():
    with pytest.raises(PresetError, match=r"did you mean 'texture'\? .*ends in \.toml"):
        load_preset("textur")


@pytest.mark.parametrize("path", ["no/such.toml", "gone.toml", Path("texture"), "/", "a\0b"])
def test_that_a_path_to_nothing_is_a_sentence(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PresetError):
        load_preset(path)


def test_that_tables_without_a_file_name_the_place_by_its_path():
    tables = preset_to_dict(load_preset("tiny"))
    tables["branches"][0]["layers"][1] = "blok4"
    with pytest.raises(InvalidInputError, match=r"^branches\[1\]\.layers\[2\]: .*'block4'"):
        preset_from_dict(tables)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_that_what_is_no_table_is_refused(value):
    with pytest.raises(PresetError, match="the preset must be a table"):
        preset_from_dict(value)


@settings(max_examples=300)
@given(text=st.sampled_from(preset_names()).map(shipped_text).flatmap(mutated))
def test_that_a_changed_file_loads_or_is_refused_with_a_line_it_has(text):
    content = text.encode("utf-8", "surrogatepass")
    refused = None
    try:
        preset = read_preset(content, "mine.toml")
    except PresetError as error:
        refused = error
    if refused is None:
        assert read_preset(to_toml(preset).encode(), "x") == preset
    else:
        assert str(refused).startswith(f"mine.toml, line {refused.line}: ")
        assert 1 <= refused.line <= content.count(b"\n") + 1
