"""Exporting, comparing and probing single engines, and running several in a pool."""

import threading

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from torchvision import models

from lmkl_core.features.engines import export, probe, torch_engine
from lmkl_core.features.engines.engine import LARGEST_PART, EnginePool, GraphMismatchError
from lmkl_core.features.engines.onnx_engine import OnnxEngine
from lmkl_core.features.engines.probe import LIMIT, reference_crops, relative_difference
from lmkl_core.features.engines.torch_engine import TorchEngine
from lmkl_core.features.networks.registry import Graph, Output

GRAPH = Graph(
    "mobilenet-v2",
    64,
    "standardise",
    (Output("layer2", "mean+std", "l2-each"), Output("layer0", "std", "none")),
)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Return a file of random weights for a network that torch exports."""
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("weights") / "mobilenet.pth"
    torch.save(models.mobilenet_v2(weights=None).state_dict(), path)
    return path


@pytest.fixture(scope="module")
def reference(weights):
    return TorchEngine(GRAPH, weights, channels_last=False)


@pytest.fixture(scope="module")
def entry(weights):
    return export.make_entry(GRAPH, weights)


def test_that_an_entry_holds_torchs_values_for_the_reference_crops(entry, reference):
    crops = reference_crops(GRAPH.size)
    assert np.array_equal(entry.crops, crops)
    assert relative_difference(entry.views, reference.run(crops)) < 1e-6
    assert relative_difference(OnnxEngine(entry.onnx).run(crops), entry.views) <= LIMIT


def inexact_export(module, crops, outputs):
    """Export, then change the first convolution's weights by one per cent."""
    proto = onnx.load_from_string(torch_engine.traced(module, crops, outputs))
    kernel = next(item for item in proto.graph.initializer if len(item.dims) == 4)
    values = numpy_helper.to_array(kernel).copy()
    values[0] *= 1.01
    kernel.CopyFrom(numpy_helper.from_array(values, kernel.name))
    return proto.SerializeToString()


def test_that_a_graph_that_differs_from_torch_is_refused_with_the_difference(weights):
    with pytest.raises(GraphMismatchError, match=r"\de-0\d"):
        export.make_entry(GRAPH, weights, inexact_export)


def test_that_torch_gives_the_same_in_a_batch_and_crop_by_crop(weights, reference):
    crops = reference_crops(64)
    batched = TorchEngine(GRAPH, weights).run(crops)
    alone = [reference.run(crop[None]) for crop in crops]
    joined = [np.concatenate(rows) for rows in zip(*alone, strict=True)]
    assert relative_difference(joined, batched) < 1e-5


class Faulty:
    """The real engine, with a function applied to its values."""

    name, weight, brings_threads = "faulty", 1, False

    def __init__(self, entry, fault):
        self.real = OnnxEngine(entry.onnx)
        self.fault = fault
        self.calls = 0

    def run(self, crops):
        self.calls += 1
        return [self.fault(view, self.calls) for view in self.real.run(crops)]


@pytest.mark.fault("Engines", "an engine that computes something else", keeps="scores")
@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        (lambda view, call: view, ""),
        (lambda view, call: view * np.float32(1.01), "off by 1.0e-02"),
        (lambda view, call: view * np.float32(np.nan), "values are NaN"),
        (lambda view, call: view + np.float32(1e-3 * call), "change from run to run"),
        (lambda view, call: view * np.float32(1 + (len(view) == 1)), "off by 1.0e+00"),
    ],
    ids=["none", "scaled", "nan", "drifting", "batch-dependent"],
)
def test_that_a_faulty_engine_is_detected(entry, fault, problem):
    found = probe.problem_of(Faulty(entry, fault), entry.crops, entry.views)
    assert bool(found) == bool(problem)
    assert problem in found


def test_that_a_probe_counts_for_one_machine_and_one_engine(monkeypatch):
    here = probe.probe_key("onnxruntime", "graph")
    assert here == probe.probe_key("onnxruntime", "graph")
    assert here != probe.probe_key("torch", "graph")
    assert here != probe.probe_key("onnxruntime", "another graph")
    monkeypatch.setattr(probe.platform, "processor", lambda: "another")
    assert here != probe.probe_key("onnxruntime", "graph")


def test_that_differences_are_relative_to_each_row():
    expected = [np.array([[1.0, 0.0], [100.0, 0.0]], np.float32)]
    found = [np.array([[1.0, 0.0], [101.0, 0.0]], np.float32)]
    assert relative_difference(found, expected) == pytest.approx(0.01)
    assert relative_difference(found, found) == 0.0
    assert relative_difference([found[0][:1]], expected) == float("inf")
    assert relative_difference([], expected) == float("inf")
    assert relative_difference([found[0] * np.nan], expected) == float("inf")


# ------------------------------------------------- the pool


class Sums:
    """An engine that sums pixels and records its calls."""

    name = "sums"

    def __init__(self, weight=1, brings_threads=False):
        self.weight = weight
        self.brings_threads = brings_threads
        self.sizes = []
        self.threads = set()

    def run(self, crops):
        self.sizes.append(len(crops))
        self.threads.add(threading.current_thread().name)
        totals = crops.reshape(len(crops), -1).sum(1, dtype=np.float32)
        return [totals[:, None], np.repeat(totals[:, None], 3, axis=1)]


def numbered(n):
    return np.arange(n, dtype=np.uint8).reshape(n, 1, 1, 1)


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_that_rows_come_back_in_the_order_of_the_crops(threads):
    for n in (1, 2, 4, 7, 40):
        engines = [Sums(), Sums(weight=9), Sums(brings_threads=True)]
        results = EnginePool(threads).run([(engine, numbered(n)) for engine in engines])
        for narrow, wide in results:
            assert narrow[:, 0].tolist() == list(range(n))
            assert wide.shape == (n, 3)


def test_that_an_engine_with_its_own_threads_gets_the_whole_batch_on_the_callers_thread():
    engine = Sums(brings_threads=True)
    EnginePool(3).run([(engine, numbered(5))])
    assert engine.sizes == [5]
    assert engine.threads == {threading.current_thread().name}


def test_that_large_batches_are_split_to_limit_memory():
    engines = [Sums(), Sums(brings_threads=True)]
    EnginePool(2).run([(engine, numbered(100)) for engine in engines])
    for engine in engines:
        assert max(engine.sizes) <= LARGEST_PART
        assert sum(engine.sizes) == 100


def test_that_an_engines_error_reaches_the_caller():
    class Broken(Sums):
        def run(self, crops):
            raise RuntimeError("no memory left")

    with pytest.raises(RuntimeError, match="no memory left"):
        EnginePool(2).run([(Sums(), numbered(3)), (Broken(), numbered(3))])
