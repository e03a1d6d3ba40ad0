"""Crops in, views out, with real weights, real engines and real child processes."""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features import weights
from lmkl_core.features.engines.cache import Cache, Probe
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.engines.probe import LIMIT, probe_key, relative_difference
from lmkl_core.features.extractor import Extractor, plan
from lmkl_core.features.presets import Branch, Preset, load_preset
from tests.features.small_preset import BOTH, SMALL, crops_for

ROOT = Path(__file__).resolve().parents[2]


def keys_of(preset):
    return {
        graph: graph.key(weights.find(graph.network).sha256)
        for graph in (group.source for group in plan(preset))
    }


@pytest.fixture
def copied(cache, extractor, tmp_path):
    """Return a copy of the warm cache that a test may damage."""
    shutil.copytree(cache.folder, tmp_path / "copied")
    return Cache(tmp_path / "copied")


def test_that_branches_with_the_same_network_photometry_and_size_share_a_graph():
    large, small = plan(SMALL)
    assert (large.source.size, small.source.size) == (64, 32)
    assert large.crops == ("face", "wide")
    assert [output.pooling for output in large.source.outputs] == ["mean+std", "mean+std", "mean"]
    assert large.source.columns == (48, 64, 24)
    assert small.crops == ("nose",)
    assert [group.label for group in plan(BOTH)[2:]] == ["face/lbp", "face/iqm"]
    branches = tuple(
        Branch("resnet50", (crop,), ("stem",), photometry=photometry)
        for crop, photometry in (("face", "none"), ("wide", "grey-world"))
    )
    groups = plan(Preset("two", "", SMALL.crops[:2], branches))
    assert [group.source.photometry for group in groups] == ["none", "grey-world"]


def test_that_views_have_the_names_order_and_columns_of_the_preset(both):
    assert list(both.columns.values()) == [48, 64, 48, 64, 24, 354, 21]
    for n in (3, 0):
        views = both({name: batch[:n] for name, batch in crops_for(BOTH, 3).items()})
        assert tuple(views) == BOTH.view_names == both.view_names
        shapes = {name: view.shape for name, view in views.items()}
        assert shapes == {name: (n, count) for name, count in both.columns.items()}
        assert {view.dtype for view in views.values()} == {np.dtype(np.float32)}


def test_that_a_frame_gives_the_same_bits_alone_in_a_batch_and_again(both):
    crops = crops_for(BOTH, 21)
    together = both(crops)
    again = both(crops)
    for number in (0, 13, 20):
        alone = both({name: batch[number] for name, batch in crops.items()})
        for name in together:
            assert np.array_equal(alone[name][0], together[name][number])
    assert all(np.array_equal(together[name], again[name]) for name in together)


def test_that_the_number_of_threads_changes_no_bit(cache, both):
    crops = crops_for(BOTH, 5)
    expected = both(crops)
    for threads in (1, 3):
        found = Extractor(BOTH, threads=threads, cache=cache)(crops)
        assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_that_threads_may_share_an_extractor(both):
    crops = [crops_for(BOTH, 2, seed) for seed in range(4)]
    expected = [both(item) for item in crops]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(both, crops * 4))
    for number, found in enumerate(results):
        assert all(np.array_equal(found[name], expected[number % 4][name]) for name in found)


def test_that_wrong_crops_are_refused_and_unused_ones_ignored(extractor):
    crops = crops_for(SMALL, 2)
    extractor(crops | {"ear": "not even a picture"})
    for change, message in (
        ({"wide": None}, "'wide' is missing"),
        ({"face": np.zeros((64, 64, 3))}, "'face' .* not float64"),
        ({"face": np.zeros((64, 64), np.uint8)}, r"shape \(64, 64, 3\).* shape \(64, 64\)"),
        ({"face": np.zeros((64, 64, 4), np.uint8)}, r"not uint8 of shape \(64, 64, 4\)"),
        ({"nose": np.zeros((64, 64, 3), np.uint8)}, r"'nose' .* \(32, 32, 3\)"),
        ({"nose": np.zeros((3, 32, 32, 3), np.uint8)}, "'face': 2.*'nose': 3"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            extractor({name: crop for name, crop in (crops | change).items() if crop is not None})


def test_that_the_fingerprint_is_json_and_describes_preset_and_weights(extractor):
    found = extractor.fingerprint()
    assert json.loads(json.dumps(found)) == found
    assert found["weights"] == {"efficientnet-lite0": weights.find("efficientnet-lite0").sha256}
    assert [crop["name"] for crop in found["preset"]["crops"]] == ["face", "wide", "nose"]
    assert found["preset"]["branches"][1]["pooling"] == "mean"
    # Stored models have these keys.
    keys = ["network", "crops", "layers", "pooling", "photometry", "normalisation"]
    assert [list(branch) for branch in found["preset"]["branches"]] == [keys] * 2


WARM = """
import json, sys
from lmkl_core.features.engines import choose
from lmkl_core.features.extractor import Extractor
from tests.features.small_preset import SMALL, crops_for
choose.run_child = None
views = Extractor(SMALL, cache=sys.argv[1])(crops_for(SMALL, 2))
print(json.dumps([[float(x) for x in view[1]] for view in views.values()]))
print({"torch", "torchvision", "onnx"} & set(sys.modules))
"""


def test_that_a_warm_start_needs_no_torch_and_no_child_and_gives_the_same_bits(cache, extractor):
    command = [sys.executable, "-c", WARM, str(cache.folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    rows, modules = run.stdout.splitlines()
    assert modules == "set()"
    expected = extractor(crops_for(SMALL, 2))
    assert json.loads(rows) == [[float(x) for x in view[1]] for view in expected.values()]


def test_that_damaged_graphs_are_made_again(copied):
    first, *_ = keys_of(SMALL).values()
    damaged = copied.folder / "graphs" / f"{first}.graph"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    steps = []
    Extractor(SMALL, cache=copied, progress=lambda *step: steps.append(step))
    assert copied.load(first) is not None
    done = [step[0] for step in steps]
    assert done == sorted(done)
    assert done[-1] == steps[-1][1] == 2


def fail_probe(cache, engine, problem):
    for graph, key in keys_of(SMALL).items():
        if graph.size == 64:
            cache.remember(Probe(probe_key(engine, key), engine, "x", problem))


def test_that_a_graph_whose_probe_failed_runs_in_torch_unless_that_fails_too(copied, extractor):
    fail_probe(copied, "onnxruntime", "its values are off")
    with_torch = Extractor(SMALL, cache=copied)
    assert with_torch.engine_names == ("torch", "onnxruntime")
    (note,) = with_torch.notes
    assert "64 pixels" in note
    assert "its values are off" in note
    crops = crops_for(SMALL, 2)
    found, expected = with_torch(crops), extractor(crops)
    assert relative_difference(list(found.values()), list(expected.values())) <= LIMIT
    with pytest.raises(EngineError, match="its values are off"):
        Extractor(SMALL, engine="onnxruntime", cache=copied)
    fail_probe(copied, "torch", "it was killed by SIGILL")
    with pytest.raises(EngineError, match=r"SIGILL.*onnxruntime: its values"):
        Extractor(SMALL, cache=copied)


def test_that_weights_of_another_network_are_refused_before_anything_runs(tmp_path):
    path = tmp_path / "other.pth"
    torch.save({"features.0.weight": torch.zeros(8, 3, 3, 3)}, path)
    found = SimpleNamespace(path=path, sha256="0" * 64)
    with pytest.raises(InvalidInputError, match=r"other\.pth .* efficientnet"):
        Extractor(SMALL, cache=tmp_path, find=lambda name, folder: found)
    assert not (tmp_path / "graphs").exists()


def test_that_preparing_can_be_cancelled(tmp_path):
    with pytest.raises(Cancelled):
        Extractor(SMALL, cache=tmp_path, cancel=lambda: True)


def test_that_options_that_do_not_exist_are_refused(tmp_path):
    for preset in (SMALL, load_preset("handmade")):
        with pytest.raises(InvalidInputError, match="tensorflow"):
            Extractor(preset, cache=tmp_path, engine="tensorflow")
    with pytest.raises(InvalidInputError, match="threads"):
        Extractor(SMALL, cache=tmp_path, threads=0)
