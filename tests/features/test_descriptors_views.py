"""Descriptors as views: in presets, beside networks, and without any engine."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.models.files import difference_of
from lmkl_core.errors import InvalidInputError
from lmkl_core.features import extractor as extractor_module
from lmkl_core.features.descriptors import DESCRIPTORS
from lmkl_core.features.descriptors.iqm import iqm
from lmkl_core.features.descriptors.lbp import lbp
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import (
    Branch,
    Crop,
    DescriptorBranch,
    Preset,
    PresetError,
    load_preset,
    with_descriptors,
)
from tests.features.small_preset import BOTH, SMALL, crops_for

ROOT = Path(__file__).resolve().parents[2]
HANDMADE = load_preset("handmade")


@pytest.fixture(scope="module")
def by_hand():
    return Extractor(HANDMADE, threads=2)


# ------------------------------------------------- without any engine

ALONE = """
import json, sys
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from tests.features.small_preset import crops_for

def find(name, folder):
    raise AssertionError("no weights are needed")

preset = load_preset("handmade")
extractor = Extractor(preset, cache=sys.argv[1], find=find)
views = extractor(crops_for(preset, 2))
print(json.dumps([[float(x) for x in view[1]] for view in views.values()]))
print(sorted({"torch", "torchvision", "onnx", "onnxruntime", "scipy", "cv2"} & set(sys.modules)))
"""


def test_that_descriptors_alone_load_no_engine_find_no_weights_and_leave_no_cache(
    by_hand, tmp_path
):
    run = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path / "cache")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    rows, modules = run.stdout.splitlines()
    assert modules == "[]"
    assert not (tmp_path / "cache").exists()
    expected = by_hand(crops_for(HANDMADE, 2))
    assert json.loads(rows) == [[float(x) for x in view[1]] for view in expected.values()]


def test_that_descriptors_run_in_numpy_with_nothing_to_note(by_hand, both):
    assert by_hand.engine_names == ("numpy",)
    assert both.engine_names == ("onnxruntime", "numpy")
    assert by_hand.notes == ()
    assert by_hand.columns == {"face/lbp": 354, "face/iqm": 21}


def test_that_a_preset_of_descriptors_still_refuses_an_engine_that_does_not_exist(tmp_path):
    with pytest.raises(InvalidInputError, match="no engine 'tensorflow'"):
        Extractor(HANDMADE, engine="tensorflow", cache=tmp_path)


def test_that_views_are_the_descriptors_of_their_crops(by_hand):
    crops = crops_for(HANDMADE, 3)
    views = by_hand(crops)
    assert tuple(views) == HANDMADE.view_names
    for number, crop in enumerate(crops["face"]):
        assert np.array_equal(views["face/lbp"][number], lbp(crop))
        assert np.array_equal(views["face/iqm"][number], iqm(crop))


# ------------------------------------------------- beside networks


def test_that_descriptors_leave_the_networks_views_as_they_are(extractor, both):
    crops = crops_for(BOTH, 4)
    alone, together = extractor(crops), both(crops)
    assert tuple(together) == (*SMALL.view_names, "face/lbp", "face/iqm")
    assert all(np.array_equal(alone[name], together[name]) for name in alone)
    assert np.array_equal(together["face/lbp"][2], lbp(crops["face"][2]))
    assert [view.shape[1] for view in together.values()] == list(both.columns.values())


def test_that_views_keep_the_order_of_the_branches(cache, extractor):
    first = DescriptorBranch("lbp", ("wide", "face"))
    preset = replace(SMALL, branches=(first, *SMALL.branches))
    views = Extractor(preset, engine="onnxruntime", cache=cache)(crops_for(preset, 1))
    assert tuple(views) == ("wide/lbp", "face/lbp", *SMALL.view_names)


# ------------------------------------------------- what a model remembers


def test_that_the_fingerprint_has_the_version_of_every_descriptor(by_hand):
    found = by_hand.fingerprint()
    assert json.loads(json.dumps(found)) == found
    assert found["weights"] == {}
    assert found["preset"]["branches"] == [
        {"descriptor": "lbp", "crops": ["face"], "version": DESCRIPTORS["lbp"].version},
        {"descriptor": "iqm", "crops": ["face"], "version": DESCRIPTORS["iqm"].version},
    ]


def test_that_models_of_another_version_of_a_descriptor_are_refused(by_hand, monkeypatch):
    before = by_hand.fingerprint()
    newer = replace(DESCRIPTORS["lbp"], version=DESCRIPTORS["lbp"].version + 1)
    monkeypatch.setattr(extractor_module, "DESCRIPTORS", {**DESCRIPTORS, "lbp": newer})
    after = Extractor(HANDMADE).fingerprint()
    assert difference_of(before, before) == ""
    assert "the views 'handmade' have changed since it was made" in difference_of(before, after)


def test_that_networks_are_remembered_in_the_words_that_models_on_disk_have(extractor):
    for branch in extractor.fingerprint()["preset"]["branches"]:
        assert list(branch) == [
            *("network", "crops", "layers", "pooling", "photometry", "normalisation")
        ]


# ------------------------------------------------- presets to compare with


@pytest.mark.parametrize("name", ["texture", "paper-pad"])
def test_that_a_face_preset_gets_descriptors_of_a_small_face(name):
    preset = load_preset(name)
    found = with_descriptors(preset)
    assert found.name == f"{name}+lbp+iqm"
    assert found.view_names == (*preset.view_names, "face64/lbp", "face64/iqm")
    assert found.crops[:-1] == preset.crops
    assert found.crop("face64") == replace(preset.crop("face"), name="face64", size=64)
    assert found.networks == preset.networks


def test_that_a_preset_of_parts_of_the_face_gets_descriptors_of_the_tight_face():
    preset = load_preset("tiny")
    assert "face" not in [crop.name for crop in preset.crops]
    found = with_descriptors(preset)
    assert found.view_names == (*preset.view_names, "face/lbp", "face/iqm")
    assert found.crop("face") == Crop("face", 64)


def test_that_descriptors_are_not_added_twice():
    once = with_descriptors(SMALL)
    assert with_descriptors(once) is once
    assert with_descriptors(HANDMADE) is HANDMADE
    with_iqm = replace(SMALL, branches=(*SMALL.branches, DescriptorBranch("iqm", ("face",))))
    more = with_descriptors(with_iqm)
    assert more.name == "small+lbp"
    assert more.view_names[-2:] == ("face/iqm", "face/lbp")


def test_that_a_face_of_that_size_or_never_resampled_is_taken_as_it_is():
    assert with_descriptors(SMALL).crops == SMALL.crops
    native = with_descriptors(load_preset("texture"), crop="nose")
    assert native.view_names[-2:] == ("nose/lbp", "nose/iqm")


def test_that_objects_can_be_described_as_whole_images():
    found = with_descriptors(load_preset("paper-objects"), crop="image")
    assert found.view_names[-2:] == ("image64/lbp", "image64/iqm")
    assert found.crop("image64").of == "image"


def test_that_a_long_name_stays_one_that_can_be_written():
    long = replace(SMALL, name="x" * 60)
    assert with_descriptors(long).name == "x" * 52 + "+lbp+iqm"


OTHER_FACE64 = replace(load_preset("texture").crop("wide"), name="face64")


@pytest.mark.parametrize(
    ("preset", "options", "message"),
    [
        (load_preset("paper-objects"), {}, "has no crop 'face' .*; its crops are image, large"),
        (SMALL, {"crop": "nose"}, "the crop 'nose' has 32 pixels, but iqm needs 64"),
        (
            Preset(
                "p", "", (Crop("face", 96), OTHER_FACE64), (Branch("vgg16", ("face",), ("last",)),)
            ),
            {},
            "has another crop 'face64'",
        ),
    ],
)
def test_that_descriptors_that_cannot_be_added_are_refused(preset, options, message):
    with pytest.raises(PresetError, match=message):
        with_descriptors(preset, **options)


@pytest.mark.parametrize("descriptor", DESCRIPTORS.values(), ids=DESCRIPTORS)
def test_that_no_crops_have_no_rows_of_the_usual_length(descriptor):
    (rows,) = descriptor.run(np.zeros((0, 64, 64, 3), np.uint8))
    assert rows.shape == (0, *descriptor.columns)
    assert rows.dtype == np.float32
