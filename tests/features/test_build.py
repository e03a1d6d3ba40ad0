"""ONNX graphs of described networks, compared with torch and with an independent network."""

import numpy as np
import onnx
import pytest
import torch
from efficientnet_lite_pytorch import EfficientNet

from lmkl_core.features.engines.build import onnx_graph
from lmkl_core.features.engines.onnx_engine import OnnxEngine
from lmkl_core.features.engines.probe import LIMIT, reference_crops, relative_difference
from lmkl_core.features.engines.torch_engine import TorchEngine
from lmkl_core.features.networks.registry import Graph, Output
from lmkl_core.features.presets.preset import CHOICES


def lite0_graph(size, layers, photometry="none", pooling="mean", normalisation="none"):
    outputs = tuple(Output(layer, pooling, normalisation) for layer in layers)
    return Graph("efficientnet-lite0", size, photometry, outputs)


@pytest.mark.parametrize("size", [224, 96])
def test_that_every_layer_agrees_with_the_independent_network(lite0, size):
    theirs = EfficientNet.from_name("efficientnet-lite0", image_size=size).eval()
    theirs.load_state_dict(torch.load(lite0, weights_only=True))
    parts = [
        lambda y: theirs._swish(theirs._bn0(theirs._conv_stem(y))),
        *theirs._blocks,
        lambda y: theirs._swish(theirs._bn1(theirs._conv_head(y))),
    ]
    crops = reference_crops(size)
    y = torch.from_numpy(crops).permute(0, 3, 1, 2) / 127.5 - 1
    expected = []
    with torch.inference_mode():
        for part in parts:
            y = part(y)
            expected.append(y.mean((2, 3)).numpy())
    names = ["stem", *(f"block{number}" for number in range(16)), "head"]
    graph = lite0_graph(size, names)
    for engine in (OnnxEngine(onnx_graph(graph, lite0)), TorchEngine(graph, lite0)):
        for name, found, reference in zip(names, engine.run(crops), expected, strict=True):
            assert relative_difference([found], [reference]) < LIMIT, (engine.name, name)


@pytest.mark.parametrize("photometry", CHOICES["photometry"])
def test_that_photometry_pooling_and_norms_agree_with_torch(lite0, photometry):
    outputs = tuple(
        Output(layer, pooling, normalisation)
        for layer in ("block2", "stem")
        for pooling in CHOICES["pooling"]
        for normalisation in CHOICES["normalisation"]
    )
    graph = Graph("efficientnet-lite0", 64, photometry, outputs)
    crops = reference_crops(64)
    crops[0] = 128  # without contrast
    found = OnnxEngine(onnx_graph(graph, lite0)).run(crops)
    expected = TorchEngine(graph, lite0).run(crops)
    assert [rows.shape for rows in found] == [(4, columns) for columns in graph.columns]
    assert all(np.isfinite(rows).all() for rows in found)
    # The deviation of a constant channel is rounding, which differs between engines.
    varied = [[rows[1:] for rows in views] for views in (found, expected)]
    assert relative_difference(*varied) < LIMIT


def test_that_nothing_after_the_deepest_layer_is_written(lite0):
    shallow, deep = (onnx_graph(lite0_graph(64, (layer,)), lite0) for layer in ("block1", "block7"))
    assert len(deep) > 2 * len(shallow)
    kinds = [node.op_type for node in onnx.load_from_string(shallow).graph.node]
    assert kinds.count("Conv") == 1 + 2 + 3
    assert not {"BatchNormalization", "Pad"} & set(kinds)
