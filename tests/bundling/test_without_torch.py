"""The program in a build that has exported networks in the place of torch."""

import shutil
import time

import numpy as np
import pytest

from app.headless import checkup
from app.headless.checkup import State
from lmkl_core.errors import InvalidInputError
from lmkl_core.features import shipped
from lmkl_core.features.engines.cache import Cache, Probe
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.engines.probe import probe_key
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.plan import plan
from lmkl_core.features.presets import load_preset
from lmkl_core.features.presets.file import read_preset
from lmkl_core.features.weights import entry_of, fetch, find, inspect, store
from lmkl_core.features.weights.store import Checksum, Place

SHA256 = entry_of("efficientnet-lite0").sha256


@pytest.fixture
def build(shipped_tiny, tmp_path, monkeypatch):
    """Be a build: no torch, no files of weights, graphs of the preset tiny."""
    folder = tmp_path / "shipped"
    shutil.copytree(shipped_tiny, folder)
    monkeypatch.setattr(shipped, "_FOLDER", folder)
    monkeypatch.setattr(shipped, "find_spec", lambda name: None)
    monkeypatch.setattr(store, "_in_package", lambda entry: None)
    return folder


def tried(folder, problem=""):
    """Return a cache that remembers the trial of tiny's graphs, which a child would make."""
    cache = Cache(folder)
    for group in plan(load_preset("tiny")):
        key = probe_key("onnxruntime", group.graph.key(SHA256, shipped.EXPORTER))
        cache.remember(key, Probe("onnxruntime", group.graph.label, problem, time.time()))
    return cache


def test_that_an_installation_ships_nothing_and_has_torch():
    assert shipped.has_torch()
    assert shipped.shipped_weights() == {}
    assert not shipped.shipped_folder().exists()


def test_that_shipped_networks_run_without_torch(build, tmp_path):
    extractor = Extractor(load_preset("tiny"), cache=tried(tmp_path / "cache"))
    assert extractor.engine_names == ("onnxruntime",)
    crops = {
        crop.name: np.zeros((crop.size, crop.size, 3), np.uint8) for crop in extractor.preset.crops
    }
    views = extractor(crops)
    assert tuple(views) == extractor.view_names
    assert all(np.isfinite(rows).all() for rows in views.values())


def test_that_models_know_shipped_networks_for_the_same_views(build, tmp_path):
    fingerprint = Extractor(load_preset("tiny"), cache=tried(tmp_path / "cache")).fingerprint()
    assert fingerprint["weights"] == {"efficientnet-lite0": SHA256}


def test_that_shipped_graphs_hold_what_torch_gave(build, tmp_path):
    from lmkl_core.features.engines.onnx_engine import OnnxEngine
    from lmkl_core.features.engines.reference import LIMIT, relative_difference

    for group in plan(load_preset("tiny")):
        entry = Cache(tmp_path).load(group.graph.key(SHA256, shipped.EXPORTER))
        found = OnnxEngine(entry.onnx).run(entry.crops)
        assert 0 < np.abs(entry.views[0]).max()
        assert relative_difference(found, entry.views) <= LIMIT


def test_that_a_damaged_shipped_graph_is_not_used(build, tmp_path):
    (path, *_) = (build / "graphs").glob("*.graph")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert Cache(tmp_path).load(path.stem) is None


def test_that_weights_count_as_here_with_the_checksum_they_had(build, tmp_path):
    finding = inspect(entry_of("efficientnet-lite0"), tmp_path)
    assert (finding.place, finding.checksum, finding.sha256) == (
        *(Place.BUILD, Checksum.RIGHT, SHA256),
    )
    assert find("efficientnet-lite0", tmp_path).sha256 == SHA256


def test_that_weights_of_another_checksum_do_not_count(build, tmp_path):
    (build / shipped.WEIGHTS_FILE).write_text('{"efficientnet-lite0": "00"}', encoding="utf-8")
    assert inspect(entry_of("efficientnet-lite0"), tmp_path).place is Place.NOWHERE


@pytest.mark.parametrize("text", ["", "[]", "{", '"text"', "7"])
def test_that_a_damaged_list_of_weights_is_none(text, build):
    (build / shipped.WEIGHTS_FILE).write_text(text, encoding="utf-8")
    assert shipped.shipped_weights() == {}


def one_sentence_with_the_way_out(error):
    text = str(error.value)
    assert text.count(". ") == 0
    assert text.endswith(".")
    assert "needs torch" in text
    assert "pipx install lmkl-pad" in text
    return text


@pytest.mark.parametrize("preset", ["paper-pad", "paper-objects"])
def test_that_presets_that_are_not_shipped_say_what_they_need(preset, build, tmp_path):
    with pytest.raises(EngineError) as error:
        Extractor(load_preset(preset), cache=tmp_path)
    assert preset in one_sentence_with_the_way_out(error)


def test_that_another_layer_of_a_shipped_network_says_what_it_needs(build, tmp_path):
    text = b"""
name = "mine"
[crops.face]
centre = [0.5, 0.5]
side = 1.0
size = 64
[[branches]]
network = "efficientnet-lite0"
crops = ["face"]
layers = ["block1"]
"""
    with pytest.raises(EngineError) as error:
        Extractor(read_preset(text, "mine.toml"), cache=tmp_path)
    assert "efficientnet-lite0 (block1) at 64 pixels" in one_sentence_with_the_way_out(error)


def test_that_where_onnxruntime_fails_nothing_takes_its_place(build, tmp_path):
    cache = tried(tmp_path / "cache", "it was ended by SIGILL")
    with pytest.raises(EngineError) as error:
        Extractor(load_preset("tiny"), cache=cache)
    assert "it was ended by SIGILL" in one_sentence_with_the_way_out(error)


def test_that_the_engine_torch_cannot_be_chosen(build, tmp_path):
    with pytest.raises(EngineError) as error:
        Extractor(load_preset("tiny"), cache=tmp_path, engine="torch")
    one_sentence_with_the_way_out(error)


def test_that_weights_that_would_be_of_no_use_are_not_fetched(build, tmp_path):
    with pytest.raises(InvalidInputError) as error:
        fetch(entry_of("resnet50"), tmp_path / "weights")
    assert "resnet50" in one_sentence_with_the_way_out(error)
    assert not (tmp_path / "weights").exists()


def test_that_descriptors_need_neither(build, tmp_path):
    assert Extractor(load_preset("handmade"), cache=tmp_path).engine_names == ("numpy",)


# ------------------------------------------------------------- the doctor


@pytest.fixture
def lacking(monkeypatch):
    """Return what makes packages missing from the metadata."""
    usual = checkup.metadata.version

    def lack(*names):
        def version(name):
            if name in names:
                raise checkup.metadata.PackageNotFoundError(name)
            return usual(name)

        monkeypatch.setattr(checkup.metadata, "version", version)

    return lack


def test_that_the_doctor_does_not_miss_what_is_optional(lacking):
    lacking("torch", "torchvision", "onnxscript")
    (finding,) = checkup._packages()
    assert finding.state is State.OK
    assert "torch" not in finding.found.replace("pytorch", "")


def test_that_the_doctor_advises_no_weights_that_would_not_help(build):
    findings = [item for item in checkup._weights("paper-pad") if item.advice]
    assert findings
    for finding in findings:
        assert "pipx install lmkl-pad" in finding.advice
        assert "weights fetch" not in finding.advice
