"""Descriptors as views: alone, beside networks, and added to presets."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.models.files import difference_of
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


WITHOUT_ENGINES = """
import json, sys
from lmkl_core.features import weights
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.liveness import LivenessMeter
from lmkl_core.features.presets import load_preset, preset_names
from tests.features.small_preset import crops_for

def find(name, folder):
    raise AssertionError("no weights are needed")

# Looking for files needs no engine either.
weights.find("efficientnet-lite0")
assert LivenessMeter.find(sys.argv[1]) is None
preset = {name: load_preset(name) for name in preset_names()}["handmade"]
extractor = Extractor(preset, cache=sys.argv[1], find=find)
views = extractor(crops_for(preset, 2))
print(json.dumps([[float(x) for x in view[1]] for view in views.values()]))
engines = {"torch", "torchvision", "timm", "onnx", "onnxruntime", "scipy", "cv2"}
print(sorted(engines & set(sys.modules)))
"""


def test_that_descriptors_alone_load_no_engine_find_no_weights_and_leave_no_cache(tmp_path):
    command = [sys.executable, "-c", WITHOUT_ENGINES, str(tmp_path / "cache")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    rows, modules = run.stdout.splitlines()
    assert modules == "[]"
    assert not (tmp_path / "cache").exists()
    extractor = Extractor(HANDMADE, threads=2)
    assert (extractor.engine_names, extractor.notes) == (("numpy",), ())
    expected = extractor(crops_for(HANDMADE, 2))
    assert json.loads(rows) == [[float(x) for x in view[1]] for view in expected.values()]


def test_that_descriptors_leave_the_networks_views_as_they_are(extractor, both):
    crops = crops_for(BOTH, 4)
    alone, together = extractor(crops), both(crops)
    assert tuple(together) == (*SMALL.view_names, "face/lbp", "face/iqm")
    assert all(np.array_equal(alone[name], together[name]) for name in alone)
    for number, crop in enumerate(crops["face"]):
        assert np.array_equal(together["face/lbp"][number], lbp(crop))
        assert np.array_equal(together["face/iqm"][number], iqm(crop))
    assert both.engine_names == ("onnxruntime", "numpy")
    assert [view.shape[1] for view in together.values()] == list(both.columns.values())


def test_that_views_keep_the_order_of_the_branches(cache, extractor):
    first = DescriptorBranch("lbp", ("wide", "face"))
    preset = replace(SMALL, branches=(first, *SMALL.branches))
    views = Extractor(preset, engine="onnxruntime", cache=cache)(crops_for(preset, 1))
    assert tuple(views) == ("wide/lbp", "face/lbp", *SMALL.view_names)


def test_that_models_of_another_version_of_a_descriptor_are_refused(monkeypatch):
    before = Extractor(HANDMADE).fingerprint()
    newer = replace(DESCRIPTORS["lbp"], version=DESCRIPTORS["lbp"].version + 1)
    monkeypatch.setattr(extractor_module, "DESCRIPTORS", {**DESCRIPTORS, "lbp": newer})
    after = Extractor(HANDMADE).fingerprint()
    assert difference_of(before, before) == ""
    assert "'handmade'" in difference_of(before, after)


TEXTURE, TINY, OBJECTS = map(load_preset, ("texture", "tiny", "paper-objects"))
WITH_IQM = replace(SMALL, branches=(*SMALL.branches, DescriptorBranch("iqm", ("face",))))
SMALL_FACE = replace(TEXTURE.crop("face"), name="face64", size=64)
ADDED = {
    # The preset, the crop to describe, the new name, and the added crops and views.
    "small face": (TEXTURE, "face", "texture+lbp+iqm", [SMALL_FACE], ["face64/lbp", "face64/iqm"]),
    "parts": (TINY, "face", "tiny+lbp+iqm", [Crop("face", 64)], ["face/lbp", "face/iqm"]),
    "has iqm": (WITH_IQM, "face", "small+lbp", [], ["face/lbp"]),
    "right size": (SMALL, "face", "small+lbp+iqm", [], ["face/lbp", "face/iqm"]),
    "native": (TEXTURE, "nose", "texture+lbp+iqm", [], ["nose/lbp", "nose/iqm"]),
    "long name": (
        *(replace(SMALL, name="x" * 60), "face", "x" * 52 + "+lbp+iqm"),
        *([], ["face/lbp", "face/iqm"]),
    ),
}


@pytest.mark.parametrize(("preset", "crop", "name", "crops", "views"), ADDED.values(), ids=ADDED)
def test_that_descriptors_are_added_to_a_preset_once(preset, crop, name, crops, views):
    found = with_descriptors(preset, crop=crop)
    assert found.name == name
    assert found.crops == (*preset.crops, *crops)
    assert found.view_names == (*preset.view_names, *views)
    assert found.networks == preset.networks
    assert with_descriptors(found, crop=crop) is found


def test_that_descriptors_that_cannot_be_added_are_refused():
    crops = (Crop("face", 96), replace(TEXTURE.crop("wide"), name="face64"))
    taken = Preset("p", "", crops, (Branch("vgg16", ("face",), ("last",)),))
    for preset, crop, message in (
        (OBJECTS, "face", "'face' .* image, large"),
        (SMALL, "nose", "'nose' has 32 pixels, but iqm needs 64"),
        (taken, "face", "another crop 'face64'"),
    ):
        with pytest.raises(PresetError, match=message):
            with_descriptors(preset, crop=crop)
